//! From game results to strength: everything here is a function of counts, without chess and without I/O.
//!
//! Differences are in Elo (a logistic scale: 400 Elo are odds of 10 to 1), always from the point of view
//! of the first named player. What the counts cannot tell is `None` ("n/a"), never NaN or an infinity.

mod bradley_terry;
mod counts;
mod davidson;
mod elo;
mod graph;
mod likelihood;
mod normal;
mod sequential;
mod sprt;

pub use bradley_terry::{Encounter, Estimate, RatingError, RatingRow, RatingTable, rate};
pub use counts::{CountsError, Pentanomial, Wdl};
pub use elo::{Strength, elo_of_score, score_of_elo};
pub use normal::{Z95, normal_cdf};
pub use sequential::SequentialTest;
pub use sprt::{Model, Sample, Sprt, SprtDecision};
