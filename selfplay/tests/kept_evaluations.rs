//! What the network has said in one search is not asked again in the next, and that changes nothing else.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Rules, Variant, Wangqi, Xiangqi};
use selfplay::{
    Algorithm, Evaluations, Evaluator, HashEvaluator, LeafBatch, Reuse, Search, SearchConfig, SearchResult, Step,
};

fn search<V: Variant>(search: &mut Search<V>, game: &Game<V>, visits: u32) -> (SearchResult, u32) {
    let (mut network, mut batch, mut answers, mut asked) =
        (HashEvaluator::new(1, 2), LeafBatch::default(), Evaluations::default(), 0);
    search.begin(game, visits, &mut ChaCha8Rng::seed_from_u64(game.ply().into()));
    while search.next_leaf(&mut batch) == Step::Pending {
        network.evaluate(&batch, &mut answers).expect("an answer");
        // A network in low precision often gives equal logits.
        answers.logits.iter_mut().for_each(|logit| *logit = logit.round());
        search.supply(&answers.logits, answers.wdl[0]).expect("a finite one");
        batch.clear();
        asked += 1;
    }
    (search.result().clone(), asked)
}

/// Plays a game and searches every position with and without what is kept; returns the evaluations of both.
fn compare<V: Variant>(algorithm: Algorithm, visits: u32) -> [u32; 2] {
    let config = SearchConfig { algorithm, reuse: Reuse::None, ..SearchConfig::default() };
    let (mut keeping, mut forgetting) = (Search::<V>::new(config.clone()), Search::<V>::new(config));
    let mut game = Game::<V>::start(Rules::default().with_max_plies(150));
    let (mut legal, mut all) = (MoveList::new(), [0; 2]);
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        let (kept, asked) = search(&mut keeping, &game, visits);
        forgetting.forget();
        let (new, asked_anew) = search(&mut forgetting, &game, visits);
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
