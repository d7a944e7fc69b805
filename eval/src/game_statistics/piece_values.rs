//! What pieces are worth: logistic regression of the result on the difference in material.

use data::{Fit, logistic_fit, material_difference, material_features};
use rules::{Game, GameResult, Scoresheet, Variant};
use serde::Serialize;
use std::marker::PhantomData;

/// Positions taken of a game, at equal distances.
const OF_A_GAME: usize = 16;
/// Decided games below which nothing is fitted.
const FEWEST_GAMES: usize = 50;

/// The value of a piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PieceValue {
    /// FEN code of the kind; of a piece in hand with `@` behind it.
    pub kind: String,
    /// Native name, as the first player's piece shows it.
    pub native: String,
    /// By how much one such piece more raises the logarithm of the odds of winning.
    pub logit: f64,
    /// Half the width of its 95 % interval, which allows for the positions of a game having one result.
    pub error: f64,
    /// The value in Elo: 400 / ln 10 × `logit`.
    pub elo: f64,
}

/// Positions of decided games, with the material of the first player less that of the second.
pub(super) struct MaterialSamples<V: Variant> {
    /// Differences, `features` numbers a position.
    differences: Vec<f32>,
    /// Whether the first player won.
    won: Vec<bool>,
    /// Where each game's positions begin.
    games: Vec<usize>,
    variant: PhantomData<V>,
}

impl<V: Variant> Default for MaterialSamples<V> {
    fn default() -> Self {
        MaterialSamples { differences: Vec::new(), won: Vec::new(), games: Vec::new(), variant: PhantomData }
    }
}

/// Chooses positions of one game.
pub(super) struct Sampler {
    /// Plies between two positions; `None` if the game has no winner.
    every: Option<usize>,
    first_won: bool,
    counts: Vec<f32>,
}

impl Sampler {
    /// Adds the present position of the game to `positions` if it is one of those to take.
    pub fn see<V: Variant>(&mut self, game: &Game<V>, positions: &mut MaterialSamples<V>) {
        let ply = game.moves().len();
        // The first positions are alike in all games.
        if !self.every.is_some_and(|every| ply > 0 && ply.is_multiple_of(every)) {
            return;
        }
        material_difference(game.position(), &mut self.counts, &mut positions.differences);
        positions.won.push(self.first_won);
    }
}

impl<V: Variant> MaterialSamples<V> {
    const FEATURES: usize = material_features::<V>();

    /// Begins a game, and returns what chooses its positions: none of a drawn game.
    pub fn of_game(&mut self, sheet: &Scoresheet<V>) -> Sampler {
        let decided = sheet.outcome.result != GameResult::Draw;
        if decided {
            self.games.push(self.won.len());
        }
        // An odd distance, so that both sides are to move in turn.
        let every = decided.then(|| (sheet.plies() / OF_A_GAME) | 1);
        Sampler { every, first_won: sheet.outcome.result == GameResult::FirstWins, counts: Vec::new() }
    }

    /// Adds the positions of other games.
    pub fn add(&mut self, other: Self) {
        let before = self.won.len();
        self.games.extend(other.games.iter().map(|at| before + at));
        self.differences.extend(other.differences);
        self.won.extend(other.won);
    }

    /// The kinds whose number ever differed, with their values.
    pub fn values(&self) -> Vec<PieceValue> {
        let differ = |&feature: &usize| self.differences.chunks_exact(Self::FEATURES).any(|row| row[feature] != 0.0);
        let features: Vec<usize> = (0..Self::FEATURES).filter(differ).collect();
        if self.games.len() < FEWEST_GAMES || features.is_empty() {
            return Vec::new();
        }
        let rows: Vec<Vec<f64>> = self
            .differences
            .chunks_exact(Self::FEATURES)
            .map(|row| features.iter().map(|&feature| f64::from(row[feature])).chain([1.0]).collect())
            .collect();
        let Some(Fit { weights, errors }) = logistic_fit(&rows, &self.won, &self.games) else { return Vec::new() };
        let value = |(at, &feature): (usize, &usize)| {
            let (kind, behind) = match feature.checked_sub(V::KINDS) {
                Some(slot) => (V::HAND_FIRST + slot, "@"),
                None => (feature, ""),
            };
            PieceValue {
                kind: format!("{}{behind}", V::CODES[kind]),
                native: V::GLYPHS[kind][0].to_owned(),
                logit: weights[at],
                error: errors[at],
                elo: 400.0 / std::f64::consts::LN_10 * weights[at],
            }
        };
        features.iter().enumerate().map(value).collect()
    }
}
