//! What this generation takes from games of earlier ones: starts shortly before the end of decided games, and the winning
//! chance below which resigning is right.
//!
//! Both depend only on committed shards of earlier generations, so an interrupted generation that begins again gets the
//! same. A machine without the shards receives both.

use super::randomness::{GameSeed, Purpose};
use super::{BY_RULES, choice, limited};
use crate::config::{ENDING_PLIES_MIN, SelfplayConfig};
use data::{DataError, DataStore, GameRecord, PositionRecord, ShardEntry};
use rand::{Rng, RngExt};
use rules::{Game, MoveList, Outcome, Rules, Scoresheet, Side, Termination, Variant};

/// Games played through that are enough to judge resigning; older ones are not read.
const ENOUGH_PLAYED_THROUGH: usize = 400;
/// Most generations read in search of these games: the opinions of older networks say little.
const GENERATIONS_READ: u32 = 8;
/// Fewest resignations among them for a judgement.
const FEWEST_RESIGNATIONS: usize = 20;
/// Candidate thresholds: hundredths.
const STEPS: f32 = 100.0;

/// Where the games of earlier generations are, and the generation that needs them.
#[derive(Clone, Copy, Debug)]
pub struct EarlierGames<'a, V: Variant> {
    /// The data folder.
    pub store: &'a DataStore,
    /// Names of the shards with network games, one or more of them in a generation.
    pub shards: &'a [&'a str],
    /// The generation that is to be played.
    pub generation: u32,
    /// Part of the run that is done, 0 to 1.
    pub progress: f32,
    /// Settings of its games.
    pub selfplay: &'a SelfplayConfig,
    /// Its rule set; [`SelfplayConfig`] may limit its games further.
    pub rules: Rules<V>,
}

/// What a generation takes from earlier ones.
#[derive(Clone, Debug)]
pub struct History<V: Variant> {
    /// Decided games that end in the same win when they are replayed.
    pub endings: Vec<Scoresheet<V>>,
    /// Winning chance below which a player resigns in this generation, 0 to 1; 0 is never.
    pub resign_below: f32,
    /// What is wrong with damaged shards, which this generation does not use.
    pub damaged_shards: Vec<String>,
}

impl<V: Variant> History<V> {
    /// No history: every game begins at its start, and no player resigns.
    pub fn none() -> History<V> {
        History { endings: Vec::new(), resign_below: 0.0, damaged_shards: Vec::new() }
    }

    /// Reads what a generation needs from earlier ones.
    ///
    /// # Errors
    /// The data folder or a shard cannot be read. A damaged shard is left out and reported.
    pub fn of(earlier: &EarlierGames<V>) -> Result<History<V>, DataError> {
        let EarlierGames { store, shards: names, generation, progress, selfplay: config, rules } = *earlier;
        let rules = limited(rules, config);
        let mut history = History::none();
        let shards: Vec<ShardEntry> = store.shards(V::ID)?;
        let before = |generations: u32, is_named: &dyn Fn(&str) -> bool| -> Vec<&ShardEntry> {
            let Some(generation) = generation.checked_sub(generations) else { return Vec::new() };
            shards.iter().filter(|shard| shard.generation == generation && is_named(&shard.shard)).collect()
        };
        let is_played = |name: &str| names.contains(&name);
        if config.ending_share_at(progress) > 0.0 {
            // The generation before may have been one of random-play games, which are tried last.
            for shard in before(1, &is_played).into_iter().chain(before(1, &|name| name == BY_RULES)) {
                let sheets = history.known(store.read_games(shard))?.into_iter().map(|game| game.sheet);
                history.endings.extend(sheets.filter(|sheet| is_won(sheet, rules)));
            }
        }
        if config.resign_below > 0.0 && progress >= config.resign_from {
            let mut judged = Vec::new();
            for shard in (1..=GENERATIONS_READ).flat_map(|generations| before(generations, &is_played)) {
                let games = history.known(store.read_shard(shard))?;
                // Where no player has resigned, every game was played through.
                let resigned = games.iter().any(|game| game.sheet.outcome.termination == Termination::Resign);
                let telling = games.iter().filter(|game| tells(game, resigned, config));
                judged.extend(telling.map(|game| lowest_chances(game.sheet.outcome.winner(), &game.positions, config)));
                if judged.len() >= ENOUGH_PLAYED_THROUGH {
                    break;
                }
            }
            history.resign_below = threshold(&judged, config);
        }
        Ok(history)
    }

    /// The games, or none if the shard is damaged: training, which needs the shard, handles that. A failed read says
    /// nothing about the shard, and continuing without it would give other games than the next try.
    fn known(&mut self, games: Result<Vec<GameRecord<V>>, DataError>) -> Result<Vec<GameRecord<V>>, DataError> {
        match games {
            Err(error @ DataError::Io { .. }) => Err(error),
            Err(damage) => {
                self.damaged_shards.push(damage.to_string());
                Ok(Vec::new())
            }
            known => known,
        }
    }

