//! Makes a suite of forced wins for `tests/mates.rs`:
//! `cargo run --release -p search --example mates -- shogi 1 > search/tests/mates/shogi.txt`.
//!
//! Random games are searched for forced wins. An exhaustive search then confirms that a win takes exactly so many plies
//! with best play. Twelve positions of each length are kept, at most two of a game.

#[path = "../tests/exhaustive/mod.rs"]
mod exhaustive;

use exhaustive::{wins_by, wins_within};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Rules, Side, SquareSet, Variant, VariantId};
use search::{Analysis, AnalysisConfig, AnalysisRequest, Proof, UniformEvaluator};
use std::sync::atomic::AtomicBool;

/// Lengths wanted, plies, and positions of each.
const LENGTHS: [u16; 3] = [1, 3, 5];
const EACH: usize = 12;
/// The greatest of them.
const LONGEST: u16 = LENGTHS[LENGTHS.len() - 1];
/// Visits of the search that finds candidates.
const VISITS: u32 = 1000;

fn make<V: Variant>(seed: u64) {
    let (mut rng, mut legal) = (ChaCha8Rng::seed_from_u64(seed), MoveList::new());
    let mut analysis = Analysis::new(AnalysisConfig::default());
    let (mut network, never) = (UniformEvaluator::new(16), AtomicBool::new(false));
    let request = AnalysisRequest { simulations: VISITS, ..AnalysisRequest::default() };
    let mut found = [0; LENGTHS.len()];
    println!("# FEN ; plies to the end with best play ; a first move. From random games (seed {seed}), settled by");
    println!("# exhaustive search: examples/mates.rs.");
    while found.iter().any(|&count| count < EACH) {
        let mut game = Game::<V>::start(Rules::default());
        let mut of_this_game = 0;
        loop {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() || game.ply() > 150 || of_this_game == 2 {
                break;
            }
            if game.ply() > 20 {
                // Without history, as in the suite.
                let mut alone = Game::from_position(Rules::default(), game.position().clone());
                let mut ran = analysis.run(&alone, &mut network, &request, &never, |_| {});
                // Of a longer win only the end is used.
                if let Ok((_, report)) = &ran
                    && let Some((Proof::Win, plies)) = report.proven
                    && plies > LONGEST
                    && report.lines[0].moves.len() == usize::from(plies)
                {
                    let mut later = alone.position().clone();
                    report.lines[0].moves[..usize::from(plies - LONGEST)].iter().for_each(|&mv| later.play(mv));
                    alone = Game::from_position(Rules::default(), later);
                    ran = analysis.run(&alone, &mut network, &request, &never, |_| {});
                }
                if let Ok((_, report)) = ran
                    && let Some((Proof::Win, plies)) = report.proven
                    && let Some(at) = LENGTHS.iter().position(|&length| length == plies)
                    && found[at] < EACH
                    && (plies == 1 || !wins_within(&mut alone, plies - 2))
                    && wins_by(&mut alone, report.lines[0].moves[0], plies)
                {
                    let (position, mv) = (alone.position(), report.lines[0].moves[0]);
                    println!("{} ; {plies} ; {}", position.fen(), position.format_move(mv));
                    found[at] += 1;
                    of_this_game += 1;
                }
            }
            let mv = restless(&mut game, &legal, &mut rng);
            game.play(mv);
        }
    }
}

/// A random move, every other time one that captures or checks if there is one: games with open kings.
fn restless<V: Variant>(game: &mut Game<V>, legal: &MoveList, rng: &mut ChaCha8Rng) -> Move {
    let pieces = |game: &Game<V>| Side::BOTH.map(|side| game.position().pieces(side).len());
    let before = pieces(game).iter().sum::<usize>();
    let violent = |game: &mut Game<V>, mv: Move| {
        game.play(mv);
        let is = game.position().is_check() || pieces(game).iter().sum::<usize>() < before;
        game.undo();
        is
    };
    let mut moves: Vec<Move> = legal.to_vec();
    if rng.random() {
        moves.retain(|&mv| violent(game, mv));
    }
    if moves.is_empty() {
        moves = legal.to_vec();
    }
    moves[rng.random_range(0..moves.len())]
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let variant: VariantId = arguments.next().and_then(|text| text.parse().ok()).expect("usage: mates VARIANT [SEED]");
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    rules::dispatch!(variant, V => make::<V>(seed));
}
