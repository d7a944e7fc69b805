//! `go`: how long to think, in the words of each protocol.

use super::protocol::{Protocol, quoted};
use rules::Side;
use std::time::Duration;

/// What a `go` allows and asks. Clocks are indexed by [`Side::index`]; UCCI, which tells only the time of the side to
/// move, sets both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Most simulations.
    pub nodes: Option<u32>,
    /// Exact time for this move.
    pub movetime: Option<Duration>,
    /// Mean depth to reach, plies.
    pub depth: Option<u32>,
    /// Time left on the clock.
    pub left: [Option<Duration>; 2],
    /// Time added after each move.
    pub increment: [Duration; 2],
    /// Time for each move when the clock has run down.
    pub byoyomi: Duration,
    /// Moves until the clock is wound up again.
    pub moves_to_go: Option<u32>,
    /// Until `stop`.
    pub infinite: bool,
    /// On the opponent's time: until `ponderhit` or `stop`.
    pub ponder: bool,
    /// Until the outcome is certain.
    pub mate: bool,
    /// Do not think but count moves to this depth.
    pub perft: Option<u32>,
    /// What was said and is not understood.
    pub ignored: Vec<String>,
}

impl Go {
    /// Reads the words after `go`. Numbers too large are the largest, times below zero are none left.
    ///
    /// # Errors
    /// A number is missing.
    pub fn parse(protocol: Protocol, words: &[&str]) -> Result<Go, String> {
        let mut go = Go::default();
        // The first player is White in UCI and Black (先手) in USI.
        let (first, second) = if protocol == Protocol::Usi { ("b", "w") } else { ("w", "b") };
        let side = |word: &str| match word.get(..1) {
            Some(letter) if letter == first => Some(Side::First.index()),
            Some(letter) if letter == second => Some(Side::Second.index()),
            _ => None,
        };
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words.next_if(|text| text.parse::<i128>().is_ok() || *text == "infinite");
                match text.map(|text| text.parse::<i128>().unwrap_or(i128::MAX)) {
                    Some(number) => Ok(number.clamp(0, i128::from(u32::MAX)) as u32),
                    None => Err(format!("go: {word} wants a number")),
                }
            };
            let time = |number: u32| Duration::from_millis(number.into());
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "nodes" => go.nodes = Some(number()?.max(1)),
                "depth" => match number()? {
                    u32::MAX => go.infinite = true,
                    depth => go.depth = Some(depth.max(1)),
                },
                "movetime" => go.movetime = Some(time(number()?)),
                "mate" => {
                    number()?;
                    go.mate = true;
                }
                "perft" => go.perft = Some(number()?),
                "movestogo" => go.moves_to_go = Some(number()?),
                "byoyomi" => go.byoyomi = time(number()?),
                "wtime" | "btime" => go.left[side(word).unwrap_or_default()] = Some(time(number()?)),
                "winc" | "binc" => go.increment[side(word).unwrap_or_default()] = time(number()?),
                "time" if protocol == Protocol::Ucci => go.left = [Some(time(number()?)); 2],
                "increment" if protocol == Protocol::Ucci => go.increment = [time(number()?); 2],
                "opptime" | "oppincrement" | "oppmovestogo" => {
                    number()?;
                }
                _ if go.ignored.len() < 8 => go.ignored.push(quoted(word)),
                _ => {}
            }
        }
        Ok(go)
    }

    /// The same with times that were told in seconds.
    #[must_use]
    pub fn with_seconds(self) -> Go {
        let times = |time: Duration| time.saturating_mul(1_000);
        Go { left: self.left.map(|left| left.map(times)), increment: self.increment.map(times), ..self }
    }

    /// Whether nothing says when to stop.
    pub fn is_open(&self) -> bool {
        let limited = self.nodes.is_some() || self.depth.is_some() || self.movetime.is_some() || self.mate;
        !limited && !self.infinite && self.left == [None; 2] && self.byoyomi.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(protocol: Protocol, line: &str) -> Go {
        Go::parse(protocol, &line.split_whitespace().collect::<Vec<_>>()).expect(line)
    }

    #[test]
    fn clocks_belong_to_sides() {
        let ms = |ms| Some(Duration::from_millis(ms));
        let uci = read(Protocol::Uci, "wtime 1000 btime 2000 winc 3 binc 4 movestogo 5");
        assert_eq!((uci.left, uci.moves_to_go), ([ms(1000), ms(2000)], Some(5)));
        assert_eq!(uci.increment, [3, 4].map(Duration::from_millis));
        let usi = read(Protocol::Usi, "btime 1000 wtime 2000 byoyomi 500");
        assert_eq!((usi.left, usi.byoyomi), ([ms(1000), ms(2000)], Duration::from_millis(500)));
        let ucci = read(Protocol::Ucci, "time 90 increment 2 opptime 80 oppincrement 2 draw").with_seconds();
        assert_eq!((ucci.left, ucci.increment), ([ms(90_000); 2], [Duration::from_secs(2); 2]));
        assert_eq!(ucci.ignored, ["\"draw\""]);
    }

    #[test]
    fn numbers_out_of_range_and_missing_ones() {
        let go = read(Protocol::Uci, "wtime -40 nodes 99999999999999999999999 btime 7");
        assert_eq!((go.left[0], go.nodes), (Some(Duration::ZERO), Some(u32::MAX)));
        assert!(read(Protocol::Ucci, "depth infinite").infinite);
        assert!(read(Protocol::Uci, "").is_open() && !read(Protocol::Usi, "byoyomi 1000").is_open());
        assert_eq!(read(Protocol::Uci, "nodes 0").nodes, Some(1));
        for line in ["nodes", "movetime x", "wtime btime 3"] {
            let error = Go::parse(Protocol::Uci, &line.split_whitespace().collect::<Vec<_>>()).expect_err(line);
            assert!(error.contains("wants a number"), "{error}");
        }
    }
}
