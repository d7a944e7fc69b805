//! Forced wins: found with a network that knows nothing, and true wherever they are claimed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Position, Rules, Variant, Wangqi, Xiangqi};
use selfplay::{
    Algorithm, Evaluations, Evaluator, HashEvaluator, LeafBatch, Proof, Search, SearchConfig, SearchResult, Step,
    UniformEvaluator,
};

/// Whether the player to move can force a win within so many plies (an odd number), by looking at everything.
fn wins_within<V: Variant>(game: &mut Game<V>, plies: u16) -> bool {
    let (mut legal, mut replies) = (MoveList::new(), MoveList::new());
    game.legal_moves(&mut legal);
    legal.iter().any(|&mv| {
        let side = game.side();
        game.play(mv);
        game.legal_moves(&mut replies);
        let wins = match game.outcome(&replies) {
            Some(outcome) => outcome.winner == Some(side),
            None => plies > 1 && replies.iter().all(|&reply| after_wins(game, reply, plies - 2)),
        };
        game.undo();
        wins
    })
}

fn after_wins<V: Variant>(game: &mut Game<V>, reply: rules::Move, plies: u16) -> bool {
    game.play(reply);
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let wins = match game.outcome(&legal) {
        Some(outcome) => outcome.winner == Some(game.side()),
        None => wins_within(game, plies),
    };
    game.undo();
    wins
}

fn search<V: Variant>(
    search: &mut Search<V>,
    game: &Game<V>,
    visits: u32,
    network: &mut impl Evaluator,
) -> SearchResult {
    let (mut batch, mut answers) = (LeafBatch::default(), Evaluations::default());
    search.begin(game, visits, &mut ChaCha8Rng::seed_from_u64(game.ply().into()));
    while search.next_leaf(&mut batch) == Step::Pending {
        network.evaluate(&batch, &mut answers).expect("an answer");
        search.supply(&answers.logits, answers.wdl[0]).expect("a finite one");
        batch.clear();
    }
    search.result().clone()
}

/// How many positions of the suite `text` are not solved within so many simulations; a mate in one needs none.
fn unsolved<V: Variant>(text: &str, algorithm: Algorithm, limit: u32) -> u32 {
    let config = SearchConfig { algorithm, max_considered: 1000, considered_share: 1.0, ..SearchConfig::default() };
    let mut unsolved = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (fen, plies) = line.split_once(" ; ").expect("FEN ; plies");
        let plies: u16 = plies.parse().expect("a number");
        let position = Position::from_fen(fen).expect("a FEN");
        let mut game = Game::<V>::from_position(Rules::default(), position);
        assert!(plies == 1 || !wins_within(&mut game, plies - 2), "{fen}");
        assert!(wins_within(&mut game, plies), "{fen}");
        let visits = if plies == 1 { 1 } else { limit };
        let mut tree = Search::new(config.for_matches());
        let result = search(&mut tree, &game, visits, &mut UniformEvaluator::new(1));
        assert!(plies > 1 || result.visits == 0, "{fen}: a win in one needs no simulation");
        // A longer way may be found first; it is a forced win all the same.
        if result.proven.is_none_or(|(proof, _)| proof != Proof::Win) {
            println!("{algorithm:?}, {visits} visits: {fen}");
            unsolved += 1;
        }
    }
    unsolved
}

#[test]
fn mates_in_one_and_two_are_found() {
    let (xiangqi, wangqi) = (include_str!("mates/xiangqi.txt"), include_str!("mates/wangqi.txt"));
    assert_eq!(unsolved::<Xiangqi>(xiangqi, Algorithm::Puct, 1000), 0);
    assert_eq!(unsolved::<Wangqi>(wangqi, Algorithm::Puct, 2000), 0);
    // Sequential halving drops moves before it has seen all replies: it is made for few simulations.
    assert!(unsolved::<Xiangqi>(xiangqi, Algorithm::Gumbel, 1000) <= 3);
    assert!(unsolved::<Wangqi>(wangqi, Algorithm::Gumbel, 2000) <= 3);
}

/// Plays games by search alone and checks each proof that can be checked by looking at everything; a win once
/// proven is played out.
fn proofs_hold<V: Variant>(visits: u32, games: u32) {
    let (mut wins, mut losses) = (0, 0);
    for number in 0..games {
        let mut game = Game::<V>::start(Rules::default().with_max_plies(240));
        let mut tree = Search::new(SearchConfig { visits, ..SearchConfig::default() });
        let mut network = HashEvaluator::new(1, number.into());
        let (mut legal, mut rng) = (MoveList::new(), ChaCha8Rng::seed_from_u64(number.into()));
        let mut promised: Option<(u32, Proof)> = None;
        loop {
            game.legal_moves(&mut legal);
            if let Some(outcome) = game.outcome(&legal) {
                if let Some((ply, proof)) = promised {
                    assert_eq!(Proof::of_score(outcome.score(game.side())), proof, "promised at ply {ply}");
                }
                break;
            }
            if game.ply() < 60 {
                game.play(legal[rng.random_range(0..legal.len())]);
                continue;
            }
            let result = search(&mut tree, &game, visits, &mut network);
            if let Some((proof, distance)) = result.proven {
                match proof {
                    Proof::Win if distance <= 3 => {
                        wins += 1;
                        assert!(wins_within(&mut game, distance), "{}", game.position().fen());
                    }
                    Proof::Loss if distance <= 2 => {
                        losses += 1;
                        for &mv in legal.iter() {
                            game.play(mv);
                            assert!(wins_within(&mut game, distance - 1), "{}", game.position().fen());
                            game.undo();
                        }
                    }
                    _ => {}
                }
                promised = Some((game.ply(), proof));
            } else {
                assert_eq!(promised, None, "a proof was forgotten");
            }
            game.play(result.best);
            promised = promised.map(|(ply, proof)| (ply, proof.flip()));
        }
    }
    assert!(wins > 5 && losses > 2, "{wins} wins and {losses} losses are too few to tell anything");
}

#[test]
fn proofs_are_true_and_kept() {
    proofs_hold::<Wangqi>(64, 12);
    proofs_hold::<Xiangqi>(64, 12);
}
