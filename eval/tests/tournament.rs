//! Tournaments: their logs are the only truth, and all encounters progress together.

use eval::ratings::{Model, Sprt, SprtDecision, Wdl};
use eval::{MatchConfig, MatchReport, OpeningsConfig, PlayerConfig, Schedule, Tournament, TournamentReport, log};
use rules::VariantId;
use search::fakes::HashEvaluator;
use search::{Evaluator, SearchConfig};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const WANGQI: VariantId = VariantId::Wangqi;

/// A network whose evaluations are drawn from `seed`, and how often it was loaded.
fn network(name: &str, seed: u64) -> (PlayerConfig, Arc<AtomicUsize>) {
    let loaded = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&loaded);
    let search = SearchConfig { visits: 6, ..SearchConfig::default() };
    let player_config = PlayerConfig::network(name, format!("hash {seed}"), &search, move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(HashEvaluator::new(4, seed)) as Box<dyn Evaluator>)
    });
    (player_config, loaded)
}

fn config(pairs: u32) -> MatchConfig {
    MatchConfig { pairs, max_plies: 40, threads: 2, ..MatchConfig::default() }
}

fn play(players: &[PlayerConfig], schedule: Schedule, config: &MatchConfig, folder: &Path) -> TournamentReport {
    Tournament { variant: WANGQI, config, players, schedule, folder, anchor: None }
        .play(&AtomicBool::new(false), |_| {})
        .unwrap()
}

/// The part of a report that does not depend on when and where it was played.
fn essence(report: &TournamentReport) -> (Option<eval::Ladder>, Vec<MatchReport>) {
    let timeless = |report: &MatchReport| MatchReport {
        seconds: 0.0,
        games_per_second: None,
        uncounted_games: 0,
        ..report.clone()
    };
    (report.ladder.clone(), report.encounters.iter().map(|encounter| timeless(&encounter.report)).collect())
}

#[test]
fn everybody_meets_everybody_and_the_table_tells() {
    let folder = tempfile::tempdir().unwrap();
    let (net, loaded) = network("nets/a b.safetensors", 1);
    let players = [PlayerConfig::greedy(), PlayerConfig::random(), PlayerConfig::mcts(5), net];
    let report = play(&players, Schedule::RoundRobin, &config(10), folder.path());
    println!("{report}");
    assert_eq!((report.encounters.len(), report.missing_games), (6, 0));
    let ladder = report.ladder.as_ref().unwrap();
    assert_eq!((ladder.matches, ladder.ratings.rows.len(), ladder.ratings.unrated.len()), (6, 4, 0));
    assert_eq!(ladder.ratings.rows[0].player, "greedy", "greedy is above those who play nearly by chance");
    for row in &ladder.ratings.rows {
        let results = ladder.results_of(&row.player);
        assert_eq!((row.games, results.games(), results.score()), (60, 60, Some(row.score)));
        let against: u64 = players.iter().map(|other| ladder.between(&row.player, &other.name).games()).sum();
        assert_eq!(against, 60);
    }
    assert_eq!(ladder.between("greedy", "random"), ladder.between("random", "greedy").reversed());
    assert_eq!(ladder.between("greedy", "greedy"), Wdl::default());
    // Ten passes in three encounters on two threads: but each thread loads a network once.
    assert!(loaded.load(Ordering::Relaxed) <= 2, "loaded {} times", loaded.load(Ordering::Relaxed));
    // The report of an encounter equals the report of its log.
    assert_eq!(eval::ladder(folder.path(), None).unwrap(), *ladder);
    for encounter in &report.encounters {
        let recorded = log::read(&encounter.log).unwrap();
        assert_eq!(encounter.report, MatchReport::new(&recorded.header.unwrap(), &recorded.games, 10, None));
    }
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["ladder"]["ratings"]["rows"][0]["player"], "greedy");
    assert_eq!(json["encounters"][5]["report"]["results"]["wins"], report.encounters[5].report.results.wins);
}

