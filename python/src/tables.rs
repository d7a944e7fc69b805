//! What a variant has (rule sets, notations, sizes), and perft.

use crate::any_game;
use crate::position::Position;
use crate::refusal::Refusal;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rules::encode::{Features, Shape};
use rules::{Notated, Rulebook, VariantId, dispatch};

/// The names of the rule sets of a variant, the default first.
///
/// >>> import kirin
/// >>> "full" in kirin.rulesets("xiangqi")
/// True
#[pyfunction]
pub(crate) fn rulesets(variant: &str) -> Result<Vec<&'static str>, Refusal> {
    let variant: VariantId = variant.parse()?;
    Ok(dispatch!(variant, V => V::PRESETS.iter().map(|(name, _)| *name).collect()))
}

/// The names of the notations of moves of a variant, UCI first.
///
/// >>> import kirin
/// >>> kirin.notations("xiangqi")
/// ['uci', 'ucci', 'chinese', 'wxf']
#[pyfunction]
pub(crate) fn notations(variant: &str) -> Result<Vec<&'static str>, Refusal> {
    let variant: VariantId = variant.parse()?;
    Ok(dispatch!(variant, V => V::NOTATIONS.iter().map(|notation| notation.name).collect()))
}

/// The names of the formats of positions of a variant, FEN first.
///
/// >>> import kirin
/// >>> kirin.position_formats("shogi")
/// ['fen', 'sfen']
#[pyfunction]
pub(crate) fn position_formats(variant: &str) -> Result<Vec<&'static str>, Refusal> {
    let variant: VariantId = variant.parse()?;
    Ok(dispatch!(variant, V => V::POSITION_FORMATS.iter().map(|format| format.name).collect()))
}

/// The names of the setups that a player may choose before the game; none in most variants.
///
/// >>> import kirin
/// >>> kirin.setups("shogi")
/// []
#[pyfunction]
pub(crate) fn setups(variant: &str) -> Result<Vec<&'static str>, Refusal> {
    let variant: VariantId = variant.parse()?;
    Ok(dispatch!(variant, V => V::SETUPS.iter().map(|setup| setup.name).collect()))
}

/// How many numbers the variant's table of actions has; None if it has no table.
///
/// >>> import kirin
/// >>> kirin.action_count("koshogi") is None
/// True
#[pyfunction]
pub(crate) fn action_count(variant: &str) -> Result<Option<usize>, Refusal> {
    Ok(any_game::action_count(variant.parse()?))
}

/// What the actions of a variant's table move, int16 [action_count, 3], for networks whose policy has a vector for each square:
/// source, target, and 1 where the piece promotes.
///
/// The columns are the first three of VectorEnv.legal(). Squares are rank * files + file, as in the planes of the side to move:
/// planes[..., square // files, square % files]. A source behind the squares is a hand: ranks * files + i drops a piece of
/// the kind that plane i of the hand counts. The last action is the pass, whose source and target are the number behind the
/// hands. Raises ValueError for Kō shogi, which has no table.
///
/// >>> import kirin
/// >>> squares = kirin.action_squares("xiangqi")
/// >>> squares.shape, squares.dtype.name
/// ((2139, 3), 'int16')
/// >>> source, target, promotes = squares[kirin.Position("xiangqi").action("h3e3")].tolist()
/// >>> source == 2 * 9 + 7, target == 2 * 9 + 4, promotes
/// (True, True, 0)
#[pyfunction]
pub(crate) fn action_squares<'py>(py: Python<'py>, variant: &str) -> PyResult<Bound<'py, PyArray2<i16>>> {
    let variant: VariantId = variant.parse().map_err(Refusal::from)?;
    let (mut rows, pass) = dispatch!(variant, V => {
        let table = any_game::table::<V>().ok_or_else(|| any_game::no_table(variant))?;
        (any_game::action_tokens(table), Shape::of::<V>(Features::default()).pass_token())
    });
    rows.push([pass, pass, 0]);
    let columns = rows.iter().flatten().map(|&token| token as i16).collect();
    PyArray1::from_vec(py, columns).reshape([rows.len(), 3])
}

/// Planes, ranks and files of Position.planes().
///
/// >>> import kirin
/// >>> kirin.planes_shape("xiangqi", attacks=True)
/// (29, 10, 9)
#[pyfunction]
#[pyo3(signature = (variant, *, attacks=false))]
pub(crate) fn planes_shape(variant: &str, attacks: bool) -> Result<(usize, usize, usize), Refusal> {
    let [planes, ranks, files] = any_game::shape(variant.parse()?, Features { attacks });
    Ok((planes, ranks, files))
}

/// The number of sequences of `depth` legal moves. Other threads run meanwhile.
///
/// >>> import kirin
/// >>> kirin.perft(kirin.Position("xiangqi"), 3)
/// 79666
#[pyfunction]
pub(crate) fn perft(position: &Bound<'_, Position>, depth: i64) -> PyResult<u64> {
    let (game, depth) = (position.try_borrow()?.game.copied(), plies(depth)?);
    Ok(position.py().detach(|| game.perft(depth)))
}

/// Perft of each legal move: a list of the move and the number of sequences that begin with it.
///
/// >>> import kirin
/// >>> sum(nodes for move, nodes in kirin.divide(kirin.Position("wangqi"), 2)) == kirin.perft(kirin.Position("wangqi"), 2)
/// True
#[pyfunction]
pub(crate) fn divide(position: &Bound<'_, Position>, depth: i64) -> PyResult<Vec<(String, u64)>> {
    let (game, depth) = (position.try_borrow()?.game.copied(), plies(depth)?);
    Ok(position.py().detach(|| game.divide(depth)))
}

/// The greatest depth of a count.
const MOST_PLIES: u32 = 20;

fn plies(depth: i64) -> Result<u32, Refusal> {
    // As `kirin perft` has it. The count calls itself once a ply.
    let depth = u32::try_from(depth).ok().filter(|depth| *depth <= MOST_PLIES).ok_or(depth);
    depth.map_err(|depth| Refusal::new(format!("depth is {depth}; expected 0 to {MOST_PLIES} plies")))
}
