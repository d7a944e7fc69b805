//! Watches the scores of one game and ends it when the rules of adjudication say so.

use crate::adjudication::{Adjudication, Agreement, DrawRule, WinRule};
use engine::Score;

/// How a game is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdjudicatedResult {
    /// This player (0 or 1) has won.
    Won(usize),
    /// Neither player has won.
    Drawn,
}

/// Moves of one player in a row whose scores were of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Streaks {
    winning: u32,
    losing: u32,
    level: u32,
}

/// The scores of one game so far.
#[derive(Clone, Debug)]
pub(super) struct Adjudicator {
    rules: Adjudication,
    players: [Streaks; 2],
}

impl Adjudicator {
    /// The beginning of a game, before its first score.
    pub fn new(rules: Adjudication) -> Adjudicator {
        Adjudicator { rules, players: Default::default() }
    }

    /// This player has moved and reported this score. A move without a score breaks the player's streaks. A move that is
    /// the only legal one is not a judgement, so it is not counted here.
    pub fn update(&mut self, player: usize, score: Option<Score>) {
        let cp = score.map(|score| i64::from(score.centipawns()));
        let counts = |streak: u32, holds: bool| if holds { streak.saturating_add(1) } else { 0 };
        let is = |test: &dyn Fn(i64) -> bool| cp.is_some_and(test);
        let Streaks { winning, losing, level } = self.players[player];
        let (win, draw) = (self.rules.win, self.rules.draw);
        self.players[player] = Streaks {
            winning: counts(winning, win.is_some_and(|rule| is(&|cp| cp >= rule.score.into()))),
            losing: counts(losing, win.is_some_and(|rule| is(&|cp| -cp >= rule.score.into()))),
            level: counts(level, draw.is_some_and(|rule| is(&|cp| cp.abs() <= rule.score.into()))),
        };
    }

    /// Whether the game is to end after this many plies, and the rule that says so, in words.
    pub fn verdict(&self, plies: u32) -> Option<(AdjudicatedResult, String)> {
        let players = &self.players;
        if let Some(WinRule { score, moves, by }) = self.rules.win {
            let loser = (0..2).find(|&player| {
                let agreed = by == Agreement::Loser || players[1 - player].winning >= moves;
                players[player].losing >= moves && agreed
            });
            if let Some(loser) = loser {
                let who = if by == Agreement::Both { "both players" } else { "the loser" };
                let rule = format!("win by score: {score} centipawns or more for {moves} moves, by {who}");
                return Some((AdjudicatedResult::Won(1 - loser), rule));
            }
        }
        if let Some(DrawRule { score, moves, from }) = self.rules.draw
            && plies >= from
            && players.iter().all(|player| player.level >= moves)
        {
            let rule = format!("draw by score: within {score} centipawns for {moves} moves each, from ply {from}");
            return Some((AdjudicatedResult::Drawn, rule));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on a series of scores, player 0 first, with the number of plies at which it came. `None` is a move
    /// without a score.
    fn judge(rules: Adjudication, scores: &[Option<i64>]) -> Option<(AdjudicatedResult, u32)> {
        let mut adjudicator = Adjudicator::new(rules);
        (1u32..).zip(scores).find_map(|(plies, score)| {
            adjudicator.update((plies as usize - 1) % 2, score.map(Score::of_centipawns));
            adjudicator.verdict(plies).map(|(verdict, _)| (verdict, plies))
        })
    }

    fn all(scores: &[i64]) -> Vec<Option<i64>> {
        scores.iter().copied().map(Some).collect()
    }

    fn wins(by: Agreement) -> Adjudication {
        Adjudication { win: Some(WinRule { score: 600, moves: 2, by }), draw: None }
    }

    const DRAWS: Adjudication = Adjudication { win: None, draw: Some(DrawRule { score: 10, moves: 2, from: 6 }) };

    #[test]
    fn both_must_agree_on_a_win() {
        let both = |scores: &[i64]| judge(wins(Agreement::Both), &all(scores));
        assert_eq!(both(&[600, -600, 700, -9_000]), Some((AdjudicatedResult::Won(0), 4)));
        assert_eq!(both(&[-600, 600, -700, 600]), Some((AdjudicatedResult::Won(1), 4)));
        assert_eq!(
            both(&[600, -599, 700, -600, 800, -600]),
            Some((AdjudicatedResult::Won(0), 6)),
            "the streak starts from zero again"
        );
        assert_eq!(both(&[600, 0, 700, 0, 800, 0]), None, "the loser does not see it");
        assert_eq!(both(&[0, -900, 0, -900, 0, -900]), None, "the winner does not see it");
        assert_eq!(both(&[900, 900, 900, 900, 900, 900]), None, "both think that they win");
    }

    #[test]
    fn a_loser_may_give_up_alone() {
        let loser = |scores: &[i64]| judge(wins(Agreement::Loser), &all(scores));
        assert_eq!(loser(&[0, -600, 0, -600]), Some((AdjudicatedResult::Won(0), 4)));
        assert_eq!(loser(&[-600, 0, -600]), Some((AdjudicatedResult::Won(1), 3)));
        assert_eq!(loser(&[900, 0, 900, 0, 900]), None, "no player wins by its own score");
    }

    #[test]
    fn mates_are_wins() {
        let mut adjudicator = Adjudicator::new(wins(Agreement::Both));
        for mate in [5, -4, 4, -3] {
            assert_eq!(adjudicator.verdict(0), None);
            adjudicator.update(usize::from(mate < 0), Some(Score::of_mate(mate)));
        }
        let (verdict, rule) = adjudicator.verdict(4).unwrap();
        assert_eq!(verdict, AdjudicatedResult::Won(0));
        assert_eq!(rule, "win by score: 600 centipawns or more for 2 moves, by both players");
    }

    #[test]
    fn a_draw_needs_both_and_its_ply() {
        let draw = |scores: &[i64]| judge(DRAWS, &all(scores));
        assert_eq!(draw(&[0, 10, -10, 3, 0, 0, 0]), Some((AdjudicatedResult::Drawn, 6)), "not before ply 6");
        assert_eq!(draw(&[0, 0, 0, 0, 0, 11, 0, 0, 0, 0]), Some((AdjudicatedResult::Drawn, 10)));
        assert_eq!(draw(&[0, 50, 0, 50, 0, 50, 0, 50]), None);
    }

    #[test]
    fn who_says_nothing_is_not_counted_on() {
        let silent = |a: i64| (0..20).map(|ply| (ply % 2 == 0).then_some(a)).collect::<Vec<_>>();
        assert_eq!(judge(wins(Agreement::Both), &silent(900)), None);
        assert_eq!(judge(wins(Agreement::Both), &silent(-900)), None);
        assert_eq!(judge(DRAWS, &silent(0)), None);
        let gap = [Some(700), Some(-700), None, None, Some(700), Some(-700), Some(700), Some(-700)];
        assert_eq!(judge(wins(Agreement::Both), &gap), Some((AdjudicatedResult::Won(0), 8)), "silence breaks a streak");
        assert_eq!(judge(Adjudication::default(), &all(&[900, -900, 900, -900, 0, 0, 0, 0])), None, "off");
    }
}
