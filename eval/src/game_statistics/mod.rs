//! Statistics of the games of a variant: their length, how many moves there are to choose from, how they end, what the
//! pieces are worth and how many of them are left. Every game is replayed by the rules.

mod board;
mod piece_values;

pub use board::{KindLeft, PlyChoices};
pub use piece_values::PieceValue;

use board::BoardSums;
use data::{DataError, ExcludedGames, GameFilter, GameFolders, OpeningStart, wilson};
use piece_values::MaterialSamples;
use rayon::prelude::*;
use rules::{GameResult, IllegalMove, Scoresheet, Variant};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Game statistics.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameStatistics {
    /// Variant.
    pub variant: String,
    /// Games.
    pub games: u64,
    /// Positions in which a move was played.
    pub positions: u64,
    /// Length of the games in plies.
    pub plies: Lengths,
    /// Legal moves in a position, arithmetic mean.
    pub mean_moves: f64,
    /// Logarithm to base 10 of the number of games that a tree with this many moves and plies has: the mean over the games of
    /// the sum of log10(legal moves) (game-tree complexity).
    pub complexity: f64,
    /// Legal moves by ply.
    pub choices: Vec<PlyChoices>,
    /// Games won by the first player.
    pub first_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games lost by the first player.
    pub first_losses: u64,
    /// Score of the first player: wins plus half of the draws, 0 to 1.
    pub first_score: f64,
    /// Lower end of the 95 % interval of `first_score` (Wilson).
    pub first_score_low: f64,
    /// Upper end.
    pub first_score_high: f64,
    /// Games by the reason they ended.
    pub terminations: BTreeMap<String, u64>,
    /// Results by the setups that both players chose, most games first; empty where the variant has no choice, and without
    /// games from other positions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setups: Vec<OpeningStart>,
    /// What the pieces are worth, fitted from decided games; empty where too few are decided.
    pub piece_values: Vec<PieceValue>,
    /// Pieces on the board at the start and at the end, by kind.
    pub pieces_left: Vec<KindLeft>,
}

/// How long games are, in plies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lengths {
    /// Arithmetic mean.
    pub mean: f64,
    /// The shortest game.
    pub shortest: u32,
    /// The length that a tenth of the games do not exceed.
    pub tenth: u32,
    /// The length that half of them do not exceed.
    pub median: u32,
    /// The length that nine tenths of them do not exceed.
    pub ninetieth: u32,
    /// The longest game.
    pub longest: u32,
}

impl Lengths {
    /// Of lengths in ascending order, at least one.
    fn of(plies: &[u32]) -> Lengths {
        let at = |share: f64| plies[((plies.len() as f64 * share).ceil() as usize).clamp(1, plies.len()) - 1];
        Lengths {
            mean: plies.iter().map(|&plies| f64::from(plies)).sum::<f64>() / plies.len() as f64,
            shortest: plies[0],
            tenth: at(0.1),
            median: at(0.5),
            ninetieth: at(0.9),
            longest: plies[plies.len() - 1],
        }
    }
}

/// Plays the games that a filter lets pass again and sums them up; `None` if there are none. A game that is there twice
/// counts once. `tally` says how many were left out, and why.
///
/// # Errors
/// A shard cannot be read, or a game in it breaks the rules.
pub fn game_statistics<V: Variant>(
    folders: &GameFolders,
    filter: &GameFilter,
    tally: &mut ExcludedGames,
) -> Result<Option<GameStatistics>, DataError> {
    let mut sums = GameSums::<V>::default();
    for shard in folders.shards_for(V::ID, filter, &mut tally.excluded)? {
        let games = folders.read_games_for::<V>(&shard, filter, tally)?;
        let of_game = |game: &data::GameRecord<V>| {
            let illegal = |source| folders.illegal(&shard, game.game_id, source);
            GameSums::of_game(&game.sheet).map_err(illegal)
        };
        // In the order of the games, so that sums of fractions do not depend on threads.
        for game in games.par_iter().map(of_game).collect::<Result<Vec<_>, _>>()? {
            sums.add(game);
        }
    }
    Ok(sums.finish())
}

