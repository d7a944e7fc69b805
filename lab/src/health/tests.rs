use super::*;
use crate::config::Config;
use crate::events::{Ends, Match, NetworkSpeed};

fn event(generation: u32, seconds: f64, stage: Stage) -> Event {
    Event { at_ms: 0, generation, seconds, seconds_before: 0.0, stage }
}

/// Self-play of 200 even games with every figure healthy.
fn selfplay() -> Selfplay {
    let ends = Ends {
        capped: 4,
        by_points: 0,
        resigned: 20,
        repeated: 6,
        played_through: 50,
        wrong_resignations: 1,
        searched: 8000,
        proven: 300,
    };
    let [games, first_wins, second_wins] = [200, 100, 100];
    let speed = Some(NetworkSpeed { in_selfplay: 3600.0, measured: 4000.0 });
    Selfplay { games, first_wins, second_wins, searched: 6000, ends: Some(ends), speed, ..Selfplay::default() }
}

fn with_ends(change: fn(&mut Ends)) -> Stage {
    let mut stage = selfplay();
    stage.ends.iter_mut().for_each(change);
    Stage::Selfplay(stage)
}

fn train() -> Train {
    Train {
        policy_entropy: Some(1.5),
        policy_divergence: Some(0.1),
        validation_policy_loss: Some(1.9),
        trained_policy_loss: Some(1.85),
        validation_value_loss: Some(0.7),
        trained_value_loss: Some(0.6),
        ..Train::default()
    }
}

fn generation(number: u32, selfplay: Stage, train: Train) -> Vec<Event> {
    vec![event(number, 40.0, selfplay), event(number, 30.0, Stage::Train(train)), event(number, 5.0, a_match())]
}

fn a_match() -> Stage {
    Stage::Match(Match::default())
}

fn ills(events: &[Event]) -> Vec<&'static str> {
    Health::of(events).iter().flat_map(|health| health.ills().map(|figure| figure.name).collect::<Vec<_>>()).collect()
}

#[test]
fn a_good_generation_has_every_figure_and_no_ill() {
    let health = Health::of(&generation(1, Stage::Selfplay(selfplay()), train()));
    let names: Vec<&str> = health[0].figures.iter().map(|figure| figure.name).collect();
    assert_eq!(names, CHECKS.iter().map(|check| check.name).collect::<Vec<_>>());
    assert_eq!(health[0].ills().count(), 0, "{health:?}");
    let value = |name: &str| health[0].figure(name).map(|figure| figure.value).expect("a figure");
    assert_eq!((value("capped"), value("wrong_resignations"), value("first_score")), (0.02, 0.02, 0.5));
    assert_eq!(value("proven"), 0.0375);
    let of_before = Health::of(&generation(1, with_ends(|ends| ends.searched = 0), train()));
    assert_eq!(of_before[0].figure("proven").map(|figure| figure.value), Some(0.05), "of those that are on record");
    assert!((value("policy_gap") - 0.05).abs() < 1e-9 && (value("match_time") - 5.0 / 75.0).abs() < 1e-9);
}

#[test]
fn each_figure_can_leave_its_range() {
    let slow = NetworkSpeed { in_selfplay: 1000.0, measured: 4000.0 };
    let selfplays: [(&str, Stage); 9] = [
        ("capped", with_ends(|ends| ends.capped = 60)),
        ("resigned", with_ends(|ends| ends.resigned = 190)),
        ("wrong_resignations", with_ends(|ends| ends.wrong_resignations = 15)),
        ("repeated", with_ends(|ends| ends.repeated = 80)),
        ("proven", with_ends(|ends| ends.proven = 5)),
        ("proven", with_ends(|ends| ends.proven = 4000)),
        ("first_score", Stage::Selfplay(Selfplay { first_wins: 160, second_wins: 40, ..selfplay() })),
        ("first_score", Stage::Selfplay(Selfplay { first_wins: 20, second_wins: 180, ..selfplay() })),
        ("network_speed", Stage::Selfplay(Selfplay { speed: Some(slow), ..selfplay() })),
    ];
    for (name, stage) in selfplays {
        assert_eq!(ills(&generation(1, stage, train())), [name]);
    }
    let trains = [
        ("policy_entropy", Train { policy_entropy: Some(0.2), ..train() }),
        ("policy_divergence", Train { policy_divergence: Some(0.8), ..train() }),
        ("policy_gap", Train { validation_policy_loss: Some(2.2), ..train() }),
        ("value_gap", Train { validation_value_loss: Some(1.0), ..train() }),
    ];
    for (name, train) in trains {
        assert_eq!(ills(&generation(1, Stage::Selfplay(selfplay()), train)), [name]);
    }
    for (name, at, seconds) in [("selfplay_time", 1, 200.0), ("training_time", 1, 1.0), ("match_time", 2, 30.0)] {
        let mut events = generation(1, Stage::Selfplay(selfplay()), train());
        events[at].seconds = seconds;
        assert_eq!(ills(&events), [name]);
    }
    let mut events = generation(1, Stage::Selfplay(selfplay()), train());
    events[0].seconds_before = 20.0;
    assert_eq!(ills(&events), [] as [&str; 0], "the start of the run");
    events[1].seconds_before = 20.0;
    assert_eq!(ills(&events), ["time_between"]);
}

