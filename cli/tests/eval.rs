//! `kirin eval`: matches, tournaments and the calculator as they are used.

use crate::kirin::{kirin, kirin_in};
use crate::lab::Lab;
use serde_json::Value;
use std::collections::BTreeSet;

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
        let has_bar = text.lines().next().is_some_and(|line| line.starts_with("Elo    ") && line.contains(" ± "));
        assert_eq!(!has_bar, stats["elo_error"].is_null(), "{counts:?}: {text}");
        assert!(!text.contains("n/a ±"), "{counts:?}: {text}");
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
    assert!(refused.err.contains("are options of --sprt"), "{}", refused.err);
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
    assert!(refused.err.contains("cup is not a run"), "{}", refused.err);
}

#[test]
fn level_pairs_are_not_called_draws() {
    let pairs = kirin(&["eval", "stats", "--penta", "10,20,45,20,15"]).out;
    assert!(pairs.contains("level  40.91 % of the pairs (a win each, or two draws)\n"), "{pairs}");
    assert!(!pairs.contains("draws  "), "{pairs}");
    assert!(kirin(&["eval", "stats", "--wdl", "10,20,20"]).out.contains("draws  40.00 %\n"));
}

#[test]
fn numbers_and_limits_are_refused_in_words() {
    let refused = |words: &str| {
        let ran = kirin(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(2), "{words}: {}", ran.err);
        ran.err
    };
    let number = refused("eval match greedy random --pairs many");
    assert!(number.contains("'many'") && number.contains("'--pairs <PAIRS>'"), "{number}");
    assert!(number.contains("not a whole number") && !number.contains("digit"), "{number}");
    let limit = refused("eval match greedy random --limit tc=40/60+0.6");
    assert!(limit.contains("clock:1m+600ms"), "{limit}");
    let limit = refused("eval match greedy engine:e?st=5");
    assert!(limit.contains("write time=5s"), "{limit}");
}

#[test]
fn a_clean_sweep_has_a_bound_on_one_side() {
    let won = kirin(&["eval", "stats", "--wdl", "100,0,0"]).out;
    assert!(won.starts_with("Elo    above ") && won.contains("every point was won"), "{won}");
    let lost = kirin(&["eval", "stats", "--wdl", "0,0,100"]).out;
    assert!(lost.starts_with("Elo    below -"), "{lost}");
    assert!(kirin(&["eval", "stats", "--wdl", "0,0,0"]).out.starts_with("Elo    n/a: there are too few results"));
}

