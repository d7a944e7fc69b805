//! `kirin.Game`: a game and what its record says of it.

use crate::any_game;
use crate::outcome::Outcome;
use crate::position::Position;
use crate::refusal::Refusal;
use data::bounded::read_ordinary;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use records::{ReadOptions, RecordFormat, RecordProblem, TaggedGame, Tags, TextEncoding, pgn, read_each};
use rules::{Variant, VariantId, dispatch};
use std::path::PathBuf;

/// Largest file of games that is read, bytes: that of `kirin data import`.
const MOST_BYTES: u64 = 256 << 20;

/// The attributes that can be set.
const HEADER: [&str; 11] = [
    "first",
    "second",
    "event",
    "site",
    "date",
    "round",
    "opening",
    "first_rating",
    "second_rating",
    "opening_plies",
    "outcome",
];

/// A game with the header of its record: the names of the players, event, date, outcome and so on, each None where it is
/// not known.
///
/// Variant, rule set, start and first moves are those of `position`, a kirin.Position, which is copied. `outcome` is by
/// default what the rules say.
///
/// >>> import kirin
/// >>> game = kirin.Game(kirin.Position("xiangqi"), first="Hu", second="Wang", date="2024.05.01")
/// >>> game.push("h3e3")
/// >>> game.outcome = kirin.Outcome(1, "resign")
/// >>> game
/// <Game of xiangqi: Hu - Wang, 1-0, plies 1>
/// >>> print(game.text().splitlines()[-2])
/// 1. h3e3 1-0
/// >>> kirin.Game.read(game.text().encode(), "xiangqi") == [game]
/// True
#[pyclass(module = "kirin")]
pub(crate) struct Game {
    position: Position,
    /// Name of the first player.
    #[pyo3(get, set)]
    first: Option<String>,
    /// Name of the second player.
    #[pyo3(get, set)]
    second: Option<String>,
    /// Tournament or match.
    #[pyo3(get, set)]
    event: Option<String>,
    /// Place or server.
    #[pyo3(get, set)]
    site: Option<String>,
    /// The day, perhaps with a time, as the record writes it.
    #[pyo3(get, set)]
    date: Option<String>,
    /// Round.
    #[pyo3(get, set)]
    round: Option<String>,
    /// Name of the opening.
    #[pyo3(get, set)]
    opening: Option<String>,
    /// Rating of the first player.
    #[pyo3(get, set)]
    first_rating: Option<f32>,
    /// Rating of the second player.
    #[pyo3(get, set)]
    second_rating: Option<f32>,
    /// Moves at the beginning that no player chose.
    #[pyo3(get, set)]
    opening_plies: u32,
    outcome: Option<rules::Outcome>,
}

impl Game {
    fn of<V: Variant>(record: TaggedGame<V>) -> Game {
        let tags = record.tags;
        Game {
            position: Position::of(Box::new(record.game)),
            first: tags.first,
            second: tags.second,
            event: tags.event,
            site: tags.site,
            date: tags.date,
            round: tags.round,
            opening: tags.opening,
            first_rating: tags.first_rating,
            second_rating: tags.second_rating,
            opening_plies: tags.opening_plies,
            outcome: record.outcome,
        }
    }

