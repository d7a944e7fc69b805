//! Games of a log in PGN, for other programs. Moves are in UCI, which is exact in every variant; every game has its
//! start position, so that any program that knows the variant can replay it.

use crate::limit::{Clock, Limit};
use crate::log::{GameEntry, Games, Header};
use crate::score::Score;
use rules::{Variant, VariantId};
use std::fmt::Write as _;
use std::time::Duration;

/// Longest line of movetext.
const WIDTH: usize = 80;

/// All games of a log. White is who moves first.
pub fn export(header: &Header, games: &Games) -> String {
    let start = header.variant.parse::<VariantId>().map_or("", |id| rules::dispatch!(id, V => V::START));
    let limits = header.players.each_ref().map(|player| {
        let own = player.search.get("limit").and_then(|limit| limit.as_str()).and_then(|text| text.parse().ok());
        own.unwrap_or(header.limit)
    });
    let mut out = String::new();
    for game in games.values() {
        let [a, b] = header.players.each_ref().map(|player| player.name.as_str());
        let (white, black) = if game.first_named_first { (a, b) } else { (b, a) };
        let result = match game.result {
            1 => "1-0",
            0 => "1/2-1/2",
            _ => "0-1",
        };
        let mut tags = vec![
            ("Event", "kirin match".to_owned()),
            ("Round", format!("{}.{}", game.pair + 1, if game.first_named_first { 1 } else { 2 })),
            ("White", white.to_owned()),
            ("Black", black.to_owned()),
            ("Result", result.to_owned()),
            ("Variant", header.variant.clone()),
            ("RuleSet", header.ruleset.clone()),
        ];
        let fen = if game.fen.is_empty() { start } else { &game.fen };
        if !fen.is_empty() {
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", fen.to_owned()));
        }
        if header.limit != Limit::Own {
            tags.push(("TimeControl", header.limit.to_string()));
        }
        tags.push(("PlyCount", game.plies.to_string()));
        tags.push(("Termination", game.termination.clone()));
        for (name, value) in tags {
            let _ = writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
        }
        out.push('\n');
        let [a, b] = limits.map(|limit| Clock::new(limit, Duration::ZERO));
        let clocks = if game.first_named_first { [a, b] } else { [b, a] };
        write_moves(&mut out, game, fen, clocks, result);
        out.push('\n');
    }
    out
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
        let mut told = Vec::new();
        if let Some(&Some(score)) = game.scores.get(ply) {
            told.push(evaluation(if (ply + offset) % 2 == 0 { score } else { score.reversed() }));
        }
        if let Some(&spent) = game.spent_ms.get(ply)
            && ply >= game.opening_plies as usize
        {
            told.push(time_comment(&mut clocks[(ply + offset) % 2], Duration::from_millis(spent.into())));
        }
        if !told.is_empty() {
            words.push(format!("{{{}}}", told.join(" ")));
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

/// What is left on the clock after the move (`%clk`); for players without one, what the move took (`%emt`).
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
