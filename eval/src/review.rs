//! Review of a game that was played: what a search expects in each position, and what each move gave away.
//!
//! Every position is searched with the same number of visits. What a move costs is the score expected before it less the
//! score expected after it, each by the search of its own position, both for the player who makes it. The move that the search
//! itself prefers costs nothing. A cost of a few points may be noise of the two searches; more visits make it smaller.
//!
//! ```
//! use eval::review::{MoveClass, Reviewer};
//! use rules::{Game, Position, Rules, Xiangqi};
//! use search::{SearchConfig, UniformEvaluator};
//! use std::sync::atomic::AtomicBool;
//!
//! // One rook holds the ninth rank, the other could mate on the tenth; the first one goes home.
//! let start = Position::<Xiangqi>::from_fen("3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1")?;
//! let game = Game::from_moves_text(Rules::default(), start, "a9a1")?;
//! let config = SearchConfig { visits: 8, ..SearchConfig::default() };
//! let review = Reviewer::new(UniformEvaluator::new(1), &config).review(&game, &AtomicBool::new(false))?;
//! let blunder = &review.expect("it was not stopped")[0];
//! assert_eq!(blunder.class, MoveClass::Blunder);
//! assert_eq!(blunder.found.root_wdl, [1.0, 0.0, 0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Side, Variant};
use search::{Algorithm, EvaluationError, Evaluations, Evaluator, LeafBatch, Search, SearchConfig, SearchResult};
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest line that is kept, plies.
const LINE: usize = 8;

/// Expected score that a move must give away to be an inaccuracy, a mistake, a blunder. They are those of lichess (0.1, 0.2
/// and 0.3 of win − loss), half of which is the expected score.
pub const THRESHOLDS: [f32; 3] = [0.05, 0.10, 0.15];

/// How good a move was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoveClass {
    /// The search would have played it, or it wins as soon.
    Best,
    /// It gave away less than an inaccuracy.
    Good,
    /// It gave away 0.05 of the expected score or more.
    Inaccuracy,
    /// 0.10 or more.
    Mistake,
    /// 0.15 or more.
    Blunder,
}

impl MoveClass {
    /// The class of a move that is not the search's own and costs this much of the expected score, 0 to 1.
    pub fn of_cost(cost: f32) -> MoveClass {
        match THRESHOLDS.iter().filter(|&&threshold| cost >= threshold).count() {
            0 => MoveClass::Good,
            1 => MoveClass::Inaccuracy,
            2 => MoveClass::Mistake,
            _ => MoveClass::Blunder,
        }
    }

    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            MoveClass::Best => "best",
            MoveClass::Good => "good",
            MoveClass::Inaccuracy => "inaccuracy",
            MoveClass::Mistake => "mistake",
            MoveClass::Blunder => "blunder",
        }
    }

    /// Its Numeric Annotation Glyph in PGN: `$6` (?!), `$2` (?), `$4` (??); `None` for a move without fault.
    pub fn glyph(self) -> Option<&'static str> {
        match self {
            MoveClass::Best | MoveClass::Good => None,
            MoveClass::Inaccuracy => Some("$6"),
            MoveClass::Mistake => Some("$2"),
            MoveClass::Blunder => Some("$4"),
        }
    }
}

/// A part of a game, by the plies played before the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The first 20 plies.
    Opening,
    /// Plies 21 to 60.
    Middlegame,
    /// Everything after it.
    Endgame,
}

impl Phase {
    /// All, in the order of a game.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// The phase of the move played after `ply` others.
    pub fn of_ply(ply: usize) -> Phase {
        match ply {
            0..20 => Phase::Opening,
            20..60 => Phase::Middlegame,
            _ => Phase::Endgame,
        }
    }

    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middlegame => "middlegame",
            Phase::Endgame => "endgame",
        }
    }
}

/// A move of a game and what the search found in the position where it was made.
#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// Plies played before it.
    pub ply: usize,
    /// The move.
    pub mv: Move,
    /// The player who made it.
    pub side: Side,
    /// The search of the position before it, from the point of view of that player.
    pub found: SearchResult,
    /// The best line in that position, the search's own move first, at most 8 plies.
    pub line: Vec<Move>,
    /// Score that the player expects after it, 0 to 1: by the search of the next position, or by the result.
    pub after: f32,
    /// Expected score that it gave away, 0 to 1.
    pub cost: f32,
    /// What that makes of it.
    pub class: MoveClass,
}

