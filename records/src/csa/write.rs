//! Games as CSA.

use rules::{Notation, Outcome, PositionFormat, Side, Termination, UnknownNotation, Variant};

use super::{PIECES, SPECIAL};
use crate::date;
use crate::diagram::{Diagram, HAND};
use crate::note;
use crate::record::TaggedGame;
use crate::tags::one_line;
use crate::written::{WrittenResult, win};

/// Appends a record, after a separator if there is one before it. What CSA has no words for stands in
/// comments: how the game ended, by which rules it was played, its round and the plies of its opening.
///
/// # Errors
/// The variant has no CSA.
pub fn write<V: Variant>(out: &mut String, record: &TaggedGame<V>) -> Result<(), UnknownNotation> {
    let notation = Notation::<V>::named("csa")?;
    let format = PositionFormat::<V>::named("sfen")?;
    if !out.is_empty() {
        out.push_str("/\n");
    }
    let mut line = |text: String| {
        out.push_str(&one_line(&text));
        out.push('\n');
    };
    let (game, tags) = (&record.game, &record.tags);
    let date = tags.date.as_deref().map(|date| date::with_separator(date, '/'));
    line("V2.2".to_owned());
    note::write(record).into_iter().for_each(|comment| line(format!("'{comment}")));
    for (key, value) in [
        ("N+", &tags.first),
        ("N-", &tags.second),
        ("$EVENT:", &tags.event),
        ("$SITE:", &tags.site),
        ("$OPENING:", &tags.opening),
        ("$START_TIME:", &date),
    ] {
        if let Some(value) = value {
            line(format!("{key}{value}"));
        }
    }
    let start = game.start_position();
    match start.start_fen() {
        None => ["PI", "+"].into_iter().for_each(|text| line(text.to_owned())),
        Some(_) => position(&Diagram::of_sfen(&format.write(start))).into_iter().for_each(&mut line),
    }
    for (position, &mv) in game.positions().iter().zip(game.moves()) {
        line(notation.write(position, mv));
    }
    line(record.outcome.map_or("%CHUDAN", |outcome| special(&outcome, game.side())).to_owned());
    Ok(())
}

/// The special move for an end, with this side to move. If CSA has none for the reason, the winner is still recorded:
/// the loser resigns if it is to move. If it is not, CSA has only a foul of the loser.
fn special(outcome: &Outcome, to_move: Side) -> &'static str {
    let verdicts = match outcome.winner() {
        None => [WrittenResult::Result(outcome.result); 2],
        Some(winner) if winner == to_move => [WrittenResult::SideToMoveWins, win(winner)],
        Some(winner) => [WrittenResult::SideToMoveLoses, win(winner)],
    };
    let reason = Some(outcome.termination);
    let found = SPECIAL.iter().find(|entry| verdicts.contains(&entry.1) && entry.2 == reason).map(|entry| entry.0);
    let is_foul = matches!(outcome.termination, Termination::PerpetualCheck | Termination::PerpetualChase);
    found.unwrap_or(match outcome.winner() {
        None => "%HIKIWAKE",
        Some(winner) if winner != to_move => {
            if is_foul {
                "%ILLEGAL_MOVE"
            } else {
                "%TORYO"
            }
        }
        Some(Side::First) => "%-ILLEGAL_ACTION",
        Some(Side::Second) => "%+ILLEGAL_ACTION",
    })
}

fn position(diagram: &Diagram) -> Vec<String> {
    let code = |sfen: &str| {
        let upper = sfen.to_ascii_uppercase();
        PIECES.iter().find(|(_, known)| *known == upper).map_or("", |(code, _)| *code)
    };
    let sign = |sfen: &str| if sfen.contains(|letter: char| letter.is_ascii_lowercase()) { '-' } else { '+' };
    let cell = |sfen: &String| match sfen.as_str() {
        "" => " * ".to_owned(),
        sfen => format!("{}{}", sign(sfen), code(sfen)),
    };
    let ranks = diagram.cells.iter().zip(1..);
    let mut lines: Vec<String> =
        ranks.map(|(cells, rank)| format!("P{rank}{}", cells.iter().map(cell).collect::<String>())).collect();
    for (held, sign) in diagram.hands.iter().zip(["P+", "P-"]) {
        let pieces = HAND.iter().zip(held).flat_map(|((letter, _), &count)| std::iter::repeat_n(*letter, count));
        let text: String = pieces.map(|letter| format!("00{}", code(&letter.to_string()))).collect();
        lines.extend((!text.is_empty()).then(|| format!("{sign}{text}")));
    }
    lines.push(if diagram.second_moves { "-" } else { "+" }.to_owned());
    lines
}
