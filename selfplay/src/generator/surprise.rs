//! Rows weigh more where the search surprised the network (KataGo's policy surprise weighting).

use crate::config::SelfplayConfig;
use data::PositionRecord;

/// Winning chances are kept this far from 0 and 1 before a divergence is computed: otherwise a proof against a
/// confident network would take all the weight of a game.
const EDGE: f32 = 0.02;

/// Distributes the weights of a game's full searches: a part evenly, a part by the divergence of the policy found from
/// the network's, a part by that of the value found. Their sum stays the same.
pub(super) fn weigh(records: &mut [PositionRecord], config: &SelfplayConfig) {
    let (by_policy, by_value) = (config.surprise_weight, config.value_surprise_weight);
    if by_policy + by_value == 0.0 {
        return;
    }
    let full = || records.iter().filter(|record| record.full_search);
    let count = full().count() as f32;
    let policy: f32 = full().map(|record| record.policy_kld).sum();
    let value: f32 = full().map(value_surprise).sum();
    // If no row surprises, each gets an even share.
    let share = |surprise: f32, sum: f32| if sum > 0.0 { surprise / sum * count } else { 1.0 };
    for record in records.iter_mut().filter(|record| record.full_search) {
        let even = 1.0 - by_policy - by_value;
        let surprise = by_policy * share(record.policy_kld, policy) + by_value * share(value_surprise(record), value);
        record.target_weight *= even + surprise;
    }
}

/// Kullback-Leibler divergence of the winning chance by the network from that by the search, nats.
fn value_surprise(record: &PositionRecord) -> f32 {
    let chance = |q: f32| (0.5 + q / 2.0).clamp(EDGE, 1.0 - EDGE);
    let (found, expected) = (chance(record.root_q), chance(record.net_q));
    found * (found / expected).ln() + (1.0 - found) * ((1.0 - found) / (1.0 - expected)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(policy_kld: f32, root_q: f32, full_search: bool) -> PositionRecord {
        PositionRecord { policy_kld, root_q, full_search, target_weight: 1.0, ..Default::default() }
    }

    #[test]
    fn surprising_rows_gain_what_others_lose() {
        let config = SelfplayConfig { surprise_weight: 0.5, value_surprise_weight: 0.1, ..SelfplayConfig::default() };
        let mut records = vec![record(0.3, 0.0, true), record(0.1, 0.0, true), record(7.0, 0.9, false)];
        weigh(&mut records, &config);
        let weights: Vec<f32> = records.iter().map(|record| record.target_weight).collect();
        // Half by policy, three to one; the values contain no surprise, so their tenth is distributed evenly.
        for (weight, expected) in weights.iter().zip([0.5 + 0.5 * 1.5, 0.5 + 0.5 * 0.5, 1.0]) {
            assert!((weight - expected).abs() < 1e-6, "{weights:?}");
        }
        let mut records = vec![record(0.0, 0.8, true), record(0.0, 0.0, true)];
        weigh(&mut records, &config);
        assert!((records[0].target_weight - 1.1).abs() < 1e-6, "all of the tenth: {records:?}");
        assert!((records[1].target_weight - 0.9).abs() < 1e-6);
    }

    #[test]
    fn a_proof_against_a_sure_network_stays_finite() {
        let sure = PositionRecord { net_q: -1.0, root_q: 1.0, ..Default::default() };
        assert!((value_surprise(&sure) - 3.736).abs() < 1e-2, "{}", value_surprise(&sure));
        assert_eq!(value_surprise(&PositionRecord { net_q: 1.0, root_q: 1.0, ..Default::default() }), 0.0);
    }
}
