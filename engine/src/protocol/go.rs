//! `go`: how long to think.

use super::command_error::CommandError;
use super::{Dialect, Protocol, quoted};
use rules::Side;
use std::fmt::Write as _;
use std::iter::Peekable;
use std::time::Duration;

/// Unknown words of one `go` that are kept for a message.
const MOST_UNKNOWN: usize = 8;

/// What ends a search. All limits that are set apply together; without any, the engine's default applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Most nodes of the tree.
    pub nodes: Option<u64>,
    /// Exact time for this move.
    pub movetime: Option<Duration>,
    /// Depth to reach, plies.
    pub depth: Option<u32>,
    /// The players' clocks.
    pub clocks: Clocks,
    /// Time for each move once the main time is used up (秒読み).
    pub byoyomi: Option<Duration>,
    /// Moves until the clock is refilled.
    pub moves_to_go: Option<u32>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search on the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// Search for a mate: in this many moves (UCI) or milliseconds (USI). `u32::MAX` is without limit.
    pub mate: Option<u32>,
    /// Do not search, but count the sequences of legal moves to this depth.
    pub perft: Option<u32>,
    /// Words that were not understood; they are not written.
    pub unknown: Vec<String>,
}

/// The time of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerTime {
    /// Time left on the clock.
    pub left: Option<Duration>,
    /// Time that each move adds.
    pub increment: Option<Duration>,
}

/// The time of both players, as the protocols name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// UCI and USI: by side, indexed by [`Side::index`].
    BySide([PlayerTime; 2]),
    /// UCCI: by whose turn it is.
    ByTurn {
        /// Time of the player to move.
        own: PlayerTime,
        /// Time of the other player.
        opponent: PlayerTime,
    },
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks::BySide([PlayerTime::default(); 2])
    }
}

impl Clocks {
    /// The clocks as `protocol` names them, of the player `to_move` and of its opponent.
    pub fn new(protocol: Protocol, to_move: Side, own: PlayerTime, opponent: PlayerTime) -> Clocks {
        match (protocol, to_move) {
            (Protocol::Ucci, _) => Clocks::ByTurn { own, opponent },
            (_, Side::First) => Clocks::BySide([own, opponent]),
            (_, Side::Second) => Clocks::BySide([opponent, own]),
        }
    }

    /// The time of the player to move, whose side is given.
    pub fn of(&self, to_move: Side) -> PlayerTime {
        match self {
            Clocks::BySide(players) => players[to_move.index()],
            Clocks::ByTurn { own, .. } => *own,
        }
    }

    /// Whether a player has time on a clock.
    pub fn are_running(&self) -> bool {
        match self {
            Clocks::BySide(players) => players.iter().any(|player| player.left.is_some()),
            Clocks::ByTurn { own, opponent } => own.left.is_some() || opponent.left.is_some(),
        }
    }

    fn own(&mut self) -> &mut PlayerTime {
        self.by_turn().0
    }

    fn opponent(&mut self) -> &mut PlayerTime {
        self.by_turn().1
    }

    fn by_turn(&mut self) -> (&mut PlayerTime, &mut PlayerTime) {
        if let Clocks::BySide(_) = self {
            *self = Clocks::ByTurn { own: PlayerTime::default(), opponent: PlayerTime::default() };
        }
        match self {
            Clocks::ByTurn { own, opponent } => (own, opponent),
            Clocks::BySide([own, opponent]) => (own, opponent),
        }
    }

    fn side(&mut self, side: Side) -> &mut PlayerTime {
        match self {
            Clocks::BySide(players) => &mut players[side.index()],
            Clocks::ByTurn { own, .. } => own,
        }
    }
}

/// The first letters of `wtime` and its like, of the first and of the second player: White moves first in chess,
/// Black (先手) in shogi.
fn letters(protocol: Protocol) -> [&'static str; 2] {
    match protocol {
        Protocol::Usi => ["b", "w"],
        Protocol::Uci | Protocol::Ucci => ["w", "b"],
    }
}

