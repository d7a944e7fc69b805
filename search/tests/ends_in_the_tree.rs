//! Repetition, passes, points and the ply limit apply in the tree as in the game: every node is replayed and compared
//! with the rules.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Position, Rules, Shogi, Termination, Variant, VariantId, Xiangqi};
use search::tree::{NO_NODE, NodeId, ROOT, Tree};
use search::{Algorithm, Evaluations, Evaluator, HashEvaluator, LeafBatch, Proof, Search, SearchConfig, SearchResult};
use std::collections::BTreeMap;

fn search<V: Variant>(search: &mut Search<V>, game: &Game<V>, visits: u32) -> SearchResult {
    let (mut network, mut batch, mut answers) =
        (HashEvaluator::new(1, 5), LeafBatch::default(), Evaluations::default());
    search.begin(game, visits, &mut ChaCha8Rng::seed_from_u64(1));
    search.run_alone(&mut network, &mut batch, &mut answers, || true).expect("answers");
    search.result().clone()
}

/// Counts of what occurred in the trees.
#[derive(Default)]
struct EndsMet {
    ends: BTreeMap<&'static str, u32>,
    passes: u32,
    /// Moves in nodes of the tree that end the game.
    known: u32,
}

impl EndsMet {
    fn of(&self, termination: Termination) -> u32 {
        self.ends.get(termination.name()).copied().unwrap_or(0)
    }
}

/// The moves that end the game otherwise than by mate or by the ply limit, found by playing every move, with their
/// results for the player making them.
fn ends<V: Variant>(game: &mut Game<V>) -> Vec<(Move, Proof)> {
    use Termination::{Bikjang, MutualPass, PerpetualChase, PerpetualCheck, Repetition};
    let (mut legal, mut replies, mut ends) = (MoveList::new(), MoveList::new(), Vec::new());
    game.legal_moves(&mut legal);
    let to_move = game.side();
    for &mv in legal.iter() {
        game.play(mv);
        game.legal_moves(&mut replies);
        if let Some(outcome) = game.outcome(&replies)
            && [Repetition, PerpetualCheck, PerpetualChase, Bikjang, MutualPass].contains(&outcome.termination)
        {
            ends.push((mv, Proof::of_score(outcome.score(to_move))));
        }
        game.undo();
    }
    ends
}

/// Replays everything below a node that is not the root of a finished game.
fn compare<V: Variant>(tree: &Tree, id: NodeId, game: &mut Game<V>, met: &mut EndsMet) {
    for (mv, proof) in ends(game) {
        let child = tree.child_by_move(id, mv).map(|child| tree.node(child));
        assert_eq!(child.and_then(|child| child.proof), Some(proof.flip()), "an end is known before it is tried");
        met.known += 1;
    }
    for edge in tree.edges(id).iter().filter(|edge| edge.child != NO_NODE) {
        let child = tree.node(edge.child);
        let mut legal = MoveList::new();
        game.play(edge.mv);
        game.legal_moves(&mut legal);
        met.passes += u32::from(edge.mv.is_pass());
        let line = game.moves().iter().map(|mv| mv.raw()).collect::<Vec<_>>();
        match game.outcome(&legal) {
            Some(outcome) => {
                let end = (child.edge_count, child.proof, child.distance);
                assert_eq!(end, (0, Some(Proof::of_score(outcome.score(game.side()))), 0), "{line:?}");
                *met.ends.entry(outcome.termination.name()).or_default() += 1;
            }
            None if child.edge_count == 0 => {
                let ends = ends(game);
                let best = match game.position().win_in_one(&legal, &mut MoveList::new()) {
                    Some(_) => Proof::Win,
                    None if ends.iter().any(|&(_, proof)| proof == Proof::Win) => Proof::Win,
                    None => {
                        assert_eq!(ends.len(), legal.len(), "every move ends the game: {line:?}");
                        let draws = ends.iter().any(|&(_, proof)| proof == Proof::Draw);
                        if draws { Proof::Draw } else { Proof::Loss }
                    }
                };
                assert_eq!((child.proof, child.distance), (Some(best), 1), "{line:?}");
            }
            None => compare(tree, edge.child, game, met),
        }
        game.undo();
    }
}

