//! `.obk`, the books of Chinese programs for Xiangqi (兵河五四, 鲨鱼象棋, VinXiangQi): an SQLite database with the table
//! `bhobk`, whose rows are moves of positions.
//!
//! | column | meaning |
//! |---|---|
//! | `vkey` | key of the position: the exclusive or of a key for each piece on its point, and of one more where Red is to move |
//! | `vmove` | 256 × source + destination; a point is 16 × (3 + rank from Black's side) + 3 + file from Red's left |
//! | `vscore` | larger is better |
//! | `vwin`, `vdraw`, `vlost` | games that the side to move won, drew and lost |
//! | `vvalid` | 1, or 0 for a row that is switched off |
//! | `vmemo`, `vindex` | a remark; not used |
//!
//! A book holds a position or its mirror image: programs that do not find the one look for the other. Keys above 2^63
//! are stored as the REAL with the same bits, and SQLite makes an INTEGER of a REAL without a fraction. Keys with the
//! bits of a NaN or of −0 cannot be stored so; they are written as a negative INTEGER.
//!
//! Sources, which agree: the programs VinXiangQi (`OpenBookHelper.cs`), ChessAI of 9479421 (`OpenBook.cpp`) and the
//! Python package `cchess` (`zhash_data`). The key of the start position, 7101337512282506414, is that of published
//! books.

use super::{BookError, BookLine, BookPosition};
use rules::{Move, Notation, Position, Rules, Side, Square, UnknownNotation, Variant};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, MAIN_DB, params};
use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

/// The first bytes of an SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Where an SQLite database says whether it has a write-ahead log (2) or not (1), for writers and for readers.
const LOG_MODE: usize = 18;

/// Where the first page of an SQLite database says what kind of page it is, and that it has no pages below it.
const SCHEMA: usize = 100;
const LEAF: u8 = 13;

const TABLE: &str = "bhobk";

const CREATE: &str = "CREATE TABLE bhobk(id INTEGER PRIMARY KEY AUTOINCREMENT, vkey INTEGER, vmove INTEGER, vscore INTEGER, \
                      vwin INTEGER, vdraw INTEGER, vlost INTEGER, vvalid INTEGER, vmemo BLOB, vindex INTEGER); \
                      CREATE INDEX idxkey ON bhobk(vkey);";

const FILES: usize = 9;
const RANKS: usize = 10;

/// Pieces in the order of their keys, as FEN has them.
const PIECES: &str = "KABNRCPkabnrcp";

/// A score of 1 as `vscore`.
const SCORE: f64 = 10_000.0;

/// Keys of the points for each piece, and of the side.
static KEYS: LazyLock<(Vec<u64>, u64)> = LazyLock::new(|| {
    let lines = include_str!("obk-keys.txt").lines().filter(|line| !line.starts_with('#'));
    let mut keys = lines.flat_map(|line| line.split(' ').skip(1)).map(|key| u64::from_str_radix(key, 16).unwrap_or(0));
    let side = keys.next().unwrap_or(0);
    (keys.collect(), side)
});

/// Whether a file is an SQLite database, as these books are.
pub fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(SQLITE)
}

/// The key of a position, or of its mirror image.
fn key<V: Variant>(position: &Position<V>, mirrored: bool) -> u64 {
    let (of_pieces, of_side) = &*KEYS;
    let fen = position.fen();
    let mut key = if position.side() == Side::First { *of_side } else { 0 };
    for (rank, row) in fen.split([' ', '[']).next().unwrap_or_default().split('/').enumerate() {
        let mut file = 0;
        for letter in row.chars() {
            let Some(piece) = PIECES.find(letter) else {
                file += letter.to_digit(10).unwrap_or(0) as usize;
                continue;
            };
            let column = if mirrored { FILES - 1 - file } else { file };
            key ^= of_pieces.get((piece * RANKS + rank) * FILES + column).copied().unwrap_or(0);
            file += 1;
        }
    }
    key
}

/// A point as the format writes it.
fn point(square: Square) -> usize {
    (3 + RANKS - 1 - square.rank(FILES)) << 4 | (3 + square.file(FILES))
}

/// The square of a point, mirrored if the position was found so.
fn square(point: usize, mirrored: bool) -> Option<Square> {
    let (rank, file) = ((point >> 4).checked_sub(3)?, (point & 15).checked_sub(3)?);
    let file = if mirrored { (FILES - 1).checked_sub(file)? } else { file };
    (rank < RANKS && file < FILES).then(|| Square::new((RANKS - 1 - rank) * FILES + file))
}

fn move_of(vmove: i64, mirrored: bool) -> Option<Move> {
    let code = usize::try_from(vmove).ok().filter(|&code| code <= 0xffff)?;
    Some(Move::board(square(code >> 8, mirrored)?, square(code & 0xff, mirrored)?))
}

