//! The slots between two generations, or at a clean stop within one: a line with a checksum ([`data::LineLog`]), replaced whole.

use super::GenerateError;
use super::randomness::GameSeed;
use super::slot::{Slot, UnfinishedGame};
use data::{DataError, GameRecord, LineLog, LogEntry, PositionRecord};
use rules::{Game, Move, Position, Rules, Variant};
use search::SearchConfig;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Version of the format below.
const FORMAT: u32 = 2;

/// The file's contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Snapshot {
    format: u32,
    variant: String,
    run_seed: u64,
    /// The generation the slots are in.
    pub generation: u32,
    slots: Vec<SlotState>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SlotState {
    slot: u32,
    number: u64,
    plies_done: u32,
    game: Option<GameState>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameState {
    /// FEN of its start, if that is not the variant's.
    start_fen: Option<String>,
    moves: Vec<Move>,
    /// Absent in files of older programs, whose games began anew at such a position.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    from_ending: bool,
    records: Vec<PositionRecord>,
    started_at: i64,
    wall_ms: u32,
}

impl LogEntry for Snapshot {
    const TAG: &'static str = "slots";
    /// One line has all slots: 65,536 games of some thousand moves.
    const LONGEST_LINE: usize = 1 << 30;
    const ONCE_WITHOUT_CHECKSUM: bool = true;
}

impl GameState {
    /// The game so far, every move checked; else what is wrong.
    fn replayed<V: Variant>(&self, rules: Rules<V>) -> Result<Game<V>, String> {
        let start = Position::from_start_fen(self.start_fen.as_deref()).map_err(|error| error.to_string())?;
        Game::from_moves(rules, start, &self.moves).map_err(|error| error.to_string())
    }
}

/// Why the file with the slots could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}; restore it from a copy, or let `kirin verify --repair` set it aside, after which all slots begin new games", path.display())]
pub struct SnapshotError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl Snapshot {
    /// Reads the file; `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read, is damaged or not whole, or is of another format, variant or run seed.
    pub fn read<V: Variant>(path: &Path, run_seed: u64) -> Result<Option<Snapshot>, GenerateError> {
        let error = |reason: String| GenerateError::Snapshot(SnapshotError { path: path.to_owned(), reason });
        let contents = match LineLog::<Snapshot>::read(path) {
            Err(DataError::Line { fault, .. }) => return Err(error(format!("is not a file of slots: {fault}"))),
            Err(DataError::NotALog { .. }) => return Err(error("is not a file of slots".to_owned())),
            contents => contents?,
        };
        let mut snapshots = contents.entries.into_iter();
        let (Some(snapshot), None, 0) = (snapshots.next(), snapshots.next(), contents.torn_bytes) else {
            // A log that is not there is empty; this file is never written so.
            return if data::bounded::is_there(path)? {
                Err(error("is not a file of slots: it is not whole".to_owned()))
            } else {
                Ok(None)
            };
        };
        if snapshot.format != FORMAT {
            return Err(error(format!("has format {}, this program reads {FORMAT}", snapshot.format)));
        }
        if snapshot.variant != V::ID {
            return Err(error(format!("holds games of {}, not of {}", snapshot.variant, V::ID)));
        }
        if snapshot.run_seed != run_seed {
            return Err(error(format!("belongs to a run with seed {}, not {run_seed}", snapshot.run_seed)));
        }
        Ok(Some(snapshot))
    }

    /// The present state of the slots, with `plies_done` as of `generation`.
    pub fn of<V: Variant>(slots: &[Slot<V>], run_seed: u64, generation: u32, timestamps: bool) -> Snapshot {
        let game = |flight: &UnfinishedGame<V>| GameState {
            start_fen: flight.game.start_position().start_fen(),
            moves: flight.game.moves().to_vec(),
            from_ending: flight.from_ending,
            records: flight.records.clone(),
            started_at: flight.started_at,
            wall_ms: if timestamps { flight.wall_ms() } else { 0 },
        };
        let slots = slots.iter().map(|slot| SlotState {
            slot: slot.index,
            number: slot.number,
            plies_done: slot.plies_done,
            game: slot.game.as_ref().map(game),
        });
        Snapshot { format: FORMAT, variant: V::ID.to_owned(), run_seed, generation, slots: slots.collect() }
    }

    /// The records of each unfinished game.
    pub fn unfinished(&self) -> impl Iterator<Item = &[PositionRecord]> {
        self.slots.iter().filter_map(|state| state.game.as_ref()).map(|game| &game.records[..])
    }

    /// Writes the file so that it is there whole or as it was before.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), DataError> {
        LineLog::replace(path, [self]).map(|_| ())
    }

    /// The slots as the file has them; those it lacks begin with new games.
    ///
    /// # Errors
    /// A start position or a move of an unfinished game is not possible by `rules`; the error names the slot.
    pub fn restore<V: Variant>(
        self,
        path: &Path,
        mut slots: Vec<Slot<V>>,
        rules: Rules<V>,
    ) -> Result<Vec<Slot<V>>, SnapshotError> {
        for state in self.slots {
            // A run may be continued with fewer slots; their games are given up.
            let Some(slot) = slots.get_mut(state.slot as usize) else { continue };
            slot.number = state.number;
            slot.plies_done = state.plies_done;
            let Some(game) = state.game else { continue };
            let fault =
                |what: String| SnapshotError { path: path.to_owned(), reason: format!("slot {}: {what}", slot.index) };
            let replayed = game.replayed(rules).map_err(fault)?;
            slot.take_up(UnfinishedGame {
                game: replayed,
                seed: GameSeed::new(self.run_seed, slot.index, slot.number),
                from_ending: game.from_ending,
                records: game.records,
                started_at: game.started_at,
                wall_ms: game.wall_ms,
                since: Instant::now(),
            });
        }
        Ok(slots)
    }
}

