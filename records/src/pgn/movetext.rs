//! The movetext of a game in words, without what is skipped.

use crate::encoding::plain;
use crate::moves;
use crate::written::WrittenResult;

/// A word that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `12.`: a move comes behind it.
    Number(&'a str),
    Move(&'a str),
    /// `1-0`, `*` and so on.
    Result(&'a str),
    /// A bracket that is never closed; nothing comes after it.
    Open(char),
}

/// The words with their lines; the text begins in `line`.
pub(crate) fn tokens(text: &str, mut line: usize) -> Vec<(usize, Token<'_>)> {
    let mut found = Vec::new();
    let mut rest = text;
    // The lines of the variations that are open.
    let mut variations: Vec<usize> = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '{' => match rest.find('}') {
                Some(end) => end + 1,
                None => {
                    found.push((line, Token::Open('{')));
                    return found;
                }
            },
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '(' | '（' => {
                variations.push(line);
                first.len_utf8()
            }
            ')' | '）' => {
                variations.pop();
                first.len_utf8()
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let ends = |character: char| character.is_whitespace() || "{};()（）".contains(character);
                let length = rest.find(ends).unwrap_or(rest.len()).max(first.len_utf8());
                if variations.is_empty() {
                    found.extend(word(&rest[..length]).into_iter().flatten().map(|token| (line, token)));
                }
                length
            }
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    if let Some(&opened) = variations.first() {
        found.push((opened, Token::Open('(')));
    }
    found
}

/// What a word says: a number, a move or a number with its move, a result, or nothing, as evaluations do.
fn word(text: &str) -> [Option<Token<'_>>; 2] {
    // Moves in UCI begin with a letter, and no result in these letters does but a draw.
    let is_move = text.is_ascii() && text.starts_with(|first: char| first.is_ascii_alphabetic()) && text != "draw";
    if !is_move && (text == "*" || moves::verdict(&plain(text)) != WrittenResult::Unknown) {
        return [None, Some(Token::Result(text))];
    }
    if is_move {
        return [None, Some(Token::Move(text))];
    }
    // `12.`, `12...`, `12.Che3`, and with full-width digits and other points `２．马二进三`, `1、`
    let after = text.trim_start_matches(is_digit);
    let rest = after.trim_start_matches(POINTS);
    // In `15.4` the point is the way of a move: the first soldier on file 5 goes to file 4.
    let is_move = rest.len() == 1 && text.len() == 4 && rest.starts_with(is_digit);
    let is_numbered = after.len() < text.len() && rest.len() < after.len() && !is_move;
    let number = is_numbered.then(|| Token::Number(&text[..text.len() - after.len()]));
    let text = if is_numbered { rest } else { text };
    let is_number = text.chars().all(is_digit);
    // Praise, and lines drawn between games.
    let is_drawn = text.chars().all(|character| "!?.…=-_*#~".contains(character));
    let says_nothing = is_number || text.starts_with('$') || is_drawn;
    [number, (!says_nothing).then_some(Token::Move(text))]
}

/// What stands behind the number of a move.
const POINTS: [char; 4] = ['.', '…', '．', '、'];

fn is_digit(character: char) -> bool {
    matches!(character, '0'..='9' | '０'..='９')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_move_is_skipped() {
        let text = "1. h3e3 {a [comment]\nof (two lines} 1... h10g8 $1 (1... b10c8 {no )} (2. a1a2)) ; the rest }\n2.a1a2!? 1/2-1/2";
        let mut moves = tokens(text, 7);
        moves.retain(|(_, token)| !matches!(token, Token::Number(_)));
        let expected = [
            (7, Token::Move("h3e3")),
            (8, Token::Move("h10g8")),
            (9, Token::Move("a1a2!?")),
            (9, Token::Result("1/2-1/2")),
        ];
        assert_eq!(moves, expected);
    }

    #[test]
    fn numbers_may_be_full_width() {
        let text = "１．炮二平五 马8进7 2、马二进三（2. 兵七进一 红胜）3．15.4 １－０";
        let words: Vec<Token<'_>> = tokens(text, 1).into_iter().map(|(_, token)| token).collect();
        let (number, mv) = (Token::Number, Token::Move);
        assert_eq!(
            words,
            [
                number("１"),
                mv("炮二平五"),
                mv("马8进7"),
                number("2"),
                mv("马二进三"),
                number("3"),
                mv("15.4"),
                Token::Result("１－０")
            ]
        );
    }

    #[test]
    fn what_stays_open_is_named_with_its_line() {
        assert_eq!(tokens("a1a2\n{never", 1), [(1, Token::Move("a1a2")), (2, Token::Open('{'))]);
        assert_eq!(tokens("a1a2 (b1\nb2", 1).last(), Some(&(1, Token::Open('('))));
    }
}
