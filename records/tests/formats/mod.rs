//! A file of each format, with its awkward cases: how many games it has, what they are, and which problems the others
//! have.

mod short_texts;

use records::{ReadOptions, RecordContents, TaggedGame, read};
use rules::{GameResult, Janggi, Position, Shogi, Termination, Variant, Xiangqi};

/// The games of a fixture.
fn games<V: Variant>(file: &str, text: &str) -> RecordContents<V> {
    read(file, text.as_bytes(), &ReadOptions::default()).expect("a record")
}

/// The problems of the games that were left out: line and reason.
fn said<V: Variant>(contents: &RecordContents<V>) -> Vec<(usize, &'static str)> {
    contents.problems.iter().map(|problem| (problem.line, problem.what.name())).collect()
}

fn end<V: Variant>(record: &TaggedGame<V>) -> Option<(i8, &'static str)> {
    record.outcome.map(|outcome| (outcome.result.number(), outcome.termination.name()))
}

fn names<V: Variant>(record: &TaggedGame<V>) -> [Option<&str>; 2] {
    [record.tags.first.as_deref(), record.tags.second.as_deref()]
}

#[test]
fn kif() {
    let contents = games::<Shogi>("plain.kif", include_str!("../fixtures/plain.kif"));
    assert_eq!(contents.problems, []);
    let [record] = contents.records.as_slice() else { panic!("{contents:?}") };
    assert_eq!(record.game.moves_text(), "c3c4 g7g6 b2h8+ g9h8 B@f5 d9e8 f5g6", "the main line");
    assert_eq!(end(record), Some((1, "resign")));
    assert_eq!(names(record), [Some("山田"), Some("鈴木")]);
    assert_eq!(record.tags.date.as_deref(), Some("2024/05/01 10:30:00"));
    assert_eq!((record.tags.event.as_deref(), record.tags.site.as_deref()), (Some("研究会"), Some("東京都")));
}

#[test]
fn kif_with_handicaps_diagrams_and_broken_games() {
    let contents = games::<Shogi>("handicap.kif", include_str!("../fixtures/handicap.kif"));
    assert_eq!(contents.format.name, "kif");
    assert_eq!(said(&contents), [(39, "illegal move"), (42, "start position")], "{:#?}", contents.problems);
    let [two_pieces, diagram, illegal] = contents.records.as_slice() else { panic!("{contents:?}") };
    let start = two_pieces.game.start_position();
    assert_eq!(start.fen(), "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[] b - - 0 1");
    assert_eq!(
        (end(two_pieces), names(two_pieces)),
        (Some((1, "error")), [Some("生徒"), Some("先生")]),
        "上手 ran out of time"
    );
    assert_eq!(diagram.game.moves_text(), "h2h9+ e9d8");
    assert_eq!(diagram.outcome, None);
    assert_eq!(illegal.game.moves_text(), "h3h4 b7b6 h4h5", "the illegal move is not part of the game");
    assert_eq!(end(illegal), Some((1, "error")));
}

#[test]
fn ki2() {
    let contents = games::<Shogi>("book.ki2", include_str!("../fixtures/book.ki2"));
    assert_eq!(contents.problems, []);
    let [record] = contents.records.as_slice() else { panic!("{contents:?}") };
    assert_eq!(record.game.ply(), 10);
    assert!(record.game.moves_text().starts_with("c3c4 g7g6 b2h8+ g9h8 B@f5 "), "{}", record.game.moves_text());
    assert_eq!(end(record), Some((0, "repetition")));
}

#[test]
fn csa() {
    let contents = games::<Shogi>("two.csa", include_str!("../fixtures/two.csa"));
    assert_eq!(said(&contents), [(54, "illegal move"), (60, "broken record")], "{:#?}", contents.problems);
    let [even, ranks, two_pieces, broken_off] = contents.records.as_slice() else { panic!("{contents:?}") };
    assert_eq!(even.game.moves_text(), "c3c4 g7g6 b2h8+ g9h8 B@f5 d9e8");
    assert_eq!(end(even), Some((-1, "resign")));
    assert_eq!(names(even), [Some("PROGRAM A"), Some("PROGRAM B")]);
    assert_eq!(even.tags.date.as_deref(), Some("2022/05/03 10:30:00"));
    let start = ranks.game.start_position();
    assert_eq!(start.fen(), "lnsgk1snl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[g] b - - 0 1");
    assert_eq!(end(ranks), Some((0, "impasse")));
    let start = two_pieces.game.start_position();
    assert_eq!(start.fen(), "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[B] b - - 0 1");
    assert_eq!((broken_off.outcome, broken_off.game.ply()), (None, 2));
}

