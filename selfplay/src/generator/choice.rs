//! Which move is played after a search, and whether to play on at all.

use crate::config::SelfplayConfig;
use crate::search::SearchResult;
use data::PositionRecord;
use rand::{Rng, RngExt};
use rules::Move;

/// The move to play at `ply`: drawn from the policy found while the game is young, then the best. What is
/// proven is played.
pub(super) fn choose(result: &SearchResult, config: &SelfplayConfig, ply: u32, rng: &mut impl Rng) -> Move {
    let Some(temperature) = config.temperature_at(ply).filter(|_| result.proven.is_none()) else {
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

/// Whether the player at the last of these records has for long enough seen no hope.
pub(super) fn would_resign(records: &[PositionRecord], config: &SelfplayConfig) -> bool {
    let Some(last) = records.last().filter(|_| config.resign_below > 0.0) else { return false };
    let mut own = records.iter().rev().filter(|record| record.side == last.side);
    let hopeless = |record: &PositionRecord| record.root_wdl[0] + record.root_wdl[1] / 2.0 < config.resign_below;
    (0..config.resign_after).all(|_| own.next().is_some_and(hopeless))
}

#[cfg(test)]
mod tests {
    use super::*;
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
        (0..draws).for_each(|_| counts[choose(&result, &config, 9, &mut rng).raw() as usize] += 1);
        // Squares of the shares: 0.36, 0.09, 0.01.
        for (count, expected) in counts.into_iter().zip([0.36 / 0.46, 0.09 / 0.46, 0.01 / 0.46]) {
            let seen = f64::from(count) / f64::from(draws);
            assert!((seen - expected).abs() < 4.0 * (expected / f64::from(draws)).sqrt(), "{seen} for {expected}");
        }
        assert_eq!(choose(&result, &config, 10, &mut rng), result.best);
    }

    #[test]
    fn resigns_after_enough_hopeless_searches_of_one_player() {
        let config = SelfplayConfig { resign_below: 0.1, resign_after: 2, ..SelfplayConfig::default() };
        let record = |side, win: f32| PositionRecord { side, root_wdl: [win, 0.0, 1.0 - win], ..Default::default() };
        assert!(!would_resign(&[record(0, 0.05), record(1, 0.9)], &config));
        assert!(!would_resign(&[record(1, 0.9), record(0, 0.05)], &config));
        assert!(would_resign(&[record(0, 0.05), record(1, 0.95), record(0, 0.01)], &config));
        assert!(!would_resign(&[record(0, 0.15), record(1, 0.9), record(0, 0.01)], &config));
        let never = SelfplayConfig { resign_below: 0.0, ..config };
        assert!(!would_resign(&[record(0, 0.0), record(0, 0.0)], &never));
    }
}
