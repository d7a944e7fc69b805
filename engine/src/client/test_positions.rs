//! Positions that distinguish one set of rules from another: in them every kind of piece moves, promotes and is dropped.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Position, Rules, Side, Variant};
use std::collections::HashSet;

/// Random games that are searched for positions, and plies between the positions of one game.
const GAMES: u64 = 40;
const STRIDE: usize = 5;
/// Number of games from which a late position is always taken, and its ply.
const LATE_POSITIONS: u64 = 8;
const LATE_PLY: usize = 60;

/// What a legal move shows of the rules: the side, the kind of piece, whether it promotes, whether it is dropped.
type Feature = (Side, usize, bool, bool);

/// The start position, and positions from random games. Each shows a feature that those before do not have, or is a
/// late position of its game. The list is always the same.
pub(super) fn positions<V: Variant>() -> Vec<Position<V>> {
    let mut legal = MoveList::new();
    let mut seen = HashSet::new();
    let mut chosen = vec![Position::start()];
    for seed in 0..GAMES {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut game = Game::<V>::start(Rules::default());
        for ply in 0.. {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                break;
            }
            let position = game.position();
            if ply % STRIDE == 0 {
                let shown: Vec<Feature> = legal.iter().filter_map(|&mv| feature(position, mv)).collect();
                let before = seen.len();
                seen.extend(shown);
                if ply > 0 && (seen.len() > before || (seed < LATE_POSITIONS && ply == LATE_PLY)) {
                    chosen.push(position.clone());
                }
            }
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
    chosen
}

fn feature<V: Variant>(position: &Position<V>, mv: Move) -> Option<Feature> {
    let (kind, dropped) = match (mv.source_square(), mv.hand_slot()) {
        (Some(source), _) => (position.cell(source).piece()?.1, false),
        (None, Some(slot)) => (V::HAND_FIRST + slot, true),
        (None, None) => return None,
    };
    Some((position.side(), kind, mv.promotes(), dropped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Notated, Rulebook, VariantId};

    #[test]
    fn nearly_every_kind_of_piece_moves_in_one_of_them() {
        for &id in VariantId::ALL {
            rules::dispatch!(id, V => {
                let positions = positions::<V>();
                let mut legal = MoveList::new();
                let mut kinds = HashSet::new();
                for position in &positions {
                    position.legal_moves(&mut legal);
                    kinds.extend(legal.iter().filter_map(|&mv| feature(position, mv)).map(|(_, kind, ..)| kind));
                }
                println!("{id}: {} positions", positions.len());
                assert!(positions.len() >= 6);
                let unseen: Vec<&str> = (0..V::KINDS).filter(|kind| !kinds.contains(kind)).map(|kind| V::CODES[kind]).collect();
                // In random games a few kinds of pieces of the largest variant are rare.
                assert!(8 * unseen.len() <= V::KINDS, "{id}: {unseen:?}");
            });
        }
    }
}
