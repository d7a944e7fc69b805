//! How games end in Japanese words.

use rules::{GameResult, Outcome, Side, Termination};

use crate::written::{WrittenGame, WrittenResult, win};

/// The words that stand in the place of a move, with the winner and the reason.
const WORDS: &[(&str, WrittenResult, Option<Termination>)] = &[
    ("投了", WrittenResult::SideToMoveLoses, Some(Termination::Resign)),
    ("詰み", WrittenResult::SideToMoveLoses, Some(Termination::Checkmate)),
    ("詰", WrittenResult::SideToMoveLoses, Some(Termination::Checkmate)),
    ("切れ負け", WrittenResult::SideToMoveLoses, Some(Termination::Error)),
    ("時間切れ", WrittenResult::SideToMoveLoses, Some(Termination::Error)),
    ("Time-up", WrittenResult::SideToMoveLoses, Some(Termination::Error)),
    ("反則勝ち", WrittenResult::SideToMoveWins, Some(Termination::Error)),
    ("反則負け", WrittenResult::SideToMoveLoses, Some(Termination::Error)),
    ("入玉勝ち", WrittenResult::SideToMoveWins, Some(Termination::Declaration)),
    ("入玉宣言勝ち", WrittenResult::SideToMoveWins, Some(Termination::Declaration)),
    ("宣言勝ち", WrittenResult::SideToMoveWins, Some(Termination::Declaration)),
    ("勝ち宣言", WrittenResult::SideToMoveWins, Some(Termination::Declaration)),
    ("千日手", WrittenResult::Result(GameResult::Draw), Some(Termination::Repetition)),
    ("持将棋", WrittenResult::Result(GameResult::Draw), Some(Termination::Impasse)),
    ("最大手数", WrittenResult::Result(GameResult::Draw), Some(Termination::MaxPlies)),
    ("引き分け", WrittenResult::Result(GameResult::Draw), None),
    ("中断", WrittenResult::Unknown, None),
    ("不詰", WrittenResult::Unknown, None),
    ("不戦勝", WrittenResult::Unknown, None),
    ("不戦敗", WrittenResult::Unknown, None),
];

/// Whether the text is one of the words; if so, the game is at its end.
pub(super) fn word(text: &str, game: &mut WrittenGame) -> bool {
    let found = WORDS.iter().find(|(word, ..)| text.starts_with(word));
    if let Some(&(word, verdict, termination)) = found {
        game.end_by_word(word, verdict, termination);
        game.ends_illegally = word.starts_with("反則");
    }
    found.is_some()
}

/// Takes over what a comment of 81Dojo's says of the end: `反則手にて終局` stands behind an illegal move and says no more.
pub(super) fn remark(comment: &str, game: &mut WrittenGame) {
    let Some(how) = comment.trim().strip_suffix("にて終局").filter(|_| game.verdict == WrittenResult::Unknown)
    else {
        return;
    };
    if how.starts_with("反則") {
        game.end_by_word(how, WrittenResult::SideToMoveWins, Some(Termination::Error));
        game.ends_illegally = true;
    } else {
        word(how, game);
    }
}

/// The word for an end, from the view of the player to move; none where every word would be wrong. A player that broke
/// a rule of repetition has lost by 反則. A loss for which there is no word is 投了 if the loser is to move: most programs
/// have no other way to record the winner.
pub(super) fn word_for(verdict: WrittenResult, termination: Termination) -> Option<&'static str> {
    let found = WORDS.iter().find(|entry| (entry.1, entry.2) == (verdict, Some(termination)));
    let otherwise = match (verdict, termination) {
        (WrittenResult::SideToMoveLoses, Termination::PerpetualCheck | Termination::PerpetualChase) => Some("反則負け"),
        (WrittenResult::SideToMoveWins, Termination::PerpetualCheck | Termination::PerpetualChase) => Some("反則勝ち"),
        (WrittenResult::SideToMoveLoses, _) => Some("投了"),
        (WrittenResult::SideToMoveWins, _) => None,
        _ => Some("引き分け"),
    };
    found.map(|(word, ..)| *word).or(otherwise)
}

