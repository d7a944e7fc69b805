//! `kirin.Position`: a position and the moves that led to it.

use crate::any_game::{self, AnyGame};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rules::VariantId;
use rules::encode::Features;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A position with the moves that led to it, which the repetition rules and undo() need.
///
/// `fen` is a FEN or the variant's own format (SFEN in Shogi); without it the game begins at the start position, in Janggi
/// with the `setups` of both players. `ruleset` is the name of a preset, perhaps with limits ("full max-plies=200").
/// `moves` are played at once: a string of UCI moves with blanks between, or a list of them.
///
/// >>> import kirin
/// >>> game = kirin.Position("xiangqi", moves="h3e3 h10g8")
/// >>> game.side, game.ply, len(game.legal_moves())
/// ('first', 2, 35)
/// >>> game.push("马二进一", notation="chinese")
/// >>> game.push("e4e6")
/// Traceback (most recent call last):
///   ...
/// ValueError: "e4e6" is not legal in rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C3N/9/RNBAKAB1R b - - 3 2
/// >>> game.undo()
/// 'h1i3'
/// >>> kirin.Position("chess")
/// Traceback (most recent call last):
///   ...
/// ValueError: no variant is called "chess"; there are: janggi, xiangqi, shogi, wangqi, koshogi
#[pyclass(module = "kirin")]
pub(crate) struct Position {
    pub(crate) game: Box<dyn AnyGame>,
}

impl Position {
    pub(crate) fn of(game: Box<dyn AnyGame>) -> Position {
        Position { game }
    }

    /// What makes two positions equal: everything that the future depends on, and the past.
    pub(crate) fn identity(&self) -> (VariantId, String, String, Vec<u32>) {
        (self.game.variant(), self.game.rules(), self.game.start_fen(), self.game.codes())
    }
}

