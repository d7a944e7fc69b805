//! XQF, the binary records of XQStudio (象棋演播室): one game with its variations and comments.
//!
//! The format is that of the author's own description (version 1.0: `XqfFormat.txt`, Dong Shiwei, 2001) and, for the
//! later versions, of the sources of XQStudio as others describe them. All numbers have the low byte first.
//!
//! - Bytes 0 to 1023 are the head: `XQ`, the version (10 is 1.0), keys in bytes 3 and 8 to 15, the points of the 32
//!   pieces from byte 16, the side to move in 50, the result in 51, and texts behind a byte with their length: event
//!   208, day 272, place 288, Red 304, Black 320.
//! - Moves follow from byte 1024, the first of which is none and has only flags and a comment: source and destination
//!   (file · 10 + rank from below, shifted by 24 and 32), flags, a spare byte, and perhaps a comment behind the number
//!   of its bytes. They are a tree written depth first, the main line before all variations, so the main line is the
//!   moves up to the first one that nothing continues.
//! - After version 10, points, lengths and every byte of the moves are shifted by keys that follow from the head.
//!
//! The reader takes the main line, the texts above, the result and the start position. Damage behind the main line is
//! ignored.

use encoding_rs::GB18030;
use rules::{GameResult, Side};

use crate::encoding::TextEncoding;
use crate::points::{BoardPoint, PIECES, PointBoard, RANKS, name};
use crate::problem::Reason;
use crate::tags;
use crate::written::{MOST_MOVES, WrittenGame, WrittenResult, win};

const MARK: &[u8] = b"XQ";
const HEAD: usize = 1024;
/// The last version without keys.
const LAST_PLAIN: u8 = 10;
/// The first version whose list of pieces is turned round.
const FIRST_TURNED: u8 = 12;
/// What the key of the moves is cut out of.
const KEY_TEXT: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

pub(crate) fn recognises(bytes: &[u8]) -> bool {
    // No text has a zero byte, and the head of a record has many.
    bytes.starts_with(MARK) && bytes.iter().take(HEAD).any(|&byte| byte == 0)
}

pub(crate) fn read(bytes: &[u8], asked: Option<TextEncoding>) -> (Vec<WrittenGame>, TextEncoding) {
    let encoding = asked.unwrap_or(TextEncoding(GB18030));
    let mut game = WrittenGame::at(1);
    match bytes.get(..HEAD).filter(|_| bytes.starts_with(MARK)) {
        None if !bytes.starts_with(MARK) => game.refuse(1, Reason::Broken, "it does not begin with XQ"),
        None => {
            let why = format!("it ends at byte {}, within the head of {HEAD}", bytes.len());
            game.refuse(1, Reason::Broken, why);
        }
        Some(head) => fill(&mut game, head, bytes, encoding),
    }
    (vec![game], encoding)
}

fn fill(game: &mut WrittenGame, head: &[u8], bytes: &[u8], encoding: TextEncoding) {
    let text = |at: usize, size: usize| {
        let length = usize::from(head[at]).min(size - 1);
        let said = head[at + 1..=at + length].split(|&byte| byte == 0).next().unwrap_or_default();
        tags::value(&encoding.0.decode_without_bom_handling(said).0)
    };
    game.tags.event = text(208, 64);
    game.tags.date = text(272, 16);
    game.tags.site = text(288, 16);
    game.tags.first = text(304, 16);
    game.tags.second = text(320, 16);
    game.verdict = match head[51] {
        1 => win(Side::First),
        2 => win(Side::Second),
        3 => WrittenResult::Result(GameResult::Draw),
        _ => WrittenResult::Unknown,
    };
    // The one check that the format has.
    if head[12..16].iter().fold(0_u8, |sum, &key| sum.wrapping_add(key)) != 0 {
        return game.refuse(1, Reason::Broken, "the keys in bytes 12 to 15 do not add up to 0");
    }
    let keys = Keys::of(head);
    let mut board = PointBoard::default();
    for (piece, (at, point)) in PIECES.chars().zip(keys.pieces(head)) {
        // A point that does not exist: the piece is not on the board.
        if point.is_some_and(|point| !board.put(point, piece)) {
            let why = format!("byte {at} puts a second piece on a point");
            return game.refuse(1, Reason::Start, why);
        }
    }
    let first_source = match keys.main_line(bytes) {
        Ok(moves) => {
            game.moves = moves.iter().map(|&(source, to)| (1, (name(source) + &name(to)).into())).collect();
            moves.first().map(|&(source, _)| source)
        }
        Err(why) => return game.refuse(1, Reason::Broken, why),
    };
    let said = if head[50] == 1 { Side::Second } else { Side::First };
    game.start = (1, board.start(first_source, said));
}

/// The keys of a file; all zero in the plain versions.
#[derive(Default)]
struct Keys {
    version: u8,
    /// Added to the points of pieces, of sources and of destinations.
    pieces: u8,
    source: u8,
    destination: u8,
    /// Added to the lengths of comments.
    comment: u32,
    /// Added to the bytes behind the head, in turn.
    stream: [u8; 32],
}

