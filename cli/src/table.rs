//! Tables on a terminal: columns as wide as their widest cell, wide characters counted as two.

use crate::terminal;
use unicode_width::UnicodeWidthStr;

/// Between two columns.
pub const GAP: &str = "  ";

/// Prints rows under a header. Columns whose title begins with `>` are aligned to the right. On a terminal that is too
/// narrow for all of them, the columns titled in `spare` are left out in that order until the rest fits.
pub fn print(header: &[&str], rows: &[Vec<String>], spare: &[&str]) {
    let (header, rows) = fit(header, rows, spare, terminal::width());
    lines(&header, &rows).iter().for_each(|line| println!("{line}"));
}

/// A table without those of the `spare` columns that must go, in that order, for it to be at most `most` columns wide.
pub fn fit<'a>(
    header: &[&'a str],
    rows: &[Vec<String>],
    spare: &[&str],
    most: usize,
) -> (Vec<&'a str>, Vec<Vec<String>>) {
    let (mut header, mut rows) = (header.to_vec(), rows.to_vec());
    for title in spare {
        if width(&header, &rows) <= most {
            break;
        }
        if let Some(at) = header.iter().position(|other| plain(other) == *title) {
            header.remove(at);
            rows.iter_mut().for_each(|row| drop(row.remove(at)));
        }
    }
    (header, rows)
}

/// How wide a table is.
pub fn width(header: &[&str], rows: &[Vec<String>]) -> usize {
    widths(header, rows).iter().sum::<usize>() + GAP.len() * header.len().saturating_sub(1)
}

/// The lines of a table, however wide.
pub fn lines(header: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let widths = widths(header, rows);
    let titles: Vec<&str> = header.iter().map(|title| plain(title)).collect();
    let line = |cells: &[&str]| {
        let mut text = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.width());
            if column > 0 {
                text += GAP;
            }
            if header[column].starts_with('>') {
                text += &padding;
                text += cell;
            } else {
                text += cell;
                text += &padding;
            }
        }
        text.truncate(text.trim_end().len());
        text
    };
    let body = rows.iter().map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
    std::iter::once(line(&titles)).chain(body).collect()
}

/// The width of each column.
fn widths(header: &[&str], rows: &[Vec<String>]) -> Vec<usize> {
    let cells = |column: usize| rows.iter().map(move |row| row[column].width());
    header
        .iter()
        .enumerate()
        .map(|(column, title)| cells(column).max().unwrap_or(0).max(plain(title).width()))
        .collect()
}

/// A title without the mark of its alignment.
fn plain(title: &str) -> &str {
    title.strip_prefix('>').unwrap_or(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<String>> {
        [["炮二平五", "12", "a"], ["馬8進7", "3", ""]].map(|row| row.map(str::to_owned).to_vec()).to_vec()
    }

    #[test]
    fn columns_are_aligned_and_wide_characters_count_twice() {
        assert_eq!(
            lines(&["move", ">games", "note"], &rows()),
            ["move      games  note", "炮二平五     12  a", "馬8進7        3"]
        );
    }

    #[test]
    fn columns_that_can_be_spared_go_in_order_until_the_table_fits() {
        let header = ["move", ">games", "note"];
        let at = |most| {
            let (header, rows) = fit(&header, &rows(), &["note", "games"], most);
            lines(&header, &rows)[0].clone()
        };
        assert_eq!(at(21), "move      games  note");
        assert_eq!(at(20), "move      games");
        assert_eq!(at(15), "move      games");
        assert_eq!([at(14), at(3)], ["move", "move"], "what cannot be spared stays");
    }
}
