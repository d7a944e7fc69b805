//! A short game of every variant, to be read: `playthrough/ID.txt`. `UPDATE_EXPECT=1` rewrites the files.

use expect_test::expect_file;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Rules, Variant, VariantId, dispatch};
use std::fmt::Write;

/// Games longer than this are not short.
const PLIES: u32 = 60;
/// Plies between two drawn boards.
const BOARD_EVERY: u32 = 6;

/// A player that plays a win in one if there is one, else often captures, promotes or drops, else plays anything.
fn choose<V: Variant>(game: &Game<V>, legal: &mut MoveList, rng: &mut ChaCha8Rng) -> Move {
    // The game must not depend on the order in which a generator lists moves.
    legal.sort_unstable();
    let position = game.position();
    if let Some(mv) = position.win_in_one(legal, &mut MoveList::new()) {
        return mv;
    }
    let lively = |mv: Move| {
        mv.promotes() || mv.hand_slot().is_some() || (!mv.is_pass() && !position.cell(mv.destination()).is_empty())
    };
    let lively: Vec<Move> = legal.iter().copied().filter(|&mv| lively(mv)).collect();
    let pool = if lively.is_empty() || rng.random_range(0..2) == 0 { legal } else { &lively[..] };
    pool[rng.random_range(0..pool.len())]
}

fn game<V: Variant>(seed: u64) -> Game<V> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::start(Rules::default());
    let mut legal = MoveList::new();
    loop {
        game.legal_moves(&mut legal);
        if game.ply() == PLIES || game.outcome(&legal).is_some() {
            return game;
        }
        let mv = choose(&game, &mut legal, &mut rng);
        game.play(mv);
    }
}

/// The game of the first seed that is decided in time, or of seed 0 if none of many is.
fn short_game<V: Variant>() -> (u64, Game<V>) {
    let mut legal = MoveList::new();
    let mut decided = |game: &Game<V>| {
        game.legal_moves(&mut legal);
        game.outcome(&legal).is_some_and(|outcome| outcome.winner().is_some())
    };
    let tries = if V::SQUARES > 100 { 4 } else { 1_000 };
    (0..tries).map(|seed| (seed, game::<V>(seed))).find(|(_, game)| decided(game)).unwrap_or_else(|| (0, game(0)))
}

fn playthrough<V: Variant>() -> String {
    let (seed, played) = short_game::<V>();
    let mut text = format!("{}: a random game (seed {seed}), rule set {}\n", V::TITLE, played.rules().name());
    let mut game = Game::<V>::start(Rules::default());
    let mut legal = MoveList::new();
    for ply in 0..=played.ply() {
        game.legal_moves(&mut legal);
        let position = game.position();
        if ply % BOARD_EVERY == 0 || ply == played.ply() {
            let _ = writeln!(text, "\n{}{}", position.draw(), position.fen());
            let check = if position.is_check() { ", check" } else { "" };
            let _ = writeln!(text, "{} to move, {} legal moves{check}", position.side(), legal.len());
            let mut moves: Vec<String> = legal.iter().map(|&mv| position.format_move(mv)).collect();
            moves.sort_unstable();
            for row in moves.chunks(16).take(8) {
                let _ = writeln!(text, "  {}", row.join(" "));
            }
            if moves.len() > 8 * 16 {
                let _ = writeln!(text, "  …");
            }
        }
        if let Some(&mv) = played.moves().get(ply as usize) {
            let before = position.format_move(mv);
            game.play(mv);
            let check = if game.position().is_check() { "  check" } else { "" };
            let _ = writeln!(text, "{:>3}. {before}{check}", ply + 1);
        }
    }
    let _ = match game.outcome(&legal) {
        None => writeln!(text, "The game goes on."),
        Some(outcome) => {
            let winner = outcome.winner().map_or("draw".to_owned(), |side| format!("{side} wins"));
            let points = outcome.points.map_or(String::new(), |[first, second]| format!(", points {first} : {second}"));
            writeln!(text, "{winner}: {}{points}", outcome.termination)
        }
    };
    text
}

#[test]
fn playthroughs() {
    for &id in VariantId::ALL {
        expect_file![format!("playthrough/{id}.txt")].assert_eq(&dispatch!(id, V => playthrough::<V>()));
    }
}
