//! Runs that take a moment: they test the loop, not what it learns.

pub mod damage;

use lab::events::{self, Event, Stage};
use lab::{Config, Ended, Host, LabError, Run, RunFolder, Silent};
use rules::Wangqi;
use rules::encode::Features;
use std::path::Path;
use std::sync::Arc;
use train::{Backend, DeviceChoice, EvaluatorConfig, Layout, NetworkConfig, Precision, TrainConfig};

/// One generation of wangqi.
pub fn config() -> Config {
    let mut config = Config::default();
    config.run.variant = "wangqi".to_owned();
    (config.run.generations, config.run.threads, config.run.uses) = (1, 1, 1.0);
    config.search.visits = 4;
    (config.selfplay.slots, config.selfplay.plies_per_generation) = (8, 24);
    (config.selfplay.max_plies, config.selfplay.stagger_plies) = (30, 20);
    config.network = NetworkConfig {
        blocks: 1,
        channels: 8,
        se_hidden: 4,
        policy_dim: 4,
        value_channels: 2,
        value_hidden: 8,
        features: Features::ALL,
        ..NetworkConfig::default()
    };
    config.evaluator = EvaluatorConfig {
        backend: Backend::Native,
        device: DeviceChoice::Cpu,
        precision: Precision::Fp32,
        layout: Layout::ChannelsLast,
        batch: 8,
        threads: 1,
        ..EvaluatorConfig::default()
    };
    config.training =
        TrainConfig { batch: 16, device: DeviceChoice::Cpu, threads: 1, parts: 1, ..TrainConfig::default() };
    (config.evaluation.pairs, config.evaluation.final_pairs, config.evaluation.visits) = (1, 1, 4);
    config.evaluation.max_plies = 30;
    config
}

/// The small configuration with searches of two simulations: one generation with enough games for a training, and a
/// match.
fn smallest() -> Config {
    let mut config = config();
    config.search.visits = 2;
    config.evaluation.visits = 2;
    config
}

/// Opens a run.
pub fn open(config: &Config, folder: &RunFolder, from: Option<&RunFolder>) -> Result<Run<Wangqi>, LabError> {
    let host = Host { version: "test", revision: "test", observer: Arc::new(Silent), stop: Arc::default() };
    Run::open(config, folder.clone(), from.map(RunFolder::root), host)
}

/// Performs the remaining tasks of a run, as far as it gets.
fn perform_rest(config: &Config, folder: &RunFolder, from: Option<&RunFolder>) -> Result<(), LabError> {
    let mut run = open(config, folder, from)?;
    while let Some((plan, task)) = run.next_task()? {
        assert!(matches!(run.perform(&plan, task)?, Ended::Done(_)));
    }
    Ok(())
}

/// Performs the remaining tasks of a run of the [`smallest`] size, as far as it gets.
pub fn run_smallest(folder: &RunFolder) -> Result<(), LabError> {
    perform_rest(&smallest(), folder, None)
}

/// Performs the remaining tasks; returns all finished stages of the run.
pub fn finish(config: &Config, folder: &RunFolder, from: Option<&RunFolder>) -> Vec<String> {
    perform_rest(config, folder, from).expect("the run ends");
    stages(folder)
}

/// The finished stages of a run: `selfplay 1`, `train 1`, `match 2-1`. Matches with fixed players are left out, because
/// their choice depends on results.
pub fn stages(folder: &RunFolder) -> Vec<String> {
    events(folder).iter().filter_map(name).collect()
}

/// The record of a run.
pub fn events(folder: &RunFolder) -> Vec<Event> {
    events::read(&folder.events()).expect("events")
}

fn name(event: &Event) -> Option<String> {
    Some(match &event.stage {
        Stage::Selfplay(_) => format!("selfplay {}", event.generation),
        Stage::Train(_) => format!("train {}", event.generation),
        Stage::Untrained(_) => format!("untrained {}", event.generation),
        Stage::Repaired(repaired) => format!("repaired {}", repaired.network),
        Stage::Match(played) => format!("match {}-{}", played.network, played.opponent.network()?),
    })
}

/// Copies a folder with all its contents.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a copy");
        }
    }
}

/// The findings of a check of the run.
pub fn problems(folder: &RunFolder) -> Vec<String> {
    lab::verify::verify(folder, &|_| ()).problems.iter().map(ToString::to_string).collect()
}

/// The outcome of a run: its games, ids of networks, digests of shards, results of matches, without clock times and the
/// order of the work.
pub fn end(folder: &RunFolder) -> Vec<String> {
    let mut end: Vec<String> = events(folder)
        .into_iter()
        .map(|event| match event.stage {
            Stage::Selfplay(played) => format!("played {}: {} {}", event.generation, played.games, played.positions),
            Stage::Train(train) => format!("network {}: {}", event.generation, train.network),
            Stage::Untrained(_) => format!("untrained {}", event.generation),
            Stage::Match(m) => format!("match {}-{}: {} {} {}", m.network, m.opponent, m.wins, m.draws, m.losses),
            // These files describe how the run got there, not its outcome.
            Stage::Repaired(_) => String::new(),
        })
        .collect();
    let manifest = folder.data().join(data::MANIFEST);
    let shards = data::LineLog::<data::ShardEntry>::read(&manifest).expect("a manifest").entries;
    end.extend(shards.into_iter().map(|shard| format!("{} {}", shard.games.blake3, shard.positions.blake3)));
    end.retain(|line| !line.is_empty());
    end.sort();
    end.dedup();
    end
}
