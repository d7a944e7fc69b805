//! A board of Shogi in 256 bits: the side to move, the squares of the kings, the other squares, then every piece that
//! is not on the board. A piece has a code whose length falls with its number, so that all positions have the same
//! length.

use crate::diagram::{Diagram, HAND, SIZE};

/// Bytes of a board.
pub(super) const BOARD_BYTES: usize = 32;

/// A code: its bits, the lowest first, and how many there are.
type Code = (u16, u32);

/// The codes of a format, each in the order of [`HAND`]. On the board and in hand the bits of the side and of promotion
/// follow.
#[derive(Debug)]
pub(super) struct Codes {
    on_board: [Code; 7],
    in_hand: [Code; 7],
    /// Pieces that are not in the game at all.
    left_out: [Code; 7],
    /// Whether the bit of the side comes before that of promotion.
    side_first: bool,
}

/// Those of Apery's `HuffmanCodedPos`.
pub(super) const HCP: Codes = Codes {
    on_board: [(0x3f, 6), (0x1f, 6), (0x0f, 5), (0x0b, 4), (0x07, 4), (0x03, 4), (0x01, 2)],
    in_hand: [(0x3f, 6), (0x1f, 6), (0x07, 4), (0x05, 4), (0x03, 4), (0x01, 4), (0x00, 2)],
    left_out: [(0x2f, 7), (0x0f, 7), (0x1d, 5), (0x0d, 5), (0x0b, 5), (0x09, 5), (0x02, 3)],
    side_first: true,
};

/// Those of YaneuraOu's `PackedSfen`.
pub(super) const PACKED_SFEN: Codes = Codes {
    on_board: [(0x3f, 6), (0x1f, 6), (0x0f, 5), (0x07, 4), (0x0b, 4), (0x03, 4), (0x01, 2)],
    in_hand: [(0x1f, 6), (0x0f, 6), (0x07, 4), (0x03, 4), (0x05, 4), (0x01, 4), (0x00, 2)],
    left_out: [(0x3f, 7), (0x2f, 7), (0x1b, 5), (0x0b, 5), (0x0d, 5), (0x09, 5), (0x02, 3)],
    side_first: false,
};

/// A square of the diagram. Squares are counted from the top of file 1, rank by rank, then file by file.
pub(super) fn place(square: usize) -> (usize, usize) {
    (square % SIZE, SIZE - 1 - square / SIZE)
}

/// The place of the gold general in [`HAND`], which cannot promote.
const GOLD: usize = 2;

/// Bits of a board, the lowest of a byte first.
struct Bits<'a> {
    bytes: &'a [u8; BOARD_BYTES],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> Option<u16> {
        let bit = self.bytes.get(self.at / 8)? >> (self.at % 8) & 1;
        self.at += 1;
        Some(bit.into())
    }

    fn number(&mut self, bits: u32) -> Option<u16> {
        (0..bits).try_fold(0, |number, at| Some(number | self.bit()? << at))
    }

    /// The place of the next code in one of these lists; no code begins with another.
    fn code(&mut self, lists: &[&[Code; 7]]) -> Option<(usize, usize)> {
        let (mut value, mut length) = (0, 0);
        while length < 8 {
            value |= self.bit()? << length;
            length += 1;
            for (list, codes) in lists.iter().enumerate() {
                if let Some(slot) = codes.iter().position(|&code| code == (value, length)) {
                    return Some((list, slot));
                }
            }
        }
        None
    }
}

/// A board that is written.
#[derive(Default)]
struct Written {
    bytes: [u8; BOARD_BYTES],
    at: usize,
}

impl Written {
    /// Appends a code; `None` if the board is full.
    fn push(&mut self, (value, length): Code) -> Option<()> {
        for bit in 0..length {
            *self.bytes.get_mut(self.at / 8)? |= ((value >> bit & 1) as u8) << (self.at % 8);
            self.at += 1;
        }
        Some(())
    }
}

