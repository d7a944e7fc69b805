//! The binary records of CCBridge (象棋桥): `.cbr` is a game, `.cbl` is a library of many.
//!
//! The format is known from the descriptions of several readers and from files. Texts are UTF-16 of fixed fields, cut
//! at a zero; all numbers have the low byte first.
//!
//! - A record begins with `CCBridge Record`. Its fields: event 692, round 756, day 884, place 948, Red 1076, Black
//!   1300, the result in byte 2076, the side to move in 2112, the board from 2120 (a byte for each point, row by row
//!   from the top, Red's pieces from 0x11 and Black's from 0x21).
//! - Moves follow from byte 2214, the first of which is none and has only flags and a comment: flags, a spare byte,
//!   source and destination as numbers of points, and perhaps a comment behind the number of its bytes. A flag ends the
//!   line; the main line comes first.
//! - A library begins with `CCBridgeLibrary`. Behind its head and an index of 276 bytes a place, records begin every
//!   4096 bytes, and a long one continues in the places behind it. A deleted record is still there; the index says so.
//!
//! The reader takes the main line, the fields above, the result and the start position. Older libraries: [`old_cbl`].

use encoding_rs::UTF_16LE;
use rules::{GameResult, Side};

use crate::encoding::TextEncoding;
use crate::old_cbl;
use crate::points::{BoardPoint, FILES, PointBoard, RANKS, name};
use crate::problem::Reason;
use crate::tags;
use crate::written::{MOST_MOVES, WrittenGame, WrittenGames, WrittenResult, win};

const LIBRARY: &[u8] = b"CCBridgeLibrary\0";
const RECORD: &[u8] = b"CCBridge Record\0";
/// Bytes before the index of a library.
const LIBRARY_HEAD: usize = 66_624;
const INDEX_ENTRY: usize = 276;
const PLACE: usize = 4096;
/// Where the moves of a record begin.
const MOVES: usize = 2214;
const TITLE: usize = 180;
/// The pieces whose numbers are 1 to 7.
const PIECES: &str = "RNBAKCP";

pub(crate) fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(LIBRARY) || bytes.starts_with(RECORD) || old_cbl::recognises(bytes)
}

/// The games. Their lines are their numbers in the library. The encoding of the format is its own, but in older
/// libraries.
pub(crate) fn read(bytes: &[u8], asked: Option<TextEncoding>) -> (Vec<WrittenGame>, TextEncoding) {
    if old_cbl::recognises(bytes) {
        return old_cbl::read(bytes, asked);
    }
    let encoding = TextEncoding(UTF_16LE);
    if bytes.starts_with(RECORD) {
        return (vec![record(bytes, 0, bytes.len(), 1)], encoding);
    }
    let starts = places(bytes);
    if starts.is_empty() {
        let mut nothing = WrittenGame::at(1);
        let why = if bytes.starts_with(LIBRARY) {
            "the library has no record"
        } else {
            "it begins neither with CCBridgeLibrary nor with CCBridge Record"
        };
        nothing.refuse(1, Reason::Broken, why);
        return (vec![nothing], encoding);
    }
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let kept = starts.iter().zip(ends).filter(|&(&start, _)| !is_deleted(bytes, starts[0], start));
    let mut games = WrittenGames::default();
    for ((&start, end), number) in kept.zip(1..) {
        games.push(record(bytes, start, end, number));
        if games.is_full() {
            break;
        }
    }
    (games.into(), encoding)
}

/// Where the records of a library begin.
fn places(bytes: &[u8]) -> Vec<usize> {
    // The index has a size that was chosen when the library was made, so the first record is looked for.
    let behind_head = bytes.get(LIBRARY_HEAD..).filter(|_| bytes.starts_with(LIBRARY)).unwrap_or_default();
    let Some(first) = behind_head.windows(RECORD.len()).position(|window| window == RECORD) else { return Vec::new() };
    (LIBRARY_HEAD + first..bytes.len()).step_by(PLACE).filter(|&at| bytes[at..].starts_with(RECORD)).collect()
}

/// Whether the index says that the record at this byte was deleted. `first` is where the first record begins.
fn is_deleted(bytes: &[u8], first: usize, start: usize) -> bool {
    let at = LIBRARY_HEAD + (start - first) / PLACE * INDEX_ENTRY;
    let Some(entry) = bytes.get(at..at + INDEX_ENTRY).filter(|_| at + INDEX_ENTRY <= first) else { return false };
    // Its title is compared too, for the entry may be that of another record where one fills several places.
    let is_of_record = text(entry, 100, 100) == text(&bytes[start..], TITLE, 128);
    // Byte 56 of the head: whether there is any deleted record. Without it, what an index holds is not trusted.
    bytes[56] != 0 && entry[0] & 0b111 == 0b101 && is_of_record
}

