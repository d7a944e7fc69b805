//! Networks and fixed players as players of matches: this file joins `train` and `eval`, which do not know each other.

use crate::error::{LabError, Result};
use crate::opponent::Opponent;
use eval::PlayerConfig;
use eval::benchmark::ReferenceLadder;
use rules::Variant;
use search::{EvaluationError, Evaluator, SearchConfig};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use train::{Backend, EvaluatorConfig, NetworkEvaluator, NetworkFile};

/// The evaluator settings recorded in match logs. A resumed match keeps them, whatever this machine would choose now;
/// otherwise its games would not belong to one match.
#[derive(Clone, Debug, Default)]
pub struct EvaluatedBefore(BTreeMap<String, EvaluatorConfig>);

impl EvaluatedBefore {
    /// Reads the logs at these paths; missing files are skipped.
    pub fn of_logs<'a>(paths: impl IntoIterator<Item = &'a Path>) -> EvaluatedBefore {
        let known = |(identity, how)| Some((identity, serde_json::from_value(how).ok()?));
        EvaluatedBefore(eval::log::evaluations(paths).into_iter().filter_map(known).collect())
    }

    /// Reads the logs in a folder.
    pub fn of_folder(folder: &Path) -> EvaluatedBefore {
        let paths = eval::log::logs_in(folder).unwrap_or_default();
        EvaluatedBefore::of_logs(paths.iter().map(PathBuf::as_path))
    }

    /// The settings with which this network was evaluated.
    pub fn of(&self, file: &NetworkFile) -> Option<&EvaluatorConfig> {
        self.0.get(file.id())
    }
}

/// The settings for a new match of `pairs` pairs.
pub fn match_evaluator(pairs: u32, evaluator: &EvaluatorConfig) -> EvaluatorConfig {
    EvaluatorConfig { batch: batch_for(pairs, evaluator), ..evaluator.clone() }
}

/// A network as a player, with evaluators of the given settings, which must be complete.
pub fn network_player(
    name: String,
    file: NetworkFile,
    search: &SearchConfig,
    evaluator: &EvaluatorConfig,
) -> PlayerConfig {
    let evaluator = evaluator.clone();
    // Settings are names and numbers, which JSON can hold. The number of calling threads does not change any evaluation.
    let how = serde_json::to_value(EvaluatorConfig { callers: 0, ..evaluator.clone() }).unwrap_or_default();
    let identity = file.id().to_owned();
    let player = PlayerConfig::network(name, identity, search, move || {
        NetworkEvaluator::new(&file, &evaluator)
            .map(|evaluator| Box::new(evaluator) as Box<dyn Evaluator>)
            .map_err(EvaluationError::network)
    });
    player.evaluated(how)
}

/// The opponent in a match of a run. `own` makes a player of a network of the run, and `evaluator` says how the network
/// that comes with Kirin is evaluated. That network searches with the default settings, as in `kirin eval match`, so it
/// is the same player in every run.
///
/// # Errors
/// Errors of `own` and `evaluator`; or the network that comes with Kirin is needed and there is none.
pub fn opponent_player<V: Variant, E: From<LabError>>(
    opponent: Opponent,
    own: impl FnOnce(u32) -> Result<PlayerConfig, E>,
    evaluator: impl FnOnce(&NetworkFile) -> Result<EvaluatorConfig, E>,
) -> Result<PlayerConfig, E> {
    Ok(match opponent {
        Opponent::Network(generation) => own(generation)?,
        Opponent::Random => PlayerConfig::random(),
        Opponent::Greedy => PlayerConfig::greedy(),
        Opponent::Mcts(playouts) => PlayerConfig::mcts(playouts),
        Opponent::Builtin(visits) => {
            let file = builtin::<V>()?;
            let search = SearchConfig { visits, ..SearchConfig::of_network() };
            let evaluator = evaluator(&file)?;
            network_player("builtin".to_owned(), file, &search, &evaluator)
        }
        Opponent::Level(number) => {
            let level =
                ReferenceLadder::level(V::ID.parse().map_err(LabError::from)?, number).map_err(LabError::from)?;
            let file = builtin::<V>()?;
            let evaluator = evaluator(&file)?;
            let player = network_player(format!("level {number}"), file, &level.search(), &evaluator);
            match level.temperature {
                Some(temperature) => player.at(temperature),
                None => player,
            }
        }
    })
}

