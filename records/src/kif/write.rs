//! Games as KIF.

use rules::{Notation, PositionFormat, UnknownNotation, Variant};

use super::ends::{until_text, word_for};
use super::header::{number_text, piece};
use crate::annotation::Annotation;
use crate::date;
use crate::diagram::{Diagram, HAND};
use crate::note;
use crate::record::TaggedGame;
use crate::tags::one_line;
use crate::written::WrittenResult;

/// Appends a record. One that does not begin from the variant's own start has a diagram. What KIF has no words for
/// stands in comments: how the game ended, by which rules it was played, its round and the plies of its opening.
///
/// # Errors
/// The variant has no KIF.
pub fn write<V: Variant>(out: &mut String, record: &TaggedGame<V>) -> Result<(), UnknownNotation> {
    write_annotated(out, record, &[])
}

/// Like [`write()`], with a comment behind each move that has one; later moves may be without.
///
/// # Errors
/// The variant has no KIF.
pub fn write_annotated<V: Variant>(
    out: &mut String,
    record: &TaggedGame<V>,
    annotations: &[Annotation],
) -> Result<(), UnknownNotation> {
    let notation = Notation::<V>::named("kif")?;
    let format = PositionFormat::<V>::named("sfen")?;
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    let game = &record.game;
    line("# KIF version=2.0 encoding=UTF-8".to_owned());
    let start = game.start_position();
    let tags = &record.tags;
    let date = tags.date.as_deref().map(|date| date::with_separator(date, '/'));
    let header = [("開始日時", &date), ("棋戦", &tags.event), ("場所", &tags.site), ("戦型", &tags.opening)];
    for (key, value) in header {
        if let Some(value) = value {
            line(format!("{key}：{}", one_line(value)));
        }
    }
    match start.start_fen() {
        None => line("手合割：平手".to_owned()),
        Some(_) => diagram(&Diagram::of_sfen(&format.write(start))).into_iter().for_each(&mut line),
    }
    for (key, value) in [("先手", &tags.first), ("後手", &tags.second)] {
        line(format!("{key}：{}", one_line(value.as_deref().unwrap_or_default())));
    }
    // Behind a line of the header, which is what tells where a game begins.
    note::write(record).into_iter().for_each(|comment| line(format!("# {comment}")));
    line("手数----指手---------消費時間--".to_owned());
    for (at, (position, &mv)) in game.positions().iter().zip(game.moves()).enumerate() {
        line(format!("{:>4} {}", at + 1, notation.write(position, mv)));
        if let Some(annotation) = annotations.get(at).filter(|annotation| !annotation.comment.is_empty()) {
            line(format!("*{}", one_line(&annotation.comment)));
        }
    }
    let end = match &record.outcome {
        None => Some("中断"),
        Some(outcome) => {
            let verdict = match outcome.winner() {
                None => WrittenResult::Result(outcome.result),
                Some(winner) if winner == game.side() => WrittenResult::SideToMoveWins,
                Some(_) => WrittenResult::SideToMoveLoses,
            };
            word_for(verdict, outcome.termination)
        }
    };
    if let Some(word) = end {
        line(format!("{:>4} {word}", game.ply() + 1));
    }
    line(until_text(game.ply() as usize, record.outcome, end));
    line(String::new());
    Ok(())
}

fn diagram(diagram: &Diagram) -> Vec<String> {
    let ranks = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let frame = "+---------------------------+";
    let mut lines = vec![
        format!("後手の持駒：{}", hand(&diagram.hands[1])),
        "  ９ ８ ７ ６ ５ ４ ３ ２ １".to_owned(),
        frame.to_owned(),
    ];
    for (cells, rank) in diagram.cells.iter().zip(ranks) {
        let cell = |code: &String| {
            let sign = if code.contains(|letter: char| letter.is_ascii_lowercase()) { 'v' } else { ' ' };
            format!("{sign}{}", piece(&code.to_ascii_uppercase()))
        };
        lines.push(format!("|{}|{rank}", cells.iter().map(cell).collect::<String>()));
    }
    lines.extend([frame.to_owned(), format!("先手の持駒：{}", hand(&diagram.hands[0]))]);
    lines.extend(diagram.second_moves.then(|| "後手番".to_owned()));
    lines
}

fn hand(held: &[usize; 7]) -> String {
    let pieces = HAND.iter().zip(held).filter(|(_, count)| **count > 0);
    let words: Vec<String> =
        pieces.map(|((letter, _), &count)| format!("{}{}", piece(&letter.to_string()), number_text(count))).collect();
    if words.is_empty() { "なし".to_owned() } else { words.join("　") }
}
