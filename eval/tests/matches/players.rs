//! Players whose order is known, and what is said of their games.

use super::{blank, network, play};
use eval::ratings::Wdl;
use eval::{Match, MatchConfig, OpeningSource, OpeningsConfig, Player, PlayerConfig, log};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{GameResult, Rulebook, VariantId, Xiangqi, dispatch};
use std::sync::atomic::AtomicBool;

#[test]
fn random_against_random_is_even() {
    let folder = tempfile::tempdir().unwrap();
    for &variant in VariantId::ALL {
        let other = PlayerConfig { name: "other".into(), ..PlayerConfig::random() };
        let config = MatchConfig { pairs: 100, ..MatchConfig::default() };
        let log = folder.path().join(format!("{variant}.jsonl"));
        let report = play(variant, &config, &PlayerConfig::random(), &other, &log);
        println!("{report}");
        let s = &report.strength;
        assert!(s.score_low.unwrap() < 0.5 && s.score_high.unwrap() > 0.5, "{report}");
        assert_eq!((report.results.games(), report.repeated_games, report.missing_games), (200, 0, 0));
        assert_eq!(report.moving_first + report.moving_second, report.results);
        assert_eq!(report.terminations.values().sum::<u64>(), 200);
    }
}

#[test]
fn stronger_players_win() {
    let folder = tempfile::tempdir().unwrap();
    let random = PlayerConfig::random();
    for &variant in VariantId::ALL {
        let mut players = vec![(PlayerConfig::greedy(), 40)];
        // On the largest board a game of chance is 1,500 plies long, a move by playouts takes a quarter of a second,
        // and 32 visits do not even try every move.
        if !dispatch!(variant, V => V::SQUARES > 100) {
            players.extend([(blank("proofs", 32), 20), (PlayerConfig::mcts(100), 4)]);
        }
        for (player, pairs) in players {
            let config = MatchConfig { pairs, ..MatchConfig::default() };
            let log = folder.path().join(format!("{variant} {}.jsonl", player.name));
            let report = play(variant, &config, &player, &random, &log);
            println!("{report}");
            // Where most games end before a side is mated (two passes and the points, in Janggi), a search that knows
            // proofs and nothing else has no way to be better.
            let mated: u64 = ["checkmate", "stalemate", "king_capture"]
                .iter()
                .filter_map(|&termination| report.terminations.get(termination))
                .sum();
            if player.name == "proofs" && 2 * mated < report.results.games() {
                continue;
            }
            assert!(report.strength.score_low.unwrap() > 0.5, "{pairs} pairs: {report}");
        }
    }
}

#[test]
fn listed_openings_are_played_from_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let book = folder.path().join("book.epd");
    std::fs::write(&book, "startpos ; h3e3 h8e8\n3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1\n").unwrap();
    let openings = OpeningsConfig { source: OpeningSource::Book(book), ..OpeningsConfig::default() };
    let config = MatchConfig { pairs: 2, openings, ..MatchConfig::default() };
    let (greedy, random) = (PlayerConfig::greedy(), PlayerConfig::random());
    let report = Match { variant: VariantId::Xiangqi, config: &config, players: [&greedy, &random], log: &log }
        .play(&AtomicBool::new(false), |_| {})
        .unwrap();
    let mut recorded = log::read(&log).unwrap();
    let games: Vec<_> = recorded.games.values().collect();
    assert!(games[..2].iter().all(|game| game.moves.starts_with("h3e3 h8e8 ") && game.opening_plies == 2));
    assert!(games[2..].iter().all(|game| game.start_fen.as_deref().is_some_and(|fen| fen.starts_with("3k5/R8/"))));
    assert_eq!((games[2].plies, games[2].result), (1, GameResult::FirstWins), "greedy sees the mate");
    let pgn = eval::pgn::export(&recorded.header.take().unwrap(), &recorded.games);
    assert!(pgn.contains("[FEN \"3k5/R8/") && pgn.contains(&format!("\n1. {} 1-0\n", games[2].moves)), "{pgn}");
    assert_eq!(report.results.games(), 4);
}

#[test]
fn repeated_games_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    let config = MatchConfig { pairs: 4, openings: OpeningsConfig::random(0), max_plies: 30, ..MatchConfig::default() };
    let players = [&network("a", 1, 4), &network("b", 2, 4)];
    let mut first = None;
    let report = Match { variant: VariantId::Wangqi, config: &config, players, log: &log }
        .play(&AtomicBool::new(false), |now| first = first.take().or_else(|| Some(now.clone())))
        .unwrap();
    let first = first.unwrap();
    assert_eq!(first.games, 0, "warned before the first game");
    assert!(first.notes[0].starts_with("1 different openings for 4 pairs"), "{:?}", first.notes);
    assert_eq!(report.repeated_games, 6, "four equal pairs");
    assert!(report.warnings[0].contains("6 of 8 games are move for move like another one"), "{report}");
}

#[test]
fn a_player_for_one_game_finds_what_the_match_player_finds() {
    let position = rules::Position::<Xiangqi>::from_fen("3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1").unwrap();
    let game = rules::Game::from_position(rules::Rules::default(), position);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for player_config in [PlayerConfig::greedy(), PlayerConfig::mcts(1_000), network("net", 1, 16)] {
        let mv = Player::new(&player_config).unwrap().choose(&game, &mut rng).unwrap();
        let mut after = game.clone();
        after.play(mv);
        let mut legal = rules::MoveList::new();
        after.legal_moves(&mut legal);
        let outcome = after.outcome(&legal).map(|outcome| outcome.score(rules::Side::First));
        assert_eq!(outcome, Some(1.0), "{player_config:?} plays {}", game.position().format_move(mv));
    }
}

#[test]
fn a_ladder_over_the_matches_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    assert!(eval::ladder(folder.path(), None).is_err(), "no games yet");
    let config = MatchConfig { pairs: 10, max_plies: 80, ..MatchConfig::default() };
    let players = [PlayerConfig::random(), PlayerConfig::greedy(), network("net", 1, 8), network("net", 2, 8)];
    for (i, j) in [(0, 1), (1, 2), (0, 3)] {
        let log = folder.path().join(format!("{i}-{j}.jsonl"));
        play(VariantId::Wangqi, &config, &players[i], &players[j], &log);
    }
    let ladder = eval::ladder(folder.path(), Some("random")).unwrap();
    println!("{ladder}");
    let names: Vec<_> = ladder.ratings.rows.iter().map(|row| row.player.as_str()).collect();
    assert!(names.contains(&"net (hash 1)") && names.contains(&"net (hash 2)"), "{names:?}");
    assert_eq!((ladder.matches, ladder.ratings.anchor.as_str(), ladder.encounters.len()), (3, "random", 6));
    let total = ladder.encounters.iter().fold(Wdl::default(), |sum, e| sum + e.results);
    assert_eq!(total.games(), 60);
    assert!(serde_json::to_string(&ladder).unwrap().contains("\"first_advantage\""));

    play(
        VariantId::Xiangqi,
        &MatchConfig { pairs: 1, ..config },
        &players[0],
        &players[1],
        &folder.path().join("z.jsonl"),
    );
    assert!(eval::ladder(folder.path(), None).unwrap_err().to_string().contains("is a match of xiangqi"));
}
