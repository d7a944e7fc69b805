//! Games and positions out of texts and files, and out of the pieces that somebody has placed on a board.

use crate::error::{ApiError, off_thread};
use crate::position::{Ended, rules_of};
use axum::Json;
use axum::body::Bytes;
use axum::extract::Query;
use records::{ReadOptions, Reason, RecordProblem, TaggedGame, read_each};
use rules::{Game, MoveList, Position, Rules, Variant, VariantId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Most games of a file that are given back.
const MOST_GAMES: usize = 100;
/// Most problems that are named.
const MOST_PROBLEMS: usize = 20;
/// What the reader is told of a text without a name: its ending is of no format with marks of its own.
const PASTED: &str = "pasted.txt";
/// The fewest `/` in the first word of a position.
const LEAST_SLASHES: usize = 7;

/// What a caller knows of a text.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReadQuery {
    /// The variant that is tried first [default: all, in the order of `/api/variants`].
    #[serde(default)]
    variant: Option<String>,
    /// The name of the file, which hints at the format.
    #[serde(default)]
    name: Option<String>,
}

/// A game, or a position without moves.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReadGame {
    /// The rule set.
    ruleset: String,
    /// FEN of the position that it began from, unless it is the variant's own.
    fen: Option<String>,
    /// The moves in UCI, with blanks between.
    moves: String,
    /// How many they are.
    plies: usize,
    /// The names of the first and the second player.
    players: [Option<String>; 2],
    /// How it ended, if that is known.
    outcome: Option<Ended>,
    /// Event, round, place and day, as far as they are written.
    title: String,
    /// The line in which it begins, from 1; in a binary file the number of the game.
    line: usize,
}

/// What a text holds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReadText {
    /// The variant.
    variant: &'static str,
    /// The format: one of the formats of records, or `positions`.
    format: &'static str,
    /// The games, at most 100.
    games: Vec<ReadGame>,
    /// How many games there were.
    of: usize,
    /// What is wrong with others, each with its line; at most 20.
    problems: Vec<String>,
    /// How many of the others there were.
    refused: usize,
}

/// Reads games and positions: FEN, SFEN, moves in any notation, PGN, KIF, KI2, CSA, WXF, GIB, XQF and whatever else
/// Kirin imports. The body is the text or the file itself.
#[utoipa::path(
    post, path = "/api/read",
    params(ReadQuery),
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 200, body = ReadText)),
)]
pub(crate) async fn read(Query(asked): Query<ReadQuery>, bytes: Bytes) -> Result<Json<ReadText>, ApiError> {
    let first = asked.variant.as_deref().map(str::parse::<VariantId>).transpose().map_err(ApiError::wrong)?;
    let read = off_thread(move || read_text(first, asked.name.as_deref().unwrap_or(PASTED), &bytes));
    Ok(Json(read.await?))
}

/// The games of the first variant that has any, `first` before the others.
fn read_text(first: Option<VariantId>, name: &str, bytes: &[u8]) -> Result<ReadText, ApiError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ApiError::Wrong("there is no text".to_owned()));
    }
    let others = VariantId::ALL.iter().copied().filter(|&id| Some(id) != first);
    let mut why = None;
    for id in first.into_iter().chain(others) {
        match rules::dispatch!(id, V => read_as::<V>(name, bytes)) {
            Ok(read) => return Ok(read),
            // What is wrong by the variant that was meant tells most.
            Err(error) => why = why.or(Some(error)),
        }
    }
    Err(ApiError::Wrong(why.unwrap_or_default()))
}

