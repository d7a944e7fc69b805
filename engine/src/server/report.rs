//! Reports of a search as replies of the protocols.

use crate::protocol::{GameNotation, Info, Protocol, Reply, ReportedScore};
use crate::score::Score;
use rules::{Position, Variant};
use search::Proof;
use search::analysis::{AnalysisReport, Variation};

/// What a report is to contain.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReportFormat {
    pub protocol: Protocol,
    /// Whether win, draw and loss are shown.
    pub show_wdl: bool,
    /// Most bytes of the tree.
    pub tree_bytes: usize,
}

/// The replies for a report about a position, one for each of its lines (UCCI: for the best alone).
pub(super) fn info<V: Variant>(
    position: &Position<V>,
    notation: GameNotation<V>,
    report: &AnalysisReport,
    format: ReportFormat,
) -> Vec<Reply> {
    let depth = (report.depth.round() as u32).max(1);
    let is_ucci = format.protocol == Protocol::Ucci;
    let shown = if is_ucci { 1 } else { report.lines.len() };
    let reply = |(number, line): (usize, &Variation)| {
        let brief = Info {
            depth: Some(depth),
            score: Some(score(line)),
            nodes: Some(report.simulations),
            time: Some(report.elapsed),
            pv: moves(position, notation, line),
            ..Info::default()
        };
        if is_ucci {
            return Reply::Info(brief);
        }
        let full = (1_000 * report.tree_bytes / format.tree_bytes.max(1)).min(1_000);
        Reply::Info(Info {
            seldepth: Some((report.seldepth as u32).max(depth)),
            multipv: Some(number as u32 + 1),
            wdl: format.show_wdl.then(|| thousandths(line.wdl)),
            nps: Some(report.simulations_per_second().round() as u64),
            hashfull: Some(full as u32),
            ..brief
        })
    };
    report.lines.iter().take(shown).enumerate().map(reply).collect()
}

/// The moves of a line.
pub(super) fn moves<V: Variant>(position: &Position<V>, notation: GameNotation<V>, line: &Variation) -> Vec<String> {
    let mut position = position.clone();
    let write = |&mv| {
        let text = notation.write_move(&position, mv);
        position.play(mv);
        text
    };
    line.moves.iter().map(write).collect()
}

/// The score of a line.
fn score(line: &Variation) -> ReportedScore {
    match line.proven {
        Some((Proof::Win, plies)) => ReportedScore::Win(Some(plies.into())),
        Some((Proof::Loss, plies)) => ReportedScore::Loss(Some(plies.into())),
        Some((Proof::Draw, _)) => ReportedScore::Centipawns(0),
        None => ReportedScore::Centipawns(Score::of_expected(line.q()).centipawns().into()),
    }
}

/// Win, draw and loss in thousandths that add up.
fn thousandths(wdl: [f32; 3]) -> [u32; 3] {
    let [win, _, loss] = wdl.map(|part| ((1_000.0 * part).round() as u32).min(1_000));
    let loss = loss.min(1_000 - win);
    [win, 1_000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_follow_their_formula() {
        let line = |wdl, proven| Variation { moves: Vec::new(), visits: 1, share: 1.0, prior: 1.0, wdl, proven };
        assert_eq!(score(&line([0.75, 0.0, 0.25], None)), ReportedScore::Centipawns(191));
        assert_eq!(score(&line([1.0, 0.0, 0.0], Some((Proof::Win, 5)))), ReportedScore::Win(Some(5)));
        assert_eq!(score(&line([0.0, 0.0, 1.0], Some((Proof::Loss, 4)))), ReportedScore::Loss(Some(4)));
        assert_eq!(score(&line([0.0, 1.0, 0.0], Some((Proof::Draw, 4)))), ReportedScore::Centipawns(0));
    }

    #[test]
    fn thousandths_add_up() {
        for wdl in [[1.0, 0.0, 0.0], [0.3335, 0.333, 0.3335], [0.9995, 0.0, 0.0005], [0.0, 0.0, 1.0]] {
            assert_eq!(thousandths(wdl).iter().sum::<u32>(), 1_000, "{wdl:?}");
        }
        assert_eq!(thousandths([0.5, 0.3, 0.2]), [500, 300, 200]);
    }
}
