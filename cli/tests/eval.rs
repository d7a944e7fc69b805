//! `kirin eval`: matches, tournaments and the calculator as they are used.

mod kirin;

use kirin::{kirin, kirin_in};
use serde_json::Value;

fn json(out: &str) -> Value {
    serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

#[test]
fn the_calculator_has_its_keys_and_never_says_nan() {
    for (number, counts) in [
        ["--penta", "34,54,31,32,64,75"],
        ["--penta", "0,0,0,0,0"],
        ["--penta", "1,0,0,0,0"],
        ["--penta", "0,0,5,0,0"],
        ["--wdl", "0,0,0"],
        ["--wdl", "1,0,0"],
        ["--wdl", "0,7,0"],
        ["--wdl", "12,5,3"],
    ]
    .into_iter()
    .enumerate()
    {
        let model = ["logistic", "normalized"][number % 2];
        let words = ["eval", "stats", counts[0], counts[1], "--model", model, "--elo0", "-2", "--elo1", "8"];
        let ran = kirin(&[&words[..], &["--json"]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let stats = json(&ran.out);
        for key in ["elo", "elo_error", "nelo", "los", "llr"] {
            assert!(stats[key].is_null() || stats[key].as_f64().is_some_and(f64::is_finite), "{counts:?}: {key}");
            assert!(stats.get(key).is_some(), "{counts:?}: no {key}");
        }
        assert!(["continue", "h0", "h1"].contains(&stats["decision"].as_str().unwrap_or_default()));
        let text = kirin(&words).out;
        assert!(!text.contains("NaN") && !text.contains("inf"), "{counts:?}: {text}");
        assert_eq!(text.contains("Elo    n/a"), stats["elo"].is_null(), "{counts:?}: {text}");
    }
    let ran = kirin(&["eval", "stats", "--penta", "34,54,31,32,64,75", "--json"]);
    let stats = json(&ran.out);
    assert_eq!(format!("{:.2}", stats["elo"].as_f64().expect("Elo")), "55.58");
    assert_eq!(format!("{:.2}", stats["elo_error"].as_f64().expect("an error bar")), "27.65");
    let refused = kirin(&["eval", "stats", "--wdl", "1,2", "--elo0", "5", "--elo1", "5"]);
    assert_eq!(refused.code, Some(78), "{}", refused.err);
}

#[test]
fn a_match_ends_by_its_test_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let words =
        "eval match --variant wangqi greedy random --pairs 300 --max-plies 60 --sprt --elo1 80 --model logistic";
    let words: Vec<&str> = words.split(' ').collect();
    let ran = kirin_in(folder.path(), &words);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("SPRT logistic 0 to 80, α 0.05, β 0.05: LLR ") && ran.out.contains("H1 accepted"),
        "{}",
        ran.out
    );
    let again = json(&kirin_in(folder.path(), &[&words[..], &["--json"]].concat()).out);
    assert_eq!(again["sprt"]["decision"], "h1");
    assert_eq!(again["results"]["wins"].as_u64().map(|wins| wins > 5), Some(true));

    let refused = kirin_in(folder.path(), &["eval", "match", "--variant", "wangqi", "greedy", "random", "--elo1", "9"]);
    assert_eq!(refused.code, Some(78));
    assert!(refused.err.contains("say what --sprt tests"), "{}", refused.err);
    let rule = ["--adjudicate-win", "score=0,moves=4"];
    let refused = kirin_in(folder.path(), &[&words[..], &rule].concat());
    assert!(refused.err.contains("adjudication.win.score: 0 is out of range"), "{}", refused.err);
    let refused = kirin_in(folder.path(), &[&words[..], &["--adjudicate-draw", "score=10"]].concat());
    assert!(refused.err.contains("score=10,moves=8,from=80"), "{}", refused.err);
    let adjudicated = [&words[..], &["--adjudicate-draw", "score=10,moves=8,from=40"]].concat();
    let refused = kirin_in(folder.path(), &adjudicated);
    assert!(refused.err.contains("match with other settings (adjudication is"), "{}", refused.err);
}

#[test]
fn a_tournament_prints_its_tables_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "eval tournament --variant wangqi greedy random mcts:2 --max-plies 40 --folder cup --pairs";
    let words: Vec<&str> = words.split(' ').collect();
    let ran = kirin_in(folder.path(), &[&words[..], &["2"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for part in ["round robin, wangqi\n", "won", "Moving first is worth", "player", "/4"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let ran = kirin_in(folder.path(), &[&words[..], &["3", "--json"]].concat());
    let report = json(&ran.out);
    assert_eq!((report["encounters"].as_array().map(Vec::len), &report["missing_games"]), (Some(3), &0.into()));
    assert_eq!(report["ladder"]["ratings"]["rows"][0]["games"], 12);
    assert_eq!(std::fs::read_dir(folder.path().join("cup")).expect("a folder").count(), 3);
    let table = kirin_in(folder.path(), &["eval", "table", "cup", "--json"]);
    assert_eq!(json(&table.out), report["ladder"]);

    let gauntlet = [&words[..], &["1", "--schedule", "gauntlet", "--leaders", "3"]].concat();
    let refused = kirin_in(folder.path(), &gauntlet);
    assert_eq!(refused.code, Some(78), "{}", refused.err);
    assert!(refused.err.contains("3 of 3 players cannot each meet the others"), "{}", refused.err);
    let refused = kirin_in(folder.path(), &["eval", "tournament", "--ladder", "cup"]);
    assert!(refused.err.contains("cup is no run"), "{}", refused.err);
}
