//! `kirin data import`: files, folders and archives of other programs.

use super::fixture;
use crate::kirin::{command, json_in as json, kirin_in, run_in as run};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

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

    // Under another rule set they stay as they are, which is said.
    let declared: Vec<&str> = words.iter().copied().chain(["--ruleset", "declare27"]).collect();
    let ran = run(path, &declared);
    assert!(ran.out.contains(" there already keep another rule set; import into a new folder"), "{}", ran.out);

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
fn the_rule_set_that_is_assumed_for_gib_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let gib = fixture("server.gib");
    let words = ["data", "import", &gib, "--variant", "janggi", "--to", "games"];
    let notice = "GIB does not name the rule set: its games are taken as played by `kja`; else give --ruleset\n";
    assert!(run(folder.path(), &words).err.ends_with(notice));
    let ran = run(folder.path(), &[&words[..], &["--ruleset", "kakao"]].concat());
    assert!(!ran.err.contains("rule set"), "{}", ran.err);
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
    assert_eq!((&found["files"], &found["files_passed_over"]), (&2.into(), &2.into()));
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
    assert_eq!((&found["unreadable_files"], &found["files_passed_over"]), (&1.into(), &2.into()), "{found}");
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
    // Parts of a path that only point somewhere hide nothing.
    let dots = zipped(&[("./plain.kif", &kif), ("../a/./two.csa", &csa), (".kept.kif", &kif)]);
    std::fs::write(path.join("dots.zip"), dots).expect("written");
    let found = json(path, &["data", "import", "dots.zip", "--variant", "shogi", "--to", "dots"]);
    assert_eq!((&found["files"], &found["kept"], &found["files_passed_over"]), (&2.into(), &4.into(), &1.into()));
    // With a format every file is read.
    let all = ["data", "import", "games.zip", "--variant", "shogi", "--format", "moves", "--to", "lists"];
    assert_eq!(json(path, &all)["files_passed_over"], 1, "the hidden one");
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
fn wrong_input_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::write(path.join("photo.jpg"), b"\xff\xd8\xff\0\0").expect("written");
    std::fs::write(path.join("empty.pgn"), "").expect("written");
    std::fs::write(path.join("open.txt"), "h3e3 h10g8\n").expect("written");
    std::fs::create_dir(path.join("run")).expect("made");
    std::fs::write(path.join("run/run.json"), "{}").expect("written");
    for (words, code, says) in [
        ("open.txt --variant xiangqi --to run", 78, "run is the folder of a run"),
        ("open.txt --variant xiangqi --to run/data", 78, "belongs to the run in"),
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
