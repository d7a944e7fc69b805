//! Invariants of every tree.

use super::gumbel::{Completion, improved_policy, improved_wdl, select_interior};
use super::root::{PlannedMove, RootPlan};
use super::{Search, backup, considered_visits, q_for_parent};
use crate::config::{Algorithm, SearchConfig};
use crate::evaluator::{Evaluations, LeafBatch};
use crate::fakes::HashEvaluator;
use crate::tree::{Edge, NO_NODE, NodeId, Proof, ROOT, Tree, flip, q_of};
use proptest::prelude::{ProptestConfig, Strategy, prop_assert, prop_assume, proptest};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Rules, Variant, Wangqi, Xiangqi};

/// Values of `mctx.seq_halving.get_sequence_of_considered_visits`.
#[test]
fn considered_visits_are_those_of_mctx() {
    let sequence = |considered, simulations| {
        let mut out = Vec::new();
        considered_visits(considered, simulations, &mut out);
        out
    };
    assert_eq!(sequence(1, 4), [0, 1, 2, 3]);
    assert_eq!(sequence(2, 7), [0, 0, 1, 1, 2, 2, 3]);
    assert_eq!(sequence(3, 8), [0, 0, 0, 1, 1, 2, 2, 3]);
    assert_eq!(sequence(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    assert_eq!(sequence(5, 20), [0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]);
    assert_eq!(sequence(8, 12), [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(sequence(16, 32)[16..], [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
    assert_eq!(sequence(16, 5), [0; 5]);
}

/// A root move as the property test draws it: logit, visits, Q-value for the side to move, whether it is a proven loss.
type DrawnMove = (f32, u32, f32, bool);

fn drawn_moves() -> impl Strategy<Value = Vec<DrawnMove>> {
    let tried = (1u32..200, -1.0f32..=1.0, proptest::bool::weighted(0.1));
    let tried = proptest::option::weighted(0.5, tried).prop_map(|tried| tried.unwrap_or((0, 0.0, false)));
    proptest::collection::vec((-6.0f32..6.0, tried), 1..60).prop_map(|moves| {
        moves.into_iter().map(|(logit, (visits, q, proven_loss))| (logit, visits, q, proven_loss)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Danihelka et al. 2022, section 4: with completed Q-values, the improved policy's expected Q is no lower than
    /// that of the network's policy. A proven loss is treated as illegal: the comparison is with the network's policy
    /// over the other moves.
    #[test]
    fn the_improved_policy_never_lowers_the_expected_q(
        moves in drawn_moves(),
        value in -1.0f32..=1.0,
        c_scale in 0.01f32..2.0,
        c_visit in 0.0f32..100.0,
        q_range_floor in proptest::option::of(0.0f32..=2.0),
    ) {
        prop_assume!(moves.iter().any(|mv| !mv.3));
        let (mut tree, mut plan) = (Tree::default(), RootPlan::default());
        tree.reset();
        let codes: Vec<Move> = (0..moves.len() as u32).map(Move::from_raw).collect();
        let sum: f32 = moves.iter().map(|mv| mv.0.exp()).sum();
        for (edge, mv) in tree.add_edges(ROOT, &codes).iter_mut().zip(&moves) {
            edge.prior = mv.0.exp() / sum;
            plan.moves.push(PlannedMove { net_prior: edge.prior, logit: edge.prior.ln(), gumbel: 0.0 });
        }
        tree.node_mut(ROOT).net_wdl = [(1.0 + value) / 2.0, 0.0, (1.0 - value) / 2.0];
        for (edge, &(_, visits, q, proven_loss)) in moves.iter().enumerate() {
            if visits > 0 {
                let child = tree.add_child(ROOT, edge);
                let node = tree.node_mut(child);
                (node.visits, node.wdl) = (visits, [(1.0 - q) / 2.0, 0.0, (1.0 + q) / 2.0]);
                if proven_loss {
                    backup::settle(&mut tree, child, Proof::Win, 1);
                }
            }
        }
        let config = SearchConfig { c_scale, c_visit, q_range_floor: q_range_floor.unwrap_or(0.0), ..SearchConfig::default() };
        let completion = Completion::with_floor(&tree, ROOT, &config, config.q_range_floor);
        let mut improved = Vec::new();
        improved_policy(&tree, &plan, &config, &mut improved);
        prop_assert!((improved.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        // The term is a linear function of the completed Q-value, so it can replace it.
        let open = || tree.edges(ROOT).iter().enumerate().filter(|(i, _)| !moves[*i].3);
        let legal: f32 = open().map(|(_, edge)| edge.prior).sum();
        let before: f32 = open().map(|(_, edge)| edge.prior / legal * completion.term_of(&tree, edge)).sum();
        let after: f32 = open().map(|(i, edge)| improved[i] * completion.term_of(&tree, edge)).sum();
        prop_assert!(after >= before - 1e-4 * (1.0 + before.abs()), "{} after {}", after, before);
        prop_assert!(moves.iter().zip(&improved).all(|(mv, &share)| !mv.3 || share == 0.0));
        // If the Q-values of two moves differ by the floor or less, their terms differ by no more than that part of the
        // weight.
        if let Some(floor) = q_range_floor.filter(|&floor| floor > 0.0) {
            let most = moves.iter().map(|mv| mv.1).filter(|&visits| visits > 0).max().unwrap_or(0);
            let weight = (c_visit + most as f32) * c_scale;
            for (_, a) in open().filter(|(_, edge)| edge.child != NO_NODE) {
                for (_, b) in open().filter(|(_, edge)| edge.child != NO_NODE) {
                    let apart = completion.term_of(&tree, a) - completion.term_of(&tree, b);
                    let q = q_for_parent(&tree, a.child) - q_for_parent(&tree, b.child);
                    prop_assert!(apart.abs() <= weight * q.abs() / floor + 1e-3 * (1.0 + weight), "{} for {}", apart, q);
                }
            }
        }
        // The value of the improved policy is its mean of completed Q-values, and a distribution.
        let wdl = improved_wdl(&tree, &improved);
        prop_assert!((wdl.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{:?}", wdl);
        let (visits, tried) = open().filter(|(_, edge)| edge.child != NO_NODE).fold((0, (0.0, 0.0)), |sum, (_, edge)| {
            let child = tree.node(edge.child);
            (sum.0 + child.visits, (sum.1.0 + edge.prior, sum.1.1 + edge.prior * q_for_parent(&tree, edge.child)))
        });
        let mixed = if visits == 0 { value } else { (value + visits as f32 * tried.1 / tried.0) / (visits + 1) as f32 };
        let completed = |edge: &Edge| if edge.child == NO_NODE { mixed } else { q_for_parent(&tree, edge.child) };
        let expected: f32 = open().map(|(i, edge)| improved[i] * completed(edge)).sum();
        prop_assert!((q_of(wdl) - expected).abs() < 1e-4, "{:?} for {}", wdl, expected);
    }
}

/// Where all moves have been tried and are worth the same, as a single reply is.
#[test]
fn values_without_a_range_leave_a_move_to_choose() {
    for (moves, visits) in [(1, 1), (1, 2_000), (3, 200)] {
        for c_scale in [0.1, 1.0, 3.0, 100.0] {
            let mut tree = Tree::default();
            tree.reset();
            let codes: Vec<Move> = (0..moves as u32).map(Move::from_raw).collect();
            tree.add_edges(ROOT, &codes).iter_mut().for_each(|edge| edge.prior = 1.0 / moves as f32);
            tree.node_mut(ROOT).net_wdl = [0.5, 0.0, 0.5];
            for edge in 0..moves {
                let child = tree.add_child(ROOT, edge);
                let node = tree.node_mut(child);
                (node.visits, node.wdl) = (visits, [0.5, 0.0, 0.5]);
            }
            let config = SearchConfig { c_scale, ..SearchConfig::default() };
            let chosen = select_interior(&mut tree, ROOT, &mut Vec::new(), &config);
            assert!(chosen < moves, "move {chosen} of {moves}, {visits} visits each, c_scale {c_scale}");
        }
    }
}

/// A parent's value is the mean of its own evaluation and its children's values; proofs follow from children.
pub(crate) fn check_node(tree: &Tree, id: NodeId) {
    let node = tree.node(id);
    assert!((node.wdl.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{:?}", node.wdl);
    if !node.expanded {
        assert!(node.proof.is_some(), "an open node has been evaluated");
        return;
    }
    let (mut sum, mut counted, mut visits, mut proven_losses) = (node.net_wdl.map(f64::from), 1, 1, 0);
    let (mut open, mut best_loss, mut longest) = (false, None, 0);
    for (i, edge) in tree.edges(id).iter().enumerate() {
        if edge.child == NO_NODE {
            open = true;
            continue;
        }
        assert!(i < usize::from(node.explored));
        let child = tree.node(edge.child);
        visits += child.visits;
        match child.proof {
            Some(Proof::Win) => {
                proven_losses += 1;
                longest = longest.max(child.distance + 1);
            }
            other => {
                open |= other.is_none();
                best_loss = if other == Some(Proof::Loss) { Some(child.distance + 1) } else { best_loss };
                let wdl = flip(child.wdl);
                (0..3).for_each(|k| sum[k] += f64::from(wdl[k]) * f64::from(child.visits));
                counted += child.visits;
            }
        }
        check_node(tree, edge.child);
    }
    assert_eq!(node.proven_losses, proven_losses);
    match node.proof {
        Some(Proof::Win) => assert_eq!(best_loss, Some(node.distance)),
        Some(Proof::Loss) => assert!(!open && best_loss.is_none() && node.distance == longest),
        Some(Proof::Draw) => assert!(!open && best_loss.is_none()),
        None => {
            assert!(best_loss.is_none());
            assert_eq!(node.visits, visits, "visits of a node and of its children");
            for (value, sum) in node.wdl.iter().zip(sum) {
                let mean = sum / f64::from(counted);
                assert!((f64::from(*value) - mean).abs() < 1e-3, "{value} for {mean}");
            }
        }
    }
}

fn trees_are_sound<V: Variant>(algorithm: Algorithm) {
    let mut search = Search::new(SearchConfig { algorithm, ..SearchConfig::default() });
    let (mut network, mut batch, mut answers) =
        (HashEvaluator::new(1, 8), LeafBatch::default(), Evaluations::default());
    let (mut rng, mut legal) = (ChaCha8Rng::seed_from_u64(6), MoveList::new());
    let mut proven = 0;
    for _ in 0..6 {
        let mut game = Game::<V>::start(Rules::default().with_max_plies(200));
        loop {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                break;
            }
            // Random moves leave pieces hanging and generals exposed, which gives many proofs.
            if game.ply() > 50 && game.ply().is_multiple_of(5) {
                search.begin(&game, 150, &mut rng);
                search.run_alone(&mut network, &mut batch, &mut answers, || true).expect("answers");
                if search.result().visits > 0 {
                    check_node(search.tree(), ROOT);
                }
                proven += search.tree.node(ROOT).proven_losses;
            }
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
    assert!(proven > 10, "{proven} proven losses are too few to tell anything");
}

#[test]
fn gumbel_trees_are_sound() {
    trees_are_sound::<Xiangqi>(Algorithm::Gumbel);
    trees_are_sound::<Wangqi>(Algorithm::Gumbel);
}

#[test]
fn puct_trees_are_sound() {
    trees_are_sound::<Xiangqi>(Algorithm::Puct);
    trees_are_sound::<Wangqi>(Algorithm::Puct);
}

#[test]
fn a_kept_subtree_is_the_same_tree() {
    let game = Game::<Xiangqi>::start(Rules::default());
    let mut search = Search::new(SearchConfig { algorithm: Algorithm::Puct, ..SearchConfig::default() });
    let (mut network, mut batch, mut answers) =
        (HashEvaluator::new(1, 8), LeafBatch::default(), Evaluations::default());
    search.begin(&game, 400, &mut ChaCha8Rng::seed_from_u64(1));
    search.run_alone(&mut network, &mut batch, &mut answers, || true).expect("answers");
    let best = search.result().best;
    let old = search.tree.clone();
    let kept = old.child_by_move(ROOT, best).expect("the best move was tried");
    search.tree.keep(kept);
    fn same(a: (&Tree, NodeId), b: (&Tree, NodeId)) -> usize {
        let (x, y) = (a.0.node(a.1), b.0.node(b.1));
        assert_eq!((x.wdl, x.visits, x.explored, x.proof), (y.wdl, y.visits, y.explored, y.proof));
        let pairs = a.0.edges(a.1).iter().zip(b.0.edges(b.1));
        let below = pairs.map(|(e, f)| {
            assert_eq!((e.mv, e.prior, e.child == NO_NODE), (f.mv, f.prior, f.child == NO_NODE));
            if e.child == NO_NODE { 0 } else { same((a.0, e.child), (b.0, f.child)) }
        });
        1 + below.sum::<usize>()
    }
    assert_eq!(same((&old, kept), (&search.tree, ROOT)), search.tree.len());
    assert_eq!(q_of(search.tree.node(ROOT).wdl), q_of(old.node(kept).wdl));
}

/// Two replies: one wins for the opponent, the other is open. The first must not lower the node's value.
#[test]
fn a_proven_loss_does_not_count_in_the_value() {
    let mut tree = Tree::default();
    tree.reset();
    tree.add_edges(ROOT, &[Move::from_raw(0), Move::from_raw(1)]);
    let root = tree.node_mut(ROOT);
    (root.net_wdl, root.wdl, root.visits) = ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], 1);
    let open = tree.add_child(ROOT, 0);
    tree.node_mut(open).net_wdl = [0.0, 0.5, 0.5];
    backup::back_up(&mut tree, &[(ROOT, 0)], open, [0.0, 0.5, 0.5], false);
    let lost = tree.add_child(ROOT, 1);
    backup::settle(&mut tree, lost, Proof::Win, 1);
    backup::back_up(&mut tree, &[(ROOT, 1)], lost, Proof::Win.wdl(), true);
    let root = tree.node(ROOT);
    assert_eq!((root.visits, root.proven_losses, root.proof), (3, 1, None));
    assert_eq!(root.wdl, [0.25, 0.75, 0.0]);
    // The other reply also turns out to win for the opponent: the node is lost, in the longer line.
    backup::settle(&mut tree, open, Proof::Win, 3);
    backup::back_up(&mut tree, &[(ROOT, 0)], open, Proof::Win.wdl(), true);
    let root = tree.node(ROOT);
    assert_eq!((root.proof, root.distance, root.wdl), (Some(Proof::Loss), 4, [0.0, 0.0, 1.0]));
}
