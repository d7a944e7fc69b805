//! Random games with made-up searches: realistic data for measuring training before there is any.

use data::{GameRecord, PositionRecord};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Outcome, Rules, Termination, Variant};

/// Ply limit of such a game.
const LAST_PLY: u32 = 120;
/// Moves of a made-up policy.
const POLICY_MOVES: usize = 8;

/// `count` random games with a made-up search of each position, for measuring training. Equal seeds give equal games.
///
/// ```
/// let games = selfplay::random_records::<rules::Xiangqi>(2, 1);
/// assert!(games.iter().all(|game| game.positions.len() == game.sheet.moves.len()));
/// ```
pub fn random_records<V: Variant>(count: usize, seed: u64) -> Vec<GameRecord<V>> {
    (0..count as u64).map(|number| random_record(seed, number)).collect()
}

fn random_record<V: Variant>(seed: u64, number: u64) -> GameRecord<V> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    let mut game = Game::<V>::start(Rules::default());
    let (mut legal, mut positions) = (MoveList::new(), Vec::new());
    let outcome = loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            break outcome;
        }
        if game.ply() == LAST_PLY {
            break Outcome::draw(Termination::MaxPlies);
        }
        // A run of consecutive moves from a random place on, the first of them with the most visits.
        let (first, moves) = (rng.random_range(0..legal.len()), POLICY_MOVES.min(legal.len()));
        let policy: Vec<_> = (0..moves).map(|i| legal[(first + i) % legal.len()]).collect();
        positions.push(PositionRecord {
            ply: game.ply() as u16,
            side: game.side(),
            pos_key: game.position().key().to_bytes(),
            mv: policy[0],
            policy_visits: (0..moves as u32).map(|i| 2 + moves as u32 - i).collect(),
            root_wdl: [0.4, 0.2, 0.4],
            full_search: true,
            target_weight: 1.0,
            policy_move: policy.clone(),
            ..PositionRecord::default()
        });
        game.play(policy[0]);
    };
    GameRecord { game_id: number, positions, ..GameRecord::of(&game, outcome) }
}