/// The text of a field; none if it says nothing or is not there.
fn text(record: &[u8], at: usize, size: usize) -> Option<String> {
    let field = record.get(at..at + size)?;
    let end = field.chunks_exact(2).position(|unit| unit == [0, 0]).map_or(size, |units| 2 * units);
    tags::value(&UTF_16LE.decode_without_bom_handling(&field[..end]).0)
}

/// The record that lies between these bytes.
fn record(bytes: &[u8], start: usize, end: usize, number: usize) -> WrittenGame {
    let mut game = WrittenGame::at(number);
    let record = &bytes[start..end];
    let Some(head) = record.get(..MOVES) else {
        let why = format!("the record at byte {start} ends at byte {end}, before its moves");
        game.refuse(number, Reason::Broken, why);
        return game;
    };
    game.tags.event = text(head, 692, 64);
    game.tags.round = text(head, 756, 64);
    game.tags.date = text(head, 884, 64);
    game.tags.site = text(head, 948, 64);
    game.tags.first = text(head, 1076, 64);
    game.tags.second = text(head, 1300, 64);
    game.verdict = match head[2076] {
        1 => win(Side::First),
        2 => win(Side::Second),
        3 => WrittenResult::Result(GameResult::Draw),
        _ => WrittenResult::Unknown,
    };
    let mut board = PointBoard::default();
    for (index, &code) in head[2120..2120 + FILES * RANKS].iter().enumerate() {
        let kind = PIECES.chars().nth(usize::from(code & 15).wrapping_sub(1));
        let piece = match (code >> 4, kind) {
            _ if code == 0 => continue,
            (1, Some(kind)) => kind,
            (2, Some(kind)) => kind.to_ascii_lowercase(),
            _ => {
                let why = format!("byte {} is {code}, which is no piece", start + 2120 + index);
                game.refuse(number, Reason::Start, why);
                return game;
            }
        };
        board.put((index % FILES, index / FILES), piece);
    }
    let moves = match main_line(record, start) {
        Ok(moves) => moves,
        Err(why) => {
            game.refuse(number, Reason::Broken, why);
            return game;
        }
    };
    game.moves = moves.iter().map(|&(source, to)| (number, (name(source) + &name(to)).into())).collect();
    let said = if head[2112] == 2 { Side::Second } else { Side::First };
    game.start = (number, board.start(moves.first().map(|&(source, _)| source), said));
    game
}

/// The sources and destinations of the main line, or what is wrong with it. `start` is where the record begins in the
/// file.
fn main_line(record: &[u8], start: usize) -> Result<Vec<(BoardPoint, BoardPoint)>, String> {
    let mut moves = Vec::new();
    let mut at = MOVES;
    loop {
        let here = start + at;
        let four = |from: usize| record.get(from..from + 4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
        let cut = || format!("the record ends at byte {}, within the move at byte {here}", start + record.len());
        let [flags, _, source, to] = four(at).ok_or_else(cut)?;
        // The first one is the start position, with a comment of its own.
        if at > MOVES {
            let (Some(source), Some(to)) = (point(source), point(to)) else {
                return Err(format!("the move at byte {here} names a point that is not on the board"));
            };
            moves.push((source, to));
        }
        at += 4;
        if flags & 4 != 0 {
            let length = usize::try_from(u32::from_le_bytes(four(at).ok_or_else(cut)?)).map_err(|_| cut())?;
            at = at.checked_add(4 + length).filter(|&at| at <= record.len()).ok_or_else(|| {
                format!(
                    "the comment of the move at byte {here} is longer than the record, which ends at byte {}",
                    start + record.len()
                )
            })?;
        }
        if flags & 1 != 0 {
            return Ok(moves);
        }
        if moves.len() >= MOST_MOVES {
            return Err(format!("at byte {here} the main line has more than {MOST_MOVES} moves"));
        }
    }
}

/// The point of a number.
fn point(number: u8) -> Option<BoardPoint> {
    let number = usize::from(number);
    (number < FILES * RANKS).then_some((number % FILES, number / FILES))
}
