//! Boards strewn at random with stones of all 65 faces: what play from the start shows seldom or late.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Koshogi, Notated, Position};

/// Stones with rules of their own, which come more often.
const CONDITIONAL: [&str; 18] =
    ["TP", "+TP", "SM", "+SM", "EN", "+EN", "D", "+D", "B", "+B", "CL", "AG", "RG", "MT", "P", "FC", "WR", "HS"];

/// What both sides have of commanders, mostly.
const COMMANDERS: [[&str; 4]; 4] =
    [["G", "", "g", ""], ["G", "", "g", ""], ["+MT", "", "G", "g"], ["MT", "B", "mt", "b"]];

fn any<T: Copy>(items: &[T], rng: &mut ChaCha8Rng) -> T {
    items[rng.random_range(0..items.len())]
}

/// A board with at most `most` stones in addition to the commanders, crowded in some part of the board.
pub fn board(most: usize, rng: &mut ChaCha8Rng) -> Position<Koshogi> {
    let width = any(&[4, 6, 9, 13, 19], rng);
    let corner = (rng.random_range(0..=19 - width), rng.random_range(0..=19 - width));
    let mut board = vec![vec![String::new(); 19]; 19];
    for _ in 0..rng.random_range(1..=most) {
        let code = if rng.random_range(0..3) == 0 { any(&CONDITIONAL, rng) } else { any(Koshogi::CODES, rng) };
        let (file, rank) = (corner.0 + rng.random_range(0..width), corner.1 + rng.random_range(0..width));
        board[rank][file] = if rng.random_range(0..2) == 0 { code.to_owned() } else { code.to_lowercase() };
    }
    for code in any(&COMMANDERS, rng) {
        let (file, rank) = (rng.random_range(0..19), rng.random_range(0..19));
        board[rank][file] = code.to_owned();
    }
    let rows: Vec<String> = board.iter().map(|row| written(row)).collect();
    let side = any(&["w", "b"], rng);
    // Half of them are near the limit of quiet plies.
    let least = any(&[0, 370], rng);
    let quiet = rng.random_range(least..400);
    let fen = format!("{} {side} - - {quiet} {}", rows.join("/"), rng.random_range(1..900));
    Position::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// A rank as FEN writes it.
pub fn written(row: &[String]) -> String {
    let groups = row.chunk_by(|left, right| left.is_empty() && right.is_empty());
    let items = groups.map(|group| if group[0].is_empty() { group.len().to_string() } else { group[0].clone() });
    items.collect::<Vec<_>>().join(",")
}

/// The same board for the same seed.
pub fn boards(seed: u64, most: usize, number: usize) -> Vec<Position<Koshogi>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..number).map(|_| board(most, &mut rng)).collect()
}
