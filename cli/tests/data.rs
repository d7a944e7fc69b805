//! `kirin data`: games in and out.

use crate::kirin::{command, json_in as json, kirin_in, run_in as run};
use data::{DataStore, GameRecord, PositionRecord, Provenance};
use rules::{Game, Outcome, Position, Rules, Shogi, Side, Termination, Wangqi};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file of games from the tests of `records`.
fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../records/tests/fixtures");
    folder.join(name).to_str().expect("UTF-8").to_owned()
}

/// All files below a folder but its lock, with their contents.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => left.push(path),
                false => found.push((
                    path.strip_prefix(folder).expect("inside").to_owned(),
                    std::fs::read(&path).expect("a file"),
                )),
            }
        }
    }
    // The lock names the process that held it last.
    found.retain(|(path, _)| !path.ends_with(".lock"));
    found.sort();
    found
}

#[test]
fn games_of_other_programs_are_imported_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let (kif, many, csa) = (fixture("plain.kif"), fixture("handicap.kif"), fixture("two.csa"));
    let import = |to: &str| {
        let words: [&str; 9] = ["data", "import", &kif, &many, &csa, "--variant", "shogi", "--to", to];
        words.map(str::to_owned)
    };
    let words = import("games");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();

    let ran = run(path, &words);
    assert!(ran.out.starts_with("12 games in 3 files\n"), "{}", ran.out);
    for line in ["imported into games", "left out: illegal move", "left out: no result", "left out: start position"] {
        assert!(ran.out.contains(line), "no {line:?} in\n{}", ran.out);
    }
    for (file, what) in [
        (&many, ":39: illegal move: move 3: \"7六歩(77)\" is not legal in "),
        (&many, ":42: start position: the handicap \"三歩落ち\" is not known"),
        (&many, ":12: no result: "),
        (&csa, ":60: broken record: \"garbage\" is not a line of CSA"),
    ] {
        assert!(ran.err.contains(&format!("{file}{what}")), "no {what:?} in\n{}", ran.err);
    }

    // Again: the same games are there already, and nothing changes.
    let before = files(&path.join("games"));
    let again = json(path, &words);
    assert_eq!((&again["read"], &again["kept"], &again["present"]), (&12.into(), &0.into(), &6.into()), "{again}");
    assert_eq!(again["left_out"]["illegal move"], 2);
    assert_eq!(again["shard"], Value::Null);
    assert_eq!(files(&path.join("games")), before);
    assert!(run(path, &words).out.contains("there already, and not imported again"));

    // Into another folder: the same files, byte for byte.
    let words = import("others");
    json(path, &words.iter().map(String::as_str).collect::<Vec<_>>());
    let parquet = |folder: &str| {
        let files = files(&path.join(folder)).into_iter();
        files.filter(|(path, _)| path.extension().is_some_and(|ending| ending == "parquet")).collect::<Vec<_>>()
    };
    assert_eq!(parquet("games").len(), 2);
    assert_eq!(parquet("games"), parquet("others"));

    let openings = json(path, &["openings", "games"]);
    assert_eq!(
        (&openings["variant"], &openings["games"], &openings["other_starts"]),
        (&"shogi".into(), &3.into(), &3.into())
    );
    let ran = run(path, &["openings", "games"]);
    assert!(ran.out.contains("3 of 6 games are counted from the start position: the others began from"), "{}", ran.out);

    // The report is of imports as well as of runs.
    let ran = run(path, &["report", "games"]);
    assert!(ran.out.contains("report: games/report.html") && path.join("games/report.html").exists(), "{}", ran.out);

    // The same import through standard input.
    let mut piped = command(path, &["data", "import", "-", "--variant", "shogi", "--to", "piped"]);
    let kif = std::fs::File::open(&kif).expect("a fixture");
    let output = piped.stdin(kif).output().expect("kirin");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(path.join("piped/manifest.jsonl").exists());
}

