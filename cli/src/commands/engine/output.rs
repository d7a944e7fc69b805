//! What a search has to say, in the words of each protocol.

use super::protocol::Protocol;
use eval::Score;
use rules::{Notation, Position, Variant};
use selfplay::Proof;
use selfplay::analysis::{Line, Report};
use std::fmt::Write;

/// UCCI's score of a win now; one in n plies is n less.
const UCCI_MATE: i32 = 30_000;

/// How a report is to be written.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The language.
    pub protocol: Protocol,
    /// Whether win, draw and loss are shown.
    pub wdl: bool,
    /// Most bytes of the tree.
    pub tree_bytes: usize,
}

/// Win, draw and loss in thousandths that add up.
fn thousandths(wdl: [f32; 3]) -> [u32; 3] {
    let [win, _, loss] = wdl.map(|part| ((1_000.0 * part).round() as u32).min(1_000));
    let loss = loss.min(1_000 - win);
    [win, 1_000 - win - loss, loss]
}

/// The score of a line. UCI counts the moves to a mate, USI the plies.
fn score(protocol: Protocol, line: &Line) -> String {
    let certain = match line.proven {
        Some((Proof::Win, plies)) => Some((1, i32::from(plies))),
        Some((Proof::Loss, plies)) => Some((-1, i32::from(plies))),
        _ => None,
    };
    let open = match line.proven {
        Some((Proof::Draw, _)) => 0,
        _ => Score::of_expected(line.q()).centipawns(),
    };
    match (protocol, certain) {
        (Protocol::Uci, Some((sign, plies))) => format!("mate {}", sign * ((plies + 1) / 2)),
        (Protocol::Usi, Some((sign, plies))) => format!("mate {}", sign * plies),
        (Protocol::Ucci, Some((sign, plies))) => (sign * (UCCI_MATE - plies)).to_string(),
        (Protocol::Uci | Protocol::Usi, None) => format!("cp {open}"),
        (Protocol::Ucci, None) => open.to_string(),
    }
}

/// The `info` lines of a report about a position, one for each of its lines (UCCI: only the best).
pub fn info<V: Variant>(position: &Position<V>, notation: &Notation<V>, report: &Report, view: View) -> String {
    let depth = (report.depth.round() as usize).max(1);
    let time = report.elapsed.as_millis();
    let mut text = String::new();
    let shown = if view.protocol == Protocol::Ucci { 1 } else { report.lines.len() };
    for (number, line) in report.lines.iter().take(shown).enumerate() {
        if number > 0 {
            text.push('\n');
        }
        let (score, pv) = (score(view.protocol, line), moves(position, notation, line).join(" "));
        let nodes = report.simulations;
        let _ = match view.protocol {
            Protocol::Ucci => write!(text, "info depth {depth} score {score} time {time} nodes {nodes} pv {pv}"),
            Protocol::Uci | Protocol::Usi => {
                let wdl = match thousandths(line.wdl) {
                    [win, draw, loss] if view.wdl => format!(" wdl {win} {draw} {loss}"),
                    _ => String::new(),
                };
                write!(
                    text,
                    "info depth {depth} seldepth {} multipv {} score {score}{wdl} nodes {nodes} nps {:.0} hashfull {} time {time} pv {pv}",
                    report.seldepth.max(depth),
                    number + 1,
                    report.simulations_per_second(),
                    (1_000 * report.tree_bytes / view.tree_bytes.max(1)).min(1_000),
                )
            }
        };
    }
    text
}

/// The moves of a line.
fn moves<V: Variant>(position: &Position<V>, notation: &Notation<V>, line: &Line) -> Vec<String> {
    let mut position = position.clone();
    let write = |&mv| {
        let text = notation.write(&position, mv);
        position.play(mv);
        text
    };
    line.moves.iter().map(write).collect()
}

/// `bestmove` with the reply to ponder about.
pub fn best_move<V: Variant>(position: &Position<V>, notation: &Notation<V>, line: &Line) -> String {
    match moves(position, notation, line).as_slice() {
        [best, reply, ..] => format!("bestmove {best} ponder {reply}"),
        [best] => format!("bestmove {best}"),
        [] => no_move(Protocol::Uci).to_owned(),
    }
}

/// The answer where there is no move to make.
pub fn no_move(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Uci => "bestmove (none)",
        Protocol::Usi => "bestmove resign",
        Protocol::Ucci => "nobestmove",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(wdl: [f32; 3], proven: Option<(Proof, u16)>) -> Line {
        Line { moves: Vec::new(), visits: 1, share: 1.0, prior: 1.0, wdl, proven }
    }

    #[test]
    fn scores_follow_their_formula() {
        let texts = |line: &Line| [Protocol::Uci, Protocol::Usi, Protocol::Ucci].map(|protocol| score(protocol, line));
        assert_eq!(texts(&line([0.75, 0.0, 0.25], None)), ["cp 191", "cp 191", "191"]);
        assert_eq!(texts(&line([1.0, 0.0, 0.0], Some((Proof::Win, 1)))), ["mate 1", "mate 1", "29999"]);
        assert_eq!(texts(&line([1.0, 0.0, 0.0], Some((Proof::Win, 5)))), ["mate 3", "mate 5", "29995"]);
        assert_eq!(texts(&line([0.0, 0.0, 1.0], Some((Proof::Loss, 4)))), ["mate -2", "mate -4", "-29996"]);
        assert_eq!(texts(&line([0.0, 1.0, 0.0], Some((Proof::Draw, 4)))), ["cp 0", "cp 0", "0"]);
    }

    #[test]
    fn thousandths_add_up() {
        for wdl in [[1.0, 0.0, 0.0], [0.3335, 0.333, 0.3335], [0.9995, 0.0, 0.0005], [0.0, 0.0, 1.0]] {
            assert_eq!(thousandths(wdl).iter().sum::<u32>(), 1_000, "{wdl:?}");
        }
        assert_eq!(thousandths([0.5, 0.3, 0.2]), [500, 300, 200]);
    }
}
