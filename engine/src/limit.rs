//! How long a player may think.

use serde::{Deserialize, Serialize};
use settings::parse_duration;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Longest time in a limit: a day.
const LONGEST: Duration = Duration::from_secs(86_400);
/// Most nodes in a limit: exact as a JSON number.
const MOST_NODES: u64 = 1 << 53;
/// Greatest depth in a limit.
const DEEPEST: u32 = 1_000;

/// What ends a player's thinking about a move. In text it is `own` (each player's own limit), `nodes:1000`, `depth:8`,
/// `time:100ms`, `clock:60s+600ms` (for the game, and added by each move) or `byoyomi:60s+10s` (main time, and time for each
/// move after it). Times are written `250ms`, `60s` or `5m`.
///
/// ```
/// use engine::Limit;
/// use std::time::Duration;
///
/// let limit: Limit = "clock:60s+600ms".parse()?;
/// assert_eq!(limit, Limit::Clock { base: Duration::from_secs(60), increment: Duration::from_millis(600) });
/// assert_eq!(limit.to_string(), "clock:1m+600ms");
/// # Ok::<(), engine::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Limit {
    /// Each player's own limit.
    #[default]
    Own,
    /// Nodes of the tree for a move; for a network's search, visits.
    Nodes(u64),
    /// Depth, plies.
    Depth(u32),
    /// Time for a move.
    Time(Duration),
    /// Time for a game, and the time that each move adds.
    Clock {
        /// Time at the start of the game.
        base: Duration,
        /// Added after each move.
        increment: Duration,
    },
    /// Time for a game, and once it is used up, time for a move (秒読み).
    Byoyomi {
        /// Main time; may be 0.
        base: Duration,
        /// Time for each move after that; unused time is lost.
        period: Duration,
    },
}

impl Limit {
    /// Whether this is a limit of time, so that games depend on how busy the machine is.
    pub fn is_of_time(self) -> bool {
        matches!(self, Limit::Time(_) | Limit::Clock { .. } | Limit::Byoyomi { .. })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Limit::Own => f.write_str("own"),
            Limit::Nodes(nodes) => write!(f, "nodes:{nodes}"),
            Limit::Depth(depth) => write!(f, "depth:{depth}"),
            Limit::Time(time) => write!(f, "time:{}", Words(time)),
            Limit::Clock { base, increment } => write!(f, "clock:{}+{}", Words(base), Words(increment)),
            Limit::Byoyomi { base, period } => write!(f, "byoyomi:{}+{}", Words(base), Words(period)),
        }
    }
}

/// A time as it is written in limits, in whole milliseconds.
struct Words(Duration);

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_millis() {
            0 => f.write_str("0s"),
            ms if ms % 60_000 == 0 => write!(f, "{}m", ms / 60_000),
            ms if ms % 1_000 == 0 => write!(f, "{}s", ms / 1_000),
            ms => write!(f, "{ms}ms"),
        }
    }
}

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let unknown = || LimitError(text.to_owned());
        let number = |word: &str, most: u64| word.parse().ok().filter(|n| (1..=most).contains(n)).ok_or_else(unknown);
        let times = |words: &str| {
            let (base, each) = words.split_once('+').unwrap_or((words, "0s"));
            Some((time(base)?, time(each)?)).filter(|(base, each)| !(base.is_zero() && each.is_zero()))
        };
        match text.split_once(':') {
            None if text == "own" => Ok(Limit::Own),
            Some(("nodes", nodes)) => Ok(Limit::Nodes(number(nodes, MOST_NODES)?)),
            Some(("depth", depth)) => Ok(Limit::Depth(number(depth, u64::from(DEEPEST))? as u32)),
            Some(("time", word)) => time(word).filter(|time| !time.is_zero()).map(Limit::Time).ok_or_else(unknown),
            Some(("clock", words)) => match times(words) {
                Some((base, increment)) if !base.is_zero() => Ok(Limit::Clock { base, increment }),
                _ => Err(unknown()),
            },
            Some(("byoyomi", words)) => match times(words) {
                Some((base, period)) if !period.is_zero() => Ok(Limit::Byoyomi { base, period }),
                _ => Err(unknown()),
            },
            _ => Err(unknown()),
        }
    }
}

/// A time of at most a day.
fn time(word: &str) -> Option<Duration> {
    parse_duration(word).ok().filter(|time| *time <= LONGEST)
}

impl From<Limit> for String {
    fn from(limit: Limit) -> String {
        limit.to_string()
    }
}

impl TryFrom<String> for Limit {
    type Error = LimitError;
    fn try_from(text: String) -> Result<Self, LimitError> {
        text.parse()
    }
}

/// A text that is not a limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a limit; {hint}write own, nodes:N, depth:N, time:T, clock:T+T or byoyomi:T+T, with times like 250ms, 60s or \
     5m, up to a day",
    hint = equivalent(.0).map(|words| format!("{words}; or ")).unwrap_or_default()
)]
pub struct LimitError(pub String);

