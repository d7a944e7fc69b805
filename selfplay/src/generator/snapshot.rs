//! The slots between two generations, or at a clean stop within one: a file of lines with checksums
//! ([`data::LineLog`]), replaced whole. The first line is a header with the owner and the number of slots; each further
//! line is a slot.

use super::GenerateError;
use super::randomness::GameSeed;
use super::slot::Slot;
use super::unfinished_game::UnfinishedGame;
use data::{DataError, GameRecord, LineLog, LogEntry, PositionRecord};
use rayon::prelude::*;
use rules::{Game, Move, Position, Rules, Variant};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Version of the format below.
const FORMAT: u32 = 3;

/// The file's contents.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Snapshot {
    run_seed: u64,
    /// The generation the slots are in.
    pub generation: u32,
    variant: String,
    slots: Vec<SlotState>,
}

/// The header line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SnapshotHeader {
    format: u32,
    variant: String,
    run_seed: u64,
    generation: u32,
    /// Number of lines that follow.
    slots: usize,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SnapshotLine {
    Head(SnapshotHeader),
    Slot(SlotState),
}

/// The only line of format 2, with all slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SnapshotFormat2 {
    format: u32,
    variant: String,
    run_seed: u64,
    generation: u32,
    slots: Vec<SlotState>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SlotState {
    slot: u32,
    number: u64,
    plies_done: u32,
    game: Option<SavedGame>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedGame {
    /// FEN of its start, if that is not the variant's.
    start_fen: Option<String>,
    moves: Vec<Move>,
    /// Absent in files of older programs, whose games started over at such a position.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    from_ending: bool,
    records: Vec<PositionRecord>,
    /// Times that earlier programs measured; 0 now. Programs of format 3 need both.
    started_at: i64,
    wall_ms: u32,
}

impl SnapshotLine {
    fn into_slot(self) -> Option<SlotState> {
        match self {
            SnapshotLine::Slot(slot) => Some(slot),
            SnapshotLine::Head(_) => None,
        }
    }
}

const NOT_WHOLE: &str = "is not a file of slots: it is not whole";

fn other_format(format: u32) -> String {
    format!("has format {format}, this program reads {FORMAT}")
}

impl LogEntry for SnapshotLine {
    const TAG: &'static str = "snapshot";
    /// A game of 10,000 plies, each with the policy of some hundred moves.
    const LONGEST_LINE: usize = 1 << 27;
}

impl LogEntry for SnapshotFormat2 {
    const TAG: &'static str = "slots";
    const LONGEST_LINE: usize = 1 << 30;
    const ONCE_WITHOUT_CHECKSUM: bool = true;
}

impl SavedGame {
    /// The game so far, with every move checked, or what is wrong.
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
        if !data::durable::is_there(path)? {
            return Ok(None);
        }
        let read = match LineLog::<SnapshotLine>::read(path) {
            Err(DataError::NotALog { .. }) => Snapshot::of_format_2(path),
            contents => contents.map(|contents| Snapshot::of_lines(contents.entries, contents.torn_bytes)),
        };
        let snapshot = match read {
            Err(DataError::Line { fault, .. }) => return Err(error(format!("is not a file of slots: {fault}"))),
            Err(DataError::NotALog { .. }) => return Err(error("is not a file of slots".to_owned())),
            read => read?.map_err(error)?,
        };
        if snapshot.variant != V::ID {
            return Err(error(format!("holds games of {}, not of {}", snapshot.variant, V::ID)));
        }
        if snapshot.run_seed != run_seed {
            return Err(error(format!("belongs to a run with seed {}, not {run_seed}", snapshot.run_seed)));
        }
        Ok(Some(snapshot))
    }

    /// The contents of the lines, or what is wrong with them.
    fn of_lines(lines: Vec<SnapshotLine>, torn_bytes: u64) -> Result<Snapshot, String> {
        let mut lines = lines.into_iter();
        let Some(SnapshotLine::Head(SnapshotHeader { format, variant, run_seed, generation, slots: count })) =
            lines.next()
        else {
            return Err(NOT_WHOLE.to_owned());
        };
        if format != FORMAT {
            return Err(other_format(format));
        }
        let slots: Vec<SlotState> = lines.filter_map(SnapshotLine::into_slot).collect();
        let is_whole = slots.len() == count && torn_bytes == 0;
        if is_whole { Ok(Snapshot { run_seed, generation, variant, slots }) } else { Err(NOT_WHOLE.to_owned()) }
    }

    /// Reads a file of format 2.
    fn of_format_2(path: &Path) -> Result<Result<Snapshot, String>, DataError> {
        let contents = LineLog::<SnapshotFormat2>::read(path)?;
        let mut lines = contents.entries.into_iter();
        Ok(match (lines.next(), lines.next(), contents.torn_bytes) {
            (Some(SnapshotFormat2 { format: 2, variant, run_seed, generation, slots }), None, 0) => {
                Ok(Snapshot { run_seed, generation, variant, slots })
            }
            (Some(SnapshotFormat2 { format, .. }), None, 0) => Err(other_format(format)),
            _ => Err(NOT_WHOLE.to_owned()),
        })
    }

    /// The present state of the slots, with `plies_done` as of `generation`.
    pub fn of<V: Variant>(slots: &[Slot<V>], run_seed: u64, generation: u32) -> Snapshot {
        let game = |unfinished: &UnfinishedGame<V>| SavedGame {
            start_fen: unfinished.game.start_position().start_fen(),
            moves: unfinished.game.moves().to_vec(),
            from_ending: unfinished.from_ending,
            records: unfinished.records.clone(),
            started_at: 0,
            wall_ms: 0,
        };
        let slots = slots.iter().map(|slot| SlotState {
            slot: slot.index,
            number: slot.number,
            plies_done: slot.plies_done,
            game: slot.game.as_ref().map(game),
        });
        Snapshot { variant: V::ID.to_owned(), run_seed, generation, slots: slots.collect() }
    }

    /// The records of each unfinished game.
    pub fn unfinished(&self) -> impl Iterator<Item = &[PositionRecord]> {
        self.slots.iter().filter_map(|state| state.game.as_ref()).map(|game| &game.records[..])
    }

    /// Writes the file, either completely or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, path: &Path) -> Result<(), DataError> {
        let Snapshot { run_seed, generation, .. } = *self;
        let (variant, count) = (self.variant.clone(), self.slots.len());
        let head = SnapshotLine::Head(SnapshotHeader { format: FORMAT, variant, run_seed, generation, slots: count });
        let slots = std::mem::take(&mut self.slots).into_iter().map(SnapshotLine::Slot);
        let lines: Vec<SnapshotLine> = std::iter::once(head).chain(slots).collect();
        let written = LineLog::replace(path, &lines);
        self.slots = lines.into_iter().filter_map(SnapshotLine::into_slot).collect();
        written.map(|_| ())
    }

    /// The game of each slot, played again with every move checked; `None` where it has none.
    fn games<V: Variant>(&self, path: &Path, rules: Rules<V>) -> Result<Vec<Option<Game<V>>>, SnapshotError> {
        let game = |state: &SlotState| {
            let fault = |what| SnapshotError { path: path.to_owned(), reason: format!("slot {}: {what}", state.slot) };
            state.game.as_ref().map(|game| game.replayed(rules).map_err(fault)).transpose()
        };
        // Collected before errors are looked at, so that the first slot's is returned.
        self.slots.par_iter().map(game).collect::<Vec<_>>().into_iter().collect()
    }

    /// The slots in the file; missing ones begin new games.
    ///
    /// # Errors
    /// A start position or a move of an unfinished game is impossible under `rules`; the error names the slot.
    pub fn restore<V: Variant>(
        mut self,
        path: &Path,
        mut slots: Vec<Slot<V>>,
        rules: Rules<V>,
    ) -> Result<Vec<Slot<V>>, SnapshotError> {
        // A run may be resumed with fewer slots; the games of the others are abandoned.
        self.slots.retain(|state| (state.slot as usize) < slots.len());
        let games = self.games(path, rules)?;
        for (state, replayed) in self.slots.into_iter().zip(games) {
            let slot = &mut slots[state.slot as usize];
            slot.number = state.number;
            slot.plies_done = state.plies_done;
            let (Some(game), Some(replayed)) = (state.game, replayed) else { continue };
            slot.resume(UnfinishedGame {
                game: replayed,
                seed: GameSeed::new(self.run_seed, slot.index, slot.number),
                from_ending: game.from_ending,
                records: game.records,
            });
        }
        Ok(slots)
    }
}