/// A key as other programs store it.
fn stored(key: u64) -> Value {
    let real = f64::from_bits(key);
    let is_kept = !real.is_nan() && real != 0.0;
    if key >> 63 == 1 && is_kept { Value::Real(real) } else { Value::Integer(key as i64) }
}

/// The keys that a stored value may be.
fn keys_of(value: ValueRef<'_>) -> [Option<u64>; 2] {
    match value {
        ValueRef::Integer(key) if key < 0 => [Some(key as u64), Some((key as f64).to_bits())],
        ValueRef::Integer(key) => [Some(key as u64), None],
        ValueRef::Real(key) => [Some(key.to_bits()), None],
        _ => [None, None],
    }
}

/// The notation that the variant of these books has and others have not.
fn check_game<V: Variant>() -> Result<(), UnknownNotation> {
    Notation::<V>::named("ucci").map(drop)
}

/// The book as the bytes of a database. `vscore` is the score of a move in ten-thousandths, or where moves are ordered
/// by games their number.
///
/// # Errors
/// The variant has no UCCI, or SQLite has no memory left.
pub fn write<V: Variant>(book: &[BookPosition<V>]) -> Result<Vec<u8>, BookError> {
    check_game::<V>()?;
    let filled = || -> rusqlite::Result<Vec<u8>> {
        let mut database = Connection::open_in_memory()?;
        database.execute_batch(CREATE)?;
        let transaction = database.transaction()?;
        let mut insert = transaction.prepare(
            "INSERT INTO bhobk(vkey, vmove, vscore, vwin, vdraw, vlost, vvalid, vindex) VALUES (?, ?, ?, ?, ?, ?, 1, 0)",
        )?;
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        for BookPosition { position, moves } in book {
            let key = stored(key(position, false));
            for of in moves {
                let source = of.mv.source_square().unwrap_or(of.mv.destination());
                let code = (point(source) << 8 | point(of.mv.destination())) as i64;
                let score = of.score.map_or_else(|| whole(of.games()), |score| (score * SCORE).round() as i64);
                let [won, drawn, lost] = of.results.map(whole);
                insert.execute(params![key, code, score, won, drawn, lost])?;
            }
        }
        drop(insert);
        transaction.commit()?;
        Ok(database.serialize(MAIN_DB)?.to_vec())
    };
    filled().map_err(|error| BookError::Database(format!("SQLite: {error}")))
}

/// A move of a book, with the number of its row.
type StoredMove = (i64, i64);

/// The lines of a book from the start position.
///
/// # Errors
/// The file is no SQLite database or a damaged one, it has no table as above, the start position is not in it, or a row
/// of a position on the way has no legal move, which is named; or the variant has no UCCI.
pub fn read<V: Variant>(bytes: &[u8], rules: Rules<V>) -> Result<Vec<BookLine<V>>, BookError> {
    check_game::<V>()?;
    if !recognises(bytes) {
        return Err(BookError::Database("it is no SQLite database, which an .obk book is".to_owned()));
    }
    let damaged = |error: rusqlite::Error| BookError::Database(format!("it is damaged or cut off: {error}"));
    if let Some(whole) = whole_length(bytes).filter(|&whole| whole > bytes.len() as u64) {
        return Err(BookError::Database(format!("it is cut off: {} of its {whole} bytes are there", bytes.len())));
    }
    // The list of tables of a book fits one page. One of many pages could be made to refer to itself, without an end.
    if bytes.get(SCHEMA).is_some_and(|&kind| kind != LEAF) {
        return Err(BookError::Database(
            "it is damaged, or no book: its list of tables fills several pages".to_owned(),
        ));
    }
    let database = opened(bytes).map_err(damaged)?;
    if !has_table(&database).map_err(damaged)? {
        let why = format!("it has no table {TABLE} with the columns of an .obk book");
        return Err(BookError::Database(why));
    }
    // Whatever else this says of values, they are checked where they are read.
    let told = check_of_pages(&database).map_err(damaged)?;
    if told.contains("Tree ") {
        return Err(BookError::Database(format!("it is damaged: {told}")));
    }
    let book = moves_by_key(&database).map_err(damaged)?;
    let start = Position::<V>::start().under(&rules);
    let lines = super::lines(vec![start], |position| moves_of(&book, position))?;
    if lines.is_empty() {
        return Err(BookError::Database(format!("table {TABLE} has no move of the start position")));
    }
    Ok(lines)
}

/// How many bytes a database has by its own head, where that is up to date.
fn whole_length(bytes: &[u8]) -> Option<u64> {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let page = u16::from_be_bytes(bytes.get(16..18)?.try_into().ok()?);
    // The largest size of a page does not fit the two bytes, and is written as 1.
    let page = if page == 1 { 65_536 } else { u64::from(page) };
    (number(24)? == number(92)?).then_some(page * u64::from(number(28)?))
}

