//! What all slots of a generation share.

use super::history::History;
use super::origin::Origin;
use super::progress::GenerationProgress;
use crate::config::SelfplayConfig;
use rules::{Rules, Variant};
use search::SearchConfig;

/// What all slots of a generation share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<'a, V: Variant> {
    /// The rule set, limited by the settings.
    pub rules: Rules<V>,
    /// The rule set as it is, which random-play games have before a sparse board.
    pub rule_set: Rules<V>,
    pub search: &'a SearchConfig,
    pub config: &'a SelfplayConfig,
    pub origin: &'a Origin,
    pub run_seed: u64,
    /// What is taken from earlier generations.
    pub history: &'a History<V>,
    /// Share of games begun from an ending.
    pub ending_share: f32,
    /// Weight of the rows of games that are drawn by the ply limit in this generation.
    pub limit_weight: f32,
    /// Searched plies of each slot in this generation.
    pub quota: u32,
    pub progress: &'a GenerationProgress,
}
