//! Random games that the oracles are asked about, and the texts of moves.

use crate::chance::{self, Style};
use rules::{Game, Move, MoveList, Position, Rules, Variant};
use std::collections::BTreeSet;

/// Whole games a variant is compared on.
pub const GAMES: u64 = 200;

/// Plays [`GAMES`] games in three styles, each to its end, from every choice of setups in turn where there are
/// any. `visit` sees each position, and the style and number of the game.
pub fn games<V: Variant>(rules: Rules<V>, mut visit: impl FnMut(&Game<V>, &[Move], Style, u64)) {
    for seed in 0..GAMES {
        let style = [Style::Any, Style::Lively, Style::Shuttling][seed as usize % 3];
        let setups = V::SETUPS;
        let start = match setups.len() {
            0 => Position::start(),
            several => {
                let [first, second] = [seed as usize % several, seed as usize / several % several];
                Position::start_with([setups[first].name, setups[second].name]).expect("setups there are")
            }
        };
        let game = Game::from_position(rules, start);
        chance::play_on(game, style, seed, |game, legal| visit(game, legal, style, seed));
    }
}

/// The moves of a game in UCI.
pub fn moves_of<V: Variant>(game: &Game<V>) -> Vec<String> {
    game.moves().iter().zip(game.positions()).map(|(&mv, before)| before.format_move(mv)).collect()
}

/// Legal moves in UCI.
pub fn legal_moves<V: Variant>(position: &Position<V>) -> BTreeSet<String> {
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    legal.iter().map(|&mv| position.format_move(mv)).collect()
}

/// About `number` of the items, evenly spread: some oracles take milliseconds for an answer.
pub fn sample<T>(items: Vec<T>, number: usize) -> Vec<T> {
    let step = (items.len() / number).max(1);
    items.into_iter().step_by(step).collect()
}
