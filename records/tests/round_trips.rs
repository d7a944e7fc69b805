//! What is written comes back: the games, how they ended, their rules and their names.

use records::{ReadOptions, TaggedGame, Tags, csa, kif, pgn, read};
use rules::{Game, MoveList, Outcome, Position, Rules, Shogi, Side, Termination, Variant, VariantId, dispatch};

/// A position in the middle of a game, with pieces in both hands.
const MIDDLE: &str = "ln3k1nl/1r4g2/p1ppp1spp/5p3/1P1P1P1P1/2S6/P1P1P1P1P/2GB1SR2/LN1K1G1NL[BSPp] b - - 0 1";

/// A game of some plies: each number chooses a legal move.
pub fn played<V: Variant>(start: Position<V>, rules: Rules<V>, choices: &[usize]) -> Game<V> {
    let mut game = Game::from_position(rules, start);
    let mut legal = MoveList::new();
    for choice in choices {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        game.play(legal[choice % legal.len()]);
    }
    game
}

/// A record of the game. Where the rules do not say how it ended, it ended as `end` says.
fn record<V: Variant>(game: Game<V>, end: Option<Outcome>, name: &str) -> TaggedGame<V> {
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let outcome = game.outcome(&legal).or(end);
    let text = |text: &str| Some(text.to_owned());
    let tags = Tags {
        event: text("A \"small\" cup"),
        site: text("Kirin"),
        date: text("2024.02.29 10:30:15"),
        round: text("3.1"),
        first: text(name),
        second: text("0123456789abcdef"),
        result: None,
        opening: text("四間飛車 \\ \"Ranging Rook\""),
        first_rating: Some(2450.0),
        second_rating: Some(-7.25),
        opening_plies: game.ply().min(4),
    };
    TaggedGame { line: 1, tags, game, outcome }
}

/// Finished games: `losses.rs`.
#[test]
fn an_unfinished_game_comes_back_without_a_result() {
    for &variant in VariantId::ALL {
        dispatch!(variant, V => {
            let written = record(played(Position::<V>::start(), Rules::default(), &[7, 11, 13, 17, 19]), None, "先手の人");
            let mut texts = [const { String::new() }; 3];
            pgn::write(&mut texts[0], &written);
            let is_shogi = kif::write(&mut texts[1], &written).is_ok() && csa::write(&mut texts[2], &written).is_ok();
            let files = [("x.pgn", true), ("x.kif", is_shogi), ("x.csa", is_shogi)];
            for ((file, _), text) in files.into_iter().zip(&texts).filter(|((_, has_it), _)| *has_it) {
                let contents = read::<V>(file, text.as_bytes(), &ReadOptions::default()).expect("a record");
                assert_eq!((contents.problems, contents.records.len()), (vec![], 1), "{text}");
                let read = &contents.records[0];
                assert_eq!((&read.game, read.outcome), (&written.game, None), "{text}");
                assert_eq!((&read.tags.first, read.tags.opening_plies), (&written.tags.first, 4), "{text}");
            }
        });
    }
}

#[test]
fn a_variant_without_kif_says_so() {
    let game = record(Game::<rules::Xiangqi>::start(Rules::default()), None, "x");
    let error = kif::write(&mut String::new(), &game).unwrap_err().to_string();
    assert!(error.starts_with("xiangqi has no notation \"kif\""), "{error}");
    assert!(csa::write(&mut String::new(), &game).is_err());
}

