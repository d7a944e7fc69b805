//! Random games, the same in every run.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Position, Rules, Variant};

/// How the players choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Any legal move.
    Any,
    /// Captures, promotions and drops where there are any, half of the time.
    Lively,
    /// The last move taken back where possible, mostly: positions recur.
    Shuttling,
}

/// Plays a game and shows every position with its legal moves, the last one included.
pub fn play<V: Variant>(rules: Rules<V>, style: Style, seed: u64, visit: impl FnMut(&Game<V>, &[Move])) {
    play_on(Game::start(rules), style, seed, visit);
}

/// Plays a game to its end from where it stands.
pub fn play_on<V: Variant>(mut game: Game<V>, style: Style, seed: u64, mut visit: impl FnMut(&Game<V>, &[Move])) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut legal = MoveList::new();
    loop {
        game.legal_moves(&mut legal);
        visit(&game, &legal);
        if game.outcome(&legal).is_some() {
            return;
        }
        let mv = choose(&game, &legal, style, &mut rng);
        game.play(mv);
    }
}

fn choose<V: Variant>(game: &Game<V>, legal: &[Move], style: Style, rng: &mut ChaCha8Rng) -> Move {
    if rng.random_range(0..4) < 3 {
        let preferred: Vec<Move> = match style {
            Style::Any => Vec::new(),
            Style::Lively => legal.iter().copied().filter(|&mv| changes(game.position(), mv)).collect(),
            Style::Shuttling => {
                let last = game.moves().len().checked_sub(2).map(|at| game.moves()[at]);
                let back = last.and_then(|last| Some(Move::board(last.destination(), last.source_square()?)));
                legal.iter().copied().filter(|&mv| Some(mv) == back && !passes(mv)).collect()
            }
        };
        if !preferred.is_empty() && (style == Style::Shuttling || rng.random_range(0..2) == 0) {
            return preferred[rng.random_range(0..preferred.len())];
        }
    }
    // A pass is chosen less often than other moves, for two in turn would end nearly every game early.
    match legal[rng.random_range(0..legal.len())] {
        mv if passes(mv) => legal[rng.random_range(0..legal.len())],
        mv => mv,
    }
}

fn passes(mv: Move) -> bool {
    mv.source_square() == Some(mv.destination())
}

fn changes<V: Variant>(position: &Position<V>, mv: Move) -> bool {
    mv.promotes() || mv.hand_slot().is_some() || !position.cell(mv.destination()).is_empty() && !passes(mv)
}

#[allow(dead_code)] // not every test that plays random games needs it
/// Shows positions of some games in the default preset, with their legal moves.
pub fn positions<V: Variant>(games: u64, mut visit: impl FnMut(&Game<V>, &[Move])) {
    for seed in 0..games {
        let style = if seed % 2 == 0 { Style::Lively } else { Style::Any };
        play(Rules::<V>::default(), style, seed, &mut visit);
    }
}
