//! Made-up games: not legal ones, but with the shape and the repetition of real ones.

use data::{GameRecord, PositionKey, PositionRecord};

/// A small generator of numbers (splitmix64), so that test data never changes.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// A move code and its text: small ones are likelier, as in real openings.
fn a_move(numbers: &mut Numbers) -> (u32, String) {
    let choice = numbers.below(6).min(numbers.below(30)) as u32;
    let text = format!("{}{}{}{}", (b'a' + (choice % 8) as u8) as char, 2, (b'a' + (choice / 4) as u8) as char, 3);
    (0x2000 + choice * 17, text)
}

/// The key after some moves, the same for any order of them: so there are transpositions.
pub fn key_after(moves: &[u32]) -> PositionKey {
    let mut sorted: Vec<u32> = moves.iter().enumerate().map(|(ply, mv)| mv * 2 + (ply as u32 & 1)).collect();
    sorted.sort_unstable();
    let mut key = PositionKey::default();
    let mut numbers = Numbers(moves.len() as u64);
    for mv in sorted {
        numbers.0 = numbers.next() ^ u64::from(mv);
    }
    key[..8].copy_from_slice(&numbers.next().to_be_bytes());
    key
}

/// A finished game of up to `max_plies` plies with a searched position at each ply.
pub fn game(game_id: u64, generation: u32, max_plies: u64) -> GameRecord {
    let numbers = &mut Numbers(game_id ^ (u64::from(generation) << 40));
    let plies = 1 + numbers.below(max_plies);
    let (moves, texts): (Vec<u32>, Vec<String>) = (0..plies).map(|_| a_move(numbers)).unzip();
    let result = numbers.below(3) as i8 - 1;
    GameRecord {
        game_id,
        run_id: "test-run".into(),
        generation,
        variant: "wangqi".into(),
        ruleset: "full max-plies=160".into(),
        worker: format!("slot-{}", game_id % 4),
        seed: numbers.next(),
        net_first: format!("{:016x}", 0xabcd + generation),
        net_second: format!("{:016x}", 0xabcd + generation),
        start_fen: None,
        opening_id: (game_id % 3 == 1).then(|| format!("book-{}", game_id % 7)),
        setup_first: None,
        setup_second: None,
        positions: (0..plies as usize).map(|ply| position(ply, &moves, generation, numbers)).collect(),
        moves,
        moves_text: texts.join(" "),
        result,
        termination: if result == 0 { "repetition".into() } else { "checkmate".into() },
        points_first: (game_id.is_multiple_of(2)).then_some(72.5),
        points_second: None,
        visits: plies as u32 * 32,
        resigned_playthrough: game_id.is_multiple_of(10),
        started_at: 1_790_000_000_000 + game_id as i64,
        wall_ms: 1234,
        engine_version: "0.1.0".into(),
    }
}

fn position(ply: usize, moves: &[u32], generation: u32, numbers: &mut Numbers) -> PositionRecord {
    let candidates = 1 + numbers.below(24) as u32;
    let [win, draw] = [numbers.share() * 0.5, numbers.share() * 0.5];
    PositionRecord {
        ply: ply as u16,
        side: (ply % 2) as u8,
        pos_key: key_after(&moves[..ply]),
        parent_key: ply.checked_sub(1).map(|before| key_after(&moves[..before])),
        mv: moves[ply],
        policy_move: (0..candidates).map(|index| 0x2000 + index * 17).collect(),
        policy_visits: (0..candidates).map(|index| 1 + numbers.below(u64::from(400 / (index + 1))) as u32).collect(),
        root_wdl: [win, draw, 1.0 - win - draw],
        root_q: win - (1.0 - win - draw),
        net_q: numbers.share() * 2.0 - 1.0,
        net_policy_entropy: numbers.share() * 3.0,
        policy_kld: numbers.share(),
        visits: 32,
        full_search: numbers.below(4) != 0,
        target_weight: numbers.share(),
        generation,
    }
}

/// `count` games of a generation; ids do not ascend.
pub fn games(generation: u32, count: u64, max_plies: u64) -> Vec<GameRecord> {
    (0..count).rev().map(|index| game(u64::from(generation) * 1_000_000 + index, generation, max_plies)).collect()
}
