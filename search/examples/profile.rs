//! Where the time outside of the network is spent: `cargo run --release -p search --example profile [-- VISITS]`.
//!
//! One thread searches 64 positions of random games in parallel, as self-play does, with an evaluator that answers
//! immediately. The total cost of a simulation is measured directly; the shares of the rules and the encoding are
//! measured separately, on leaves of the same games, and the rest is the search: selection, expansion, backup, cached
//! answers. Microseconds of processor time per simulation.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::encode::Features;
use rules::{Game, MoveList, Variant, VariantId};
use search::{
    Evaluations, Evaluator, GameState, LeafBatch, Search, SearchConfig, Step, UniformEvaluator, random_games,
};
use std::hint::black_box;
use std::time::Duration;

/// Leaves of a batch: as many as self-play usually encodes before the network reads them.
const BATCH: usize = 64;
/// Processor time spent on each part.
const EACH: Duration = Duration::from_millis(400);

/// Processor time of this thread, from Linux's scheduler: waiting for a busy machine does not count.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux's /proc");
    let nanos = text.split_ascii_whitespace().next().and_then(|n| n.parse().ok()).expect("nanoseconds");
    Duration::from_nanos(nanos)
}

/// Microseconds for each of the items that a round processes.
fn each(mut round: impl FnMut() -> usize) -> f64 {
    round();
    let (mut done, begun) = (0, processor_time());
    while processor_time() - begun < EACH {
        done += round();
    }
    (processor_time() - begun).as_secs_f64() * 1e6 / done as f64
}

/// Games a few plies beyond random positions, which resemble leaves of searches.
fn leaves<V: Variant>() -> Vec<(Game<V>, MoveList)> {
    let legal_of = |mut game: Game<V>| {
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        if let Some(&mv) = legal.first() {
            game.play(mv);
            game.legal_moves(&mut legal);
        }
        (game, legal)
    };
    random_games::<V>(4 * BATCH, 1).into_iter().map(legal_of).collect()
}

fn measure<V: Variant>(visits: u32) {
    let games = random_games::<V>(BATCH, 1);
    let leaves = leaves::<V>();
    let mut searches: Vec<_> = games.iter().map(|_| Search::new(SearchConfig::default())).collect();
    let mut network = UniformEvaluator::new(BATCH);
    let (mut batch, mut answers, mut rng) =
        (LeafBatch::with_cache(Features::FIRST, 4 << 20), Evaluations::default(), ChaCha8Rng::seed_from_u64(2));
    let (mut asked, mut simulated, mut waiting) = (0, 0, Vec::new());
    let whole = each(|| {
        batch.forget();
        for (search, game) in searches.iter_mut().zip(&games) {
            // Nothing is kept from the round before.
            search.forget();
            search.begin(game, visits, &mut rng);
        }
        loop {
            for (i, search) in searches.iter_mut().enumerate() {
                if search.next_leaf(&mut batch) == Step::Pending {
                    waiting.push(i);
                }
            }
            if waiting.is_empty() {
                break;
            }
            network.evaluate(&batch, &mut answers).expect("the uniform evaluator cannot fail");
            for (leaf, i) in waiting.drain(..).enumerate() {
                searches[i].supply(&mut batch, leaf, &answers).expect("finite answers");
            }
            asked += batch.len();
            batch.clear();
        }
        let round = searches.iter_mut().map(|search| search.result().visits as usize).sum();
        simulated += round;
        round
    });
    // A simulation that the rules settle needs no evaluation and no encoding.
    let share_asked = asked as f64 / simulated as f64;
    let (mut legal, mut replies) = (MoveList::new(), MoveList::new());
    let moves = each(|| {
        leaves.iter().for_each(|(game, _)| game.legal_moves(black_box(&mut legal)));
        leaves.len()
    });
    let ends = each(|| {
        for (game, legal) in &leaves {
            black_box(game.final_score(legal));
        }
        leaves.len()
    });
    let win_in_one = each(|| {
        for (game, legal) in &leaves {
            black_box(GameState::win_in_one(game, legal, &mut replies));
        }
        leaves.len()
    });
    let encoding = share_asked
        * each(|| {
            for (game, legal) in &leaves {
                if batch.len() == BATCH {
                    batch.clear();
                }
                batch.push(game, legal);
            }
            leaves.len()
        });
    batch.clear();
    let rest = whole - moves - ends - win_in_one - encoding;
    println!(
        "| {} | {visits} | {whole:.2} | {moves:.2} | {ends:.2} | {win_in_one:.2} | {encoding:.2} | {rest:.2} |",
        V::TITLE
    );
}

fn main() {
    let visits: Vec<u32> = match std::env::args().nth(1) {
        Some(text) => vec![text.parse().expect("usage: profile [VISITS]")],
        None => vec![16, 64, 400],
    };
    println!(
        "| variant | visits | µs a simulation | legal moves | end of game | win in one | planes and tokens | search |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for &id in VariantId::ALL {
        for &visits in &visits {
            rules::dispatch!(id, V => measure::<V>(visits));
        }
    }
}
