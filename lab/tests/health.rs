//! A run reports a figure that leaves its range once, and does not repeat the report after an interruption.

use crate::tiny;
use lab::events::{NetworkSpeed, Stage};
use lab::health::Health;
use lab::{About, Ended, Host, Meter, Notice, Observer, Run, RunFolder, Silent, Task};
use rules::Wangqi;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps the names of figures that left their range, with the generation.
#[derive(Default)]
struct Listener(Mutex<Vec<(u32, String)>>);

impl Observer for Listener {
    fn notice(&self, notice: &Notice<'_>) {
        if let Notice::Ill { generation, figure } = notice {
            assert!(figure.remedy.is_some());
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((*generation, figure.name.to_owned()));
        }
    }

    fn begin(&self, _: u32, _: Task, _: u64) -> Box<dyn Meter> {
        Box::new(Silent)
    }
}

#[test]
fn a_figure_that_leaves_its_range_is_told_once() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    // 30 plies are too few for a winner, so that nearly all games reach the limit.
    let mut config = tiny::config();
    (config.run.generations, config.selfplay.slots, config.selfplay.plies_per_generation) = (3, 16, 60);
    (config.selfplay.ending_share, config.evaluation.pairs, config.evaluation.final_pairs) = (0.0, 0, 0);
    let listener = Arc::new(Listener::default());
    // The run is opened again for each stage.
    loop {
        let host = Host { version: "test", revision: "test", observer: listener.clone(), stop: Arc::default() };
        let mut run = Run::<Wangqi>::open(&config, folder.clone(), None, host).expect("a run");
        let Some((plan, task)) = run.next_task().expect("a plan") else { break };
        assert!(matches!(run.perform(&plan, task).expect("a stage"), Ended::Done(_)));
    }
    let told = listener.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let events = tiny::events(&folder);
    let health = Health::of(&events);
    let ill = |generation: &Health| generation.figure("capped").is_some_and(|figure| !figure.is_healthy());
    assert_eq!(health.iter().filter(|health| ill(health)).count(), 3, "{health:?}");
    assert_eq!(told.iter().filter(|(_, name)| name == "capped").collect::<Vec<_>>(), [&(1, "capped".to_owned())]);
    for event in &events {
        if let Stage::Selfplay(stage) = &event.stage {
            let ends = stage.ends.as_ref().expect("how games ended");
            assert!(ends.capped > 0 && ends.capped <= stage.games && ends.proven <= stage.searched, "{stage:?}");
        }
        if let Stage::Train(stage) = &event.stage {
            assert!(stage.policy_entropy.is_some_and(|entropy| entropy > 0.5), "{stage:?}");
        }
    }
}

/// The settings that the machine chose at the start are checked again in each generation, and are not changed.
#[test]
fn self_play_is_compared_with_the_speed_measured_when_the_run_began() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(temporary.path().join("run"));
    let mut config = tiny::config();
    (config.run.generations, config.evaluator.batch) = (1, 0);
    (config.evaluation.pairs, config.evaluation.final_pairs) = (0, 0);
    let first = tiny::finish(&config, &folder, None);
    let measured = || About::read(&folder).expect("run.json").expect("a run").evaluations_per_second;
    let at_first = measured().expect("the batch was left to choose");
    // A resumed run does not measure it again.
    (config.run.generations, config.run.threads) = (2, 2);
    assert_eq!(tiny::finish(&config, &folder, None)[..first.len()], first[..]);
    assert_eq!(measured(), Some(at_first));
    let events = tiny::events(&folder);
    let speeds = events.iter().filter_map(|event| match &event.stage {
        Stage::Selfplay(stage) if stage.undecided.is_none() => Some(stage.speed.expect("a speed")),
        _ => None,
    });
    let speeds: Vec<NetworkSpeed> = speeds.collect();
    assert_eq!(speeds.len(), 2);
    // The second generation has twice the threads.
    for (speed, threads) in speeds.iter().zip([1.0, 2.0]) {
        assert!(speed.measured == threads * at_first && speed.in_selfplay > 0.0, "{speed:?}");
    }
    assert!(Health::of(&events).iter().all(|health| health.figure("network_speed").is_some()));

    let given = RunFolder::new(temporary.path().join("given"));
    tiny::finish(&tiny::config(), &given, None);
    let is_without =
        |event: &lab::events::Event| !matches!(&event.stage, Stage::Selfplay(stage) if stage.speed.is_some());
    assert!(tiny::events(&given).iter().all(is_without), "nothing was measured");
}
