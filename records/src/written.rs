//! A game as a file has it, before the rules have seen it. Every reader makes these, and only [`WrittenGame::verify`] knows the
//! rules.

use compact_str::CompactString;
use rules::{FenError, Game, GameResult, Outcome, Position, Rules, Side, Termination, Variant, VariantId};

use crate::pgn::{self, result_text};
use crate::problem::{GameError, Reason};
use crate::record::TaggedGame;
use crate::san::MoveReading;
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
    /// Its rule set as [`Rules`] writes it.
    pub rules: Option<String>,
    /// What the record calls the notation of its moves.
    pub notation: Option<String>,
    /// The line and the start.
    pub start: (usize, WrittenStart),
    /// Lines and moves.
    pub moves: Vec<(usize, CompactString)>,
    pub verdict: WrittenResult,
    pub termination: Option<Termination>,
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

    /// Takes words that cannot be moves away from the end of the game: they say how it ended, in words that are not known.
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

    /// Notes the word that ends it and what the word means, unless a note of Kirin's own before it has said the exact end.
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

    /// The game by the rules. Its moves are in one of these notations of the variant; where there are none, in any that
    /// fits all of them. `own_start` is the variant's own start position, which takes long to set up for each game.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line: a fault in the record itself, another variant, an unknown rule set
    /// (where `rules` gives none), an impossible start position, no moves, a move that is not legal or cannot be read,
    /// or a result other than that of a final position without legal moves.
    pub fn verify<V: Variant>(
        self,
        notations: &[&str],
        rules: Option<Rules<V>>,
        own_start: &Position<V>,
    ) -> Result<TaggedGame<V>, GameError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let fault = |line, what, why| GameError { line, what, why };
        let named = self.variant.as_deref().map(|name| rules_of::<V>(name)).transpose();
        let named = named.map_err(|why| fault(self.line, Reason::OtherVariant, why))?.flatten();
        let written = self.rules.as_deref().map(str::parse::<Rules<V>>).transpose();
        // What the caller says of the rule set comes before what the record says.
        let rules = match rules {
            Some(rules) => rules,
            None => {
                let written = written.map_err(|error| fault(self.line, Reason::RuleSet, error.to_string()))?;
                written.or(named).unwrap_or_default()
            }
        };
        let start = position(&self.start.1, own_start);
        let start = start.map_err(|error| fault(self.start.0, Reason::Start, error))?;
        if self.moves.is_empty() {
            return Err(fault(self.line, Reason::NoMoves, "the game has no moves".to_owned()));
        }
        let game = self.play(notations, &Game::from_position(rules, start))?;
        let lost_by_last_move = game.moves().len() < self.moves.len();
        let outcome = match self.verdict {
            // The player that made the illegal move is still to move without it.
            WrittenResult::SideToMoveWins | WrittenResult::SideToMoveLoses if lost_by_last_move => {
                Some(Outcome::win(game.side().other(), self.termination.unwrap_or(Termination::Error)))
            }
            verdict => {
                let outcome = outcome(&game, verdict, self.termination);
                outcome.map_err(|why| fault(self.moves.last().map_or(self.line, |last| last.0), Reason::Result, why))?
            }
        };
        let opening_plies = self.tags.opening_plies.min(game.ply());
        Ok(TaggedGame { line: self.line, tags: Tags { opening_plies, ..self.tags }, game, outcome })
    }

    /// Plays the moves in the notation that reads all of them, else fails where the best one fails.
    fn play<V: Variant>(&self, notations: &[&str], start: &Game<V>) -> Result<Game<V>, GameError> {
        // The notation that the record names may be a wrong one, and so is only the first.
        let named = self.notation.as_deref().and_then(pgn::named_by_tag::<V>).map(MoveReading::Notation);
        // Of two that come equally far, the one that knows what was meant tells more.
        let mut farthest: Option<((usize, bool), GameError)> = None;
        for reading in named.into_iter().chain(MoveReading::<V>::all(notations)) {
            match self.play_in(reading, start.clone()) {
                Ok(game) => return Ok(game),
                Err((at, fault)) => {
                    let rank = (at, fault.what == Reason::IllegalMove);
                    if farthest.as_ref().is_none_or(|(best, _)| rank > *best) {
                        farthest = Some((rank, fault));
                    }
                }
            }
        }
        let nothing =
            || GameError { line: self.line, what: Reason::UnreadableMove, why: "no notation reads it".to_owned() };
        Err(farthest.map_or_else(nothing, |(_, fault)| fault))
    }

    /// Plays the moves in one notation. On a failure: the number of the move and what is wrong.
    fn play_in<V: Variant>(&self, reading: MoveReading<V>, mut game: Game<V>) -> Result<Game<V>, (usize, GameError)> {
        let mut legal = rules::MoveList::new();
        game.reserve(self.moves.len());
        for (at, (line, text)) in self.moves.iter().enumerate() {
            match reading.read(game.position(), text, &mut legal) {
                Ok(mv) => game.play(mv),
                Err(_) if self.ends_illegally && at > 0 && at + 1 == self.moves.len() => return Ok(game),
                Err(error) => {
                    let what = match error {
                        rules::MoveError::Illegal { .. } => Reason::IllegalMove,
                        _ => Reason::UnreadableMove,
                    };
                    return Err((at, GameError { line: *line, what, why: format!("move {}: {error}", at + 1) }));
                }
            }
        }
        Ok(game)
    }
}