#[test]
fn what_is_exported_is_imported_as_the_same_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    run(path, &["data", "import", &fixture("plain.kif"), &fixture("two.csa"), "--variant", "shogi", "--to", "games"]);
    for format in ["pgn", "kif", "csa"] {
        let file = format!("games.{format}");
        let ran = run(path, &["data", "export", "games", "--to", format, "--out", &file]);
        assert_eq!(ran.out, format!("4 games of shogi: {file}\n"));
        let again = json(path, &["data", "import", &file, "--variant", "shogi", "--to", "games"]);
        assert_eq!((&again["kept"], &again["present"]), (&0.into(), &4.into()), "{format}: {again}");
        assert_eq!(again["formats"][format], 1);
    }
}

/// A folder with a game of self-play.
fn self_play(root: &Path) {
    let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), "c3c4 e6e5 d3d4").expect("legal");
    let record = GameRecord {
        game_id: 7,
        run_id: "night".into(),
        generation: 3,
        net_first: "0123456789abcdef".into(),
        net_second: "say, \"greedy\"".into(),
        started_at: 951_782_400_000,
        ..GameRecord::of(&game, Outcome::win(Side::Second, Termination::Resign))
    };
    let (store, _) = DataStore::open(root).expect("a data folder");
    store.commit_shard(3, "local", &[record], &Provenance::default()).expect("written");
}

/// A game of Shogi whose first two moves no player chose, and one of random play.
fn shogi_self_play(root: &Path) {
    let game = Game::<Shogi>::from_moves_text(Rules::default(), Position::start(), "c3c4 g7g6 b2h8+ g9h8");
    let game = game.expect("legal");
    let position = |ply: usize| PositionRecord {
        ply: ply as u16,
        side: game.positions()[ply].side(),
        pos_key: game.positions()[ply].key().to_bytes(),
        mv: game.moves()[ply],
        policy_move: vec![game.moves()[ply]],
        policy_visits: vec![1],
        root_wdl: [0.0, 1.0, 0.0],
        ..PositionRecord::default()
    };
    let record = |game_id, player: &str, positions| GameRecord {
        game_id,
        run_id: "night".into(),
        generation: 3,
        net_first: player.into(),
        net_second: player.into(),
        started_at: 951_786_123_000,
        positions,
        ..GameRecord::of(&game, Outcome::win(Side::Second, Termination::Resign))
    };
    let games = [
        record(7, "0123456789abcdef", vec![position(2), position(3)]),
        record(8, selfplay::generator::BY_RULES, vec![position(0)]),
    ];
    let (store, _) = DataStore::open(root).expect("a data folder");
    store.commit_shard(3, "local", &games, &Provenance::default()).expect("written");
}

