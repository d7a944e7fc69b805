//! A terminal without its last columns, for indicatif to draw on.

use indicatif::TermLike;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use terminal_size::{Height, Width, terminal_size_of};
use unicode_width::UnicodeWidthChar;

/// Columns that stay free on the right. indicatif fills every line, so the cursor would stand at the right edge. A terminal
/// shows Ctrl-C as `^C` at the cursor: there it would begin a line of its own, the next drawing would begin one line too
/// low, and a line would be left behind.
const FREE: usize = 3;
/// The assumed size of a terminal that does not report its own.
const USUAL: (Width, Height) = (Width(80), Height(24));

/// The terminal on standard output or standard error, some columns narrower. Copies write to the same terminal.
#[derive(Clone)]
pub struct Margin {
    pen: Arc<Mutex<Pen>>,
    size: fn() -> Option<(Width, Height)>,
}

struct Pen {
    out: Box<dyn Write + Send>,
    /// Columns written since the line began.
    column: usize,
}

impl Margin {
    /// On standard output.
    pub fn stdout() -> Margin {
        Margin::new(Box::new(io::stdout()), || terminal_size_of(io::stdout()))
    }

    /// On standard error.
    pub fn stderr() -> Margin {
        Margin::new(Box::new(io::stderr()), || terminal_size_of(io::stderr()))
    }

    fn new(out: Box<dyn Write + Send>, size: fn() -> Option<(Width, Height)>) -> Margin {
        Margin { pen: Arc::new(Mutex::new(Pen { out, column: 0 })), size }
    }

    /// Columns and lines of the drawing area.
    pub fn room(&self) -> (usize, usize) {
        let (Width(columns), Height(rows)) = (self.size)().unwrap_or(USUAL);
        (usize::from(columns).saturating_sub(FREE).max(1), usize::from(rows).saturating_sub(1).max(1))
    }

    fn write(&self, text: &str) -> io::Result<()> {
        self.pen.lock().unwrap_or_else(PoisonError::into_inner).out.write_all(text.as_bytes())
    }

    fn move_cursor(&self, lines: usize, direction: char) -> io::Result<()> {
        if lines == 0 { Ok(()) } else { self.write(&format!("\x1b[{lines}{direction}")) }
    }
}

impl TermLike for Margin {
    fn width(&self) -> u16 {
        self.room().0 as u16
    }

    fn height(&self) -> u16 {
        self.room().1 as u16
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)?;
        self.pen.lock().unwrap_or_else(PoisonError::into_inner).column = 0;
        self.write("\r\n")
    }

    /// A line wraps as on the real terminal, only earlier. What is not text is left out: names come from files, and a
    /// control character in one must not reach the terminal.
    fn write_str(&self, text: &str) -> io::Result<()> {
        let width = self.room().0;
        let mut pen = self.pen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wrapped = String::with_capacity(text.len());
        for (character, columns) in text.chars().filter_map(|c| Some((c, c.width()?))) {
            if pen.column + columns > width {
                wrapped += "\r\n";
                pen.column = 0;
            }
            wrapped.push(character);
            pen.column += columns;
        }
        pen.out.write_all(wrapped.as_bytes())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.pen.lock().unwrap_or_else(PoisonError::into_inner).column = 0;
        self.write("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        self.pen.lock().unwrap_or_else(PoisonError::into_inner).out.flush()
    }
}

impl fmt::Debug for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Margin").field("room", &self.room()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was written to a terminal that is not there.
    #[derive(Clone, Default)]
    pub struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        /// What has been written since the last call.
        pub fn take(&self) -> String {
            String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
        }
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Margin {
        /// A terminal of this size, and what was written to it.
        pub fn for_test(size: fn() -> Option<(Width, Height)>) -> (Margin, Written) {
            let written = Written::default();
            (Margin::new(Box::new(written.clone()), size), written)
        }
    }

    #[test]
    fn lines_wrap_before_the_free_columns_and_controls_are_left_out() {
        let (terminal, written) = Margin::for_test(|| Some((Width(13), Height(4))));
        assert_eq!((terminal.width(), terminal.height()), (10, 3));
        terminal.write_str("0123456789").unwrap();
        terminal.write_str("a\x1b[31m馬").unwrap();
        assert_eq!(written.take(), "0123456789\r\na[31m馬");
        terminal.write_str("2345包").unwrap();
        assert_eq!(written.take(), "234\r\n5包", "a wide character is not divided");
        terminal.clear_line().unwrap();
        terminal.write_str("0123456789").unwrap();
        assert_eq!(written.take(), "\r\x1b[2K0123456789");
    }
}