/// The moves of an argument: a string, or an iterable of strings.
fn words(moves: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(text) = moves.extract::<String>() {
        return Ok(text.split_whitespace().map(str::to_owned).collect());
    }
    let wrong = || PyTypeError::new_err("moves must be a string or an iterable of strings");
    let words = moves.try_iter().map_err(|_| wrong())?;
    words.map(|word| word?.extract::<String>().map_err(|_| wrong())).collect()
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (variant, fen=None, ruleset=None, *, moves=None, setups=None))]
    fn new(
        variant: &str,
        fen: Option<&str>,
        ruleset: Option<&str>,
        moves: Option<&Bound<'_, PyAny>>,
        setups: Option<(String, String)>,
    ) -> PyResult<Position> {
        let variant: VariantId = variant.parse().map_err(Refusal::from)?;
        let start = match (fen, &setups) {
            (Some(_), Some(_)) => return Err(Refusal::new("give fen or setups, not both").into()),
            (None, Some((first, second))) => Some(any_game::setup_fen(variant, [first, second])?),
            (fen, None) => fen.map(str::to_owned),
        };
        let mut game = any_game::new(variant, start.as_deref(), ruleset)?;
        for word in moves.map(words).transpose()?.unwrap_or_default() {
            game.push(&word, UCI)?;
        }
        Ok(Position::of(game))
    }

    /// The variant, as in kirin.VARIANTS.
    #[getter]
    fn variant(&self) -> &'static str {
        self.game.variant().id()
    }

    /// The rule set: a preset of kirin.rulesets(variant), and the limits in which it differs from that.
    #[getter]
    fn ruleset(&self) -> String {
        self.game.rules()
    }

    /// The side to move: 'first' or 'second'.
    #[getter]
    fn side(&self) -> &'static str {
        self.game.side().name()
    }

    /// Moves played since the start.
    #[getter]
    fn ply(&self) -> u32 {
        self.game.ply()
    }

    /// Plies since the last capture or other irreversible move.
    #[getter]
    fn halfmove_clock(&self) -> u32 {
        self.game.halfmove_clock()
    }

    /// How often this position stood earlier in the game.
    #[getter]
    fn repetitions(&self) -> u32 {
        self.game.repetitions()
    }

    /// Whether the side to move is in check.
    #[getter]
    fn check(&self) -> bool {
        self.game.is_check()
    }

    /// The FEN, as Fairy-Stockfish writes it.
    #[getter]
    fn fen(&self) -> String {
        self.game.fen()
    }

    /// The FEN of the position that the game began from.
    #[getter]
    fn start_fen(&self) -> String {
        self.game.start_fen()
    }

    /// The key of board, hands and side to move, 12 bytes. It is the same in every version of Kirin and in its data files.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.game.key())
    }

    /// The legal moves, in the order of generation. Moves may be played after the end of the game too.
    ///
    /// >>> import kirin
    /// >>> sorted(kirin.Position("shogi").legal_moves("usi"))[:3]
    /// ['1g1f', '1i1h', '2g2f']
    #[pyo3(signature = (notation="uci"))]
    fn legal_moves(&self, notation: &str) -> Result<Vec<String>, Refusal> {
        self.game.legal(notation)
    }

    /// The moves played since the start.
    ///
    /// >>> import kirin
    /// >>> kirin.Position("xiangqi", moves="h3e3 h10g8").moves("wxf")
    /// ['C2=5', 'H8+7']
    #[pyo3(signature = (notation="uci"))]
    fn moves(&self, notation: &str) -> Result<Vec<String>, Refusal> {
        self.game.played(notation)
    }

    /// Plays a legal move, written in one of kirin.notations(variant).
    ///
    /// >>> import kirin
    /// >>> game = kirin.Position("shogi")
    /// >>> game.push("７六歩(77)", notation="kif")
    /// >>> game.moves()
    /// ['c3c4']
    #[pyo3(signature = (mv, /, notation="uci"))]
    fn push(&mut self, mv: &str, notation: &str) -> Result<(), Refusal> {
        self.game.push(mv, notation)
    }

    /// Takes the last move back and returns it.
    ///
    /// >>> import kirin
    /// >>> game = kirin.Position("xiangqi", moves="h3e3 h10g8")
    /// >>> game.undo(), game.ply
    /// ('h10g8', 1)
    pub(crate) fn undo(&mut self) -> Result<String, Refusal> {
        self.game.undo().ok_or_else(|| Refusal::new("there is no move to undo"))
    }

    /// How the game has ended here, or None if it continues.
    ///
    /// >>> import kirin
    /// >>> game = kirin.Position("xiangqi", "4k4/9/9/9/9/9/9/4R4/9/3K5 b - - 0 1")
    /// >>> game.outcome() is None
    /// True
    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome().map(Outcome)
    }

    /// An independent copy.
    ///
    /// >>> import kirin
    /// >>> game = kirin.Position("xiangqi")
    /// >>> copy = game.copy()
    /// >>> copy.push("h3e3")
    /// >>> game.ply, copy.ply
    /// (0, 1)
    fn copy(&self) -> Position {
        Position::of(self.game.copied())
    }

    fn __copy__(&self) -> Position {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyDict>) -> Position {
        self.copy()
    }

    /// The position in one of kirin.position_formats(variant).
    ///
    /// >>> import kirin
    /// >>> kirin.Position("shogi").text("sfen")
    /// 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1'
    fn text(&self, format: &str) -> Result<String, Refusal> {
        self.game.text(format)
    }

    /// The board drawn with native characters, with the coordinates of a notation. str() draws it with those of UCI.
    ///
    /// >>> import kirin
    /// >>> game = kirin.Position("shogi")
    /// >>> game.draw() == str(game) != game.draw("kif")
    /// True
    #[pyo3(signature = (notation="uci"))]
    fn draw(&self, notation: &str) -> Result<String, Refusal> {
        self.game.draw(notation)
    }

    /// The board as SVG. Notebooks show it by themselves.
    ///
    /// >>> import kirin
    /// >>> kirin.Position("xiangqi").svg()[:4]
    /// '<svg'
    fn svg(&self) -> String {
        self.game.svg()
    }

    fn _repr_svg_(&self) -> String {
        self.game.svg()
    }

    /// The input planes of a network, float32 [plane, rank, file], from the point of view of the side to move: pieces,
    /// pieces in hand, counters, zones, and with `attacks` how often each square is attacked.
    ///
    /// >>> import kirin
    /// >>> kirin.Position("xiangqi").planes().shape
    /// (22, 10, 9)
    #[pyo3(signature = (*, attacks=false))]
    fn planes<'py>(&self, py: Python<'py>, attacks: bool) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let features = Features { attacks };
        let [planes, ranks, files] = any_game::shape(self.game.variant(), features);
        let array = PyArray3::<f32>::zeros(py, [planes, ranks, files], false);
        self.game.planes(features, array.try_readwrite()?.as_slice_mut()?);
        Ok(array)
    }

    /// Which numbers of the variant's table of actions are legal moves, bool [kirin.action_count(variant)].
    ///
    /// >>> import kirin
    /// >>> int(kirin.Position("xiangqi").action_mask().sum())
    /// 44
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let variant = self.game.variant();
        let count = any_game::action_count(variant).ok_or_else(|| any_game::no_table(variant))?;
        let array = PyArray1::<bool>::zeros(py, [count], false);
        self.game.mask(array.try_readwrite()?.as_slice_mut()?)?;
        Ok(array)
    }

    /// The number of a legal move in the variant's table of actions, from the point of view of the side to move.
    ///
    /// >>> import kirin
    /// >>> game = kirin.Position("xiangqi")
    /// >>> game.move_of(game.action("h3e3"))
    /// 'h3e3'
    #[pyo3(signature = (mv, /, notation="uci"))]
    fn action(&self, mv: &str, notation: &str) -> Result<usize, Refusal> {
        self.game.action(mv, notation)
    }

    /// The legal move with this number.
    ///
    /// >>> import kirin
    /// >>> game = kirin.Position("xiangqi")
    /// >>> game.move_of(game.action("h3e3"), "chinese")
    /// '炮二平五'
    #[pyo3(signature = (action, /, notation="uci"))]
    fn move_of(&self, action: i64, notation: &str) -> Result<String, Refusal> {
        self.game.move_of(usize::try_from(action).unwrap_or(usize::MAX), notation)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Position>() else { return false };
        // The same object may be borrowed twice: neither borrow changes it.
        other.try_borrow().is_ok_and(|other| self.identity() == other.identity())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.game.variant(), self.game.key(), self.game.ply()).hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> Result<String, Refusal> {
        self.game.draw(UCI)
    }

    fn __repr__(&self) -> String {
        let ruleset = self.game.rules();
        let (variant, start) = (self.game.variant().id(), self.game.start_fen());
        let moves = self.game.played(UCI).unwrap_or_default().join(" ");
        let moves = if moves.is_empty() { moves } else { format!(", moves='{moves}'") };
        format!("Position('{variant}', '{start}', '{ruleset}'{moves})")
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let (variant, ruleset, start, codes) = self.identity();
        let codes: Vec<u8> = codes.into_iter().flat_map(u32::to_le_bytes).collect();
        let arguments = (variant.id(), start, ruleset, PyBytes::new(py, &codes));
        let restore = py.import("kirin._native")?.getattr("_restore")?;
        Ok((restore, arguments).into_pyobject(py)?.into_any().unbind())
    }
}

/// The notation that every variant has.
const UCI: &str = "uci";

/// Makes a position of what pickling keeps: variant, start, rule set, and the codes of the moves in little-endian order.
#[pyfunction]
pub(crate) fn _restore(variant: &str, start: &str, ruleset: &str, codes: &[u8]) -> Result<Position, Refusal> {
    let (codes, rest) = codes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Refusal::new("the moves of a pickled position are cut off"));
    }
    let codes: Vec<u32> = codes.iter().map(|code| u32::from_le_bytes(*code)).collect();
    Ok(Position::of(any_game::replayed(variant.parse()?, start, ruleset, &codes)?))
}
