//! Games of random moves with made-up searches: their shape and their repetition are those of real ones.

use data::{GameRecord, PositionRecord};
use rules::{Game, GameResult, Move, MoveList, Outcome, Rules, Termination, Variant, Wangqi};
use testkit::SplitMix64;

/// A number from 0 to below 1, of 24 bits.
fn share(numbers: &mut SplitMix64) -> f32 {
    (numbers.next_u64() >> 40) as f32 / (1_u64 << 24) as f32
}

/// A game of 1 to `max_plies` plies with a searched position at each ply. The first legal moves are likelier, as in
/// real openings.
pub fn game(game_id: u64, generation: u32, max_plies: u64) -> GameRecord<Wangqi> {
    let numbers = &mut SplitMix64(game_id ^ (u64::from(generation) << 40));
    let plies = 1 + numbers.below(max_plies);
    let mut game = Game::start(Rules::default().with_max_plies(160));
    let (mut legal, mut positions) = (MoveList::new(), Vec::new());
    while u64::from(game.ply()) < plies {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        let choice = numbers.below(6).min(numbers.below(30));
        let mv = legal[choice as usize % legal.len()];
        positions.push(position(&game, &legal, mv, generation, numbers));
        game.play(mv);
    }
    let result = GameResult::ALL[numbers.below(3) as usize];
    let termination = if result == GameResult::Draw { Termination::Repetition } else { Termination::Checkmate };
    let points = game_id.is_multiple_of(2).then_some([72.5, 71.0]);
    GameRecord {
        game_id,
        run_id: "test-run".into(),
        generation,
        worker: format!("slot-{}", game_id % 4),
        seed: numbers.next_u64(),
        net_first: format!("{:016x}", 0xabcd + generation),
        net_second: format!("{:016x}", 0xabce + generation),
        visits: positions.len() as u32 * 32,
        resigned_playthrough: game_id.is_multiple_of(10),
        started_at: 1_790_000_000_000 + game_id as i64,
        wall_ms: 1234,
        engine_version: "0.1.0".into(),
        positions,
        ..GameRecord::of(&game, Outcome { result, termination, points })
    }
}

/// The search of a position in which `mv` is played.
pub fn position<V: Variant>(
    game: &Game<V>,
    legal: &[Move],
    mv: Move,
    generation: u32,
    numbers: &mut SplitMix64,
) -> PositionRecord {
    let candidates = 1 + numbers.below(legal.len() as u64) as usize;
    let [win, draw] = [share(numbers) * 0.5, share(numbers) * 0.5];
    let key = |ply: usize| game.positions()[ply].key().to_bytes();
    let ply = game.moves().len();
    PositionRecord {
        ply: ply as u16,
        side: game.side(),
        pos_key: key(ply),
        parent_key: ply.checked_sub(1).map(key),
        mv,
        policy_move: legal[..candidates].to_vec(),
        policy_visits: (0..candidates as u64).map(|index| 1 + numbers.below(400 / (index + 1)) as u32).collect(),
        root_wdl: [win, draw, 1.0 - win - draw],
        root_q: win - (1.0 - win - draw),
        net_q: share(numbers) * 2.0 - 1.0,
        net_policy_entropy: (share(numbers) * 3.0).min((legal.len() as f32).ln()),
        policy_kld: share(numbers),
        visits: 32,
        full_search: numbers.below(4) != 0,
        target_weight: share(numbers),
        generation,
        proven: ply % 5 == 4,
    }
}

/// `count` games of a generation; ids do not ascend.
pub fn games(generation: u32, count: u64, max_plies: u64) -> Vec<GameRecord<Wangqi>> {
    (0..count).rev().map(|index| game(u64::from(generation) * 1_000_000 + index, generation, max_plies)).collect()
}
