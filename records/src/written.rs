//! A game as a file has it, before the rules have seen it. Every reader makes these, and only `verify.rs` plays them.

use compact_str::CompactString;
use rules::{GameResult, Side, Termination};

use crate::problem::{GameError, Reason};
use crate::tags::Tags;

/// Characters of a text of the file that a message repeats.
const SHOWN: usize = 60;

/// Moves of one game. No game is near it; a damaged file of a gigabyte would be.
pub(crate) const MOST_MOVES: usize = 10_000;
/// Games that are read of one file. A damaged or hostile file of a few kilobytes can claim millions.
const MOST_GAMES: usize = 500_000;
/// Moves that are read of one file, in all games together: 600 MB in memory.
const MOST_MOVES_OF_FILE: usize = 20_000_000;

/// The games of a file, within the bounds of memory.
#[derive(Default)]
pub(crate) struct WrittenGames {
    games: Vec<WrittenGame>,
    moves: usize,
    is_full: bool,
}

impl WrittenGames {
    /// Adds a game. The first one that is too many is replaced by a fault that says so, and later ones are dropped.
    pub fn push(&mut self, game: WrittenGame) {
        if self.is_full {
            return;
        }
        self.moves += game.moves.len();
        self.is_full = self.games.len() >= MOST_GAMES || self.moves > MOST_MOVES_OF_FILE;
        if self.is_full {
            let mut rest = WrittenGame::at(game.line);
            let why = format!(
                "this game and those after it are not read, because the file has more than {MOST_GAMES} games or \
                 {MOST_MOVES_OF_FILE} moves; split it into smaller files"
            );
            rest.refuse(game.line, Reason::TooMany, why);
            self.games.push(rest);
        } else {
            self.games.push(game);
        }
    }

    /// Whether later games are dropped.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        self.games.len()
    }
}

impl Extend<WrittenGame> for WrittenGames {
    fn extend<T: IntoIterator<Item = WrittenGame>>(&mut self, games: T) {
        games.into_iter().for_each(|game| self.push(game));
    }
}

impl From<WrittenGames> for Vec<WrittenGame> {
    fn from(games: WrittenGames) -> Vec<WrittenGame> {
        games.games
    }
}

/// Where a game begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum WrittenStart {
    /// From the variant's own start position.
    #[default]
    Own,
    /// From a position, in one of the variant's formats.
    Text(String),
    /// From the setups of these names, the first player's and the second's.
    Setups([&'static str; 2]),
}

/// The winner, as far as the record states it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WrittenResult {
    /// Not stated.
    #[default]
    Unknown,
    /// This player won, or the game was drawn.
    Result(GameResult),
    /// The player to move at the end won.
    SideToMoveWins,
    /// The player to move at the end lost.
    SideToMoveLoses,
}

/// A game as it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct WrittenGame {
    /// Where it begins in the file.
    pub line: usize,
    pub tags: Tags,
    /// The name of its variant, if it has one.
    pub variant: Option<String>,
    /// Its rule set as [`rules::Rules`] writes it.
    pub rules: Option<String>,
    /// What the record calls the notation of its moves.
    pub notation: Option<String>,
    /// The line and the start.
    pub start: (usize, WrittenStart),
    /// Lines and moves.
    pub moves: Vec<(usize, CompactString)>,
    pub verdict: WrittenResult,
    pub termination: Option<Termination>,
    /// Whether a player is called Blue (청), so that Red (홍) is the second one.
    pub has_blue: bool,
    /// Whether it was lost by an illegal move, which may be the last one written.
    pub ends_illegally: bool,
    /// What the reader has found wrong. Nothing after the first fault is read.
    pub fault: Option<GameError>,
}

impl WrittenGame {
    /// An empty game that begins in this line.
    pub fn at(line: usize) -> WrittenGame {
        WrittenGame { line, start: (line, WrittenStart::Own), ..WrittenGame::default() }
    }

    /// Records what is wrong, unless an earlier fault is recorded.
    pub fn refuse(&mut self, line: usize, what: Reason, why: impl Into<String>) {
        self.fault.get_or_insert_with(|| GameError { line, what, why: why.into() });
    }

    /// Adds a move.
    pub fn add_move(&mut self, line: usize, text: impl Into<CompactString>) {
        if self.moves.len() < MOST_MOVES {
            self.moves.push((line, text.into()));
        } else {
            self.refuse(line, Reason::Broken, format!("the game has more than {MOST_MOVES} moves"));
        }
    }

    /// Takes words that cannot be moves away from the end of the game: they say how it ended, in words that are not
    /// known.
    pub fn drop_last_words(&mut self) {
        while let Some((_, word)) = self.moves.pop_if(|(_, text)| is_word(text)) {
            self.tags.result.get_or_insert_with(|| word.into());
        }
    }

    /// Records that a line cannot be read.
    pub fn broken(&mut self, line: usize, text: &str, expected: &str) {
        self.refuse(line, Reason::Broken, format!("{:?} is not {expected}", shown(text)));
    }

    /// Notes how it ended.
    pub fn end(&mut self, verdict: WrittenResult, termination: Option<Termination>) {
        self.verdict = verdict;
        self.termination = termination;
    }

    /// Notes the word that ends it and what the word means, unless a note of Kirin's own before it has said the exact
    /// end.
    pub fn end_by_word(&mut self, word: &str, verdict: WrittenResult, termination: Option<Termination>) {
        self.tags.result = Some(word.to_owned());
        if self.termination.is_none() {
            self.end(verdict, termination);
        }
    }

    /// Whether there is anything in it.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
            && self.fault.is_none()
            && self.tags == Tags::default()
            && self.start.1 == WrittenStart::Own
    }
}

/// Whether a text cannot be a move in any notation: moves have a number, or one of the few characters that stand for
/// one, or are a pass of Janggi.
pub(crate) fn is_word(text: &str) -> bool {
    let is_of_moves =
        |character: char| character.is_numeric() || "一二三四五六七八九十進进退平上下同쉼".contains(character);
    !text.contains(is_of_moves) && !["虛手", "虚手", "pass"].contains(&text)
}

/// The beginning of a text of the file, for messages.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// A result of PGN or in other common words.
pub(crate) fn result(text: &str) -> Option<GameResult> {
    // NFKC makes `1⁄2` of `½`.
    match text.trim().replace(['–', '—', '−', '－'], "-").replace('⁄', "/").as_str() {
        "1-0" => Some(GameResult::FirstWins),
        "0-1" => Some(GameResult::SecondWins),
        "1/2-1/2" | "½-½" | "1/2" | "0.5-0.5" => Some(GameResult::Draw),
        _ => None,
    }
}

/// A result in PGN.
pub const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::FirstWins => "1-0",
        GameResult::Draw => "1/2-1/2",
        GameResult::SecondWins => "0-1",
    }
}

/// A win of a side.
pub(crate) const fn win(side: Side) -> WrittenResult {
    WrittenResult::Result(GameResult::win(side))
}
