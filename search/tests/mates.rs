//! Forced wins: found with an evaluator that knows nothing, and correct wherever they are claimed.

use crate::exhaustive::{wins_by, wins_within};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Janggi, Move, MoveList, Position, Rules, Shogi, Variant, Wangqi, Xiangqi};
use search::{
    Algorithm, Evaluations, Evaluator, HashEvaluator, LeafBatch, Proof, Search, SearchConfig, SearchResult,
    UniformEvaluator,
};

fn search<V: Variant>(
    search: &mut Search<V>,
    game: &Game<V>,
    visits: u32,
    network: &mut impl Evaluator,
) -> SearchResult {
    let (mut batch, mut answers) = (LeafBatch::default(), Evaluations::default());
    search.begin(game, visits, &mut ChaCha8Rng::seed_from_u64(game.ply().into()));
    search.run_alone(network, &mut batch, &mut answers, || true).expect("answers");
    search.result().clone()
}

/// Visits within which every position of a suite is solved by PUCT with the uniform evaluator; a win in one
/// needs none.
struct VisitBounds {
    mate_in_two: u32,
    mate_in_three: u32,
}

/// A line of a suite: a position, the plies to the end with best play of both sides, and a move that begins it.
struct Mate<V: Variant> {
    game: Game<V>,
    plies: u16,
    key: Move,
}

/// The suite of a variant, with at least twelve positions of each length.
fn suite<V: Variant>(text: &str) -> Vec<Mate<V>> {
    let mates: Vec<Mate<V>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let parts: Vec<&str> = line.split(" ; ").collect();
            let [fen, plies, key] = parts[..] else { panic!("FEN ; plies ; move: {line}") };
            let position = Position::from_fen(fen).expect("a FEN");
            let key = position.parse_move(key).expect("a legal move");
            Mate { game: Game::from_position(Rules::default(), position), plies: plies.parse().expect("plies"), key }
        })
        .collect();
    for plies in [1, 3, 5] {
        assert!(mates.iter().filter(|mate| mate.plies == plies).count() >= 12, "{} in {plies}", V::ID);
    }
    mates
}

/// An exhaustive search confirms every position of the suite, and a search that knows only the rules proves it.
fn is_solved<V: Variant>(text: &str, limits: &VisitBounds) {
    let (mut most, mut in_one) = ([0; 6], 0);
    let (mut legal, mut replies) = (MoveList::new(), MoveList::new());
    for Mate { mut game, plies, key } in suite::<V>(text) {
        let fen = game.position().fen();
        assert!(plies == 1 || !wins_within(&mut game, plies - 2), "{fen}: it is quicker");
        assert!(wins_by(&mut game, key, plies), "{fen}: it is no win");
        let visits = match plies {
            1 | 3 => limits.mate_in_two,
            _ => limits.mate_in_three,
        };
        let config = SearchConfig { algorithm: Algorithm::Puct, ..SearchConfig::default() };
        let mut tree = Search::new(config.for_matches());
        let result = search(&mut tree, &game, visits, &mut UniformEvaluator::new(1));
        // Janggi has wins in one that are no mates (bikjang), which the search finds by trying.
        game.legal_moves(&mut legal);
        let at_once = game.position().win_in_one(&legal, &mut replies).is_some();
        assert!(!at_once || result.visits == 0, "{fen}: a win in one needs no visit");
        in_one += u32::from(at_once);
        // A longer win may be found first; it is still a forced win.
        let (proof, distance) = result.proven.unwrap_or_else(|| panic!("{}: not in {visits}: {fen}", V::ID));
        assert!(proof == Proof::Win && distance >= plies, "{fen}: {proof:?} in {distance}");
        let seen = &mut most[usize::from(plies)];
        *seen = result.visits.max(*seen);
    }
    assert!(in_one >= 4, "{}: {in_one}", V::ID);
    println!("{}: solved within {} and {} visits", V::ID, most[3], most[5]);
}

#[test]
fn shogi_mates_are_found() {
    is_solved::<Shogi>(include_str!("mates/shogi.txt"), &VisitBounds { mate_in_two: 1000, mate_in_three: 3000 });
}

#[test]
fn xiangqi_mates_are_found() {
    is_solved::<Xiangqi>(include_str!("mates/xiangqi.txt"), &VisitBounds { mate_in_two: 1000, mate_in_three: 3000 });
}

#[test]
fn janggi_mates_are_found() {
    is_solved::<Janggi>(include_str!("mates/janggi.txt"), &VisitBounds { mate_in_two: 1000, mate_in_three: 3000 });
}

#[test]
fn wangqi_mates_are_found() {
    is_solved::<Wangqi>(include_str!("mates/wangqi.txt"), &VisitBounds { mate_in_two: 1000, mate_in_three: 3000 });
}

/// Sequential halving drops moves before it has seen all replies: it is meant for few visits, and still finds many
/// mates in two.
#[test]
fn gumbel_search_finds_many_mates_in_two() {
    fn found<V: Variant>(text: &str) -> [usize; 2] {
        let config = SearchConfig { max_considered: 1000, considered_share: 1.0, ..SearchConfig::default() };
        let mates: Vec<Mate<V>> = suite(text).into_iter().filter(|mate| mate.plies == 3).collect();
        let solved = mates.iter().filter(|mate| {
            let mut tree = Search::new(config.for_matches());
            let result = search(&mut tree, &mate.game, 2000, &mut UniformEvaluator::new(1));
            matches!(result.proven, Some((Proof::Win, _)))
        });
        [solved.count(), mates.len()]
    }
    for [solved, all] in [
        found::<Xiangqi>(include_str!("mates/xiangqi.txt")),
        found::<Wangqi>(include_str!("mates/wangqi.txt")),
        found::<Shogi>(include_str!("mates/shogi.txt")),
    ] {
        println!("{solved} of {all}");
        assert!(2 * solved >= all, "{solved} of {all}");
    }
}

/// Plays games by search alone and checks every proof within reach of the exhaustive search; a proven win is played out.
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