#[test]
fn what_chance_explains_is_healthy() {
    let few = Ends { capped: 2, ..Ends::default() };
    let stage = Selfplay { games: 5, first_wins: 4, second_wins: 1, ends: Some(few), ..Selfplay::default() };
    let health = Health::of(&[event(1, 40.0, Stage::Selfplay(stage))]);
    let capped = health[0].figure("capped").expect("a figure");
    assert!(capped.value > 0.15 && capped.is_healthy(), "2 games of 5 may be 1 of 8");
    assert_eq!(health[0].ills().count(), 0);
    assert!(health[0].figure("training_time").is_none(), "training has not been");
}

#[test]
fn games_by_the_rules_alone_are_not_judged() {
    let rules = Selfplay { undecided: Some(3), ends: None, speed: None, ..selfplay() };
    let health = Health::of(&generation(1, Stage::Selfplay(rules.clone()), train()));
    assert_eq!(health[0].figures, []);
    let mut events = generation(1, Stage::Selfplay(rules), train());
    events[1].seconds = 1e6;
    events.extend(generation(2, Stage::Selfplay(selfplay()), train()));
    assert_eq!(ills(&events), [] as [&str; 0], "their time does not count");
}

/// The second generation of a run of `configs/wangqi-smoke.toml` learned mostly from random-play games.
#[test]
fn a_window_of_games_by_the_rules_alone_is_not_judged() {
    let gap = |window| {
        let rules = Selfplay { undecided: Some(3), ends: None, speed: None, positions: 7863, ..selfplay() };
        let overfit = Train { window, validation_policy_loss: Some(1.71), trained_policy_loss: Some(1.43), ..train() };
        let mut events = generation(1, Stage::Selfplay(rules), train());
        events.extend(generation(2, Stage::Selfplay(selfplay()), overfit));
        ills(&events).contains(&"policy_gap")
    };
    assert!(!gap(10_176));
    assert!(gap(25_133), "with mostly searched games it is");
}

#[test]
fn an_older_record_has_the_figures_that_it_can() {
    let old = Selfplay { ends: None, speed: None, ..selfplay() };
    let trained = Train { policy_entropy: None, policy_divergence: None, ..train() };
    let health = Health::of(&generation(1, Stage::Selfplay(old), trained));
    let names: Vec<&str> = health[0].figures.iter().map(|figure| figure.name).collect();
    let times = ["selfplay_time", "training_time", "match_time", "time_between"];
    assert_eq!(names, [&["first_score", "policy_gap", "value_gap"][..], &times].concat());
}

#[test]
fn an_ill_is_news_once() {
    let ill = || with_ends(|ends| ends.capped = 60);
    let mut events = generation(1, Stage::Selfplay(selfplay()), train());
    assert_eq!(newly_ill(&[]), []);
    assert_eq!(newly_ill(&events), []);
    events.push(event(2, 40.0, ill()));
    let new = newly_ill(&events);
    let [(2, figure)] = &new[..] else { panic!("{new:?}") };
    assert_eq!((figure.name, figure.value), ("capped", 0.3));
    events.push(event(2, 30.0, Stage::Train(train())));
    assert_eq!(newly_ill(&events), [], "told when self-play ended");
    events.extend(generation(3, ill(), train()));
    assert_eq!(newly_ill(&events[..6]), [], "told in the generation before");
}