    /// The earlier game that a new game continues, if it begins from an ending, as `share` of the games do: with all
    /// earlier moves, because limits count plies and ends by repetition look back.
    pub(super) fn ending(
        &self,
        share: f32,
        rules: Rules<V>,
        config: &SelfplayConfig,
        rng: &mut impl Rng,
    ) -> Option<Game<V>> {
        // Both numbers are always drawn, so that later draws from the stream do not depend on the first.
        let (drawn, choice): (f32, u64) = (rng.random(), rng.random());
        let plies = rng.random_range(ENDING_PLIES_MIN..=config.ending_plies_max);
        if drawn >= share || self.endings.is_empty() {
            return None;
        }
        before_the_end(&self.endings[(choice % self.endings.len() as u64) as usize], rules, plies)
    }
}

/// The game with the moves of `sheet` except the last `plies`; `None` if it is over there, or has no more moves: its start is
/// no ending. A game that was played under other limits would soon reach those of `rules`, so a new game begins at its
/// position.
fn before_the_end<V: Variant>(sheet: &Scoresheet<V>, rules: Rules<V>, plies: u32) -> Option<Game<V>> {
    let before = &sheet.moves[..sheet.plies().checked_sub(plies as usize).filter(|&left| left > 0)?];
    let mut game = Game::from_moves(rules, sheet.start.clone(), before).ok()?;
    if sheet.rules != rules {
        game = Game::from_position(rules, game.position().clone());
    }
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    game.outcome(&legal).is_none().then_some(game)
}

/// Whether the game was won by its rules and would be won again by `rules` with the same moves: where points were
/// counted at the ply limit, only under the same limit.
fn is_won<V: Variant>(sheet: &Scoresheet<V>, rules: Rules<V>) -> bool {
    let Outcome { termination, .. } = sheet.outcome;
    let by_others = [Termination::Resign, Termination::Adjudicated, Termination::Error].contains(&termination);
    let counted_elsewhere = termination == Termination::Points && sheet.rules != rules;
    sheet.outcome.winner().is_some() && !by_others && !counted_elsewhere
}

/// Whether the game shows if resigning would have been right: no player could resign, or none of those beside it has
/// (`resigned`), and the game was not cut off.
fn tells<V: Variant>(game: &GameRecord<V>, resigned: bool, config: &SelfplayConfig) -> bool {
    let played_through = !resigned || is_played_through(config, GameSeed { seed: game.seed, id: game.game_id });
    !game.sheet.outcome.is_cut_off() && played_through
}

/// Whether resigning is off in the game with this seed.
pub(super) fn is_played_through(config: &SelfplayConfig, seed: GameSeed) -> bool {
    seed.rng(0, Purpose::Playthrough).random::<f32>() < config.resign_playthrough
}

/// The lowest winning chances of a game's players that lasted long enough to resign: of the player that lost
/// (1 where there is none) and of the other (of both, in a draw).
#[derive(Clone, Copy, Debug, PartialEq)]
struct LowestChances {
    loser: f32,
    others: f32,
}

/// The lowest lasting winning chances of the players in a game with these searches.
fn lowest_chances(winner: Option<Side>, positions: &[PositionRecord], config: &SelfplayConfig) -> LowestChances {
    let lowest = |side: Side| {
        let chances: Vec<f32> = positions.iter().filter(|row| row.side == side).map(choice::winning_chance).collect();
        let lasting = chances.windows(config.resign_after as usize);
        lasting.map(|window| window.iter().copied().fold(0.0, f32::max)).fold(1.0, f32::min)
    };
    match winner {
        Some(winner) => LowestChances { loser: lowest(winner.other()), others: lowest(winner) },
        None => LowestChances { loser: 1.0, others: lowest(Side::First).min(lowest(Side::Second)) },
    }
}

