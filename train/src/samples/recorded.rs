//! A recorded game in memory: moves to replay and what was found out about its positions, checked once.

use crate::error::GameFault;
use crate::samples::config::{DataConfig, SHORT_TERM_PLIES};
use crate::samples::material::{self, MaterialJudge};
use data::{GameRecord, PositionRecord};
use rules::{Game, GameResult, Move, Scoresheet, Side, Termination, Variant};

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
    /// Win, draw, loss by the result of the game; by its material and the search if it was cut off.
    pub result_wdl: [f32; 3],
    /// Plies from here to the end.
    pub plies_left: u16,
    /// Whether the search proved `root_wdl`.
    pub proven: bool,
    /// Weight of its policy: 0 for a fast search.
    pub policy_weight: f32,
    /// Weight of its value.
    pub value_weight: f32,
}

/// A recorded game, known to be playable by the rules, and its rows.
#[derive(Clone, Debug)]
pub(crate) struct RecordedGame<V: Variant> {
    pub id: u64,
    pub sheet: Scoresheet<V>,
    /// Points by which the first player is ahead at the end: see [`points_at_end`].
    pub points: Option<f32>,
    pub rows: Box<[Row]>,
    /// The [difference](material::difference) in material at the end of a game that was cut off; empty for others.
    pub difference: Box<[i16]>,
    policy: Box<[(Move, f32)]>,
}

impl<V: Variant> RecordedGame<V> {
    /// Checks a game by replaying it and keeps what training needs.
    ///
    /// # Errors
    /// What the game contradicts: the rules or itself.
    pub fn check(game: &GameRecord<V>, config: &DataConfig) -> Result<RecordedGame<V>, GameFault> {
        let outcome = &game.sheet.outcome;
        let mut policy = Vec::with_capacity(game.positions.iter().map(|row| row.policy_move.len()).sum());
        let mut rows = Vec::with_capacity(game.positions.len());
        let discount = discount(&game.positions, outcome.is_cut_off());
        let mut waiting = game.positions.iter().peekable();
        let mut replay = game.sheet.replay();
        while let Some(at) = replay.step()? {
            let Some(row) = waiting.next_if(|row| u32::from(row.ply) == at.game.ply()) else { continue };
            let (ply, side) = (row.ply, row.side);
            if side != at.game.side() {
                return Err(GameFault::Side { ply, side });
            }
            let sum: u64 = row.policy_visits.iter().map(|&visits| u64::from(visits)).sum();
            let begin = policy.len() as u32;
            for (&mv, &visits) in row.policy_move.iter().zip(&row.policy_visits) {
                if !at.legal.contains(&mv) {
                    return Err(GameFault::Policy { ply, mv });
                }
                policy.push((mv, (visits as f64 / sum.max(1) as f64) as f32));
            }
            if sum == 0 {
                return Err(GameFault::NoPolicy { ply });
            }
            rows.push(Row {
                ply,
                policy: begin..policy.len() as u32,
                root_wdl: row.root_wdl,
                short_wdl: row.root_wdl,
                result_wdl: certain(outcome.result, side),
                plies_left: (game.plies() - usize::from(ply)) as u16,
                policy_weight: match row.full_search {
                    false => 0.0,
                    // A discount of 0 has erased the weights by surprise, which earlier versions stored.
                    true if discount == 0.0 => 1.0,
                    true => row.target_weight / discount,
                },
                // What is proven does not depend on how the game continued, either.
                value_weight: if row.proven { row.target_weight.max(1.0) } else { row.target_weight },
                proven: row.proven,
            });
        }
        if let Some(row) = waiting.next() {
            return Err(GameFault::Beyond { ply: row.ply, plies: game.plies() });
        }
        if let Some(last) = rows.last() {
            let end = if outcome.is_cut_off() { last.root_wdl } else { last.result_wdl };
            look_ahead(&mut rows, end, SHORT_TERM_PLIES, |row, ahead| row.short_wdl = ahead);
            if config.value_plies > 0.0 {
                look_ahead(&mut rows, end, config.value_plies, |row, ahead| row.result_wdl = ahead);
            }
        }
        let last = replay.finish()?;
        let difference = if outcome.is_cut_off() { material::difference(last.position()) } else { Box::default() };
        Ok(RecordedGame::of(game, rows, policy, difference))
    }

