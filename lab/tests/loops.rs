//! How runs resume: runs of older programs, runs in which no game has ended, and finished runs.

use crate::tiny::{self, copy, finish, open, stages};
use data::DataStore;
use lab::events::{self, Stage};
use lab::{About, Config, Ended, RunFolder, Task};
use rules::Wangqi;
use std::fs;
use std::path::Path;

/// A run that the program at revision 41d492c left after its first self-play. Its logs have no checksums.
#[test]
fn a_run_of_an_older_program_goes_on() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/run-of-41d492c"), folder.root());
    let before = [folder.plan(), folder.events()].map(|path| fs::read_to_string(path).expect("a log"));
    let about = About::read(&folder).expect("run.json");
    let config = Config::load(&folder.config(), &[]).expect("its own configuration");

    let expected = ["selfplay 1", "train 1", "selfplay 2", "train 2", "match 2-1"].map(str::to_owned);
    assert_eq!(stages(&folder), expected[..1]);
    assert_eq!(finish(&config, &folder, None), expected);
    let after = [folder.plan(), folder.events()].map(|path| fs::read_to_string(path).expect("a log"));
    assert!(
        before.iter().zip(&after).all(|(before, after)| after.starts_with(before.as_str())),
        "lines of before stay"
    );
    assert!(after.iter().all(|after| after.lines().nth(1).is_some_and(|line| line.starts_with("{\"blake3\":"))));
    // The digests of its settings, which that program did not write, now exist; nothing else has changed.
    let checked = About::read(&folder).expect("run.json").expect("a run");
    assert!(!checked.config_digests.is_empty());
    assert_eq!(Some(About { config_digests: Vec::new(), ..checked }), about);
    assert_eq!(finish(&config, &folder, None), expected, "nothing is left to do");
}

#[test]
fn a_generation_in_which_no_game_ends_makes_no_network() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    // Two games of 12 plies at most, 4 plies a generation: too few for a mate, whatever the network plays.
    let mut config = tiny::config();
    (config.selfplay.slots, config.selfplay.plies_per_generation, config.selfplay.stagger_plies) = (2, 4, 0);
    config.selfplay.max_plies = 12;
    (config.selfplay.ending_share, config.selfplay.opening_share) = (0.0, 0.0);
    config.run.generations = 4;
    config.training.data.validation_share = 0.0;
    let expected = [
        "selfplay 1",
        "untrained 1",
        "selfplay 2",
        "untrained 2",
        "selfplay 3",
        "train 3",
        "selfplay 4",
        "train 4",
        "match 4-3",
    ];
    assert_eq!(finish(&config, &folder, None), expected);
    let made = (0..=4).filter(|&generation| folder.network(generation).exists()).collect::<Vec<_>>();
    assert_eq!(made, [0, 3, 4]);
    assert_eq!(finish(&config, &folder, None), expected, "nothing is left to do");
}

/// A run may begin with random-play games. After a kill between writing them and recording them, the same games are
/// made again.
#[test]
fn a_run_begins_with_games_by_the_rules_alone_and_goes_on_after_a_kill() {
    let temporary = tempfile::tempdir().expect("a folder");
    let [whole, killed] = ["whole", "killed"].map(|name| RunFolder::new(temporary.path().join(name).join("run")));
    let mut config = tiny::config();
    (config.run.generations, config.selfplay.rules_games, config.selfplay.max_plies) = (2, 40, 60);
    config.selfplay.plies_per_generation = 60;
    config.training.data.validation_share = 0.0;
    let expected = ["selfplay 1", "train 1", "selfplay 2", "train 2", "match 2-1"];
    assert_eq!(finish(&config, &whole, None), expected);

    let mut run = open(&config, &killed, None).expect("a run");
    let (plan, task) = run.next_task().expect("a plan").expect("a task");
    assert_eq!((task, plan.rules_games), (Task::RulesGames, 40));
    assert!(matches!(run.perform(&plan, task).expect("games"), Ended::Done(_)));
    drop(run);
    fs::write(killed.events(), "").expect("nothing on record");
    assert_eq!(finish(&config, &killed, None), expected);

    let shards = |folder: &RunFolder| {
        let store = DataStore::open_read_only(&folder.data()).expect("data");
        let shards = store.shards("wangqi").expect("a manifest").into_iter();
        shards.map(|shard| (shard.generation, shard.shard, shard.games.blake3)).collect::<Vec<_>>()
    };
    let [(1, rules, _), (2, own, _)] = &shards(&whole)[..] else { panic!("{:?}", shards(&whole)) };
    assert_eq!((rules.as_str(), own.as_str()), ("rules", "w0"));
    assert_eq!(shards(&killed).len(), 2);
    // The run's name is in its games, so they are compared one by one.
    let games = |folder: &RunFolder| {
        let store = DataStore::open_read_only(&folder.data()).expect("data");
        let shards = store.shards("wangqi").expect("a manifest");
        let games = shards.iter().flat_map(|shard| store.read_games::<Wangqi>(shard).expect("games"));
        games.map(|game| (game.game_id, game.moves_text)).collect::<Vec<_>>()
    };
    assert_eq!(games(&killed), games(&whole));
    let first = &tiny::events(&whole)[0];
    let Stage::Selfplay(figures) = &first.stage else { panic!("{first:?}") };
    assert_eq!(figures.games + figures.undecided.expect("random play"), 40);
    assert_eq!((figures.searched, figures.evaluations), (0, 0));
    assert!(figures.games > 5 && figures.draws * 2 < figures.games, "{figures:?}");
}