/// Reviews games one after another with one search and one evaluator.
#[derive(Debug)]
pub struct Reviewer<V: Variant, E> {
    search: Search<V>,
    evaluator: E,
    batch: LeafBatch,
    answers: Evaluations,
    visits: u32,
}

impl<V: Variant, E: Evaluator> Reviewer<V, E> {
    /// A reviewer that adds `config.visits` visits to the tree of each position. Of the settings only those of PUCT without
    /// exploration for training count ([`SearchConfig::for_matches`]).
    pub fn new(evaluator: E, config: &SearchConfig) -> Self {
        let config = SearchConfig { algorithm: Algorithm::Puct, ..config.clone() }.for_matches();
        Reviewer {
            visits: config.visits,
            batch: LeafBatch::new(evaluator.features()),
            search: Search::new(config),
            evaluator,
            answers: Evaluations::default(),
        }
    }

    /// The moves of a game, in their order; `None` if `stop` was set before the end.
    ///
    /// A game of other people may continue where it is over by our rules, for example after a third repetition. Then it is
    /// searched on from that position alone. Where this position is over too, as by the moves without a capture that it
    /// counts, there is no search, and neither the move before nor the move after it is reviewed.
    ///
    /// # Errors
    /// The evaluator fails.
    pub fn review(&mut self, game: &Game<V>, stop: &AtomicBool) -> Result<Option<Vec<ReviewedMove>>, EvaluationError> {
        self.review_each(game, stop, |_| {})
    }

    /// Like [`review`](Self::review), and calls `each` with every move as soon as its cost is known, which is when the
    /// position after it has been searched.
    ///
    /// # Errors
    /// As for [`review`](Self::review).
    pub fn review_each(
        &mut self,
        game: &Game<V>,
        stop: &AtomicBool,
        mut each: impl FnMut(&ReviewedMove),
    ) -> Result<Option<Vec<ReviewedMove>>, EvaluationError> {
        let mut replay = Game::from_position(*game.rules(), game.start_position().clone());
        let mut reviewed: Vec<ReviewedMove> = Vec::with_capacity(game.moves().len());
        // Nothing that the last game has left decides how long this one is searched.
        self.search.forget();
        for ply in 0..=game.moves().len() {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let next = game.moves().get(ply).copied();
            let mut legal = MoveList::new();
            replay.legal_moves(&mut legal);
            let mut outcome = replay.outcome(&legal);
            if let Some(mv) = next.filter(|_| outcome.is_some()) {
                replay = Game::from_position(*game.rules(), replay.position().clone());
                outcome = replay.outcome(&legal);
                if outcome.is_some() {
                    reviewed.pop_if(|last| last.ply + 1 == ply);
                    replay.play(mv);
                    continue;
                }
            }
            let (score, found) = match outcome {
                Some(outcome) => ((1.0 + outcome.score(replay.side())) / 2.0, None),
                None => {
                    self.search.begin(&replay, self.visits, &mut ChaCha8Rng::seed_from_u64(0));
                    let goes_on = || !stop.load(Ordering::Relaxed);
                    self.search.run_alone(&mut self.evaluator, &mut self.batch, &mut self.answers, goes_on)?;
                    if stop.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                    let result = self.search.result().clone();
                    let line = self.search.line_after(result.best, LINE);
                    (expected_score(result.root_wdl), Some((result, line)))
                }
            };
            if let Some(last) = reviewed.last_mut().filter(|last| last.ply + 1 == ply) {
                last.after = 1.0 - score;
                let cost = (expected_score(last.found.root_wdl) - last.after).max(0.0);
                (last.cost, last.class) = match is_best(&last.found, last.mv) {
                    true => (0.0, MoveClass::Best),
                    false => (cost, MoveClass::of_cost(cost)),
                };
                each(last);
            }
            if let (Some(mv), Some((found, line))) = (next, found) {
                let (side, class) = (replay.side(), MoveClass::Best);
                reviewed.push(ReviewedMove { ply, mv, side, found, line, after: 0.0, cost: 0.0, class });
                replay.play(mv);
            }
        }
        Ok(Some(reviewed))
    }
}