    fn of(game: &GameRecord<V>, rows: Vec<Row>, policy: Vec<(Move, f32)>, difference: Box<[i16]>) -> RecordedGame<V> {
        let (id, sheet, points) = (game.game_id, game.sheet.clone(), points_at_end(&game.sheet));
        RecordedGame { id, sheet, points, rows: rows.into(), difference, policy: policy.into() }
    }

    /// Gives a game that was cut off the result that its material speaks for, where it has the material.
    pub fn judge(&mut self, judge: &MaterialJudge, config: &DataConfig) {
        if !self.is_undecided() || self.difference.is_empty() {
            return;
        }
        let (first_wins, starts) = (judge.first_wins(&self.difference), self.sheet.start.side());
        let chance = |row: &Row| {
            let is_first = (starts == Side::First) == row.ply.is_multiple_of(2);
            let wins = if is_first { first_wins } else { 1.0 - first_wins };
            [wins, 0.0, 1.0 - wins]
        };
        if let Some(last) = self.rows.last().filter(|_| config.value_plies > 0.0) {
            let end = chance(last);
            look_ahead(&mut self.rows, end, config.value_plies, |row, ahead| row.result_wdl = ahead);
        } else {
            self.rows.iter_mut().for_each(|row| row.result_wdl = chance(row));
        }
    }

    /// A game to learn from its moves alone: every position is a row, its policy the move that was played, and its value
    /// the result.
    ///
    /// # Errors
    /// The rules do not allow a move.
    pub fn of_moves(game: &GameRecord<V>) -> Result<RecordedGame<V>, GameFault> {
        let (mut policy, mut rows) = (Vec::with_capacity(game.plies()), Vec::with_capacity(game.plies()));
        let mut replay = game.sheet.replay();
        while let Some(at) = replay.step()? {
            // A row counts plies in 16 bits; what comes after them is left out.
            let Ok(ply) = u16::try_from(rows.len()) else { break };
            let known = certain(game.sheet.outcome.result, at.game.side());
            rows.push(Row {
                ply,
                policy: policy.len() as u32..policy.len() as u32 + 1,
                root_wdl: known,
                short_wdl: known,
                result_wdl: known,
                plies_left: (game.plies() - usize::from(ply)).min(usize::from(u16::MAX)) as u16,
                proven: false,
                policy_weight: 1.0,
                value_weight: 1.0,
            });
            policy.push((at.mv, 1.0));
        }
        Ok(RecordedGame::of(game, rows, policy, Box::default()))
    }

    /// Whether it ended at the ply limit without a winner: its result does not say which side stood better.
    pub fn is_undecided(&self) -> bool {
        self.sheet.outcome.is_cut_off()
    }

    /// The game as it stood at a ply.
    pub fn at(&self, ply: usize) -> Game<V> {
        // The moves were checked when the game was read.
        self.sheet.replay_unchecked(ply)
    }

    /// The policy target of a row: moves and probabilities.
    pub fn policy(&self, row: &Row) -> &[(Move, f32)] {
        &self.policy[row.policy.start as usize..row.policy.end as usize]
    }

    /// The share of each move in the policy target of a row.
    pub fn shares(&self, row: &Row) -> impl Fn(&Move) -> f32 {
        let targets = self.policy(row);
        |mv| targets.iter().filter(|(target, _)| target == mv).map(|(_, share)| share).sum()
    }
}

