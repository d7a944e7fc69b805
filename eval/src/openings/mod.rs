//! Where the games of a match begin: random moves, random moves checked for balance, a book, or lines of self-play; and
//! the names of openings.

mod balance;
pub mod book;
pub(crate) mod config;
mod evaluator;
mod names;
mod random;
mod statistics;
mod tree;

pub use config::{OpeningOrder, OpeningSource, OpeningSourceError, OpeningsConfig};
pub use names::{OpeningNames, names};
pub use random::random;
pub use statistics::{lines, no_line, tree_in};
pub use tree::LineTree;

use crate::config::MatchConfig;
use crate::error::MatchError;
use crate::log::GameKey;
use crate::players::PlayerConfig;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Key, Move, MoveList, Position, Rules, Side, Variant};
use std::collections::HashSet;

/// Start of a pair of games.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening<V: Variant> {
    /// Start position if it is not the variant's own.
    pub position: Option<Position<V>>,
    /// Moves from there.
    pub moves: Vec<Move>,
}

impl<V: Variant> Opening<V> {
    /// The moves of a game as an opening.
    fn of(game: &Game<V>) -> Opening<V> {
        let start = game.start_position();
        Opening { position: (*start != Position::start()).then(|| start.clone()), moves: game.moves().to_vec() }
    }

    /// These moves from a position as an opening; `None` if the game ends with them.
    fn unfinished(start: Position<V>, moves: Vec<Move>, rules: Rules<V>) -> Option<Opening<V>> {
        let position = Some(start).filter(|start| start.key() != Position::<V>::start().key());
        let opening = Opening { position, moves };
        let game = opening.game(rules);
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        game.outcome(&legal).is_none().then_some(opening)
    }

    /// The game after the opening.
    pub fn game(&self, rules: Rules<V>) -> Game<V> {
        let mut game = Game::from_position(rules, self.start());
        self.moves.iter().for_each(|&mv| game.play(mv));
        game
    }

    /// The opening as a line of a book: `startpos moves …`, or a FEN, perhaps with `moves …`.
    pub fn line(&self) -> String {
        let game = self.game(Rules::default());
        let start = if self.position.is_some() { game.start_position().fen() } else { "startpos".to_owned() };
        if self.moves.is_empty() { start } else { format!("{start} moves {}", game.moves_text()) }
    }

    /// The position after the opening as EPD, with its counters and a comment.
    pub fn epd(&self, comment: &str) -> String {
        let fen = self.end().fen();
        let [board, side, third, fourth, quiet, number] =
            std::array::from_fn(|field| fen.split(' ').nth(field).unwrap_or("-"));
        let comment = comment.replace('"', "'");
        format!("{board} {side} {third} {fourth} hmvc {quiet}; fmvn {number}; c0 \"{comment}\";")
    }

    /// The position after the opening.
    pub fn end(&self) -> Position<V> {
        let mut position = self.start();
        self.moves.iter().for_each(|&mv| position.play(mv));
        position
    }

    fn start(&self) -> Position<V> {
        self.position.clone().unwrap_or_else(Position::start)
    }
}

/// The openings of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Openings<V: Variant> {
    /// At least one. Pair `n` has opening `n`; the list starts again when it is used up.
    pub list: Vec<Opening<V>>,
    /// How they are made, for the header of the log; equal for a longer match with the same beginning.
    pub named: String,
    /// Warnings about them, for before the first game.
    pub notes: Vec<String>,
}

impl<V: Variant> Openings<V> {
    /// The opening of a pair.
    pub fn of_pair(&self, pair: u32) -> &Opening<V> {
        &self.list[pair as usize % self.list.len()]
    }

    /// How many different positions the openings lead to. Two players that never play by chance can play so many pairs
    /// before they repeat themselves.
    pub fn distinct(&self) -> usize {
        self.list.iter().map(|opening| opening.end().key()).collect::<HashSet<Key>>().len()
    }
}