fn opened(bytes: &[u8]) -> rusqlite::Result<Connection> {
    let mut database = Connection::open_in_memory()?;
    // A database that was open with a write-ahead log says so in two bytes; a copy in memory has no such log.
    let (head, rest) = (bytes.get(..LOG_MODE).unwrap_or(bytes), bytes.get(LOG_MODE + 2..).unwrap_or_default());
    let without_log = head.chain([1, 1].as_slice()).chain(rest);
    database.deserialize_read_exact(MAIN_DB, without_log, bytes.len(), true)?;
    database.pragma_update(None, "trusted_schema", false)?;
    Ok(database)
}

/// Whether there is an ordinary table with the columns that are read: a view or a computed column could compute for
/// ever.
fn has_table(database: &Connection) -> rusqlite::Result<bool> {
    let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage > 0";
    let columns =
        "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden = 0 AND lower(name) IN ('vkey', 'vmove', 'vvalid')";
    let computed = "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden <> 0";
    let count = |query| database.query_row(query, [TABLE], |row| row.get::<_, i64>(0));
    Ok(count(tables)? == 1 && count(columns)? == 3 && count(computed)? == 0)
}

/// What SQLite says of the pages of the table. One that is in it twice could make it endless.
fn check_of_pages(database: &Connection) -> rusqlite::Result<String> {
    database.pragma_update(None, "ignore_check_constraints", true)?;
    database.query_row("PRAGMA quick_check(bhobk)", [], |row| row.get(0))
}

fn moves_by_key(database: &Connection) -> rusqlite::Result<HashMap<u64, Vec<StoredMove>>> {
    let mut book: HashMap<u64, Vec<StoredMove>> = HashMap::new();
    let mut query = database.prepare("SELECT rowid, vkey, vmove, vvalid FROM bhobk")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        if matches!(row.get_ref(3)?, ValueRef::Integer(0)) {
            continue;
        }
        // A move that is no number is none that is legal.
        let vmove = row.get_ref(2)?.as_i64().unwrap_or(-1);
        for key in keys_of(row.get_ref(1)?).into_iter().flatten() {
            book.entry(key).or_default().push((row.get(0)?, vmove));
        }
    }
    Ok(book)
}

fn moves_of<V: Variant>(book: &HashMap<u64, Vec<StoredMove>>, position: &Position<V>) -> Result<Vec<Move>, BookError> {
    let mut moves = Vec::new();
    for mirrored in [false, true] {
        // The mirror image is looked for where the position itself is not found.
        if !moves.is_empty() {
            break;
        }
        for &(row, vmove) in book.get(&key(position, mirrored)).into_iter().flatten() {
            let legal = move_of(vmove, mirrored).filter(|&mv| position.is_legal(mv));
            let Some(mv) = legal else {
                let mirror = if mirrored { ", mirrored" } else { "" };
                let why = format!("vmove {vmove}{mirror} is no legal move in {}", position.fen());
                return Err(BookError::Row { table: TABLE, row, why });
            };
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        }
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Xiangqi;

    #[test]
    fn the_start_has_the_key_that_published_books_have() {
        assert_eq!((KEYS.0.len(), KEYS.1), (PIECES.len() * RANKS * FILES, 0xa0ce_2af9_0c45_2f58));
        let mut position = Position::<Xiangqi>::start();
        assert_eq!([false, true].map(|mirrored| key(&position, mirrored)), [7_101_337_512_282_506_414; 2]);
        // 炮二平五, whose code in the same books is 43687.
        let cannon = position.parse_move("h3e3").unwrap();
        assert_eq!(move_of(43_687, false), Some(cannon));
        assert_eq!(point(cannon.source_square().unwrap()) << 8 | point(cannon.destination()), 43_687);
        position.play(cannon);
        assert_eq!(key(&position, false) >> 63, 1);
        let mirrored =
            Position::<Xiangqi>::from_fen("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/4C2C1/9/RNBAKABNR b - - 1 1");
        assert_eq!(key(&mirrored.unwrap(), true), key(&position, false));
        assert_eq!(move_of(43_687, true), Position::<Xiangqi>::start().parse_move("b3e3").ok());
    }

    #[test]
    fn points_outside_of_the_board_are_none() {
        for code in [-1, 0, 0xffff, 0x1_0000, i64::MIN, 0x3333_3333, 0xaaac, 0xd3a7] {
            assert_eq!(move_of(code, false).or(move_of(code, true)), None, "{code:#x}");
        }
    }

    #[test]
    fn keys_come_back_from_what_is_stored() {
        for key in [0, 1, u64::MAX >> 1, 1 << 63, 0xa1ea_d1f6_470e_07ee, 0xc3f0_0000_0000_0000, u64::MAX] {
            let database = Connection::open_in_memory().unwrap();
            database.execute_batch(CREATE).unwrap();
            database.execute("INSERT INTO bhobk(vkey) VALUES (?)", [stored(key)]).unwrap();
            let found = database.query_row("SELECT vkey FROM bhobk", [], |row| Ok(keys_of(row.get_ref(0)?)));
            assert!(found.unwrap().contains(&Some(key)), "{key:#x}");
        }
    }
}