/// Whether a text cannot be a move in any notation: moves have a number, or one of the few characters that stand for one.
pub(crate) fn is_word(text: &str) -> bool {
    let is_of_moves =
        |character: char| character.is_numeric() || "一二三四五六七八九十進进退平上下同쉼".contains(character);
    !text.contains(is_of_moves)
}

/// The beginning of a text of the file, for messages.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Rule sets that other programs write behind the name of a variant, and what they are called here. `modern` is that of
/// Fairy-Stockfish for the game as it is played online in Korea.
const PRESETS: [(&str, &str); 1] = [("modern", "kakao")];

/// The rule set that the name of a variant implies, `None` for the default one: other programs write a rule set behind the
/// name, as in `janggitraditional`, and [`PRESETS`].
fn rules_of<V: Variant>(name: &str) -> Result<Option<Rules<V>>, String> {
    let plain = name.trim().to_lowercase();
    let is_named =
        |id: &str, title: &str| plain == id || title.split_whitespace().any(|word| word.to_lowercase() == plain);
    if is_named(V::ID, V::TITLE) {
        return Ok(None);
    }
    let preset = plain.strip_prefix(V::ID).map(|preset| preset.trim_start_matches(['-', '_', ' ']));
    let preset = preset.map(|name| PRESETS.iter().find(|(other, _)| *other == name).map_or(name, |&(_, ours)| ours));
    if let Some(rules) = preset.and_then(|preset| Rules::named(preset).ok()) {
        return Ok(Some(rules));
    }
    let other = VariantId::ALL.iter().find(|id| is_named(id.id(), id.title()));
    Err(match other {
        Some(other) => format!("a game of {other}, not of {}", V::ID),
        None => format!("the variant {:?} is not {}", shown(name), V::ID),
    })
}

fn position<V: Variant>(start: &WrittenStart, own: &Position<V>) -> Result<Position<V>, String> {
    match start {
        WrittenStart::Own => Ok(own.clone()),
        WrittenStart::Text(text) => Position::from_text(text).map_err(|error: FenError| error.to_string()),
        WrittenStart::Setups(names) => Position::start_with(*names).map_err(|error| error.to_string()),
    }
}

/// How the game ended. The rules decide, unless the record names another winner: then the game was played by other
/// rules. `None` if neither says anything.
///
/// # Errors
/// The side to move has no legal move, and the record names another result than that: no rule set judges this otherwise.
fn outcome<V: Variant>(
    game: &Game<V>,
    verdict: WrittenResult,
    termination: Option<Termination>,
) -> Result<Option<Outcome>, String> {
    let to_move = game.side();
    let written = match verdict {
        WrittenResult::Unknown => None,
        WrittenResult::Result(result) => Some(result),
        WrittenResult::SideToMoveWins => Some(GameResult::win(to_move)),
        WrittenResult::SideToMoveLoses => Some(GameResult::win(to_move.other())),
    };
    let mut legal = rules::MoveList::new();
    game.legal_moves(&mut legal);
    let by_rules = game.outcome(&legal);
    // Our ply limit is not that of the players: it ends no game of which the record does not say that it ended.
    let is_limit = |outcome: &Outcome| matches!(outcome.termination, Termination::MaxPlies | Termination::Points);
    if let (true, Some(outcome), Some(written)) = (legal.is_empty(), by_rules, written)
        && outcome.result != written
    {
        let (written, result) = (result_text(written), result_text(outcome.result));
        return Err(format!("the record says {written}, but the last move ends it {result} ({})", outcome.termination));
    }
    Ok(match (by_rules, written) {
        (Some(outcome), Some(result)) if outcome.result == result => {
            let agreed = termination.is_none_or(|written| written == outcome.termination) || !is_limit(&outcome);
            agreed.then_some(outcome).or(termination.map(|termination| Outcome { result, termination, points: None }))
        }
        (_, Some(result)) => {
            let unnamed = if result == GameResult::Draw { Termination::Adjudicated } else { Termination::Resign };
            Some(Outcome { result, termination: termination.unwrap_or(unnamed), points: None })
        }
        (Some(outcome), None) => (!is_limit(&outcome)).then_some(outcome),
        (None, None) => None,
    })
}

/// A result of PGN or in other common words.
pub(crate) fn result(text: &str) -> Option<GameResult> {
    match text.trim().replace(['–', '—', '−', '－'], "-").as_str() {
        "1-0" => Some(GameResult::FirstWins),
        "0-1" => Some(GameResult::SecondWins),
        "1/2-1/2" | "½-½" | "1/2" | "0.5-0.5" => Some(GameResult::Draw),
        _ => None,
    }
}

/// A win of a side.
pub(crate) const fn win(side: Side) -> WrittenResult {
    WrittenResult::Result(GameResult::win(side))
}