#[test]
fn a_stopped_tournament_goes_on_and_comes_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let players = [PlayerConfig::greedy(), PlayerConfig::mcts(20), network("net", 1).0];
    let config = config(5);
    let whole = essence(&play(&players, Schedule::RoundRobin, &config, &folder.path().join("whole")));
    let stopped = folder.path().join("stopped");
    let mut runs = 0;
    loop {
        let stop = AtomicBool::new(false);
        let tournament = Tournament {
            variant: WANGQI,
            config: &config,
            players: &players,
            schedule: Schedule::RoundRobin,
            folder: &stopped,
            anchor: None,
        };
        let mut before = 0;
        let report = tournament
            .play(&stop, |progress| {
                assert!(progress.games > before && progress.games <= progress.total, "{progress}");
                before = progress.games;
                assert!(progress.ladder().is_some());
                stop.store(true, Ordering::Relaxed);
            })
            .unwrap();
        runs += 1;
        let played: u64 = report.encounters.iter().map(|encounter| encounter.report.results.games()).sum();
        assert_eq!(played + report.missing_games, 30);
        if report.missing_games == 0 {
            assert_eq!(essence(&report), whole);
            break;
        }
    }
    assert!(runs > 3, "{runs} runs");
}

#[test]
fn encounters_progress_together() {
    let folder = tempfile::tempdir().unwrap();
    let players = [PlayerConfig::greedy(), PlayerConfig::random(), PlayerConfig::mcts(1), network("net", 1).0];
    let config = config(40);
    let mut games: BTreeMap<[String; 2], u64> = BTreeMap::new();
    Tournament {
        variant: WANGQI,
        config: &config,
        players: &players,
        schedule: Schedule::RoundRobin,
        folder: folder.path(),
        anchor: Some("random"),
    }
    .play(&AtomicBool::new(false), |progress| {
        games.insert(progress.encounter.map(str::to_owned), progress.results.games());
        let least = if games.len() == 6 { games.values().min().copied().unwrap() } else { 0 };
        let most = games.values().max().copied().unwrap();
        assert!(most <= (2 * least).max(4), "{games:?}");
    })
    .unwrap();
    assert!(games.values().all(|&games| games == 80));
}

#[test]
fn a_ladder_of_versions_and_a_gauntlet() {
    let folder = tempfile::tempdir().unwrap();
    let versions: Vec<PlayerConfig> = (0..5).map(|seed| network(&format!("gen-{seed:04}"), seed).0).collect();
    let report = play(&versions, Schedule::Ladder(2), &config(2), &folder.path().join("ladder"));
    let met: Vec<String> = report.encounters.iter().map(|e| e.report.players.join(" ")).collect();
    assert_eq!(met.len(), 7);
    assert_eq!(met[..3], ["gen-0001 gen-0000", "gen-0002 gen-0001", "gen-0002 gen-0000"]);
    assert_eq!(report.ladder.unwrap().ratings.rows.len(), 5);
    let report = play(&versions, Schedule::Gauntlet(1), &config(2), &folder.path().join("gauntlet"));
    assert!(report.encounters.iter().all(|e| e.report.players[0] == "gen-0000") && report.encounters.len() == 4);
}

#[test]
fn repeated_openings_are_told_once_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let players = [0, 1, 2].map(|seed| network(&format!("net {seed}"), seed).0);
    let config = MatchConfig { openings: OpeningsConfig::random(0), ..config(6) };
    let mut notes = Vec::new();
    Tournament {
        variant: WANGQI,
        config: &config,
        players: &players,
        schedule: Schedule::RoundRobin,
        folder: folder.path(),
        anchor: None,
    }
    .play(&AtomicBool::new(false), |progress| {
        assert!(progress.games == 0 || !notes.is_empty(), "it comes before the first game");
        notes.extend(progress.notes.iter().cloned());
    })
    .unwrap();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("1 different openings for 6 pairs of players who never play by chance"), "{notes:?}");
}