/// Points by which the first player is ahead at the end of a game, in units of [`rules::Rulebook::POINTS_UNIT`]; `None` if
/// the rule set counts none.
///
/// They are those on the board, with one exception: who mates is ahead by at least a unit, however much was given for the
/// mate. Otherwise the head would call some won positions lost. The points where a player resigned are a little nearer to
/// 0 than those that the game would have ended with; leaving these games out would be worse, since all that are left are
/// close.
fn points_at_end<V: Variant>(sheet: &Scoresheet<V>) -> Option<f32> {
    let [first, second] = V::points(&sheet.replay_unchecked(sheet.plies()))?;
    let ahead = (first - second) / V::POINTS_UNIT;
    let mated = sheet.outcome.termination == Termination::Checkmate;
    match sheet.outcome.winner().filter(|_| mated) {
        Some(Side::First) => Some(ahead.max(1.0)),
        Some(Side::Second) => Some(ahead.min(-1.0)),
        None => Some(ahead),
    }
}

/// The factor that the weights of a game's rows were multiplied by because it was cut off at the ply limit. That is right
/// for its result, but not for its searches. Without the factor, the weights of full searches have a mean of 1, however
/// surprise distributes them.
fn discount(positions: &[PositionRecord], is_cut_off: bool) -> f32 {
    if !is_cut_off {
        return 1.0;
    }
    let full = || positions.iter().filter(|row| row.full_search).map(|row| row.target_weight);
    full().sum::<f32>() / full().count().max(1) as f32
}

/// Blends into each row the values of the searches after it and in the end `end`, as the player to move in the last row
/// sees it: from the end backwards, each ply takes over a share of the next one that makes the average distance `horizon`
/// plies.
fn look_ahead(rows: &mut [Row], end: [f32; 3], horizon: f64, give: impl Fn(&mut Row, [f32; 3])) {
    let Some(last) = rows.last() else { return };
    let share = (1.0 / horizon) as f32;
    // Seen by the player to move at `ply`, which goes back from row to row.
    let mut future = end;
    let mut ply = usize::from(last.ply);
    for row in rows.iter_mut().rev() {
        if (ply - usize::from(row.ply)) % 2 == 1 {
            future.reverse();
        }
        ply = usize::from(row.ply);
        for (future, &now) in future.iter_mut().zip(&row.root_wdl) {
            *future += share * (now - *future);
        }
        give(row, future);
    }
}

