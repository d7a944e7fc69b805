//! KI2, the notation of books and newspapers: `▲７六歩`, `△３二金右`, `▲５三銀引不成`, `△４五角打`.
//!
//! Which of several pieces of a kind is meant is said as the Japanese association has it: by the way it goes (上
//! forward, 寄 sideways, 引 back), else as the one straight behind (直), else by where it comes from (左, 右), else by
//! both. Of two chariots or bishops, promoted or not, the left one is 左 wherever they go. A position with more
//! pieces than a game has may need more: there the source follows, as in KIF.

use super::japanese::{self, JAPANESE, NAMES, square_text};
use super::{face, numbers};
use crate::moves::{Move, MoveList};
use crate::notation::Notation;
use crate::piece::Kind;
use crate::position::Position;
use crate::shogi::Shogi;
use crate::shogi::{BISHOP, DRAGON, HORSE, ROOK};
use crate::side::Side;
use crate::square::Square;
use std::cmp::Ordering;

pub(super) const KI2: Notation<Shogi> = Notation {
    name: "ki2",
    example: "▲７六歩",
    about: "to, piece, which of several, promotion or drop, as Japanese books write",
    coordinates: JAPANESE,
    write,
    read,
};

/// 上, 寄 or 引.
fn way(side: Side, source: Square, destination: Square) -> char {
    match forward(side, source, destination) {
        Ordering::Greater => '上',
        Ordering::Equal => '寄',
        Ordering::Less => '引',
    }
}

/// `Greater` if the move goes towards the opponent.
fn forward(side: Side, source: Square, destination: Square) -> Ordering {
    let order = numbers(source).1.cmp(&numbers(destination).1);
    if side == Side::First { order } else { order.reverse() }
}

/// Where a piece comes from: 左 or 右 of `from`, as its owner sees it; `None` on the same file.
fn hand(side: Side, source: Square, from: Square) -> Option<char> {
    let order = numbers(source).0.cmp(&numbers(from).0);
    match if side == Side::First { order } else { order.reverse() } {
        Ordering::Greater => Some('左'),
        Ordering::Equal => None,
        Ordering::Less => Some('右'),
    }
}

/// Whether the characters fit a piece from `source`, one of those at `sources`.
fn fits(how: &[char], side: Side, kind: Kind, source: Square, sources: &[Square], destination: Square) -> bool {
    how.iter().all(|&character| match character {
        '右' | '左' => {
            // Of two far-moving pieces the one is left or right of the other.
            let from = match sources {
                [a, b] if matches!(kind, BISHOP | ROOK | HORSE | DRAGON) => {
                    if source == *a {
                        *b
                    } else {
                        *a
                    }
                }
                _ => destination,
            };
            hand(side, source, from) == Some(character)
        }
        '直' => hand(side, source, destination).is_none() && forward(side, source, destination) == Ordering::Greater,
        '上' | '行' | '入' => way(side, source, destination) == '上',
        other => way(side, source, destination) == other,
    })
}

/// Squares from which the legal moves of one face reach a square.
fn sources(moves: &[Move]) -> Vec<Square> {
    let mut sources: Vec<Square> = moves.iter().filter_map(|mv| mv.source_square()).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

fn write(position: &Position<Shogi>, mv: Move) -> String {
    let side = position.side();
    let destination = mv.destination();
    let kind = face(position, mv).unwrap_or_default();
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    legal.retain(|other| other.destination() == destination && face(position, *other) == Some(kind));
    let sources = sources(&legal);
    let suffix = match mv.source_square() {
        None => if sources.is_empty() { "" } else { "打" }.to_owned(),
        Some(source) => {
            let how = if sources.len() > 1 { which(side, kind, source, &sources, destination) } else { String::new() };
            let choice = legal.iter().any(|other| other.source_square() == Some(source) && other.promotes());
            let promotion = if mv.promotes() {
                "成"
            } else if choice {
                "不成"
            } else {
                ""
            };
            // The source stands last.
            match how.find('(') {
                None => how + promotion,
                Some(_) => promotion.to_owned() + &how,
            }
        }
    };
    let sign = if side == Side::First { '▲' } else { '△' };
    format!("{sign}{}{}{suffix}", square_text(destination), NAMES[kind])
}

/// The shortest characters, in the order of the association, that tell a piece from the others.
fn which(side: Side, kind: Kind, source: Square, sources: &[Square], destination: Square) -> String {
    let way = way(side, source, destination);
    let far = matches!(kind, HORSE | DRAGON);
    let mut offers = vec![vec![way]];
    if !far {
        offers.push(vec!['直']);
    }
    for hand in ['左', '右'] {
        offers.push(vec![hand]);
    }
    for hand in ['左', '右'] {
        offers.push(vec![hand, way]);
    }
    let fit = |how: &[char], from: Square| fits(how, side, kind, from, sources, destination);
    let unambiguous =
        |how: &&Vec<char>| fit(how, source) && sources.iter().filter(|&&from| fit(how, from)).count() == 1;
    offers.iter().find(unambiguous).map_or_else(
        || {
            let (file, rank) = numbers(source);
            format!("({file}{rank})")
        },
        |how| how.iter().collect(),
    )
}

fn read(position: &Position<Shogi>, legal: &[Move], text: &str) -> Option<Vec<Move>> {
    let pattern = japanese::parse(text)?;
    let moves = pattern.candidates(position, legal);
    // 同 without the move before may fit several squares: each has its own pieces to tell apart.
    let chosen = |mv: &&Move| {
        let same: Vec<Move> = moves.iter().copied().filter(|other| other.destination() == mv.destination()).collect();
        match mv.source_square() {
            None => pattern.how.is_empty() && (pattern.drop || sources(&same).is_empty()),
            Some(source) => {
                let kind = face(position, **mv).unwrap_or_default();
                let reach: Vec<Move> = legal
                    .iter()
                    .copied()
                    .filter(|other| other.destination() == mv.destination() && face(position, *other) == Some(kind))
                    .collect();
                !pattern.drop && fits(&pattern.how, position.side(), kind, source, &sources(&reach), mv.destination())
            }
        }
    };
    Some(moves.iter().filter(chosen).copied().collect())
}
