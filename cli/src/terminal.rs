//! The terminal: its width, text that fits it, and text that is updated in place.

mod live;
mod margin;

pub use live::LiveText;
pub use margin::Margin;

use std::io::IsTerminal;
use terminal_size::{Width, terminal_size_of};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether text on standard error may have colours: it is a terminal, and NO_COLOR is not set.
pub fn has_colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// A line for standard error with its `error:` in red, or its `warning:` in yellow.
pub fn painted(line: &str) -> String {
    let mark = [("error:", 31), ("warning:", 33)].into_iter().find(|(word, _)| line.starts_with(word));
    mark.map_or_else(
        || line.to_owned(),
        |(word, colour)| format!("\x1b[1;{colour}m{word}\x1b[0m{}", &line[word.len()..]),
    )
}

/// Columns of text that goes to a file or a pipe.
pub const PLAIN_WIDTH: usize = 80;

/// Columns of the terminal on standard output; `None` where that is a file or a pipe.
pub fn columns() -> Option<usize> {
    terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| usize::from(columns))
}

/// Columns that results may take: those of the terminal, or 80 where standard output is a file or a pipe.
pub fn width() -> usize {
    columns().unwrap_or(PLAIN_WIDTH)
}

/// A line of at most `width` columns; an ellipsis stands for what does not fit.
pub fn cut(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let (mut text, mut used) = (String::new(), 1);
    for character in line.chars() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        text.push(character);
    }
    text.truncate(text.trim_end().len());
    text + "…"
}

/// Words after a heading, on as many lines as they need. Lines after the first are indented by `indent` columns.
pub fn wrap(heading: &str, words: &[impl AsRef<str>], indent: usize, width: usize) -> String {
    let (mut text, mut used) = (heading.to_owned(), heading.width());
    for word in words {
        let word = word.as_ref();
        if used + 1 + word.width() > width && used > indent {
            text = format!("{text}\n{:indent$}{word}", "");
            used = indent + word.width();
        } else {
            text = format!("{text} {word}");
            used += 1 + word.width();
        }
    }
    text
}

/// A text whose lines fit the terminal: long ones are broken between words, and continue after `indent` columns. Where
/// standard output is a file or a pipe, nothing is broken.
pub fn folded(text: &str, indent: usize) -> String {
    columns().map_or_else(|| text.to_owned(), |width| fold(text, indent, width))
}

/// A text whose lines have at most `width` columns, but for single words that are longer. What does not fit in a line
/// continues in the next one, after `indent` columns.
pub fn fold(text: &str, indent: usize, width: usize) -> String {
    let line = |line: &str| {
        let (mut out, mut used) = (String::new(), 0);
        for (number, word) in line.split(' ').enumerate() {
            if number > 0 && used + 1 + word.width() > width && used > indent {
                out += &format!("\n{:indent$}", "");
                used = indent;
            } else if number > 0 {
                out.push(' ');
                used += 1;
            }
            out += word;
            used += word.width();
        }
        out
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_by_columns_and_not_by_characters() {
        assert_eq!(cut("炮二平五 馬8", 12), "炮二平五 馬8");
        assert_eq!([11, 10, 9].map(|width| cut("炮二平五 馬8", width)), ["炮二平五…", "炮二平五…", "炮二平五…"]);
        assert_eq!([8, 1].map(|width| cut("炮二平五", width)), ["炮二平五", "…"]);
    }

    #[test]
    fn only_the_mark_of_a_line_is_painted() {
        assert_eq!(painted("warning: 3 errors"), "\x1b[1;33mwarning:\x1b[0m 3 errors");
        assert_eq!([painted("an error: x"), painted("")], ["an error: x", ""]);
    }

    #[test]
    fn lines_are_broken_between_words_and_not_within() {
        let text = "greedy against random\n  ends     checkmate 5, perpetual_check 1; 40 plies";
        assert_eq!(fold(text, 11, 80), text);
        assert_eq!(
            fold(text, 11, 40),
            "greedy against random\n  ends     checkmate 5, perpetual_check\n           1; 40 plies"
        );
        assert_eq!(fold(text, 11, 30).lines().nth(2), Some("           perpetual_check 1;"));
    }

    #[test]
    fn words_are_wrapped_at_the_width() {
        let words = ["aa", "bb", "馬8進7", "dd"];
        assert_eq!(wrap("4 moves:", &words, 2, 80), "4 moves: aa bb 馬8進7 dd");
        assert_eq!(wrap("4 moves:", &words, 2, 14), "4 moves: aa bb\n  馬8進7 dd");
        assert_eq!(wrap("4 moves:", &words, 2, 3), "4 moves:\n  aa\n  bb\n  馬8進7\n  dd", "a long word stays whole");
    }
}
