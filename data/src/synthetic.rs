//! Made-up games, to measure what many of them cost: legal, and with shared openings like real ones.

use std::ops::Range;

use rayon::prelude::*;
use rules::{Game, GameResult, Move, MoveList, Outcome, Position, Rules, Termination, Variant};

use crate::error::Result;
use crate::game::GameRecord;
use crate::position::PositionRecord;
use crate::store::DataStore;
use crate::writer::Provenance;

/// Parameters of made-up games. A game is a function of these numbers and its own.
///
/// # Examples
/// ```
/// use data::SyntheticGames;
/// use rules::Xiangqi;
///
/// let games = SyntheticGames::default();
/// let game = games.game::<Xiangqi>(7);
/// assert_eq!(game, games.game(7));
/// assert_eq!((game.plies(), game.positions.len()), (80, 80));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SyntheticGames {
    /// Seed of all games.
    pub seed: u64,
    /// Length in plies; fewer where the rules end a game before.
    pub plies: u32,
    /// Number of first moves that follow the fashion: in each position one move is played most, another less, and so on.
    /// Later moves are drawn from all legal moves with equal probability.
    pub opening: u32,
    /// Visits of the search of each position.
    pub visits: u32,
}

impl Default for SyntheticGames {
    /// 80 plies, the first 20 by fashion, 64 visits.
    fn default() -> Self {
        SyntheticGames { seed: 1, plies: 80, opening: 20, visits: 64 }
    }
}

/// Games in a shard: with 80 positions each half a million rows, as many as `kirin data compact` merges.
const GAMES_PER_SHARD: u64 = 6000;

/// The share of a move among those that follow the fashion falls with its rank by about this power.
const FASHION: f64 = 2.2;

/// Visits fall with the rank of a move by this power.
const SEARCH: f64 = 1.3;

impl SyntheticGames {
    /// A game, with a searched position at each ply.
    pub fn game<V: Variant>(&self, number: u64) -> GameRecord<V> {
        let mut numbers = SyntheticNumbers(mixed(self.seed) ^ number);
        let mut game = Game::<V>::from_position(Rules::default(), Position::start());
        let (mut legal, mut positions) = (MoveList::new(), Vec::new());
        let end = loop {
            game.legal_moves(&mut legal);
            if let Some(outcome) = game.outcome(&legal) {
                break outcome;
            }
            if game.ply() >= self.plies {
                let result = GameResult::ALL[numbers.below(3)];
                break Outcome { result, termination: Termination::Adjudicated, points: None };
            }
            let mv = match game.ply() < self.opening {
                true => self.by_fashion(game.position(), &legal, &mut numbers),
                false => legal[numbers.below(legal.len())],
            };
            positions.push(self.searched(&game, &legal, mv, &mut numbers));
            game.play(mv);
        };
        GameRecord {
            game_id: mixed(self.seed ^ mixed(number)),
            run_id: "synthetic".to_owned(),
            worker: "synthetic".to_owned(),
            seed: mixed(number) | 1,
            net_first: "synthetic".to_owned(),
            net_second: "synthetic".to_owned(),
            visits: self.visits * positions.len() as u32,
            positions,
            ..GameRecord::of(&game, end)
        }
    }