#[test]
fn each_match_has_a_log_named_after_its_players() {
    let folder = tempfile::tempdir().expect("a folder");
    let play = |words: &str| {
        let words = format!("eval match {words} --pairs 1 --max-plies 20");
        kirin_in(folder.path(), &words.split(' ').collect::<Vec<_>>())
    };
    for words in ["--variant wangqi greedy random", "--variant wangqi greedy mcts:2", "--variant shogi greedy random"] {
        let ran = play(words);
        assert_eq!(ran.code, Some(0), "{words}: {}", ran.err);
        assert!(ran.out.contains("2: +") && ran.out.contains("1 complete: "), "{}", ran.out);
    }
    let mut logs: Vec<String> = std::fs::read_dir(folder.path().join("matches"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    logs.sort();
    assert_eq!(logs.len(), 3, "{logs:?}");
    assert!(
        logs[0].starts_with("shogi-greedy-vs-random-") && logs[1].starts_with("wangqi-greedy-vs-mcts-2-"),
        "{logs:?}"
    );
    // A log of an earlier version, in the folder itself, is continued there.
    let earlier = folder.path().join(&logs[1]);
    std::fs::rename(folder.path().join("matches").join(&logs[1]), &earlier).expect("moved");
    let before = std::fs::read(&earlier).expect("a log");
    assert_eq!(play("--variant wangqi greedy mcts:2").code, Some(0));
    assert_eq!(std::fs::read(&earlier).expect("a log"), before, "nothing was left to play");
    std::fs::rename(&earlier, folder.path().join("matches").join(&logs[1])).expect("moved back");

    // Of a folder with logs of two variants one is chosen.
    let table = |words: &str| {
        let words = format!("eval {words} matches --variant shogi");
        kirin_in(folder.path(), &words.split(' ').collect::<Vec<_>>())
    };
    let mixed = kirin_in(folder.path(), &["eval", "table", "matches"]);
    assert!(mixed.code == Some(78) && mixed.err.contains("choose one with --variant"), "{}", mixed.err);
    let chosen = table("table --json");
    let ladder: Value = serde_json::from_str(&chosen.out).expect("JSON");
    assert_eq!((&ladder["variant"], &ladder["matches"]), (&"shogi".into(), &1.into()), "{}", chosen.err);
    let games = table("export --to pgn --out -").out;
    assert_eq!(games.matches("[Variant \"").count(), games.matches("[Variant \"shogi\"]").count(), "{games}");
    assert_eq!(games.matches("[Result \"").count(), 2, "{games}");
    assert_eq!(table("export --to json --out games.json").code, Some(0));
    assert_eq!(table("table --csv").code, Some(0));
    assert_eq!(kirin_in(folder.path(), &["report", "matches", "--variant", "wangqi"]).code, Some(0));
    let twins = play("--variant wangqi engine:/none/a?nodes=1 engine:/other/a?nodes=1");
    assert_eq!(twins.code, Some(78), "{}", twins.err);
    assert!(
        twins.err.contains("two players have the name \"a nodes:1\"") && twins.err.contains("?name="),
        "{}",
        twins.err
    );
    let unknown = play("greedy random");
    assert!(unknown.code == Some(78) && unknown.err.contains("no variant is given; add --variant"), "{}", unknown.err);
}

#[test]
fn files_that_are_no_logs_and_paths_that_are_missing_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &str| kirin_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
    for words in
        ["eval export nope.jsonl --to pgn --out -", "eval table nofolder", "eval export nope --to csv --out x.csv"]
    {
        let ran = run(words);
        let missing = words.split(' ').nth(2).expect("a path");
        assert_eq!(ran.code, Some(74), "{words}: {}", ran.err);
        assert!(ran.err.contains(&format!("cannot read {missing}: No such file")), "{words}: {}", ran.err);
    }
    std::fs::write(folder.path().join("thesis.json"), "{\"my\":\"only copy\"}").expect("written");
    let play = "eval match --variant wangqi greedy random --pairs 1 --max-plies 20 --log";
    let ran = run(&format!("{play} thesis.json"));
    assert_eq!(ran.code, Some(78), "{}", ran.err);
    assert!(ran.err.contains("thesis.json is not a log of this kind"), "{}", ran.err);
    let text = std::fs::read_to_string(folder.path().join("thesis.json")).expect("still there");
    assert_eq!(text, "{\"my\":\"only copy\"}");

    assert_eq!(run(&format!("{play} m.jsonl")).code, Some(0));
    let log = std::fs::read(folder.path().join("m.jsonl")).expect("a log");
    std::fs::hard_link(folder.path().join("m.jsonl"), folder.path().join("same.jsonl")).expect("a link");
    for out in ["m.jsonl", "./m.jsonl", "same.jsonl"] {
        let ran = run(&format!("eval export m.jsonl --to csv --out {out}"));
        assert_eq!(ran.code, Some(78), "{}", ran.err);
        assert!(ran.err.contains("is m.jsonl, which this command reads"), "{}", ran.err);
        assert_eq!(std::fs::read(folder.path().join("m.jsonl")).expect("a log"), log);
    }
    for words in ["eval export m.jsonl --to csv --out no/x.csv", &format!("{play} no/x.jsonl")] {
        let ran = run(words);
        assert_eq!(ran.code, Some(74), "{words}: {}", ran.err);
        assert!(ran.err.contains("no/x."), "{words}: {}", ran.err);
    }
    let ran = run("eval tournament --variant wangqi greedy random --pairs 1 --folder no/cup");
    assert!(ran.code == Some(78) && ran.err.contains("the folder no does not exist"), "{}", ran.err);
    assert!(!folder.path().join("no").exists(), "nothing was made that was not named");

    // To a file and to standard output.
    assert_eq!(run("eval export m.jsonl --to pgn --out m.pgn").code, Some(0));
    let pgn = run("eval export m.jsonl --to pgn --out -").out;
    assert_eq!(std::fs::read_to_string(folder.path().join("m.pgn")).expect("PGN"), pgn);
    assert!(pgn.starts_with("[Event \"kirin match\"]\n[Site \"?\"]\n[Date \"20"), "{pgn}");
}

#[test]
fn the_ladder_is_shown_without_playing() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = kirin_in(folder.path(), &["eval", "benchmark", "--variant", "koshogi"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<_> = ran.out.lines().collect();
    assert!(
        lines[0].starts_with("The ladder of koshogi, ") && lines[1].starts_with("network of Kirin, 64 visits "),
        "{}",
        ran.out
    );
    assert!(lines.last().is_some_and(|line| line.starts_with("random ") && line.contains(" 0 ± ")), "{}", ran.out);
    let ran = kirin_in(folder.path(), &["eval", "benchmark", "--variant", "koshogi", "--json"]);
    let rows = json(&ran.out)["ladder"].as_array().expect("a list of players").len();
    assert_eq!(rows, lines.len() - 1);
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

/// They would be other players under the same names.
#[test]
fn the_players_of_a_ladder_keep_their_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let ladder = serde_json::json!([{
        "variant": "wangqi", "ruleset": "", "max_plies": 20, "opening_plies": 6, "seed": 1,
        "rungs": [{"name": "random", "player": "random"}, {"name": "network", "player": "builtin@2"}],
        "encounters": [{"players": ["random", "network"], "pairs": 1}],
    }]);
    std::fs::write(folder.path().join("ladders.json"), ladder.to_string()).expect("written");
    let words = "eval benchmark --variant wangqi --ladders ladders.json --folder played --play-ladder";
    let words: Vec<&str> = words.split(' ').chain("--search gumbel --cpuct-deviation-share 0".split(' ')).collect();
    let ran = kirin_in(folder.path(), &words);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let log = std::fs::read_dir(folder.path().join("played/wangqi")).expect("logs").next().expect("a log");
    let log = eval::log::read(&log.expect("an entry").path()).expect("a log");
    let search = log.header.expect("settings").players.into_iter().find_map(|player| match player.settings {
        eval::PlayerSettings::Network(settings) => Some(settings.search),
        _ => None,
    });
    let search = search.expect("a network");
    assert_eq!(search.algorithm, search::Algorithm::Puct);
    assert_eq!(search.cpuct_deviation_share, search::DEVIATION_SHARE);
}

/// The first match of a run is longer than the others, so its network is evaluated in other batches.
#[test]
fn the_networks_of_a_run_are_rated_whatever_batches_their_matches_had() {
    let lab = Lab::new("wangqi").set("evaluation.pairs=20").set("evaluator.batch=16");
    let out = lab.succeed("run", &[]);
    assert!(!out.contains("There are no ratings") && out.contains("above the next one (95 %)"), "{out}");
    let batches: BTreeSet<String> = std::fs::read_dir(lab.file("matches"))
        .expect("matches")
        .map(|log| {
            let text = std::fs::read_to_string(log.expect("an entry").path()).expect("a log");
            let header = text.lines().next().expect("a header").to_owned();
            json(&header)["match"]["players"][0]["search"]["evaluation"]["batch"].to_string()
        })
        .collect();
    assert_eq!(batches.len(), 2, "{batches:?}");
    let report = json(&kirin_in(lab.path(), &["report", "run", "--json"]).out);
    let rated: Vec<u64> =
        report["ratings"].as_array().expect("ratings").iter().filter_map(|row| row["network"].as_u64()).collect();
    assert_eq!(rated, [1, 2], "{report}");
    assert!(report["ratings"][0]["gain"].is_null() && report["ratings"][1]["gain_error"].is_f64(), "{report}");
    let watched = kirin_in(lab.path(), &["watch", "run", "--once"]);
    assert!(watched.out.contains("rating   network 2: Elo "), "{}{}", watched.out, watched.err);
    let table = json(&kirin_in(lab.path(), &["eval", "table", "run", "--anchor", "gen-0001", "--json"]).out);
    assert!(table["players"].as_array().map(Vec::len) > Some(3), "with fixed players: {table}");
}

#[test]
fn one_network_is_one_player_by_every_path_and_has_a_short_name() {
    let lab = Lab::new("wangqi");
    lab.succeed("run", &[]);
    let path = "run/nets/gen-0002.safetensors";
    let absolute = lab.file("nets/gen-0002.safetensors").canonicalize().expect("a path");
    let absolute = absolute.to_str().expect("UTF-8");
    let play = |players: &[&str], pairs: &str, more: &[&str]| {
        let words = [&["eval", "match"], players, &["--pairs", pairs, "--max-plies", "20", "--visits", "4"], more];
        kirin_in(lab.path(), &words.concat())
    };
    assert_eq!(play(&[path, "greedy"], "1", &[]).code, Some(0));
    let ran = play(&[absolute, "greedy"], "2", &["--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let report = json(&ran.out);
    assert_eq!((&report["players"][0], &report["results"]["wins"].is_u64()), (&Value::from("run 2"), &true));
    let logs = std::fs::read_dir(lab.path().join("matches")).expect("the folder of logs");
    assert_eq!(logs.count(), 1, "one match, resumed");

    std::fs::create_dir(lab.path().join("cup")).expect("a folder");
    assert_eq!(play(&[path, "greedy"], "1", &["--log", "cup/a.jsonl"]).code, Some(0));
    assert_eq!(play(&[absolute, "random"], "1", &["--log", "cup/b.jsonl"]).code, Some(0));
    assert_eq!(play(&[absolute, "greedy"], "2", &["--log", "cup/a.jsonl"]).code, Some(0), "by another path");
    let table = json(&kirin_in(lab.path(), &["eval", "table", "cup", "--anchor", absolute, "--json"]).out);
    assert_eq!((&table["ratings"]["anchor"], &table["ratings"]["unrated"]), (&"run 2".into(), &Value::Array(vec![])));

    let ran = play(&[path, absolute], "1", &[]);
    assert!(ran.code == Some(78) && ran.err.contains(" are the same player"), "{}", ran.err);
    let ran = play(&[&format!("{path}@2"), absolute], "1", &["--json"]);
    assert_eq!(json(&ran.out)["players"], serde_json::json!(["run 2 (2 visits)", "run 2 (4 visits)"]), "{}", ran.err);
}
