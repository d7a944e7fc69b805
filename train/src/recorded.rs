//! A recorded game in memory: moves to replay and what was found out about its positions, checked once.

use crate::data_config::DataConfig;
use data::TrainingGame;
use rules::{Game, Move, MoveList, Position, Rules, Termination, Variant};

/// A searched position of a recorded game. Values are seen by the side to move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Moves played before it.
    pub ply: u16,
    /// Where its policy lies in the game's list.
    pub policy: std::ops::Range<u32>,
    /// Win, draw, loss of the search.
    pub root_wdl: [f32; 3],
    /// Average of what the search will say in the next plies, the near ones more; at the end the result.
    pub short_wdl: [f32; 3],
    /// Result: +1 the side to move won, 0 draw, −1 it lost.
    pub result: i8,
    /// Plies from here to the end.
    pub plies_left: u16,
    /// Weight of its policy: 0 for a fast search.
    pub policy_weight: f32,
    /// Weight of its value.
    pub value_weight: f32,
}

/// A recorded game, known to be playable by the rules.
#[derive(Clone, Debug)]
pub(crate) struct RecordedGame<V: Variant> {
    pub id: u64,
    rules: Rules<V>,
    start: Position<V>,
    pub moves: Box<[Move]>,
    /// Ended at the limit of plies without a winner: its result says nothing about who stood better.
    pub undecided: bool,
    pub rows: Box<[Row]>,
    policy: Box<[(Move, f32)]>,
}

impl<V: Variant> RecordedGame<V> {
    /// Checks a game by replaying it and keeps what training needs.
    ///
    /// # Errors
    /// Says what the game contradicts: the rules (an illegal move) or itself.
    pub fn check(game: &TrainingGame, config: &DataConfig) -> Result<RecordedGame<V>, String> {
        let at = |reason: String| format!("game {:016x}: {reason}", game.game_id);
        let rules = ruleset(&game.ruleset).map_err(at)?;
        let start = match &game.start_fen {
            None => Position::start(),
            Some(fen) => Position::from_fen(fen).map_err(|error| at(format!("start position {fen:?}: {error}")))?,
        };
        let undecided = game.result == 0 && game.termination == Termination::MaxPlies.name();
        let mut policy = Vec::with_capacity(game.positions.iter().map(|row| row.policy_move.len()).sum());
        let mut rows = Vec::with_capacity(game.positions.len());
        let mut waiting = game.positions.iter().peekable();
        let mut position = start.clone();
        let mut legal = MoveList::new();
        for (ply, &code) in game.moves.iter().enumerate() {
            position.legal_moves(&mut legal);
            if let Some(row) = waiting.next_if(|row| usize::from(row.ply) == ply) {
                if usize::from(row.side) != position.side().index() {
                    return Err(at(format!("ply {ply}: side {} is not to move there", row.side)));
                }
                let sum: u64 = row.policy_visits.iter().map(|&visits| u64::from(visits)).sum();
                let begin = policy.len() as u32;
                for (&code, &visits) in row.policy_move.iter().zip(&row.policy_visits) {
                    let mv = Move::from_raw(code);
                    if !legal.contains(&mv) {
                        return Err(at(format!("ply {ply}: the policy holds {code:#x}, which is not legal there")));
                    }
                    policy.push((mv, (visits as f64 / sum.max(1) as f64) as f32));
                }
                if sum == 0 {
                    return Err(at(format!("ply {ply}: the policy is empty")));
                }
                rows.push(Row {
                    ply: row.ply,
                    policy: begin..policy.len() as u32,
                    root_wdl: row.root_wdl,
                    short_wdl: row.root_wdl,
                    result: row.result_stm,
                    plies_left: row.plies_left,
                    // The generator discounts games that were cut off at the limit of plies. Their results
                    // deserve it, and their searches do not.
                    policy_weight: match (row.full_search, undecided) {
                        (false, _) => 0.0,
                        (true, true) => 1.0,
                        (true, false) => row.target_weight,
                    },
                    value_weight: row.target_weight,
                });
            }
            let mv = Move::from_raw(code);
            if !legal.contains(&mv) {
                return Err(at(format!("ply {ply}: move {code:#x} is not legal")));
            }
            position.play(mv);
        }
        if let Some(row) = waiting.next() {
            return Err(at(format!("a position at ply {}, after {} plies", row.ply, game.moves.len())));
        }
        look_ahead(&mut rows, undecided, config.short_term_plies);
        Ok(RecordedGame {
            id: game.game_id,
            rules,
            start,
            moves: game.moves.iter().map(|&code| Move::from_raw(code)).collect(),
            undecided,
            rows: rows.into(),
            policy: policy.into(),
        })
    }

