//! Wangqi once more, slow and obvious, written from the rule text and sharing nothing with the crate: a
//! board of characters, every move tried on a copy, attacks found by walking from each piece.

use std::collections::BTreeMap;

/// A stone: upper case letter, owner, face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stone {
    letter: char,
    sente: bool,
    promoted: bool,
}

/// A position. Squares are (file, rank) from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    squares: [[Option<Stone>; 8]; 8],
    /// Pieces in hand: (sente, letter) to number.
    hands: BTreeMap<(bool, char), usize>,
    sente_to_move: bool,
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Wins { sente: bool, by: &'static str },
    Draw,
}

type Step = (i32, i32);

const KING_STEPS: [Step; 8] = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)];
const GOLD_STEPS: [Step; 6] = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)];
const SILVER_STEPS: [Step; 5] = [(-1, 1), (0, 1), (1, 1), (-1, -1), (1, -1)];
const DIAGONALS: [Step; 4] = [(-1, 1), (1, 1), (-1, -1), (1, -1)];
const ORTHOGONALS: [Step; 4] = [(0, 1), (0, -1), (-1, 0), (1, 0)];
const CHESS_KNIGHT: [Step; 8] = [(-1, 2), (1, 2), (-2, 1), (2, 1), (-2, -1), (2, -1), (-1, -2), (1, -2)];
const FORWARD_KNIGHT: [Step; 2] = [(-1, 2), (1, 2)];

/// Single steps or leaps, and directions to slide in, for Sente.
fn movement(letter: char, promoted: bool) -> (Vec<Step>, Vec<Step>) {
    match (letter, promoted) {
        ('K', _) => (KING_STEPS.to_vec(), vec![]),
        ('P' | 'L' | 'N' | 'S', true) => (GOLD_STEPS.to_vec(), vec![]),
        ('P', false) => (vec![(0, 1)], vec![]),
        ('L', false) => (vec![], vec![(0, 1)]),
        ('N', false) => (FORWARD_KNIGHT.to_vec(), vec![]),
        ('S', false) => (SILVER_STEPS.to_vec(), vec![]),
        ('B', false) => (vec![], DIAGONALS.to_vec()),
        ('B', true) => (KING_STEPS.to_vec(), DIAGONALS.to_vec()),
        ('R', false) => (vec![], ORTHOGONALS.to_vec()),
        ('R', true) => (KING_STEPS.to_vec(), ORTHOGONALS.to_vec()),
        ('I', false) => (CHESS_KNIGHT.to_vec(), DIAGONALS.to_vec()),
        ('I', true) => ([KING_STEPS, CHESS_KNIGHT].concat(), DIAGONALS.to_vec()),
        other => panic!("no piece {other:?}"),
    }
}

/// Ranks to go until the last one.
fn ranks_ahead(sente: bool, rank: usize) -> usize {
    if sente { 7 - rank } else { rank }
}

fn in_zone(sente: bool, rank: usize) -> bool {
    ranks_ahead(sente, rank) < 3
}

fn name((file, rank): (usize, usize)) -> String {
    format!("{}{}", (b'a' + file as u8) as char, rank + 1)
}

impl Board {
    pub fn read(fen: &str) -> Board {
        let mut fields = fen.split(' ');
        let (placement, hands) = fields.next().unwrap().split_once('[').unwrap();
        let mut board =
            Board { squares: [[None; 8]; 8], hands: BTreeMap::new(), sente_to_move: fields.next().unwrap() == "w" };
        for (rank, row) in (0..8).rev().zip(placement.split('/')) {
            let (mut file, mut promoted) = (0, false);
            for character in row.chars() {
                match character {
                    '1'..='8' => file += character as usize - '0' as usize,
                    '+' => promoted = true,
                    _ => {
                        let stone = Stone {
                            letter: character.to_ascii_uppercase(),
                            sente: character.is_ascii_uppercase(),
                            promoted,
                        };
                        board.squares[file][rank] = Some(stone);
                        file += 1;
                        promoted = false;
                    }
                }
            }
        }
        for character in hands.trim_end_matches(']').chars() {
            *board.hands.entry((character.is_ascii_uppercase(), character.to_ascii_uppercase())).or_default() += 1;
        }
        board
    }