#[test]
fn players_without_a_chain_of_games_are_named_and_not_rated() {
    let folder = tempfile::tempdir().unwrap();
    let one = [PlayerConfig::greedy(), PlayerConfig::random(), PlayerConfig::mcts(2)];
    let other =
        ["x", "y"].map(|name| PlayerConfig { name: name.into(), identity: name.into(), ..PlayerConfig::random() });
    play(&other, Schedule::RoundRobin, &config(3), folder.path());
    let report = play(&one, Schedule::RoundRobin, &config(3), folder.path());
    let ladder = report.ladder.as_ref().unwrap();
    assert_eq!(ladder.ratings.unrated, [["x", "y"]]);
    assert!(report.to_string().contains("Not rated, because no games connect them with the others: x, y"), "{report}");
    assert_eq!(ladder.results_of("x").games(), 6);
}

#[test]
fn each_encounter_may_end_by_its_own_test() {
    let folder = tempfile::tempdir().unwrap();
    let players = [PlayerConfig::greedy(), PlayerConfig::random(), PlayerConfig::mcts(1)];
    let test = Sprt { model: Model::Logistic, elo0: 0.0, elo1: 80.0, ..Sprt::default() };
    let tested = MatchConfig { sprt: Some(test), ..config(60) };
    let report = play(&players, Schedule::Gauntlet(1), &tested, folder.path());
    for encounter in &report.encounters {
        let sprt = encounter.report.sprt.unwrap();
        assert_eq!((sprt.decision, encounter.report.missing_games), (SprtDecision::H1, 0), "{}", encounter.report);
        assert!(sprt.pairs < 60);
        assert_eq!(encounter.report.results.games(), 2 * sprt.pairs);
    }
    let counted: u64 = report.encounters.iter().map(|encounter| encounter.report.results.games()).sum();
    assert_eq!(report.ladder.unwrap().results_of("greedy").games(), counted, "the table counts what the tests count");
}

#[test]
fn tournaments_that_make_no_sense_are_refused_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |players: &[PlayerConfig], schedule, anchor| {
        let config = config(1);
        let folder = folder.path();
        let tournament = Tournament { variant: WANGQI, config: &config, players, schedule, folder, anchor };
        tournament.play(&AtomicBool::new(false), |_| {}).unwrap_err().to_string()
    };
    let two = [PlayerConfig::greedy(), PlayerConfig::random()];
    assert!(refused(&two[..1], Schedule::RoundRobin, None).contains("2 players or more, not 1"));
    let twins = [PlayerConfig::greedy(), PlayerConfig::greedy()];
    assert!(refused(&twins, Schedule::RoundRobin, None).contains("two players are called \"greedy\""));
    let disguised = [PlayerConfig::greedy(), PlayerConfig { name: "other".into(), ..PlayerConfig::greedy() }];
    let text = refused(&disguised, Schedule::RoundRobin, None);
    assert!(text.contains("\"greedy\" and \"other\" are one player"), "{text}");
    assert!(refused(&two, Schedule::Gauntlet(2), None).contains("cannot each meet the others"));
    assert!(refused(&two, Schedule::RoundRobin, Some("nobody")).contains("\"nobody\" is not among the players"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    play(&two, Schedule::RoundRobin, &config(1), folder.path());
    let other = Tournament {
        variant: VariantId::Xiangqi,
        config: &config(1),
        players: &two,
        schedule: Schedule::RoundRobin,
        folder: folder.path(),
        anchor: None,
    };
    // Logs of other variants are passed over, but two logs cannot have one name.
    let error = other.play(&AtomicBool::new(false), |_| {}).unwrap_err();
    assert!(error.to_string().contains("variant is \"xiangqi\" now and \"wangqi\" in the log"), "{error}");
    let changed = MatchConfig { seed: 2, ..config(1) };
    let error = Tournament { variant: WANGQI, config: &changed, ..other }.play(&AtomicBool::new(false), |_| {});
    assert!(error.unwrap_err().to_string().contains("seed is 2 now and 1 in the log"));
}
