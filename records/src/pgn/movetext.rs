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
    while let Some(&first) = rest.as_bytes().first() {
        let length = match first {
            b'\n' => {
                line += 1;
                1
            }
            b'\t'..=b'\r' | b' ' => 1,
            b'{' => match rest.find('}') {
                Some(end) => {
                    line += rest[..end].matches('\n').count();
                    end + 1
                }
                None => {
                    found.push((line, Token::Open('{')));
                    return found;
                }
            },
            b';' => rest.find('\n').unwrap_or(rest.len()),
            _ => {
                let first = rest.chars().next().unwrap_or_default();
                match first {
                    '(' | '（' => variations.push(line),
                    ')' | '）' => drop(variations.pop()),
                    _ if !first.is_whitespace() => {
                        let length = length_of_word(rest).max(first.len_utf8());
                        if variations.is_empty() {
                            found.extend(word(&rest[..length]).into_iter().flatten().map(|token| (line, token)));
                        }
                        rest = &rest[length..];
                        continue;
                    }
                    _ => {}
                }
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    if let Some(&opened) = variations.first() {
        found.push((opened, Token::Open('(')));
    }
    found
}

/// The bytes up to the first white space, bracket or semicolon.
fn length_of_word(text: &str) -> usize {
    let ends = |character: char| character.is_whitespace() || "{};()（）".contains(character);
    let is_plain =
        |byte: u8| byte.is_ascii() && !matches!(byte, b'\t'..=b'\r' | b' ' | b'{' | b'}' | b';' | b'(' | b')');
    let plain = text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len());
    match text.as_bytes().get(plain) {
        Some(byte) if !byte.is_ascii() => text[plain..].find(ends).map_or(text.len(), |end| plain + end),
        _ => plain,
    }
}

/// What a word says: a number, a move or a number with its move, a result, or nothing, as evaluations do.
fn word(text: &str) -> [Option<Token<'_>>; 2] {
    // `12.` and `12...`, which half of the words are in a plain file.
    let number = text.trim_end_matches('.');
    if number.len() < text.len() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return [Some(Token::Number(number)), None];
    }
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