    /// The game as it stood at a ply.
    pub fn replay(&self, ply: usize) -> Game<V> {
        let mut game = Game::from_position(self.rules, self.start.clone());
        for &mv in &self.moves[..ply] {
            game.play(mv);
        }
        game
    }

    /// The policy target of a row: moves and probabilities.
    pub fn policy(&self, row: &Row) -> &[(Move, f32)] {
        &self.policy[row.policy.start as usize..row.policy.end as usize]
    }

    /// Whether the game is kept for validation: a fixed share of all games, chosen by a hash of their ids.
    pub fn held_out(&self, share: f64) -> bool {
        let hash = blake3::hash(&self.id.to_le_bytes());
        let bytes = hash.as_bytes();
        let number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        f64::from(number) < share * 2f64.powi(32)
    }
}

/// Fills `short_wdl` from the end backwards: each ply gives way to the next with a share that makes the average
/// distance `horizon` plies.
fn look_ahead(rows: &mut [Row], undecided: bool, horizon: f64) {
    let Some(last) = rows.last() else { return };
    let share = (1.0 / horizon) as f32;
    // Seen by the player to move at `ply`, which goes back from row to row.
    let mut future = if undecided { last.root_wdl } else { certain(last.result) };
    let mut ply = usize::from(last.ply);
    for row in rows.iter_mut().rev() {
        if (ply - usize::from(row.ply)) % 2 == 1 {
            future.reverse();
        }
        ply = usize::from(row.ply);
        for (future, &now) in future.iter_mut().zip(&row.root_wdl) {
            *future += share * (now - *future);
        }
        row.short_wdl = future;
    }
}

/// Win, draw, loss for a result that is known.
pub(crate) fn certain(result: i8) -> [f32; 3] {
    match result.signum() {
        1 => [1.0, 0.0, 0.0],
        0 => [0.0, 1.0, 0.0],
        _ => [0.0, 0.0, 1.0],
    }
}

/// The rule set named in a record: a preset, then what was changed in it ("full max-plies=160").
fn ruleset<V: Variant>(text: &str) -> Result<Rules<V>, String> {
    let mut words = text.split_ascii_whitespace();
    let mut rules = match words.next() {
        None => Rules::default(),
        Some(name) => Rules::named(name).map_err(|error| error.to_string())?,
    };
    for word in words {
        let plies = word.strip_prefix("max-plies=").and_then(|number| number.parse().ok());
        rules = rules.with_max_plies(plies.ok_or_else(|| format!("rule set {text:?}: {word:?} is not understood"))?);
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_term_value_blends_the_next_plies_into_the_result() {
        let row = |ply, root_wdl, result| Row {
            ply,
            policy: 0..0,
            root_wdl,
            short_wdl: root_wdl,
            result,
            plies_left: 0,
            policy_weight: 1.0,
            value_weight: 1.0,
        };
        let [even, sure] = [[0.25, 0.5, 0.25], [1.0, 0.0, 0.0]];
        let mut rows = [row(0, even, 1), row(1, even, -1), row(4, sure, 1)];
        look_ahead(&mut rows, false, 2.0);
        assert_eq!(rows[2].short_wdl, sure);
        // Three plies earlier the other player is to move: half the loss to come, half the present.
        assert_eq!(rows[1].short_wdl, [0.125, 0.25, 0.625]);
        assert_eq!(rows[0].short_wdl, [0.4375, 0.375, 0.1875]);
        look_ahead(&mut rows, true, 1.0);
        assert_eq!(rows[0].short_wdl, even, "a horizon of one ply is the present");
    }

    #[test]
    fn rule_sets_are_read_with_their_changes() {
        let rules = ruleset::<rules::Wangqi>("standard max-plies=160").unwrap();
        assert_eq!((rules.name(), rules.max_plies()), ("standard", 160));
        assert!(ruleset::<rules::Wangqi>("standard komi=7").unwrap_err().contains("\"komi=7\" is not understood"));
        assert!(ruleset::<rules::Wangqi>("go").is_err());
    }
}
