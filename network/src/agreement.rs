//! How far the integers of a network are from its fp32 numbers.

use search::{Evaluations, LeafBatch};
use serde::{Deserialize, Serialize};

/// How far evaluations are from exact ones of the same positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// Positions that were compared.
    pub positions: u32,
    /// Mean KL divergence of the policy from the exact one, in nats.
    pub policy_kl: f64,
    /// Root mean square difference of q, the chance to win minus the chance to lose.
    pub q_rms: f64,
    /// Share of the positions in which the most likely move is the same.
    pub same_first_move: f64,
    /// Root mean square difference of the points, in networks that say them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points_rms: Option<f64>,
}

impl Agreement {
    /// The largest mean KL of the policy with which a network plays in integers. The bounds are three times what eight
    /// trained networks showed, and far below the difference between a network and its own mirror image.
    pub const MOST_KL: f64 = 0.003;
    /// The largest root mean square difference of q.
    pub const MOST_Q: f64 = 0.03;
    /// The largest root mean square difference of the points, in units of
    /// [`Rulebook::POINTS_UNIT`](rules::Rulebook::POINTS_UNIT).
    pub const MOST_POINTS: f64 = 0.03;
    /// The smallest share of equal first moves.
    pub const LEAST_SAME: f64 = 0.96;

    /// Compares two evaluations of the same leaves, given in parts.
    pub fn of<'a>(parts: impl IntoIterator<Item = (&'a LeafBatch, &'a Evaluations, &'a Evaluations)>) -> Agreement {
        let (mut positions, mut kl, mut q, mut same) = (0u32, 0.0, 0.0, 0u32);
        let (mut points, mut with_points) = (0.0, 0u32);
        for (leaves, exact, other) in parts {
            for leaf in 0..leaves.len() {
                let ((right, right_wdl), (found, found_wdl)) = (exact.of(leaves, leaf), other.of(leaves, leaf));
                kl += divergence(right, found);
                q += (q_of(right_wdl) - q_of(found_wdl)).powi(2);
                same += u32::from(most_likely(right) == most_likely(found));
                positions += 1;
            }
            for (&right, &found) in exact.points.iter().zip(&other.points) {
                points += (f64::from(right) - f64::from(found)).powi(2);
                with_points += 1;
            }
        }
        let count = f64::from(positions);
        Agreement {
            positions,
            policy_kl: kl / count,
            q_rms: (q / count).sqrt(),
            same_first_move: f64::from(same) / count,
            points_rms: (with_points > 0).then(|| (points / f64::from(with_points)).sqrt()),
        }
    }

    /// Whether a network may play in integers that agree so well. Numbers that are not finite agree with nothing.
    pub fn suffices(&self) -> bool {
        self.policy_kl <= Agreement::MOST_KL
            && self.q_rms <= Agreement::MOST_Q
            && self.same_first_move >= Agreement::LEAST_SAME
            && self.points_rms.is_none_or(|rms| rms <= Agreement::MOST_POINTS)
    }
}

fn q_of([win, _, loss]: [f32; 3]) -> f64 {
    f64::from(win) - f64::from(loss)
}

fn most_likely(logits: &[f32]) -> usize {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap_or_default()
}

/// KL divergence of the policy with the logits `other` from the one with the logits `exact`.
fn divergence(exact: &[f32], other: &[f32]) -> f64 {
    let log_shares = |logits: &[f32]| {
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = logits.iter().map(|&logit| f64::from(logit - most).exp()).sum();
        logits.iter().map(|&logit| f64::from(logit - most) - sum.ln()).collect::<Vec<f64>>()
    };
    log_shares(exact).into_iter().zip(log_shares(other)).map(|(exact, other)| exact.exp() * (exact - other)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::encode::Features;

    #[test]
    fn differences_are_measured() {
        let leaves = search::random_leaves::<rules::Wangqi>(2, 1, Features::FIRST);
        let moves = leaves.tokens.len();
        let exact = Evaluations {
            wdl: vec![[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]],
            logits: vec![0.0; moves],
            points: vec![0.5, -1.0],
        };
        let same = Agreement::of([(&leaves, &exact, &exact)]);
        let all_equal =
            Agreement { positions: 2, policy_kl: 0.0, q_rms: 0.0, same_first_move: 1.0, points_rms: Some(0.0) };
        assert_eq!(same, all_equal);
        assert!(same.suffices());

        let points_alone = Evaluations { points: vec![0.5, -0.9], ..exact.clone() };
        let found = Agreement::of([(&leaves, &exact, &points_alone)]);
        assert!((found.points_rms.unwrap() - 0.1 / 2f64.sqrt()).abs() < 1e-6 && !found.suffices(), "{found:?}");

        let mut other =
            Evaluations { wdl: vec![[0.5, 0.0, 0.5], [0.75, 0.25, 0.0]], logits: vec![0.0; moves], points: Vec::new() };
        let first = leaves.range_of(0);
        // Three times as likely as each other move.
        other.logits[first.start] = 3f32.ln();
        let found = Agreement::of([(&leaves, &exact, &other)]);
        let count = first.len() as f64;
        let kl = -(1.0 / count) * 3f64.ln() + ((count + 2.0) / count).ln();
        assert!((found.policy_kl - kl / 2.0).abs() < 1e-6, "{found:?}");
        assert!((found.q_rms - (0.25f64.powi(2) / 2.0).sqrt()).abs() < 1e-9, "{found:?}");
        assert_eq!(found.same_first_move, 0.5, "of equal moves the last one counts as the most likely");
        assert!(!found.suffices() && found.points_rms.is_none());
        let nothing = Agreement::of([]);
        assert!(!nothing.suffices(), "{nothing:?}");
    }
}
