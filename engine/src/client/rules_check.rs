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
    mut engine: Engine,
    notation: GameNotation<V>,
    halt: &dyn Fn() -> bool,
) -> Result<String, RulesCheckError> {
    let positions = test_positions::positions::<V>();
    for position in &positions {
        let game = Game::from_position(Rules::default(), position.clone());
        match engine.perft(&game, DEPTH, halt)? {
            Some(theirs) => compare(position, notation, &theirs).map_err(RulesCheckError::Differs)?,
            None => return play_in_each(&mut engine.restarted(halt)?, &positions, halt),
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
    Ok(format!("played a legal move in each of {} positions; it gave no counts for go perft", positions.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{EngineConfig, EngineProfile};
    use rules::VariantId;

    const VARIANT: VariantId = VariantId::ALL[0];

    /// Writes for each position, from 1, its counts (`1.counts`) and an answer to `go` (`1.move`).
    fn write_answers<V: Variant>(folder: &std::path::Path) {
        let notation = GameNotation::<V>::default();
        for (number, position) in (1..).zip(test_positions::positions::<V>()) {
            let counted = position.perft_divide(DEPTH);
            let line = |&(mv, leaves): &_| format!("{}: {leaves}\n", notation.write_move(&position, mv));
            let total: u64 = counted.iter().map(|&(_, leaves)| leaves).sum();
            let counts = counted.iter().map(line).chain([format!("\nNodes searched: {total}\n")]);
            std::fs::write(folder.join(format!("{number}.counts")), counts.collect::<String>()).unwrap();
            let best = format!("bestmove {}\n", notation.write_move(&position, counted[0].0));
            std::fs::write(folder.join(format!("{number}.move")), best).unwrap();
        }
    }

    /// The check of an engine that carries out these commands of the shell at `go perft`, `isready` and another `go`.
    fn checked(on_perft: &str, on_ready: &str, on_go: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        rules::dispatch!(VARIANT, V => write_answers::<V>(folder.path()));
        let script = format!(
            "cd '{}'\nn=0\nwhile read -r line; do case $line in\nuci) echo uciok;;\nposition*) n=$((n + 1));;\n\
             isready) {on_ready};;\n'go perft'*) {on_perft};;\ngo*) {on_go};;\nesac; done\n",
            folder.path().display()
        );
        let config = EngineConfig {
            command: "/bin/sh".to_owned(),
            args: vec!["-c".to_owned(), script],
            limit: Limit::Nodes(1),
            ..EngineConfig::default()
        };
        let profile = EngineProfile::prepare(&config, VARIANT, Limit::Own, &|| false);
        profile.map_or_else(|error| error.to_string(), |profile| profile.rules_check().to_owned())
    }

    #[test]
    fn whatever_an_engine_does_at_perft_its_moves_are_checked() {
        let (ready, go) = ("echo readyok", "cat $n.move");
        let informs = "echo info string NNUE evaluation; echo info depth 1 score cp 5; cat $n.counts";
        let counts_later = "echo readyok; if [ $counting ]; then cat $n.counts; counting=; fi";
        for [perft, ready, go] in [[informs, ready, go], ["counting=1", counts_later, go]] {
            let told = checked(perft, ready, go);
            assert!(told.starts_with("perft 2 compared in "), "{perft}: {told}");
        }
        let answers_late = "if [ $searched ]; then echo bestmove late; searched=; fi; cat $n.move";
        for [perft, ready, go] in [[":", ready, go], ["searched=1", ready, answers_late]] {
            let told = checked(perft, ready, go);
            assert!(told.starts_with("played a legal move in each of "), "{perft}: {told}");
        }
    }
}