/// A move for shuffling: back to the square that the piece came from, if that is legal.
fn back<V: Variant>(game: &Game<V>, legal: &[Move]) -> Option<Move> {
    let mine = game.moves().len().checked_sub(2)?;
    let last = game.moves()[mine];
    let home = last.source_square()?;
    legal.iter().copied().find(|mv| mv.source_square() == Some(last.destination()) && mv.destination() == home)
}

fn ends_are_those_of_the_game<V: Variant>(games: u64) -> EndsMet {
    let (mut legal, mut met) = (MoveList::new(), EndsMet::default());
    for seed in 0..games {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let algorithm = [Algorithm::Gumbel, Algorithm::Puct][seed as usize % 2];
        let mut tree = Search::new(SearchConfig { algorithm, ..SearchConfig::default() });
        let mut game = Game::<V>::start(Rules::default().with_max_plies(12 + 3 * (seed as u32 % 12)));
        loop {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                break;
            }
            if game.ply() > 6 {
                // If the root is proven immediately, there is no tree.
                if search(&mut tree, &game, 120).visits > 0 {
                    compare(tree.tree(), ROOT, &mut game.clone(), &mut met);
                }
            }
            let shuffle = (rng.random::<f32>() < 0.8).then(|| back(&game, &legal)).flatten();
            game.play(shuffle.unwrap_or_else(|| legal[rng.random_range(0..legal.len())]));
        }
    }
    met
}

/// Variants of which it is known whether a player may pass.
const PASSES: &[(&str, bool)] =
    &[("janggi", true), ("koshogi", true), ("shogi", false), ("wangqi", false), ("xiangqi", false)];

#[test]
fn ends_inside_the_tree_are_those_of_the_game() {
    for &id in VariantId::ALL {
        let met = rules::dispatch!(id, V => ends_are_those_of_the_game::<V>(24));
        println!("{id}: {:?}, {} passes, {} ends in one", met.ends, met.passes, met.known);
        assert!(met.known > 0, "{id}: no node had a move that ends the game");
        assert!(met.of(Termination::Repetition) > 0, "{id}: {:?}", met.ends);
        assert!(met.of(Termination::MaxPlies) + met.of(Termination::Points) > 5, "{id}: {:?}", met.ends);
        if let Some(&(_, has_passes)) = PASSES.iter().find(|(known, _)| *known == id.id()) {
            assert_eq!(met.passes > 20, has_passes, "{id}: {} passes", met.passes);
        }
    }
}

/// The rook has checked the general to and fro; with one more repetition the rules declare it lost. In the same
/// position without its history there is no such rule.
#[test]
fn history_before_the_root_counts() {
    let start = Position::from_fen("3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1").expect("a FEN");
    let mut game = Game::<Xiangqi>::from_position(Rules::default(), start);
    for text in "a9a10 d10d9 a10a9 d9d10 a9a10 d10d9 a10a9".split(' ') {
        let mv = game.position().parse_move(text).expect("legal");
        game.play(mv);
    }
    let config = SearchConfig::default().for_matches();
    let result = search(&mut Search::new(config.clone()), &game, 50);
    assert_eq!(result.proven, Some((Proof::Win, 1)));
    assert_eq!(game.position().format_move(result.best), "d9d10");
    let alone = Game::from_position(Rules::default(), game.position().clone());
    // Stalemate after any waiting move is a loss in Xiangqi.
    assert_eq!(search(&mut Search::new(config.clone()), &alone, 50).proven, Some((Proof::Loss, 2)));
    // One ply earlier, the final check must not be played.
    game.undo();
    let result = search(&mut Search::new(config), &game, 200);
    let check = game.position().parse_move("a10a9").expect("legal");
    let found = result.moves.iter().find(|mv| mv.mv == check).expect("a legal move");
    assert!(result.best != check && found.share == 0.0, "{found:?}");
}

