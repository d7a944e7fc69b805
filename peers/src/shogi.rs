//! The shogi crates `haitaka` and `rsshogi` behind one door: counting and listing moves in USI.
//!
//! Neither lists mates by a dropped pawn, which are illegal; so their counts are to be equal to ours.

use crate::found::PeerError;
use std::collections::BTreeSet;

/// Name of the variant.
pub const ID: &str = "shogi";

/// A FEN as an SFEN: sente is `b`, hands come last but one with counts before letters, then the number of the move.
pub fn sfen(fen: &str) -> String {
    let mut fields = fen.split_whitespace();
    let (mut placement, side) = (fields.next().unwrap_or_default(), fields.next());
    let mut hands = String::new();
    if let Some((board, pieces)) = placement.trim_end_matches(']').split_once('[') {
        placement = board;
        for letter in "RBGSNLPrbgsnlp".chars() {
            match pieces.matches(letter).count() {
                0 => {}
                1 => hands.push(letter),
                several => hands.push_str(&format!("{several}{letter}")),
            }
        }
    }
    let side = if side == Some("b") { 'w' } else { 'b' };
    format!("{placement} {side} {} 1", if hands.is_empty() { "-" } else { &hands })
}

/// A move in UCI (`c3c4`, `h2b8+`, `P@e5`) as USI (`7g7f`, `8h2b+`, `P*5e`).
pub fn usi(uci: &str) -> String {
    let turned = |letter: char| match letter {
        'a'..='i' => char::from(b'9' - (letter as u8 - b'a')),
        '1'..='9' => char::from(b'a' + (b'9' - letter as u8)),
        '@' => '*',
        _ => letter,
    };
    uci.chars().map(turned).collect()
}

/// A shogi library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// `haitaka`: sets of destinations, counted without being listed.
    Haitaka,
    /// `rsshogi`: its own `perft`, which lists the leaves and takes the length.
    Rsshogi,
}

impl Library {
    /// Both.
    pub const ALL: [Library; 2] = [Library::Haitaka, Library::Rsshogi];

    /// The crate's name.
    pub fn name(self) -> &'static str {
        match self {
            Library::Haitaka => "haitaka",
            Library::Rsshogi => "rsshogi",
        }
    }

    /// A position from its SFEN, ready to be counted.
    ///
    /// # Errors
    /// The library refuses the position.
    pub fn position(self, sfen: &str) -> Result<Position, PeerError> {
        let broken = |problem: String| PeerError::Broken { what: self.name().into(), problem };
        match self {
            Library::Haitaka => match haitaka::Board::from_sfen(sfen) {
                Ok(board) => Ok(Position::Haitaka(Box::new(board))),
                Err(error) => Err(broken(format!("{sfen}: {error:?}"))),
            },
            Library::Rsshogi => match rsshogi::board::position_from_sfen(sfen) {
                Ok(position) => Ok(Position::Rsshogi(Box::new(position))),
                Err(error) => Err(broken(format!("{sfen}: {error}"))),
            },
        }
    }
}

/// A position of one of the libraries.
pub enum Position {
    /// Of `haitaka`.
    Haitaka(Box<haitaka::Board>),
    /// Of `rsshogi`.
    Rsshogi(Box<rsshogi::board::Position>),
}

impl Position {
    /// Number of sequences of `depth` legal moves. Leaves are counted in bulk.
    pub fn perft(&self, depth: u8) -> u64 {
        match self {
            Position::Haitaka(board) => count(board, depth),
            Position::Rsshogi(position) => match rsshogi::board::perft::perft(position, depth) {
                Ok(result) => result.nodes,
                Err(error) => unreachable!("rsshogi counts from every position: {error}"),
            },
        }
    }

    /// The position after a move in USI, legal or not; `None` if that is not the text of a move.
    pub fn after(&self, usi: &str) -> Option<Position> {
        match self {
            Position::Haitaka(board) => {
                let mut next = board.clone();
                next.play_unchecked(usi.parse().ok()?);
                Some(Position::Haitaka(next))
            }
            Position::Rsshogi(position) => {
                let mut next = position.clone();
                next.init_stack();
                next.apply_move32(rsshogi::board::move_from_usi(position, usi)?);
                Some(Position::Rsshogi(next))
            }
        }
    }

    /// The legal moves in USI.
    pub fn moves(&self) -> BTreeSet<String> {
        let mut moves = BTreeSet::new();
        match self {
            Position::Haitaka(board) => {
                board.generate_moves(|of_a_piece| {
                    moves.extend(of_a_piece.into_iter().map(|mv| mv.to_string()));
                    false
                });
            }
            Position::Rsshogi(position) => {
                let mut list = rsshogi::board::MoveList::new();
                rsshogi::board::movegen::generate_legal_all(position, &mut list);
                moves.extend(list.iter().map(|mv| mv.to_usi()));
            }
        }
        moves
    }
}

/// Perft in the way `haitaka` offers: the moves of a piece are a set, and a leaf is a member of it.
fn count(board: &haitaka::Board, depth: u8) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.into_iter().len() as u64;
        } else {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                nodes += count(&next, depth - 1);
            }
        }
        false
    });
    nodes
}