/// Exporting to each format, importing and exporting again gives the same file. Moves that no player chose are no
/// openings.
#[test]
fn what_a_game_is_and_where_it_comes_from_survives_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    shogi_self_play(&path.join("run/data"));
    for format in ["pgn", "kif", "csa"] {
        let (file, again) = (format!("games.{format}"), format!("again.{format}"));
        run(path, &["data", "export", "run", "--to", format, "--out", &file]);
        run(path, &["data", "import", &file, "--variant", "shogi", "--to", format]);
        let rows = run(path, &["data", "head", format]).out;
        let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).expect("an object")).collect();
        let of =
            |player: &str| rows.iter().find(|row| row["net_first"] == player).unwrap_or_else(|| panic!("{rows:?}"));
        let (played, random) = (of("0123456789abcdef"), of("Kirin random play"));
        for (row, round, plies) in [(played, "3.7", 2), (random, "3.8", 4)] {
            assert_eq!(
                (&row["event"], &row["site"]),
                (&"Kirin self-play, run night".into(), &"Kirin".into()),
                "{format}"
            );
            assert_eq!((&row["round"], &row["opening_plies"]), (&round.into(), &plies.into()), "{format}: {row}");
            assert_eq!(row["started_at"], 951_786_123_000_i64, "{format}");
        }
        let openings = json(path, &["openings", format]);
        assert_eq!((&openings["games"], &openings["other_starts"]), (&0.into(), &2.into()), "{format}: {openings}");

        run(path, &["data", "export", format, "--to", format, "--out", &again]);
        let sorted = |file: &str| {
            let text = std::fs::read_to_string(path.join(file)).expect("the file");
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&again), sorted(&file), "{format}");
    }
    // An opening that another program names.
    std::fs::write(path.join("named.csa"), "V2.2\nN+A\nN-B\n$OPENING:YAGURA\nPI\n+\n+7776FU\n%TORYO\n")
        .expect("written");
    run(path, &["data", "import", "named.csa", "--variant", "shogi", "--to", "named"]);
    for (format, line) in [("pgn", "[Opening \"YAGURA\"]\n"), ("kif", "戦型：YAGURA\n"), ("csa", "$OPENING:YAGURA\n")]
    {
        run(path, &["data", "export", "named", "--to", format, "--out", "named.out"]);
        let text = std::fs::read_to_string(path.join("named.out")).expect("the file");
        assert!(text.contains(line), "no {line:?} in\n{text}");
    }
}

/// Positions that a search saw, as training data; the moves before them and random play are left out.
#[test]
fn training_data_of_shogi_goes_both_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    shogi_self_play(&path.join("run/data"));
    for (format, size) in [("hcpe", 38), ("psv", 40)] {
        let file = format!("games.{format}");
        run(path, &["data", "export", "run", "--to", format, "--out", &file]);
        assert_eq!(std::fs::read(path.join(&file)).expect("the file").len(), 2 * size, "{format}");
        let summary = json(path, &["data", "import", &file, "--variant", "shogi", "--to", format]);
        assert_eq!((&summary["kept"], &summary["formats"][format]), (&1.into(), &1.into()), "{summary}");
        let row: Value = serde_json::from_str(&run(path, &["data", "head", format]).out).expect("an object");
        assert_eq!((&row["moves_text"], &row["result"]), (&"b2h8+ g9h8".into(), &(-1).into()), "{row}");
    }
    self_play(&path.join("other/data"));
    let ran = kirin_in(path, &["data", "export", "other", "--to", "hcpe", "--out", "x.hcpe"]);
    assert!(ran.code == Some(78) && ran.err.contains("wangqi has no notation \"usi\""), "{}", ran.err);
}

fn gzipped(text: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(text).expect("memory");
    writer.finish().expect("memory")
}

