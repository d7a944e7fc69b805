//! Whether an engine plays by our rules: its legal moves against ours, before the first game.

use super::fault::{EngineFailure, EngineFault};
use super::session::{Engine, PerftCounts};
use super::test_positions;
use crate::limit::{GameClock, Limit};
use crate::protocol::GameNotation;
use rules::{Game, MoveList, Position, Rules, Variant};
use std::collections::BTreeMap;
use std::time::Duration;

/// Plies of the trees that are compared.
const DEPTH: u32 = 2;

/// Moves named in a message.
const NAMED: usize = 5;

/// Why an engine is not accepted.
pub(super) enum RulesCheckError {
    /// It plays by other rules: where, and what differs.
    Differs(String),
    /// It failed.
    Failure(EngineFailure),
}

impl From<EngineFailure> for RulesCheckError {
    fn from(failure: EngineFailure) -> RulesCheckError {
        RulesCheckError::Failure(failure)
    }
}

/// Compares counts of moves in the start position and in others. An engine that does not count has to play a legal move
/// in each of them. Returns a description of the check.
pub(super) fn check<V: Variant>(
    engine: &mut Engine,
    notation: GameNotation<V>,
    halt: &dyn Fn() -> bool,
) -> Result<String, RulesCheckError> {
    let positions = test_positions::positions::<V>();
    for position in &positions {
        let game = Game::from_position(Rules::default(), position.clone());
        match engine.perft(&game, DEPTH, halt)? {
            Some(theirs) => compare(position, notation, &theirs).map_err(RulesCheckError::Differs)?,
            None => return play_in_each(engine, &positions, halt),
        }
    }
    Ok(format!("perft {DEPTH} compared in {} positions", positions.len()))
}

/// What differs in a position, if anything does.
fn compare<V: Variant>(position: &Position<V>, notation: GameNotation<V>, theirs: &PerftCounts) -> Result<(), String> {
    let divided = position.perft_divide(DEPTH);
    let ours: BTreeMap<String, u64> =
        divided.iter().map(|&(mv, count)| (notation.write_move(position, mv), count)).collect();
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
        return Err(format!("{at} it does not have the legal moves {}", listed(&missing)));
    }
    if !surplus.is_empty() {
        return Err(format!("{at} it has {}, which our rules do not allow", listed(&surplus)));
    }
    match ours.iter().find(|&(mv, &count)| known[mv.as_str()] != count) {
        Some((mv, count)) => Err(format!("{at} it counts {} replies to {mv}, not {count}", known[mv.as_str()])),
        None => Ok(()),
    }
}

fn listed(moves: &[&str]) -> String {
    let named = moves[..moves.len().min(NAMED)].join(", ");
    if moves.len() > NAMED { format!("{named} and {} more", moves.len() - NAMED) } else { named }
}

/// Lets it play one move in each position.
fn play_in_each<V: Variant>(
    engine: &mut Engine,
    positions: &[Position<V>],
    halt: &dyn Fn() -> bool,
) -> Result<String, RulesCheckError> {
    let clock = GameClock::new(Limit::Depth(1), Duration::ZERO);
    let mut legal = MoveList::new();
    for position in positions {
        let game = Game::from_position(Rules::default(), position.clone());
        game.legal_moves(&mut legal);
        match engine.think(&game, &legal, [&clock; 2], halt) {
            Ok(_) => {}
            Err(EngineFailure::Fault(fault @ (EngineFault::IllegalMove { .. } | EngineFault::NoMove { .. }))) => {
                return Err(RulesCheckError::Differs(fault.to_string()));
            }
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(format!("played a legal move in each of {} positions; it does not count moves (go perft)", positions.len()))
}
