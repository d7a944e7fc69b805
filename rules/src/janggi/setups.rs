//! The setups 차림: where horses and elephants stand on the back rank. Han chooses first, then Cho; Cho moves.
//!
//! Left and right are each player's own. The names are South Korea's, by the side of the elephant that stands
//! further from the palace; North Korea swaps left and right.

use crate::setup::Setup;

/// The setups, the default first.
pub(super) const SETUPS: &[Setup] = &[
    Setup { name: "inner", title: "inner elephants 마상상마" },
    Setup { name: "outer", title: "outer elephants 상마마상" },
    Setup { name: "left", title: "left elephant 상마상마" },
    Setup { name: "right", title: "right elephant 마상마상" },
    Setup { name: "fifth", title: "chariots inside 機動車" },
];

/// Cho's back rank in each setup, a1 to i1.
const BACK_RANKS: [&str; SETUPS.len()] = ["RNBA1ABNR", "RBNA1ANBR", "RBNA1ABNR", "RNBA1ANBR", "BNRA1ARNB"];

/// FEN of the start position with these setups of Cho and of Han.
pub(super) fn start_fen([cho, han]: [usize; 2]) -> String {
    // Han sits opposite, so its left is our right.
    let han: String = BACK_RANKS[han].chars().rev().collect();
    let (han, cho) = (han.to_ascii_lowercase(), BACK_RANKS[cho]);
    format!("{han}/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/{cho} w - - 0 1")
}
