//! Whether an engine plays the game it is to play: its moves against ours, before the first game.

use super::dialect::Dialect;
use super::fault::{Fault, Trouble};
use super::session::{Counts, Engine};
use super::telling;
use crate::limit::{Clock, Limit};
use rules::{Game, MoveList, Position, Rules, Variant};
use std::collections::BTreeMap;
use std::time::Duration;

/// Plies of the trees that are compared.
const DEPTH: u32 = 2;

/// Moves named in a message.
const NAMED: usize = 5;

/// Why an engine is not let in.
pub(super) enum Unfit {
    /// It plays by other rules: where, and what differs.
    Differs(String),
    /// It broke down.
    Trouble(Trouble),
}

impl From<Trouble> for Unfit {
    fn from(trouble: Trouble) -> Unfit {
        Unfit::Trouble(trouble)
    }
}

/// Compares counts of moves in the start position and in others; or, with an engine that does not count, looks whether
/// it moves legally in them. Says what was done.
pub(super) fn check<V: Variant>(
    engine: &mut Engine,
    dialect: Dialect<V>,
    halt: &dyn Fn() -> bool,
) -> Result<String, Unfit> {
    let positions = telling::positions::<V>();
    for position in &positions {
        let game = Game::from_position(Rules::default(), position.clone());
        match engine.perft(&game, DEPTH, halt)? {
            Some(theirs) => compare(position, dialect, &theirs).map_err(Unfit::Differs)?,
            None => return probe(engine, &positions, halt),
        }
    }
    Ok(format!("perft {DEPTH} compared in {} positions", positions.len()))
}

/// What differs in a position, if anything does.
fn compare<V: Variant>(position: &Position<V>, dialect: Dialect<V>, theirs: &Counts) -> Result<(), String> {
    let divided = position.perft_divide(DEPTH);
    let ours: BTreeMap<String, u64> = divided.iter().map(|&(mv, count)| (dialect.write(position, mv), count)).collect();
    let total: u64 = ours.values().sum();
    let at = format!("in the position {}", position.fen());
    if theirs.moves.is_empty() {
        let same = theirs.total == total;
        return if same { Ok(()) } else { Err(format!("{at} it counts {} replies, not {total}", theirs.total)) };
    }
    let known: BTreeMap<&str, u64> = theirs.moves.iter().map(|(mv, count)| (mv.as_str(), *count)).collect();
    let missing: Vec<&str> = ours.keys().map(String::as_str).filter(|mv| !known.contains_key(mv)).collect();
    let surplus: Vec<&str> = known.keys().copied().filter(|&mv| !ours.contains_key(mv)).collect();
    if !missing.is_empty() {
        return Err(format!("{at} it does not know {}", listed(&missing)));
    }
    if !surplus.is_empty() {
        return Err(format!("{at} it makes {}, which the rules do not allow", listed(&surplus)));
    }
    match ours.iter().find(|&(mv, &count)| known[mv.as_str()] != count) {
        Some((mv, count)) => Err(format!("{at} it counts {} replies to {mv}, not {count}", known[mv.as_str()])),
        None => Ok(()),
    }
}

fn listed(moves: &[&str]) -> String {
    let named = moves[..moves.len().min(NAMED)].join(", ");
    if moves.len() > NAMED { format!("{named} and {} more moves", moves.len() - NAMED) } else { named }
}

/// Lets it move once in each position.
fn probe<V: Variant>(engine: &mut Engine, positions: &[Position<V>], halt: &dyn Fn() -> bool) -> Result<String, Unfit> {
    let clock = Clock::new(Limit::Depth(1), Duration::ZERO);
    let mut legal = MoveList::new();
    for position in positions {
        let game = Game::from_position(Rules::default(), position.clone());
        game.legal_moves(&mut legal);
        match engine.think(&game, &legal, [&clock; 2], halt) {
            Ok(_) => {}
            Err(Trouble::Fault(fault @ (Fault::IllegalMove { .. } | Fault::NoMove { .. }))) => {
                return Err(Unfit::Differs(fault.to_string()));
            }
            Err(trouble) => return Err(Unfit::Trouble(trouble)),
        }
    }
    Ok(format!("a legal move in each of {} positions; it does not count moves (go perft)", positions.len()))
}
