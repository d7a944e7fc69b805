//! Text on a terminal that is updated in place.

use super::cut;
use super::margin::Margin;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};

/// Some lines of text at the bottom of a terminal. Each drawing replaces the one before; dropping it clears the last.
#[derive(Debug)]
pub struct LiveText {
    bar: ProgressBar,
    terminal: Margin,
}

impl LiveText {
    /// On standard output, if that is a terminal.
    pub fn on_stdout() -> Option<LiveText> {
        io::stdout().is_terminal().then(|| LiveText::on(Margin::stdout()))
    }

    fn on(terminal: Margin) -> LiveText {
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        // Without a template there would be a bar: the text is all there is.
        let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        LiveText { bar: ProgressBar::with_draw_target(None, target).with_style(style), terminal }
    }

    /// Columns and lines of the drawing area.
    pub fn room(&self) -> (usize, usize) {
        self.terminal.room()
    }

    /// Draws lines in place of what was drawn before. What does not fit the terminal is cut off, at the right and at the
    /// bottom.
    pub fn draw(&self, lines: &[String]) {
        let (width, height) = self.terminal.room();
        let shown: Vec<String> = lines.iter().take(height).map(|line| cut(line, width)).collect();
        self.bar.set_message(shown.join("\n"));
    }
}

impl Drop for LiveText {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal_size::{Height, Width};

    #[test]
    fn each_drawing_replaces_the_one_before() {
        let (terminal, written) = Margin::for_test(|| Some((Width(13), Height(4))));
        let live = LiveText::on(terminal);
        let drawn = |text: &str| {
            live.draw(&text.lines().map(str::to_owned).collect::<Vec<_>>());
            written.take()
        };
        assert_eq!(drawn("one\ntwo"), "one       \r\ntwo       ");
        let cut = drawn("a long line\n2\n3\n4");
        assert!(cut.starts_with("\x1b[1A\r\x1b[2K\x1b[1B\r\x1b[2K\x1b[1Aa long li…\r\n2 "), "{cut:?}");
        assert!(cut.trim_end().ends_with('3'), "cut to what the terminal holds: {cut:?}");
        drop(live);
        assert!(written.take().ends_with("\r\x1b[2K\x1b[2A"), "the last drawing is cleared");
    }
}
