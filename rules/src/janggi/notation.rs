//! How Janggi is written. The Korean notations: `76象53` is the elephant from 76 to 53. A point is a rank, counted from
//! the top as Cho sits, the lowest of the ten being 0, and a file from the left. Records from before the third revision
//! of the Korean association's rules write the rank 一 to 十 (`七6象五3`). A pass is the general where it stands (`95楚95`).
//!
//! Also accepted: the two sides' characters for a kind alike, 將 and 將's variants for the general, 砲 for the
//! cannon, simplified characters, Fairy-Stockfish's letters (`E76-53`, `E76x53`) and Korean words for a pass.

use super::Janggi;
use crate::moves::Move;
use crate::nine_by_ten::PALACES;
use crate::nine_by_ten::kinds::{ALIASES, CANNON, CHARIOT, CODES, ELEPHANT, GENERAL, GUARD, HORSES, SOLDIER};
use crate::notated::Notated;
use crate::notation::coordinates::DIGITS;
use crate::notation::{Coordinates, Notation, ucci};
use crate::piece::Kind;
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::square::Square;

impl Notated for Janggi {
    const TITLE: &'static str = "Janggi 장기 將棋";
    const CODES: &'static [&'static str] = CODES;
    const ALIASES: &'static [(&'static str, &'static str)] = ALIASES;
    const GLYPHS: &'static [[&'static str; 2]] =
        &[["楚", "漢"], ["士", "士"], ["象", "象"], ["馬", "馬"], ["車", "車"], ["包", "包"], ["卒", "兵"]];
    const NOTATIONS: &'static [Notation<Self>] = NOTATIONS;
    const PASS: &'static str = "pass 한수쉼";
    /// The palaces.
    const MARKED_SQUARES: u128 = PALACES[0] | PALACES[1];
}

/// UCI, UCCI, Korean, old Korean.
const NOTATIONS: &[Notation<Janggi>] = &[
    Notation::UCI,
    ucci::ucci(),
    Notation {
        name: "janggi",
        example: "76象53",
        about: "rank from Cho's top (the tenth is 0) and file from Cho's left, piece, rank and file",
        coordinates: Coordinates {
            above: DIGITS,
            left: &["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"],
            ..Coordinates::NONE
        },
        write: |position, mv| write(position, mv, |rank_from_top| char::from(b'0' + (rank_from_top as u8 + 1) % 10)),
        read,
    },
    Notation {
        name: "janggi-old",
        example: "七6象五3",
        about: "as janggi, with ranks 一 to 十",
        coordinates: Coordinates {
            above: DIGITS,
            left: &["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"],
            ..Coordinates::NONE
        },
        write: |position, mv| write(position, mv, |rank_from_top| NUMERALS[rank_from_top]),
        read,
    },
];

const NUMERALS: [char; 10] = ['一', '二', '三', '四', '五', '六', '七', '八', '九', '十'];
/// Fairy-Stockfish's letter of each kind.
const LETTERS: [char; 7] = ['K', 'A', 'E', 'H', 'R', 'C', 'P'];
/// What a pass may be called: 한수쉼, 虛手.
const PASSES: [&str; 4] = ["한수쉼", "虛手", "虚手", "pass"];

fn write(position: &Position<Janggi>, mv: Move, rank_text: impl Fn(usize) -> char) -> String {
    let point = |square: Square| {
        let file = square.file(Janggi::FILES) + 1;
        format!("{}{file}", rank_text(Janggi::RANKS - 1 - square.rank(Janggi::FILES)))
    };
    let Some(source) = mv.source_square() else { return String::new() };
    let piece = position.cell(source).piece().map_or("", |(side, kind)| Janggi::GLYPHS[kind][side.index()]);
    format!("{}{piece}{}", point(source), point(mv.destination()))
}

fn read(position: &Position<Janggi>, legal: &[Move], text: &str) -> Option<Vec<Move>> {
    if PASSES.contains(&text) {
        return Some(legal.iter().copied().filter(|mv| mv.is_pass()).collect());
    }
    let text: Vec<char> = text.chars().filter(|&character| !character.is_whitespace()).collect();
    let (rank, file, piece, to_rank, to_file) = match *text {
        [rank, file, piece, to_rank, to_file] => (rank, file, kind(piece)?, to_rank, to_file),
        [letter, rank, file, '-' | 'x', to_rank, to_file] => {
            (rank, file, LETTERS.iter().position(|&known| known == letter)?, to_rank, to_file)
        }
        _ => return None,
    };
    let (from, to) = (point(rank, file)?, point(to_rank, to_file)?);
    let fits = |mv: &Move| {
        (mv.source_square(), mv.destination()) == (Some(from), to)
            && position.cell(from).piece().is_some_and(|(_, moved)| moved == piece)
    };
    Some(legal.iter().copied().filter(fits).collect())
}

fn point(rank: char, file: char) -> Option<Square> {
    let from_top = match rank {
        '0' => 9,
        '1'..='9' => rank as usize - '1' as usize,
        _ => NUMERALS.iter().position(|&numeral| numeral == rank)?,
    };
    let file = matches!(file, '1'..='9').then(|| file as usize - '1' as usize)?;
    Some(Square::new((Janggi::RANKS - 1 - from_top) * Janggi::FILES + file))
}

fn kind(character: char) -> Option<Kind> {
    Some(match character {
        '楚' | '漢' | '汉' | '將' | '将' | '王' => GENERAL,
        '士' => GUARD,
        '象' => ELEPHANT,
        '馬' | '马' => HORSES,
        '車' | '车' => CHARIOT,
        '包' | '砲' | '炮' => CANNON,
        '卒' | '兵' => SOLDIER,
        _ => return None,
    })
}