#[test]
fn folders_and_compressed_files_are_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let (kif, csa) = (std::fs::read(fixture("plain.kif")), std::fs::read(fixture("two.csa")));
    let (kif, csa) = (kif.expect("a fixture"), csa.expect("a fixture"));
    std::fs::create_dir_all(path.join("files/later/.hidden")).expect("made");
    std::fs::write(path.join("files/later/plain.kif"), &kif).expect("written");
    std::fs::write(path.join("files/two.csa.gz"), gzipped(&csa)).expect("written");
    std::fs::write(path.join("files/.cache.kif"), "junk").expect("written");
    std::fs::write(path.join("files/README.md"), "c3c4 g7g6 1-0").expect("written");
    std::fs::write(path.join("files/later/.hidden/plain.kif"), "junk").expect("written");
    let plain = json(
        path,
        &["data", "import", &fixture("plain.kif"), &fixture("two.csa"), "--variant", "shogi", "--to", "plain"],
    );
    // The games go into the folder that they come from, and are not taken for records.
    let words = ["data", "import", "files", "--variant", "shogi", "--to", "files/games"];
    let found = json(path, &words);
    for key in ["files", "read", "kept", "left_out", "formats", "unreadable_files"] {
        assert_eq!(found[key], plain[key], "{key}: {found}");
    }
    assert_eq!((&found["files"], &found["files_passed_over"]), (&2.into(), &1.into()));
    let again = json(path, &words);
    assert_eq!((&again["kept"], &again["present"]), (&0.into(), &found["kept"]), "{again}");
    let rows = run(path, &["data", "head", "files/games", "--rows", "9"]).out;
    assert!(rows.contains("\"kif later/plain.kif:") && rows.contains("\"csa two.csa.gz:"), "{rows}");

    // Through standard input, compressed as well; what is wrong is named by the file that is there.
    let mut piped = command(path, &["data", "import", "-", "--variant", "shogi", "--to", "piped", "--json"]);
    let output =
        piped.stdin(std::fs::File::open(path.join("files/two.csa.gz")).expect("a file")).output().expect("kirin");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &summary["formats"]["csa"]), (Some(0), &1.into()), "{summary}");
    let ran = run(path, &["data", "import", "files/two.csa.gz", "--variant", "shogi", "--to", "one"]);
    assert!(ran.err.contains("files/two.csa.gz:60: broken record: "), "{}", ran.err);

    std::fs::write(path.join("cut.kif.gz"), &gzipped(&kif)[..40]).expect("written");
    let ran = kirin_in(path, &["data", "import", "cut.kif.gz", "--variant", "shogi", "--to", "none"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(ran.err.contains("cut.kif.gz: it cannot be decompressed"), "{}", ran.err);
    std::fs::create_dir(path.join("empty")).expect("made");
    let ran = kirin_in(path, &["data", "import", "empty", "--variant", "shogi", "--to", "none"]);
    assert!(ran.code == Some(78) && ran.err.contains("empty holds no files of games"), "{}", ran.err);
    assert!(!path.join("none").exists());
}

#[test]
fn a_file_of_something_else_is_one_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let packages = (0..500).map(|at| format!("[[package]]\nname = \"package-{at}\"\nversion = \"1.0.{at}\"\n\n"));
    std::fs::write(path.join("wrong.txt"), packages.collect::<String>()).expect("written");
    let ran = kirin_in(path, &["data", "import", "wrong.txt", "--variant", "xiangqi", "--to", "games"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    let lines: Vec<&str> = ran.err.lines().collect();
    let [told, error] = lines[..] else { panic!("{} lines: {}", lines.len(), ran.err) };
    assert!(told.starts_with("wrong.txt: read as moves, ") && told.contains(" games are left out ("), "{told}");
    assert!(told.contains("; the first: wrong.txt:2: ") && error == "error: no game was imported", "{}", ran.err);

    // Up to eight bad games are named, more of them are one error, in whatever company.
    let good = "h3e3 h10g8 1-0\n".repeat(30);
    for (bad, lines) in [(8, 8), (9, 1)] {
        let mixed = good.clone() + &"h3e3 e1e9 1-0\n".repeat(bad);
        std::fs::write(path.join("mixed.txt"), mixed).expect("written");
        let ran = run(path, &["data", "import", "mixed.txt", "--variant", "xiangqi", "--to", "games"]);
        assert_eq!(ran.err.lines().count(), lines, "{}", ran.err);
        assert!(ran.err.contains("mixed.txt:31: illegal move: "), "{}", ran.err);
    }
}

/// A zip archive of these files.
fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, zip::write::FileOptions::default()).expect("an entry");
        writer.write_all(bytes).expect("memory");
    }
    writer.finish().expect("memory").into_inner()
}

