//! Speed of every variant on one thread, on the positions of its perft suite; the counts are asserted.
//! `cargo bench -p rules --bench speed -- wangqi` measures one variant.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::encode::{self, Features, Shape};
use rules::{Game, Move, MoveList, Position, Rules, Variant, VariantId, dispatch, read_suite};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time given to one measurement.
const LEAST_TIME: Duration = Duration::from_millis(400);
/// Perft of more nodes than this is left to the tests.
const MOST_NODES: u64 = 20_000_000;

/// Repeats `work`, which does `units` of something, and returns nanoseconds per unit: of the best round,
/// because other processes only make it slower.
fn nanoseconds(units: usize, mut work: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    while begin.elapsed() < LEAST_TIME {
        let clock = Instant::now();
        work();
        best = best.min(clock.elapsed().as_secs_f64());
    }
    best * 1e9 / units.max(1) as f64
}

fn measure<V: Variant>() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perft").join(format!("{}.perft", V::ID));
    let text = std::fs::read_to_string(&path).expect("every variant has a perft suite");
    let suite = read_suite(&text).expect("the suite can be read");
    println!("{}: a position takes {} bytes", V::TITLE, size_of::<Position<V>>());
    let positions: Vec<Position<V>> =
        suite.iter().map(|line| Position::from_fen(line.fen).expect("the suite's positions are valid")).collect();

    for (line, position) in suite.iter().zip(&positions) {
        let deepest = line.counts.iter().rfind(|(_, nodes)| *nodes <= MOST_NODES);
        let Some(&(depth, expected)) = deepest else { continue };
        let each = nanoseconds(expected as usize, || assert_eq!(position.perft(depth), expected, "{}", line.fen));
        println!("  {:7.1} million nodes/s, perft {depth} of {}", 1e3 / each, line.fen);
    }

    let lists: Vec<MoveList> = positions
        .iter()
        .map(|position| {
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            legal
        })
        .collect();
    let moves: usize = lists.iter().map(|legal| legal.len()).sum();
    let each_move = |work: &mut dyn FnMut(&Position<V>, Move)| {
        nanoseconds(100 * moves, || {
            for _ in 0..100 {
                for (position, legal) in positions.iter().zip(&lists) {
                    legal.iter().for_each(|&mv| work(position, mv));
                }
            }
        })
    };
    let play = each_move(&mut |position, mv| {
        let mut next = black_box(position).clone();
        next.play(mv);
        black_box(&next);
    });
    let tokens = each_move(&mut |position, mv| {
        black_box(encode::tokens(black_box(position), mv));
    });
    println!("  {play:7.1} ns copy and play, {tokens:.1} ns the tokens of a move");

    let mut list = MoveList::new();
    let each_position = |work: &mut dyn FnMut(usize)| {
        nanoseconds(100 * positions.len(), || (0..100).for_each(|_| (0..positions.len()).for_each(&mut *work)))
    };
    let listing = each_position(&mut |at| {
        black_box(&positions[at]).legal_moves(&mut list);
        black_box(&list);
    });
    let counting = each_position(&mut |at| {
        black_box(black_box(&positions[at]).perft(1));
    });
    let winning = each_position(&mut |at| {
        black_box(black_box(&positions[at]).win_in_one(&lists[at], &mut list));
    });
    let games: Vec<Game<V>> =
        positions.iter().map(|position| Game::from_position(Rules::default(), position.clone())).collect();
    let mut input = |features: Features| {
        let mut planes = vec![0.0; Shape::of::<V>(features).input_len()];
        each_position(&mut |at| {
            encode::planes(black_box(&games[at]), features, &mut planes);
            black_box(&planes);
        })
    };
    let plain = Features::default();
    let [plain, attacks] = [plain, Features::ALL].map(&mut input);
    println!("  {listing:7.1} ns the legal moves of a position, {counting:.1} ns their number");
    println!("  {winning:7.1} ns a win in one");
    println!("  {plain:7.1} ns the input planes; {attacks:.1} with attacks");
    playouts::<V>();
}

/// Whole games of uniformly random moves, with every end of the default rules, at the pace of the fastest game.
fn playouts<V: Variant>() {
    let mut legal = MoveList::new();
    let (mut games, mut plies, mut best) = (0_u64, 0, f64::INFINITY);
    let begin = Instant::now();
    while begin.elapsed() < 3 * LEAST_TIME {
        let mut rng = ChaCha8Rng::seed_from_u64(games);
        let mut game = Game::<V>::start(Rules::default());
        let clock = Instant::now();
        loop {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                break;
            }
            game.play(legal[rng.random_range(0..legal.len())]);
        }
        best = best.min(clock.elapsed().as_secs_f64() / f64::from(game.ply()));
        games += 1;
        plies += game.ply();
    }
    let per_game = f64::from(plies) / games as f64;
    println!("  {:7.1} random playouts/s of {per_game:.0} plies, {:.0} ns a ply", 1.0 / best / per_game, best * 1e9);
}

fn main() {
    // Cargo passes `--bench`; other words name variants.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    for &id in VariantId::ALL {
        if wanted.is_empty() || wanted.iter().any(|word| word == id.id()) {
            dispatch!(id, V => measure::<V>());
        }
    }
}
