//! Legal moves by ply, and pieces on the board at the start and at the end.

use rules::{Position, Side, SquareSet, Variant};
use serde::Serialize;
use std::marker::PhantomData;

/// How many moves there were to choose from at a ply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlyChoices {
    /// Moves played before it.
    pub ply: u32,
    /// Games that reached it.
    pub games: u64,
    /// Legal moves, arithmetic mean.
    pub moves: f64,
}

/// How many pieces of a kind are left at the end of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindLeft {
    /// FEN code of the kind.
    pub kind: String,
    /// Native name, as the first player's piece shows it.
    pub native: String,
    /// Such pieces on the board at the start of a game, of both sides, arithmetic mean.
    pub start: f64,
    /// Such pieces on the board at the end of a game, of both sides, arithmetic mean.
    pub end: f64,
}

/// Sums over games.
pub(super) struct BoardSums<V: Variant> {
    /// By ply: games and legal moves.
    by_ply: Vec<(u64, u64)>,
    log10_moves: f64,
    start: Vec<u64>,
    end: Vec<u64>,
    variant: PhantomData<V>,
}

impl<V: Variant> Default for BoardSums<V> {
    fn default() -> Self {
        BoardSums {
            by_ply: Vec::new(),
            log10_moves: 0.0,
            start: vec![0; V::KINDS],
            end: vec![0; V::KINDS],
            variant: PhantomData,
        }
    }
}

impl<V: Variant> BoardSums<V> {
    /// Counts the pieces on the board at the start of a game, of both sides.
    pub fn begins(&mut self, start: &Position<V>) {
        count(start, &mut self.start);
    }

    /// Counts the pieces on the board at the end of a game, of both sides.
    pub fn ends(&mut self, end: &Position<V>) {
        count(end, &mut self.end);
    }

    /// A position with so many legal moves, after `ply` moves.
    pub fn choice(&mut self, ply: usize, moves: usize) {
        if self.by_ply.len() <= ply {
            self.by_ply.resize(ply + 1, (0, 0));
        }
        self.by_ply[ply].0 += 1;
        self.by_ply[ply].1 += moves as u64;
        self.log10_moves += (moves as f64).log10();
    }

    /// Adds the sums of other games.
    pub fn add(&mut self, other: &Self) {
        if self.by_ply.len() < other.by_ply.len() {
            self.by_ply.resize(other.by_ply.len(), (0, 0));
        }
        for (sum, (games, moves)) in self.by_ply.iter_mut().zip(&other.by_ply) {
            sum.0 += games;
            sum.1 += moves;
        }
        self.log10_moves += other.log10_moves;
        for (sums, more) in [(&mut self.start, &other.start), (&mut self.end, &other.end)] {
            sums.iter_mut().zip(more).for_each(|(sum, count)| *sum += count);
        }
    }

    /// The number of positions whose legal moves were counted.
    pub fn positions(&self) -> u64 {
        self.by_ply.iter().map(|(games, _)| games).sum()
    }

    /// Legal moves of a position, arithmetic mean; 0 without positions.
    pub fn mean_moves(&self) -> f64 {
        self.by_ply.iter().map(|(_, moves)| moves).sum::<u64>() as f64 / self.positions().max(1) as f64
    }

    /// Sum of log10(legal moves) over all positions.
    pub fn log10_moves(&self) -> f64 {
        self.log10_moves
    }

    /// The mean number of legal moves by ply, without plies that no game has reached.
    pub fn choices(&self) -> Vec<PlyChoices> {
        let row = |(ply, &(games, moves)): (usize, &(u64, u64))| PlyChoices {
            ply: ply as u32,
            games,
            moves: moves as f64 / games as f64,
        };
        self.by_ply.iter().enumerate().filter(|(_, (games, _))| *games > 0).map(row).collect()
    }

    /// The kinds that were on the board at the start or at the end of `games` games.
    pub fn pieces_left(&self, games: u64) -> Vec<KindLeft> {
        let mean = |count: u64| count as f64 / games as f64;
        (0..V::KINDS)
            .filter(|&kind| self.start[kind] + self.end[kind] > 0)
            .map(|kind| KindLeft {
                kind: V::CODES[kind].to_owned(),
                native: V::GLYPHS[kind][0].to_owned(),
                start: mean(self.start[kind]),
                end: mean(self.end[kind]),
            })
            .collect()
    }
}

/// Adds the pieces of a position, by kind.
fn count<V: Variant>(position: &Position<V>, counts: &mut [u64]) {
    for side in Side::BOTH {
        for square in position.pieces(side).squares() {
            if let Some((_, kind)) = position.cell(square).piece() {
                counts[kind] += 1;
            }
        }
    }
}