#[test]
fn archives_are_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let [kif, csa] = ["plain.kif", "two.csa"].map(|name| std::fs::read(fixture(name)).expect("a fixture"));
    let archive = zipped(&[
        ("later/plain.kif", &kif),
        ("two.csa.gz", &gzipped(&csa)),
        ("README.md", b"c3c4 g7g6 1-0\n"),
        ("__MACOSX/._plain.kif", b"junk"),
        ("inner.zip", &zipped(&[("plain.kif", &kif)])),
    ]);
    std::fs::write(path.join("games.zip"), &archive).expect("written");
    let words = ["data", "import", "games.zip", "--variant", "shogi", "--to", "games"];
    let ran = run(path, &words);
    assert!(ran.err.contains("games.zip/inner.zip: it is an archive in an archive"), "{}", ran.err);
    assert!(ran.err.contains("games.zip/two.csa.gz:60: broken record: "), "{}", ran.err);
    let found = json(path, &words);
    assert_eq!((&found["files"], &found["present"]), (&3.into(), &4.into()), "{found}");
    assert_eq!((&found["unreadable_files"], &found["files_passed_over"]), (&1.into(), &1.into()), "{found}");
    let rows = run(path, &["data", "head", "games", "--rows", "9"]).out;
    assert!(rows.contains("\"kif games.zip/later/plain.kif:"), "{rows}");

    // Through standard input; cut off; without files of games.
    let mut piped = command(path, &["data", "import", "-", "--variant", "shogi", "--to", "piped", "--json"]);
    let output = piped.stdin(std::fs::File::open(path.join("games.zip")).expect("a file")).output().expect("kirin");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &summary["kept"]), (Some(0), &4.into()), "{summary}");
    for (name, bytes, says) in [
        ("cut.zip", &archive[..archive.len() / 2], "cut.zip: it is no zip archive that can be read"),
        ("none.zip", &zipped(&[("README.md", b"1. c3c4")]), "none.zip: it holds no files of games, which end in .xqf"),
    ] {
        std::fs::write(path.join(name), bytes).expect("written");
        let ran = kirin_in(path, &["data", "import", name, "--variant", "shogi", "--to", "none"]);
        assert_eq!(ran.code, Some(78), "{}", ran.err);
        assert!(ran.err.contains(says), "{}", ran.err);
    }
    // With a format every file is read.
    let all = ["data", "import", "games.zip", "--variant", "shogi", "--format", "moves", "--to", "lists"];
    assert_eq!(json(path, &all)["files_passed_over"], 0);
    assert!(run(path, &["data", "head", "lists"]).out.contains("\"moves games.zip/README.md:1\""));
}

#[test]
fn a_file_without_a_game_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    for (name, text) in [("empty.pgn", ""), ("letter.txt", "hello there\nthis is no game\n")] {
        std::fs::write(path.join(name), text).expect("written");
        let ran = kirin_in(path, &["data", "import", name, "--variant", "xiangqi", "--to", "games"]);
        assert_eq!(ran.code, Some(78), "{}", ran.err);
        let wanted = format!(
            "{name}: read as {}, it has no game\nerror: no game was imported",
            if text.is_empty() { "pgn" } else { "moves" }
        );
        assert_eq!(ran.err.trim_end(), wanted);
        assert!(ran.out.ends_with("1 file without a game\n"), "{}", ran.out);
    }
    assert!(!path.join("games").exists());
}

