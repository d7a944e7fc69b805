//! What engines say while they think: the score in their `info` lines.

use crate::score::Score;

/// Score of the best line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub score: Score,
    /// Whether the true one is only known to be higher, or lower.
    pub bound: bool,
}

impl Said {
    /// Reads an `info` line of any of the protocols; `None` where it says no score, or that of another line than the best.
    /// A mate is a mate; else win, draw and loss (`wdl`) come before centipawns, whose size is each engine's own.
    pub fn read(line: &str) -> Option<Said> {
        let mut words = line.strip_prefix("info ")?.split_whitespace().peekable();
        let number = |word: Option<&str>| word?.parse::<i64>().ok();
        let (mut mate, mut centipawns, mut expected, mut bound) = (None, None, None, false);
        while let Some(word) = words.next() {
            match word {
                // What follows are moves, or anything.
                "pv" | "string" | "currline" | "refutation" => break,
                "multipv" if number(words.next()) != Some(1) => return None,
                "lowerbound" | "upperbound" => bound = true,
                "score" => match words.next() {
                    Some("mate") => {
                        mate = match words.next() {
                            // USI, where the distance is not known.
                            Some("+") => Some(Score::of_mate(UNKNOWN)),
                            Some("-") => Some(Score::of_mate(-UNKNOWN)),
                            word => number(word).map(Score::of_mate),
                        }
                    }
                    Some("cp") => centipawns = number(words.next()).map(Score::of_centipawns),
                    // UCCI has the number alone.
                    word => centipawns = number(word).map(Score::of_centipawns),
                },
                "wdl" => {
                    let counts = [words.next(), words.next(), words.next()].map(number);
                    if let [Some(win), Some(draw), Some(loss)] = counts
                        && counts.iter().flatten().all(|count| (0..=1_000_000).contains(count))
                        && win + draw + loss > 0
                    {
                        expected = Some(Score::of_expected((win - loss) as f32 / (win + draw + loss) as f32));
                    }
                }
                _ => {}
            }
        }
        mate.or(expected).or(centipawns).map(|score| Said { score, bound })
    }
}

/// Moves to a mate whose distance is not told.
const UNKNOWN: i64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(i32, bool)> {
        Said::read(line).map(|said| (said.score.centipawns(), said.bound))
    }

    #[test]
    fn scores_in_each_dialect() {
        assert_eq!(read("info depth 9 seldepth 12 score cp -35 nodes 100 pv e2e4 e7e5"), Some((-35, false)));
        assert_eq!(read("info depth 9 score cp 20 lowerbound nodes 5"), Some((20, true)));
        assert_eq!(read("info depth 3 score mate 2 pv a1a2"), Some((29_998, false)));
        assert_eq!(read("info score mate -1"), Some((-29_999, false)));
        assert_eq!(read("info depth 5 score mate + pv 7g7f"), Some((29_900, false)));
        assert_eq!(read("info depth 5 score mate -"), Some((-29_900, false)));
        assert_eq!(read("info depth 6 score 4 time 3 pv b2e2"), Some((4, false)), "UCCI");
        assert_eq!(read("info multipv 1 score cp 13 wdl 700 100 200"), Some((191, false)), "wdl comes first");
        assert_eq!(read("info score mate 3 wdl 1000 0 0"), Some((29_997, false)));
    }

    #[test]
    fn what_is_no_score_is_none() {
        for line in [
            "",
            "info",
            "info depth 1 nodes 1 pv a1a2",
            "info string score cp 5",
            "info pv score cp 5",
            "info multipv 2 score cp 5",
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
    }
}
