//! The cost of a simulation outside of the network: `cargo run --release -p search --example overhead`.
//!
//! One thread searches positions of random games with an evaluator that answers immediately, and prints microseconds of
//! processor time per simulation.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::encode::Features;
use rules::{Variant, VariantId};
use search::{Algorithm, Evaluations, LeafBatch, Search, SearchConfig, UniformEvaluator, random_games};
use std::time::Duration;

/// Processor time of this thread, from Linux's scheduler: waiting for a busy machine does not count.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux's /proc");
    let nanos = text.split_ascii_whitespace().next().and_then(|n| n.parse().ok()).expect("nanoseconds");
    Duration::from_nanos(nanos)
}

/// `cache_bytes` is the size of a cache that is emptied before each round over the positions, so that its cost is
/// measured with almost no hits.
fn measure<V: Variant>(algorithm: Algorithm, visits: u32, win_in_one: bool, cache_bytes: usize) {
    let games = random_games::<V>(64, 1);
    let mut search = Search::new(SearchConfig { algorithm, win_in_one, ..SearchConfig::default() });
    let mut network = UniformEvaluator::new(1);
    let (mut batch, mut answers, mut rng) =
        (LeafBatch::with_cache(Features::FIRST, cache_bytes), Evaluations::default(), ChaCha8Rng::seed_from_u64(2));
    let (mut simulations, begun) = (0, processor_time());
    while processor_time() - begun < Duration::from_secs(1) {
        batch.forget();
        for game in &games {
            search.begin(game, visits, &mut rng);
            search.run_alone(&mut network, &mut batch, &mut answers, || true).expect("answers");
            simulations += search.result().visits;
        }
    }
    let each = (processor_time() - begun).as_secs_f64() * 1e6 / f64::from(simulations);
    let test = if win_in_one { "with" } else { "without" };
    let found = 100.0 * batch.cache().hits() as f64 / batch.cache().lookups().max(1) as f64;
    let cache = if cache_bytes == 0 { String::new() } else { format!(", with a cache that has {found:.1} %") };
    println!("{:8} {algorithm:?} {visits:4} visits, {test:7} win-in-one test: {each:5.2} µs{cache}", V::ID);
}

fn main() {
    for (algorithm, visits) in
        [(Algorithm::Gumbel, 16), (Algorithm::Gumbel, 64), (Algorithm::Gumbel, 400), (Algorithm::Puct, 400)]
    {
        for win_in_one in [false, true] {
            for &id in VariantId::ALL {
                rules::dispatch!(id, V => measure::<V>(algorithm, visits, win_in_one, 0));
            }
        }
        for &id in VariantId::ALL {
            rules::dispatch!(id, V => measure::<V>(algorithm, visits, true, 4 << 20));
        }
    }
}
