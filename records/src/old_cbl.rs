//! The older libraries of CCBridge (象棋桥), version 2.1 of its `.cbl`, which may be compressed.
//!
//! The format is that of the program's own description, as another reader quotes it. Numbers have the low byte first. A
//! text lies behind the number of its bytes, in GBK.
//!
//! - `CCBridge`, the version (0x15), the way of compression (0: none), and the size of the rest without it. The rest is
//!   one stream of deflate if it is compressed, with or without the frame of zlib.
//! - The library: five texts (name, source, one unused, maker, address), two days of 19 bytes, the number of records, a
//!   text.
//! - A record: its size with this number, the points of the 32 pieces (file and rank from the top, both from 1, in four
//!   bits each; 0 is not on the board), its kind, the event, the first number, five texts (title, source, one unused,
//!   place, day), Red, Black, the result, five texts (commentator, maker, their addresses, remarks), a byte that is 1
//!   if Red begins, two days of 19 bytes, and the number of moves, variations included.
//! - A move: its number in the game (2 bytes), source and destination (file and rank from the top, both from 0, in four
//!   bits each) and the move in words (2 bytes). The main line comes first; a move whose number is not above the one
//!   before it begins a variation. Behind them all stand their comments, each of which ends with CR LF.
//!
//! The reader takes the main line, the texts that tables have, the result and the start position.

use encoding_rs::GB18030;
use miniz_oxide::inflate::{decompress_to_vec_with_limit, decompress_to_vec_zlib_with_limit};
use rules::{GameResult, Side};

use crate::encoding::TextEncoding;
use crate::points::{BoardPoint, FILES, PIECES, PointBoard, RANKS, name};
use crate::problem::Reason;
use crate::tags;
use crate::written::{MOST_MOVES, WrittenGame, WrittenGames, WrittenResult, win};

const MARK: &[u8] = b"CCBridge";
/// The one version that is described.
const VERSION: usize = 0x15;
const HEAD: usize = 20;
/// Bytes of a day with its time.
const DAY: usize = 19;
/// A record without moves whose texts are all empty: its numbers, 32 points, a byte and two days.
const LEAST_RECORD: usize = 4 * LEAST_NUMBERS + 32 + 1 + 2 * DAY;
/// Numbers of a record: its size, kind and first number, the lengths of its 13 texts, its result and its moves.
const LEAST_NUMBERS: usize = 18;
/// A library of more bytes than this, uncompressed, is none: 100,000 games of 80 moves have 60 MB.
const MOST_BYTES: usize = 1 << 28;

pub(crate) fn recognises(bytes: &[u8]) -> bool {
    // What stands behind the mark in the other formats is a letter or a space.
    bytes.starts_with(MARK) && bytes.get(9..12) == Some(&[0; 3])
}

/// The games. Their lines are their numbers in the library.
pub(crate) fn read(bytes: &[u8], asked: Option<TextEncoding>) -> (Vec<WrittenGame>, TextEncoding) {
    let encoding = asked.unwrap_or(TextEncoding(GB18030));
    let mut games = WrittenGames::default();
    if let Err(why) = library(bytes, encoding, &mut games) {
        let mut broken = WrittenGame::at(games.len() + 1);
        broken.refuse(games.len() + 1, Reason::Broken, why);
        games.push(broken);
    }
    (games.into(), encoding)
}

/// Adds the games of a library, or says what is wrong with it.
fn library(bytes: &[u8], encoding: TextEncoding, games: &mut WrittenGames) -> Result<(), String> {
    let mut head = Cursor { bytes, at: MARK.len() };
    let [version, compression, size] = [head.number()?, head.number()?, head.number()?];
    if version != VERSION {
        return Err(format!("the library has version {version} of the format, and only {VERSION} is known"));
    }
    let rest = &bytes[HEAD..];
    let unpacked = if compression == 0 { rest.to_vec() } else { unpack(rest, size)? };
    let mut at = Cursor { bytes: &unpacked, at: 0 };
    for _ in 0..5 {
        at.text(encoding)?;
    }
    at.bytes(2 * DAY)?;
    let records = at.number()?;
    at.text(encoding)?;
    for number in 1..=records {
        let start = at.at;
        let size = at.number()?;
        let end = start.checked_add(size).filter(|&end| size >= LEAST_RECORD && end <= unpacked.len());
        let end = end.ok_or_else(|| {
            format!(
                "record {number} at byte {start} has {size} bytes; a record has at least {LEAST_RECORD}, and the library ends \
                 at byte {}",
                unpacked.len()
            )
        })?;
        let mut game = WrittenGame::at(number);
        if let Err((what, why)) = fill(&mut game, Cursor { bytes: &unpacked[..end], at: at.at }, encoding) {
            game.refuse(number, what, why);
        }
        games.push(game);
        if games.is_full() {
            break;
        }
        at.at = end;
    }
    if games.len() == 0 { Err("the library has no record".to_owned()) } else { Ok(()) }
}