/// The highest threshold at which, in these games, the share of wrong resignations stays within the limit. A game in
/// which both would have resigned counts as wrong, though the loser may have been first.
fn threshold(games: &[LowestChances], config: &SelfplayConfig) -> f32 {
    let most = config.resign_below;
    let candidates = (1..).map(|step| step as f32 / STEPS).take_while(|&step| step < most).chain([most]);
    let fits = |&threshold: &f32| {
        let wrong = games.iter().filter(|game| game.others < threshold).count();
        let all = games.iter().filter(|game| game.others.min(game.loser) < threshold).count();
        all >= FEWEST_RESIGNATIONS && wrong as f32 <= config.resign_false_rate * all as f32
    };
    candidates.filter(fits).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Janggi, Move, Position, Xiangqi};

    /// The game with this one's moves up to `plies` before its end.
    fn before_the_end<V: Variant>(sheet: &Scoresheet<V>, plies: u32) -> Game<V> {
        super::before_the_end(sheet, sheet.rules, plies).expect("a game that continues")
    }

    /// How a game stands.
    fn outcome<V: Variant>(game: &Game<V>) -> Option<Outcome> {
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        game.outcome(&legal)
    }

    /// The last four checks are a perpetual only after the checks before them.
    #[test]
    fn a_win_by_perpetual_check_is_won_again() {
        let start = Position::<Xiangqi>::from_fen("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1").expect("a position");
        let mut game = Game::from_position(Rules::default(), start);
        let first = game.position().parse_move("a1a10").expect("a check");
        game.play(first);
        let ended = ["d10d9", "a10a9", "d9d10", "a9a10"].iter().cycle().find_map(|text| {
            let mv: Move = game.position().parse_move(text).expect("a legal move");
            game.play(mv);
            outcome(&game)
        });
        let ended = ended.expect("an end");
        assert_eq!((ended.termination, ended.winner()), (Termination::PerpetualCheck, Some(Side::Second)));
        let sheet = Scoresheet::of(&game, ended);
        assert!(is_won(&sheet, Rules::default()));
        let mut again = before_the_end(&sheet, 4);
        assert_eq!(again.ply() as usize, sheet.plies() - 4);
        for &mv in &sheet.moves[sheet.plies() - 4..] {
            assert_eq!(outcome(&again), None);
            again.play(mv);
        }
        assert_eq!(outcome(&again), Some(ended));
    }

    /// Points counted at the ply limit win again under the same limit, and under no other.
    #[test]
    fn a_win_by_points_is_one_by_the_games_own_count() {
        let rules = Rules::<Janggi>::default().with_max_plies(30);
        let mut game = Game::start(rules);
        let (mut legal, mut plies) = (MoveList::new(), 0);
        let ended = loop {
            if let Some(outcome) = outcome(&game) {
                break outcome;
            }
            game.legal_moves(&mut legal);
            plies += 1;
            game.play(legal[(7 * plies) % legal.len()]);
        };
        assert_eq!((ended.termination, plies), (Termination::Points, 30));
        let sheet = Scoresheet::of(&game, ended);
        assert!(is_won(&sheet, rules) && !is_won(&sheet, Rules::default()));
        for plies in [30, 31] {
            assert!(super::before_the_end(&sheet, rules, plies).is_none(), "its start is no ending");
        }
        let mut again = before_the_end(&sheet, 5);
        sheet.moves[25..].iter().for_each(|&mv| again.play(mv));
        assert_eq!(outcome(&again), Some(ended));
        let resigned = Scoresheet { outcome: Outcome::win(Side::First, Termination::Resign), ..sheet };
        assert!(!is_won(&resigned, rules));
    }

    fn config() -> SelfplayConfig {
        SelfplayConfig { resign_below: 0.2, resign_after: 2, resign_false_rate: 0.05, ..SelfplayConfig::default() }
    }

    #[test]
    fn hope_is_the_best_of_enough_searches_in_a_row() {
        let row = |side: usize, win: f32| PositionRecord {
            side: Side::BOTH[side],
            root_wdl: [win, 0.0, 1.0 - win],
            ..Default::default()
        };
        let positions =
            vec![row(0, 0.5), row(1, 0.5), row(0, 0.1), row(1, 0.9), row(0, 0.05), row(1, 0.02), row(0, 0.3)];
        assert_eq!(
            lowest_chances(Some(Side::Second), &positions, &config()),
            LowestChances { loser: 0.1, others: 0.9 }
        );
        // A single search is never enough, and in a draw no resignation is right.
        assert_eq!(lowest_chances(None, &positions, &config()), LowestChances { loser: 1.0, others: 0.1 });
    }

    #[test]
    fn the_threshold_keeps_the_share_of_wrong_resignations() {
        let game = |loser: f32, others: f32| LowestChances { loser, others };
        // 100 games whose losers fell to 0.05, and winners that had once been at 0.10, 0.12, … .
        let mut games: Vec<LowestChances> = (0..100).map(|_| game(0.05, 0.9)).collect();
        assert_eq!(threshold(&games, &config()), 0.2);
        for resign_below in [0.125, 0.004, 0.0] {
            let far: Vec<LowestChances> = (0..100).map(|_| game(0.001, 0.9)).collect();
            let config = SelfplayConfig { resign_below, ..config() };
            assert_eq!(threshold(&far, &config), resign_below, "never above the maximum, and up to it");
        }
        games.extend((0..10).map(|i| game(0.5, 0.1 + 0.02 * i as f32)));
        // At 0.19 five of 105 are wrong: 4.8 %; at 0.20 also five (0.18 is the fifth), so it is the highest.
        assert!((threshold(&games, &config()) - 0.19).abs() < 0.011);
        games.extend((0..10).map(|_| game(0.5, 0.065)));
        assert!((threshold(&games, &config()) - 0.06).abs() < 1e-6, "{}", threshold(&games, &config()));
        assert_eq!(threshold(&games[..19], &config()), 0.0, "too few to tell");
    }
}