/// Checks the slots file of a run: its checksum, that it belongs to a run with this seed, and that the moves of its
/// unfinished games are legal. Returns their number; `None` if there is no such file.
///
/// # Errors
/// What is wrong with it ([`GenerateError::Snapshot`]), or it cannot be read ([`GenerateError::Data`]).
pub fn check_slots<V: Variant>(path: &Path, run_seed: u64, rules: Rules<V>) -> Result<Option<u64>, GenerateError> {
    let Some(snapshot) = Snapshot::read::<V>(path, run_seed)? else { return Ok(None) };
    Ok(Some(snapshot.games(path, rules)?.iter().flatten().count() as u64))
}

/// Writes a slots file in which every slot begins a new game in this generation.
///
/// # Errors
/// The file cannot be written.
pub fn begin_slots<V: Variant>(path: &Path, run_seed: u64, generation: u32) -> Result<(), DataError> {
    let variant = V::ID.to_owned();
    Snapshot { run_seed, generation, variant, slots: Vec::new() }.write(path)
}

/// Advances slots past the games that are in the journal already.
pub(super) fn skip_finished<V: Variant>(slots: &mut [Slot<V>], run_seed: u64, journal: &[GameRecord<V>]) {
    let finished: HashMap<u64, usize> = journal.iter().map(|game| (game.game_id, game.positions.len())).collect();
    for slot in slots {
        while let Some(positions) = finished.get(&GameSeed::new(run_seed, slot.index, slot.number).id) {
            let before = slot.game.take().map_or(0, |unfinished| unfinished.records.len());
            slot.plies_done += (positions - before) as u32;
            slot.number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::slot::new_slots;
    use crate::random_records;
    use rules::{Rules, Xiangqi};
    use search::SearchConfig;

    /// Slots in the middle of random games.
    fn slots(count: u32) -> Vec<Slot<Xiangqi>> {
        let search = SearchConfig::default();
        let mut slots = new_slots::<Xiangqi>(count, 1, &search);
        for (slot, mut record) in slots.iter_mut().zip(random_records::<Xiangqi>(count as usize, 1)) {
            let half = record.sheet.moves.len() / 2;
            record.positions.truncate(half);
            let game = Game::from_moves(Rules::default(), record.sheet.start, &record.sheet.moves[..half]).unwrap();
            let seed = GameSeed::new(1, slot.index, slot.number);
            slot.resume(UnfinishedGame { game, seed, from_ending: false, records: record.positions });
        }
        slots
    }

    /// The file contains what was written, and the single line of format 2 is still read.
    #[test]
    fn slots_come_back_from_both_formats() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slots.json");
        let mut snapshot = Snapshot::of(&slots(5), 7, 3);
        let Snapshot { run_seed, generation, variant, slots } = snapshot.clone();
        snapshot.write(&path).unwrap();
        assert_eq!(snapshot.slots, slots, "writing takes nothing away");
        let read = || Snapshot::read::<Xiangqi>(&path, 7).map_err(|error| error.to_string());
        assert_eq!(read().unwrap().as_ref(), Some(&snapshot));

        LineLog::replace(&path, [&SnapshotFormat2 { format: 2, variant, run_seed, generation, slots }]).unwrap();
        assert_eq!(read().unwrap(), Some(snapshot.clone()));

        // A missing line is noticed.
        snapshot.write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        assert_eq!(lines.len(), 6);
        std::fs::write(&path, lines[..5].concat()).unwrap();
        let error = read().expect_err("a slot is missing");
        assert!(error.contains("is not a file of slots: it is not whole"), "{error}");
    }
}