/// The network of a variant that comes with Kirin.
fn builtin<V: Variant>() -> Result<NetworkFile> {
    train::builtin(V::ID.parse()?)?.ok_or(LabError::NoBuiltin { variant: V::ID })
}

/// Pairs from which a match has enough games for batches of 16 on two threads (computed, not measured).
const ENOUGH_FOR_16: u32 = 20;

/// Batch size of a match. libtorch's batches are padded to their full size, and a thread has few games of a match to fill
/// them with, fewer towards its end. On a CPU libtorch is near its best from 16 (measured); on a GPU each of many threads has
/// a batch of its own in flight. The size affects the last bits of libtorch's evaluations, so it does not depend on the number
/// of threads. Without libtorch none of this holds.
fn batch_for(pairs: u32, evaluator: &EvaluatorConfig) -> usize {
    if evaluator.backend == Backend::Native {
        return evaluator.batch;
    }
    evaluator.batch.min(if pairs < ENOUGH_FOR_16 { 8 } else { 16 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::opponents;
    use eval::benchmark::FixedScale;
    use eval::{Match, MatchConfig};
    use rules::VariantId;
    use std::sync::atomic::AtomicBool;
    use train::{Backend, Blueprint, DeviceChoice, Layout, NetworkConfig, Precision};

    #[test]
    fn a_network_is_evaluated_as_the_log_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("wangqi-x.jsonl");
        let size = NetworkConfig { blocks: 1, channels: 8, se_hidden: 4, ..NetworkConfig::default() };
        let file = train::untrained(Blueprint::of::<rules::Wangqi>(size), 1).expect("a network");
        let evaluator = EvaluatorConfig {
            backend: Backend::Torch,
            device: DeviceChoice::Cpu,
            precision: Precision::Fp32,
            layout: Layout::Contiguous,
            batch: 64,
            threads: 1,
            callers: 2,
        };
        let fitted = match_evaluator(1, &evaluator);
        assert_eq!(fitted.batch, 8);
        let search = SearchConfig { visits: 2, ..SearchConfig::default() };
        let player = network_player("net".to_owned(), file.clone(), &search, &fitted);
        let config = MatchConfig { pairs: 1, max_plies: 8, threads: 1, ..MatchConfig::default() };
        let players = [&player, &PlayerConfig::random()];
        Match { variant: VariantId::Wangqi, config: &config, players, log: &log }
            .play(&AtomicBool::new(false), |_| {})
            .expect("played");
        assert!(EvaluatedBefore::of_logs([folder.path().join("other.jsonl").as_path()]).of(&file).is_none());
        let before = EvaluatedBefore::of_folder(folder.path());
        // The number of calling threads is left to the machine.
        assert_eq!(before.of(&file), Some(&EvaluatorConfig { callers: 0, ..fitted }));
    }

    /// A fixed player of a run is the one that played the matches of the ladder.
    #[test]
    fn fixed_players_are_those_of_the_ladder() {
        for &variant in VariantId::ALL {
            let Some(scale) = FixedScale::of(variant) else { continue };
            assert!(opponents(scale).count() >= 3, "{variant}: random, greedy and a network at least");
            rules::dispatch!(variant, V => {
                for (opponent, known) in opponents(scale) {
                    let own = |_| -> Result<PlayerConfig> { panic!("{opponent} is no network of the run") };
                    let player = opponent_player::<V, LabError>(opponent, own, |_| Ok(EvaluatorConfig::default()));
                    assert_eq!(player.expect("a player").id(MatchConfig::default().limit), known.id, "{variant} {opponent}");
                }
            });
        }
    }
}