/// Points give a game at the ply limit a winner, so it still teaches something. Older records that do not count these
/// games separately are judged as before.
#[test]
fn games_decided_by_points_are_judged_by_themselves() {
    let with = |capped, by_points| {
        let mut stage = selfplay();
        stage.ends.iter_mut().for_each(|ends| (ends.capped, ends.by_points) = (capped, by_points));
        generation(1, Stage::Selfplay(stage), train())
    };
    assert_eq!(ills(&with(128, 128)), [] as [&str; 0], "64 % of the games, all with a winner");
    assert_eq!(ills(&with(128, 0)), ["capped"]);
    assert_eq!(ills(&with(190, 190)), ["by_points"], "the network rarely sees a game that ends on the board");
    assert_eq!(ills(&with(128, 64)), ["capped"]);
    let old = r#"{"capped":60,"resigned":0,"repeated":0,"played_through":0,"wrong_resignations":0,"proven":300}"#;
    let mut stage = selfplay();
    stage.ends = Some(serde_json::from_str(old).expect("a record of an older program"));
    assert_eq!(ills(&generation(1, Stage::Selfplay(stage), train())), ["capped"]);
}

/// Each key follows the words that say when it can be set, and each step names keys of one kind. Otherwise the remedy
/// would tell people to set a key that the run refuses.
#[test]
fn every_remedy_says_which_run_it_applies_to() {
    const RESUMED: &str = "when this run is resumed, ";
    const NEXT: &str = "in the next run, ";
    let mut seen = [0, 0];
    for check in CHECKS {
        for bound in [&check.low, &check.high].into_iter().flatten() {
            let text = bound.remedy();
            assert!(text.contains(RESUMED) || text.contains(NEXT), "{}: {text}", check.name);
            for step in bound.steps {
                let may: Vec<bool> = step.split('`').skip(1).step_by(2).map(may_change).collect();
                assert!(may.windows(2).all(|pair| pair[0] == pair[1]), "{}: {step} mixes both kinds", check.name);
                let before = &text[..text.find(step).expect("every step is told")];
                let is_resumed = before.rfind(RESUMED) > before.rfind(NEXT);
                assert_eq!(Some(&is_resumed), may.first(), "{}: {step} in {text}", check.name);
                seen[usize::from(is_resumed)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&steps| steps > 0), "{seen:?}");
    let said = |name: &str| {
        let check = CHECKS.iter().find(|check| check.name == name).expect("a check");
        check.high.as_ref().map(Bound::remedy).expect("a remedy")
    };
    assert_eq!(
        said("time_between"),
        "generations are too short for their overhead: when this run is resumed, raise `run.round_seconds` under a budget; \
         in the next run, raise `selfplay.plies_per_generation` without a budget"
    );
}

/// A remedy must name a key, and the key must exist.
#[test]
fn remedies_name_keys_that_exist() {
    let known = toml::Table::try_from(Config::default()).expect("a table");
    let exists = |key: &str| {
        let (sections, last) = key.rsplit_once('.').expect("a section");
        let section = sections.split('.').try_fold(&known, |table, name| table.get(name)?.as_table());
        section.is_some_and(|section| section.contains_key(last))
    };
    for check in CHECKS {
        for bound in [&check.low, &check.high].into_iter().flatten() {
            for step in bound.steps {
                let keys: Vec<&str> = step.split('`').skip(1).step_by(2).collect();
                assert!(!keys.is_empty(), "{}: {step}", check.name);
                keys.into_iter().for_each(|key| assert!(exists(key), "{}: no key {key}", check.name));
            }
        }
    }
    assert!(!exists("selfplay.resign") && !exists("play.slots"));
}

/// The document has the same ranges as the table, and names every key of a remedy in the row of its figure.
#[test]
fn the_document_lists_every_check_with_its_range() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/how-to/troubleshooting.md");
    let text = std::fs::read_to_string(file).expect("docs/how-to/troubleshooting.md");
    for check in CHECKS {
        let range = match (&check.low, &check.high) {
            (Some(low), Some(high)) => format!("{} to {}", low.at, high.at),
            (Some(low), None) => format!("from {}", low.at),
            (None, Some(high)) => format!("up to {}", high.at),
            (None, None) => panic!("{} has no range", check.name),
        };
        let row = format!("| `{}` | {} | {range} |", check.name, check.title);
        let line = text.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| panic!("docs/how-to/troubleshooting.md lacks {row}"));
        for key in [&check.low, &check.high].into_iter().flatten().flat_map(Bound::keys) {
            assert!(line.contains(&format!("`{key}`")), "docs/how-to/troubleshooting.md: {} lacks {key}", check.name);
        }
    }
}
