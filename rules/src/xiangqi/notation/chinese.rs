//! Chinese notation: 炮二平五, 馬8進7, 前傌退六, 前兵九平八. Red writes its files 一 to 九, Black 1 to 9.
//!
//! Also accepted: 上 and 下, the two sides' characters for a kind alike, simplified characters, either kind of numerals
//! and full-width ones, a dropped 一 (兵七進), a dropped soldier (前九平八), the rear one of several by number or as 後, a
//! number alone where two files hold several soldiers (三兵進一: counted from the front over these files, on a rank from
//! right to left), and the short form in three characters, where a line above or below the last one stands for 退 and 進
//! and no line for 平 (車72 for 車七平二).

use super::{Direction, Named, Pattern, Place, Rank, is_straight};
use crate::moves::Move;
use crate::nine_by_ten::kinds::{CANNON, CHARIOT, ELEPHANT, GENERAL, GUARD, HORSES, SOLDIER};
use crate::notated::Notated;
use crate::notation::coordinates::DIGITS;
use crate::notation::{Coordinates, Notation};
use crate::piece::Kind;
use crate::position::Position;
use crate::side::Side;
use crate::xiangqi::Xiangqi;

pub(super) const CHINESE: Notation<Xiangqi> = Notation {
    name: "chinese",
    example: "炮二平五",
    about: "piece, file, direction, steps or file, from the right of the side to move",
    coordinates: Coordinates {
        above: DIGITS,
        below: &["九", "八", "七", "六", "五", "四", "三", "二", "一"],
        ..Coordinates::NONE
    },
    write,
    read,
};

/// 1 to 10: a file of ten points may hold ten of a kind in a composed position.
const NUMERALS: [char; 10] = ['一', '二', '三', '四', '五', '六', '七', '八', '九', '十'];

fn write(position: &Position<Xiangqi>, mv: Move) -> String {
    let Some(named) = Named::of(position, mv) else { return String::new() };
    let digit = |number: u8| match position.side() {
        Side::First => NUMERALS[usize::from(number) - 1].to_string(),
        Side::Second => number.to_string(),
    };
    let piece = Xiangqi::GLYPHS[named.kind][position.side().index()];
    let who = if named.file_is_enough(position) {
        format!("{piece}{}", digit(named.file))
    } else {
        let rank = match (named.ahead, named.alike) {
            (0, _) => '前',
            (1, 2) | (2, 3) => '後',
            (1, 3) => '中',
            (ahead, _) => NUMERALS[usize::from(ahead)],
        };
        format!("{rank}{piece}{}", if named.crowded { digit(named.file) } else { String::new() })
    };
    let direction = match named.direction {
        Direction::Forward => '進',
        Direction::Back => '退',
        Direction::Sideways => '平',
    };
    format!("{who}{direction}{}", digit(named.number))
}

fn read(position: &Position<Xiangqi>, legal: &[Move], text: &str) -> Option<Vec<Move>> {
    let pattern = pattern(&text.chars().filter(|character| !character.is_whitespace()).collect::<Vec<_>>())?;
    Some(pattern.candidates(position, legal))
}

fn pattern(text: &[char]) -> Option<Pattern> {
    let (kind, place, step) = match *text {
        // 炮二…
        [piece, file, ref step @ ..] if kind(piece).is_some() => (kind(piece)?, Place::File(number(file)?), step),
        // 前傌…, 前兵九…
        [at, piece, ref step @ ..] if kind(piece).is_some() => {
            let named = matches!(*step, [file, next, ..] if number(file).is_some() && (direction(next).is_some() || number(next).is_some()));
            let (file, step) = if named { (number(step[0]), &step[1..]) } else { (None, step) };
            (kind(piece)?, Place::Rank(rank(at)?, file), step)
        }
        // 前九…
        [at, file, ref step @ ..] => (SOLDIER, Place::Rank(rank(at)?, Some(number(file)?)), step),
        _ => return None,
    };
    let (direction, number) = match *step {
        [count] if number(count).is_some() => (Direction::Sideways, number(count)?),
        [count, '\u{332}'] => (Direction::Forward, number(count)?),
        [count, '\u{305}'] => (Direction::Back, number(count)?),
        [way, count] => (direction(way)?, number(count)?),
        [way] if is_straight(kind) && way != '平' => (direction(way)?, 1),
        _ => return None,
    };
    Some(Pattern { kind, place, direction, number })
}

fn kind(character: char) -> Option<Kind> {
    Some(match character {
        '帥' | '將' | '帅' | '将' => GENERAL,
        '仕' | '士' => GUARD,
        '相' | '象' => ELEPHANT,
        '傌' | '馬' | '马' => HORSES,
        '俥' | '車' | '车' => CHARIOT,
        '炮' | '砲' | '包' => CANNON,
        '兵' | '卒' => SOLDIER,
        _ => return None,
    })
}

fn rank(character: char) -> Option<Rank> {
    Some(match character {
        '前' => Rank::Front,
        '中' => Rank::Middle,
        '後' | '后' => Rank::Rear,
        _ => Rank::Number(number(character)?),
    })
}

fn direction(character: char) -> Option<Direction> {
    Some(match character {
        '進' | '进' | '上' => Direction::Forward,
        '退' | '下' => Direction::Back,
        '平' => Direction::Sideways,
        _ => return None,
    })
}

/// 一 to 十, 1 to 9 or full-width.
fn number(character: char) -> Option<u8> {
    match character {
        '1'..='9' => Some(character as u8 - b'0'),
        '１'..='９' => u8::try_from(character as u32 - '０' as u32).ok(),
        _ => NUMERALS.iter().position(|&numeral| numeral == character).map(|at| at as u8 + 1),
    }
}
