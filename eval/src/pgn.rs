//! Games of a log in PGN, for other programs. Moves are in UCI, which is exact in every variant.

use crate::log::{GameEntry, Games, Header};
use std::fmt::Write as _;

/// Longest line of movetext.
const WIDTH: usize = 80;

/// All games of a log. White is who moves first.
pub fn export(header: &Header, games: &Games) -> String {
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
        if !game.fen.is_empty() {
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", game.fen.clone()));
        }
        tags.push(("PlyCount", game.plies.to_string()));
        tags.push(("Termination", game.termination.clone()));
        for (name, value) in tags {
            let _ = writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
        }
        out.push('\n');
        write_moves(&mut out, game, result);
        out.push('\n');
    }
    out
}

fn write_moves(out: &mut String, game: &GameEntry, result: &str) {
    // In FEN the first player is `w`; a game may begin with the second player's move.
    let second_begins = game.fen.split_whitespace().nth(1) == Some("b");
    let offset = usize::from(second_begins);
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
    }
    words.push(result.to_owned());
    let mut column = 0;
    for word in words {
        if column + word.len() + 1 > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word);
        column += word.len();
    }
    out.push('\n');
}
