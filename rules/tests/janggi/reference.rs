//! Janggi once more, slow and obvious, written from the rule text and sharing nothing with the crate: a board of
//! characters, every move tried on a copy, attacks found by walking from each piece, ends by reading the whole game.

use std::collections::BTreeMap;

/// File and rank, from 0.
pub type Point = (i32, i32);

/// A position: upper case letters are Cho's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub pieces: BTreeMap<Point, char>,
    pub cho_to_move: bool,
    /// Whether generals may face each other without any consequence.
    pub may_face: bool,
}

const ORTHOGONALS: [Point; 4] = [(0, 1), (0, -1), (-1, 0), (1, 0)];
const ALL_EIGHT: [Point; 8] = [(0, 1), (0, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (-1, -1), (1, -1)];

fn on_board((file, rank): Point) -> bool {
    (0..9).contains(&file) && (0..10).contains(&rank)
}

/// Whether a point lies in a side's palace.
pub fn in_palace(cho: bool, (file, rank): Point) -> bool {
    (3..6).contains(&file) && if cho { (0..3).contains(&rank) } else { (7..10).contains(&rank) }
}

/// Whether a line is drawn from a point to a neighbour: ranks and files everywhere, diagonals between the centre
/// of a palace and its corners.
fn is_line(from: Point, to: Point) -> bool {
    let orthogonal = from.0 == to.0 || from.1 == to.1;
    let in_one_palace = [true, false].into_iter().any(|cho| in_palace(cho, from) && in_palace(cho, to));
    let centre = |point: Point| point == (4, 1) || point == (4, 8);
    on_board(to) && (orthogonal || in_one_palace && (centre(from) || centre(to)))
}

pub fn is_cho(piece: char) -> bool {
    piece.is_ascii_uppercase()
}

fn is_cannon(piece: char) -> bool {
    piece.eq_ignore_ascii_case(&'c')
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
        Board { pieces, cho_to_move: fields.next() == Some("w"), may_face: false }
    }

    /// Board and side, as in a FEN.
    pub fn text(&self) -> String {
        let rows = (0..10).rev().map(|rank| {
            let row: String = (0..9).map(|file| self.pieces.get(&(file, rank)).copied().unwrap_or('1')).collect();
            (2..=9).rev().fold(row, |row, run| row.replace(&"1".repeat(run), &run.to_string()))
        });
        rows.collect::<Vec<_>>().join("/") + if self.cho_to_move { " w" } else { " b" }
    }

    /// The empty points met from `from` along the lines of a direction, and the first piece after them.
    fn walk(&self, from: Point, (f, r): Point) -> (Vec<Point>, Option<Point>) {
        let mut empty = Vec::new();
        let mut at = from;
        loop {
            let next = (at.0 + f, at.1 + r);
            if !is_line(at, next) {
                return (empty, None);
            }
            if self.pieces.contains_key(&next) {
                return (empty, Some(next));
            }
            empty.push(next);
            at = next;
        }
    }

    /// Where the piece on a point may go by its move rule: empty points, and points with pieces of either side.
    fn reach(&self, from: Point) -> Vec<Point> {
        let piece = self.pieces[&from];
        let cho = is_cho(piece);
        let forward = if cho { 1 } else { -1 };
        let free = |point: Point| !self.pieces.contains_key(&point);
        let neighbours =
            || ALL_EIGHT.map(|(f, r)| (from.0 + f, from.1 + r)).into_iter().filter(|&to| is_line(from, to));
        let mut to = Vec::new();
        match piece.to_ascii_uppercase() {
            // General and guard: one step along any line in the palace.
            'K' | 'A' => to.extend(neighbours().filter(|&at| in_palace(cho, at))),
            // Chariot: slides along lines.
            'R' => {
                for step in ALL_EIGHT {
                    let (empty, piece) = self.walk(from, step);
                    to.extend(empty);
                    to.extend(piece);
                }
            }
            // Cannon: over exactly one piece, which is no cannon, and takes none.
            'C' => {
                for step in ALL_EIGHT {
                    let (_, screen) = self.walk(from, step);
                    if let Some(screen) = screen.filter(|screen| !is_cannon(self.pieces[screen])) {
                        let (empty, piece) = self.walk(screen, step);
                        to.extend(empty);
                        to.extend(piece.filter(|piece| !is_cannon(self.pieces[piece])));
                    }
                }
            }
            // Horse: one orthogonal step, then one diagonal step outward. Elephant: then two. No point on the
            // way may be occupied.
            'N' | 'B' => {
                let diagonals = if piece.eq_ignore_ascii_case(&'n') { 1 } else { 2 };
                for (f, r) in ORTHOGONALS {
                    for turn in [-1, 1] {
                        // (f, r) turned by a right angle is (r, f), to either side.
                        let (df, dr) = (f + turn * r, r + turn * f);
                        let way: Vec<Point> =
                            (0..=diagonals).map(|step| (from.0 + f + step * df, from.1 + r + step * dr)).collect();
                        let (target, passed) = way.split_last().expect("two points at least");
                        if passed.iter().all(|&point| free(point)) {
                            to.push(*target);
                        }
                    }
                }
            }
            // Soldier: one step forward or sideways; forward along the diagonals of the enemy palace.
            'P' => {
                let diagonal = |at: &Point| at.0 != from.0 && at.1 != from.1;
                let ahead = |at: &Point| at.1 - from.1 == forward;
                to.extend(neighbours().filter(|at| !diagonal(at) && at.1 - from.1 != -forward));
                to.extend(neighbours().filter(|at| diagonal(at) && ahead(at) && in_palace(!cho, *at)));
            }
            other => panic!("no piece {other}"),
        }
        to.retain(|&at| on_board(at));
        to
    }

    fn of_side(&self, cho: bool) -> Vec<Point> {
        self.pieces.iter().filter(|&(_, &piece)| is_cho(piece) == cho).map(|(&at, _)| at).collect()
    }

    /// A side's general; it may have been captured where a composed position allowed that.
    fn general(&self, cho: bool) -> Option<Point> {
        let letter = if cho { 'K' } else { 'k' };
        self.pieces.iter().find(|&(_, &piece)| piece == letter).map(|(&at, _)| at)
    }

    /// Whether a side's general is attacked (or gone).
    pub fn attacked(&self, cho: bool) -> bool {
        let Some(general) = self.general(cho) else { return true };
        self.of_side(!cho).into_iter().any(|enemy| self.reach(enemy).contains(&general))
    }

    /// Whether the generals stand on one file with nothing between, and that matters.
    pub fn facing(&self) -> bool {
        if self.may_face {
            return false;
        }
        let [Some(cho), Some(han)] = [true, false].map(|cho| self.general(cho)) else { return false };
        [(0, 1), (0, -1)].map(|step| self.walk(cho, step).1).contains(&Some(han))
    }

    /// Legal moves, and the boards after them.
    pub fn moves(&self) -> BTreeMap<String, Board> {
        let us = self.cho_to_move;
        let mut moves = BTreeMap::new();
        let Some(general) = self.general(us) else { return moves };
        for from in self.of_side(us) {
            for to in self.reach(from) {
                if self.pieces.get(&to).is_some_and(|&taken| is_cho(taken) == us) {
                    continue;
                }
                let mut next = self.passed();
                let piece = next.pieces.remove(&from).expect("a piece to move");
                next.pieces.insert(to, piece);
                let still_facing = self.facing() && next.facing();
                if !next.attacked(us) && !still_facing {
                    moves.insert(text(from, to), next);
                }
            }
        }
        if self.facing() || !self.attacked(us) {
            moves.insert(text(general, general), self.passed());
        }
        moves
    }

    /// The board after a pass.
    fn passed(&self) -> Board {
        Board { cho_to_move: !self.cho_to_move, ..self.clone() }
    }

    /// Points of Cho and Han.
    fn points(&self) -> [f64; 2] {
        let worth = |piece: char| match piece.to_ascii_uppercase() {
            'R' => 13.0,
            'C' => 7.0,
            'N' => 5.0,
            'A' | 'B' => 3.0,
            'P' => 2.0,
            _ => 0.0,
        };
        let sum = |cho: bool| self.of_side(cho).iter().map(|at| worth(self.pieces[at])).sum::<f64>();
        [sum(true), sum(false) + 1.5]
    }
}