/// The line behind the moves that names the winner: `まで123手で先手の勝ち`.
pub(super) fn until_text(plies: usize, outcome: Option<Outcome>, word: Option<&str>) -> String {
    let name = |side: Side| if side == Side::First { "先手" } else { "後手" };
    let end = match outcome.map(|outcome| (outcome.winner(), word)) {
        None => "中断".to_owned(),
        Some((None, word)) => word.unwrap_or("引き分け").to_owned(),
        Some((Some(winner), Some("反則負け"))) => format!("{}の反則負け", name(winner.other())),
        Some((Some(winner), Some("反則勝ち"))) => format!("{}の反則勝ち", name(winner)),
        Some((Some(winner), _)) => format!("{}の勝ち", name(winner)),
    };
    format!("まで{plies}手で{end}")
}

/// What a line says such as `まで123手で先手の勝ち`.
pub(super) struct Until {
    text: String,
    verdict: WrittenResult,
    termination: Option<Termination>,
}

/// Reads such a line.
pub(super) fn until(text: &str) -> Option<Until> {
    let rest = text.trim().strip_prefix("まで")?;
    let sides = [("先手", Side::First), ("下手", Side::First), ("後手", Side::Second), ("上手", Side::Second)];
    // The last verdict (`不戦勝により後手の勝ち`) and the name before it (`後手の勝ち（先手投了）`).
    let before = &rest[..rest.rfind(['勝', '負']).unwrap_or(rest.len())];
    let named = sides.iter().filter_map(|&(name, side)| Some((before.rfind(name)?, side)));
    let side = named.max_by_key(|&(at, _)| at).map(|(_, side)| side);
    let verdict = match side {
        Some(side) if rest[before.len()..].starts_with('負') => win(side.other()),
        Some(side) if rest[before.len()..].starts_with('勝') => win(side),
        _ if ["千日手", "持将棋", "引き分け", "最大手数"].iter().any(|word| rest.contains(word)) => {
            WrittenResult::Result(GameResult::Draw)
        }
        _ => WrittenResult::Unknown,
    };
    let reasons = [
        ("千日手", Termination::Repetition),
        ("持将棋", Termination::Impasse),
        ("反則", Termination::Error),
        ("時間", Termination::Error),
        ("切れ", Termination::Error),
        ("入玉", Termination::Declaration),
        ("詰", Termination::Checkmate),
    ];
    let termination = reasons.iter().find(|(word, _)| rest.contains(word)).map(|&(_, reason)| reason);
    Some(Until { text: rest.to_owned(), verdict, termination })
}

impl Until {
    /// Takes over the result, the winner and the reason. The line names the winner more clearly than a word does.
    pub fn apply(self, game: &mut WrittenGame) {
        game.tags.result.get_or_insert(self.text);
        if self.verdict != WrittenResult::Unknown {
            game.verdict = self.verdict;
            game.ends_illegally |= self.termination == Some(Termination::Error);
            game.termination = game.termination.or(self.termination);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_winner_is_named_beside_the_verdict() {
        for (text, winner) in [
            ("まで123手で先手の勝ち", Side::First),
            ("まで100手で後手の勝ち（先手投了）", Side::Second),
            ("まで0手で不戦勝により下手の勝ち", Side::First),
            ("まで57手で時間切れにより上手の勝ち", Side::Second),
            ("まで12手で先手の反則負け", Side::Second),
        ] {
            assert_eq!(until(text).expect("an end").verdict, win(winner), "{text}");
        }
        assert_eq!(until("まで80手で千日手").expect("an end").verdict, WrittenResult::Result(GameResult::Draw));
        assert_eq!(until("まで80手で中断").expect("an end").verdict, WrittenResult::Unknown);
    }
}
