//! Games of a log in PGN, for other programs. Moves are in UCI, which is exact in every variant. Every game has its start
//! position, so any program that knows the variant can replay it.

use crate::limit::{Clock, Limit};
use crate::log::{GameEntry, Games, Header};
use crate::score::Score;
use rules::{GameResult, Side, Variant, VariantId};
use std::fmt::Write as _;
use std::time::Duration;

/// Longest line of movetext.
const WIDTH: usize = 80;

/// The games in PGN. White is the player who moves first. The games must be legal ([`crate::log::check_games`]).
///
/// The tags are the seven that PGN requires, in their order (`Date` is the day the game was finished, in UTC, and `Site`
/// is unknown), then `Variant`, `RuleSet`, `SetUp`, `FEN`, `TimeControl`, `PlyCount` and `Termination`.
pub fn export(header: &Header, games: &Games) -> String {
    let start = header.variant.parse::<VariantId>().map_or("", |id| rules::dispatch!(id, V => V::START));
    let limits = header.players.each_ref().map(|player| player.settings.limit().unwrap_or(header.limit));
    let mut out = String::new();
    for game in games.values() {
        let [a, b] = header.players.each_ref().map(|player| player.name.as_str());
        let moves_first = game.side_of_first_named == Side::First;
        let (white, black) = if moves_first { (a, b) } else { (b, a) };
        let result = match game.result {
            GameResult::FirstWins => "1-0",
            GameResult::Draw => "1/2-1/2",
            GameResult::SecondWins => "0-1",
        };
        let fen = game.start_fen.as_deref().unwrap_or(start);
        let mut tags = vec![
            ("Event", "kirin match".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", date(game.finished_at)),
            ("Round", format!("{}.{}", game.pair + 1, if moves_first { 1 } else { 2 })),
            ("White", white.to_owned()),
            ("Black", black.to_owned()),
            ("Result", result.to_owned()),
            ("Variant", header.variant.clone()),
            ("RuleSet", header.ruleset.clone()),
        ];
        if !fen.is_empty() {
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", fen.to_owned()));
        }
        if header.limit != Limit::Own {
            tags.push(("TimeControl", header.limit.to_string()));
        }
        tags.push(("PlyCount", game.plies.to_string()));
        tags.push(("Termination", game.termination.name().to_owned()));
        for (name, value) in tags {
            let _ = writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
        }
        out.push('\n');
        let [a, b] = limits.map(|limit| Clock::new(limit, Duration::ZERO));
        let clocks = if moves_first { [a, b] } else { [b, a] };
        write_moves(&mut out, game, fen, clocks, result);
        out.push('\n');
    }
    out
}

/// `YYYY.MM.DD`, with question marks for a date that is not known.
fn date(seconds: Option<u64>) -> String {
    let Some(seconds) = seconds else { return "????.??.??".to_owned() };
    // The Gregorian calendar in years that begin in March, so that the leap day is the last of its year, and in eras of
    // 400 years, all of which have 146,097 days (Hinnant, chrono-compatible low-level date algorithms).
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    format!("{year:04}.{month:02}.{day:02}")
}

/// `clocks`: of White and Black at the start.
fn write_moves(out: &mut String, game: &GameEntry, fen: &str, mut clocks: [Clock; 2], result: &str) {
    // In FEN the first player is `w`; a game may begin with the second player's move.
    let offset = usize::from(fen.split_whitespace().nth(1) == Some("b"));
    let mut words = Vec::new();
    for (ply, mv) in game.moves.split_whitespace().enumerate() {
        let number = (ply + offset) / 2 + 1;
        if (ply + offset) % 2 == 0 {
            words.push(format!("{number}."));
        } else if ply == 0 {
            words.push(format!("{number}..."));
        }
        words.push(mv.to_owned());
        if ply + 1 == game.opening_plies as usize {
            words.push("{opening}".to_owned());
        }
        let mut comments = Vec::new();
        if let Some(&Some(score)) = game.scores.get(ply) {
            comments.push(evaluation(if (ply + offset) % 2 == 0 { score } else { score.reversed() }));
        }
        if let Some(&spent) = game.spent_ms.get(ply)
            && ply >= game.opening_plies as usize
        {
            comments.push(time_comment(&mut clocks[(ply + offset) % 2], Duration::from_millis(spent.into())));
        }
        if !comments.is_empty() {
            words.push(format!("{{{}}}", comments.join(" ")));
        }
    }
    if !game.reason.is_empty() {
        // A brace would end the comment.
        words.push(format!("{{{}}}", game.reason.replace(['{', '}', '\n', '\r'], " ")));
    }
    words.push(result.to_owned());
    let mut column = 0;
    for word in words {
        if column + word.chars().count() + 1 > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word);
        column += word.chars().count();
    }
    out.push('\n');
}

/// White's evaluation (`%eval`), in pawns or moves to a mate.
fn evaluation(score: Score) -> String {
    match score.mate() {
        Some(moves) => format!("[%eval #{moves}]"),
        None => format!("[%eval {:.2}]", f64::from(score.centipawns()) / 100.0),
    }
}

/// The time left on the clock after the move (`%clk`); for players without a clock, the time that the move took (`%emt`).
fn time_comment(clock: &mut Clock, spent: Duration) -> String {
    let (name, time) = match clock.limit {
        Limit::Clock { .. } | Limit::Byoyomi { .. } => {
            clock.spend(spent);
            ("clk", clock.left)
        }
        _ => ("emt", spent),
    };
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("[%{name} {hours}:{minutes:02}:{seconds:02}.{:03}]", time.subsec_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, day) in [
            (0, "1970.01.01"),
            (951_782_400, "2000.02.29"),
            (951_868_799, "2000.02.29"),
            (951_868_800, "2000.03.01"),
            (1_735_689_599, "2024.12.31"),
            (1_795_305_600, "2026.11.22"),
            (4_107_542_400, "2100.03.01"),
        ] {
            assert_eq!(date(Some(seconds)), day);
        }
        assert_eq!(date(None), "????.??.??");
    }
}
