//! Random openings.

use super::{Opening, generator};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Rules, Side, Variant};
use std::collections::HashSet;

/// How often another random opening is tried before one is used again.
const ATTEMPTS: u32 = 200;

/// Random openings of `plies` moves for `pairs` pairs: the game goes on after each, nobody wins at once, and
/// no two lead to the same position while there are enough. A longer match begins with the openings of a
/// shorter one.
pub fn random<V: Variant>(rules: Rules<V>, plies: u32, pairs: u32, seed: u64) -> Vec<Opening<V>> {
    let mut scratch = Scratch::default();
    let mut seen = HashSet::new();
    let mut openings = Vec::with_capacity(pairs as usize);
    let mut exhausted = false;
    for pair in 0..pairs {
        let mut rng = generator(seed, "opening", (pair, Side::First));
        let mut opening = Opening { position: None, moves: Vec::new() };
        // Once the openings have run out it is no use to look long for each further pair.
        for _ in 0..if exhausted { 1 } else { ATTEMPTS } {
            let Some(game) = random_game(rules, plies, &mut rng, &mut scratch) else { continue };
            opening.moves = game.moves().to_vec();
            exhausted = !seen.insert(game.position().key());
            if !exhausted {
                break;
            }
        }
        openings.push(opening);
    }
    openings
}

/// Lists of moves that are filled again and again.
#[derive(Default)]
pub(super) struct Scratch {
    legal: MoveList,
    replies: MoveList,
}

/// A game of so many random moves; `None` if it ended on the way, or the side to move wins at once.
pub(super) fn random_game<V: Variant>(
    rules: Rules<V>,
    plies: u32,
    rng: &mut ChaCha8Rng,
    Scratch { legal, replies }: &mut Scratch,
) -> Option<Game<V>> {
    let mut game = Game::start(rules);
    for ply in 0..=plies {
        game.legal_moves(legal);
        if game.outcome(legal).is_some() {
            return None;
        }
        if ply < plies {
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
    game.position().win_in_one(legal, replies).is_none().then_some(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Wangqi;

    #[test]
    fn random_openings_are_distinct_and_a_prefix() {
        let rules = Rules::<Wangqi>::default();
        let long = random(rules, 4, 60, 7);
        assert_eq!(long[..20], random(rules, 4, 20, 7));
        let keys: HashSet<_> = long.iter().map(|opening| opening.game(rules).position().key()).collect();
        assert_eq!(keys.len(), 60);
        assert_ne!(long, random(rules, 4, 60, 8));
    }

    #[test]
    fn more_pairs_than_openings_repeat_some() {
        let openings = random(Rules::<Wangqi>::default(), 1, 40, 1);
        let distinct: HashSet<_> = openings.iter().map(|opening| opening.moves.clone()).collect();
        assert!((20..=25).contains(&distinct.len()), "{} of the 25 first moves", distinct.len());
        assert!(openings.iter().all(|opening| opening.moves.len() == 1));
    }
}
