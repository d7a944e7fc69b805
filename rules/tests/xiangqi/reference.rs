//! Xiangqi once more, slow and obvious, written from the rule text and sharing nothing with the crate: a
//! board of characters, every move tried on a copy, attacks found by walking from each piece.

use std::collections::BTreeMap;

/// File and rank, from 0.
pub type Point = (i32, i32);

/// A position: upper case letters are Red's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub pieces: BTreeMap<Point, char>,
    pub red_to_move: bool,
}

const ORTHOGONALS: [Point; 4] = [(0, 1), (0, -1), (-1, 0), (1, 0)];
const DIAGONALS: [Point; 4] = [(-1, 1), (1, 1), (-1, -1), (1, -1)];

fn on_board((file, rank): Point) -> bool {
    (0..9).contains(&file) && (0..10).contains(&rank)
}

/// Whether a point lies in a side's palace.
pub fn in_palace(red: bool, (file, rank): Point) -> bool {
    (3..6).contains(&file) && if red { (0..3).contains(&rank) } else { (7..10).contains(&rank) }
}

/// Whether a point lies on a side's own half of the board.
pub fn at_home(red: bool, (_, rank): Point) -> bool {
    if red { rank < 5 } else { rank >= 5 }
}

pub fn is_red(piece: char) -> bool {
    piece.is_ascii_uppercase()
}

pub fn text(from: Point, to: Point) -> String {
    let square = |(file, rank): Point| format!("{}{}", (b'a' + file as u8) as char, rank + 1);
    square(from) + &square(to)
}

impl Board {
    pub fn read(fen: &str) -> Board {
        let mut fields = fen.split(' ');
        let mut pieces = BTreeMap::new();
        for (from_top, row) in fields.next().expect("a board").split('/').enumerate() {
            let mut file = 0;
            for letter in row.chars() {
                match letter.to_digit(10) {
                    Some(empty) => file += empty as i32,
                    None => {
                        pieces.insert((file, 9 - from_top as i32), letter);
                        file += 1;
                    }
                }
            }
        }
        Board { pieces, red_to_move: fields.next() == Some("w") }
    }

    /// Board and side, as in a FEN.
    pub fn text(&self) -> String {
        let rows = (0..10).rev().map(|rank| {
            let row: String = (0..9).map(|file| self.pieces.get(&(file, rank)).copied().unwrap_or('1')).collect();
            (2..=9).rev().fold(row, |row, run| row.replace(&"1".repeat(run), &run.to_string()))
        });
        rows.collect::<Vec<_>>().join("/") + if self.red_to_move { " w" } else { " b" }
    }

    /// The first piece met from `from` in a direction, the piece itself left out, and the empty points before.
    fn walk(&self, from: Point, (f, r): Point) -> (Vec<Point>, Option<Point>) {
        let mut empty = Vec::new();
        let mut at = (from.0 + f, from.1 + r);
        while on_board(at) {
            if self.pieces.contains_key(&at) {
                return (empty, Some(at));
            }
            empty.push(at);
            at = (at.0 + f, at.1 + r);
        }
        (empty, None)
    }