/// What is summed over games.
struct GameSums<V: Variant> {
    plies: Vec<u32>,
    first_wins: u64,
    draws: u64,
    terminations: BTreeMap<String, u64>,
    /// First player's wins, draws and losses by the setups of both players.
    setups: BTreeMap<[&'static str; 2], [u64; 3]>,
    board: BoardSums<V>,
    positions: MaterialSamples<V>,
}

impl<V: Variant> Default for GameSums<V> {
    fn default() -> Self {
        GameSums {
            plies: Vec::new(),
            first_wins: 0,
            draws: 0,
            terminations: BTreeMap::new(),
            setups: BTreeMap::new(),
            board: BoardSums::default(),
            positions: MaterialSamples::default(),
        }
    }
}

impl<V: Variant> GameSums<V> {
    fn of_game(sheet: &Scoresheet<V>) -> Result<Self, IllegalMove> {
        let mut sums = GameSums::<V>::default();
        let mut sampler = sums.positions.of_game(sheet);
        sums.board.begins(&sheet.start);
        let mut replay = sheet.replay();
        while let Some(ply) = replay.step()? {
            sums.board.choice(ply.game.ply() as usize, ply.legal.len());
            sampler.see(ply.game, &mut sums.positions);
        }
        sums.board.ends(replay.finish()?.position());
        sums.plies.push(sheet.plies() as u32);
        sums.first_wins = u64::from(sheet.outcome.result == GameResult::FirstWins);
        sums.draws = u64::from(sheet.outcome.result == GameResult::Draw);
        sums.terminations.insert(sheet.outcome.termination.name().to_owned(), 1);
        if let Some(setups) = sheet.start.setups() {
            let results = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins];
            let counts = results.map(|result| u64::from(sheet.outcome.result == result));
            sums.setups.insert(setups.map(|setup| setup.name), counts);
        }
        Ok(sums)
    }

    fn add(&mut self, other: Self) {
        self.plies.extend(other.plies);
        self.first_wins += other.first_wins;
        self.draws += other.draws;
        for (termination, games) in other.terminations {
            *self.terminations.entry(termination).or_default() += games;
        }
        for (setups, games) in other.setups {
            let sums = self.setups.entry(setups).or_default();
            sums.iter_mut().zip(games).for_each(|(sum, more)| *sum += more);
        }
        self.board.add(&other.board);
        self.positions.add(other.positions);
    }

    fn finish(mut self) -> Option<GameStatistics> {
        if self.plies.is_empty() {
            return None;
        }
        self.plies.sort_unstable();
        let games = self.plies.len() as u64;
        let (first_wins, draws) = (self.first_wins, self.draws);
        let first_score = (first_wins as f64 + draws as f64 / 2.0) / games as f64;
        let (first_score_low, first_score_high) = wilson(first_score, games);
        Some(GameStatistics {
            variant: V::ID.to_owned(),
            games,
            positions: self.board.positions(),
            plies: Lengths::of(&self.plies),
            mean_moves: self.board.mean_moves(),
            complexity: self.board.log10_moves() / games as f64,
            choices: self.board.choices(),
            first_wins,
            draws,
            first_losses: games - first_wins - draws,
            first_score,
            first_score_low,
            first_score_high,
            terminations: self.terminations,
            setups: starts(self.setups),
            piece_values: self.positions.values(),
            pieces_left: self.board.pieces_left(games),
        })
    }
}

/// The starts with their results, most games first.
fn starts(setups: BTreeMap<[&'static str; 2], [u64; 3]>) -> Vec<OpeningStart> {
    let start = |([first, second], [first_wins, draws, first_losses]): ([&str; 2], [u64; 3])| OpeningStart {
        setup_first: Some(first.to_owned()),
        setup_second: Some(second.to_owned()),
        games: first_wins + draws + first_losses,
        first_wins,
        draws,
        first_losses,
    };
    let mut starts: Vec<OpeningStart> = setups.into_iter().map(start).collect();
    starts.sort_by_key(|start| Reverse(start.games));
    starts
}
