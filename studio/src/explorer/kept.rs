//! The indices that were read lately.

use super::index::{GameIndex, MOST_POSITIONS};
use super::open;
use crate::error::ApiError;
use crate::live::{Stamp, stamp};
use crate::sources::Source;
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
        match DataStore::folder_of(&source.path).map_err(ApiError::failed)? {
            Some(root) => files.push(root.join(data::MANIFEST)),
            None => files.extend(eval::log::logs_in(&source.path).map_err(ApiError::failed)?),
        }
    }
    Ok(files.into_iter().map(|file| (file.clone(), stamp(&file))).collect())
}
