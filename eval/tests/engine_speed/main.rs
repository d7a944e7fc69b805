//! The overhead of a move in addition to the engine's thinking. This is a test program of its own, because cargo runs
//! test programs one after the other; next to other tests, a median would measure the wait for a core.

use engine::{EngineConfig, EngineProfile, Limit};
use eval::{Player, PlayerConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Rules, VariantId, Xiangqi};
use std::time::{Duration, Instant};

/// Overhead allowed for a move of an engine that answers immediately: communication, the position and the rules.
const ALLOWED: Duration = Duration::from_micros(200);
const MOVES: usize = 2_000;
/// Moves of a round. Other work on the machine only adds to a round, so the quietest one tells what a move costs.
const ROUND: usize = 100;

#[test]
fn a_move_of_an_engine_that_answers_at_once() {
    // `cargo test` builds the scripted engine (`examples/scripted_engine.rs`) next to the tests.
    let engine = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples/scripted_engine");
    let config =
        EngineConfig { command: engine.display().to_string(), limit: Limit::Nodes(1), ..EngineConfig::default() };
    let profile = EngineProfile::prepare(&config, VariantId::Xiangqi, Limit::Own, &|| false).unwrap();
    let mut player = Player::<Xiangqi>::new(&PlayerConfig::engine(profile)).unwrap();
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
    let median_of = |round: &mut [Duration]| {
        round.sort();
        round[round.len() / 2]
    };
    let median = times.chunks_mut(ROUND).map(median_of).min().unwrap();
    times.sort();
    let mean = times.iter().sum::<Duration>() / MOVES as u32;
    println!("a move of an engine that answers at once: median {median:?}, mean {mean:?}, most {:?}", times[MOVES - 1]);
    assert!(median < ALLOWED, "{median:?}");
}
