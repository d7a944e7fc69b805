//! What a move costs beside the engine's thinking.

use super::{config, prepare};
use eval::Player;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Rules, VariantId, Xiangqi};
use std::time::{Duration, Instant};

/// Overhead allowed for a move of an engine that answers at once: the way there and back, the position and the rules.
const ALLOWED: Duration = Duration::from_micros(200);
const MOVES: usize = 2_000;

#[test]
fn a_move_of_an_engine_that_answers_at_once() {
    let mut player = Player::<Xiangqi>::new(&prepare(&config(&[]), VariantId::Xiangqi)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut legal, mut times) = (MoveList::new(), Vec::new());
    while times.len() < MOVES {
        let mut game = Game::<Xiangqi>::start(Rules::default());
        loop {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() || times.len() == MOVES {
                break;
            }
            let began = Instant::now();
            let mv = player.choose(&game, &mut rng).unwrap();
            times.push(began.elapsed());
            game.play(mv);
        }
    }
    times.sort();
    let mean = times.iter().sum::<Duration>() / MOVES as u32;
    let (quick, median) = (times[MOVES / 10], times[MOVES / 2]);
    println!(
        "a move of an engine that answers at once: a tenth within {quick:?}, median {median:?}, mean {mean:?}, most {:?}",
        times[MOVES - 1]
    );
    // Neither mean nor median: where other tests have both cores, most moves wait for one. What a move costs itself is in all.
    assert!(quick < ALLOWED, "{quick:?}");
}
