//! Shogi once more, slow and obvious, written from the rule text and sharing nothing with the crate: a board
//! of stones, every move tried on a copy, attacks found by walking from each piece, a drop mate found by
//! trying every answer.

use std::collections::BTreeMap;

/// A stone: its letter when unpromoted, its owner, its face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stone {
    pub letter: char,
    pub sente: bool,
    pub promoted: bool,
}

/// A square: file and rank from 0, file a and rank 1 first.
pub type At = (usize, usize);

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    squares: [[Option<Stone>; 9]; 9],
    /// Pieces in hand: (sente, letter) to number.
    hands: BTreeMap<(bool, char), usize>,
    pub sente_to_move: bool,
}

type Step = (i32, i32);

const ORTHOGONALS: [Step; 4] = [(0, 1), (0, -1), (-1, 0), (1, 0)];
const DIAGONALS: [Step; 4] = [(-1, 1), (1, 1), (-1, -1), (1, -1)];
const GOLD_STEPS: [Step; 6] = [(0, 1), (0, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)];
const SILVER_STEPS: [Step; 5] = [(-1, 1), (1, 1), (-1, -1), (1, -1), (0, 1)];

/// Single steps or leaps, and directions to slide in, for Sente.
fn movement(letter: char, promoted: bool) -> (Vec<Step>, Vec<Step>) {
    match (letter, promoted) {
        ('K', false) => ([ORTHOGONALS, DIAGONALS].concat(), vec![]),
        ('R', false) => (vec![], ORTHOGONALS.to_vec()),
        ('B', false) => (vec![], DIAGONALS.to_vec()),
        ('G', false) => (GOLD_STEPS.to_vec(), vec![]),
        ('S', false) => (SILVER_STEPS.to_vec(), vec![]),
        ('N', false) => (vec![(-1, 2), (1, 2)], vec![]),
        ('L', false) => (vec![], vec![(0, 1)]),
        ('P', false) => (vec![(0, 1)], vec![]),
        ('R', true) => (DIAGONALS.to_vec(), ORTHOGONALS.to_vec()),
        ('B', true) => (ORTHOGONALS.to_vec(), DIAGONALS.to_vec()),
        ('S' | 'N' | 'L' | 'P', true) => (GOLD_STEPS.to_vec(), vec![]),
        other => panic!("no piece {other:?}"),
    }
}

/// Ranks a side's piece still has before it.
fn ranks_ahead(sente: bool, rank: usize) -> usize {
    if sente { 8 - rank } else { rank }
}

/// Whether a rank is one of the enemy's three.
pub fn in_enemy_camp(sente: bool, rank: usize) -> bool {
    ranks_ahead(sente, rank) <= 2
}

/// Whether an unpromoted piece on this rank could never move.
fn is_stuck(letter: char, sente: bool, rank: usize) -> bool {
    match letter {
        'P' | 'L' => ranks_ahead(sente, rank) == 0,
        'N' => ranks_ahead(sente, rank) <= 1,
        _ => false,
    }
}

fn name((file, rank): At) -> String {
    format!("{}{}", (b'a' + file as u8) as char, rank + 1)
}

impl Board {
    pub fn read(fen: &str) -> Board {
        let mut fields = fen.split(' ');
        let (placement, held) = fields.next().unwrap().split_once('[').unwrap();
        let mut board =
            Board { squares: [[None; 9]; 9], hands: BTreeMap::new(), sente_to_move: fields.next() == Some("w") };
        for (from_top, row) in placement.split('/').enumerate() {
            let (mut file, mut promoted) = (0, false);
            for character in row.chars() {
                if character == '+' {
                    promoted = true;
                } else if let Some(empty) = character.to_digit(10) {
                    file += empty as usize;
                } else {
                    let sente = character.is_ascii_uppercase();
                    board.squares[file][8 - from_top] =
                        Some(Stone { letter: character.to_ascii_uppercase(), sente, promoted });
                    file += 1;
                    promoted = false;
                }
            }
        }
        for character in held.trim_end_matches(']').chars() {
            *board.hands.entry((character.is_ascii_uppercase(), character.to_ascii_uppercase())).or_default() += 1;
        }
        board
    }

    /// Board, hands and side to move as a FEN writes them.
    pub fn text(&self) -> String {
        let cased = |letter: char, sente: bool| if sente { letter } else { letter.to_ascii_lowercase() };
        let mut ranks = Vec::new();
        for rank in (0..9).rev() {
            let mut row = String::new();
            for file in 0..9 {
                match self.squares[file][rank] {
                    None => row.push('1'),
                    Some(stone) => {
                        row += if stone.promoted { "+" } else { "" };
                        row.push(cased(stone.letter, stone.sente));
                    }
                }
            }
            // Runs of empty squares, the longest first.
            ranks.push((2..=9).rev().fold(row, |row, run| row.replace(&"1".repeat(run), &run.to_string())));
        }
        let mut held = String::new();
        for sente in [true, false] {
            for letter in "GNLPSRB".chars() {
                held.extend(std::iter::repeat_n(cased(letter, sente), self.in_hand(sente, letter)));
            }
        }
        format!("{}[{held}] {}", ranks.join("/"), if self.sente_to_move { "w" } else { "b" })
    }