/// The bytes of a compressed library, which has this size without compression.
fn unpack(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    if size > MOST_BYTES {
        return Err(format!("it says that it has {size} bytes without compression, and {MOST_BYTES} are the most"));
    }
    // The head of zlib is a multiple of 31, and its first byte ends with 8.
    let is_framed = packed.first_chunk().is_some_and(|head| head[0] & 15 == 8 && u16::from_be_bytes(*head) % 31 == 0);
    let way = if is_framed { decompress_to_vec_zlib_with_limit } else { decompress_to_vec_with_limit };
    let unpacked = way(packed, size).map_err(|error| format!("it cannot be decompressed: {error}"))?;
    if unpacked.len() == size { Ok(unpacked) } else { Err(format!("it has {} bytes, not {size}", unpacked.len())) }
}

/// Takes over what a record says. `at` is behind its size.
fn fill(game: &mut WrittenGame, mut at: Cursor<'_>, encoding: TextEncoding) -> Result<(), (Reason, String)> {
    let broken = |why: String| (Reason::Broken, why);
    let mut board = PointBoard::default();
    let from = at.at;
    let pieces = at.bytes(PIECES.len()).map_err(broken)?;
    for (index, (piece, &code)) in PIECES.chars().zip(pieces).enumerate().filter(|(_, (_, code))| **code != 0) {
        let on_board = code.checked_sub(0x11).and_then(point).is_some_and(|point| board.put(point, piece));
        if !on_board {
            let why = format!("byte {} is {code:#04x}, which is no free point", from + index);
            return Err((Reason::Start, why));
        }
    }
    let said = tell(game, &mut at, encoding).map_err(broken)?;
    let moves = main_line(&mut at).map_err(broken)?;
    game.moves = moves.iter().map(|&(source, to)| (game.line, (name(source) + &name(to)).into())).collect();
    game.start = (game.line, board.start(moves.first().map(|&(source, _)| source), said));
    Ok(())
}

/// Takes over the texts and the result, and returns the side that begins.
fn tell(game: &mut WrittenGame, at: &mut Cursor<'_>, encoding: TextEncoding) -> Result<Side, String> {
    at.number()?;
    game.tags.event = at.text(encoding)?;
    at.number()?;
    for _ in 0..3 {
        at.text(encoding)?;
    }
    game.tags.site = at.text(encoding)?;
    game.tags.date = at.text(encoding)?;
    game.tags.first = at.text(encoding)?;
    game.tags.second = at.text(encoding)?;
    game.verdict = match at.number()? {
        1 => win(Side::First),
        2 => win(Side::Second),
        3 => WrittenResult::Result(GameResult::Draw),
        _ => WrittenResult::Unknown,
    };
    for _ in 0..5 {
        at.text(encoding)?;
    }
    let begins = at.bytes(1)?[0];
    at.bytes(2 * DAY)?;
    Ok(if begins == 1 { Side::First } else { Side::Second })
}

/// The sources and destinations of the main line.
fn main_line(at: &mut Cursor<'_>) -> Result<Vec<(BoardPoint, BoardPoint)>, String> {
    let mut moves = Vec::new();
    let mut last = None;
    for _ in 0..at.number()? {
        let here = at.at;
        let [low, high, source, to, ..] = *at.bytes(6)? else { break };
        let number = u16::from_le_bytes([low, high]);
        if last.is_some_and(|last| number <= last) {
            break;
        }
        let (Some(source), Some(to)) = (point(source), point(to)) else {
            return Err(format!("the move at byte {here} names a point that is not on the board"));
        };
        moves.push((source, to));
        if moves.len() > MOST_MOVES {
            return Err(format!("at byte {here} the main line has more than {MOST_MOVES} moves"));
        }
        last = Some(number);
    }
    Ok(moves)
}

/// The point of a file in the upper four bits and a rank from the top in the lower ones, both from 0.
fn point(code: u8) -> Option<BoardPoint> {
    let (file, from_top) = (usize::from(code >> 4), usize::from(code & 15));
    (file < FILES && from_top < RANKS).then_some((file, from_top))
}

/// A place in the uncompressed library, behind which the next field is read.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let cut = || format!("it ends at byte {}, within what begins at byte {}", self.bytes.len(), self.at);
        let taken = &self.bytes[self.at..end.ok_or_else(cut)?];
        self.at += count;
        Ok(taken)
    }

    /// A number of four bytes.
    fn number(&mut self) -> Result<usize, String> {
        let bytes = self.bytes(4)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| (number << 8) | usize::from(byte)))
    }

    /// A text; `None` if it is empty.
    fn text(&mut self, encoding: TextEncoding) -> Result<Option<String>, String> {
        let size = self.number()?;
        let text = self.bytes(size)?;
        Ok(tags::value(&encoding.0.decode_without_bom_handling(text).0))
    }
}
