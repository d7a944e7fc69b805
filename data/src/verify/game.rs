//! One game against the rules.

use rules::{Move, MoveList, Outcome, Scoresheet, Side, Termination, Variant};

use crate::game::{GameRecord, IMPORTED};
use crate::position::PositionRecord;

/// Why a scoresheet has a wrong outcome.
#[derive(Debug, thiserror::Error)]
pub enum OutcomeFault {
    /// A move is not legal.
    #[error(transparent)]
    Illegal(#[from] rules::IllegalMove),
    /// The game continues after the rules have ended it.
    #[error("the rules end it after {ply} plies ({by}), and it continues to ply {plies}", by = .outcome.termination)]
    GoesOn {
        /// Plies after which it was over.
        ply: u32,
        /// Plies that it has.
        plies: usize,
        /// How it had ended.
        outcome: Outcome,
    },
    /// The rules end it with another outcome.
    #[error(
        "it is said to end by {} with the result {}, and by the rules it ends by {} with the result {}",
        .said.termination, .said.result.number(), .outcome.termination, .outcome.result.number()
    )]
    Otherwise {
        /// What the record says.
        said: Outcome,
        /// What the rules say.
        outcome: Outcome,
    },
    /// The points differ from those the rules count.
    #[error("its points are said to be {said:?}, and by the rules they are {counted:?}")]
    Points {
        /// What the record says.
        said: Option<[f32; 2]>,
        /// What the rules say.
        counted: Option<[f32; 2]>,
    },
    /// The rules do not end it there.
    #[error("it is said to end by {0}, and by the rules it is not over")]
    NotOver(Termination),
    /// The player who resigned or committed a fault is recorded as the winner.
    #[error("it is said to end by {0}, and the player to move has not lost it")]
    WrongLoser(Termination),
}

/// Replays a game: whether each move is legal, whether the game ends after its last move and not before, and whether the
/// rules give the result and the termination of the sheet. The rules do not decide resignations, adjudications and
/// faults; of a resignation or fault only the loser is checked, which is the player to move. Points are compared where
/// the sheet has them.
///
/// # Errors
/// The first contradiction.
///
/// # Examples
/// ```
/// use data::verify::{OutcomeFault, check_outcome};
/// use rules::{Game, Outcome, Position, Rules, Scoresheet, Side, Termination, Wangqi};
///
/// let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), "c3c4 e6e5")?;
/// let resigned = Scoresheet::of(&game, Outcome::win(Side::Second, Termination::Resign));
/// assert!(check_outcome(&resigned).is_ok());
/// let mate = Scoresheet::of(&game, Outcome::win(Side::Second, Termination::Checkmate));
/// assert!(matches!(check_outcome(&mate), Err(OutcomeFault::NotOver(Termination::Checkmate))));
/// # Ok::<(), rules::MovesTextError>(())
/// ```
pub fn check_outcome<V: Variant>(sheet: &Scoresheet<V>) -> Result<(), OutcomeFault> {
    let mut replay = sheet.replay();
    while let Some(ply) = replay.step()? {
        if let Some(outcome) = ply.game.outcome(ply.legal) {
            return Err(OutcomeFault::GoesOn { ply: ply.game.ply(), plies: sheet.plies(), outcome });
        }
    }
    let game = replay.finish()?;
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let said = sheet.outcome;
    match game.outcome(&legal) {
        Some(outcome) if (outcome.result, outcome.termination) != (said.result, said.termination) => {
            Err(OutcomeFault::Otherwise { said, outcome })
        }
        Some(outcome) if said.points.is_some() && said.points != outcome.points => {
            Err(OutcomeFault::Points { said: said.points, counted: outcome.points })
        }
        Some(_) => Ok(()),
        None => match said.termination {
            Termination::Adjudicated => Ok(()),
            by @ (Termination::Resign | Termination::Error) => {
                let lost = said.result.for_side(game.side()) < 0;
                if lost { Ok(()) } else { Err(OutcomeFault::WrongLoser(by)) }
            }
            by => Err(OutcomeFault::NotOver(by)),
        },
    }
}

/// Everything that is wrong with a game of a shard or a journal of this generation, a text each.
pub(super) fn faults<V: Variant>(game: &GameRecord<V>, generation: u32) -> Vec<String> {
    let mut faults = Vec::new();
    if game.generation != generation {
        faults.push(format!("its generation is {}, that of the file {generation}", game.generation));
    }
    if let Some(contradiction) = game.contradiction() {
        faults.push(contradiction);
        return faults;
    }
    let (mut replay, mut rows) = (game.sheet.replay(), game.positions.iter().peekable());
    loop {
        match replay.step() {
            Ok(Some(at)) => {
                if let Some(row) = rows.next_if(|row| u32::from(row.ply) == at.game.ply()) {
                    let fault = search_fault(row, at.legal);
                    faults.extend(fault.map(|fault| format!("position at ply {}: {fault}", row.ply)));
                }
            }
            Ok(None) => break,
            Err(illegal) => {
                faults.push(illegal.to_string());
                return faults;
            }
        }
    }
    let replayed = match replay.finish() {
        Ok(replayed) => replayed,
        Err(illegal) => {
            faults.push(illegal.to_string());
            return faults;
        }
    };
    if replayed.moves_text() != game.moves_text {
        faults.push("moves_text has other moves than the codes".to_owned());
    }
    // Other programs end their games by rules of their own.
    if game.run_id != IMPORTED
        && let Err(fault) = check_outcome(&game.sheet)
    {
        faults.push(fault.to_string());
    }
    // `contradiction` has seen that each position has a move of the game.
    let key = |ply: usize| replayed.positions()[ply].key().to_bytes();
    for position in &game.positions {
        let ply = usize::from(position.ply);
        let before = ply.checked_sub(1).map(key);
        let fault = row_fault(position, replayed.positions()[ply].side(), (key(ply), before), generation);
        faults.extend(fault.map(|fault| format!("position at ply {ply}: {fault}")));
    }
    faults
}

/// What a search cannot have said of a position with these legal moves.
fn search_fault(row: &PositionRecord, legal: &[Move]) -> Option<String> {
    if let Some(mv) = row.policy_move.iter().find(|mv| !legal.contains(mv)) {
        return Some(format!("the policy has move {:#x}, which is not legal", mv.raw()));
    }
    let [win, _, loss] = row.root_wdl;
    if (win - loss - row.root_q).abs() > 0.01 {
        return Some(format!("root_q is {}, and win − loss is {}", row.root_q, win - loss));
    }
    let most = (legal.len() as f32).ln() + 0.01;
    if row.net_policy_entropy > most {
        return Some(format!(
            "net_policy_entropy is {}, and {} moves have at most {most}",
            row.net_policy_entropy,
            legal.len()
        ));
    }
    None
}

/// Where a row of a position contradicts the game that it belongs to.
fn row_fault(
    position: &PositionRecord,
    side: Side,
    (key, before): (crate::PositionKey, Option<crate::PositionKey>),
    generation: u32,
) -> Option<&'static str> {
    if position.side != side {
        Some("the other side is to move")
    } else if position.pos_key != key {
        Some("its key is that of another position")
    } else if position.parent_key.is_some() && position.parent_key != before {
        Some("parent_key is that of another position")
    } else if position.generation > generation {
        Some("a later generation searched it")
    } else {
        None
    }
}
