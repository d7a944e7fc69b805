//! The movetext of a game in words, without what is skipped.

/// A word that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Move(&'a str),
    /// `1-0`, `*` and so on.
    Result(&'a str),
    /// A bracket that is never closed; nothing comes after it.
    Open(char),
}

const RESULTS: [&str; 5] = ["1-0", "0-1", "1/2-1/2", "½-½", "*"];

/// The words with their lines; the text begins in `line`.
pub(super) fn tokens(text: &str, mut line: usize) -> Vec<(usize, Token<'_>)> {
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
            '(' => {
                variations.push(line);
                1
            }
            ')' => {
                variations.pop();
                1
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let ends = |character: char| character.is_whitespace() || "{};()".contains(character);
                let length = rest.find(ends).unwrap_or(rest.len()).max(first.len_utf8());
                if variations.is_empty() {
                    found.extend(word(&rest[..length]).map(|token| (line, token)));
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

/// What a word says: a move, a result, or nothing, as numbers and evaluations do.
fn word(text: &str) -> Option<Token<'_>> {
    if RESULTS.contains(&text) {
        return Some(Token::Result(text));
    }
    // `12.`, `12...`, `12.Che3`
    let after = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let numbered = after.len() < text.len() && after.starts_with(['.', '…']);
    let text = if numbered { after.trim_start_matches(['.', '…']) } else { text };
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    // Praise, and lines drawn between games.
    let is_drawn = text.chars().all(|character| "!?.…=-_*#~".contains(character));
    let says_nothing = is_number || text.starts_with('$') || is_drawn;
    (!says_nothing).then_some(Token::Move(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_move_is_skipped() {
        let text = "1. h3e3 {a [comment]\nof (two lines} 1... h10g8 $1 (1... b10c8 {no )} (2. a1a2)) ; the rest }\n2.a1a2!? 1/2-1/2";
        let moves = tokens(text, 7);
        let expected = [
            (7, Token::Move("h3e3")),
            (8, Token::Move("h10g8")),
            (9, Token::Move("a1a2!?")),
            (9, Token::Result("1/2-1/2")),
        ];
        assert_eq!(moves, expected);
    }

    #[test]
    fn what_stays_open_is_named_with_its_line() {
        assert_eq!(tokens("a1a2\n{never", 1), [(1, Token::Move("a1a2")), (2, Token::Open('{'))]);
        assert_eq!(tokens("a1a2 (b1\nb2", 1).last(), Some(&(1, Token::Open('('))));
    }
}
