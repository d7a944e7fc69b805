//! Tables on a terminal: columns as wide as their widest cell, wide characters counted as two.

use unicode_width::UnicodeWidthStr;

/// Prints rows under a header. Columns whose header begins with `>` are aligned to the right.
pub fn print(header: &[&str], rows: &[Vec<String>]) {
    lines(header, rows).iter().for_each(|line| println!("{line}"));
}

/// The lines that [`print()`] prints.
pub fn lines(header: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let titles: Vec<&str> = header.iter().map(|title| title.trim_start_matches('>')).collect();
    let widths: Vec<usize> = titles
        .iter()
        .enumerate()
        .map(|(column, title)| rows.iter().map(|row| row[column].width()).max().unwrap_or(0).max(title.width()))
        .collect();
    let line = |cells: &[&str]| {
        let mut text = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.width());
            if column > 0 {
                text.push_str("  ");
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