/// Win, draw, loss of a side for a result that is known.
fn certain(result: GameResult, side: Side) -> [f32; 3] {
    match result.winner() {
        Some(winner) if winner == side => [1.0, 0.0, 0.0],
        None => [0.0, 1.0, 0.0],
        Some(_) => [0.0, 0.0, 1.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Game, Janggi, MoveList, Outcome, Rules, Wangqi};

    /// A game of so many rows, in which the first legal move is played and every search says the same.
    fn played(rows: u16, root_wdl: [f32; 3]) -> (Game<Wangqi>, Vec<PositionRecord>) {
        let mut game = Game::<Wangqi>::start(Rules::default());
        let mut legal = MoveList::new();
        let mut positions = Vec::new();
        for ply in 0..rows {
            game.legal_moves(&mut legal);
            positions.push(PositionRecord {
                ply,
                side: game.side(),
                mv: legal[0],
                policy_move: vec![legal[0]],
                policy_visits: vec![1],
                root_wdl,
                ..PositionRecord::default()
            });
            game.play(legal[0]);
        }
        (game, positions)
    }

    /// A game of four rows, of which the second is a fast search.
    fn checked(termination: Termination, target_weights: [f32; 4]) -> RecordedGame<Wangqi> {
        let (game, mut positions) = played(4, [0.0, 1.0, 0.0]);
        for (position, target_weight) in positions.iter_mut().zip(target_weights) {
            (position.full_search, position.target_weight) = (position.ply != 1, target_weight);
        }
        let record = GameRecord { positions, ..GameRecord::of(&game, Outcome::draw(termination)) };
        RecordedGame::check(&record, &DataConfig::default()).expect("a sound game")
    }

    /// The weights of policy and value in such a game.
    fn weights(termination: Termination, target_weights: [f32; 4]) -> [Vec<f32>; 2] {
        let recorded = checked(termination, target_weights);
        let rows = || recorded.rows.iter();
        [rows().map(|row| row.policy_weight).collect(), rows().map(|row| row.value_weight).collect()]
    }

    #[test]
    fn the_limits_discount_is_of_the_value_and_surprise_is_of_the_policy() {
        // Half, a whole and one and a half by surprise; a fifth of that is left by the limit.
        let [policy, value] = weights(Termination::MaxPlies, [0.1, 0.2, 0.2, 0.3]);
        for (found, expected) in policy.iter().zip([0.5, 0.0, 1.0, 1.5]) {
            assert!((found - expected).abs() < 1e-6, "{policy:?}");
        }
        assert_eq!(value, [0.1, 0.2, 0.2, 0.3]);
        let [policy, _] = weights(Termination::MaxPlies, [0.0; 4]);
        assert_eq!(policy, [1.0, 0.0, 1.0, 1.0], "what there was is lost");
        let [policy, value] = weights(Termination::Repetition, [0.5, 1.0, 1.0, 1.5]);
        assert_eq!((policy, value), (vec![0.5, 0.0, 1.0, 1.5], vec![0.5, 1.0, 1.0, 1.5]));
    }

    /// The value targets of a game that the first player wins, in which every search thought it even.
    fn values(config: &DataConfig) -> Vec<[f32; 3]> {
        let (game, positions) = played(3, [0.5, 0.0, 0.5]);
        let won = Outcome { result: GameResult::FirstWins, ..Outcome::draw(Termination::Checkmate) };
        let record = GameRecord { positions, ..GameRecord::of(&game, won) };
        RecordedGame::check(&record, config).expect("a sound game").rows.iter().map(|row| row.result_wdl).collect()
    }

    #[test]
    fn the_value_target_is_the_result_or_looks_some_plies_ahead() {
        let (lost, won) = ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
        assert_eq!(values(&DataConfig { value_plies: 0.0, ..DataConfig::default() }), [won, lost, won]);
        // Half of each target is the search's own value, the other half the target of the next ply.
        let ahead = values(&DataConfig { value_plies: 2.0, ..DataConfig::default() });
        assert_eq!(ahead, [[0.5625, 0.0, 0.4375], [0.375, 0.0, 0.625], [0.75, 0.0, 0.25]]);
    }

    /// The points at the end, over 20, of Cho's charge through the file of a chariot.
    fn points(preset: &str, outcome: Outcome) -> Option<f32> {
        let mut game = Game::<Janggi>::start(Rules::named(preset).unwrap());
        // A soldier steps aside, and the chariot takes the soldier opposite: 2 of Han's 73.5 points.
        for text in ["a4b4", "e7f7", "a1a7"] {
            game.play(game.position().parse_move(text).unwrap());
        }
        RecordedGame::of_moves(&GameRecord::of(&game, outcome)).expect("a sound game").points
    }

    #[test]
    fn the_points_are_those_on_the_board_and_a_mate_is_worth_a_unit_at_least() {
        let resigned = |winner| Outcome::win(winner, Termination::Resign);
        for winner in Side::BOTH {
            assert_eq!(points("kja", resigned(winner)), Some((72.0 - 71.5) / 20.0));
        }
        assert_eq!(points("kja", Outcome::win(Side::First, Termination::Checkmate)), Some(1.0));
        assert_eq!(points("kja", Outcome::win(Side::Second, Termination::Checkmate)), Some(-1.0));
        assert_eq!(points("traditional", resigned(Side::First)), None, "points decide nothing");
    }

    /// Three rows, the first and the last seen by the first player, who is a piece ahead.
    #[test]
    fn a_game_cut_off_is_judged_by_its_material() {
        let ahead: Box<[i16]> = (0..data::material_features::<Wangqi>()).map(|kind| i16::from(kind == 1)).collect();
        let judge = MaterialJudge::of::<Wangqi>([&*ahead].into_iter());
        let wins = judge.first_wins(&ahead);
        assert!((0.81..0.83).contains(&wins), "{wins}");
        let (game, positions) = played(3, [0.25, 0.5, 0.25]);
        let judged = |termination, value_plies| {
            let record =
                GameRecord { positions: positions.clone(), ..GameRecord::of(&game, Outcome::draw(termination)) };
            let config = DataConfig { value_plies, ..DataConfig::default() };
            let mut recorded = RecordedGame::check(&record, &config).expect("a sound game");
            if recorded.is_undecided() {
                assert!(recorded.difference.iter().all(|&pieces| pieces == 0), "nothing was captured");
                recorded.difference.clone_from(&ahead);
            }
            recorded.judge(&judge, &config);
            recorded.rows.iter().map(|row| row.result_wdl).collect::<Vec<_>>()
        };
        let (first, second) = ([wins, 0.0, 1.0 - wins], [1.0 - wins, 0.0, wins]);
        assert_eq!(judged(Termination::MaxPlies, 0.0), [first, second, first]);
        let half = [(wins + 0.25) / 2.0, 0.25, (1.25 - wins) / 2.0];
        for (found, expected) in judged(Termination::MaxPlies, 2.0)[2].iter().zip(half) {
            assert!((found - expected).abs() < 1e-6, "half of it is the search's: {found}, not {expected}");
        }
        assert_eq!(judged(Termination::Repetition, 0.0), [[0.0, 1.0, 0.0]; 3], "a draw by the rules is one");
    }

    #[test]
    fn a_game_of_other_players_has_a_row_for_every_move() {
        let mut game = Game::<Wangqi>::start(Rules::default());
        let mut legal = MoveList::new();
        let mut played = Vec::new();
        for _ in 0..3 {
            game.legal_moves(&mut legal);
            played.push(legal[1]);
            game.play(legal[1]);
        }
        let won = Outcome { result: GameResult::SecondWins, ..Outcome::draw(Termination::Adjudicated) };
        let recorded = RecordedGame::of_moves(&GameRecord::of(&game, won)).expect("a sound game");
        let rows: Vec<_> = recorded.rows.iter().map(|row| (row.ply, row.plies_left, row.result_wdl)).collect();
        let (lost, won) = ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
        assert_eq!(rows, [(0, 3, lost), (1, 2, won), (2, 1, lost)]);
        for (row, mv) in recorded.rows.iter().zip(played) {
            assert_eq!(recorded.policy(row), [(mv, 1.0)]);
            assert_eq!((row.policy_weight, row.value_weight), (1.0, 1.0));
        }
        let record = GameRecord::of(&game, Outcome::draw(Termination::MaxPlies));
        let mut cut_off = RecordedGame::of_moves(&record).expect("a sound game");
        let config = DataConfig { material_share: 1.0, value_plies: 100.0, ..DataConfig::default() };
        cut_off.judge(&MaterialJudge::of::<Wangqi>(std::iter::empty()), &config);
        assert!(
            cut_off.rows.iter().all(|row| row.result_wdl == [0.0, 1.0, 0.0]),
            "no material is known of such a game"
        );
    }

    #[test]
    fn short_term_value_blends_the_next_plies_into_the_result() {
        let row = |ply, root_wdl, side| Row {
            ply,
            policy: 0..0,
            root_wdl,
            short_wdl: root_wdl,
            result_wdl: certain(GameResult::FirstWins, side),
            plies_left: 0,
            policy_weight: 1.0,
            value_weight: 1.0,
            proven: false,
        };
        let [even, sure] = [[0.25, 0.5, 0.25], [1.0, 0.0, 0.0]];
        let mut rows = [row(0, even, Side::First), row(1, even, Side::Second), row(4, sure, Side::First)];
        let short = |row: &mut Row, ahead| row.short_wdl = ahead;
        look_ahead(&mut rows, [1.0, 0.0, 0.0], 2.0, short);
        assert_eq!(rows[2].short_wdl, sure);
        // Three plies earlier the other player is to move: half the loss to come, half the present.
        assert_eq!(rows[1].short_wdl, [0.125, 0.25, 0.625]);
        assert_eq!(rows[0].short_wdl, [0.4375, 0.375, 0.1875]);
        look_ahead(&mut rows, sure, 1.0, short);
        assert_eq!(rows[0].short_wdl, even, "a horizon of one ply is the present");
    }
}