/// Whether the search would have played a move, or knows that it wins as soon as the one that it would have played.
fn is_best(found: &SearchResult, mv: Move) -> bool {
    mv == found.best || found.proven.is_some() && found.moves.iter().any(|it| it.mv == mv && it.proven == found.proven)
}

/// Wins and half the draws.
pub fn expected_score([win, draw, _]: [f32; 3]) -> f32 {
    win + draw / 2.0
}

/// Counts of reviewed moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReviewCounts {
    /// Moves.
    pub moves: u64,
    /// Moves that the search would have played.
    pub best: u64,
    /// Inaccuracies, mistakes, blunders.
    pub faults: [u64; 3],
    /// Sum of their costs.
    cost: f64,
}

impl ReviewCounts {
    /// Adds a move.
    pub fn add(&mut self, mv: &ReviewedMove) {
        self.moves += 1;
        self.cost += f64::from(mv.cost);
        match mv.class {
            MoveClass::Best => self.best += 1,
            MoveClass::Good => {}
            MoveClass::Inaccuracy => self.faults[0] += 1,
            MoveClass::Mistake => self.faults[1] += 1,
            MoveClass::Blunder => self.faults[2] += 1,
        }
    }

    /// Expected score that a move gave away on average, 0 to 1; 0 without moves.
    pub fn mean_cost(&self) -> f64 {
        self.cost / self.moves.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Position, Rules, Wangqi, Xiangqi};
    use search::UniformEvaluator;

    fn reviewed<V: Variant>(fen: Option<&str>, moves: &str) -> Vec<ReviewedMove> {
        let start = fen.map_or_else(Position::start, |fen| Position::from_fen(fen).unwrap());
        let game = Game::<V>::from_moves_text(Rules::default(), start, moves).unwrap();
        let config = SearchConfig { visits: 8, ..SearchConfig::default() };
        let review = Reviewer::new(UniformEvaluator::new(1), &config).review(&game, &AtomicBool::new(false));
        review.unwrap().unwrap()
    }

    const MATE_IN_ONE: &str = "3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1";

    #[test]
    fn a_missed_mate_is_a_blunder_and_a_mate_is_best() {
        let [missed] = &reviewed::<Xiangqi>(Some(MATE_IN_ONE), "a9a1")[..] else { panic!("one move") };
        assert_eq!((missed.class, missed.found.root_wdl), (MoveClass::Blunder, [1.0, 0.0, 0.0]));
        assert!(missed.cost > 0.3, "{}", missed.cost);
        assert_eq!(missed.line.len(), 1, "mate ends the line");
        let [mate] = &reviewed::<Xiangqi>(Some(MATE_IN_ONE), "b8b10")[..] else { panic!("one move") };
        assert_eq!((mate.class, mate.cost), (MoveClass::Best, 0.0));
    }

    #[test]
    fn every_move_is_reviewed_for_the_player_who_made_it_and_again_alike() {
        let game = reviewed::<Wangqi>(None, &moves_from_the_start::<Wangqi>(30));
        assert_eq!(game.len(), 30);
        for (ply, mv) in game.iter().enumerate() {
            assert_eq!(mv.side, Side::BOTH[ply % 2]);
            assert!((0.0..=1.0).contains(&mv.cost) && mv.found.visits >= 1 && mv.line[0] == mv.found.best);
            assert!(mv.class == MoveClass::Best || mv.mv != mv.found.best, "ply {ply}");
        }
        let again = reviewed::<Wangqi>(None, &moves_from_the_start::<Wangqi>(30));
        let costs = |game: &[ReviewedMove]| game.iter().map(|mv| mv.cost).collect::<Vec<_>>();
        assert_eq!(costs(&game), costs(&again));
    }

    /// Moves without thought: each the seventh of the list, around and around.
    fn moves_from_the_start<V: Variant>(plies: usize) -> String {
        let mut game = Game::<V>::start(Rules::default());
        let mut legal = MoveList::new();
        for ply in 0..plies {
            game.legal_moves(&mut legal);
            game.play(legal[(7 * ply) % legal.len()]);
        }
        game.moves_text()
    }