impl Keys {
    fn of(head: &[u8]) -> Keys {
        let version = head[2];
        if version <= LAST_PLAIN {
            return Keys { version, ..Keys::default() };
        }
        let [sum, pieces, source, destination] = [12, 13, 14, 15].map(|at| head[at]);
        // All of it modulo 256.
        let grown = |seed: u8, by: u8| {
            let square = seed.wrapping_mul(seed);
            square.wrapping_mul(54).wrapping_add(221).wrapping_mul(by)
        };
        let pieces_key = grown(pieces, pieces);
        let source_key = grown(source, pieces_key);
        let destination_key = grown(destination, source_key);
        let seeds = [sum, pieces, source, destination];
        let mask = |at: usize| (seeds[at] & head[3]) | head[8 + at];
        Keys {
            version,
            pieces: pieces_key,
            source: source_key,
            destination: destination_key,
            comment: (u32::from(sum) * 256 + u32::from(pieces)) % 32_000 + 767,
            stream: std::array::from_fn(|at| KEY_TEXT[at] & mask(at % 4)),
        }
    }

    /// For each piece the byte of the head that says where it stands, and the point.
    fn pieces(&self, head: &[u8]) -> impl Iterator<Item = (usize, Option<BoardPoint>)> {
        let turned = if self.version >= FIRST_TURNED { usize::from(self.pieces) + 1 } else { 0 };
        (0..32_usize).map(move |piece| {
            // The list was turned to the left by this many places, which may be more than its length.
            let at = 16 + (piece + 32 * 9 - turned) % 32;
            (at, point(head[at].wrapping_sub(self.pieces)))
        })
    }

    /// The sources and destinations of the main line, or what is wrong with it.
    fn main_line(&self, bytes: &[u8]) -> Result<Vec<(BoardPoint, BoardPoint)>, String> {
        let mut moves = Vec::new();
        let (mut node, mut at) = self.node(bytes, HEAD)?;
        while node.continues {
            let here = at;
            (node, at) = self.node(bytes, here)?;
            let (Some(source), Some(to)) = (point(node.source), point(node.to)) else {
                return Err(format!("the move at byte {here} names a point that is not on the board"));
            };
            moves.push((source, to));
            if moves.len() > MOST_MOVES {
                return Err(format!("at byte {at} the main line has more than {MOST_MOVES} moves"));
            }
        }
        Ok(moves)
    }

    /// The move at this byte, and where the next one is.
    fn node(&self, bytes: &[u8], at: usize) -> Result<(XqfNode, usize), String> {
        let cut = || format!("it ends at byte {}, within the move at byte {at}", bytes.len());
        let plain = |from: usize| -> Option<[u8; 4]> {
            let four: [u8; 4] = bytes.get(from..from + 4)?.try_into().ok()?;
            Some(std::array::from_fn(|index| four[index].wrapping_sub(self.stream[(from + index) % 32])))
        };
        let [source, to, flags, _] = plain(at).ok_or_else(cut)?;
        let is_plain = self.version <= LAST_PLAIN;
        let continues = flags & if is_plain { 0xf0 } else { 0x80 } != 0;
        let has_comment = is_plain || flags & 0x20 != 0;
        let mut next = at + 4;
        if has_comment {
            let length = u32::from_le_bytes(plain(next).ok_or_else(cut)?).wrapping_sub(self.comment);
            next = usize::try_from(length).ok().and_then(|length| (next + 4).checked_add(length)).ok_or_else(cut)?;
            if next > bytes.len() {
                return Err(format!("the comment of the move at byte {at} is longer than the file"));
            }
        }
        let source = source.wrapping_sub(24).wrapping_sub(self.source);
        let to = to.wrapping_sub(32).wrapping_sub(self.destination);
        Ok((XqfNode { source, to, continues }, next))
    }
}

struct XqfNode {
    source: u8,
    to: u8,
    continues: bool,
}

/// The point of a number.
fn point(number: u8) -> Option<BoardPoint> {
    (number < 90).then(|| (usize::from(number / 10), RANKS - 1 - usize::from(number % 10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| u8::from_str_radix(&String::from_utf8_lossy(pair), 16).expect("two digits");
        digits.chunks(2).map(byte).collect()
    }

    /// The first bytes of the head and of the moves as XQStudio wrote them, in version 16.
    #[test]
    fn a_head_that_the_program_has_written() {
        let mut file = bytes(
            "585110ff 00000000 361a4070 09753151 8f857b71675d5349 3f874b927e6a5642 48525c66707a848e 98508c45596d8195",
        );
        file.resize(HEAD, 0);
        file.extend(bytes("7379db76 ed64f695 0dace287 f3a9ac34 1074bf93 04abe401"));
        let keys = Keys::of(&file);
        let points = keys.pieces(&file).map(|(_, point)| point.map(name).unwrap_or_default());
        assert_eq!(
            points.collect::<Vec<_>>().join(" "),
            "i0 h0 g0 f0 e0 d0 c0 b0 a0 h2 b2 i3 g3 e3 c3 a3 a9 b9 c9 d9 e9 f9 g9 h9 i9 b7 h7 a6 c6 e6 g6 i6"
        );
        let mut at = HEAD;
        let mut moves = Vec::new();
        while let Ok((node, next)) = keys.node(&file, at) {
            moves.push([node.source, node.to].map(|number| point(number).map(name).unwrap_or_default()).concat());
            at = next;
        }
        assert_eq!(moves[1..], ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0"]);
    }
}
