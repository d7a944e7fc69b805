//! Duplicate games: in a folder, or in two folders that are read together.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use rules::Variant;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

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

    /// `moves` are the codes of the moves. `memory` is overwritten.
    fn new(memory: &mut Vec<u8>, run_id: &str, game_id: u64, seed: u64, moves: impl Iterator<Item = u32>) -> Self {
        // Games of other programs have no seed. Their ids say what game they are.
        let number = if seed == 0 { game_id } else { seed };
        // The hash is much faster over bytes that lie together.
        memory.clear();
        memory.extend_from_slice(&number.to_le_bytes());
        memory.extend(moves.flat_map(u32::to_le_bytes));
        memory.extend_from_slice(run_id.as_bytes());
        let run = u128::from(xxh3_64(run_id.as_bytes()));
        // Ids may be consecutive. The product with an odd number is different for each of them, and spreads them.
        let id = game_id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        GameIdentity { in_folder: (run << 64) | u128::from(id), anywhere: xxh3_128(memory) }
    }

    /// The identity of a whole game.
    pub fn of<V: Variant>(game: &GameRecord<V>) -> GameIdentity {
        let moves = game.sheet.moves.iter().map(|mv| mv.raw());
        GameIdentity::new(&mut Vec::new(), &game.run_id, game.game_id, game.seed, moves)
    }

    /// The identities of some rows of the table `games`.
    ///
    /// # Errors
    /// A column is missing, has another type, or has nulls.
    pub fn of_rows(columns: &Columns<'_>) -> Result<Vec<GameIdentity>, FileFault> {
        let (game_id, run_id) = (columns.values::<Unsigned64>("game_id")?, columns.borrowed::<Text>("run_id")?);
        let (seed, moves) = (columns.values::<Unsigned64>("seed")?, columns.borrowed::<Codes>("moves")?);
        let mut memory = Vec::new();
        let mut of_row =
            |row| GameIdentity::new(&mut memory, run_id(row), game_id(row), seed(row), moves(row).iter().copied());
        Ok((0..columns.rows()).map(&mut of_row).collect())
    }
}

/// Identities and keys of positions are as good as random, so they need no hash of their own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
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
    in_folders: HashSet<(u32, u128), BuildHasherDefault<IdentityHasher>>,
    anywhere: HashSet<u128, BuildHasherDefault<IdentityHasher>>,
}

impl SeenGames {
    /// Notes a game of the folder with this number. Returns whether it is new.
    pub fn is_new(&mut self, folder: usize, game: GameIdentity) -> bool {
        let new_there = self.in_folders.insert((folder as u32, game.in_folder));
        self.anywhere.insert(game.anywhere) && new_there
    }

    /// Which of all these games are new: some of each folder, group by group.
    pub fn which_are_new(games: &[(usize, Vec<GameIdentity>)]) -> Vec<bool> {
        let all = games.iter().map(|(_, games)| games.len()).sum();
        let in_order = || games.iter().flat_map(|(folder, games)| games.iter().map(|game| (*folder as u32, *game)));
        let mut seen = SeenGames::default();
        let (new_there, new_anywhere) = rayon::join(
            || first_ones(&mut seen.in_folders, all, in_order().map(|(folder, game)| (folder, game.in_folder))),
            || first_ones(&mut seen.anywhere, all, in_order().map(|(_, game)| game.anywhere)),
        );
        new_there.into_iter().zip(new_anywhere).map(|(there, anywhere)| there && anywhere).collect()
    }
}

/// Which of these `all` values occur for the first time.
fn first_ones<T: Eq + Hash>(
    seen: &mut HashSet<T, BuildHasherDefault<IdentityHasher>>,
    all: usize,
    values: impl Iterator<Item = T>,
) -> Vec<bool> {
    seen.reserve(all);
    values.map(|value| seen.insert(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_the_same_by_its_id_in_a_folder_and_by_its_moves_elsewhere() {
        let (here, there) = (0, 1);
        let moves = [1, 2];
        let game = |run: &str, id, seed, moves: &[u32]| {
            GameIdentity::new(&mut Vec::new(), run, id, seed, moves.iter().copied())
        };
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

    #[test]
    fn games_are_as_new_together_as_one_by_one() {
        let game = |run, id, seed| GameIdentity::new(&mut Vec::new(), run, id, seed, [seed as u32].into_iter());
        let groups = [
            (0, vec![game("a", 1, 9), game("a", 2, 8), game("a", 1, 7)]),
            (1, vec![game("a", 1, 9), game("a", 2, 6)]),
            (0, vec![game("a", 2, 5), game("b", 2, 6)]),
        ];
        let mut seen = SeenGames::default();
        let one_by_one: Vec<bool> = groups
            .iter()
            .flat_map(|(folder, games)| games.iter().map(|game| (*folder, *game)))
            .map(|(folder, game)| seen.is_new(folder, game))
            .collect();
        assert_eq!(one_by_one, [true, true, false, false, true, false, true]);
        assert_eq!(SeenGames::which_are_new(&groups), one_by_one);
    }
}
