//! What a search fixes at its root before the first simulation.

use super::{TreeSearch, backup, considered_visits, noise};
use crate::config::Algorithm;
use crate::state::GameState;
use crate::tree::{NO_NODE, Proof, ROOT};
use rules::Move;

/// The root's data that stay fixed during a search.
#[derive(Clone, Debug, Default)]
pub(super) struct RootPlan {
    /// Whether the fields below are filled in, which needs the root's evaluation.
    pub planned: bool,
    /// The moves that win immediately.
    pub winning: Vec<Move>,
    /// PUCT: [`SearchConfig::forced_playouts`](crate::SearchConfig::forced_playouts), or 0 in a search without noise.
    pub forced_playouts: f32,
    /// PUCT: the Dirichlet noise.
    pub noise: Vec<f64>,
    /// Visits of the root when the search began.
    pub visits_before: u32,
    /// The moves, parallel to the root's edges.
    pub moves: Vec<PlannedMove>,
    /// Gumbel: visit count of the moves considered by each simulation.
    pub considered: Vec<u32>,
    /// Parameters for which `considered` was computed: root moves considered, simulations.
    considered_for: (usize, u32),
}

/// A root move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlannedMove {
    /// The network's policy, without noise.
    pub net_prior: f32,
    /// Gumbel: the policy's logarithm.
    pub logit: f32,
    /// Gumbel: the noise.
    pub gumbel: f32,
}

impl<S: GameState> TreeSearch<S> {
    /// Fixes everything that needs the root's policy: noise, considered moves, and wins in one.
    pub(super) fn plan_root(&mut self) {
        let edges = self.tree.edges_mut(ROOT);
        let plan = &mut self.root;
        plan.forced_playouts = if self.order.noise { self.config.forced_playouts } else { 0.0 };
        plan.moves.clear();
        plan.moves.extend(edges.iter().map(|edge| PlannedMove {
            net_prior: edge.prior,
            logit: edge.prior.ln(),
            gumbel: 0.0,
        }));
        match self.order.algorithm {
            Algorithm::Gumbel => {
                if self.order.noise && self.config.gumbel_scale > 0.0 {
                    for mv in &mut plan.moves {
                        mv.gumbel = self.config.gumbel_scale * noise::gumbel(&mut self.rng);
                    }
                }
                let room = (self.order.visits as f32 * self.config.considered_share) as usize;
                let considered = (self.config.max_considered as usize).min(room.max(1)).min(edges.len());
                if plan.considered_for != (considered, self.order.visits) {
                    considered_visits(considered, self.order.visits, &mut plan.considered);
                    plan.considered_for = (considered, self.order.visits);
                }
            }
            Algorithm::Puct if self.order.noise => {
                let ply = self.game.as_ref().map_or(0, |game| game.moves().len());
                noise::soften_and_stir(edges, ply, &self.config, &mut plan.noise, &mut self.rng);
            }
            Algorithm::Puct => {}
        }
        for &winning in &plan.winning {
            let edges = self.tree.edges(ROOT);
            let edge = edges.iter().position(|edge| edge.mv == winning).expect("the winning move is legal");
            let child = match edges[edge].child {
                NO_NODE => self.tree.add_child(ROOT, edge),
                child => child,
            };
            backup::settle(&mut self.tree, child, Proof::Loss, 0);
            backup::settle(&mut self.tree, ROOT, Proof::Win, 1);
        }
        plan.visits_before = self.tree.node(ROOT).visits;
        plan.planned = true;
    }

    /// Restores the network's policy in place of the softened and noisy one.
    pub(super) fn restore_root_priors(&mut self) {
        if self.root.planned {
            for (edge, planned) in self.tree.edges_mut(ROOT).iter_mut().zip(&self.root.moves) {
                edge.prior = planned.net_prior;
            }
        }
    }
}