/// The rules of a game beyond its moves.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    pub points_decide: bool,
    /// Whether Fairy-Stockfish's further ends count: perpetual check loses, and 100 plies without capture end the game.
    pub fairy: bool,
    /// Plies without a capture before the first board.
    pub quiet_before: usize,
    pub max_plies: usize,
}

/// How a game through these boards has ended with the last of them, if it has: winner, reason, points.
pub fn verdict(boards: &[Board], ends: Ends) -> Option<String> {
    let now = boards.last()?;
    let side = |cho: bool| if cho { "first" } else { "second" };
    if now.moves().is_empty() {
        return Some(format!("{} checkmate", side(!now.cho_to_move)));
    }
    let decided = |reason: &str| {
        let [cho, han] = now.points();
        let winner = side(cho > han);
        Some(if ends.points_decide { format!("{winner} {reason} {cho} : {han}") } else { format!("draw {reason}") })
    };
    let plies = boards.len() - 1;
    if plies >= 1 && now.facing() && boards[plies - 1].facing() {
        return decided("bikjang");
    }
    let is_pass = |ply: usize| boards[ply].pieces == boards[ply + 1].pieces;
    if plies >= 2 && is_pass(plies - 1) && is_pass(plies - 2) {
        return decided("mutual_pass");
    }
    let same: Vec<usize> = (0..plies).filter(|&ply| boards[ply] == *now).collect();
    if same.len() >= 2 {
        let cycle = &boards[same[same.len() - 2] + 1..];
        let only_checks =
            |cho: bool| cycle.iter().filter(|after| after.cho_to_move != cho).all(|after| after.attacked(!cho));
        if ends.fairy && only_checks(true) != only_checks(false) {
            return Some(format!("{} perpetual_check", side(!only_checks(true))));
        }
        return decided("repetition");
    }
    let pieces = now.pieces.len();
    let alike = boards.iter().rev().take_while(|board| board.pieces.len() == pieces).count();
    let quiet = alike - 1 + if alike == boards.len() { ends.quiet_before } else { 0 };
    if ends.fairy && quiet >= 100 {
        return decided("no_progress");
    }
    if now.pieces.values().all(|&piece| "KkAa".contains(piece)) {
        return decided("insufficient_material");
    }
    let limit = if ends.points_decide { "points" } else { "max_plies" };
    if plies >= ends.max_plies { decided(limit) } else { None }
}