    fn tags(&self) -> Tags {
        Tags {
            event: self.event.clone(),
            site: self.site.clone(),
            date: self.date.clone(),
            round: self.round.clone(),
            first: self.first.clone(),
            second: self.second.clone(),
            result: None,
            opening: self.opening.clone(),
            first_rating: self.first_rating,
            second_rating: self.second_rating,
            opening_plies: self.opening_plies.min(self.position.game.ply()),
        }
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (
        position, *, first=None, second=None, event=None, site=None, date=None, round=None, opening=None,
        first_rating=None, second_rating=None, opening_plies=0, outcome=None,
    ))]
    #[allow(clippy::too_many_arguments)] // the keyword arguments of Python
    fn new(
        position: PyRef<'_, Position>,
        first: Option<String>,
        second: Option<String>,
        event: Option<String>,
        site: Option<String>,
        date: Option<String>,
        round: Option<String>,
        opening: Option<String>,
        first_rating: Option<f32>,
        second_rating: Option<f32>,
        opening_plies: u32,
        outcome: Option<&Bound<'_, Outcome>>,
    ) -> Game {
        let outcome = outcome.map(|outcome| outcome.get().0).or_else(|| position.game.outcome());
        let position = Position::of(position.game.copied());
        Game {
            position,
            first,
            second,
            event,
            site,
            date,
            round,
            opening,
            first_rating,
            second_rating,
            opening_plies,
            outcome,
        }
    }

    /// The games of a file in any format that `kirin data import` reads. `source` is its path, or its contents as bytes;
    /// compressed files and archives must be unpacked first.
    ///
    /// Format and encoding are found from the contents unless they are named; `ruleset` replaces that of the records. Every
    /// move is checked. A game that is broken or not legal is left out with a warning; if all are, ValueError is raised.
    ///
    /// >>> import kirin
    /// >>> game, = kirin.Game.read("../../records/tests/fixtures/plain.kif", "shogi")
    /// >>> game.first, game.second, game.date
    /// ('山田', '鈴木', '2024/05/01 10:30:00')
    /// >>> game.outcome, game.moves("kif")[:2]
    /// (Outcome(1, 'resign'), ['７六歩(77)', '３四歩(33)'])
    #[staticmethod]
    #[pyo3(signature = (source, variant, *, format=None, encoding=None, ruleset=None))]
    fn read(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        variant: &str,
        format: Option<&str>,
        encoding: Option<&str>,
        ruleset: Option<&str>,
    ) -> PyResult<Vec<Game>> {
        let variant: VariantId = variant.parse().map_err(Refusal::from)?;
        let format = format.map(RecordFormat::named).transpose().map_err(Refusal::from)?;
        let encoding = encoding.map(TextEncoding::named).transpose().map_err(Refusal::from)?;
        let (name, bytes) = contents(source)?;
        let (games, problems) = py.detach(|| -> Result<_, Refusal> {
            dispatch!(variant, V => {
                let rules = ruleset.map(|text| any_game::rules::<V>(Some(text))).transpose()?;
                read(&name, &bytes, &ReadOptions { format, encoding, rules })
            })
        })?;
        if let Some(first) = problems.first() {
            if games.is_empty() {
                return Err(Refusal::new(first.to_string()).into());
            }
            let all = problems.len() + games.len();
            let message = format!("{} of {all} games are left out; the first: {first}", problems.len());
            py.import("warnings")?.call_method1("warn", (message,))?;
        }
        Ok(games)
    }

    /// The game as a text in the format 'pgn', or in Shogi 'kif' or 'csa'. Game.read() reads it again if the game has
    /// moves. A file of several games has their texts one after the other, in CSA with a line '/' between.
    ///
    /// >>> import kirin
    /// >>> game = kirin.Game(kirin.Position("shogi", moves="c3c4"), first="Habu")
    /// >>> print(game.text("csa"))
    /// V2.2
    /// 'Kirin: ruleset=points24
    /// N+Habu
    /// PI
    /// +
    /// +7776FU
    /// %CHUDAN
    /// <BLANKLINE>
    #[pyo3(signature = (format="pgn"))]
    fn text(&self, format: &str) -> Result<String, Refusal> {
        self.position.game.record(format, self.tags(), self.outcome)
    }

    /// A copy of the position after the moves.
    #[getter]
    fn position(&self) -> Position {
        Position::of(self.position.game.copied())
    }

    /// The variant, as in kirin.VARIANTS.
    #[getter]
    fn variant(&self) -> &'static str {
        self.position.game.variant().id()
    }

    /// The rule set.
    #[getter]
    fn ruleset(&self) -> String {
        self.position.game.rules()
    }

    /// The FEN of the position that the game began from.
    #[getter]
    fn start_fen(&self) -> String {
        self.position.game.start_fen()
    }

    /// How the game ended, or None. push() and undo() set it to what the rules say; a record may name another end, such as
    /// a resignation.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome.map(Outcome)
    }

    #[setter]
    fn set_outcome(&mut self, outcome: Option<&Bound<'_, Outcome>>) {
        self.outcome = outcome.map(|outcome| outcome.get().0);
    }

    /// The result as PGN writes it: '1-0', '0-1', '1/2-1/2', or '*' without an outcome.
    #[getter]
    fn result(&self) -> &'static str {
        self.outcome.map_or("*", |outcome| pgn::result_text(outcome.result))
    }

    /// The moves, in one of kirin.notations(variant).
    ///
    /// >>> import kirin
    /// >>> kirin.Game(kirin.Position("xiangqi", moves="h3e3 h10g8")).moves("chinese")
    /// ['炮二平五', '馬8進7']
    #[pyo3(signature = (notation="uci"))]
    fn moves(&self, notation: &str) -> Result<Vec<String>, Refusal> {
        self.position.game.played(notation)
    }

    /// Plays a legal move, written in one of kirin.notations(variant).
    ///
    /// >>> import kirin
    /// >>> game = kirin.Game(kirin.Position("xiangqi", "3k5/1R7/9/9/9/9/9/9/9/R3K4 w - - 0 1"))
    /// >>> game.push("a1a10")
    /// >>> game.outcome
    /// Outcome(1, 'checkmate')
    #[pyo3(signature = (mv, /, notation="uci"))]
    fn push(&mut self, mv: &str, notation: &str) -> Result<(), Refusal> {
        self.position.game.push(mv, notation)?;
        self.outcome = self.position.game.outcome();
        Ok(())
    }

    /// Takes the last move back and returns it.
    ///
    /// >>> import kirin
    /// >>> game = kirin.Game(kirin.Position("xiangqi", moves="h3e3"))
    /// >>> game.undo(), game.moves()
    /// ('h3e3', [])
    fn undo(&mut self) -> Result<String, Refusal> {
        let mv = self.position.undo()?;
        self.outcome = self.position.game.outcome();
        Ok(mv)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Game>() else { return false };
        other.try_borrow().is_ok_and(|other| {
            self.position.identity() == other.position.identity()
                && self.tags() == other.tags()
                && self.outcome == other.outcome
        })
    }

    fn __repr__(&self) -> String {
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".to_owned());
        let (first, second, plies) = (name(&self.first), name(&self.second), self.position.game.ply());
        format!("<Game of {}: {first} - {second}, {}, plies {plies}>", self.variant(), self.result())
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let header = PyDict::new(py);
        HEADER.iter().try_for_each(|name| header.set_item(name, slf.getattr(*name)?))?;
        // A state in two parts is set attribute by attribute.
        let state = (py.None(), header);
        let game = (py.get_type::<Game>(), (slf.getattr("position")?,), state);
        Ok(game.into_pyobject(py)?.into_any().unbind())
    }
}

/// The name and the bytes of a file of games.
fn contents(source: &Bound<'_, PyAny>) -> PyResult<(String, Vec<u8>)> {
    if let Ok(bytes) = source.cast::<PyBytes>() {
        return Ok(("bytes".to_owned(), bytes.as_bytes().to_vec()));
    }
    let path: PathBuf = source.extract()?;
    // As Python itself says it: FileNotFoundError, PermissionError.
    std::fs::metadata(&path)?;
    let bytes = source.py().detach(|| read_ordinary(&path, MOST_BYTES));
    let name = path.display().to_string();
    Ok((name.clone(), bytes.map_err(|error| Refusal::new(format!("cannot read {name}: {error}")))?))
}

/// The games of a file, and what is wrong with the others.
fn read<V: Variant>(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions<V>,
) -> Result<(Vec<Game>, Vec<RecordProblem>), Refusal> {
    let (mut games, mut problems) = (Vec::new(), Vec::new());
    read_each(name, bytes, options, |game| match game {
        Ok(record) => games.push(Game::of(record)),
        Err(problem) => problems.push(problem),
    })?;
    Ok((games, problems))
}
