//! Random openings.

use super::{Opening, generator};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Rules, Side, Variant};
use search::setups;
use std::collections::HashSet;

/// How often another random opening is tried before one is used again.
const ATTEMPTS: u32 = 200;

/// Random openings of `plies` moves for `pairs` pairs: after each, the game is not over and the side to move has no
/// immediate win, and no two lead to the same position while there are enough. Each player's setup is drawn from `setups`,
/// or from all there are if that is empty. A longer match begins with the openings of a shorter one.
pub fn random<V: Variant>(rules: Rules<V>, setups: &[String], plies: u32, pairs: u32, seed: u64) -> Vec<Opening<V>> {
    let mut scratch = Scratch::default();
    let mut seen = HashSet::new();
    let mut openings = Vec::with_capacity(pairs as usize);
    let mut exhausted = false;
    for pair in 0..pairs {
        let mut rng = generator(seed, "opening", (pair, Side::First));
        let mut opening = Opening { position: None, moves: Vec::new() };
        // Once the openings have run out it is no use to look long for each further pair.
        for _ in 0..if exhausted { 1 } else { ATTEMPTS } {
            let Some(game) = random_game(rules, setups, plies, &mut rng, &mut scratch) else { continue };
            opening = Opening::of(&game);
            exhausted = !seen.insert(game.position().key());
            if !exhausted {
                break;
            }
        }
        openings.push(opening);
    }
    openings
}

/// Move lists that are reused.
#[derive(Default)]
pub(super) struct Scratch {
    legal: MoveList,
    replies: MoveList,
}

/// A game of so many random moves, setups drawn as well; `None` if it ended on the way, or the side to move can win in one.
pub(super) fn random_game<V: Variant>(
    rules: Rules<V>,
    setups: &[String],
    plies: u32,
    rng: &mut ChaCha8Rng,
    Scratch { legal, replies }: &mut Scratch,
) -> Option<Game<V>> {
    let mut game = Game::from_position(rules, setups::draw(setups, rng));
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
    use rules::{Janggi, Rulebook, Wangqi};

    #[test]
    fn random_openings_are_distinct_and_a_prefix() {
        let rules = Rules::<Wangqi>::default();
        let long = random(rules, &[], 4, 60, 7);
        assert_eq!(long[..20], random(rules, &[], 4, 20, 7));
        let keys: HashSet<_> = long.iter().map(|opening| opening.game(rules).position().key()).collect();
        assert_eq!(keys.len(), 60);
        assert_ne!(long, random(rules, &[], 4, 60, 8));
    }

    #[test]
    fn each_player_draws_a_set_up() {
        let rules = Rules::<Janggi>::default();
        let setups = |named: &[&str], seed| -> HashSet<[&str; 2]> {
            let named: Vec<String> = named.iter().map(|&name| name.to_owned()).collect();
            let openings = random(rules, &named, 6, 200, seed);
            let start = |opening: &Opening<Janggi>| opening.game(rules).start_position().setups();
            openings.iter().map(|opening| start(opening).expect("a start").map(|setup| setup.name)).collect()
        };
        assert_eq!(setups(&[], 1).len(), Janggi::SETUPS.len().pow(2), "each against each");
        let four = ["inner", "outer", "left", "right"];
        let drawn = setups(&four, 1);
        assert_eq!(drawn.len(), 16);
        assert!(drawn.iter().flatten().all(|name| four.contains(name)), "{drawn:?}");
        assert_eq!(setups(&["left"], 1), HashSet::from([["left", "left"]]));
        let openings = random(rules, &[], 6, 40, 7);
        assert_eq!(openings[..10], random(rules, &[], 6, 10, 7));
    }

    #[test]
    fn more_pairs_than_openings_repeat_some() {
        let openings = random(Rules::<Wangqi>::default(), &[], 1, 40, 1);
        let distinct: HashSet<_> = openings.iter().map(|opening| opening.moves.clone()).collect();
        assert!((20..=25).contains(&distinct.len()), "{} of the 25 first moves", distinct.len());
        assert!(openings.iter().all(|opening| opening.moves.len() == 1));
    }
}