/// A player who is far ahead must not let the opponent repeat for the third time, even if the network gives that reply
/// a low prior: all replies look lost except the one that ends the game.
#[test]
fn a_reply_that_draws_by_repetition_counts_before_it_is_tried() {
    /// An evaluator in which the side with the rook wins with certainty, and all moves are alike.
    struct Ahead;
    impl Evaluator for Ahead {
        fn batch_size(&self) -> usize {
            1
        }
        fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), search::EvaluationError> {
            out.clear();
            // The first plane is of the pieces of the side to move; the side with the rook has more of them.
            for leaf in 0..batch.len() {
                let ahead = batch.moves_of(leaf).len() > 6;
                out.wdl.push(if ahead { [0.95, 0.0, 0.05] } else { [0.05, 0.0, 0.95] });
            }
            out.logits.resize(batch.tokens.len(), 0.0);
            Ok(())
        }
    }
    let start = Position::from_fen("3k5/9/9/9/9/9/9/4B4/4A4/R3K4 w - - 0 1").expect("a FEN");
    let mut game = Game::<Xiangqi>::from_position(Rules::default(), start);
    for text in "a1b1 d10d9 b1a1 d9d10 a1b1 d10d9".split(' ') {
        let mv = game.position().parse_move(text).expect("legal");
        game.play(mv);
    }
    // After b1a1 the general repeats by d9d10.
    let value = |ends_in_one: bool| {
        let config = SearchConfig { algorithm: Algorithm::Puct, ends_in_one, ..SearchConfig::default() }.for_matches();
        let (mut tree, mut batch, mut answers) = (Search::new(config), LeafBatch::default(), Evaluations::default());
        tree.begin(&game, 400, &mut ChaCha8Rng::seed_from_u64(1));
        tree.run_alone(&mut Ahead, &mut batch, &mut answers, || true).expect("answers");
        let result = tree.result();
        let back = game.position().parse_move("b1a1").expect("legal");
        let found = result.moves.iter().find(|mv| mv.mv == back).expect("a legal move");
        (found.q, found.visits)
    };
    let (without, with) = (value(false), value(true));
    assert!(with.0 < without.0 - 0.1 && with.1 < without.1, "{with:?} for {without:?}");
}

/// If several moves win immediately, all of them are learned, with equal shares.
#[test]
fn every_win_in_one_is_in_the_policy() {
    fn compare<V: Variant>(lines: &str) -> usize {
        let (mut legal, mut replies, mut several) = (MoveList::new(), MoveList::new(), 0);
        for line in lines.lines().filter(|line| line.contains("; 1 ;")) {
            let fen = line.split(" ; ").next().unwrap_or_default();
            let mut game = Game::<V>::from_position(Rules::default(), Position::from_fen(fen).expect("a FEN"));
            game.legal_moves(&mut legal);
            let mut winning = Vec::new();
            for &mv in legal.iter() {
                game.play(mv);
                game.legal_moves(&mut replies);
                if game.outcome(&replies).is_some_and(|outcome| outcome.score(game.side()) < 0.0) {
                    winning.push(mv);
                }
                game.undo();
            }
            let mut tree = Search::new(SearchConfig::default());
            let found = search(&mut tree, &game, 8);
            assert_eq!(found.proven, Some((Proof::Win, 1)), "{fen}");
            let mut learned: Vec<Move> = found.policy.iter().map(|&(mv, _)| mv).collect();
            winning.sort_unstable();
            learned.sort_unstable();
            assert_eq!(learned, winning, "{fen}");
            assert!(found.policy.iter().all(|&(_, share)| (share * winning.len() as f32 - 1.0).abs() < 1e-5), "{fen}");
            several += usize::from(winning.len() > 1);
        }
        several
    }
    let several =
        compare::<Shogi>(include_str!("mates/shogi.txt")) + compare::<Xiangqi>(include_str!("mates/xiangqi.txt"));
    assert!(several >= 2, "only {several} positions with more than one winning move");
}
