//! The shogi crates `haitaka` and `rsshogi` behind one interface: counting and listing moves in USI.
//!
//! Neither lists mates by a dropped pawn, which are illegal; so their counts are to be equal to ours.

use crate::found::PeerError;
use rules::{PositionFormat, Shogi};
use std::collections::BTreeSet;

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

    /// Our position as the library's own, by way of its SFEN.
    ///
    /// # Errors
    /// The library refuses it.
    pub fn position(self, ours: &rules::Position<Shogi>) -> Result<Position, PeerError> {
        let format = PositionFormat::named("sfen").expect("shogi has SFEN");
        let sfen = format.write(ours);
        let broken = |problem: String| PeerError::Broken { what: self.name().into(), problem };
        match self {
            Library::Haitaka => match haitaka::Board::from_sfen(&sfen) {
                Ok(board) => Ok(Position::Haitaka(Box::new(board))),
                Err(error) => Err(broken(format!("{sfen}: {error:?}"))),
            },
            Library::Rsshogi => match rsshogi::board::position_from_sfen(&sfen) {
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
