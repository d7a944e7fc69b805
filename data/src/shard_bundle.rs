//! A shard as one block of bytes, for transfer between machines.
//!
//! ```text
//! {"format":"kirin shard 1","games":{…},"positions":{…},"note":{…}}   one line of JSON: rows, bytes and BLAKE3 of each table
//! PAR1 … PAR1                                                         the games, as in a data folder
//! PAR1 … PAR1                                                         their positions
//! ```
//!
//! The note is whatever else the sender wants to say, as any JSON. The digest of the whole is in the last 32 bytes.

use rules::Variant;
use serde::{Deserialize, Serialize};

use crate::error::FileFault;
use crate::game::GameRecord;
use crate::reader;
use crate::writer::{self, Provenance, WrittenTable};

/// The first words of the first line.
const FORMAT: &str = "kirin shard 1";
/// How a packed shard begins.
pub(crate) const HEAD: &str = "{\"format\":\"kirin shard";
/// Bytes of the digest at the end.
const DIGEST: usize = 32;

/// Games with their positions and a note, packed or to be packed.
///
/// # Examples
/// ```
/// use data::{GameRecord, ShardBundle, Provenance};
/// use rules::{Game, Outcome, Position, Rules, Side, Termination, Wangqi};
///
/// let game = Game::<Wangqi>::from_moves_text(Rules::default(), Position::start(), "c3c4 e6e5")?;
/// let record = GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign));
/// let bundle = ShardBundle { games: vec![record], note: "from worker 3".to_owned() };
/// let bytes = bundle.pack(&Provenance::default())?;
/// assert_eq!(ShardBundle::unpack(&bytes)?, bundle);
///
/// let damaged = [&bytes[..9], b"!", &bytes[10..]].concat();
/// assert!(ShardBundle::<Wangqi, String>::unpack(&damaged).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ShardBundle<V: Variant, N> {
    /// The games; packed in the order of their ids.
    pub games: Vec<GameRecord<V>>,
    /// The sender's note.
    pub note: N,
}

/// Why bytes are no bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// They are not what was sent.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// They are of another program or another version of this one.
    #[error("it is no shard of this version of the program")]
    Foreign,
    /// The first line cannot be read or written.
    #[error("its first line is not what it should be")]
    Line(#[from] serde_json::Error),
    /// A table cannot be read.
    #[error("a table cannot be read")]
    Table(#[from] FileFault),
    /// A table cannot be made.
    #[error("a table cannot be made")]
    Write(#[from] std::io::Error),
    /// A game contradicts itself.
    #[error("a game contradicts itself: {0}")]
    Game(String),
}

#[derive(Serialize, Deserialize)]
struct BundleHeader<N> {
    format: String,
    games: Size,
    positions: Size,
    note: N,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Size {
    rows: u64,
    bytes: u64,
}

impl From<WrittenTable> for Size {
    fn from(written: WrittenTable) -> Size {
        Size { rows: written.rows, bytes: written.bytes }
    }
}

impl<V: Variant, N: Serialize + for<'a> Deserialize<'a>> ShardBundle<V, N> {
    /// Packs to bytes; equal games, notes and provenance give equal bytes.
    ///
    /// # Errors
    /// A table cannot be made, or the note is no JSON.
    pub fn pack(&self, provenance: &Provenance) -> Result<Vec<u8>, BundleError> {
        let mut games: Vec<&GameRecord<V>> = self.games.iter().collect();
        games.sort_by_key(|game| game.game_id);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let (in_first, in_second) = (
            writer::write_games(&games, provenance, &mut first)?,
            writer::write_positions(&games, provenance, &mut second)?,
        );
        let head = BundleHeader {
            format: FORMAT.to_owned(),
            games: in_first.into(),
            positions: in_second.into(),
            note: &self.note,
        };
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.push(b'\n');
        bytes.extend(first);
        bytes.extend(second);
        bytes.extend(blake3::hash(&bytes).as_bytes());
        Ok(bytes)
    }

    /// The games and the note of packed bytes. Each game is consistent in itself; whether its moves are legal is only
    /// checked when it is replayed.
    ///
    /// # Errors
    /// [`BundleError`]: the bytes are not what was packed.
    pub fn unpack(bytes: &[u8]) -> Result<ShardBundle<V, N>, BundleError> {
        let (head, body) = opened(bytes)?;
        let head: BundleHeader<N> = head;
        let middle = usize::try_from(head.games.bytes).ok().filter(|&middle| middle <= body.len());
        let (first, second) = body.split_at(middle.ok_or(BundleError::Damaged("a table is too short"))?);
        if second.len() as u64 != head.positions.bytes {
            return Err(BundleError::Damaged("the tables have other lengths"));
        }
        let tables = [first.to_vec(), second.to_vec()];
        let games: Vec<GameRecord<V>> = reader::games_of(tables, [head.games.rows, head.positions.rows])?;
        for game in &games {
            game.check().map_err(|error| BundleError::Game(error.to_string()))?;
        }
        Ok(ShardBundle { games, note: head.note })
    }

    /// The note alone.
    ///
    /// # Errors
    /// As [`ShardBundle::unpack`].
    pub fn note(bytes: &[u8]) -> Result<N, BundleError> {
        Ok(opened::<N>(bytes)?.0.note)
    }
}

/// The first line and the tables, with the digest compared.
fn opened<N: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<(BundleHeader<N>, &[u8]), BundleError> {
    let split = bytes.len().checked_sub(DIGEST).ok_or(BundleError::Damaged("it is too short"))?;
    let (content, digest) = bytes.split_at(split);
    if blake3::hash(content).as_bytes() != digest {
        return Err(BundleError::Damaged("its digest is another"));
    }
    let end = content.iter().position(|&byte| byte == b'\n').ok_or(BundleError::Foreign)?;
    let line: serde_json::Value = serde_json::from_slice(&content[..end]).map_err(|_| BundleError::Foreign)?;
    if line.get("format").and_then(serde_json::Value::as_str) != Some(FORMAT) {
        return Err(BundleError::Foreign);
    }
    Ok((serde_json::from_value(line)?, &content[end + 1..]))
}
