//! The indices that were read lately.

use super::index::{GameIndex, MOST_POSITIONS};
use super::open;
use crate::error::ApiError;
use crate::live::{Stamp, stamp};
use crate::sources::{Kind, Source};
use data::DataStore;
use rules::{Variant, VariantId};
use std::any::Any;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Time between two looks at whether another index is done.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A variant, and the ids of the sources whose games are looked at together.
pub(super) type Mixture = (VariantId, Vec<String>);

/// The files that an index was read from, as they were.
type Stamps = Vec<(PathBuf, Stamp)>;

/// Indices, the one asked for last first. Together they have at most [`MOST_POSITIONS`] positions.
#[derive(Default)]
pub(crate) struct Openings {
    kept: Mutex<Vec<Kept>>,
    /// Held while an index is read: one at a time.
    reading: Mutex<()>,
}

/// An index that was read.
struct Kept {
    of: Mixture,
    stamps: Stamps,
    positions: usize,
    /// A [`GameIndex`] of the variant.
    index: Arc<dyn Any + Send + Sync>,
}

impl Openings {
    /// The index of a mixture, read if it is not there. `newest` has it read again if the files have changed since.
    ///
    /// # Errors
    /// There is no such source, it cannot be read, or `stop` is set before that is done.
    pub(super) fn index<V: Variant>(
        &self,
        of: Mixture,
        sources: impl FnOnce() -> Result<Vec<Source>, ApiError>,
        newest: bool,
        stop: &AtomicBool,
    ) -> Result<Arc<GameIndex<V>>, ApiError> {
        if !newest && let Some(index) = self.find(&of, None) {
            return Ok(index);
        }
        let sources = sources()?;
        let _turn = self.turn(stop)?;
        // Before the games are read: what comes meanwhile counts as a change.
        let stamps = stamps(&sources)?;
        if let Some(index) = self.find(&of, newest.then_some(&stamps)) {
            return Ok(index);
        }
        let index = Arc::new(GameIndex::<V>::build(open(&sources)?, MOST_POSITIONS, stop)?);
        let mut kept = self.kept();
        kept.retain(|other| other.of != of);
        kept.insert(0, Kept { of, stamps, positions: index.positions(), index: index.clone() });
        let mut positions = 0;
        kept.retain(|kept| {
            positions += kept.positions;
            positions <= MOST_POSITIONS || positions == kept.positions
        });
        Ok(index)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index of a mixture that was read from these files, or whenever that was.
    fn find<V: Variant>(&self, of: &Mixture, stamps: Option<&Stamps>) -> Option<Arc<GameIndex<V>>> {
        let mut kept = self.kept();
        let place = kept.iter().position(|kept| kept.of == *of && stamps.is_none_or(|now| kept.stamps == *now))?;
        kept[..=place].rotate_right(1);
        Arc::clone(&kept[0].index).downcast().ok()
    }

    /// Waits until no other index is read.
    fn turn(&self, stop: &AtomicBool) -> Result<MutexGuard<'_, ()>, ApiError> {
        loop {
            match self.reading.try_lock() {
                Ok(turn) => return Ok(turn),
                Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
                Err(TryLockError::WouldBlock) if stop.load(Ordering::Relaxed) => {
                    return Err(ApiError::Busy("the request was cancelled".to_owned()));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK_EVERY),
            }
        }
    }
}

/// The files of some sources that change when games are added.
fn stamps(sources: &[Source]) -> Result<Stamps, ApiError> {
    let mut files = Vec::new();
    for source in sources {
        let root = match source.kind {
            // A single log is a file, in which no folder can be looked for.
            Kind::Matches => None,
            Kind::Run | Kind::Data => DataStore::folder_of(&source.path).map_err(ApiError::failed)?,
        };
        match root {
            Some(root) => files.push(root.join(data::MANIFEST)),
            None => files.extend(eval::log::logs_in(&source.path).map_err(ApiError::failed)?),
        }
    }
    Ok(files.into_iter().map(|file| (file.clone(), stamp(&file))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use eval::MatchHeader;
    use eval::log::MatchLog;
    use rules::Wangqi;
    use serde_json::json;
    use std::path::Path;

    fn add_pair(log: &mut MatchLog, pair: u32) {
        let game = |named_first: bool| {
            json!({
                "pair": pair, "first_named_first": named_first, "opening_plies": 0, "moves": "c3c4 e6e5", "plies": 2,
                "result": 0, "termination": "repetition", "session": 1, "elapsed_ms": 1,
            })
        };
        log.append([true, false].map(|first| serde_json::from_value(game(first)).unwrap()).into()).unwrap();
    }

    fn begin(path: &Path) -> MatchLog {
        let player = |name: &str| json!({ "name": name, "identity": name, "search": null });
        let header = json!({
            "kirin_match": MatchHeader::FORMAT, "variant": "wangqi", "ruleset": "standard", "max_plies": 300, "seed": 1,
            "openings": "start", "players": [player("a"), player("b")],
        });
        MatchLog::open(path, serde_json::from_value(header).unwrap()).unwrap()
    }

    #[test]
    fn a_single_log_is_explored_and_read_again_when_it_grows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-vs-b.jsonl");
        let mut log = begin(&path);
        add_pair(&mut log, 0);
        add_pair(&mut begin(&folder.path().join("c-vs-d.jsonl")), 0);
        let variant: VariantId = "wangqi".parse().unwrap();
        let openings = Openings::default();
        let games = |newest| {
            let source = Source { id: "a-vs-b.jsonl".to_owned(), kind: Kind::Matches, path: path.clone() };
            let of = (variant, vec![source.id.clone()]);
            let stop = AtomicBool::new(false);
            let index = openings.index::<Wangqi>(of, || Ok(vec![source]), newest, &stop);
            index.map(|index| index.games.len()).map_err(|error| format!("{error:?}"))
        };
        assert_eq!(games(true), Ok(2));
        add_pair(&mut log, 1);
        assert_eq!((games(false), games(true)), (Ok(2), Ok(4)));
    }
}