/// The games or positions of one variant; if there is none, the reason.
fn read_as<V: Variant>(name: &str, bytes: &[u8]) -> Result<ReadText, String> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    match positions::<V>(text) {
        Some(Ok(positions)) => {
            let mut read = ReadText::empty::<V>("positions");
            positions.into_iter().for_each(|(line, position)| read.add(|| ReadGame::of_position(line, position)));
            return Ok(read);
        }
        Some(Err(problem)) => return Err(problem),
        None => {}
    }
    let mut read = ReadText::empty::<V>("moves");
    let mut without_moves = false;
    let each = |game: Result<TaggedGame<V>, RecordProblem>| match game {
        Ok(game) => read.add(|| ReadGame::of(&game)),
        Err(problem) => {
            without_moves |= problem.what == Reason::NoMoves;
            read.refused += 1;
            if read.problems.len() < MOST_PROBLEMS {
                read.problems.push(format!("line {}: {}: {}", problem.line, problem.what, problem.why));
            }
        }
    };
    let (format, _) = read_each::<V>(name, bytes, &ReadOptions::default(), each).map_err(|error| error.to_string())?;
    read.format = format.name;
    if read.of == 0 && without_moves {
        // A problem to solve: a record with a position and no moves.
        let position = tagged_fen(text).and_then(|fen| Position::<V>::from_text(fen).ok());
        position.into_iter().for_each(|position| read.add(|| ReadGame::of_position(1, position)));
    }
    if read.of == 0 {
        let nothing = || "there is no game and no position in this text".to_owned();
        return Err(read.problems.into_iter().next().unwrap_or_else(nothing));
    }
    Ok(read)
}

/// A position with the number of its line.
type Numbered<V> = (usize, Position<V>);

/// The positions of a text, each of whose lines is one, with the numbers of the lines; `None` for another text. An
/// error says which line is wrong and why.
fn positions<V: Variant>(text: &str) -> Option<Result<Vec<Numbered<V>>, String>> {
    let lines = || (1..).zip(text.lines().map(position_text)).filter(|(_, line)| !line.is_empty());
    let is_position = |line: &str| {
        let board = line.split_whitespace().next().unwrap_or_default();
        board.matches('/').count() >= LEAST_SLASHES && !line.split_whitespace().any(|word| word == "moves")
    };
    if lines().next().is_none() || !lines().all(|(_, line)| is_position(line)) {
        return None;
    }
    let read = |(number, line): (usize, &str)| match Position::from_text(line) {
        Ok(position) => Ok((number, position)),
        Err(error) => Err(format!("line {number}: {error}")),
    };
    Some(lines().map(read).collect())
}

/// A line without the words that programs put before a position.
fn position_text(line: &str) -> &str {
    let mut text = line.trim();
    for word in ["position", "fen", "sfen"] {
        if let Some(first) = text.split([' ', ':']).next().filter(|first| first.eq_ignore_ascii_case(word)) {
            text = text[first.len()..].trim_start_matches([' ', ':']);
        }
    }
    text
}

/// The position that a tag of PGN names.
fn tagged_fen(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("[FEN \"")?;
    Some(after.split_once('"')?.0)
}

impl ReadText {
    fn empty<V: Variant>(format: &'static str) -> ReadText {
        ReadText { variant: V::ID, format, games: Vec::new(), of: 0, problems: Vec::new(), refused: 0 }
    }

    fn add(&mut self, game: impl FnOnce() -> ReadGame) {
        self.of += 1;
        if self.games.len() < MOST_GAMES {
            self.games.push(game());
        }
    }
}

impl ReadGame {
    fn of<V: Variant>(read: &TaggedGame<V>) -> ReadGame {
        let TaggedGame { tags, game, .. } = read;
        let said = [&tags.event, &tags.round, &tags.site, &tags.date].into_iter().flatten();
        ReadGame {
            ruleset: game.rules().to_string(),
            fen: game.start_position().start_fen(),
            moves: game.moves_text(),
            plies: game.moves().len(),
            players: [tags.first.clone(), tags.second.clone()],
            outcome: read.outcome.map(Ended::of),
            title: said.map(String::as_str).collect::<Vec<_>>().join(", "),
            line: read.line,
        }
    }

    fn of_position<V: Variant>(line: usize, position: Position<V>) -> ReadGame {
        ReadGame {
            ruleset: Rules::<V>::default().to_string(),
            fen: position.start_fen(),
            moves: String::new(),
            plies: 0,
            players: [None, None],
            outcome: None,
            title: String::new(),
            line,
        }
    }
}