impl Codes {
    /// The board in 256 bits; `None` if it lacks a king, or has more pieces than a game.
    pub fn write(&self, board: &Diagram) -> Option<[u8; BOARD_BYTES]> {
        let mut out = Written::default();
        let mut left = HAND.map(|(_, all)| all);
        out.push((board.second_moves.into(), 1))?;
        let cell = |square: usize| {
            let (rank, file) = place(square);
            board.cells[rank][file].as_str()
        };
        for king in ["K", "k"] {
            out.push(((0..SIZE * SIZE).find(|&square| cell(square) == king)? as u16, 7))?;
        }
        for code in (0..SIZE * SIZE).map(cell).filter(|code| !["K", "k"].contains(code)) {
            let Some(slot) = Diagram::slot(code) else {
                out.push((0, 1))?;
                continue;
            };
            left[slot] = left[slot].checked_sub(1)?;
            out.push(self.on_board[slot])?;
            let side = u16::from(code.ends_with(|letter: char| letter.is_ascii_lowercase()));
            let promoted = u16::from(code.starts_with('+'));
            match (slot, self.side_first) {
                (GOLD, _) => out.push((side, 1))?,
                (_, true) => out.push((side | promoted << 1, 2))?,
                (_, false) => out.push((promoted | side << 1, 2))?,
            }
        }
        // From pawns to rooks, as other programs write them.
        let slots = || [6, 5, 4, 3, 2, 1, 0];
        for (side, held) in board.hands.iter().enumerate() {
            for slot in slots() {
                for _ in 0..held[slot] {
                    left[slot] = left[slot].checked_sub(1)?;
                    out.push(self.in_hand[slot])?;
                    out.push((side as u16, 1))?;
                }
            }
        }
        for slot in slots() {
            (0..left[slot]).try_for_each(|_| out.push(self.left_out[slot]))?;
        }
        (out.at == 8 * BOARD_BYTES).then_some(out.bytes)
    }

    /// The board of 256 bits; `None` if they are not those of a board with two kings and the pieces of a game.
    pub fn read(&self, bytes: &[u8; BOARD_BYTES]) -> Option<Diagram> {
        let mut bits = Bits { bytes, at: 0 };
        let mut board = Diagram::empty();
        board.second_moves = bits.bit()? == 1;
        let mut left = HAND.map(|(_, all)| all);
        for king in ["K", "k"] {
            let square = usize::from(bits.number(7)?);
            let (rank, file) = Some(square).filter(|&square| square < SIZE * SIZE).map(place)?;
            if !board.cells[rank][file].is_empty() {
                return None;
            }
            king.clone_into(&mut board.cells[rank][file]);
        }
        for (rank, file) in (0..SIZE * SIZE).map(place) {
            if !board.cells[rank][file].is_empty() {
                continue;
            }
            // An empty square is a single 0, with which no piece begins.
            if bits.bit()? == 0 {
                continue;
            }
            bits.at -= 1;
            let (_, slot) = bits.code(&[&self.on_board])?;
            left[slot] = left[slot].checked_sub(1)?;
            let (side, promoted) = match (slot, self.side_first) {
                (GOLD, _) => (bits.bit()?, 0),
                (_, true) => (bits.bit()?, bits.bit()?),
                (_, false) => {
                    let promoted = bits.bit()?;
                    (bits.bit()?, promoted)
                }
            };
            let letter = HAND[slot].0;
            let letter = if side == 0 { letter } else { letter.to_ascii_lowercase() };
            board.cells[rank][file] = format!("{}{letter}", if promoted == 1 { "+" } else { "" });
        }
        while bits.at < 8 * BOARD_BYTES {
            let (list, slot) = bits.code(&[&self.in_hand, &self.left_out])?;
            left[slot] = left[slot].checked_sub(1)?;
            if list == 0 {
                board.hands[usize::from(bits.bit()?)][slot] += 1;
            }
        }
        (left == [0; 7]).then_some(board)
    }
}
