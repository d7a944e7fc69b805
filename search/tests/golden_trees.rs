//! Trees of twenty visits, drawn as text. `UPDATE_EXPECT=1 cargo test` updates them.
//!
//! A line is a move, its visits, its share of the network's policy, the value of the position after it for the player
//! making it, and what is proven.

use expect_test::expect_file;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Janggi, Position, Rules, Shogi, Variant, Wangqi, Xiangqi};
use search::tree::{NO_NODE, NodeId, ROOT, Tree, q_of};
use search::{Algorithm, Evaluations, HashEvaluator, LeafBatch, Proof, Search, SearchConfig};
use std::fmt::Write;

fn draw<V: Variant>(fen: Option<&str>, algorithm: Algorithm) -> String {
    let position = fen.map_or_else(Position::start, |fen| Position::from_fen(fen).expect("a FEN"));
    let game = Game::<V>::from_position(Rules::default(), position);
    let mut search = Search::new(SearchConfig { algorithm, ..SearchConfig::default() });
    let (mut network, mut batch, mut answers) =
        (HashEvaluator::new(1, 3), LeafBatch::default(), Evaluations::default());
    search.begin(&game, 20, &mut ChaCha8Rng::seed_from_u64(4));
    search.run_alone(&mut network, &mut batch, &mut answers, || true).expect("answers");
    let result = search.result().clone();
    let mut text = game.position().draw();
    let name = |mv| game.position().format_move(mv);
    let [win, draw, loss] = result.root_wdl;
    writeln!(text, "\n{algorithm:?}, {} visits, plays {}", result.visits, name(result.best)).expect("text");
    writeln!(text, "win {win:.3} draw {draw:.3} loss {loss:.3}, the network alone {:+.3}", result.net_q).expect("text");
    let mut policy = result.policy.clone();
    policy.sort_by(|a, b| b.1.total_cmp(&a.1));
    let shares: Vec<String> =
        policy.iter().take(8).map(|&(mv, share)| format!("{} {:.1}%", name(mv), 100.0 * share)).collect();
    writeln!(text, "policy found: {} (of {})\n", shares.join(", "), policy.len()).expect("text");
    branch(search.tree(), ROOT, &mut game.position().clone(), 0, &mut text);
    text
}

fn branch<V: Variant>(tree: &Tree, node: NodeId, position: &mut Position<V>, depth: usize, text: &mut String) {
    let mut tried: Vec<_> = tree.edges(node).iter().filter(|edge| edge.child != NO_NODE).collect();
    tried.sort_by_key(|edge| std::cmp::Reverse(tree.node(edge.child).visits));
    for edge in tried {
        let child = tree.node(edge.child);
        let proof = match child.proof.map(Proof::flip) {
            None => String::new(),
            Some(proof) => format!("  {} in {}", proof.name(), child.distance + 1),
        };
        let (indent, mv) = ("  ".repeat(depth), position.format_move(edge.mv));
        let (visits, prior, q) = (child.visits, 100.0 * edge.prior, -q_of(child.wdl));
        writeln!(text, "{indent}{mv:6} {visits:3}  {prior:4.1}%  {q:+.3}{proof}").expect("text");
        let mut next = position.clone();
        next.play(edge.mv);
        branch(tree, edge.child, &mut next, depth + 1, text);
    }
}

#[test]
fn xiangqi_from_the_start() {
    expect_file!["trees/xiangqi_gumbel.txt"].assert_eq(&draw::<Xiangqi>(None, Algorithm::Gumbel));
    expect_file!["trees/xiangqi_puct.txt"].assert_eq(&draw::<Xiangqi>(None, Algorithm::Puct));
}

#[test]
fn wangqi_from_the_start() {
    expect_file!["trees/wangqi_gumbel.txt"].assert_eq(&draw::<Wangqi>(None, Algorithm::Gumbel));
    expect_file!["trees/wangqi_puct.txt"].assert_eq(&draw::<Wangqi>(None, Algorithm::Puct));
}

#[test]
fn shogi_and_janggi_from_the_start() {
    expect_file!["trees/shogi_gumbel.txt"].assert_eq(&draw::<Shogi>(None, Algorithm::Gumbel));
    expect_file!["trees/janggi_puct.txt"].assert_eq(&draw::<Janggi>(None, Algorithm::Puct));
}

/// The rook checks on the tenth rank, the general has one move, and a horse mates: the tree ends in proofs.
#[test]
fn xiangqi_with_a_mate_in_two() {
    let fen = "5k3/4a4/3a5/5N1N1/9/4p4/6R2/9/p3A4/4KAB2 w - - 11 132";
    expect_file!["trees/xiangqi_mate.txt"].assert_eq(&draw::<Xiangqi>(Some(fen), Algorithm::Gumbel));
}