/// Pieces that somebody has placed on a board.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Placed {
    /// The variant.
    variant: String,
    /// The rule set, by which the game may be over [default: the variant's own].
    #[serde(default)]
    ruleset: Option<String>,
    /// The FEN code of the piece on each square, by index (rank × files + file); empty without one.
    cells: Vec<String>,
    /// What the first and the second player hold: FEN codes in upper case with their numbers.
    #[serde(default)]
    #[schema(value_type = Object)]
    hands: [Vec<(String, u8)>; 2],
    /// The side to move: 0 for the first player, 1 for the second.
    #[serde(default)]
    side: usize,
}

/// Whether they are a position.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlacedAnswer {
    /// FEN of the position, if it is one.
    fen: Option<String>,
    /// Why it is none.
    problem: Option<String>,
    /// How the game has ended in it, if it has.
    outcome: Option<Ended>,
    /// What players of the variant may hold, by FEN code.
    holdable: &'static [&'static str],
}

/// Checks a position that somebody sets up.
#[utoipa::path(post, path = "/api/placed", request_body = Placed, responses((status = 200, body = PlacedAnswer)))]
pub(crate) async fn placed(Json(placed): Json<Placed>) -> Result<Json<PlacedAnswer>, ApiError> {
    let variant: VariantId = placed.variant.parse().map_err(ApiError::wrong)?;
    rules::dispatch!(variant, V => placed.check::<V>().map(Json))
}

impl Placed {
    fn check<V: Variant>(&self) -> Result<PlacedAnswer, ApiError> {
        let rules = rules_of::<V>(self.ruleset.as_deref())?;
        let holdable = &V::CODES[V::HAND_FIRST..][..V::HAND_KINDS];
        let position = self.fen::<V>().and_then(|fen| Position::<V>::from_fen(&fen).map_err(|error| error.problem));
        Ok(match position {
            Err(problem) => PlacedAnswer { fen: None, problem: Some(problem), outcome: None, holdable },
            Ok(position) => {
                let fen = position.fen();
                let game = Game::from_position(rules, position);
                let mut legal = MoveList::new();
                game.legal_moves(&mut legal);
                let outcome = game.outcome(&legal).map(Ended::of);
                PlacedAnswer { fen: Some(fen), problem: None, outcome, holdable }
            }
        })
    }

    /// The FEN, which may be that of no position.
    fn fen<V: Variant>(&self) -> Result<String, String> {
        let (files, squares) = (V::FILES, V::SQUARES);
        if self.cells.len() != squares {
            return Err(format!("{} squares; the board has {squares}", self.cells.len()));
        }
        let between = if V::COMMAS { "," } else { "" };
        let mut ranks = Vec::with_capacity(V::RANKS);
        for rank in self.cells.chunks(files).rev() {
            let mut items = Vec::new();
            for cells in rank.chunk_by(|a, b| a.is_empty() && b.is_empty()) {
                match &cells[0] {
                    code if code.is_empty() => items.push(cells.len().to_string()),
                    code => items.push(known::<V>(code)?.to_owned()),
                }
            }
            ranks.push(items.join(between));
        }
        let mut fen = ranks.join("/");
        if V::HAND_KINDS > 0 {
            let mut held = Vec::new();
            for (side, hand) in self.hands.iter().enumerate() {
                for (code, number) in hand {
                    let code = known::<V>(code)?;
                    let code = if side == 0 { code.to_ascii_uppercase() } else { code.to_ascii_lowercase() };
                    held.extend(std::iter::repeat_n(code, usize::from(*number)));
                }
            }
            fen += &format!("[{}]", held.join(between));
        }
        fen += if self.side == 0 { " w - - 0 1" } else { " b - - 0 1" };
        Ok(fen)
    }
}

/// The code, if a piece has it. Anything else could be more than one piece in a FEN.
fn known<V: Variant>(code: &str) -> Result<&str, String> {
    let upper = code.to_ascii_uppercase();
    let is_of_one_side = code == upper || code == code.to_ascii_lowercase();
    let is_known = is_of_one_side && V::CODES.contains(&upper.as_str());
    is_known.then_some(code).ok_or_else(|| format!("{:?} is no piece", code.chars().take(16).collect::<String>()))
}
