//! What workers need from games of earlier generations, as self-play on one machine does: starts near the ends of
//! decided games, and the winning chance below which resigning is right. The trainer, which has all games, uploads it
//! with each generation.

use super::gather::SHARD;
use super::objects::{FORMAT, FileObject, HistoryHints, put_file};
use crate::error::Result;
use crate::store::Store;
use lab::{Notice, Plan, Run};
use rules::{Scoresheet, Variant};
use selfplay::generator::{EarlierGames, History};
use serde::{Deserialize, Serialize};

/// Names of shards with network games: the trainer's, and that of a run that was begun on one machine.
const SHARDS: [&str; 2] = [SHARD, lab::SHARD];

/// Most games that are uploaded. A worker begins at most some hundred games with a network, so more are useless; these are
/// about as large as a network.
const MOST_ENDINGS: usize = 500;

/// The object with the endings.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Endings<V: Variant> {
    format: u32,
    games: Vec<Scoresheet<V>>,
}

/// Uploads what the next generation needs from earlier ones; `None` if that is nothing.
pub(super) fn publish<V: Variant>(run: &Run<V>, store: &Store, plan: &Plan) -> Result<Option<HistoryHints>> {
    let context = run.context();
    let past = History::of(&EarlierGames {
        store: &context.store,
        shards: &SHARDS,
        generation: plan.generation + 1,
        progress: plan.progress_to as f32,
        selfplay: &context.config.selfplay,
        rules: context.rules,
    })?;
    for problem in &past.damaged_shards {
        context.host.observer.notice(&Notice::EarlierGamesLeftOut(problem));
    }
    if past.endings.is_empty() && past.resign_below == 0.0 {
        return Ok(None);
    }
    let mut endings = None;
    if !past.endings.is_empty() {
        // Evenly spaced, since similar games are next to each other.
        let every = past.endings.len().div_ceil(MOST_ENDINGS);
        let games = past.endings.into_iter().step_by(every).collect();
        let content = serde_json::to_vec(&Endings { format: FORMAT, games })
            .map_err(|error| super::objects::unusable(store, "endings", &error.to_string()))?;
        endings = Some(put_file(store, FileObject::of("endings", plan.generation, "json", &content), content)?);
    }
    Ok(Some(HistoryHints { resign_below: past.resign_below, endings }))
}

/// The history in a generation's record.
pub(super) fn read<V: Variant>(store: &Store, hints: Option<&HistoryHints>) -> Result<History<V>> {
    let mut past = History::none();
    if let Some(hints) = hints {
        past.resign_below = hints.resign_below;
        if let Some(object) = &hints.endings {
            let endings: Endings<V> = serde_json::from_slice(&object.read(store)?)
                .map_err(|error| super::objects::unusable(store, &object.key, &error.to_string()))?;
            past.endings = endings.games;
        }
    }
    Ok(past)
}
