//! Which recorded positions are trained on, and which targets are made from them.

use serde::{Deserialize, Serialize};
use settings::Complaints;

/// What to do with a shard that is damaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Damaged {
    /// Stop, naming the file.
    #[default]
    Stop,
    /// Warn, and continue without it.
    Skip,
}

/// The window grows with this power of all rows ever made (KataGo 0.65 to 0.75).
const WINDOW_EXPONENT: f64 = 0.75;

/// Rows by which the window grows for each new row when it begins to slide (KataGo 0.4).
const WINDOW_SCALE: f64 = 0.4;

/// Progress of the run after which the search's value is part of the value target; before it the target is the result
/// alone. An early start seems good, but the evidence is thin: one training with one seed on 57,000 wangqi positions of a
/// run's first generations, each seen twice. Against the results of the validation games, a tenth, a share of 0.3 from the
/// start gave 0.72 nats, and no share 0.78.
const SEARCH_VALUE_FROM: f64 = 0.1;

/// Number of plies ahead at which the pieces are counted. The value is our own; others were not measured.
pub(crate) const MATERIAL_AHEAD: usize = 8;

/// Average number of plies that the short-term value looks ahead (KataGo has 6, 16 and 50).
pub(crate) const SHORT_TERM_PLIES: f64 = 6.0;

/// How samples are drawn from the recorded games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DataConfig {
    /// Rows up to which the window takes in everything, 1 or more; if not set, no more than `window_maximum`. After that
    /// it grows more slowly than the data (KataGo's M).
    pub window_minimum: u64,
    /// The largest number of rows that are kept in memory, at about 0.3 kB each; at least `window_minimum`.
    pub window_maximum: u64,
    /// Probability that a sample is mirrored left to right, 0 to 1. All variants here move alike on both wings;
    /// where the start position is not symmetric (wangqi) a smaller share keeps its openings frequent.
    pub mirror: f64,
    /// Share of the search's value in the value target, 0 to 1 (dlshogi 0.33); the rest is the result. If a game was cut
    /// off at a limit without a winner, the search's value is the whole target (but see `material_share`).
    pub search_value_share: f64,
    /// Plies after which the value target begins to be what later searches said, 0 or 1 to 1,000: the average number that it
    /// looks ahead, as in TD(λ) (Sutton 1988). 0: the result of the game, however far away it is, which overfits
    /// (`docs/research/2026-11-24-value-overfits.md`).
    pub value_plies: f64,
    /// Share of material in the value target of games that were cut off at a limit, 0 to 1; the rest is the search's value. A
    /// piece counts as many points as it has moves in random games, and a lead that is the root mean square of those at the
    /// ends of these games counts as a chance of 82 %. For variants in which many games are cut off. The default is our own.
    pub material_share: f64,
    /// Share of the games that are kept for validation, 0 to 0.5.
    pub validation_share: f64,
    /// The largest number of rows in a validation; 0 for no validation. Only programs that measure change it: it is no key
    /// of a configuration.
    #[serde(skip)]
    pub validation_rows: usize,
    /// What to do with a damaged shard: `stop` or `skip`.
    pub damaged: Damaged,
}

impl Default for DataConfig {
    fn default() -> Self {
        DataConfig {
            window_minimum: 25_000,
            window_maximum: 2_000_000,
            mirror: 0.5,
            search_value_share: 0.0,
            value_plies: 16.0,
            material_share: 0.0,
            validation_share: 0.05,
            validation_rows: 1024,
            damaged: Damaged::Stop,
        }
    }
}

impl DataConfig {
    /// Complains about each value that is out of range.
    pub fn check(&self, complaints: &mut Complaints) {
        complaints.within("window_minimum", self.window_minimum, 1, 1_000_000_000_000);
        complaints.within("mirror", self.mirror, 0.0, 1.0);
        complaints.within("search_value_share", self.search_value_share, 0.0, 1.0);
        if self.value_plies != 0.0 {
            complaints.within("value_plies", self.value_plies, 1.0, 1000.0);
        }
        complaints.within("material_share", self.material_share, 0.0, 1.0);
        complaints.within("validation_share", self.validation_share, 0.0, 0.5);
        if self.window_maximum < self.window_minimum {
            let problem = format!("{} is below window_minimum ({})", self.window_maximum, self.window_minimum);
            complaints.say("window_maximum", problem);
        }
    }

    /// Number of rows to train on when `rows` have been made: all of them up to the minimum M, then KataGo's
    /// M + scale · (rows^a − M^a) / (a · M^(a−1)).
    ///
    /// ```
    /// let config = train::DataConfig::default();
    /// assert_eq!(config.window(10_000), 10_000);
    /// assert_eq!(config.window(25_000), 25_000);
    /// assert_eq!(config.window(400_000), 118_333);
    /// ```
    pub fn window(&self, rows: u64) -> u64 {
        let (m, a) = (self.window_minimum as f64, WINDOW_EXPONENT);
        if rows <= self.window_minimum {
            return rows;
        }
        let grown = m + WINDOW_SCALE * ((rows as f64).powf(a) - m.powf(a)) / (a * m.powf(a - 1.0));
        (grown as u64).min(rows).min(self.window_maximum)
    }

    /// Whether the game with this id is kept for validation and never trained on: a fixed share of all games, chosen by
    /// a hash of their ids.
    pub fn holds_out(&self, game_id: u64) -> bool {
        let hash = blake3::hash(&game_id.to_le_bytes());
        let bytes = hash.as_bytes();
        let number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        f64::from(number) < self.validation_share * 2f64.powi(32)
    }

    /// Share of the search's value in the value target when `progress` of the run (0 to 1) is over.
    pub fn search_share(&self, progress: f64) -> f32 {
        if progress < SEARCH_VALUE_FROM { 0.0 } else { self.search_value_share as f32 }
    }
}