/// Our text for a limit in the syntax of other programs: `tc=60+0.6`, `st=5`, `movetime=100`, `nodes=1000`.
pub fn equivalent(text: &str) -> Option<String> {
    let (key, value) = text.split_once(['=', ':', ' ']).unwrap_or(("tc", text));
    let ms = |seconds: &str| seconds.parse::<f64>().ok().filter(|s| (0.0..=86_400.0).contains(s)).map(|s| s * 1_000.0);
    let time = |ms: f64| Words(Duration::from_millis(ms.round() as u64)).to_string();
    match key.trim_start_matches('-') {
        "st" => Some(format!("for so many seconds a move write time:{}", time(ms(value)?))),
        "movetime" => {
            let allowed = time(ms(value)? / 1_000.0);
            Some(format!("for so many milliseconds a move write time:{allowed}"))
        }
        "nodes" | "depth" if text.contains('=') => Some(format!("write {key}:{value}")),
        "tc" => {
            let (moves, rest) = value.split_once('/').map_or((None, value), |(moves, rest)| (Some(moves), rest));
            let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
            let (base, increment) = (time(ms(base)?), time(ms(increment)?));
            let clock = format!("clock:{base}+{increment}");
            Some(match moves {
                None => format!("for so many seconds a game and a move write {clock}"),
                Some(moves) => format!("there is no limit of {moves} moves a period; for a whole game write {clock}"),
            })
        }
        _ => None,
    }
}

/// A player's clock in one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    /// The limit that it measures.
    pub limit: Limit,
    /// The main time left; 0 if there is no main time.
    pub left: Duration,
    /// How far a move may exceed a limit of time.
    pub margin: Duration,
}

impl GameClock {
    /// The clock of a player before its first move.
    pub fn new(limit: Limit, margin: Duration) -> GameClock {
        let left = match limit {
            Limit::Clock { base, .. } | Limit::Byoyomi { base, .. } => base,
            _ => Duration::ZERO,
        };
        GameClock { limit, left, margin }
    }

    /// The time after which the next move is too late, margin included; `None` without a limit of time.
    pub fn too_long(&self) -> Option<Duration> {
        Some(self.allowed()? + self.margin)
    }

    /// The longest that the next move should take; `None` without a limit of time.
    pub fn allowed(&self) -> Option<Duration> {
        match self.limit {
            Limit::Time(time) => Some(time),
            Limit::Clock { .. } => Some(self.left),
            Limit::Byoyomi { period, .. } => Some(self.left + period),
            _ => None,
        }
    }

    /// A move was made.
    pub fn spend(&mut self, used: Duration) {
        self.left = self.left.saturating_sub(used);
        if let Limit::Clock { increment, .. } = self.limit {
            self.left += increment;
        }
    }

    /// A share of the time for the next move, for a player that can stop at any moment: a thirtieth of the time left, and
    /// most of the time that the move adds.
    pub fn share(&self) -> Option<Duration> {
        match self.limit {
            Limit::Time(time) => Some(time.mul_f64(0.95)),
            Limit::Clock { increment, .. } => {
                Some((self.left / 30 + increment.mul_f64(0.8)).min(self.left.mul_f64(0.8)))
            }
            Limit::Byoyomi { period, .. } => Some(self.left / 30 + period.mul_f64(0.9)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_limits_correspond() {
        for word in ["own", "nodes:1000", "depth:8", "time:100ms", "clock:1m+600ms", "byoyomi:0s+10s", "clock:5s+0s"] {
            let limit: Limit = word.parse().unwrap();
            assert_eq!(limit.to_string(), word);
            let json = serde_json::to_string(&limit).unwrap();
            assert_eq!(serde_json::from_str::<Limit>(&json).unwrap(), limit);
        }
        assert_eq!("clock:90s".parse(), Ok(Limit::Clock { base: Duration::from_secs(90), increment: Duration::ZERO }));
        for bad in ["", "nodes", "nodes:0", "depth:-1", "time:5", "time:0s", "time:99999999999999999999s", "time:é"] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
        for (word, part) in [
            ("tc=60+0.6", "clock:1m+600ms"),
            ("60+0.6", "clock:1m+600ms"),
            ("tc=40/60", "there is no limit of 40 moves a period; for a whole game write clock:1m+0s"),
            ("st=5", "time:5s"),
            ("movetime=100", "time:100ms"),
            ("nodes=500", "write nodes:500; or write own"),
        ] {
            let error = word.parse::<Limit>().unwrap_err().to_string();
            assert!(error.contains(part), "{word}: {error}");
        }
        assert!(!"soon".parse::<Limit>().unwrap_err().to_string().contains("; or "));
        for bad in ["clock:0s+1s", "byoyomi:10s", "byoyomi:10s+0s", "nodes:99999999999999999999", "hours:1"] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
    }

    fn clock_of(limit: &str) -> GameClock {
        GameClock::new(limit.parse().unwrap(), Duration::from_millis(10))
    }

    #[test]
    fn clocks_run_down_and_gain() {
        let seconds = Duration::from_secs;
        let mut clock = clock_of("clock:10s+2s");
        clock.spend(seconds(5));
        assert_eq!((clock.left, clock.allowed()), (seconds(7), Some(seconds(7))));
        let mut clock = clock_of("byoyomi:10s+3s");
        assert_eq!(clock.allowed(), Some(seconds(13)));
        clock.spend(seconds(12));
        assert_eq!(clock.allowed(), Some(seconds(3)));
        assert_eq!(clock.too_long(), Some(Duration::from_millis(3_010)));
        assert_eq!(clock_of("nodes:5").too_long(), None);
        for limit in ["time:1s", "clock:9s+1s", "clock:20ms+1s", "byoyomi:0s+1s"] {
            let clock = clock_of(limit);
            assert!(clock.share().unwrap() < clock.allowed().unwrap(), "{limit}");
        }
    }
}