#[test]
fn games_of_self_play_are_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    self_play(&path.join("run/data"));
    run(path, &["data", "export", "run", "--to", "pgn", "--out", "games.pgn"]);
    let wanted = "\
[Event \"Kirin self-play, run night\"]
[Site \"Kirin\"]
[Date \"2000.02.29\"]
[Round \"3.7\"]
[White \"0123456789abcdef\"]
[Black \"say, \\\"greedy\\\"\"]
[Result \"0-1\"]
[Variant \"wangqi\"]
[RuleSet \"standard\"]
[PlyCount \"3\"]
[Termination \"resign\"]

1. c3c4 e6e5 2. d3d4 0-1

";
    assert_eq!(std::fs::read_to_string(path.join("games.pgn")).expect("the file"), wanted);

    run(path, &["data", "export", "run", "--to", "csv", "--out", "games.csv"]);
    let csv = std::fs::read_to_string(path.join("games.csv")).expect("the file");
    assert!(csv.starts_with("game_id,run_id,generation,variant,"), "{csv}");
    assert!(
        csv.contains(
            "7,night,3,wangqi,standard,,0,0123456789abcdef,\"say, \"\"greedy\"\"\",,,,c3c4 e6e5 d3d4,3,-1,resign,"
        ),
        "{csv}"
    );

    run(path, &["data", "export", "run", "--to", "jsonl", "--out", "games.jsonl"]);
    let jsonl = std::fs::read_to_string(path.join("games.jsonl")).expect("the file");
    assert_eq!(run(path, &["data", "head", "run"]).out, jsonl);
    let row: Value = serde_json::from_str(&jsonl).expect("an object");
    assert_eq!(
        (&row["moves_text"], &row["result"], &row["start_fen"]),
        (&"c3c4 e6e5 d3d4".into(), &(-1).into(), &Value::Null)
    );
    assert_eq!(run(path, &["data", "head", "run", "--rows", "0"]).out, "");
    assert_eq!(run(path, &["data", "head", "run", "--table", "positions"]).out, "");

    // Later generations only; what this variant cannot write; a place where data is.
    let none = ["data", "export", "run", "--to", "pgn", "--out", "none.pgn", "--from-generation", "4"];
    let none = kirin_in(path, &none);
    assert_eq!(none.code, Some(78), "{}", none.err);
    assert!(none.err.contains("no game has generation from 4; there are 3 (1 game)"), "{}", none.err);
    assert!(!path.join("none.pgn").exists());
    let ran = kirin_in(path, &["data", "export", "run", "--to", "kif", "--out", "games.kif"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(ran.err.contains("wangqi has no notation \"kif\"") && !path.join("games.kif").exists(), "{}", ran.err);
    let ran = kirin_in(path, &["data", "export", "run", "--to", "csv", "--out", "run/data/games.csv"]);
    assert_eq!(ran.code, Some(78), "{}", ran.err);
}

#[test]
fn wrong_input_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::write(path.join("photo.jpg"), b"\xff\xd8\xff\0\0").expect("written");
    std::fs::write(path.join("empty.pgn"), "").expect("written");
    std::fs::write(path.join("open.txt"), "h3e3 h10g8\n").expect("written");
    std::fs::create_dir(path.join("run")).expect("made");
    std::fs::write(path.join("run/run.json"), "{}").expect("written");
    for (words, code, says) in [
        ("open.txt --variant xiangqi --to run", 78, "run is a run"),
        ("open.txt --variant xiangqi --to run/data", 78, "run is a run"),
        ("nowhere.pgn --variant xiangqi --to games", 74, "nowhere.pgn"),
        ("photo.jpg --variant xiangqi --to games", 78, "photo.jpg is not a text"),
        ("open.txt --variant xiangqi --to games", 78, "open.txt:1: no result"),
        ("open.txt --variant xiangqi --to games --format pdf", 2, "dhtmlxq"),
        ("open.txt --variant xiangqi --to games --encoding latin-17", 78, "shift_jis"),
        ("open.txt --variant xiangqi --to games --ruleset strict", 78, "full, simple"),
        ("open.txt --variant chess --to games", 2, "koshogi"),
    ] {
        let words: Vec<&str> = ["data", "import"].into_iter().chain(words.split(' ')).collect();
        let ran = kirin_in(path, &words);
        assert_eq!(ran.code, Some(code), "{words:?}: {}", ran.err);
        assert!(ran.err.contains(says), "{words:?}: {}", ran.err);
    }
    // A game without a result is a draw if that is asked for; one of several files may be without games.
    let summary = json(
        path,
        &["data", "import", "open.txt", "empty.pgn", "--variant", "xiangqi", "--to", "games", "--unfinished"],
    );
    assert_eq!((&summary["read"], &summary["kept"]), (&1.into(), &1.into()), "{summary}");
}

/// What the commands say of games that a filter leaves out, and of a filter that leaves none.
#[test]
fn games_are_chosen_by_source_player_result_and_length() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    run(path, &["data", "import", &fixture("plain.kif"), &fixture("two.csa"), "--variant", "shogi", "--to", "games"]);
    let all = json(path, &["openings", "games"]);
    assert_eq!((&all["filter"], &all["rare_lines"]), (&serde_json::json!([]), &0.into()), "{all}");
    let found = |result: &str| json(path, &["openings", "games", "--result", result]);
    let results = ["first", "draw", "second"].map(found);
    let counted =
        |value: &Value| value["games"].as_u64().expect("a number") + value["other_starts"].as_u64().expect("one");
    assert_eq!(results.iter().map(counted).sum::<u64>(), 4);
    for value in &results {
        assert_eq!(value["filter"][0]["left_out"].as_u64(), Some(4 - counted(value)), "{value}");
    }
    let short = run(path, &["openings", "games", "--min-games", "3"]);
    assert!(short.out.contains("of fewer than 3 games each"), "{}", short.out);
    for command in
        [&["openings", "games"][..], &["stats", "games"], &["data", "export", "games", "--to", "csv", "--out", "x"]]
    {
        for (option, value, says) in [
            ("--source", "self-play", "no game has source self-play; there are import (4 games)"),
            ("--network", "ab", "no game has network ab"),
            ("--player", "nobody", "no game has player nobody; there are "),
            ("--max-plies", "0", "no game has length up to 0; there are "),
            ("--ruleset", "strict", "strict"),
        ] {
            let ran = kirin_in(path, &[command, &[option, value]].concat());
            assert_eq!(ran.code, Some(78), "{command:?} {option}: {}", ran.err);
            assert!(ran.err.contains(says), "{command:?} {option}: {}", ran.err);
        }
        let ran = kirin_in(path, &[command, &["--min-plies", "9", "--max-plies", "3"]].concat());
        assert!(ran.code == Some(78) && ran.err.contains("9 is more than 3"), "{}", ran.err);
    }
    assert!(!path.join("x").exists());
}

#[test]
fn files_are_merged_and_the_games_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    for file in ["plain.kif", "two.csa"] {
        run(path, &["data", "import", &fixture(file), "--variant", "shogi", "--to", "games"]);
    }
    let before = json(path, &["openings", "games"]);
    let done = json(path, &["data", "compact", "games"]);
    assert_eq!((&done["shards_before"], &done["shards_after"], &done["games"]), (&2.into(), &1.into(), &4.into()));
    assert_eq!(json(path, &["openings", "games"]), before);
    let again = json(path, &["data", "import", &fixture("two.csa"), "--variant", "shogi", "--to", "games"]);
    assert_eq!(again["kept"], 0, "{again}");
    let ran = run(path, &["data", "compact", "games"]);
    assert!(ran.out.starts_with("shogi: 4 games in 1 shard instead of 1, "), "{}", ran.out);

    // A run that is at work, and any other writer, are left alone.
    self_play(&path.join("run/data"));
    std::fs::write(path.join("run/run.json"), "{}").expect("written");
    let lock = lab::RunFolder::new(path.join("run")).lock().expect("the lock");
    let ran = kirin_in(path, &["data", "compact", "run"]);
    assert!(ran.code != Some(0) && ran.err.contains("run"), "{:?} {}", ran.code, ran.err);
    drop(lock);
    run(path, &["data", "compact", "run"]);
    let (_writer, _) = DataStore::open(&path.join("games")).expect("a store");
    let ran = kirin_in(path, &["data", "compact", "games"]);
    assert!(ran.code != Some(0) && ran.err.contains("in use by another kirin process"), "{:?} {}", ran.code, ran.err);
}