    /// Writes games as shards of a new generation, and returns the seconds spent making them and the seconds spent
    /// writing them. Both run in parallel in the program's threads.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn write<V: Variant>(&self, store: &DataStore, games: Range<u64>) -> Result<[f64; 2]> {
        let mut seconds = [0.0; 2];
        let mut from = games.start;
        while from < games.end {
            let until = games.end.min(from + GAMES_PER_SHARD);
            let begin = std::time::Instant::now();
            let made: Vec<GameRecord<V>> = (from..until).into_par_iter().map(|number| self.game(number)).collect();
            seconds[0] += begin.elapsed().as_secs_f64();
            let begin = std::time::Instant::now();
            store.commit_shard(0, &format!("from-{from:09}"), &made, &Provenance::default())?;
            seconds[1] += begin.elapsed().as_secs_f64();
            from = until;
        }
        Ok(seconds)
    }

    fn by_fashion<V: Variant>(&self, position: &Position<V>, legal: &[Move], numbers: &mut SyntheticNumbers) -> Move {
        let [.., a, b, c, d, e, f, g, h] = position.key().to_bytes();
        let here = u64::from_be_bytes([a, b, c, d, e, f, g, h]) ^ self.seed;
        let mut ranked: Vec<Move> = legal.to_vec();
        ranked.sort_by_cached_key(|mv| mixed(here ^ u64::from(mv.raw())));
        ranked[numbers.rank(ranked.len(), FASHION)]
    }

    fn searched<V: Variant>(
        &self,
        game: &Game<V>,
        legal: &[Move],
        mv: Move,
        numbers: &mut SyntheticNumbers,
    ) -> PositionRecord {
        let key = |ply: usize| game.positions()[ply].key().to_bytes();
        let ply = game.moves().len();
        let mut visits = vec![0; legal.len()];
        let best = numbers.below(legal.len());
        for _ in 0..self.visits {
            visits[(best + numbers.rank(legal.len(), SEARCH)) % legal.len()] += 1;
        }
        let tried = || legal.iter().zip(&visits).filter(|(_, visits)| **visits > 0);
        let [win, draw] = [numbers.share() * 0.5, numbers.share() * 0.5];
        PositionRecord {
            ply: ply as u16,
            side: game.side(),
            pos_key: key(ply),
            parent_key: ply.checked_sub(1).map(key),
            mv,
            policy_move: tried().map(|(&mv, _)| mv).collect(),
            policy_visits: tried().map(|(_, &visits)| visits).collect(),
            root_wdl: [win, draw, 1.0 - win - draw],
            root_q: win - (1.0 - win - draw),
            net_q: numbers.share() * 2.0 - 1.0,
            net_policy_entropy: (numbers.share() * 3.0).min((legal.len() as f32).ln()),
            policy_kld: numbers.share(),
            visits: self.visits,
            full_search: true,
            target_weight: 1.0,
            ..PositionRecord::default()
        }
    }
}

/// A small generator of numbers (splitmix64): the same on every machine.
struct SyntheticNumbers(u64);

/// One step of it.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl SyntheticNumbers {
    fn next(&mut self) -> u64 {
        let number = mixed(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        number
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// From 0 to 1.
    fn share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// A rank below `limit`: the continuous law whose density falls as a power of the rank, rounded down.
    fn rank(&mut self, limit: usize, power: f64) -> usize {
        let share = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        let last = (limit as f64 + 1.0).powf(1.0 - power);
        let place = (1.0 - share * (1.0 - last)).powf(1.0 / (1.0 - power));
        (place as usize - 1).min(limit - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Xiangqi;
    use std::collections::BTreeMap;

    #[test]
    fn openings_are_shared_and_games_are_not() {
        let games = SyntheticGames::default();
        let mut lines: BTreeMap<Vec<Move>, u32> = BTreeMap::new();
        let mut whole = BTreeMap::new();
        for number in 0..200 {
            let game = games.game::<Xiangqi>(number);
            game.check().unwrap();
            assert!(game.sheet.replay().finish().is_ok());
            *lines.entry(game.sheet.moves[..4].to_vec()).or_default() += 1;
            *whole.entry(game.moves_text.clone()).or_insert(0) += 1;
        }
        let most = lines.values().max().copied().unwrap_or_default();
        assert!((10..150).contains(&most) && lines.len() > 20, "{most} of {}", lines.len());
        assert_eq!(whole.len(), 200);
    }

    #[test]
    fn low_ranks_are_likelier() {
        let mut numbers = SyntheticNumbers(3);
        let mut drawn = [0; 8];
        (0..10_000).for_each(|_| drawn[numbers.rank(8, FASHION)] += 1);
        assert!(drawn.windows(2).all(|pair| pair[0] > pair[1]) && drawn[7] > 0, "{drawn:?}");
    }
}