/// Checks the file that a run leaves its slots in: its checksum, that it belongs to a run with this seed, and that the moves of
/// its unfinished games are legal. Returns their number; `None` if there is no such file.
///
/// # Errors
/// What is wrong with it ([`GenerateError::Snapshot`]), or it cannot be read ([`GenerateError::Data`]).
pub fn check_slots<V: Variant>(path: &Path, run_seed: u64, rules: Rules<V>) -> Result<Option<u64>, GenerateError> {
    let Some(snapshot) = Snapshot::read::<V>(path, run_seed)? else { return Ok(None) };
    let mut games = 0;
    for state in &snapshot.slots {
        if let Some(game) = &state.game {
            let fault =
                |what: String| SnapshotError { path: path.to_owned(), reason: format!("slot {}: {what}", state.slot) };
            game.replayed(rules).map_err(fault)?;
            games += 1;
        }
    }
    Ok(Some(games))
}

/// Writes the file of a run whose slots all begin new games in this generation.
///
/// # Errors
/// The file cannot be written.
pub fn begin_slots<V: Variant>(path: &Path, run_seed: u64, generation: u32) -> Result<(), DataError> {
    let variant = V::ID.to_owned();
    Snapshot { format: FORMAT, variant, run_seed, generation, slots: Vec::new() }.write(path)
}

/// Bits of a game's number that count games; those above hold the generation in which its slot was new.
const GAMES_BITS: u32 = 32;

/// Whether a game of this number is the first of its slot.
pub(super) fn is_first(number: u64) -> bool {
    number & ((1 << GAMES_BITS) - 1) == 0
}

/// New slots for `generation`. Numbers of games start at the generation's own block, so that a run whose file
/// of slots was deleted gives no two games the same number.
pub(super) fn new_slots<V: Variant>(count: u32, generation: u32, search: &SearchConfig) -> Vec<Slot<V>> {
    (0..count).map(|index| Slot::new(index, u64::from(generation) << GAMES_BITS, search)).collect()
}

/// Moves slots past the games that are in the journal already.
pub(super) fn skip_finished<V: Variant>(slots: &mut [Slot<V>], run_seed: u64, journal: &[GameRecord<V>]) {
    let finished: HashMap<u64, usize> = journal.iter().map(|game| (game.game_id, game.positions.len())).collect();
    for slot in slots {
        while let Some(positions) = finished.get(&GameSeed::new(run_seed, slot.index, slot.number).id) {
            let before = slot.game.take().map_or(0, |flight| flight.records.len());
            slot.plies_done += (positions - before) as u32;
            slot.number += 1;
        }
    }
}