    /// Board, hands and side to move as a FEN writes them: what makes positions the same.
    pub fn text(&self) -> String {
        let cased = |letter: char, sente: bool| if sente { letter } else { letter.to_ascii_lowercase() };
        let mut text = String::new();
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                if self.squares[file][rank].is_none() {
                    empty += 1;
                }
                if empty > 0 && (self.squares[file][rank].is_some() || file == 7) {
                    text += &empty.to_string();
                    empty = 0;
                }
                if let Some(stone) = self.squares[file][rank] {
                    text += if stone.promoted { "+" } else { "" };
                    text.push(cased(stone.letter, stone.sente));
                }
            }
            text.push(if rank > 0 { '/' } else { '[' });
        }
        for sente in [true, false] {
            for letter in "NLPISRB".chars() {
                for _ in 0..self.in_hand(sente, letter) {
                    text.push(cased(letter, sente));
                }
            }
        }
        text + if self.sente_to_move { "] w" } else { "] b" }
    }

    fn in_hand(&self, sente: bool, letter: char) -> usize {
        self.hands.get(&(sente, letter)).copied().unwrap_or(0)
    }

    /// Where the stone on a square could go if its king did not matter.
    fn reach(&self, from: (usize, usize)) -> Vec<(usize, usize)> {
        let stone = self.squares[from.0][from.1].unwrap();
        let (steps, slides) = movement(stone.letter, stone.promoted);
        let mut reached = Vec::new();
        let mut go = |(dx, dy): Step, most: i32| {
            let dy = if stone.sente { dy } else { -dy };
            for distance in 1..=most {
                let (file, rank) = (from.0 as i32 + dx * distance, from.1 as i32 + dy * distance);
                if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                    return;
                }
                let to = (file as usize, rank as usize);
                let target = self.squares[to.0][to.1];
                if target.is_some_and(|target| target.sente == stone.sente) {
                    return;
                }
                reached.push(to);
                if target.is_some() {
                    return;
                }
            }
        };
        steps.into_iter().for_each(|step| go(step, 1));
        slides.into_iter().for_each(|slide| go(slide, 8));
        reached.sort_unstable();
        reached.dedup();
        reached
    }

    fn stones(&self) -> impl Iterator<Item = ((usize, usize), Stone)> + '_ {
        (0..64).map(|at| (at % 8, at / 8)).filter_map(|at| Some((at, self.squares[at.0][at.1]?)))
    }

    /// Whether the king of a side can be taken by the next move of the other.
    fn king_attacked(&self, sente: bool) -> bool {
        let king = self.stones().find(|(_, stone)| stone.letter == 'K' && stone.sente == sente).unwrap().0;
        self.stones().any(|(at, stone)| stone.sente != sente && self.reach(at).contains(&king))
    }

    pub fn check(&self) -> bool {
        self.king_attacked(self.sente_to_move)
    }

    /// Every legal move in UCI, with the position after it.
    pub fn moves(&self) -> BTreeMap<String, Board> {
        let us = self.sente_to_move;
        let mut found: Vec<(String, Board)> = Vec::new();
        for (from, stone) in self.stones().filter(|(_, stone)| stone.sente == us) {
            for to in self.reach(from) {
                let touches_zone = in_zone(us, from.1) || in_zone(us, to.1);
                let promotes = touches_zone && !stone.promoted && stone.letter != 'K';
                let mut next = self.clone();
                next.squares[from.0][from.1] = None;
                if let Some(taken) = next.squares[to.0][to.1] {
                    *next.hands.entry((us, taken.letter)).or_default() += 1;
                }
                next.squares[to.0][to.1] = Some(Stone { promoted: stone.promoted || promotes, ..stone });
                found.push((format!("{}{}{}", name(from), name(to), if promotes { "+" } else { "" }), next));
            }
        }
        for letter in "PLNSBRI".chars().filter(|&letter| self.in_hand(us, letter) > 0) {
            for to in (0..64).map(|at| (at % 8, at / 8)).filter(|to| self.squares[to.0][to.1].is_none()) {
                let never_moves = match letter {
                    'P' | 'L' => ranks_ahead(us, to.1) < 1,
                    'N' => ranks_ahead(us, to.1) < 2,
                    _ => false,
                };
                let own_pawn = Some(Stone { letter: 'P', sente: us, promoted: false });
                let second_pawn = letter == 'P' && self.squares[to.0].contains(&own_pawn);
                if !never_moves && !second_pawn {
                    let mut next = self.clone();
                    *next.hands.get_mut(&(us, letter)).unwrap() -= 1;
                    next.squares[to.0][to.1] = Some(Stone { letter, sente: us, promoted: false });
                    found.push((format!("{letter}@{}", name(to)), next));
                }
            }
        }
        found.retain(|(_, next)| !next.king_attacked(us));
        found.iter_mut().for_each(|(_, next)| next.sente_to_move = !us);
        found.into_iter().collect()
    }
}

/// The end of a game that went through these positions, the present one last.
pub fn end(positions: &[Board], max_plies: usize) -> Option<End> {
    let now = positions.last().unwrap();
    if now.moves().is_empty() {
        let by = if now.check() { "checkmate" } else { "stalemate" };
        return Some(End::Wins { sente: !now.sente_to_move, by });
    }
    let same: Vec<usize> = (0..positions.len()).filter(|&ply| positions[ply].text() == now.text()).collect();
    if same.len() >= 4 {
        let first = same[same.len() - 4];
        let always =
            |sente: bool| positions[first + 1..].iter().filter(|after| after.sente_to_move != sente).all(Board::check);
        return Some(match (always(true), always(false)) {
            (true, false) => End::Wins { sente: false, by: "perpetual_check" },
            (false, true) => End::Wins { sente: true, by: "perpetual_check" },
            _ => End::Draw,
        });
    }
    (positions.len() > max_plies).then_some(End::Draw)
}
