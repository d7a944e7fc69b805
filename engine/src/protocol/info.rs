//! `info`: what an engine reports while it thinks.

use super::Protocol;
use crate::score::Score;
use std::fmt::Write as _;
use std::str::SplitWhitespace;
use std::time::Duration;

/// A report about one line of play. What the engine did not state is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Depth, plies.
    pub depth: Option<u32>,
    /// Depth of the longest line, plies.
    pub seldepth: Option<u32>,
    /// Place of this line among those shown, from 1; `None` is the best.
    pub multipv: Option<u32>,
    /// Score of the line, from the point of view of the side to move.
    pub score: Option<ReportedScore>,
    /// Whether the score is only a bound of the true one.
    pub is_bound: bool,
    /// Win, draw and loss of the side to move, in thousandths.
    pub wdl: Option<[u32; 3]>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes searched per second.
    pub nps: Option<u64>,
    /// How full the hash table (or the tree) is, in thousandths.
    pub hashfull: Option<u32>,
    /// Time since the search began.
    pub time: Option<Duration>,
    /// The moves of the line.
    pub pv: Vec<String>,
}

/// A score as engines report it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedScore {
    /// In centipawns, by the engine's own scale.
    Centipawns(i64),
    /// The side to move wins after this many plies; `None` if the engine does not say after how many.
    Win(Option<u32>),
    /// The side to move loses after this many plies.
    Loss(Option<u32>),
}

/// Plies to a mate whose distance is not stated.
const UNKNOWN_DISTANCE: u32 = 200;

/// Greatest distance to a mate that is kept, plies.
const LONGEST_MATE: u32 = 100_000;

/// UCCI's score of a win now; one after n plies is n less. Nothing else is above [`Score::OPEN`].
const UCCI_WIN: i64 = Score::WIN as i64;

impl ReportedScore {
    /// The words after `score`. UCI counts the moves to a mate, USI the plies, and UCCI has one number for both.
    fn read(protocol: Protocol, words: &mut SplitWhitespace<'_>) -> Option<ReportedScore> {
        let word = words.next()?;
        match word {
            "mate" => Some(match words.next()? {
                "+" => ReportedScore::Win(None),
                "-" => ReportedScore::Loss(None),
                number => {
                    let number: i64 = number.parse().ok()?;
                    let distance = u32::try_from(number.unsigned_abs()).unwrap_or(u32::MAX).min(LONGEST_MATE);
                    match (protocol, number > 0) {
                        (Protocol::Usi, true) => ReportedScore::Win(Some(distance)),
                        (Protocol::Usi, false) => ReportedScore::Loss(Some(distance)),
                        (_, true) => ReportedScore::Win(Some(2 * distance - 1)),
                        (_, false) => ReportedScore::Loss(Some(2 * distance)),
                    }
                }
            }),
            "cp" => Some(ReportedScore::Centipawns(words.next()?.parse().ok()?)),
            number => {
                let number: i64 = number.parse().ok()?;
                let plies = UCCI_WIN.checked_sub_unsigned(number.unsigned_abs());
                let plies = plies.filter(|plies| (0..UCCI_WIN - i64::from(Score::OPEN)).contains(plies));
                Some(match plies {
                    Some(plies) if number > 0 => ReportedScore::Win(Some(plies as u32)),
                    Some(plies) => ReportedScore::Loss(Some(plies as u32)),
                    None => ReportedScore::Centipawns(number),
                })
            }
        }
    }