/// The openings of a match with these settings. The first network among `players` judges whether openings are balanced;
/// without one, pure MCTS does. Returns soon after `halt` has become true.
///
/// # Errors
/// A book or a data folder cannot be read or has nothing to offer, no opening is balanced, a network failed, or it was
/// halted.
pub fn prepare<V: Variant>(
    rules: Rules<V>,
    config: &MatchConfig,
    players: &[&PlayerConfig],
    halt: &(dyn Fn() -> bool + Sync),
) -> Result<Openings<V>, MatchError> {
    let MatchConfig { pairs, seed, .. } = *config;
    let OpeningsConfig { source, plies, order, balance, min_games, setups } = &config.openings;
    let plies = *plies;
    // Without a choice of setups, the name is that in logs from before setups were drawn.
    let drawn = match (V::SETUPS, setups.as_slice()) {
        ([], _) => String::new(),
        (_, []) => ", all setups".to_owned(),
        (_, setups) => format!(", setups {}", setups.join(" ")),
    };
    match source {
        OpeningSource::Random => Ok(Openings {
            list: random(rules, setups, plies, pairs, seed),
            named: format!("random, {plies} plies{drawn}"),
            notes: Vec::new(),
        }),
        OpeningSource::Balanced => {
            let evaluator = evaluator::BalanceEvaluator::new(players, config.thread_count());
            let wanted = balance::BalanceSettings { setups, plies, pairs, seed, within: *balance };
            let balanced = balance::balanced(rules, &wanted, &evaluator, halt)?;
            Ok(Openings { named: balanced.named + &drawn, ..balanced })
        }
        OpeningSource::Book(path) => {
            let book = book::read(path, rules)?;
            let weights = vec![1; book.openings.len()];
            Ok(listed("book", book.openings, &weights, *order, seed, book.notes))
        }
        OpeningSource::Statistics(folder) => {
            let lines = lines::<V>(folder, rules, plies, *min_games)?;
            let (openings, games): (Vec<_>, Vec<_>) = lines.into_iter().unzip();
            Ok(listed("statistics", openings, &games, *order, seed, Vec::new()))
        }
    }
}

/// Openings of a list, in the order asked for; `weights` are how often each was played.
fn listed<V: Variant>(
    kind: &str,
    openings: Vec<Opening<V>>,
    weights: &[u64],
    order: OpeningOrder,
    seed: u64,
    notes: Vec<String>,
) -> Openings<V> {
    let list = match order {
        OpeningOrder::Sequence => openings,
        OpeningOrder::Shuffled => shuffled(openings, weights, seed),
    };
    let mut hasher = blake3::Hasher::new();
    for opening in &list {
        hasher.update(opening.line().as_bytes()).update(b"\n");
    }
    // The digest of the list, not of the file, which may have another path or other comments in another session.
    let named = format!("{kind} {}, {} openings", &hasher.finalize().to_hex()[..16], list.len());
    Openings { list, named, notes }
}

/// A random order: each next item is drawn from the remaining ones, with probabilities in proportion to their weights.
fn shuffled<T>(items: Vec<T>, weights: &[u64], seed: u64) -> Vec<T> {
    let mut rng = generator(seed, "order", (0, Side::First));
    // Sorting by the times to the first event of processes with these rates gives such an order.
    let mut arrivals: Vec<(f64, T)> = items
        .into_iter()
        .zip(weights)
        .map(|(item, &weight)| (-libm::log(1.0 - rng.random::<f64>()) / weight.max(1) as f64, item))
        .collect();
    arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
    arrivals.into_iter().map(|(_, item)| item).collect()
}

/// Random numbers for one purpose and game of a match: a digest of all three, so that they never overlap.
pub(crate) fn generator(seed: u64, purpose: &str, (pair, side): GameKey) -> ChaCha8Rng {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes()).update(&pair.to_le_bytes()).update(&[side.index() as u8]);
    hasher.update(purpose.as_bytes());
    ChaCha8Rng::from_seed(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests;
