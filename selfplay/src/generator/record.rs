//! From searches and games to what is stored of them.

use super::slot::{InFlight, Shared};
use super::surprise;
use crate::config::Algorithm;
use crate::search::SearchResult;
use data::{GameRecord, PositionRecord};
use rules::{FenError, Game, Move, Outcome, Position, Rules, Side, Termination, Variant};

/// What all games of a generation have in common in their records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// The run.
    pub run_id: String,
    /// The generation.
    pub generation: u32,
    /// Name of the network that plays both sides.
    pub network: String,
    /// Who plays, and the shard's name: lower-case letters, digits, `-` and `_`.
    pub worker: String,
    /// Version of the program.
    pub engine_version: String,
}

/// Sum of the weights of a stored policy that is not made of visits.
const POLICY_SUM: u32 = 1 << 16;

/// The record of a search and the move played after it.
pub(super) fn position<V: Variant>(
    game: &Game<V>,
    result: &SearchResult,
    mv: Move,
    full_search: bool,
    algorithm: Algorithm,
    generation: u32,
) -> PositionRecord {
    let positions = game.positions();
    let (policy_move, policy_visits) = stored_policy(result, algorithm);
    PositionRecord {
        ply: game.ply() as u16,
        side: game.side().index() as u8,
        pos_key: game.position().key().to_bytes(),
        parent_key: positions.len().checked_sub(2).map(|parent| positions[parent].key().to_bytes()),
        mv: mv.raw(),
        policy_move,
        policy_visits,
        root_wdl: result.root_wdl,
        root_q: result.root_q,
        net_q: result.net_q,
        net_policy_entropy: result.net_policy_entropy,
        policy_kld: result.policy_kld,
        visits: result.visits,
        full_search,
        target_weight: 1.0,
        generation,
    }
}

/// The policy as whole numbers: PUCT's visits, or the shares scaled to a sum of [`POLICY_SUM`] with what
/// rounding down leaves given to the largest remainders.
fn stored_policy(result: &SearchResult, algorithm: Algorithm) -> (Vec<u32>, Vec<u32>) {
    if algorithm == Algorithm::Puct && result.proven.is_none() {
        let chosen = result.moves.iter().filter(|mv| mv.target_visits > 0);
        let (moves, visits): (Vec<u32>, Vec<u32>) = chosen.map(|mv| (mv.mv.raw(), mv.target_visits)).unzip();
        if !moves.is_empty() {
            return (moves, visits);
        }
    }
    let scaled: Vec<f64> = result.policy.iter().map(|&(_, share)| f64::from(share) * f64::from(POLICY_SUM)).collect();
    let mut weights: Vec<u32> = scaled.iter().map(|&x| x as u32).collect();
    let mut by_remainder: Vec<usize> = (0..scaled.len()).collect();
    by_remainder.sort_by(|&a, &b| scaled[b].fract().total_cmp(&scaled[a].fract()));
    let missing = POLICY_SUM.saturating_sub(weights.iter().sum());
    by_remainder.into_iter().cycle().take(missing as usize).for_each(|i| weights[i] += 1);
    let moves = result.policy.iter().map(|(mv, _)| mv.raw());
    moves.zip(weights).filter(|&(_, weight)| weight > 0).unzip()
}

/// The record of a finished game.
pub(super) fn game<V: Variant>(
    game: InFlight<V>,
    slot: u32,
    outcome: Outcome,
    doubter: Option<u8>,
    shared: &Shared<V>,
    wall_ms: u32,
) -> GameRecord {
    let Shared { config, origin, .. } = shared;
    let InFlight { game, seed, mut records, started_at, .. } = game;
    surprise::weigh(&mut records, config);
    if outcome.winner.is_none() && outcome.termination == Termination::MaxPlies {
        records.iter_mut().for_each(|record| record.target_weight *= config.limit_weight);
    }
    let setups = game.start_position().setups();
    GameRecord {
        game_id: seed.id,
        run_id: origin.run_id.clone(),
        generation: origin.generation,
        variant: V::ID.to_owned(),
        ruleset: ruleset(game.rules()),
        worker: format!("{}/{slot}", origin.worker),
        seed: seed.seed,
        net_first: origin.network.clone(),
        net_second: origin.network.clone(),
        start_fen: start_fen(&game),
        setup_first: setups.map(|[first, _]| first.name.to_owned()),
        setup_second: setups.map(|[_, second]| second.name.to_owned()),
        moves: game.moves().iter().map(|mv| mv.raw()).collect(),
        moves_text: moves_text(&game),
        result: match outcome.winner {
            Some(Side::First) => 1,
            Some(Side::Second) => -1,
            None => 0,
        },
        termination: outcome.termination.name().to_owned(),
        points_first: outcome.points.map(|points| points[0]),
        points_second: outcome.points.map(|points| points[1]),
        visits: records.iter().map(|record| record.visits).sum(),
        resigned_playthrough: doubter.is_some() && outcome.termination != Termination::Resign,
        started_at,
        wall_ms,
        engine_version: origin.engine_version.clone(),
        positions: records,
        ..GameRecord::default()
    }
}

/// FEN of the position a game began from, if that is not the variant's start.
pub(super) fn start_fen<V: Variant>(game: &Game<V>) -> Option<String> {
    (*game.start_position() != Position::start()).then(|| game.start_position().fen())
}

/// The position that [`start_fen`] has written down.
///
/// # Errors
/// It is no position of the variant.
pub(super) fn start_position<V: Variant>(start_fen: Option<&str>) -> Result<Position<V>, FenError> {
    start_fen.map_or_else(|| Ok(Position::start()), Position::from_fen)
}

/// A rule set's name with what was changed in it: `full max-plies=160`.
fn ruleset<V: Variant>(rules: &Rules<V>) -> String {
    match Rules::<V>::named(rules.name()) {
        Ok(preset) if preset.max_plies() == rules.max_plies() => rules.name().to_owned(),
        _ => format!("{} max-plies={}", rules.name(), rules.max_plies()),
    }
}

/// The moves of a game in UCI, separated by spaces.
pub(super) fn moves_text<V: Variant>(game: &Game<V>) -> String {
    let texts: Vec<String> =
        game.positions().iter().zip(game.moves()).map(|(position, &mv)| position.format_move(mv)).collect();
    texts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_shares_sum_to_65536_and_vanishing_ones_are_left_out() {
        let shares = [0.5, 0.3, 0.2 - 1e-6, 1e-6, 1e-9];
        let policy = shares.iter().enumerate().map(|(i, &share)| (Move::from_raw(i as u32), share)).collect();
        let result = SearchResult { policy, ..SearchResult::default() };
        let (moves, weights) = stored_policy(&result, Algorithm::Gumbel);
        assert_eq!(moves, [0, 1, 2]);
        assert_eq!(weights, [32768, 19661, 13107]);
        assert_eq!(weights.iter().sum::<u32>(), POLICY_SUM);
    }
}
