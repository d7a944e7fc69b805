//! Openings from each source.

use super::*;
use crate::openings::book::parse;
use data::{DataStore, GameFolders, SyntheticGames};
use rules::{Janggi, Koshogi, MoveList, Shogi, Wangqi, Xiangqi};
use search::fakes::HashEvaluator;
use search::{Evaluator, SearchConfig};
use std::path::Path;

const GO: fn() -> bool = || false;

fn with(source: OpeningSource) -> MatchConfig {
    let openings = OpeningsConfig { source, plies: 4, ..OpeningsConfig::default() };
    MatchConfig { openings, pairs: 12, seed: 5, ..MatchConfig::default() }
}

fn network(seed: u64) -> PlayerConfig {
    let search = SearchConfig { visits: 16, ..SearchConfig::default() };
    PlayerConfig::network("net", format!("hash {seed}"), &search, move || {
        Ok(Box::new(HashEvaluator::new(8, seed)) as Box<dyn Evaluator>)
    })
}

fn config_error<T: std::fmt::Debug>(result: Result<T, MatchError>) -> String {
    match result.unwrap_err() {
        MatchError::Config(texts) => texts.join("\n"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn balanced_openings_are_within_the_limit_and_a_prefix() {
    let rules = Rules::<Wangqi>::default();
    for players in [vec![PlayerConfig::greedy(), network(1)], vec![PlayerConfig::greedy(), PlayerConfig::random()]] {
        let players: Vec<&PlayerConfig> = players.iter().collect();
        let config = |pairs, threads| MatchConfig { pairs, threads, ..with(OpeningSource::Balanced) };
        let long = prepare(rules, &config(12, 1), &players, &GO).unwrap();
        assert!(long.notes.is_empty(), "{:?}", long.notes);
        let short = prepare(rules, &config(5, 3), &players, &GO).unwrap();
        assert_eq!((&long.list[..5], &long.named), (&short.list[..], &short.named));
        assert_eq!(long.distinct(), 12);
        let evaluator = evaluator::BalanceEvaluator::new(&players, 1);
        assert!(long.named.ends_with(&evaluator.name()), "{}", long.named);
        let sure: Vec<_> = long.list.iter().map(|opening| (opening.game(rules), 99)).collect();
        let values = evaluator.values(&sure, &GO).unwrap();
        // Judged with other random numbers, so a little beyond the limit is no error.
        assert!(values.iter().all(|q| q.abs() < 0.4), "{values:?}");
    }
}

#[test]
fn balanced_openings_draw_set_ups_too() {
    let mut config = with(OpeningSource::Balanced);
    config.openings.setups = vec!["left".to_owned(), "right".to_owned()];
    let found = prepare::<Janggi>(Rules::default(), &config, &[&network(1)], &GO).unwrap();
    assert!(found.named.ends_with(", setups left right"), "{}", found.named);
    let setups = |opening: &Opening<Janggi>| opening.game(Rules::default()).start_position().setups();
    let drawn: HashSet<[&str; 2]> =
        found.list.iter().map(|opening| setups(opening).unwrap().map(|setup| setup.name)).collect();
    assert!(drawn.len() > 1 && drawn.iter().flatten().all(|name| ["left", "right"].contains(name)), "{drawn:?}");
}

#[test]
fn the_judge_knows_a_won_position() {
    let won = Position::<Xiangqi>::from_fen("3k5/9/1R7/R8/9/9/9/9/9/5K3 w - - 0 1").unwrap();
    let lost = Position::<Xiangqi>::from_fen("3k5/9/1R7/R8/9/9/9/9/9/5K3 b - - 0 1").unwrap();
    let questions: Vec<_> = [won, lost].map(|p| (Game::from_position(Rules::default(), p), 1)).into();
    let values = evaluator::BalanceEvaluator::new(&[], 2).values(&questions, &GO).unwrap();
    assert!(values[0] > 0.5 && values[1] < -0.2, "{values:?}");
}

#[test]
fn too_few_balanced_openings_are_said() {
    // There are 25 first moves, of which few keep to this limit.
    let mut config = MatchConfig { pairs: 30, ..with(OpeningSource::Balanced) };
    config.openings.plies = 1;
    config.openings.balance = 0.01;
    let players = [&network(3), &network(4)];
    let found = prepare::<Wangqi>(Rules::default(), &config, &players, &GO).unwrap();
    assert!(found.notes[0].contains("of 30 openings are not balanced (|q| above 0.01"), "{:?}", found.notes);
    assert!(found.distinct() <= 25);
    // A hash gives none of a few positions a value of exactly 0.
    config = MatchConfig { pairs: 1, ..config };
    let blank = |q: f32| {
        PlayerConfig::network("sure", "sure", &SearchConfig { visits: 4, ..SearchConfig::default() }, move || {
            Ok(Box::new(FixedWinningChance(q)) as Box<dyn Evaluator>)
        })
    };
    let error = config_error(prepare::<Wangqi>(Rules::default(), &config, &[&blank(0.8)], &GO));
    assert!(error.contains("1 of 1 openings are not balanced") && error.contains("sure (sure), 4 visits"), "{error}");
    assert!(prepare::<Wangqi>(Rules::default(), &config, &[&blank(0.0)], &GO).is_ok());
}

/// Evaluates every position with this value.
struct FixedWinningChance(f32);

impl Evaluator for FixedWinningChance {
    fn batch_size(&self) -> usize {
        4
    }

    fn evaluate(
        &mut self,
        batch: &search::LeafBatch,
        out: &mut search::Evaluations,
    ) -> Result<(), search::EvaluationError> {
        out.clear();
        out.logits.resize(batch.tokens.len(), 0.0);
        out.wdl.resize(batch.len(), [self.0, 1.0 - self.0, 0.0]);
        Ok(())
    }
}

#[test]
fn judging_can_be_stopped() {
    let stopped = prepare::<Wangqi>(Rules::default(), &with(OpeningSource::Balanced), &[&network(1)], &|| true);
    assert!(matches!(stopped, Err(MatchError::Stopped)), "{stopped:?}");
}

fn line_ends<V: Variant>(text: &str) -> Vec<String> {
    let book = parse::<V>(text, Rules::default()).unwrap_or_else(|texts| panic!("{texts:#?}"));
    book.openings.iter().map(|opening| opening.end().fen()).collect()
}

#[test]
fn every_form_of_line_is_read() {
    let same = "startpos moves h3e3 h8e8\n";
    let end = line_ends::<Xiangqi>(same);
    for other in [
        "h3e3 h8e8",
        "\u{feff}1. h3e3 h8e8",
        "startpos ; h3e3 h8e8",
        "; h3e3 h8e8",
        "position startpos moves h3e3 h8e8  \r\n\n# nothing",
        "h2e2 h7e7",
        "炮二平五 炮8平5",
        "C2=5 C8=5",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 moves h3e3 h8e8",
        "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w ; h3e3 h8e8",
    ] {
        assert_eq!(line_ends::<Xiangqi>(other), end, "{other}");
    }
    let epd = "3k5/R8/9/9/9/9/9/9/9/5K3 w - - bm a9a10; id \"a; b\"; hmvc 4; fmvn 9;";
    assert_eq!(line_ends::<Xiangqi>(epd), ["3k5/R8/9/9/9/9/9/9/9/5K3 w - - 4 9"]);
    let suite = "3k5/R8/9/9/9/9/9/9/9/5K3 w - - 0 1 ;D1 20 ;D2 60";
    assert_eq!(line_ends::<Xiangqi>(suite), ["3k5/R8/9/9/9/9/9/9/9/5K3 w - - 0 1"]);
}

#[test]
fn hands_set_ups_and_large_boards_are_read() {
    let drop = "lnsgkgsnl/1r5b1/pppppp1pp/9/9/9/PPPPPP1PP/1B5R1/LNSGKGSNL[Pp] w - - id \"x\"; P@g5 P@g6";
    let same = "sfen lnsgkgsnl/1r5b1/pppppp1pp/9/9/9/PPPPPP1PP/1B5R1/LNSGKGSNL b Pp 1 moves P*3e P*3d";
    assert_eq!(line_ends::<Shogi>(drop), line_ends::<Shogi>(same));
    assert_eq!(line_ends::<Shogi>("7g7f 3c3d 8h2b+"), line_ends::<Shogi>("startpos moves c3c4 g7g6 b2h8+"));

    let koshogi = Position::<Koshogi>::start();
    let mut legal = MoveList::new();
    koshogi.legal_moves(&mut legal);
    let text = koshogi.format_move(legal[0]);
    let mut after = koshogi.clone();
    after.play(legal[0]);
    let epd: Vec<String> = koshogi.fen().split(' ').take(4).map(str::to_owned).collect();
    let lines = format!("{}; {text}\n{}", epd.join(" "), koshogi.fen());
    assert_eq!(line_ends::<Koshogi>(&lines), [after.fen(), koshogi.fen()]);

    let fen = Position::<Janggi>::start_with(["inner", "outer"]).unwrap().fen();
    assert_eq!(line_ends::<Janggi>(&fen), [fen]);
}

#[test]
fn what_is_written_is_read_again() {
    let rules = Rules::<Shogi>::default();
    let mut openings = random(rules, &[], 12, 30, 3);
    openings.push(Opening { position: Some(openings[0].end()), moves: Vec::new() });
    let text: Vec<String> = openings[..30].iter().map(Opening::line).collect();
    assert_eq!(parse(&text.join("\n"), rules).unwrap().openings, openings[..30]);
    assert_eq!(parse(&openings[30].line(), rules).unwrap().openings, openings[30..]);
    let epd: Vec<String> = openings[..30].iter().map(|opening| opening.epd("a \"b\"; c")).collect();
    let ends: Vec<_> = openings[..30].iter().map(|opening| opening.end().fen()).collect();
    assert_eq!(line_ends::<Shogi>(&epd.join("\n")), ends);
}

#[test]
fn each_bad_line_is_named_with_what_is_wrong() {
    let book = "startpos moves z9z9\n\n# fine\nnonsense\n9/9 w\n3k5/R8/9/9/9/9/9/9/9/5K3 w KQkq - 0 1\n\
                h3e3\nh3e3 ; h8e8 ; h8e8\n3k5/R8/9/9/9/9/9/9/9/5K3 w - - hmvc;\n\
                3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1 moves b8b10\n";
    let error = parse::<Xiangqi>(book, Rules::default()).unwrap_err();
    let expected = [
        ("line 1: ", "z9z9"),
        ("line 4: ", "nonsense"),
        ("line 5: ", "2 ranks; expected 10"),
        ("line 6: ", "\"KQkq\" after the position"),
        ("line 8: ", "\"h8e8\" after the moves"),
        ("line 9: ", "hmvc without its number"),
        ("line 10: ", "the game is over (checkmate)"),
    ];
    assert_eq!(error.len(), expected.len(), "{error:#?}");
    for (text, (line, problem)) in error.iter().zip(expected) {
        assert!(text.starts_with(line) && text.contains(problem), "{text}");
    }
    let many = "x\n".repeat(50);
    let error = parse::<Xiangqi>(&many, Rules::default()).unwrap_err();
    assert_eq!((error.len(), error[20].as_str()), (21, "and 30 more bad lines"));
    assert_eq!(
        parse::<Xiangqi>("# only\n\n", Rules::default()).unwrap_err(),
        ["line 1: there is no opening in the book"]
    );
    let long = format!("startpos moves {}", "h3e3 ".repeat(20_000));
    assert!(parse::<Xiangqi>(&long, Rules::default()).unwrap_err()[0].contains("at most 65536"));
}

#[test]
fn lines_that_repeat_a_position_are_named_and_left_out() {
    let book = "h3e3 h8e8 b1c3\nb1c3 h8e8 h3e3\nb3e3\nh3e3 h8e8 b1c3\n";
    let book = parse::<Xiangqi>(book, Rules::default()).unwrap();
    assert_eq!(book.openings.len(), 2);
    assert!(
        book.notes[0].starts_with("line 2 leads to the same position as line 1, so do lines 4 (as 1)"),
        "{:?}",
        book.notes
    );
}

#[test]
fn a_book_is_used_in_its_order_or_shuffled_by_the_seed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.txt");
    let rules = Rules::<Wangqi>::default();
    let openings = random(rules, &[], 3, 20, 1);
    let text: Vec<String> = openings.iter().map(Opening::line).collect();
    std::fs::write(&path, text.join("\n")).unwrap();
    let config = with(OpeningSource::Book(path.clone()));
    let read = |config: &MatchConfig| prepare(rules, config, &[], &GO).unwrap();
    let plain = read(&config);
    assert_eq!(plain.list, openings);
    assert_eq!((plain.of_pair(3), plain.of_pair(23)), (&openings[3], &openings[3]));
    let mut shuffled = config.clone();
    shuffled.openings.order = OpeningOrder::Shuffled;
    let one = read(&shuffled);
    assert_ne!(one.list, plain.list);
    assert!(openings.iter().all(|opening| one.list.contains(opening)));
    assert_eq!(one, read(&MatchConfig { pairs: 3, ..shuffled.clone() }));
    assert_ne!(one.list, read(&MatchConfig { seed: 6, ..shuffled }).list);
    // A comment changes nothing, an opening does.
    std::fs::write(&path, format!("# new\n{}", text.join("\n"))).unwrap();
    assert_eq!(read(&config).named, plain.named);
    std::fs::write(&path, text[1..].join("\n")).unwrap();
    assert_ne!(read(&config).named, plain.named);
    std::fs::write(&path, b"startpos\n\xff\n").unwrap();
    assert!(config_error(prepare(rules, &config, &[], &GO)).contains("book.txt, line 2: not UTF-8"));
    let missing = with(OpeningSource::Book(folder.path().join("none")));
    assert!(matches!(prepare(rules, &missing, &[], &GO), Err(MatchError::Read { .. })));
}

#[test]
fn a_shuffle_draws_in_proportion_to_the_weights() {
    let mut first = [0u32; 3];
    for seed in 0..3_000 {
        first[shuffled(vec![0, 1, 2], &[1, 2, 7], seed)[0]] += 1;
    }
    // Expected 300, 600, 2,100; five standard deviations.
    for (count, expected) in first.into_iter().zip([300f64, 600.0, 2_100.0]) {
        let spread = 5.0 * (expected * (1.0 - expected / 3_000.0)).sqrt();
        assert!((f64::from(count) - expected).abs() < spread, "{first:?}");
    }
}

/// A data folder with games of these moves (and setups).
fn data_folder<V: Variant>(root: &Path, games: &[(&str, Option<[&str; 2]>)]) {
    let (store, _) = DataStore::open(root).unwrap();
    let records: Vec<data::GameRecord<V>> = (0u64..)
        .zip(games)
        .map(|(game_id, (moves, setups))| {
            let start = setups.map_or_else(Position::<V>::start, |names| Position::start_with(names).unwrap());
            let game = Game::from_moves_text(Rules::default(), start, moves).unwrap();
            let outcome = rules::Outcome::win(Side::First, rules::Termination::Resign);
            data::GameRecord { game_id, ..data::GameRecord::of(&game, outcome) }
        })
        .collect();
    store.commit_shard(0, "local", &records, &data::Provenance::default()).unwrap();
}

#[test]
fn statistics_give_the_most_played_lines() {
    let folder = tempfile::tempdir().unwrap();
    let games = [
        ("h3e3 h8e8 b1c3", None),
        ("h3e3 h8e8 a4a5", None),
        ("h3e3 h8e8", None),
        ("b3e3 h10g8", None),
        ("b3e3 h10g8 a1a2", None),
        ("c4c5 c7c6", None),
        ("h3e3", None),
    ];
    data_folder::<Xiangqi>(&folder.path().join("data"), &games);
    let rules = Rules::<Xiangqi>::default();
    let found = lines(folder.path(), rules, 2, 2).unwrap();
    let texts: Vec<_> = found.iter().map(|(opening, games)| (opening.line(), *games)).collect();
    assert_eq!(texts, [("startpos moves h3e3 h8e8".to_owned(), 3), ("startpos moves b3e3 h10g8".to_owned(), 2)]);
    assert_eq!(lines(&folder.path().join("data"), rules, 2, 1).unwrap().len(), 3);
    let mut config = with(OpeningSource::Statistics(folder.path().into()));
    config.openings.plies = 2;
    let openings = prepare(rules, &config, &[], &GO).unwrap();
    assert!(openings.named.starts_with("statistics ") && openings.distinct() == 2, "{}", openings.named);
    let error = config_error(lines(folder.path(), rules, 9, 2));
    assert!(
        error.contains("none of its 7 games of xiangqi") && error.contains("(the longest such line has 2)"),
        "{error}"
    );
    let error = config_error(lines::<Wangqi>(folder.path(), Rules::default(), 2, 2));
    assert!(error.contains("none of its 0 games of wangqi"), "{error}");
    let error = config_error(lines(folder.path().join("matches").as_path(), rules, 2, 2));
    assert!(error.contains("holds no games"), "{error}");
}

#[test]
fn statistics_keep_set_ups_and_join_transpositions() {
    let folder = tempfile::tempdir().unwrap();
    let setups = Some(["inner", "outer"]);
    data_folder::<Janggi>(folder.path(), &[("a4a5 a7a6", setups), ("a4a5 a7a6", setups), ("a4b4 a7a6", None)]);
    let found = lines::<Janggi>(folder.path(), Rules::default(), 2, 1).unwrap();
    assert_eq!(found[0].0.position, Some(Position::start_with(["inner", "outer"]).unwrap()));
    assert_eq!((found[0].1, found[1].1, found[1].0.position.is_some()), (2, 1, false));

    let folder = tempfile::tempdir().unwrap();
    let games = [("h3e3 h8e8 b1c3", None), ("b1c3 h8e8 h3e3", None), ("c4c5 c7c6 a4a5", None)];
    data_folder::<Xiangqi>(folder.path(), &games);
    let found = lines::<Xiangqi>(folder.path(), Rules::default(), 3, 1).unwrap();
    assert_eq!(found.iter().map(|(_, games)| *games).collect::<Vec<_>>(), [2, 1]);
}

/// The most played lines of made-up games as a book of another program, and read again.
fn there_and_back<V: Variant>(ending: &str, write: fn(&LineTree<V>) -> Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(&folder.path().join("games")).unwrap();
    SyntheticGames { plies: 8, opening: 8, visits: 1, ..SyntheticGames::default() }.write::<V>(&store, 0..400).unwrap();
    let rules = Rules::<V>::default();
    let tree = || tree_in::<V>(&GameFolders::from(store.clone()), "games", rules, 4, 2).unwrap();
    for (chosen, is_exact) in [(tree().of_length(4), true), (tree().minimax(0.3), false)] {
        let path = folder.path().join(format!("book.{ending}"));
        std::fs::write(&path, write(&chosen)).unwrap();
        let book = book::read::<V>(&path, rules).unwrap();
        let ends = |openings: &[Opening<V>]| -> HashSet<Key> { openings.iter().map(|of| of.end().key()).collect() };
        let lines: Vec<Opening<V>> = chosen.lines().into_iter().map(|(opening, _)| opening).collect();
        assert!(lines.len() > 2, "{} lines", lines.len());
        assert_eq!((ends(&book.openings), book.openings.len()), (ends(&lines), lines.len()));
        assert!(!is_exact || book.openings.iter().all(|opening| opening.moves.len() == 4));
        // In place of the words of the ending, the contents say what it is.
        assert_eq!(book::of_bytes::<V>(&write(&chosen), rules).unwrap(), book);
    }
}

#[test]
fn books_of_other_programs_have_the_same_lines() {
    there_and_back::<Shogi>("db", |tree| records::book::yaneuraou::write(&tree.positions()).unwrap().into_bytes());
    there_and_back::<Xiangqi>("obk", |tree| records::book::obk::write(&tree.positions()).unwrap());
}

#[test]
fn what_is_no_book_of_another_program_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (file, bytes, wanted) in [
        ("a.obk", &b"startpos\n"[..], "a.obk, it is no SQLite database"),
        ("a.obk", b"SQLite format 3\0 and no more", "a.obk, it is damaged or cut off"),
        ("a.DB", b"sfen 9/9 b - 1\n", "a.DB, line 1: \"sfen 9/9 b - 1\" in place of \"#YANEURAOU-DB2016 1.00\""),
        ("a.txt", b"#YANEURAOU-DB2016 1.00\n7g7f\n", "a.txt, xiangqi has no notation \"usi\""),
        ("a.db", b"\xff\xff", "a.db, line 1: not UTF-8"),
    ] {
        let path = folder.path().join(file);
        std::fs::write(&path, bytes).unwrap();
        let error = config_error(prepare(Rules::<Xiangqi>::default(), &with(OpeningSource::Book(path)), &[], &GO));
        assert!(error.contains(wanted), "{error}");
    }
}
