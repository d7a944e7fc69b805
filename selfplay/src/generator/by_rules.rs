//! Random-play games: the training data of a run before it has a network.
//!
//! Both players move at random, and always take a win in one. Random players miss their wins; one ply of proof makes
//! their games decided and short. So the value of a network trained on them knows how games end. They teach no policy,
//! except for immediately winning moves. Players who also avoid a loss in one leave more games undecided
//! (`docs/research/2026-11-22-random-play-games.md`), so these do not.
//!
//! A game is a function of the run's seed and its number, so threads make no difference. All games of a job are played
//! and committed as a whole: a partial job cannot be resumed.

use super::origin::Origin;
use super::progress::GenerationProgress;
use super::randomness::{GameSeed, Purpose};
use super::{GenerateError, limited, threads_of};
use crate::config::SelfplayConfig;
use data::{DataStore, GameRecord, PositionRecord, Provenance, ShardEntry};
use rand::{Rng, RngExt};
use rayon::prelude::*;
use rules::{Game, Move, MoveList, Outcome, Rules, Variant};
use search::setups;
use std::sync::atomic::{AtomicBool, Ordering};

/// The slot number in the games' seeds; no real slot has this number.
const NO_SLOT: u32 = u32::MAX;

/// A job of random-play games: [`SelfplayConfig::rules_games`] of them.
#[derive(Clone, Debug)]
pub struct RulesJob<'a, V: Variant> {
    /// The rule set; [`SelfplayConfig`] may limit its games further.
    pub rules: Rules<V>,
    /// Settings of the games.
    pub selfplay: &'a SelfplayConfig,
    /// The origin in the games' records; its `worker` names the shard.
    pub origin: Origin,
    /// The program and settings in the shard's footers.
    pub provenance: Provenance,
    /// Seed of the run: equal seeds and settings give equal games.
    pub seed: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// The store for the games.
    pub store: &'a DataStore,
}

/// How a job of random-play games ended.
#[derive(Clone, Debug, PartialEq)]
pub struct RulesReport {
    /// Whether all games were played. If not, a stop was asked for, nothing is kept, and the same job starts over.
    pub complete: bool,
    /// The shard with the games; `None` if none is kept.
    pub shard: Option<ShardEntry>,
    /// Games that reached the ply limit without a winner, and are not kept.
    pub undecided: u64,
}

/// Plays random-play games and commits them as a shard, unless it exists already. Games are counted in `progress` as
/// they end.
///
/// # Errors
/// Games cannot be written or read, or there are no threads. The same job can be repeated.
pub fn play_by_rules<V: Variant>(
    job: &RulesJob<V>,
    progress: &GenerationProgress,
    stop: &AtomicBool,
) -> Result<RulesReport, GenerateError> {
    let (generation, name) = (job.origin.generation, job.origin.worker.as_str());
    let present = job.store.shards(V::ID)?.into_iter();
    let mut shard = present.into_iter().find(|entry| entry.generation == generation && entry.shard == name);
    if shard.is_none() {
        let numbers = 0..u64::from(job.selfplay.rules_games);
        let one = |number| (!stop.load(Ordering::Relaxed)).then(|| record(job, number, progress));
        let pool = threads_of(job.threads, "rules")?;
        let Some(games) = pool.install(|| numbers.into_par_iter().map(one).collect::<Option<Vec<_>>>()) else {
            return Ok(RulesReport { complete: false, shard: None, undecided: 0 });
        };
        let decided: Vec<GameRecord<V>> = games.into_iter().flatten().collect();
        if !decided.is_empty() {
            shard = Some(job.store.commit_shard(generation, name, &decided, &job.provenance)?);
        }
    }
    let kept = shard.as_ref().map_or(0, |shard| shard.games.rows);
    Ok(RulesReport { complete: true, undecided: u64::from(job.selfplay.rules_games).saturating_sub(kept), shard })
}

/// Plays game `number` of a job; `None` if it was cut off by the ply limit.
fn record<V: Variant>(job: &RulesJob<V>, number: u64, progress: &GenerationProgress) -> Option<GameRecord<V>> {
    let RulesJob { selfplay: config, origin, .. } = job;
    let seed = GameSeed::new(job.seed, NO_SLOT, number);
    let start = setups::draw(&config.setups, &mut seed.rng(0, Purpose::Start));
    // Where games begin from sparse boards, they come from games that are played to their end, so these are too.
    let rules = if config.sparse_share > 0.0 { job.rules } else { limited(job.rules, config) };
    let mut table = RandomGame::new(Game::from_position(rules, start));
    let outcome = table.play(&mut seed.rng(0, Purpose::RulesMoves));
    let mut game = GameRecord {
        game_id: seed.id,
        run_id: origin.run_id.clone(),
        generation: origin.generation,
        worker: origin.worker.clone(),
        seed: seed.seed,
        net_first: origin.network.clone(),
        net_second: origin.network.clone(),
        engine_version: origin.engine_version.clone(),
        ..GameRecord::of(&table.game, outcome)
    };
    progress.add_game(&game);
    if outcome.is_cut_off() {
        return None;
    }
    let plies = sampled_plies(table.game.ply(), config.rules_rows, &mut seed.rng(0, Purpose::RulesRows));
    // From the end backwards, since the moves of the game are undone to reach each position.
    game.positions = plies.into_iter().map(|ply| table.row(ply, outcome, origin.generation)).collect();
    game.positions.reverse();
    Some(game)
}

/// A game and the move lists used for it.
pub(super) struct RandomGame<V: Variant> {
    pub game: Game<V>,
    legal: MoveList,
    scratch: MoveList,
}