    /// Whether board, hands and side to move are the same.
    pub fn is_same(&self, other: &Board) -> bool {
        let same_hands = [true, false]
            .iter()
            .all(|&sente| "RBGSNLP".chars().all(|letter| self.in_hand(sente, letter) == other.in_hand(sente, letter)));
        self.squares == other.squares && self.sente_to_move == other.sente_to_move && same_hands
    }

    pub fn in_hand(&self, sente: bool, letter: char) -> usize {
        self.hands.get(&(sente, letter)).copied().unwrap_or(0)
    }

    pub fn stones(&self) -> impl Iterator<Item = (At, Stone)> + '_ {
        (0..81).map(|at| (at % 9, at / 9)).filter_map(|at| Some((at, self.squares[at.0][at.1]?)))
    }

    pub fn number_of_stones(&self) -> usize {
        self.stones().count()
    }

    pub fn king(&self, sente: bool) -> At {
        self.stones().find(|(_, stone)| stone.letter == 'K' && stone.sente == sente).unwrap().0
    }

    /// Where the stone on a square could go if its king did not matter.
    fn reach(&self, from: At) -> Vec<At> {
        let stone = self.squares[from.0][from.1].unwrap();
        let (steps, slides) = movement(stone.letter, stone.promoted);
        let forward = if stone.sente { 1 } else { -1 };
        let mut reached = Vec::new();
        for ((dx, dy), most) in steps.into_iter().map(|step| (step, 1)).chain(slides.into_iter().map(|step| (step, 8)))
        {
            for distance in 1..=most {
                let (file, rank) = (from.0 as i32 + dx * distance, from.1 as i32 + forward * dy * distance);
                if !(0..9).contains(&file) || !(0..9).contains(&rank) {
                    break;
                }
                let to = (file as usize, rank as usize);
                match self.squares[to.0][to.1] {
                    None => reached.push(to),
                    Some(met) => {
                        if met.sente != stone.sente {
                            reached.push(to);
                        }
                        break;
                    }
                }
            }
        }
        reached
    }

    /// Whether the king of a side can be taken by the next move of the other.
    fn king_attacked(&self, sente: bool) -> bool {
        let king = self.king(sente);
        self.stones().any(|(at, stone)| stone.sente != sente && self.reach(at).contains(&king))
    }

    pub fn check(&self) -> bool {
        self.king_attacked(self.sente_to_move)
    }

    /// Every legal move in UCI, with the position after it.
    pub fn moves(&self) -> BTreeMap<String, Board> {
        let mut found = self.moves_but_for_drop_mates();
        found.retain(|text, next| {
            !(text.starts_with("P@") && next.check() && next.moves_but_for_drop_mates().is_empty())
        });
        found
    }

    /// All that the other rules allow. A side in check from a pawn just dropped cannot answer by a drop, so
    /// that its own drop mates need not be looked for.
    fn moves_but_for_drop_mates(&self) -> BTreeMap<String, Board> {
        let us = self.sente_to_move;
        let mut found: Vec<(String, Board)> = Vec::new();
        for (from, stone) in self.stones().filter(|(_, stone)| stone.sente == us) {
            for to in self.reach(from) {
                let mut moved = self.clone();
                moved.squares[from.0][from.1] = None;
                if let Some(taken) = moved.squares[to.0][to.1] {
                    *moved.hands.entry((us, taken.letter)).or_default() += 1;
                }
                let mut put = |stone: Stone, suffix: &str| {
                    let mut next = moved.clone();
                    next.squares[to.0][to.1] = Some(stone);
                    found.push((format!("{}{}{suffix}", name(from), name(to)), next));
                };
                if stone.promoted || !is_stuck(stone.letter, us, to.1) {
                    put(stone, "");
                }
                let touches_camp = in_enemy_camp(us, from.1) || in_enemy_camp(us, to.1);
                if touches_camp && !stone.promoted && !matches!(stone.letter, 'K' | 'G') {
                    put(Stone { promoted: true, ..stone }, "+");
                }
            }
        }
        let empty: Vec<At> =
            (0..81).map(|at| (at % 9, at / 9)).filter(|at| self.squares[at.0][at.1].is_none()).collect();
        for letter in "PLNSGBR".chars().filter(|&letter| self.in_hand(us, letter) > 0) {
            let stone = Stone { letter, sente: us, promoted: false };
            for &to in &empty {
                let second_pawn = letter == 'P' && self.squares[to.0].contains(&Some(stone));
                if !is_stuck(letter, us, to.1) && !second_pawn {
                    let mut next = self.clone();
                    *next.hands.get_mut(&(us, letter)).unwrap() -= 1;
                    next.squares[to.0][to.1] = Some(stone);
                    found.push((format!("{letter}@{}", name(to)), next));
                }
            }
        }
        found.retain(|(_, next)| !next.king_attacked(us));
        found.iter_mut().for_each(|(_, next)| next.sente_to_move = !us);
        found.into_iter().collect()
    }
}
