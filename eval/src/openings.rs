//! Where the games of a match begin: short sequences of random moves, or a list.

use crate::log::GameKey;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Position, Rules, Side, Variant};
use std::collections::HashSet;

/// How often another random opening is tried before one is used again.
const ATTEMPTS: u32 = 200;

/// Start of a pair of games.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening<V: Variant> {
    /// Start position if it is not the variant's own.
    pub position: Option<Position<V>>,
    /// Moves from there.
    pub moves: Vec<Move>,
}

impl<V: Variant> Opening<V> {
    /// The game after the opening.
    pub fn game(&self, rules: Rules<V>) -> Game<V> {
        let mut game = Game::from_position(rules, self.position.clone().unwrap_or_else(Position::start));
        self.moves.iter().for_each(|&mv| game.play(mv));
        game
    }
}

/// Random openings of `plies` moves for `pairs` pairs: the game goes on after each, nobody wins at once, and
/// no two lead to the same position while there are enough. A longer match begins with the openings of a
/// shorter one.
pub fn random<V: Variant>(rules: Rules<V>, plies: u32, pairs: u32, seed: u64) -> Vec<Opening<V>> {
    let (mut legal, mut replies) = (MoveList::new(), MoveList::new());
    let mut seen = HashSet::new();
    let mut openings = Vec::with_capacity(pairs as usize);
    let mut exhausted = false;
    for pair in 0..pairs {
        let mut rng = generator(seed, "opening", (pair, Side::First));
        let mut opening = Opening { position: None, moves: Vec::new() };
        // Once the openings have run out it is no use to look long for each further pair.
        for _ in 0..if exhausted { 1 } else { ATTEMPTS } {
            let Some(game) = random_game(rules, plies, &mut rng, &mut legal, &mut replies) else { continue };
            opening.moves = game.moves().to_vec();
            exhausted = !seen.insert(game.position().key());
            if !exhausted {
                break;
            }
        }
        openings.push(opening);
    }
    openings
}

fn random_game<V: Variant>(
    rules: Rules<V>,
    plies: u32,
    rng: &mut ChaCha8Rng,
    legal: &mut MoveList,
    replies: &mut MoveList,
) -> Option<Game<V>> {
    let mut game = Game::start(rules);
    for ply in 0..=plies {
        game.legal_moves(legal);
        if game.outcome(legal).is_some() {
            return None;
        }
        if ply < plies {
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
    game.position().win_in_one(legal, replies).is_none().then_some(game)
}

/// Reads a list: a line holds a FEN (or `startpos`), and after a semicolon moves in UCI. Empty lines and lines
/// that begin with `#` say nothing.
///
/// ```
/// use rules::{Rules, Xiangqi};
///
/// let list = "# two cannons\nstartpos ; h3e3 h8e8\n";
/// let openings = eval::openings::parse::<Xiangqi>(list, Rules::default())?;
/// assert_eq!(openings[0].moves.len(), 2);
/// # Ok::<(), Vec<String>>(())
/// ```
///
/// # Errors
/// One message for each bad line.
pub fn parse<V: Variant>(text: &str, rules: Rules<V>) -> Result<Vec<Opening<V>>, Vec<String>> {
    let (mut openings, mut complaints) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        match parse_line(line, rules) {
            Ok(opening) => openings.push(opening),
            Err(reason) => complaints.push(format!("line {}: {reason}", index + 1)),
        }
    }
    if openings.is_empty() && complaints.is_empty() {
        complaints.push("there is no opening".to_owned());
    }
    if complaints.is_empty() { Ok(openings) } else { Err(complaints) }
}

fn parse_line<V: Variant>(line: &str, rules: Rules<V>) -> Result<Opening<V>, String> {
    let (fen, moves) = line.split_once(';').unwrap_or((line, ""));
    let position = match fen.trim() {
        "" | "startpos" => None,
        fen => Some(Position::from_fen(fen).map_err(|error| error.to_string())?),
    };
    let mut opening = Opening { position, moves: Vec::new() };
    let mut game = opening.game(rules);
    let mut legal = MoveList::new();
    for word in moves.split_whitespace() {
        let mv = game.position().parse_move(word).map_err(|error| error.to_string())?;
        game.play(mv);
        opening.moves.push(mv);
    }
    game.legal_moves(&mut legal);
    match game.outcome(&legal) {
        Some(outcome) => Err(format!("the game is over ({})", outcome.termination)),
        None => Ok(opening),
    }
}

/// Random numbers for one purpose and game of a match: a digest of all three, so that they never overlap.
pub(crate) fn generator(seed: u64, purpose: &str, (pair, side): GameKey) -> ChaCha8Rng {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes()).update(&pair.to_le_bytes()).update(&[side.index() as u8]);
    hasher.update(purpose.as_bytes());
    ChaCha8Rng::from_seed(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Wangqi;

    #[test]
    fn random_openings_are_distinct_and_a_prefix() {
        let rules = Rules::<Wangqi>::default();
        let long = random(rules, 4, 60, 7);
        assert_eq!(long[..20], random(rules, 4, 20, 7));
        let keys: HashSet<_> = long.iter().map(|opening| opening.game(rules).position().key()).collect();
        assert_eq!(keys.len(), 60);
        assert_ne!(long, random(rules, 4, 60, 8));
    }

    #[test]
    fn more_pairs_than_openings_repeat_some() {
        let openings = random(Rules::<Wangqi>::default(), 1, 40, 1);
        let distinct: HashSet<_> = openings.iter().map(|opening| opening.moves.clone()).collect();
        assert!((20..=25).contains(&distinct.len()), "{} of the 25 first moves", distinct.len());
        assert!(openings.iter().all(|opening| opening.moves.len() == 1));
    }

    #[test]
    fn each_bad_line_of_a_list_is_named() {
        let complaints = parse::<Wangqi>("startpos ; z9z9\n\nnonsense\n", Rules::default()).unwrap_err();
        assert!(complaints[0].starts_with("line 1: ") && complaints[1].starts_with("line 3: "), "{complaints:?}");
    }
}
