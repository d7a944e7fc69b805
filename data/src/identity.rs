//! Duplicate games: in a folder, or in two folders that are read together.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use rules::{Move, Variant};

use crate::column::{Codes, Columns, Text, Unsigned64};
use crate::error::FileFault;
use crate::game::GameRecord;

/// Identifies a game in two ways: by its run and its id, which are unique in a folder; and by its run, the seed of its
/// random numbers and its moves. The second way is for comparisons between folders: a run that begins from another takes
/// its games over under new ids, and two runs of one name may give the same id to different games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GameIdentity {
    in_folder: u128,
    anywhere: u128,
}

impl GameIdentity {
    /// The columns that it is made from.
    pub const COLUMNS: &[&str] = &["game_id", "run_id", "seed", "moves"];

    fn new(run_id: &str, game_id: u64, seed: u64, moves: &[Move]) -> GameIdentity {
        // Games of other programs have no seed. Their ids say what game they are.
        let number = if seed == 0 { game_id } else { seed };
        // All moves in one call, because each call of the hasher is slow.
        let mut codes = Vec::with_capacity(size_of_val(moves));
        moves.iter().for_each(|mv| codes.extend_from_slice(&mv.raw().to_le_bytes()));
        let mut hasher = blake3::Hasher::new();
        hasher.update(&number.to_le_bytes()).update(&codes).update(run_id.as_bytes());
        let mut in_folder = blake3::Hasher::new();
        in_folder.update(&game_id.to_le_bytes()).update(run_id.as_bytes());
        GameIdentity { in_folder: number_of(&in_folder), anywhere: number_of(&hasher) }
    }

    /// The identity of a whole game.
    pub fn of<V: Variant>(game: &GameRecord<V>) -> GameIdentity {
        GameIdentity::new(&game.run_id, game.game_id, game.seed, &game.sheet.moves)
    }

    /// The identities of some rows of the table `games`.
    ///
    /// # Errors
    /// A column is missing, has another type, or has nulls.
    pub fn of_rows(columns: &Columns<'_>) -> Result<Vec<GameIdentity>, FileFault> {
        let (game_id, run_id) = (columns.values::<Unsigned64>("game_id")?, columns.values::<Text>("run_id")?);
        let (seed, moves) = (columns.values::<Unsigned64>("seed")?, columns.values::<Codes>("moves")?);
        let of_row = |row| GameIdentity::new(&run_id(row), game_id(row), seed(row), &moves(row));
        Ok((0..columns.rows()).map(of_row).collect())
    }
}

/// The first half of a digest.
fn number_of(hasher: &blake3::Hasher) -> u128 {
    let digest = hasher.finalize();
    u128::from_le_bytes(std::array::from_fn(|byte| digest.as_bytes()[byte]))
}

/// Digests and keys of positions are as good as random, so they need no hash of their own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 ^= u64::from(number);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 ^= key;
    }

    fn write_u128(&mut self, digest: u128) {
        self.0 ^= digest as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The games that have been met so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenGames {
    in_folders: HashSet<(u32, u128), BuildHasherDefault<AsItIs>>,
    anywhere: HashSet<u128, BuildHasherDefault<AsItIs>>,
}

impl SeenGames {
    /// No games yet, with room for so many.
    pub fn with_room(games: usize) -> SeenGames {
        let mut seen = SeenGames::default();
        seen.in_folders.reserve(games);
        seen.anywhere.reserve(games);
        seen
    }

    /// Notes a game of the folder with this number. Returns whether it is new.
    pub fn is_new(&mut self, folder: usize, game: GameIdentity) -> bool {
        let new_there = self.in_folders.insert((folder as u32, game.in_folder));
        self.anywhere.insert(game.anywhere) && new_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_the_same_by_its_id_in_a_folder_and_by_its_moves_elsewhere() {
        let (here, there) = (0, 1);
        let moves = [1, 2].map(Move::from_raw);
        let game = |run: &str, id, seed, moves: &[Move]| GameIdentity::new(run, id, seed, moves);
        let mut seen = SeenGames::default();
        assert!(seen.is_new(here, game("a", 1, 9, &moves)));
        assert!(!seen.is_new(here, game("a", 1, 9, &moves)));
        assert!(!seen.is_new(here, game("a", 1, 9, &moves[..1])), "one id in a folder");
        assert!(!seen.is_new(there, game("a", 5, 9, &moves)), "taken over under another id");
        assert!(seen.is_new(there, game("a", 1, 9, &[])), "another run of that name");
        assert!(seen.is_new(here, game("b", 1, 9, &moves)), "a run with the same seed");
        assert!(seen.is_new(here, game("import", 3, 0, &moves)));
        assert!(seen.is_new(here, game("import", 4, 0, &moves)), "the same moves by other players");
        assert!(!seen.is_new(there, game("import", 4, 0, &moves)));
    }
}