    fn write(self, protocol: Protocol) -> String {
        let moves = |plies: u32| plies.div_ceil(2);
        match (self, protocol) {
            (ReportedScore::Centipawns(number), Protocol::Ucci) => number.to_string(),
            (ReportedScore::Centipawns(number), _) => format!("cp {number}"),
            (ReportedScore::Win(plies), Protocol::Ucci) => {
                (UCCI_WIN - i64::from(plies.unwrap_or(UNKNOWN_DISTANCE))).to_string()
            }
            (ReportedScore::Loss(plies), Protocol::Ucci) => {
                (i64::from(plies.unwrap_or(UNKNOWN_DISTANCE)) - UCCI_WIN).to_string()
            }
            (ReportedScore::Win(Some(plies)), Protocol::Usi) => format!("mate {plies}"),
            (ReportedScore::Loss(Some(plies)), Protocol::Usi) => format!("mate -{plies}"),
            (ReportedScore::Win(None), Protocol::Usi) => "mate +".to_owned(),
            (ReportedScore::Loss(None), Protocol::Usi) => "mate -".to_owned(),
            (ReportedScore::Win(plies), Protocol::Uci) => format!("mate {}", moves(plies.unwrap_or(UNKNOWN_DISTANCE))),
            (ReportedScore::Loss(plies), Protocol::Uci) => {
                format!("mate -{}", moves(plies.unwrap_or(UNKNOWN_DISTANCE)))
            }
        }
    }

    /// The score on the scale of matches.
    fn to_score(self) -> Score {
        let moves = |plies: Option<u32>| i64::from(plies.unwrap_or(UNKNOWN_DISTANCE).div_ceil(2));
        match self {
            ReportedScore::Centipawns(number) => Score::of_centipawns(number),
            ReportedScore::Win(plies) => Score::of_mate(moves(plies)),
            ReportedScore::Loss(plies) => Score::of_mate(-moves(plies)),
        }
    }
}

impl Info {
    /// Reads the words after `info`, which are not a message for people; `None` if the number of the line cannot be
    /// read.
    pub(super) fn read(protocol: Protocol, text: &str) -> Option<Info> {
        let mut info = Info::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            // A word without its number is skipped and the next one read as usual.
            let mut ahead = words.clone();
            let number = ahead.next().and_then(|word| word.parse::<u64>().ok());
            let small = number.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
            match word {
                "depth" => info.depth = small,
                "seldepth" => info.seldepth = small,
                "multipv" => info.multipv = Some(small?),
                "nodes" => info.nodes = number,
                "nps" => info.nps = number,
                "hashfull" => info.hashfull = small,
                "time" => info.time = number.map(Duration::from_millis),
                "lowerbound" | "upperbound" => info.is_bound = true,
                "score" => info.score = ReportedScore::read(protocol, &mut words).or(info.score),
                "wdl" => {
                    let counts: Vec<u32> = words.clone().take(3).map_while(|word| word.parse().ok()).collect();
                    info.wdl = <[u32; 3]>::try_from(counts).ok().filter(is_distribution);
                }
                // All words after it are taken as moves.
                "pv" => info.pv = words.by_ref().map(str::to_owned).collect(),
                "string" | "message" | "currline" | "refutation" => break,
                _ => {}
            }
        }
        Some(info)
    }

    /// Writes the whole line.
    pub(super) fn write(&self, protocol: Protocol) -> String {
        let mut text = "info".to_owned();
        let mut part = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = write!(text, " {name} {value}");
            }
        };
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let small = |number: Option<u32>| number.map(|number| number.to_string());
        let time = self.time.map(|time| time.as_millis().to_string());
        part("depth", small(self.depth));
        part("seldepth", small(self.seldepth));
        part("multipv", small(self.multipv));
        let bound = if self.is_bound { " lowerbound" } else { "" };
        part("score", self.score.map(|score| score.write(protocol) + bound));
        part("wdl", self.wdl.map(|wdl| wdl.map(|part| part.to_string()).join(" ")));
        part("nodes", number(self.nodes));
        part("nps", number(self.nps));
        part("hashfull", small(self.hashfull));
        part("time", time);
        part("pv", (!self.pv.is_empty()).then(|| self.pv.join(" ")));
        text
    }

    /// The engine's score of its best move, on the scale of matches: a mate if it reports one, else the expected result
    /// of its win, draw and loss, else its centipawns, whose size is each engine's own. `None` if it states no score, or
    /// that of another line than the best.
    pub fn best_score(&self) -> Option<Score> {
        if self.multipv.is_some_and(|place| place != 1) {
            return None;
        }
        let expected = self.wdl.map(|[win, draw, loss]| {
            Score::of_expected((f64::from(win) - f64::from(loss)) as f32 / (win + draw + loss) as f32)
        });
        match self.score {
            Some(ReportedScore::Centipawns(_)) | None => expected.or(self.score.map(ReportedScore::to_score)),
            Some(mate) => Some(mate.to_score()),
        }
    }
}