#[test]
fn pgn() {
    let contents = games::<Xiangqi>("many.pgn", include_str!("../fixtures/many.pgn"));
    let reasons = [
        (24, "broken record"),
        (36, "another variant"),
        (47, "illegal move"),
        (49, "rule set"),
        (55, "another variant"),
        (60, "no moves"),
    ];
    assert_eq!(said(&contents), reasons, "{:#?}", contents.problems);
    let [first, after, iccs] = contents.records.as_slice() else { panic!("{contents:?}") };
    assert_eq!(first.game.moves_text(), "h3e3 h10g8 h1g3 i10h10 i1h1 g7g6");
    assert_eq!((first.game.start_position(), end(first)), (&Position::start(), Some((1, "resign"))));
    assert_eq!(names(after), [Some("erin \"the rook\""), Some("frank")], "the game after an open comment");
    assert_eq!(end(after), Some((0, "adjudicated")));
    assert_eq!((iccs.game.moves_text().as_str(), names(iccs)), ("e4e6 d10d9 e6e7", [Some("許"), Some("呂")]));
}

#[test]
fn gib() {
    let contents = games::<Janggi>("server.gib", include_str!("../fixtures/server.gib"));
    assert_eq!(said(&contents), [(23, "start position"), (33, "unreadable move")], "{:#?}", contents.problems);
    let [passes, outer] = contents.records.as_slice() else { panic!("{contents:?}") };
    let setups =
        |record: &TaggedGame<Janggi>| record.game.start_position().setups().map(|both| both.map(|setup| setup.name));
    assert_eq!(setups(passes), Some(["inner", "right"]), "Han's setup is written along the board");
    assert_eq!(passes.game.moves_text(), "i4h4 a7b7 h1g3 c10d8 b1c3 h10g8 e2e2 e9e9");
    // Two passes end a game by the rules of the Korean association; the points then decide the winner.
    assert_eq!(passes.outcome.map(|outcome| outcome.result), Some(GameResult::FirstWins));
    assert_eq!(setups(outer), Some(["outer", "outer"]));
    assert_eq!(outer.game.ply(), 5);
    assert_eq!(end(outer), Some((-1, "error")));
}

#[test]
fn dhtmlxq() {
    let contents = games::<Xiangqi>("page.html", include_str!("../fixtures/page.html"));
    assert_eq!(contents.format.name, "dhtmlxq");
    assert_eq!(said(&contents), [(23, "broken record")], "{:#?}", contents.problems);
    let [game, ending] = contents.records.as_slice() else { panic!("{contents:?}") };
    assert_eq!(game.game.moves_text(), "h3e3 h10g8 h1g3 i10h10 i1h1");
    assert_eq!((end(game), names(game)), (Some((1, "resign")), [Some("许某"), Some("吕某")]));
    assert_eq!(game.game.start_position(), &Position::start());
    assert_eq!(
        ending.game.start_position().fen(),
        "4k4/9/9/9/9/9/9/9/9/3K5 b - - 0 1",
        "Black moves a piece of its own"
    );
    assert_eq!(end(ending), Some((0, "insufficient_material")));
}

#[test]
fn lists() {
    let contents = games::<Xiangqi>("lists.txt", include_str!("../fixtures/lists.txt"));
    assert_eq!(said(&contents), [(7, "illegal move")], "{:#?}", contents.problems);
    let moves: Vec<String> = contents.records.iter().map(|record| record.game.moves_text()).collect();
    let opening = "h3e3 h10g8 h1g3";
    assert_eq!(moves[..4], [opening, "h3e3 h10g8 h1g3", opening, "e4e6 d10d9"].map(str::to_owned));
    assert_eq!(
        moves[4..],
        ["h3e3 h10g8 h1g3 i10h10 i1h1", opening, "h3e3 h10g8 h1g3 i10h10", "e4e6 d10d9 e6e7"].map(str::to_owned)
    );
    let ends: Vec<Option<i8>> = contents.records.iter().map(|record| Some(end(record)?.0)).collect();
    assert_eq!(ends, [Some(1), Some(-1), None, None, Some(1), Some(0), Some(0), None]);
    assert_eq!(names(&contents.records[4]), [Some("许某"), Some("吕某")]);
    assert_eq!(names(&contents.records[5]), [None, None], "names belong to one game");
}

