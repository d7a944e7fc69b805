//! A referee: plays the matches that generations ask for, pair by pair. There may be any number of them.

use super::objects::{
    Begun, Generation, MOST_RECORD_BYTES, MatchRequest, NetworkObject, generation_key, match_name, match_prefix,
    pair_key,
};
use super::worker::{joined, network};
use super::{Awaited, Left, Post, RunEvent, is_over, wait};
use crate::error::{Result, RoleError};
use crate::store::{Placed, RetryPolicy, Store};
use eval::log::MatchLogContents;
use eval::{Match, PlayerConfig};
use lab::memory::{self, Worker};
use lab::{Config, Host, LabError};
use lab::{match_evaluator, network_player, opponent_player, read_whole, write_whole};
use rules::encode::Shape;
use rules::{Variant, VariantId};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
use train::{EvaluatorConfig, NetworkFile};

/// Error text for a log of another pair or match.
pub(super) const OTHER: &str = "it is the log of another pair or match";

/// Options of a referee, in addition to the configuration.
#[derive(Clone, Debug)]
pub struct RefereeOptions {
    /// Its number among the referees: they begin at different pairs.
    pub index: u32,
    /// A folder for games in progress.
    pub folder: PathBuf,
    /// Time between two looks for a newer network.
    pub poll: Duration,
}

/// Distance in pairs between the first pairs of two referees; a prime number, so that they are spread over any match.
const APART: u32 = 17;

/// Plays until the matches of the last network are played or a stop is asked for.
///
/// # Errors
/// The settings differ from the run's, the store cannot be reached for long, or a network cannot be used.
pub fn work<V: Variant>(post: &Post, options: &RefereeOptions) -> Result<Left> {
    let Some((begun, config)) = joined(post, options.poll)? else { return Ok(Left::Stopped) };
    memory::require(&config, &Shape::of::<V>(config.network.features), Worker::Referee, memory::available())?;
    let Post { store, host, tell, .. } = *post;
    std::fs::create_dir_all(&options.folder).map_err(LabError::io("make the folder", &options.folder))?;
    let mut generation = begun.network.generation + 1;
    let mut awaited = Awaited::default();
    while !host.is_stopped() {
        let Some(record) = Generation::read(store, generation)? else {
            let (number, key) = (u64::from(generation), |number: u64| generation_key(number as u32));
            if let Some(later) = awaited.later(store, number, RetryPolicy::default(), key)? {
                tell(RunEvent::Gap { url: store.url().to_owned(), key: key(number), later });
            }
            wait(options.poll, &host.stop);
            continue;
        };
        for asked in &record.matches {
            let game = MatchContext { config: &config, store, options, host, begun: &begun, tell };
            if !game.play::<V>(*asked)? {
                return Ok(Left::Stopped);
            }
        }
        if is_over(store, &record.plan)? {
            return Ok(Left::Over);
        }
        generation += 1;
        awaited = Awaited::default();
    }
    Ok(Left::Stopped)
}

/// The context of a match.
struct MatchContext<'a> {
    config: &'a Config,
    store: &'a Store,
    options: &'a RefereeOptions,
    host: &'a Host,
    begun: &'a Begun,
    tell: &'a dyn Fn(RunEvent),
}

/// The seed of a pair: every pair is a match of its own, with an opening derived from its number.
pub(super) fn pair_seed(run_id: &str, seed: u64, asked: MatchRequest, pair: u32) -> u64 {
    let MatchRequest { network, opponent, .. } = asked;
    // The format from before there were fixed players.
    let opponent = opponent.network().map_or_else(|| opponent.to_string(), |network| network.to_string());
    let digest = blake3::hash(format!("{run_id} {seed} match {network} {opponent} pair {pair}").as_bytes());
    u64::from_le_bytes(std::array::from_fn(|at| digest.as_bytes()[at])) >> 1
}

/// Whether a log is that of a pair between the networks of these ids, with the opening of this seed. A fixed player has
/// no id here: the seed depends on its name.
pub(super) fn is_of<V: Variant>(log: &MatchLogContents, ids: [Option<&str>; 2], seed: u64) -> bool {
    log.header.as_ref().is_some_and(|header| {
        let is_player = |at: usize| ids[at].is_none_or(|id| header.players[at].identity == id);
        header.variant == V::ID && is_player(0) && is_player(1) && header.seed == seed
    })
}