/// Both formats have a word for perpetual check and record which side broke the rule; every other winner is kept too.
#[test]
fn who_won_is_written_for_every_end() {
    let end = |winner: Option<Side>, termination| {
        let game = Game::<Shogi>::from_moves_text(Rules::default(), Position::start(), "c3c4 g7g6").expect("legal");
        let outcome = winner.map_or(Outcome::draw(termination), |winner| Outcome::win(winner, termination));
        let record = record(game, Some(outcome), "甲");
        let (mut as_kif, mut as_csa) = (String::new(), String::new());
        kif::write(&mut as_kif, &record).expect("KIF");
        csa::write(&mut as_csa, &record).expect("CSA");
        assert!(as_csa.contains("$START_TIME:2024/02/29 10:30:15\n"), "{as_csa}");
        // Other programs do not see our comments.
        let plain = |text: &str| text.lines().filter(|line| !line.contains("Kirin: ")).collect::<Vec<_>>().join("\n");
        for (file, text) in [("game.kif", plain(&as_kif)), ("game.csa", plain(&as_csa))] {
            let read = read::<Shogi>(file, text.as_bytes(), &ReadOptions::default()).expect("a record");
            assert_eq!(read.problems, []);
            assert_eq!(read.records[0].outcome.map(|outcome| outcome.result), Some(outcome.result), "{text}");
        }
        let kif_end = as_kif.trim_end().lines().skip_while(|line| !line.starts_with("   2 ")).skip(1);
        let kif_end = kif_end.map(str::trim).collect::<Vec<_>>().join(" | ");
        (kif_end, as_csa.trim_end().lines().next_back().unwrap_or_default().to_owned())
    };
    let (first, second) = (Some(Side::First), Some(Side::Second));
    for (winner, termination, kif, csa) in [
        (second, Termination::PerpetualCheck, "3 反則負け | まで2手で先手の反則負け", "%ILLEGAL_MOVE"),
        (first, Termination::PerpetualCheck, "3 反則勝ち | まで2手で先手の反則勝ち", "%-ILLEGAL_ACTION"),
        (second, Termination::Resign, "3 投了 | まで2手で後手の勝ち", "%TORYO"),
        (first, Termination::Resign, "まで2手で先手の勝ち", "%-ILLEGAL_ACTION"),
        (second, Termination::Adjudicated, "3 投了 | まで2手で後手の勝ち", "%TORYO"),
        (first, Termination::Declaration, "3 入玉勝ち | まで2手で先手の勝ち", "%KACHI"),
        (None, Termination::Repetition, "3 千日手 | まで2手で千日手", "%SENNICHITE"),
        (None, Termination::MaxPlies, "3 最大手数 | まで2手で最大手数", "%MAX_MOVES"),
        (None, Termination::Adjudicated, "3 引き分け | まで2手で引き分け", "%HIKIWAKE"),
    ] {
        assert_eq!(end(winner, termination), (kif.to_owned(), csa.to_owned()));
    }
}

#[test]
fn pgn_has_the_days_of_other_formats() {
    let mut game = record(Game::<Shogi>::start(Rules::default()), None, "x");
    game.tags.date = Some("2024/05/01 10:30:00".to_owned());
    let mut text = String::new();
    pgn::write(&mut text, &game);
    assert!(text.contains("[Date \"2024.05.01\"]\n") && text.contains("[Time \"10:30:00\"]\n"), "{text}");
    assert!(text.contains("[WhiteElo \"2450\"]\n[BlackElo \"-7.25\"]\n"), "{text}");
}

/// What stands in files, as people see it.
#[test]
fn kif_as_it_is_written() {
    let game =
        Game::<Shogi>::from_moves_text(Rules::default(), Position::from_fen(MIDDLE).expect("a position"), "a7a6")
            .expect("legal");
    let mut text = String::new();
    kif::write(&mut text, &record(game, Some(Outcome::win(Side::Second, Termination::Resign)), "甲")).expect("KIF");
    let wanted = "\
# KIF version=2.0 encoding=UTF-8
開始日時：2024/02/29 10:30:15
棋戦：A \"small\" cup
場所：Kirin
戦型：四間飛車 \\ \"Ranging Rook\"
後手の持駒：歩
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
|v香v桂 ・ ・ ・v玉 ・v桂v香|一
| ・v飛 ・ ・ ・ ・v金 ・ ・|二
|v歩 ・v歩v歩v歩 ・v銀v歩v歩|三
| ・ ・ ・ ・ ・v歩 ・ ・ ・|四
| ・ 歩 ・ 歩 ・ 歩 ・ 歩 ・|五
| ・ ・ 銀 ・ ・ ・ ・ ・ ・|六
| 歩 ・ 歩 ・ 歩 ・ 歩 ・ 歩|七
| ・ ・ 金 角 ・ 銀 飛 ・ ・|八
| 香 桂 ・ 玉 ・ 金 ・ 桂 香|九
+---------------------------+
先手の持駒：角　銀　歩
後手番
先手：甲
後手：0123456789abcdef
# Kirin: result=-1 termination=resign ruleset=points24
# Kirin: round=3.1
# Kirin: rating-first=2450
# Kirin: rating-second=-7.25
# Kirin: opening-plies=1
手数----指手---------消費時間--
   1 ９四歩(93)
   2 投了
まで1手で後手の勝ち

";
    assert_eq!(text, wanted);
}