/// The same Japanese, Chinese and Korean files in the encodings of their countries.
#[test]
fn encodings_are_found() {
    let encoded = |label: &str, text: &str| {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).expect("an encoding");
        let (bytes, _, unmappable) = encoding.encode(text);
        assert!(!unmappable, "{label}");
        bytes.into_owned()
    };
    let kif = include_str!("../fixtures/plain.kif");
    let wanted = games::<Shogi>("plain.kif", kif).records;
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(kif.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let marked = [b"\xef\xbb\xbf", kif.as_bytes()].concat();
    for (file, bytes) in [
        ("plain.kif", encoded("shift_jis", kif)),
        ("unnamed", encoded("shift_jis", kif)),
        ("unnamed", encoded("euc-jp", kif)),
        ("plain.kif", marked),
        ("unnamed", utf16),
    ] {
        let contents = read::<Shogi>(file, &bytes, &ReadOptions::default()).expect("a record");
        assert_eq!(contents.records, wanted, "{file} in {}", contents.encoding.name());
    }
    let gib = include_str!("../fixtures/server.gib");
    for file in ["server.gib", "unnamed"] {
        let contents = read::<Janggi>(file, &encoded("euc-kr", gib), &ReadOptions::default()).expect("a record");
        assert_eq!(contents.records, games::<Janggi>("server.gib", gib).records, "{file}");
    }
    let page = include_str!("../fixtures/page.html");
    let contents = read::<Xiangqi>("page.html", &encoded("gb18030", page), &ReadOptions::default()).expect("a record");
    assert_eq!(contents.records, games::<Xiangqi>("page.html", page).records);
    let lists = include_str!("../fixtures/lists.txt");
    let contents = read::<Xiangqi>("lists.txt", &encoded("gb18030", lists), &ReadOptions::default()).expect("a record");
    assert_eq!(contents.records, games::<Xiangqi>("lists.txt", lists).records);
}

#[test]
fn what_is_asked_for_comes_before_what_is_found() {
    let text = "1. h3e3 h10g8 *\n";
    let format = records::RecordFormat::named("pgn").expect("a format");
    let rules = Some("simple".parse().expect("a rule set"));
    let options = ReadOptions { format: Some(format), rules, ..ReadOptions::<Xiangqi>::default() };
    let contents = read("lists.txt", text.as_bytes(), &options).expect("a record");
    assert_eq!((contents.format.name, contents.records[0].game.rules().name()), ("pgn", "simple"));
    let error = records::RecordFormat::named("pdf").unwrap_err().to_string();
    assert!(error.contains("pdf") && error.contains("dhtmlxq, pgn, csa, gib, kif, ki2, moves"), "{error}");
    let encoding = records::TextEncoding::named("latin-17").unwrap_err().to_string();
    assert!(encoding.contains("shift_jis"), "{encoding}");
}

#[test]
fn a_file_that_is_no_record_is_an_error() {
    let error = read::<Xiangqi>("photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0", &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("photo.jpg is not a text"), "{error}");
    let error =
        read::<Xiangqi>("plain.kif", include_bytes!("../fixtures/plain.kif"), &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "plain.kif is kif, which records no games of xiangqi: name the variant of its games, or its format"
    );
}

/// What an ending says counts where the contents say nothing.
#[test]
fn an_ending_names_the_format_of_a_file_without_moves() {
    let contents = games::<Shogi>("empty.csa", "N+somebody\nN-nobody\n+\n");
    assert_eq!((contents.format.name, said(&contents)), ("csa", vec![(1, "no moves")]));
    assert_eq!(games::<Shogi>("empty.kif", "\n").format.name, "kif");
    assert_eq!(games::<Shogi>("empty", "\n").format.name, "moves");
}

/// A rule set behind the name of the variant, as servers write it, is the preset of that name.
#[test]
fn presets_follow_from_names() {
    let text = "[Event \"x\"]\n[Variant \"janggitraditional\"]\n\n1. a4b4 i7h7 *\n";
    let contents = games::<Janggi>("x.pgn", text);
    assert_eq!(contents.records[0].game.rules().name(), "traditional");
    // Fairy-Stockfish's name for the game as it is played online.
    let online = text.replace("janggitraditional", "JanggiModern");
    assert_eq!(games::<Janggi>("x.pgn", &online).records[0].game.rules().name(), "kakao");
    let other = text.replace("janggitraditional", "janggihouse");
    assert_eq!(said(&games::<Janggi>("x.pgn", &other)), [(1, "another variant")]);
    let text = "[Event \"x\"]\n[Variant \"장기\"]\n\n1. a4b4 i7h7 1-0\n";
    assert_eq!(games::<Janggi>("x.pgn", text).records[0].game.rules().name(), "kja");
    assert_eq!(games::<Janggi>("x.pgn", text).records[0].outcome.map(|o| o.termination), Some(Termination::Resign));
}
