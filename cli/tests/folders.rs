//! Several folders together: runs, imports and matches.

use crate::kirin::{json_in as json, kirin_in, run_in as run};
use std::path::Path;

fn import(folder: &Path, files: &[&str], variant: &str, to: &str) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../records/tests/fixtures");
    let files: Vec<String> = files.iter().map(|file| fixtures.join(file).to_str().expect("UTF-8").to_owned()).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    run(folder, &[&["data", "import"], &files[..], &["--variant", variant, "--to", to]].concat());
}

#[test]
fn several_folders_are_one_and_doubled_games_count_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    import(path, &["plain.kif"], "shogi", "kif");
    import(path, &["two.csa"], "shogi", "csa");
    import(path, &["plain.kif", "two.csa"], "shogi", "all");
    let all = json(path, &["openings", "all"]);
    assert_eq!(json(path, &["openings", "kif", "csa"]), all);
    assert_eq!(all["doubled"], 0);
    let doubled = json(path, &["openings", "kif", "csa", "all"]);
    assert_eq!((&doubled["lines"], &doubled["games"]), (&all["lines"], &all["games"]));
    assert_eq!(doubled["doubled"].as_u64(), Some(4), "{doubled}");
    let text = run(path, &["openings", "all", "csa"]).out;
    assert!(text.contains("there twice, counted once"), "{text}");

    let stats = json(path, &["stats", "all"]);
    let of_two = json(path, &["stats", "all", "kif"]);
    assert_eq!((&of_two["games"], &of_two["mean_moves"]), (&stats["games"], &stats["mean_moves"]));
    assert!(stats["doubled"] == 0 && of_two["doubled"].as_u64() > Some(0), "{of_two}");
    let exported = |folders: &[&str]| {
        let to = ["--to", "csv", "--out", "games.csv"];
        let said = run(path, &[&["data", "export"], folders, &to].concat()).out;
        (said, std::fs::read_to_string(path.join("games.csv")).expect("a file"))
    };
    let (_, once) = exported(&["all"]);
    let (said, twice) = exported(&["all", "kif"]);
    assert_eq!(once, twice);
    assert!(said.contains("there twice, counted once"), "{said}");
    run(path, &["openings", "kif", "csa", "--depth", "2", "--book", "book.txt"]);
    assert!(std::fs::read_to_string(path.join("book.txt")).expect("a book").lines().count() > 0);
}

#[test]
fn folders_of_different_variants_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    import(path, &["plain.kif"], "shogi", "shogi-games");
    std::fs::create_dir(path.join("m")).expect("a folder");
    run(path, &["eval", "match", "greedy", "random", "--variant", "wangqi", "--pairs", "1", "--log", "m/a.jsonl"]);
    for command in ["openings", "stats"] {
        let ran = kirin_in(path, &[command, "shogi-games", "m"]);
        assert_eq!(ran.code, Some(78), "{}", ran.err);
        assert!(ran.err.contains("shogi-games holds games of shogi, m holds games of wangqi"), "{}", ran.err);
        let ran = kirin_in(path, &[command, "shogi-games", "m", "--variant", "shogi"]);
        assert_eq!(ran.code, Some(78), "{}", ran.err);
        assert!(ran.err.contains("m holds games of wangqi, and not of shogi"), "{}", ran.err);
        let ran = kirin_in(path, &[command, "shogi-games", "nowhere"]);
        assert!(ran.code == Some(74) && ran.err.contains("cannot read nowhere"), "{:?} {}", ran.code, ran.err);
        std::fs::create_dir_all(path.join("empty")).expect("a folder");
        let ran = kirin_in(path, &[command, "shogi-games", "empty"]);
        assert!(ran.code == Some(78) && ran.err.contains("empty holds no games"), "{:?} {}", ran.code, ran.err);
    }
}

#[test]
fn games_of_matches_are_counted_with_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let play = |folder: &str, plies: &str| {
        std::fs::create_dir(path.join(folder)).expect("a folder");
        let of = ["eval", "match", "greedy", "random", "--variant", "wangqi", "--pairs", "3", "--opening-plies", plies];
        run(path, &[&of[..], &["--log", &format!("{folder}/a.jsonl")]].concat());
    };
    play("random", "4");
    play("own", "0");
    // No player chose the first moves of these games.
    let random = json(path, &["openings", "random"]);
    assert_eq!((&random["games"], &random["other_starts"]), (&0.into(), &6.into()), "{random}");
    let own = json(path, &["openings", "own"]);
    assert_eq!((&own["games"], &own["other_starts"]), (&6.into(), &0.into()), "{own}");
    // A folder that is named twice counts once, and the games of a copy are known.
    std::fs::create_dir(path.join("copy")).expect("a folder");
    std::fs::copy(path.join("own/a.jsonl"), path.join("copy/a.jsonl")).expect("a copy");
    let both = json(path, &["openings", "own", "random", "./own", "copy"]);
    assert_eq!((&both["games"], &both["other_starts"], &both["doubled"]), (&6.into(), &6.into(), &6.into()), "{both}");
    let stats = json(path, &["stats", "own", "random", "--player", "GREEDY", "--source", "match"]);
    assert_eq!(stats["games"], 12, "{stats}");
    let ran = kirin_in(path, &["stats", "own", "--source", "self-play"]);
    assert!(ran.err.contains("there are match (6 games)"), "{}", ran.err);
    run(path, &["data", "export", "own", "--to", "pgn", "--out", "own.pgn"]);
    let pgn = std::fs::read_to_string(path.join("own.pgn")).expect("a file");
    assert!(pgn.matches("\"greedy\"").count() == 6 && !pgn.contains("self-play"), "{pgn}");
}
