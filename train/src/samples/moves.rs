//! Moves in files for other programs.

use rules::encode::MoveTokens;

/// Numbers of a move: source, target, 1 if it promotes, number of further tokens, and room for five of them.
pub(crate) const MOVE_NUMBERS: usize = 9;

/// A move as it stands in a file.
pub(crate) fn numbers(mv: &MoveTokens) -> [u32; MOVE_NUMBERS] {
    let mut numbers = [0; MOVE_NUMBERS];
    numbers[0] = mv.source.into();
    numbers[1] = mv.target.into();
    numbers[2] = mv.promotes.into();
    numbers[3] = mv.via_len.into();
    for (number, &token) in numbers[4..].iter_mut().zip(&mv.via[..usize::from(mv.via_len)]) {
        *number = token.into();
    }
    numbers
}
