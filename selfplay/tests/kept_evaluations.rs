//! An evaluated position is not evaluated again, neither in the next search of the game nor in another game, and that
//! changes nothing else.

use crate::scratch_run::ScratchRun;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::encode::{self, Features, Shape};
use rules::{Game, Move, MoveList, Rules, Variant, VariantId, Wangqi, Xiangqi};
use search::{
    Algorithm, Evaluations, Evaluator, HashEvaluator, LeafBatch, Reuse, Search, SearchConfig, SearchResult, Step,
};
use std::collections::HashMap;

fn search<V: Variant>(
    search: &mut Search<V>,
    batch: &mut LeafBatch,
    game: &Game<V>,
    visits: u32,
) -> (SearchResult, u32) {
    let (mut network, mut answers, mut asked) = (HashEvaluator::new(1, 2), Evaluations::default(), 0);
    search.begin(game, visits, &mut ChaCha8Rng::seed_from_u64(game.ply().into()));
    while search.next_leaf(batch) == Step::Pending {
        network.evaluate(batch, &mut answers).expect("an answer");
        // A network in low precision often gives equal logits.
        answers.logits.iter_mut().for_each(|logit| *logit = logit.round());
        search.supply(batch, 0, &answers).expect("a finite one");
        batch.clear();
        asked += 1;
    }
    (search.result().clone(), asked)
}

/// Plays a game and searches every position with a cache and without one; returns the evaluations of both.
fn compare<V: Variant>(algorithm: Algorithm, visits: u32) -> [u32; 2] {
    let config = SearchConfig { algorithm, reuse: Reuse::None, ..SearchConfig::default() };
    let (mut keeping, mut forgetting) = (Search::<V>::new(config.clone()), Search::<V>::new(config));
    let (mut cached, mut plain) = (LeafBatch::with_cache(Features::FIRST, 8 << 20), LeafBatch::default());
    let mut game = Game::<V>::start(Rules::default().with_max_plies(150));
    let (mut legal, mut all) = (MoveList::new(), [0; 2]);
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        let (kept, asked) = search(&mut keeping, &mut cached, &game, visits);
        forgetting.forget();
        let (new, asked_anew) = search(&mut forgetting, &mut plain, &game, visits);
        assert_eq!(kept, new, "ply {}", game.ply());
        all = [all[0] + asked, all[1] + asked_anew];
        game.play(new.best);
    }
    assert!(game.ply() > 20, "the game is long enough: {} plies", game.ply());
    println!("{} {algorithm:?} {visits}: {} of {} evaluations", V::ID, all[0], all[1]);
    all
}

#[test]
fn kept_evaluations_change_nothing_but_their_number() {
    for (algorithm, visits) in [(Algorithm::Gumbel, 32), (Algorithm::Gumbel, 100), (Algorithm::Puct, 100)] {
        for [kept, all] in [compare::<Xiangqi>(algorithm, visits), compare::<Wangqi>(algorithm, visits)] {
            assert!(f64::from(kept) < 0.97 * f64::from(all), "{kept} of {all}");
        }
    }
}

/// The games of two slots and the searches within them share the thread's cache; the files are the same without it.
#[test]
fn the_cache_changes_nothing_but_the_number_of_evaluations() {
    for features in [Features::FIRST, Features::ALL] {
        the_cache_changes_nothing_else(features);
    }
}

fn the_cache_changes_nothing_else(features: Features) {
    let generations = |cache_mb| {
        let mut run = ScratchRun::new(1);
        run.selfplay.cache_mb = cache_mb;
        let mut counts = Vec::new();
        for generation in 0..2 {
            let seed = u64::from(generation);
            let network = |_| Ok(HashEvaluator::new(4, seed).shown(features));
            let report = run.generate::<Xiangqi, _>(generation, network).expect("a generation");
            counts.push(report.counts);
        }
        (run.digests::<Xiangqi>(), counts)
    };
    let ((with, counts), (without, plain)) = (generations(8), generations(0));
    assert_eq!(with, without);
    for (with, without) in counts.iter().zip(&plain) {
        assert_eq!(with.evaluations + with.cache_hits, without.evaluations + without.cache_hits);
        assert!(with.cache_hits > without.cache_hits, "{with:?}");
        assert!(with.cache_hit_rate() > 0.0 && with.cache_hit_rate() < 1.0);
    }
}

/// Equal keys must mean equal inputs and moves, so that an answer can be reused for another position. Games with few,
/// shuffling moves reach the same key in many ways.
fn keys_tell_inputs<V: Variant>(features: Features) -> [usize; 2] {
    let mut seen: HashMap<u128, (Vec<f32>, Vec<Move>)> = HashMap::new();
    let (mut rng, mut legal, mut again) = (ChaCha8Rng::seed_from_u64(4), MoveList::new(), 0);
    for game_number in 0..300 {
        let mut game = Game::<V>::start(Rules::default().with_max_plies(100));
        let kinds_of_moves = 2 + game_number % 5;
        loop {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() || game.ply() > 30 {
                break;
            }
            let mut planes = vec![0.0; Shape::of::<V>(features).input_len()];
            encode::planes(&game, features, &mut planes);
            let now = (planes, legal.to_vec());
            match seen.get(&encode::input_key(&game)) {
                Some(before) => {
                    assert!(*before == now, "{}: {}", V::ID, game.position().fen());
                    again += 1;
                }
                None => drop(seen.insert(encode::input_key(&game), now)),
            }
            let choice = rng.random_range(0..kinds_of_moves);
            game.play(legal[choice * 7 % legal.len()]);
        }
    }
    [seen.len(), again]
}

#[test]
fn equal_keys_are_equal_inputs() {
    for &id in VariantId::ALL {
        for features in [Features::default(), Features::ALL] {
            let [different, again] = rules::dispatch!(id, V => keys_tell_inputs::<V>(features));
            assert!(different > 1000 && again > 1000, "{id}: {different} keys, {again} seen again");
        }
    }
}
