//! From searches and games to their stored records.

use super::shared::Shared;
use super::unfinished_game::UnfinishedGame;
use data::{GameRecord, PositionRecord};
use rules::{Game, Move, Outcome, Side, Termination, Variant};
use search::{Algorithm, SearchResult};

/// Sum of the weights of a stored policy that is not made of visits.
const POLICY_SUM: u32 = 1 << 16;

/// The record of the search of a game's present position, and of the move played after it.
pub fn position_record<V: Variant>(
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
        side: game.side(),
        pos_key: game.position().key().to_bytes(),
        parent_key: positions.len().checked_sub(2).map(|parent| positions[parent].key().to_bytes()),
        mv,
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
        proven: result.proven.is_some(),
    }
}

/// The policy as whole numbers: PUCT's visits, or the shares scaled to a sum of [`POLICY_SUM`], where the remainder
/// after rounding down is given to the largest fractions.
fn stored_policy(result: &SearchResult, algorithm: Algorithm) -> (Vec<Move>, Vec<u32>) {
    if algorithm.counts_visits() && result.proven.is_none() {
        let chosen = result.moves.iter().filter(|mv| mv.target_visits > 0);
        let (moves, visits): (Vec<Move>, Vec<u32>) = chosen.map(|mv| (mv.mv, mv.target_visits)).unzip();
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
    let moves = result.policy.iter().map(|&(mv, _)| mv);
    moves.zip(weights).filter(|&(_, weight)| weight > 0).unzip()
}

/// The record of a finished game. `doubter` is the player who would have resigned first, if resigning was off in it.
pub(super) fn game<V: Variant>(
    game: UnfinishedGame<V>,
    slot: u32,
    outcome: Outcome,
    doubter: Option<Side>,
    shared: &Shared<V>,
) -> GameRecord<V> {
    let origin = shared.origin;
    let UnfinishedGame { game, seed, mut records, .. } = game;
    if outcome.is_cut_off() {
        records.iter_mut().for_each(|record| record.target_weight *= shared.limit_weight);
    }
    GameRecord {
        game_id: seed.id,
        run_id: origin.run_id.clone(),
        generation: origin.generation,
        worker: format!("{}/{slot}", origin.worker),
        seed: seed.seed,
        net_first: origin.network.clone(),
        net_second: origin.network.clone(),
        visits: records.iter().map(|record| record.visits).sum(),
        opening_plies: if records.is_empty() { game.ply() } else { 0 },
        resigned_playthrough: doubter.is_some() && outcome.termination != Termination::Resign,
        engine_version: origin.engine_version.clone(),
        positions: records,
        ..GameRecord::of(&game, outcome)
    }
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
        assert_eq!(moves, [0, 1, 2].map(Move::from_raw));
        assert_eq!(weights, [32768, 19661, 13107]);
        assert_eq!(weights.iter().sum::<u32>(), POLICY_SUM);
    }
}
