//! Beginning a search: when the last tree can be reused, and when not.

use super::simulation::{find_ends, settle_ends};
use super::{SearchRequest, SimulationCounts, TreeSearch};
use crate::config::Reuse;
use crate::state::GameState;
use crate::tree::{Proof, ROOT};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Most nodes a search makes room for before it begins: 48 MB.
const MOST_RESERVED: usize = 1_000_000;

impl<S: GameState> TreeSearch<S> {
    /// Begins a search of `visits` visits from the present position of `game`, which must have a legal move. An
    /// unfinished search is abandoned.
    pub fn begin(&mut self, game: &S, visits: u32, rng: &mut impl Rng) {
        let order = SearchRequest { visits, algorithm: self.config.algorithm, noise: true };
        self.begin_as(game, order, rng);
    }

    /// Like [`TreeSearch::begin`], with all settings that may change from move to move. Returns whether part of the
    /// last tree was kept ([`Reuse`]).
    pub fn begin_as(&mut self, game: &S, order: SearchRequest, rng: &mut impl Rng) -> bool {
        self.order = order;
        self.rng = ChaCha8Rng::from_rng(rng);
        self.drop_pending();
        let kept = self.follow(game);
        // An unlimited analysis allocates memory as it runs.
        self.tree.reserve((order.visits as usize + 1).min(MOST_RESERVED));
        self.tally = SimulationCounts::default();
        game.legal_moves(&mut self.legal);
        assert!(!self.legal.is_empty(), "a search needs a legal move");
        self.find_ends_of_root();
        self.root.planned = false;
        if self.tree.node(ROOT).expanded {
            if !kept {
                self.tree.order_root_edges(&self.legal);
                settle_ends(&mut self.tree, ROOT, &self.ends);
                self.tally.recalled = 1;
            }
            self.plan_root();
        }
        kept
    }

    /// Finds every root move that ends the game, without the ply limit. All winning ones are correct, so the policy
    /// target contains all of them. On the last ply before a limit that the leader in points wins, the first move that
    /// is tried proves the win, and is the target.
    fn find_ends_of_root(&mut self) {
        let winning = &mut self.root.winning;
        winning.clear();
        let game = self.game.as_mut().expect("the game has been followed");
        find_ends(game, &self.legal, &mut self.replies, &mut self.ends, &self.config);
        // If the rules find one win, there may be more; `ends` has only those that are no mates.
        if self.config.win_in_one && game.win_in_one(&self.legal, &mut self.replies).is_some() {
            for &mv in self.legal.iter() {
                game.play(mv);
                game.legal_moves(&mut self.replies);
                if game.final_score(&self.replies) == Some(-1.0) {
                    winning.push(mv);
                }
                game.undo();
            }
        } else {
            winning.extend(self.ends.iter().filter(|(_, proof)| *proof == Proof::Win).map(|&(mv, _)| mv));
        }
    }

    /// Forgets the pending leaves. A leaf without a value makes the tree unusable.
    fn drop_pending(&mut self) {
        if self.pending.first().is_some_and(|leaf| leaf.node != ROOT) {
            self.tree.reset();
        }
        self.pending.clear();
    }

    /// Makes the present position of `game` the root. Returns whether it is a node of the old tree worth keeping with
    /// its subtree.
    fn follow(&mut self, game: &S) -> bool {
        let Some(old) = self.game.as_mut().filter(|old| goes_on(*old, game)) else {
            self.game = Some(game.clone());
            self.tree.reset();
            return false;
        };
        let since = &game.moves()[old.moves().len()..];
        since.iter().for_each(|&mv| old.play(mv));
        let node = since.iter().try_fold(ROOT, |node, &mv| self.tree.child_by_move(node, mv));
        let Some(node) = node else {
            self.tree.reset();
            return false;
        };
        let found = self.tree.node(node);
        let kept = match self.config.reuse {
            Reuse::None => false,
            Reuse::Proofs => found.proof.is_some(),
            Reuse::Subtree => true,
        };
        if kept {
            self.restore_root_priors();
            self.tree.keep(node);
        } else {
            self.tree.reset();
        }
        kept
    }
}

/// Whether `later` is a continuation of the game `earlier`.
fn goes_on<S: GameState>(earlier: &S, later: &S) -> bool {
    earlier.same_start(later) && later.moves().starts_with(earlier.moves())
}