fn is_distribution(counts: &[u32; 3]) -> bool {
    counts.iter().all(|&count| count <= 1_000_000) && counts.iter().sum::<u32>() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(protocol: Protocol, line: &str) -> Option<(i32, bool)> {
        let info = Info::read(protocol, line.strip_prefix("info ")?)?;
        Some((info.best_score()?.centipawns(), info.is_bound))
    }

    fn read(line: &str) -> Option<(i32, bool)> {
        read_as(Protocol::Uci, line)
    }

    #[test]
    fn scores_in_each_protocol() {
        assert_eq!(read("info depth 9 seldepth 12 score cp -35 nodes 100 pv e2e4 e7e5"), Some((-35, false)));
        assert_eq!(read("info depth 9 score cp 20 lowerbound nodes 5"), Some((20, true)));
        assert_eq!(read("info depth 3 score mate 2 pv a1a2"), Some((29_998, false)));
        assert_eq!(read("info score mate -1"), Some((-29_999, false)));
        assert_eq!(read("info score mate 0"), Some((-30_000, false)));
        let usi = |line| read_as(Protocol::Usi, line);
        assert_eq!(usi("info depth 5 score mate + pv 7g7f"), Some((29_900, false)));
        assert_eq!(usi("info depth 5 score mate -"), Some((-29_900, false)));
        assert_eq!(usi("info depth 5 score mate 5 pv 7g7f"), Some((29_997, false)), "five plies are three moves");
        let ucci = |line| read_as(Protocol::Ucci, line);
        assert_eq!(ucci("info depth 6 score 4 time 3 pv b2e2"), Some((4, false)));
        assert_eq!(ucci("info depth 6 score 29995 time 3 pv b2e2"), Some((29_997, false)));
        assert_eq!(read("info multipv 1 score cp 13 wdl 700 100 200"), Some((191, false)), "wdl comes first");
        assert_eq!(read("info score mate 3 wdl 1000 0 0"), Some((29_997, false)));
    }

    #[test]
    fn a_line_without_a_score_has_none() {
        for line in [
            "",
            "info",
            "info depth 1 nodes 1 pv a1a2",
            "info string score cp 5",
            "info pv score cp 5",
            "info multipv 2 score cp 5",
            "info multipv x score cp 5",
            "info score",
            "info score cp",
            "info score cp many",
            "info score mate x",
            "info wdl 0 0 0",
            "info wdl -5 4 2",
            "info wdl 9223372036854775807 9223372036854775807 1",
            "score cp 5",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
        assert_eq!(read("info score cp 99999999999"), Some((29_000, false)));
        assert_eq!(read("info score mate -9223372036854775808"), Some((-29_001, false)));
        assert_eq!(read("info depth score cp 5"), Some((5, false)), "a missing number hides nothing");
    }

    #[test]
    fn scores_follow_their_formula() {
        let texts = |score: ReportedScore| Protocol::ALL.map(|protocol| score.write(protocol));
        assert_eq!(texts(ReportedScore::Centipawns(191)), ["cp 191", "cp 191", "191"]);
        assert_eq!(texts(ReportedScore::Win(Some(1))), ["mate 1", "mate 1", "29999"]);
        assert_eq!(texts(ReportedScore::Win(Some(5))), ["mate 3", "mate 5", "29995"]);
        assert_eq!(texts(ReportedScore::Loss(Some(4))), ["mate -2", "mate -4", "-29996"]);
    }
}
