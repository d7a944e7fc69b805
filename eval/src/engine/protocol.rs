//! The words of UCI, USI and UCCI. The three are one protocol in different dialects.

use crate::limit::{Clock, Limit};
use rules::Side;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How an engine is talked to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The first of the three that it answers.
    #[default]
    Auto,
    /// Universal Chess Interface, as Fairy-Stockfish and Pikafish speak it.
    Uci,
    /// Universal Shogi Interface.
    Usi,
    /// Universal Chinese Chess Interface.
    Ucci,
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Protocol::Auto),
            "uci" => Ok(Protocol::Uci),
            "usi" => Ok(Protocol::Usi),
            "ucci" => Ok(Protocol::Ucci),
            _ => Err(format!("{text:?} is no protocol; auto, uci, usi or ucci")),
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What an engine answers to `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer<'a> {
    /// A move, not yet understood.
    Move(&'a str),
    /// It sees no move.
    NoMove,
    /// It gives up.
    Resign,
    /// It declares that it has won (USI, 入玉宣言).
    Win,
}

impl Protocol {
    /// The first word of a dialogue; `ok` behind it is the last of the answer.
    pub(super) fn word(self) -> &'static str {
        match self {
            Protocol::Auto => "auto",
            Protocol::Uci => "uci",
            Protocol::Usi => "usi",
            Protocol::Ucci => "ucci",
        }
    }

    /// What forgets the game before.
    pub(super) fn new_game(self, has_button: bool) -> &'static str {
        match self {
            Protocol::Ucci if has_button => "setoption newgame",
            Protocol::Ucci => "uccinewgame",
            Protocol::Usi => "usinewgame",
            Protocol::Uci | Protocol::Auto => "ucinewgame",
        }
    }

    /// Sets an option, or presses it if there is no value.
    pub(super) fn set_option(self, name: &str, value: &str) -> String {
        match (self, value) {
            (Protocol::Ucci, "") => format!("setoption {name}"),
            (Protocol::Ucci, value) => format!("setoption {name} {value}"),
            (_, "") => format!("setoption name {name}"),
            (_, value) => format!("setoption name {name} value {value}"),
        }
    }

    /// The command to think for `side`. `clocks`: of the player who thinks, and of the other. `milliseconds`: the unit
    /// of UCCI's times.
    pub(super) fn go(self, side: Side, clocks: [&Clock; 2], milliseconds: bool) -> String {
        let ms = |time: Duration| time.as_millis().max(1);
        match clocks[0].limit {
            Limit::Own => "go".to_owned(),
            Limit::Nodes(nodes) => format!("go nodes {nodes}"),
            Limit::Depth(depth) => format!("go depth {depth}"),
            Limit::Time(time) if self == Protocol::Ucci => {
                format!("go time {} movestogo 1", if milliseconds { ms(time) } else { ms(time).div_ceil(1_000) })
            }
            Limit::Time(time) => format!("go movetime {}", ms(time)),
            Limit::Clock { .. } | Limit::Byoyomi { .. } => self.go_by_clock(side, clocks, milliseconds),
        }
    }

    fn go_by_clock(self, side: Side, clocks: [&Clock; 2], milliseconds: bool) -> String {
        // A period of byoyomi in dialects that have none is like an increment while there is main time, and like one
        // move to be made in it afterwards.
        let told = |clock: &Clock| match clock.limit {
            Limit::Clock { increment, .. } => (clock.left, increment, ""),
            Limit::Byoyomi { period, .. } if clock.left.is_zero() => (period, Duration::ZERO, " movestogo 1"),
            Limit::Byoyomi { period, .. } => (clock.left + period, period, ""),
            _ => (clock.left, Duration::ZERO, ""),
        };
        let (own, own_increment, last) = told(clocks[0]);
        let (other, other_increment, _) = told(clocks[1]);
        let ms = |time: Duration| {
            if milliseconds || self != Protocol::Ucci { time.as_millis() } else { time.as_secs().into() }
        };
        if self == Protocol::Ucci {
            let (own, own_increment, other) = (ms(own), ms(own_increment), ms(other));
            let other_increment = ms(other_increment);
            return format!(
                "go time {own} increment {own_increment} opptime {other} oppincrement {other_increment}{last}"
            );
        }
        // By side: the first player is White in UCI and 先手 (b) in USI.
        let pick = |own: Duration, other: Duration| {
            if side == Side::First { [ms(own), ms(other)] } else { [ms(other), ms(own)] }
        };
        let [first, second] = match self {
            Protocol::Usi => ['b', 'w'],
            _ => ['w', 'b'],
        };
        if let (Protocol::Usi, Limit::Byoyomi { period, .. }) = (self, clocks[0].limit) {
            let [a, b] = pick(clocks[0].left, clocks[1].left);
            return format!("go {first}time {a} {second}time {b} byoyomi {}", ms(period));
        }
        let ([a, b], [c, d]) = (pick(own, other), pick(own_increment, other_increment));
        format!("go {first}time {a} {second}time {b} {first}inc {c} {second}inc {d}{last}")
    }

    /// Reads the answer to `go`; `None` for any other line.
    pub(super) fn answer(self, line: &str) -> Option<Answer<'_>> {
        let mut words = line.split_whitespace();
        match words.next()? {
            "bestmove" => {}
            "nobestmove" => return Some(Answer::NoMove),
            _ => return None,
        }
        let word = words.next().unwrap_or_default();
        Some(match word {
            "resign" => Answer::Resign,
            "win" if self == Protocol::Usi => Answer::Win,
            "" | "(none)" | "none" | "0000" | "null" => Answer::NoMove,
            // UCCI gives up with the move it would have played.
            _ if words.any(|word| self == Protocol::Ucci && word == "resign") => Answer::Resign,
            _ => Answer::Move(word),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(limit: &str) -> Clock {
        Clock::new(limit.parse().unwrap(), Duration::ZERO)
    }

    #[test]
    fn limits_in_each_dialect() {
        use Protocol::{Ucci, Uci, Usi};
        let by = |protocol: Protocol, side, limit, ms| protocol.go(side, [&clock(limit), &clock("clock:2s+1s")], ms);
        assert_eq!(by(Uci, Side::First, "nodes:500", true), "go nodes 500");
        assert_eq!(by(Usi, Side::Second, "time:250ms", true), "go movetime 250");
        assert_eq!(by(Ucci, Side::Second, "time:250ms", false), "go time 1 movestogo 1");
        assert_eq!(by(Uci, Side::Second, "clock:5s+1s", true), "go wtime 2000 btime 5000 winc 1000 binc 1000");
        assert_eq!(by(Usi, Side::First, "clock:5s+1s", true), "go btime 5000 wtime 2000 binc 1000 winc 1000");
        assert_eq!(
            by(Ucci, Side::First, "clock:5s+1s", true),
            "go time 5000 increment 1000 opptime 2000 oppincrement 1000"
        );
        let even = |protocol: Protocol, limit| protocol.go(Side::First, [&clock(limit), &clock(limit)], true);
        assert_eq!(even(Usi, "byoyomi:0s+3s"), "go btime 0 wtime 0 byoyomi 3000");
        assert_eq!(even(Uci, "byoyomi:0s+3s"), "go wtime 3000 btime 3000 winc 0 binc 0 movestogo 1");
        assert_eq!(even(Uci, "byoyomi:9s+3s"), "go wtime 12000 btime 12000 winc 3000 binc 3000");
    }

    #[test]
    fn answers_in_each_dialect() {
        assert_eq!(Protocol::Uci.answer("bestmove h3e3 ponder h10g8"), Some(Answer::Move("h3e3")));
        assert_eq!(Protocol::Uci.answer("bestmove (none)"), Some(Answer::NoMove));
        assert_eq!(Protocol::Uci.answer("bestmove win"), Some(Answer::Move("win")));
        assert_eq!(Protocol::Usi.answer("bestmove win"), Some(Answer::Win));
        assert_eq!(Protocol::Usi.answer("bestmove resign"), Some(Answer::Resign));
        assert_eq!(Protocol::Ucci.answer("bestmove h2e2 ponder h9g7 resign"), Some(Answer::Resign));
        assert_eq!(Protocol::Ucci.answer("bestmove h2e2 draw"), Some(Answer::Move("h2e2")));
        assert_eq!(Protocol::Ucci.answer("nobestmove"), Some(Answer::NoMove));
        assert_eq!(Protocol::Uci.answer("info depth 3 pv h3e3 bestmove"), None);
        assert_eq!(Protocol::Uci.answer(""), None);
    }
}
