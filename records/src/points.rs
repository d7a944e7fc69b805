//! The board of nine files and ten ranks, on which formats of Chinese programs number the points and place pieces.

use rules::Side;

use crate::diagram::fen_rank;
use crate::written::WrittenStart;

/// Files.
pub(crate) const FILES: usize = 9;
/// Ranks.
pub(crate) const RANKS: usize = 10;
/// The pieces of Red, then those of Black, in the order in which several formats give their points.
pub(crate) const PIECES: &str = "RNBAKABNRCCPPPPPrnbakabnrccppppp";

/// A point: its file from the left of Red, and its rank from the top, both from 0.
pub(crate) type BoardPoint = (usize, usize);

/// The name of a point: its file as a letter, and its rank from below as a number from 0.
pub(crate) fn name((file, from_top): BoardPoint) -> String {
    format!("{}{}", (b'a' + file as u8) as char, RANKS - 1 - from_top)
}

/// Pieces on the board.
#[derive(Default)]
pub(crate) struct PointBoard([[Option<char>; FILES]; RANKS]);

impl PointBoard {
    /// Puts a piece on a point. False if the point does not exist or another piece stands there, which stays.
    pub fn put(&mut self, (file, from_top): BoardPoint, piece: char) -> bool {
        let cell = self.0.get_mut(from_top).and_then(|rank| rank.get_mut(file));
        cell.is_some_and(|cell| cell.replace(cell.unwrap_or(piece)).is_none())
    }

    /// The start of a game whose first move leaves this point. The owner of the piece that stands there is to move,
    /// even if the file says otherwise; `said` is to move where no piece stands there.
    pub fn start(&self, first_source: Option<BoardPoint>, said: Side) -> WrittenStart {
        let moving_piece = first_source.and_then(|(file, from_top)| *self.0.get(from_top)?.get(file)?);
        let is_black = moving_piece.map_or(said == Side::Second, |piece| piece.is_ascii_lowercase());
        let ranks: Vec<String> = self
            .0
            .iter()
            .map(|cells| fen_rank(cells.iter().map(|cell| cell.map(String::from).unwrap_or_default())))
            .collect();
        WrittenStart::Text(format!("{} {} - - 0 1", ranks.join("/"), if is_black { 'b' } else { 'w' }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_on_points_of_their_own() {
        let mut board = PointBoard::default();
        assert!(board.put((4, 0), 'k') && board.put((3, 9), 'K'));
        assert!(!board.put((4, 0), 'R') && !board.put((9, 0), 'R') && !board.put((0, 10), 'R'));
        let text = |first, said| board.start(first, said);
        let fen = |side| WrittenStart::Text(format!("4k4/9/9/9/9/9/9/9/9/3K5 {side} - - 0 1"));
        assert_eq!(text(None, Side::First), fen('w'));
        assert_eq!(text(None, Side::Second), fen('b'));
        assert_eq!(text(Some((4, 0)), Side::First), fen('b'), "Black moves a piece of its own");
        assert_eq!(text(Some((3, 9)), Side::Second), fen('w'));
        assert_eq!([name((0, 9)), name((8, 0))], ["a0", "i9"]);
    }
}