impl Go {
    /// Reads the words after `go`. Numbers that are too large become the largest possible; negative times become 0.
    ///
    /// # Errors
    /// A number is missing.
    pub(super) fn read(dialect: Dialect, words: &[&str]) -> Result<Go, CommandError> {
        let mut go = Go::default();
        let [first, _] = letters(dialect.protocol);
        let side = |word: &str| if word.starts_with(first) { Side::First } else { Side::Second };
        let is_ucci = dialect.protocol == Protocol::Ucci;
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let mut number = || read_number(word, &mut words);
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "nodes" => go.nodes = Some(number()?.max(1)),
                "depth" => match clamped(number()?) {
                    u32::MAX => go.infinite = true,
                    depth => go.depth = Some(depth.max(1)),
                },
                "movetime" => go.movetime = Some(dialect.time(number()?)),
                "mate" => go.mate = Some(clamped(number()?)),
                "perft" => go.perft = Some(clamped(number()?)),
                "movestogo" => go.moves_to_go = Some(clamped(number()?)),
                "byoyomi" => go.byoyomi = Some(dialect.time(number()?)),
                "time" if is_ucci => go.clocks.own().left = Some(dialect.time(number()?)),
                "increment" if is_ucci => go.clocks.own().increment = Some(dialect.time(number()?)),
                "opptime" if is_ucci => go.clocks.opponent().left = Some(dialect.time(number()?)),
                "oppincrement" if is_ucci => go.clocks.opponent().increment = Some(dialect.time(number()?)),
                "oppmovestogo" => {
                    number()?;
                }
                "wtime" | "btime" => go.clocks.side(side(word)).left = Some(dialect.time(number()?)),
                "winc" | "binc" => go.clocks.side(side(word)).increment = Some(dialect.time(number()?)),
                _ if go.unknown.len() < MOST_UNKNOWN => go.unknown.push(quoted(word)),
                _ => {}
            }
        }
        Ok(go)
    }

    /// Writes the whole command.
    pub(super) fn write(&self, dialect: Dialect) -> String {
        let mut text = "go".to_owned();
        let mut number = |word: &str, value: Option<u64>| {
            if let Some(value) = value {
                let _ = write!(text, " {word} {value}");
            }
        };
        let units = |time: Option<Duration>| time.map(|time| dialect.units(time));
        number("nodes", self.nodes);
        number("depth", self.depth.map(u64::from));
        number("movetime", units(self.movetime));
        match self.clocks {
            Clocks::BySide(players) => {
                let letters = letters(dialect.protocol);
                for (letter, player) in letters.iter().zip(players) {
                    number(&format!("{letter}time"), units(player.left));
                }
                for (letter, player) in letters.iter().zip(players) {
                    number(&format!("{letter}inc"), units(player.increment));
                }
            }
            Clocks::ByTurn { own, opponent } => {
                number("time", units(own.left));
                number("increment", units(own.increment));
                number("opptime", units(opponent.left));
                number("oppincrement", units(opponent.increment));
            }
        }
        number("byoyomi", units(self.byoyomi));
        number("movestogo", self.moves_to_go.map(u64::from));
        number("perft", self.perft.map(u64::from));
        match self.mate {
            Some(u32::MAX) => text += " mate infinite",
            Some(mate) => text += &format!(" mate {mate}"),
            None => {}
        }
        match dialect.protocol {
            _ if !self.infinite => {}
            Protocol::Ucci => text += " depth infinite",
            Protocol::Uci | Protocol::Usi => text += " infinite",
        }
        if self.ponder {
            text.insert_str("go".len(), " ponder");
        }
        text
    }

    /// Whether nothing says when to stop.
    pub fn is_unlimited(&self) -> bool {
        let limited = self.nodes.is_some() || self.depth.is_some() || self.movetime.is_some() || self.mate.is_some();
        !limited && !self.infinite && !self.clocks.are_running() && self.byoyomi.is_none_or(|time| time.is_zero())
    }
}

impl Dialect {
    /// A time that was read as a number of units.
    fn time(self, units: u64) -> Duration {
        // Bounded, so that sums of times do not overflow: in milliseconds 49 days, in seconds 136 years.
        let units = clamped(units).into();
        if self.in_seconds { Duration::from_secs(units) } else { Duration::from_millis(units) }
    }

    /// The number of whole units of a time.
    fn units(self, time: Duration) -> u64 {
        if self.in_seconds { time.as_secs() } else { time.as_millis().try_into().unwrap_or(u64::MAX) }
    }
}

fn clamped(number: u64) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

/// The number after a word; `infinite` is the largest.
fn read_number<'a>(word: &str, words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Result<u64, CommandError> {
    let text = words.next_if(|text| text.parse::<i128>().is_ok() || *text == "infinite");
    let number = text.map(|text| text.parse::<i128>().unwrap_or(i128::MAX));
    let number = number.ok_or_else(|| CommandError::NumberMissing(word.to_owned()))?;
    Ok(number.clamp(0, i128::from(u64::MAX)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(protocol: Protocol, line: &str) -> Go {
        Go::read(Dialect::new(protocol), &line.split_whitespace().collect::<Vec<_>>()).expect(line)
    }

    #[test]
    fn clocks_belong_to_sides() {
        let time = |left, increment| PlayerTime {
            left: Some(Duration::from_millis(left)),
            increment: Some(Duration::from_millis(increment)),
        };
        let uci = read(Protocol::Uci, "wtime 1000 btime 2000 winc 3 binc 4 movestogo 5");
        assert_eq!((uci.clocks, uci.moves_to_go), (Clocks::BySide([time(1000, 3), time(2000, 4)]), Some(5)));
        let usi = read(Protocol::Usi, "btime 1000 wtime 2000 byoyomi 500");
        assert_eq!(usi.clocks.of(Side::First).left, Some(Duration::from_secs(1)));
        assert_eq!(usi.byoyomi, Some(Duration::from_millis(500)));
        let ucci = read(Protocol::Ucci, "time 90 increment 2 opptime 80 oppincrement 2 draw");
        for side in Side::BOTH {
            assert_eq!(ucci.clocks.of(side), time(90_000, 2_000), "in seconds");
        }
        assert_eq!(ucci.unknown, ["\"draw\""]);
    }

    #[test]
    fn numbers_out_of_range_and_missing_ones() {
        let go = read(Protocol::Uci, "wtime -40 nodes 99999999999999999999999 btime 7");
        assert_eq!((go.clocks.of(Side::First).left, go.nodes), (Some(Duration::ZERO), Some(u64::MAX)));
        assert!(read(Protocol::Ucci, "depth infinite").infinite);
        assert!(read(Protocol::Uci, "").is_unlimited() && !read(Protocol::Usi, "byoyomi 1000").is_unlimited());
        assert_eq!(read(Protocol::Uci, "nodes 0").nodes, Some(1));
        for line in ["nodes", "movetime x", "wtime btime 3"] {
            let words: Vec<&str> = line.split_whitespace().collect();
            let error = Go::read(Dialect::new(Protocol::Uci), &words).expect_err(line);
            assert!(error.to_string().contains("needs a number"), "{error}");
        }
    }
}