    /// Where the piece on a point may go by its move rule: empty points, and points with pieces of either side.
    fn reach(&self, from: Point) -> Vec<Point> {
        let piece = self.pieces[&from];
        let red = is_red(piece);
        let beside = |(f, r): Point, far: i32| (from.0 + far * f, from.1 + far * r);
        let free = |point: Point| !self.pieces.contains_key(&point);
        let mut to = Vec::new();
        match piece.to_ascii_uppercase() {
            // 帥: one step orthogonally in its palace.
            'K' => to.extend(ORTHOGONALS.map(|step| beside(step, 1)).into_iter().filter(|&at| in_palace(red, at))),
            // 仕: one diagonal step in its palace.
            'A' => to.extend(DIAGONALS.map(|step| beside(step, 1)).into_iter().filter(|&at| in_palace(red, at))),
            // 相: exactly two diagonal steps, blocked on the eye, never over the river.
            'B' => {
                for step in DIAGONALS {
                    if free(beside(step, 1)) && at_home(red, from) == at_home(red, beside(step, 2)) {
                        to.push(beside(step, 2));
                    }
                }
            }
            // 傌: one orthogonal step, then one diagonal outward; blocked on the first point.
            'N' => {
                for (f, r) in ORTHOGONALS {
                    let leg = beside((f, r), 1);
                    if free(leg) {
                        // Outward and to either side: (f, r) turned by a right angle is (r, f).
                        to.push((leg.0 + f + r, leg.1 + r + f));
                        to.push((leg.0 + f - r, leg.1 + r - f));
                    }
                }
            }
            // 俥: slides.
            'R' => {
                for step in ORTHOGONALS {
                    let (empty, piece) = self.walk(from, step);
                    to.extend(empty);
                    to.extend(piece);
                }
            }
            // 炮: slides; captures by jumping exactly one piece of either side.
            'C' => {
                for step in ORTHOGONALS {
                    let (empty, screen) = self.walk(from, step);
                    to.extend(empty);
                    to.extend(screen.and_then(|screen| self.walk(screen, step).1));
                }
            }
            // 兵: one step forward; past the river also sideways.
            'P' => {
                to.push(beside((0, if red { 1 } else { -1 }), 1));
                if !at_home(red, from) {
                    to.extend([beside((-1, 0), 1), beside((1, 0), 1)]);
                }
            }
            other => panic!("no piece {other}"),
        }
        to.retain(|&at| on_board(at));
        to
    }

    /// Whether the piece on `from` can capture the enemy on `to` by its move rule.
    pub fn attacks(&self, from: Point, to: Point) -> bool {
        let taken = self.pieces.get(&to).copied();
        taken.is_some_and(|taken| is_red(taken) != is_red(self.pieces[&from])) && self.reach(from).contains(&to)
    }

    pub fn of_side(&self, red: bool) -> Vec<Point> {
        self.pieces.iter().filter(|&(_, &piece)| is_red(piece) == red).map(|(&at, _)| at).collect()
    }

    fn general(&self, red: bool) -> Point {
        let letter = if red { 'K' } else { 'k' };
        *self.pieces.iter().find(|&(_, &piece)| piece == letter).expect("a general").0
    }

    /// The pieces that attack a side's general.
    pub fn checkers(&self, red: bool) -> Vec<Point> {
        let general = self.general(red);
        self.of_side(!red).into_iter().filter(|&enemy| self.attacks(enemy, general)).collect()
    }

    /// Whether a side's general can be captured, or the generals face each other on an open file.
    pub fn exposed(&self, red: bool) -> bool {
        let facing = [(0, 1), (0, -1)].map(|step| self.walk(self.general(red), step).1);
        !self.checkers(red).is_empty() || facing.contains(&Some(self.general(!red)))
    }

    /// The board after a move, whichever side was to move; the turn goes to the mover's opponent.
    pub fn after(&self, from: Point, to: Point) -> Board {
        let mut next = self.clone();
        let piece = next.pieces.remove(&from).expect("a piece to move");
        next.pieces.insert(to, piece);
        next.red_to_move = !is_red(piece);
        next
    }

    /// Legal moves, and the boards after them.
    pub fn moves(&self) -> BTreeMap<String, Board> {
        let mut moves = BTreeMap::new();
        for from in self.of_side(self.red_to_move) {
            for to in self.reach(from) {
                if self.pieces.get(&to).is_some_and(|&piece| is_red(piece) == self.red_to_move) {
                    continue;
                }
                let next = self.after(from, to);
                if !next.exposed(self.red_to_move) {
                    moves.insert(text(from, to), next);
                }
            }
        }
        moves
    }

    pub fn check(&self) -> bool {
        !self.checkers(self.red_to_move).is_empty()
    }
}
