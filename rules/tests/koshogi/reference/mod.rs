//! Kō shogi once more, slow and obvious, written from the rule text and sharing nothing with the crate: a map
//! of stones, and every way to move followed step by step on a copy of it.
//!
//! Numbers in brackets are events of a turn: (1) displacement, (2) test against poison flames, (3) shots,
//! (4) promotion and the clerk's chain, (5) burning, (6) priest, (7) lamp, (8) loss.

mod pieces;
mod turn;
mod ways;

use pieces::{PIECES, Piece};
use std::collections::BTreeMap;
use ways::Way;

/// File and rank, both from 1.
pub type Point = (i32, i32);

/// A stone on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stone {
    black: bool,
    piece: &'static Piece,
    /// The red back shows.
    promoted: bool,
}

impl Stone {
    /// The name it shows. Rules about stones ask for the code, all others for this.
    fn face(self) -> &'static str {
        if self.promoted { self.piece.back.expect("a stone with a back") } else { self.piece.front }
    }

    fn code(self) -> &'static str {
        self.piece.code
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    stones: BTreeMap<Point, Stone>,
    black_to_move: bool,
    /// Plies since a stone last left the board or turned.
    quiet: u32,
    number: u32,
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Whether Black won; `None` is a draw.
    pub black_wins: Option<bool>,
    pub by: &'static str,
}

/// Occurrences of a position that make a draw.
const OCCURRENCES: usize = 4;
/// Quiet plies that make a draw.
const QUIET_PLIES: u32 = 400;

fn name((file, rank): Point) -> String {
    format!("{}{rank}", (b'a' + file as u8 - 1) as char)
}

fn on_board((file, rank): Point) -> bool {
    (1..=19).contains(&file) && (1..=19).contains(&rank)
}

/// The six ranks nearest to the opponent.
fn in_enemy_camp(black: bool, (_, rank): Point) -> bool {
    if black { rank >= 14 } else { rank <= 6 }
}

impl Board {
    pub fn read(fen: &str) -> Board {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut stones = BTreeMap::new();
        for (row, rank) in fields[0].split('/').zip((1..=19).rev()) {
            let mut file = 1;
            for item in row.split(',') {
                if let Ok(empty) = item.parse::<i32>() {
                    file += empty;
                    continue;
                }
                let code = item.trim_start_matches('+');
                let black = code == code.to_uppercase();
                let piece = PIECES.iter().find(|piece| piece.code == code.to_uppercase()).expect(item);
                stones.insert((file, rank), Stone { black, piece, promoted: item.starts_with('+') });
                file += 1;
            }
            assert_eq!(file, 20, "rank {rank} of {fen}");
        }
        let counter = |at: usize| fields[at].parse().expect("a counter");
        Board { stones, black_to_move: fields[1] == "w", quiet: counter(4), number: counter(5) }
    }

    pub fn fen(&self) -> String {
        format!("{} - - {} {}", self.text(), self.quiet, self.number)
    }

    /// Stones, faces and side to move: what makes positions the same.
    pub fn text(&self) -> String {
        let rows: Vec<String> = (1..=19).rev().map(|rank| self.row(rank)).collect();
        format!("{} {}", rows.join("/"), if self.black_to_move { "w" } else { "b" })
    }

    fn row(&self, rank: i32) -> String {
        let mut items = Vec::new();
        let mut empty = 0;
        for file in 1..=19 {
            let Some(stone) = self.stones.get(&(file, rank)) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                items.push(empty.to_string());
                empty = 0;
            }
            let code = if stone.black { stone.code().to_owned() } else { stone.code().to_lowercase() };
            items.push(if stone.promoted { format!("+{code}") } else { code });
        }
        if empty > 0 {
            items.push(empty.to_string());
        }
        items.join(",")
    }

    /// The legal moves and the positions they lead to. Ways with the same text are one move; that they lead to
    /// the same position is asserted.
    pub fn moves(&self) -> BTreeMap<String, Board> {
        let mut moves = BTreeMap::new();
        // A position in which a side has lost is finished.
        if self.winner().is_some() {
            return moves;
        }
        for (&from, stone) in &self.stones {
            if stone.black != self.black_to_move {
                continue;
            }
            for way in self.ways(from) {
                let plain = self.text_of(from, &way);
                if self.may_promote(&way) {
                    add(&mut moves, format!("{plain}+"), self.after(&way, true));
                }
                add(&mut moves, plain, self.after(&way, false));
            }
        }
        moves
    }

    /// `from` `to`, then `x` and a point for every taken stone that did not stand on `to`, by file and rank.
    fn text_of(&self, from: Point, way: &Way) -> String {
        let mut text = name(from) + &name(way.at);
        for &point in way.taken.keys().filter(|&&point| point != way.at) {
            text += &format!("x{}", name(point));
        }
        text
    }

    /// Whether a stone of this side with this code is on the board, whichever face it shows.
    fn alive(&self, black: bool, code: &str) -> bool {
        self.stones.values().any(|stone| stone.black == black && stone.code() == code)
    }

    /// Whether this side has a stone that shows this face.
    fn shows(&self, black: bool, face: &str) -> bool {
        self.stones.values().any(|stone| stone.black == black && stone.face() == face)
    }

    /// No general, no sui, and not both middle army and banner (a shōyō counts as one).
    fn has_lost(&self, black: bool) -> bool {
        let banner = self.shows(black, "旗") || self.shows(black, "招搖");
        let commanded = self.shows(black, "將軍") || self.shows(black, "帥") || (self.shows(black, "中軍") && banner);
        !commanded
    }

    /// (8) Whether Black has won (`true`) or White, by the commanders. The side that moved last wins when both have
    /// lost.
    pub fn winner(&self) -> Option<bool> {
        let mover = !self.black_to_move;
        let other = self.black_to_move;
        if self.has_lost(other) {
            return Some(mover);
        }
        self.has_lost(mover).then_some(other)
    }

    /// Stones on the board.
    pub fn stones(&self) -> usize {
        self.stones.len()
    }

    /// Stones that show their back.
    pub fn turned(&self) -> usize {
        self.stones.values().filter(|stone| stone.promoted).count()
    }

    /// Number of sequences of `depth` moves.
    pub fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.moves().len() as u64,
            _ => self.moves().values().map(|next| next.perft(depth - 1)).sum(),
        }
    }
}

fn add(moves: &mut BTreeMap<String, Board>, text: String, next: Board) {
    if let Some(known) = moves.get(&text) {
        assert_eq!(known.fen(), next.fen(), "two ways of {text} differ");
    }
    moves.insert(text, next);
}

/// Whether the game with these positions, the start first, has ended with the last of them, which has legal moves
/// or not.
pub fn end(boards: &[Board], can_move: bool, max_plies: usize) -> Option<End> {
    let now = boards.last().expect("a start");
    // (8) Commanders.
    if let Some(black_wins) = now.winner() {
        return Some(End { black_wins: Some(black_wins), by: "king_capture" });
    }
    if !can_move {
        return Some(End { black_wins: Some(!now.black_to_move), by: "stalemate" });
    }
    let same = |board: &&Board| board.black_to_move == now.black_to_move && board.stones == now.stones;
    if boards.iter().filter(same).count() >= OCCURRENCES {
        return Some(End { black_wins: None, by: "repetition" });
    }
    if now.quiet >= QUIET_PLIES {
        return Some(End { black_wins: None, by: "no_progress" });
    }
    (boards.len() > max_plies).then_some(End { black_wins: None, by: "max_plies" })
}