impl MatchContext<'_> {
    /// Plays the pairs that are missing in the store; returns whether the match is complete.
    fn play<V: Variant>(&self, asked: MatchRequest) -> Result<bool> {
        let MatchRequest { network, opponent, pairs } = asked;
        let mut there: BTreeSet<String> = self.store.names_in(&match_prefix(network, opponent))?.into_iter().collect();
        let key = |pair: u32| pair_key(network, opponent, pair);
        let is_there = |there: &BTreeSet<String>, pair: u32| there.contains(&format!("{pair:06}.jsonl"));
        if (0..pairs).any(|pair| !is_there(&there, pair)) {
            let evaluator = |file: &NetworkFile| self.evaluator(file);
            let other = opponent_player::<V, _>(opponent, |own| self.player::<V>(own), evaluator)?;
            let players = [self.player::<V>(network)?, other];
            let first = self.options.index.wrapping_mul(APART) % pairs.max(1);
            for pair in (0..pairs).map(|pair| (first + pair) % pairs) {
                // Another referee may have uploaded it since.
                if is_there(&there, pair) || self.store.contains(&key(pair))? {
                    continue;
                }
                let Some(log) = self.pair::<V>(&players, asked, pair)? else { return Ok(false) };
                let placed = self.store.put_new(&key(pair), read_whole(&log)?)?;
                // Removed only now, so that a finished pair is always in one of the two places.
                std::fs::remove_file(&log).map_err(LabError::io("remove", &log))?;
                if placed != Placed::Taken {
                    (self.tell)(RunEvent::Pair { key: key(pair) });
                }
                there.insert(format!("{pair:06}.jsonl"));
            }
            let results = self.results::<V>(asked)?;
            (self.tell)(RunEvent::Match { network, opponent, results });
        }
        Ok(true)
    }

    /// Plays one pair; returns the file of its log, or `None` if a stop was asked for.
    fn pair<V: Variant>(&self, players: &[PlayerConfig; 2], asked: MatchRequest, pair: u32) -> Result<Option<PathBuf>> {
        let MatchRequest { network, opponent, .. } = asked;
        let mut config = self.config.evaluation.match_config(self.config, 1);
        config.seed = pair_seed(&self.begun.about.run_id, config.seed, asked, pair);
        let log = self.options.folder.join(format!("{}-{pair:06}.jsonl", match_name(network, opponent)));
        let report = Match {
            variant: V::ID.parse::<VariantId>()?,
            config: &config,
            players: [&players[0], &players[1]],
            log: &log,
        }
        .play(&self.host.stop, |_| {})?;
        if report.missing_games > 0 {
            return Ok(None);
        }
        Ok(Some(log))
    }

    fn player<V: Variant>(&self, generation: u32) -> Result<PlayerConfig> {
        let file = network::<V>(self.store, &self.network_of(generation)?)?;
        let settings = self.config.evaluation.match_config(self.config, 1);
        let search = settings.search(&self.config.search);
        let evaluator = self.evaluator(&file)?;
        Ok(network_player(format!("gen-{generation:04}"), file, &search, &evaluator))
    }

    fn evaluator(&self, file: &NetworkFile) -> Result<EvaluatorConfig> {
        Ok(match_evaluator(1, &train::trusted(file, &self.config.evaluator)?.0))
    }

    fn network_of(&self, generation: u32) -> Result<NetworkObject> {
        if generation == self.begun.network.generation {
            return Ok(self.begun.network.clone());
        }
        let missing = || {
            let key = generation_key(generation);
            super::objects::unusable(self.store, &key, "it is missing")
        };
        Ok(Generation::read(self.store, generation)?.ok_or_else(missing)?.network)
    }

    /// Games that the network has won, drawn and lost, in all pairs in the store. The log of another pair or match is
    /// an error, and is not counted.
    fn results<V: Variant>(&self, asked: MatchRequest) -> Result<[u64; 3]> {
        let keys: Vec<String> = (0..asked.pairs).map(|pair| pair_key(asked.network, asked.opponent, pair)).collect();
        let mut results = [0; 3];
        let file = self.options.folder.join("read.jsonl");
        let of = |network: u32| Ok::<_, RoleError>(self.network_of(network)?.id);
        let ids = [Some(of(asked.network)?), asked.opponent.network().map(of).transpose()?];
        let seed = self.config.evaluation.match_config(self.config, 1).seed;
        for ((pair, key), log) in (0..).zip(&keys).zip(self.store.get_all(&keys, MOST_RECORD_BYTES)?) {
            let Some(log) = log else { continue };
            write_whole(&file, &log)?;
            let log = eval::log::read(&file)?;
            let seed = pair_seed(&self.begun.about.run_id, seed, asked, pair);
            if !is_of::<V>(&log, ids.each_ref().map(Option::as_deref), seed) {
                return Err(super::objects::unusable(self.store, key, OTHER));
            }
            for game in log.games.values() {
                let place = match game.result_of_first_named() {
                    1 => 0,
                    0 => 1,
                    _ => 2,
                };
                results[place] += 1;
            }
        }
        Ok(results)
    }
}