impl<V: Variant> RandomGame<V> {
    /// A game that continues this one.
    pub fn new(game: Game<V>) -> Self {
        RandomGame { game, legal: MoveList::new(), scratch: MoveList::new() }
    }

    /// Plays to the end.
    pub fn play(&mut self, rng: &mut impl Rng) -> Outcome {
        loop {
            self.game.legal_moves(&mut self.legal);
            if let Some(outcome) = self.game.outcome(&self.legal) {
                return outcome;
            }
            let mv = match winning(&mut self.game, &self.legal, &mut self.scratch) {
                Some(mv) => mv,
                None => self.draw(rng),
            };
            self.game.play(mv);
        }
    }

    /// One of the legal moves, drawn evenly. A player who can move does not pass: where a pass offers the end of the game
    /// (Janggi), most games of random moves would otherwise end by passes, before anything has happened on the board.
    fn draw(&self, rng: &mut impl Rng) -> Move {
        let mut others: Vec<Move> = self.legal.iter().copied().filter(|mv| !mv.is_pass()).collect();
        if others.is_empty() {
            others.extend(self.legal.iter().copied());
        }
        let mv = others[rng.random_range(0..others.len())];
        // Earlier versions drew here whether to look for a better move. One seed still gives the same games.
        let _: f32 = rng.random();
        mv
    }

    /// The row of the position at `ply`, to which the game is undone. Its value is the result. It has a policy only if
    /// a move won immediately: all such moves.
    fn row(&mut self, ply: u32, outcome: Outcome, generation: u32) -> PositionRecord {
        let mut mv = None;
        while self.game.ply() > ply {
            mv = self.game.undo();
        }
        let (side, positions) = (self.game.side(), self.game.positions());
        let [pos_key, parent_key] = [1, 2].map(|back| positions.len().checked_sub(back));
        let key = |at: usize| positions[at].key().to_bytes();
        let (pos_key, parent_key) = (pos_key.map(key).unwrap_or_default(), parent_key.map(key));
        let mv = mv.unwrap_or(Move::from_raw(0));
        self.game.legal_moves(&mut self.legal);
        let winning: Vec<Move> = if wins(&mut self.game, mv, &mut self.scratch) {
            self.legal.iter().copied().filter(|&mv| wins(&mut self.game, mv, &mut self.scratch)).collect()
        } else {
            Vec::new()
        };
        let score = outcome.score(side);
        PositionRecord {
            ply: ply as u16,
            side,
            pos_key,
            parent_key,
            mv,
            full_search: !winning.is_empty(),
            proven: !winning.is_empty(),
            // A row must have a policy; this one has no weight.
            policy_visits: vec![1; winning.len().max(1)],
            policy_move: if winning.is_empty() { vec![mv] } else { winning },
            root_wdl: [score > 0.0, score == 0.0, score < 0.0].map(|is| f32::from(u8::from(is))),
            root_q: score,
            target_weight: 1.0,
            generation,
            ..PositionRecord::default()
        }
    }
}

/// A legal move that wins immediately: by the position alone, or by an event such as the second of two passes. (A win
/// by repetition is not looked for.)
fn winning<V: Variant>(game: &mut Game<V>, legal: &[Move], scratch: &mut MoveList) -> Option<Move> {
    let by_position = game.position().win_in_one(legal, scratch);
    by_position.or_else(|| {
        let last = game.moves().last().copied();
        let ends = |game: &Game<V>, mv: Move| V::immediate_end(game.position(), last, mv).is_some();
        legal.iter().copied().find(|&mv| ends(game, mv) && wins(game, mv, scratch))
    })
}

/// Whether this legal move wins immediately.
fn wins<V: Variant>(game: &mut Game<V>, mv: Move, scratch: &mut MoveList) -> bool {
    let to_move = game.side();
    game.play(mv);
    game.legal_moves(scratch);
    let won = game.outcome(scratch).is_some_and(|outcome| outcome.winner() == Some(to_move));
    game.undo();
    won
}

/// The plies of a game whose positions are kept, `rows` at most, the last first. Their distances from the end grow by
/// equal factors, each drawn within its factor: a random game's result is settled late. The position before the last
/// move is always included. The start never is, so opening statistics can see that its first moves were not chosen.
fn sampled_plies(plies: u32, rows: u32, rng: &mut impl Rng) -> Vec<u32> {
    let farthest = plies.saturating_sub(1);
    let mut found = Vec::new();
    let mut last = 0;
    for row in 0..rows.min(farthest) {
        let within: f32 = if row == 0 { 0.0 } else { rng.random() };
        let drawn = (farthest as f32).powf((row as f32 + within) / rows as f32) as u32;
        let distance = drawn.max(last + 1);
        if distance > farthest {
            break;
        }
        found.push(plies - distance);
        last = distance;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn kept_positions_are_dense_towards_the_end() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for plies in [2, 3, 9, 10, 112, 400] {
            for rows in [1, 8, 50] {
                let found = sampled_plies(plies, rows, &mut rng);
                assert_eq!(found[0], plies - 1);
                assert!(found.is_sorted_by(|a, b| a > b) && found.iter().all(|&ply| ply > 0), "{found:?}");
                assert!(found.len() as u32 <= rows);
            }
        }
        assert_eq!(sampled_plies(112, 8, &mut rng).len(), 8);
        assert!(sampled_plies(1, 8, &mut rng).is_empty());
        // Half of the rows of a game of 122 plies are nearer to its end than √122 plies.
        let late = |_| sampled_plies(122, 8, &mut rng).iter().filter(|&&ply| ply > 111).count();
        assert_eq!((0..100).map(late).collect::<Vec<_>>(), [4; 100]);
    }
}
