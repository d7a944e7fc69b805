//! The heads of a network: what it says of a position, and how it learns to say so. Each is declared here once. The outputs
//! of the network, targets, losses and their weights in configurations, metrics, logs and curves, the columns for other
//! programs and the Python package follow.
//!
//! The policy is a head of another kind. It has a logit for each legal move and no fixed width, so its layers
//! (`network/policy.rs`), its target (`samples/targets.rs`) and its metrics (`training/loss.rs`) are apart; its weight and
//! the names of its metrics are declared here. The heads of the value branch share their layers, and each has the rows of
//! `value.out` in the order of this list: a new one comes last.

mod declaration;
mod head;
#[cfg(test)]
mod tests;

pub(crate) use head::{Column, Head, Loss, SampleWeight, Width, columns, places, values};

use serde::{Deserialize, Serialize};
use settings::Complaints;
use tch::Tensor;

/// What is known of a recorded position, of which targets are made. Everything is seen by the player to move.
pub(crate) struct Sample<'a> {
    /// Win, draw, loss by the result and by the search.
    pub wdl: [f32; 3],
    /// Win, draw, loss as the search saw them in the next plies.
    pub short_wdl: [f32; 3],
    /// Plies to the end of the game.
    pub plies_left: f32,
    /// Counts of the pieces some plies ahead, see [`rules::encode::material`].
    pub material: &'a [f32],
    /// Points by which the player is ahead at the end, in units of [`rules::Rulebook::POINTS_UNIT`].
    pub points: f32,
    /// Weights of the value, of the distance from the end, and of the points.
    pub value_weight: f32,
    pub plies_weight: f32,
    pub points_weight: f32,
}

declaration::heads! {
    policy: {
        weight: 1.0, "Weight of the policy against the stored target, over all legal moves. No key: with AdamW only its ratio to \
                      the other weights matters.",
        metrics: {
            policy: "Cross-entropy of the policy in nats; never below `policy_target_entropy`.",
            policy_target_entropy: "Entropy of the policy targets in nats.",
            policy_entropy: "Entropy of the network's policy in nats.",
            policy_accuracy: "Share of positions in which the network and the target prefer the same move.",
        },
    }
    wdl: {
        width: [3],
        output: "logits of win, draw, loss",
        target: "target of win, draw, loss" = |sample, target| target.copy_from_slice(&sample.wdl),
        counts: Some(SampleWeight::Value),
        loss: Loss::CrossEntropy,
        key: value,
        weight: 0.5, "Weight of win/draw/loss against the result (and the search, see `training.data`); 0 to 10 (KataGo 0.6).",
        metric: "Cross-entropy of win/draw/loss in nats.",
        drawn: true,
    }
    short_wdl: {
        width: [3],
        output: "logits of win, draw, loss as the search is expected to see them in the next plies",
        target: "win, draw, loss as the search saw them in the next plies" =
            |sample, target| target.copy_from_slice(&sample.short_wdl),
        counts: Some(SampleWeight::Value),
        loss: Loss::CrossEntropy,
        key: short_value,
        #[serde(skip)]
        weight: 0.25, "Weight of win/draw/loss as the search sees it in the next plies; 0 to 10.",
        metric: "Cross-entropy of win/draw/loss in the short term, in nats.",
        drawn: false,
    }
    plies_left: {
        width: [],
        output: "ln(1 + plies to the end)",
        target: "ln(1 + plies to the end)" = |sample, target| target.fill(sample.plies_left.ln_1p()),
        counts: Some(SampleWeight::Plies),
        loss: Loss::Huber,
        key: plies_left,
        #[serde(skip)]
        weight: 0.1, "Weight of the Huber loss of ln(1 + plies left); 0 to 10.",
        metric: "Huber loss of ln(1 + plies left).",
        drawn: false,
    }
    material: {
        width: [material],
        output: "counts of pieces some plies ahead",
        target: "counts of pieces some plies ahead" = |sample, target| target.copy_from_slice(sample.material),
        counts: None,
        loss: Loss::Huber,
        key: material,
        #[serde(skip)]
        weight: 0.25, "Weight of the Huber loss of the piece counts some plies ahead, averaged over the kinds; 0 to 10. It is a \
                       signal even where no game is decided.",
        metric: "Huber loss of the piece counts, averaged over the kinds.",
        drawn: false,
    }
    points: {
        width: [points],
        output: "points by which the side to move will be ahead at the end, in units of the variant; no number where the network \
                 does not say them",
        target: "points by which the side to move is ahead at the end, in units of the variant; no number where the network does not \
                 say them" = |sample, target| target.fill(sample.points),
        counts: Some(SampleWeight::Points),
        loss: Loss::Huber,
        key: points,
        #[serde(skip)]
        weight: 0.25, "Weight of the Huber loss of the points at the end; 0 to 10.",
        #[serde(default)]
        metric: "Huber loss of the points at the end; 0 in networks that do not say them.",
        drawn: false,
    }
}

impl LossConfig {
    /// Complains about each value that is out of range.
    pub fn check(&self, complaints: &mut Complaints) {
        complaints.within("policy", self.policy, 0.0, 10.0);
        for (head, &weight) in HEADS.iter().zip(self.of_heads().iter()) {
            complaints.within(head.key, weight, 0.0, 10.0);
        }
        if self.policy == 0.0 && self.value == 0.0 {
            complaints.say("", "policy and value are both 0, so nothing that plays is trained");
        }
    }
}

impl Metrics {
    /// The losses that are drawn as curves, each with its name.
    pub fn curves(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let heads = HEADS.as_ref().zip(self.of_heads());
        std::iter::once(("policy", self.policy))
            .chain(heads.into_iter().filter(|(head, _)| head.drawn).map(|(head, mean)| (head.key, mean)))
    }
}
