//! Writes XQF and CBL for tests, from the same descriptions as the readers. Real files are not carried: those that are
//! public lie under licences of their own.

use encoding_rs::GB18030;
use miniz_oxide::deflate::{compress_to_vec, compress_to_vec_zlib};

/// The order in which XQF places pieces, in the standard start position.
const START: [u8; 32] = [
    80, 70, 60, 50, 40, 30, 20, 10, 0, 72, 12, 83, 63, 43, 23, 3, 9, 19, 29, 39, 49, 59, 69, 79, 89, 17, 77, 6, 26, 46,
    66, 86,
];

/// A move in UCCI (`h2e2`), the comment on it, the moves that may follow it and other moves in its place.
#[derive(Clone, Default)]
pub struct EncodedMove {
    pub mv: &'static str,
    pub comment: &'static str,
    pub next: Option<Box<EncodedMove>>,
    pub other: Option<Box<EncodedMove>>,
}

/// A game as a tree: its root is the start position.
#[derive(Clone)]
pub struct EncodedGame {
    pub root: EncodedMove,
    pub result: u8,
    pub names: [&'static str; 2],
    /// Points of the pieces in XQF's order; 255: not on the board.
    pub pieces: [u8; 32],
}

impl EncodedGame {
    /// A game from the start, with a comment on the start, and a variation with comments behind each move but the last.
    pub fn line(moves: &[&'static str], result: u8, names: [&'static str; 2]) -> EncodedGame {
        let mut below = None;
        for (ply, mv) in moves.iter().enumerate().rev() {
            let variation = EncodedMove { mv: "a3a4", comment: "变着", next: None, other: None };
            let other = (ply + 1 < moves.len() && ply % 2 == 0).then(|| Box::new(variation));
            let comment = if ply % 3 == 1 { "好棋！" } else { "" };
            below = Some(Box::new(EncodedMove { mv, comment, next: below, other }));
        }
        EncodedGame {
            root: EncodedMove { comment: "开局", next: below, ..EncodedMove::default() },
            result,
            names,
            pieces: START,
        }
    }
}

fn gb(text: &str) -> Vec<u8> {
    GB18030.encode(text).0.into_owned()
}

/// Two-digit numbers of the points of a move: file and rank from below.
fn numbers(mv: &str) -> [u8; 2] {
    let digit = |at: usize, from: u8| mv.as_bytes().get(at).map_or(0, |byte| byte - from);
    [digit(0, b'a') * 10 + digit(1, b'0'), digit(2, b'a') * 10 + digit(3, b'0')]
}

/// An XQF file. `seeds` are bytes 13 to 15; the version says what is done with them.
pub fn xqf(tree: &EncodedGame, version: u8, seeds: [u8; 3]) -> Vec<u8> {
    let is_plain = version <= 10;
    let grown = |seed: u8, by: u32| (((((u32::from(seed).pow(2) * 3 + 9) * 3 + 8) * 2 + 1) * 3 + 8) * by % 256) as u8;
    let mut head = vec![0; 1024];
    head[..3].copy_from_slice(&[b'X', b'Q', version]);
    let mut keys = [0_u8; 3];
    if !is_plain {
        head[3] = 0x5a;
        head[8..12].copy_from_slice(&[0x24, 0x81, 0x03, 0x60]);
        head[12] = 0_u8.wrapping_sub(seeds.iter().fold(0, |sum: u8, seed| sum.wrapping_add(*seed)));
        head[13..16].copy_from_slice(&seeds);
        keys[0] = grown(seeds[0], u32::from(seeds[0]));
        keys[1] = grown(seeds[1], u32::from(keys[0]));
        keys[2] = grown(seeds[2], u32::from(keys[1]));
    }
    for (piece, point) in tree.pieces.iter().enumerate() {
        let at = if version >= 12 { (piece + 32 * 8 - usize::from(keys[0]) + 31) % 32 } else { piece };
        head[16 + at] = point.wrapping_add(keys[0]);
    }
    head[51] = tree.result;
    for (at, text) in
        [(80, "题目"), (208, "杯赛"), (272, "1997年5月1日"), (288, "北京"), (304, tree.names[0]), (320, tree.names[1])]
    {
        let text = gb(text);
        head[at] = text.len() as u8;
        head[at + 1..=at + text.len()].copy_from_slice(&text);
    }
    let mut body = Vec::new();
    let length_key = if is_plain { 0 } else { (u32::from(head[12]) * 256 + u32::from(seeds[0])) % 32_000 + 767 };
    let mut open = vec![&tree.root];
    while let Some(node) = open.pop() {
        let [source, to] = numbers(node.mv);
        body.push(source.wrapping_add(24).wrapping_add(keys[1]));
        body.push(to.wrapping_add(32).wrapping_add(keys[2]));
        let has_comment = is_plain || !node.comment.is_empty();
        let flag = |is: bool, plain: u8, keyed: u8| {
            if !is {
                0
            } else if is_plain {
                plain
            } else {
                keyed
            }
        };
        let flags = flag(node.next.is_some(), 0xf0, 0x80) | flag(node.other.is_some(), 0x0f, 0x40);
        body.extend([flags | flag(has_comment, 0, 0x20), 0xff]);
        if has_comment {
            let comment = gb(node.comment);
            body.extend((comment.len() as u32 + length_key).to_le_bytes());
            body.extend(comment);
        }
        // What continues a move comes before what could be played in its place.
        open.extend(node.other.as_deref());
        open.extend(node.next.as_deref());
    }
    if !is_plain {
        let text = b"[(C) Copyright Mr. Dong Shiwei.]";
        for (at, byte) in body.iter_mut().enumerate() {
            let part = at % 4;
            *byte = byte.wrapping_add(text[at % 32] & ((head[12 + part] & head[3]) | head[8 + part]));
        }
    }
    head.extend(body);
    head
}

/// A record of CCBridge (`.cbr`).
pub fn cbr(tree: &EncodedGame) -> Vec<u8> {
    let mut record = vec![0; 2214];
    record[..16].copy_from_slice(b"CCBridge Record\0");
    record[19] = 2;
    for (at, text) in [
        (180, "题目"),
        (692, "杯赛"),
        (884, "1997年5月1日"),
        (948, "北京"),
        (1076, tree.names[0]),
        (1300, tree.names[1]),
    ] {
        for (index, unit) in text.encode_utf16().enumerate() {
            record[at + 2 * index..at + 2 * index + 2].copy_from_slice(&unit.to_le_bytes());
        }
        // Old contents of the memory stand behind the zero.
        record[at + 30..at + 36].copy_from_slice(&[0xcd; 6]);
    }
    record[2076] = tree.result;
    record[2112] = 1;
    let index = |number: u8| (9 - number % 10) * 9 + number / 10;
    let kinds = [1, 2, 3, 4, 5, 4, 3, 2, 1, 6, 6, 7, 7, 7, 7, 7];
    for (piece, &point) in tree.pieces.iter().enumerate().filter(|(_, point)| **point < 90) {
        record[2120 + usize::from(index(point))] = kinds[piece % 16] + if piece < 16 { 0x10 } else { 0x20 };
    }
    let mut open = vec![&tree.root];
    while let Some(node) = open.pop() {
        let [source, to] = if node.mv.is_empty() { [0, 0] } else { numbers(node.mv).map(index) };
        let flag = |is: bool, bit: u8| if is { bit } else { 0 };
        let flags = flag(node.next.is_none(), 1) | flag(node.other.is_some(), 2) | flag(!node.comment.is_empty(), 4);
        record.extend([flags, 0, source, to]);
        if !node.comment.is_empty() {
            let comment: Vec<u8> = node.comment.encode_utf16().flat_map(u16::to_le_bytes).collect();
            record.extend((comment.len() as u32).to_le_bytes());
            record.extend(comment);
        }
        open.extend(node.other.as_deref());
        open.extend(node.next.as_deref());
    }
    record
}

/// A library of CCBridge (`.cbl`) with an index of ten places, and whether each record was deleted.
pub fn cbl(records: &[(Vec<u8>, bool)]) -> Vec<u8> {
    let mut library = vec![0; 66_624 + 10 * 276];
    library[..16].copy_from_slice(b"CCBridgeLibrary\0");
    library[56] = u8::from(records.iter().any(|(_, is_deleted)| *is_deleted));
    library[60] = 10;
    let first = library.len();
    for (record, is_deleted) in records {
        let entry = 66_624 + (library.len() - first) / 4096 * 276;
        library[entry] = if *is_deleted { 5 } else { 7 };
        library[entry + 100..entry + 104].copy_from_slice(&record[180..184]);
        library.extend(record);
        library.resize(first + (library.len() - first).next_multiple_of(4096), 0);
    }
    library
}

/// The stretch of text or of bytes behind the number of its bytes.
fn counted(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

/// A record of an older library of CCBridge.
pub fn old_record(tree: &EncodedGame) -> Vec<u8> {
    let nibbles = |file: u8, from_top: u8| file << 4 | from_top;
    let on_board = |point: &u8| if *point < 90 { nibbles(point / 10 + 1, 10 - point % 10) } else { 0 };
    let mut record: Vec<u8> = tree.pieces.iter().map(on_board).collect();
    record.extend([1, 0, 0, 0]);
    record.extend(counted(&gb("杯赛")));
    record.extend([1, 0, 0, 0]);
    for text in ["题目", "来源", "", "北京", "1997年5月1日", tree.names[0], tree.names[1]] {
        record.extend(counted(&gb(text)));
    }
    record.extend(u32::from(tree.result).to_le_bytes());
    for text in ["讲评", "", "录入", "", "第一||第二"] {
        record.extend(counted(&gb(text)));
    }
    record.push(1);
    record.extend(*b"2001-02-03 04:05:062001-02-03 04:05:06");
    let (mut moves, mut comments) = (Vec::new(), Vec::new());
    let mut open: Vec<(u16, &EncodedMove)> = tree.root.next.iter().map(|node| (1, &**node)).collect();
    while let Some((number, node)) = open.pop() {
        moves.extend(number.to_le_bytes());
        moves.extend(numbers(node.mv).map(|point| nibbles(point / 10, 9 - point % 10)));
        // The move in words, which the points say as well.
        moves.extend([0, 0]);
        comments.extend([&gb(node.comment)[..], b"\r\n"].concat());
        open.extend(node.other.iter().map(|other| (number, &**other)));
        open.extend(node.next.iter().map(|next| (number + 1, &**next)));
    }
    record.extend((moves.len() as u32 / 6).to_le_bytes());
    record.extend(moves);
    record.extend(comments);
    [&(record.len() as u32 + 4).to_le_bytes(), &record[..]].concat()
}

/// An older library of CCBridge, compressed in one of the ways 0 to 3; 4 is 3 without the frame of zlib.
pub fn old_cbl(records: &[Vec<u8>], way: u8) -> Vec<u8> {
    let mut rest = Vec::new();
    for text in ["棋库", "来源", "", "某人", "a@b"] {
        rest.extend(counted(&gb(text)));
    }
    rest.extend(*b"2001-02-03 04:05:062001-02-03 04:05:06");
    rest.extend((records.len() as u32).to_le_bytes());
    rest.extend(counted(&gb("说明")));
    rest.extend(records.concat());
    let size = rest.len() as u32;
    let packed = match way {
        0 => rest,
        4 => compress_to_vec(&rest, 9),
        level => compress_to_vec_zlib(&rest, 3 * level),
    };
    let numbers = [0x15, u32::from(way.min(3)), size].map(u32::to_le_bytes).concat();
    [b"CCBridge", &numbers[..], &packed].concat()
}