    #[test]
    fn classes_begin_at_their_thresholds() {
        let classes = [0.0, 0.049, 0.05, 0.099, 0.10, 0.149, 0.15, 1.0].map(MoveClass::of_cost);
        let [good, inaccuracy, mistake, blunder] =
            [MoveClass::Good, MoveClass::Inaccuracy, MoveClass::Mistake, MoveClass::Blunder];
        assert_eq!(classes, [good, good, inaccuracy, inaccuracy, mistake, mistake, blunder, blunder]);
        assert_eq!(
            [0, 19, 20, 59, 60, 300].map(Phase::of_ply).map(Phase::name),
            ["opening", "opening", "middlegame", "middlegame", "endgame", "endgame"]
        );
    }

    #[test]
    fn counts_add_up() {
        let game = reviewed::<Wangqi>(None, &moves_from_the_start::<Wangqi>(30));
        let mut counts = ReviewCounts::default();
        game.iter().for_each(|mv| counts.add(mv));
        let good = game.iter().filter(|mv| mv.class == MoveClass::Good).count() as u64;
        assert_eq!(counts.moves, 30);
        assert_eq!(counts.best + good + counts.faults.iter().sum::<u64>(), 30);
        let mean = game.iter().map(|mv| f64::from(mv.cost)).sum::<f64>() / 30.0;
        assert!((counts.mean_cost() - mean).abs() < 1e-9);
    }

    #[test]
    fn each_move_is_told_when_its_cost_is_known() {
        let start = Position::from_fen(MATE_IN_ONE).unwrap();
        let game = Game::<Xiangqi>::from_moves_text(Rules::default(), start, "a9a1 d10e10").unwrap();
        let config = SearchConfig { visits: 8, ..SearchConfig::default() };
        let mut told = Vec::new();
        let each = |mv: &ReviewedMove| told.push((mv.mv, mv.after, mv.cost, mv.class));
        let review = Reviewer::new(UniformEvaluator::new(1), &config).review_each(&game, &AtomicBool::new(false), each);
        let review = review.unwrap().unwrap();
        let all: Vec<_> = review.iter().map(|mv| (mv.mv, mv.after, mv.cost, mv.class)).collect();
        assert_eq!((told.len(), &told), (2, &all));
        // What a player expects after a move is what the opponent does not expect.
        assert_eq!(review[0].after, 1.0 - expected_score(review[1].found.root_wdl));
        assert!((review[0].cost - (1.0 - review[0].after)).abs() < 1e-6, "{:?}", told[0]);
    }

    #[test]
    fn a_game_that_continues_after_its_end_is_reviewed_from_there() {
        // After eight plies the start position stands for the third time.
        let moves = "h3h4 h8h7 h4h3 h7h8 h3h4 h8h7 h4h3 h7h8 c4c5 c7c6 h3h7";
        let game = reviewed::<Xiangqi>(None, moves);
        assert_eq!(game.iter().map(|mv| mv.ply).collect::<Vec<_>>(), (0..11).collect::<Vec<_>>());
        for pair in game.windows(2) {
            assert_eq!(pair[0].after, 1.0 - expected_score(pair[1].found.root_wdl), "ply {}", pair[0].ply);
        }
    }

    #[test]
    fn positions_that_are_over_by_themselves_are_left_out() {
        // Two plies before the limit of 120 without a capture. The fourth move takes, and the limit is far away again.
        let start = "3k5/9/9/9/9/9/9/r8/9/R4K3 w - - 118 90";
        let game = reviewed::<Xiangqi>(Some(start), "f1f2 d10d9 f2f1 a3a1 f1f2 d9d10");
        assert_eq!(game.iter().map(|mv| mv.ply).collect::<Vec<_>>(), [0, 4, 5]);
    }

    #[test]
    fn a_stopped_review_is_none() {
        let game = Game::<Wangqi>::start(Rules::default());
        let config = SearchConfig { visits: 8, ..SearchConfig::default() };
        let review = Reviewer::new(UniformEvaluator::new(1), &config).review(&game, &AtomicBool::new(true));
        assert!(review.unwrap().is_none());
    }
}
