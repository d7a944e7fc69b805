//! Which move is played after a search, and whether to play on at all.

use data::PositionRecord;
use rand::{Rng, RngExt};
use rules::{Move, Side};
use search::SearchResult;

/// The move to play: drawn at this temperature from the policy found, or the best if there is none. A proven move is
/// always played.
pub(super) fn choose(result: &SearchResult, temperature: Option<f32>, rng: &mut impl Rng) -> Move {
    let Some(temperature) = temperature.filter(|_| result.proven.is_none()) else {
        return result.best;
    };
    let highest = result.policy.iter().map(|&(_, share)| share).fold(0.0, f32::max);
    let weight = |share: f32| (share / highest).powf(1.0 / temperature);
    let sum: f32 = result.policy.iter().map(|&(_, share)| weight(share)).sum();
    let mut left = rng.random::<f32>() * sum;
    for &(mv, share) in &result.policy {
        left -= weight(share);
        if left < 0.0 {
            return mv;
        }
    }
    result.best
}

/// Winning chance according to a search, for its player: wins and half of the draws.
pub(super) fn winning_chance(record: &PositionRecord) -> f32 {
    record.root_wdl[0] + record.root_wdl[1] / 2.0
}

/// Whether the player at the last of these records has seen a winning chance below `below` for `after` searches in a row.
pub(super) fn would_resign(records: &[PositionRecord], below: f32, after: u32) -> bool {
    let Some(last) = records.last() else { return false };
    let mut own = records.iter().rev().filter(|record| record.side == last.side);
    (0..after).all(|_| own.next().is_some_and(|record| winning_chance(record) < below))
}

/// The player who would have resigned first in a game with these records; `None` if neither would have.
pub(super) fn doubter(records: &[PositionRecord], below: f32, after: u32) -> Option<Side> {
    let first = (1..=records.len()).find(|&count| would_resign(&records[..count], below, after));
    first.map(|count| records[count - 1].side)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SelfplayConfig;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn result(shares: &[f32]) -> SearchResult {
        SearchResult {
            best: Move::from_raw(1),
            policy: shares.iter().enumerate().map(|(i, &share)| (Move::from_raw(i as u32), share)).collect(),
            ..SearchResult::default()
        }
    }

    #[test]
    fn young_games_draw_from_the_policy_at_its_temperature() {
        let config =
            SelfplayConfig { sample_plies: 10, temperature: 0.5, temperature_end: 0.5, ..SelfplayConfig::default() };
        let (result, mut rng) = (result(&[0.6, 0.3, 0.1]), ChaCha8Rng::seed_from_u64(3));
        let mut counts = [0; 3];
        let draws = 100_000;
        (0..draws).for_each(|_| counts[choose(&result, config.temperature_at(9), &mut rng).raw() as usize] += 1);
        // Squares of the shares: 0.36, 0.09, 0.01.
        for (count, expected) in counts.into_iter().zip([0.36 / 0.46, 0.09 / 0.46, 0.01 / 0.46]) {
            let seen = f64::from(count) / f64::from(draws);
            assert!((seen - expected).abs() < 4.0 * (expected / f64::from(draws)).sqrt(), "{seen} for {expected}");
        }
        assert_eq!(choose(&result, config.temperature_at(10), &mut rng), result.best);
    }

    #[test]
    fn resigns_after_enough_hopeless_searches_of_one_player() {
        let record = |side: usize, win: f32| PositionRecord {
            side: Side::BOTH[side],
            root_wdl: [win, 0.0, 1.0 - win],
            ..Default::default()
        };
        let would_resign = |records: &[PositionRecord]| would_resign(records, 0.1, 2);
        assert!(!would_resign(&[record(0, 0.05), record(1, 0.9)]));
        assert!(!would_resign(&[record(1, 0.9), record(0, 0.05)]));
        assert!(would_resign(&[record(0, 0.05), record(1, 0.95), record(0, 0.01)]));
        assert!(!would_resign(&[record(0, 0.15), record(1, 0.9), record(0, 0.01)]));
        assert!(!super::would_resign(&[record(0, 0.0), record(0, 0.0)], 0.0, 2), "0 is never");
    }
}
