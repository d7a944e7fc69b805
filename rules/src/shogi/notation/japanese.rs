//! What KIF and KI2 have in common: `７六歩`, names of pieces, and the reading of a move in characters.

use super::{face, numbers, square};
use crate::moves::Move;
use crate::notation::Coordinates;
use crate::piece::Kind;
use crate::position::Position;
use crate::shogi::Shogi;
use crate::square::Square;

/// Name of each kind.
pub(super) const NAMES: [&str; 14] =
    ["玉", "歩", "香", "桂", "銀", "金", "角", "飛", "と", "成香", "成桂", "成銀", "馬", "龍"];
/// Other names, read and not written, and the kind of each.
const OTHER_NAMES: [(&str, Kind); 5] = [("王", 0), ("杏", 9), ("圭", 10), ("全", 11), ("竜", 13)];
const FULL_WIDTH: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
const KANJI: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
/// Files ９ to １ over the board, ranks 一 to 九 next to it, as in Japanese diagrams.
pub(super) const JAPANESE: Coordinates = Coordinates {
    above: &["９", "８", "７", "６", "５", "４", "３", "２", "１"],
    right: &["一", "二", "三", "四", "五", "六", "七", "八", "九"],
    ..Coordinates::NONE
};

/// `７六`.
pub(super) fn square_text(square: Square) -> String {
    let (file, rank) = numbers(square);
    format!("{}{}", FULL_WIDTH[usize::from(file) - 1], KANJI[usize::from(rank) - 1])
}

/// 1 to 9 in any digits.
fn number(character: char) -> Option<u8> {
    let digit = |digits: [char; 9]| digits.iter().position(|&digit| digit == character).map(|at| at as u8 + 1);
    let ascii = matches!(character, '1'..='9').then(|| character as u8 - b'0');
    ascii.or_else(|| digit(FULL_WIDTH)).or_else(|| digit(KANJI))
}

/// What a text says of a move.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// The square it goes to; `None` for 同, the square of the move before.
    destination: Option<Square>,
    kind: Kind,
    /// Characters between the piece and what follows: 右 左 直 上 寄 引.
    pub(super) how: Vec<char>,
    promotes: bool,
    /// 打, which says that it is a drop.
    pub(super) drop: bool,
    source: Option<Square>,
}

/// Reads `▲７六歩(77)`, `△同　銀右上不成`, `４五角打`.
pub(super) fn parse(text: &str) -> Option<Pattern> {
    let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let text = text.trim_start_matches(['▲', '△', '▼', '▽', '☗', '☖']);
    let (destination, rest) = match text.strip_prefix('同') {
        Some(rest) => (None, rest),
        None => {
            let mut characters = text.chars();
            let at = square((number(characters.next()?)?, number(characters.next()?)?))?;
            (Some(at), characters.as_str())
        }
    };
    let names = NAMES.iter().copied().enumerate().map(|(kind, name)| (name, kind));
    let (kind, rest) = names.chain(OTHER_NAMES).find_map(|(name, kind)| Some((kind, rest.strip_prefix(name)?)))?;
    let (rest, source) = match rest.split_once('(') {
        None => (rest, None),
        Some((rest, inner)) => {
            let inner = inner.strip_suffix(')')?;
            let mut digits = inner.chars();
            // Some programs write `５五角打(00)`: a drop has no source.
            if inner == "00" && rest.ends_with('打') {
                (rest, None)
            } else {
                let numbers = (number(digits.next()?)?, number(digits.next()?)?);
                (rest, Some(square(numbers).filter(|_| digits.next().is_none())?))
            }
        }
    };
    let (rest, drop) = rest.strip_suffix('打').map_or((rest, false), |rest| (rest, true));
    let (rest, promotes) = match rest.strip_suffix("不成").or_else(|| rest.strip_suffix('生')) {
        Some(rest) => (rest, false),
        None => rest.strip_suffix('成').map_or((rest, false), |rest| (rest, true)),
    };
    let how: Vec<char> = rest.chars().collect();
    let known = how.iter().all(|character| "右左直上行入寄引".contains(*character));
    (known && how.len() <= 2).then_some(Pattern { destination, kind, how, promotes, drop, source })
}

impl Pattern {
    /// The legal moves that fit but for [`Pattern::how`] and [`Pattern::drop`].
    pub(super) fn candidates(&self, position: &Position<Shogi>, legal: &[Move]) -> Vec<Move> {
        let fits = |&mv: &Move| {
            let there = match self.destination {
                Some(destination) => mv.destination() == destination,
                None => !position.cell(mv.destination()).is_empty(),
            };
            there
                && face(position, mv) == Some(self.kind)
                && mv.promotes() == self.promotes
                && (self.source.is_none() || mv.source_square() == self.source)
        };
        legal.iter().copied().filter(fits).collect()
    }
}