/// One ply limit applies to self-play and matches, unless matches have their own.
#[test]
fn matches_have_the_limit_of_self_play() {
    let mut config = tiny::config();
    (config.selfplay.max_plies, config.evaluation.max_plies) = (77, 0);
    assert_eq!(config.evaluation.match_config(&config, 1).max_plies, 77);
    config.evaluation.max_plies = 55;
    assert_eq!(config.evaluation.match_config(&config, 1).max_plies, 55);
    (config.selfplay.max_plies, config.evaluation.max_plies) = (0, 0);
    assert_eq!(config.evaluation.match_config(&config, 1).max_plies, 0, "the rule set's");
}

#[test]
fn what_may_change_changes_and_the_rest_is_named() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    let config = tiny::config();
    finish(&config, &folder, None);
    let about = About::read(&folder).expect("run.json").expect("a run");
    let mut changed = config.clone();
    (changed.run.generations, changed.run.threads, changed.selfplay.cache_mb) = (2, 2, 1);
    changed.evaluation.visits = 3;
    assert_eq!(finish(&changed, &folder, None).len(), 2 + 3);
    assert_eq!(About::read(&folder).expect("run.json").expect("a run"), about, "the digest with it");
    (changed.search.visits, changed.training.batch) = (5, 32);
    let refusal = open(&changed, &folder, None).map(drop).expect_err("another run").to_string();
    assert!(refusal.contains("search.visits: 4 in the run, 5 now"), "{refusal}");
    assert!(refusal.contains("training.batch: 16 in the run, 32 now"), "{refusal}");
    assert_eq!(refusal.matches(" in the run, ").count(), 2, "{refusal}");
}

/// The matches of a run.
fn matches(folder: &RunFolder) -> Vec<events::Match> {
    let matches = tiny::events(folder).into_iter().filter_map(|event| match event.stage {
        Stage::Match(played) => Some(played),
        _ => None,
    });
    matches.collect()
}

#[test]
fn a_match_with_other_settings_is_not_continued() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    let config = tiny::config();
    finish(&config, &folder, None);
    let first = matches(&folder);
    let mut changed = config.clone();
    (changed.evaluation.visits, changed.evaluation.pairs, changed.evaluation.final_pairs) = (3, 8, 8);
    finish(&changed, &folder, None);
    assert_eq!(matches(&folder)[..first.len()], first, "what is on record is not extended");

    // The run was interrupted before a match was recorded.
    let record = fs::read_to_string(folder.events()).expect("a log");
    let kept: Vec<&str> = record.lines().take_while(|line| !line.contains("\"match\"")).collect();
    assert!(kept.len() < record.lines().count());
    let log = folder.match_log(first[0].network, first[0].opponent);
    let games = fs::read(&log).expect("the log of its match");
    fs::write(folder.events(), kept.join("\n") + "\n").expect("written");
    finish(&changed, &folder, None);
    let again = matches(&folder);
    assert_ne!(again[0].settings, first[0].settings);
    assert_eq!(fs::read(log.with_extension("before-1.jsonl")).expect("the games of before"), games);
    assert_eq!(again[0].pairs_before, 0);
    assert_eq!(tiny::problems(&folder), [""; 0]);
}

/// With few validation games their loss says nothing and is not reported.
#[test]
fn figures_of_few_positions_are_not_told() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    let mut config = tiny::config();
    config.training.data.validation_share = 0.5;
    finish(&config, &folder, None);
    let trained = tiny::events(&folder).into_iter().find_map(|event| match event.stage {
        Stage::Train(trained) => Some(trained),
        _ => None,
    });
    assert_eq!(trained.expect("a training").validation_policy_loss, None);
    let metrics = fs::read_to_string(folder.metrics()).expect("metrics");
    assert!(metrics.contains("validation"), "there were validation games: {metrics}");
}
