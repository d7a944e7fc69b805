//! HCPE and PSV, the training data of programs for Shogi: a searched position in each record of 38 or 40 bytes, with
//! the move, a value and the winner of its game.
//!
//! HCPE is that of dlshogi and Apery, PSV that of YaneuraOu (`PackedSfenValue`). The reader makes a game of records
//! that follow each other: the next position is that after the move, and the winner is the same. Files that have been
//! shuffled give games of one move. Values are not kept.

mod board;

use rules::{GameResult, Notation, PositionFormat, Side, UnknownNotation, Variant};

use crate::diagram::{Diagram, SIZE};
use crate::encoding::TextEncoding;
use crate::problem::Reason;
use crate::record::TaggedGame;
use crate::written::{WrittenGame, WrittenGames, WrittenResult, WrittenStart};
use board::{BOARD_BYTES, Codes, HCP, PACKED_SFEN, place};

/// One of the two formats.
#[derive(Clone, Copy, Debug)]
pub struct TrainingFormat {
    /// Bytes of a record.
    bytes: usize,
    codes: &'static Codes,
    is_hcpe: bool,
    /// The value at which the chance of a win is 1 / (1 + 1 / e), in hundredths of a pawn.
    scale: f64,
}

/// HCPE.
pub const HCPE: TrainingFormat = TrainingFormat { bytes: 38, codes: &HCP, is_hcpe: true, scale: 756.086_496_295_176_2 };
/// PSV.
pub const PSV: TrainingFormat = TrainingFormat { bytes: 40, codes: &PACKED_SFEN, is_hcpe: false, scale: 600.0 };

/// Pieces that are dropped, in the order of their numbers in a move, the first of which is 1.
const DROPPED: [char; 7] = ['P', 'L', 'N', 'S', 'B', 'R', 'G'];
/// In HCPE a source from here on is the number of a piece that is dropped, less 1.
const HCPE_DROPS: u16 = 81;
/// Largest value that is written; larger ones mean a mate.
const MOST_VALUE: f64 = 30_000.0;

/// A position with what was played in it.
struct Sample {
    board: Diagram,
    mv: SampleMove,
    winner: Option<Side>,
}

/// A move, with squares as [`place`] counts them.
#[derive(Clone, Copy)]
struct SampleMove {
    source: Result<usize, char>,
    destination: usize,
    promotes: bool,
}

/// The name of a square in USI.
fn name(square: usize) -> String {
    format!("{}{}", square / SIZE + 1, (b'a' + (square % SIZE) as u8) as char)
}

/// The square of this name in USI.
fn square(text: &str) -> Option<usize> {
    let (file, rank) = (text.as_bytes().first()?.wrapping_sub(b'1'), text.as_bytes().get(1)?.wrapping_sub(b'a'));
    let is_on_board = usize::from(file) < SIZE && usize::from(rank) < SIZE;
    is_on_board.then(|| usize::from(file) * SIZE + usize::from(rank))
}

impl SampleMove {
    fn usi(self) -> String {
        let destination = name(self.destination);
        match self.source {
            Ok(source) => format!("{}{destination}{}", name(source), if self.promotes { "+" } else { "" }),
            Err(piece) => format!("{piece}*{destination}"),
        }
    }

    fn of_usi(text: &str) -> Option<SampleMove> {
        let promotes = text.ends_with('+');
        let destination = square(text.get(2..)?)?;
        let source = match text.split_once('*') {
            Some((piece, _)) => Err(piece.chars().next()?),
            None => Ok(square(text)?),
        };
        Some(SampleMove { source, destination, promotes })
    }

    fn read(format: TrainingFormat, code: u16) -> Option<SampleMove> {
        let (destination, source) = (code & 0x7f, code >> 7 & 0x7f);
        let dropped = |number: u16| DROPPED.get(usize::from(number)).copied();
        let (source, promotes) = match format.is_hcpe {
            true if source >= HCPE_DROPS => (Err(dropped(source - HCPE_DROPS)?), false),
            true => (Ok(usize::from(source)), code & 0x4000 != 0),
            false if code & 0x4000 != 0 => (Err(dropped(source.checked_sub(1)?)?), false),
            false => (Ok(usize::from(source)), code & 0x8000 != 0),
        };
        let is_on_board = |square: usize| square < SIZE * SIZE;
        let destination = usize::from(destination);
        (is_on_board(destination) && source.is_ok_and(is_on_board) | source.is_err()).then_some(SampleMove {
            source,
            destination,
            promotes,
        })
    }

    fn write(self, format: TrainingFormat) -> u16 {
        let number = |piece| DROPPED.iter().position(|&known| known == piece).unwrap_or_default() as u16;
        let (source, flags) = match (self.source, format.is_hcpe) {
            (Ok(source), true) => (source as u16, if self.promotes { 0x4000 } else { 0 }),
            (Ok(source), false) => (source as u16, if self.promotes { 0x8000 } else { 0 }),
            (Err(piece), true) => (HCPE_DROPS + number(piece), 0),
            (Err(piece), false) => (number(piece) + 1, 0x4000),
        };
        self.destination as u16 | source << 7 | flags
    }

    /// The board after the move, whether it is legal or not; `None` if there is nothing to move.
    fn played(self, board: &Diagram) -> Option<Diagram> {
        let mut next = board.clone();
        let side = usize::from(board.second_moves);
        let cased = |code: String| if side == 0 { code } else { code.to_ascii_lowercase() };
        let piece = match self.source {
            Err(piece) => {
                let held = &mut next.hands[side][Diagram::slot(&piece.to_string())?];
                *held = held.checked_sub(1)?;
                cased(piece.to_string())
            }
            Ok(source) => {
                let (rank, file) = place(source);
                let code = std::mem::take(&mut next.cells[rank][file]);
                if code.is_empty() {
                    return None;
                }
                if self.promotes { format!("+{code}") } else { code }
            }
        };
        let (rank, file) = place(self.destination);
        let taken = std::mem::replace(&mut next.cells[rank][file], piece);
        if let Some(slot) = Diagram::slot(&taken) {
            next.hands[side][slot] += 1;
        }
        next.second_moves = !board.second_moves;
        Some(next)
    }
}

impl TrainingFormat {
    /// Whether the first records of a file are in this format.
    pub(crate) fn recognises(self, bytes: &[u8]) -> bool {
        let records = bytes.chunks(self.bytes);
        !bytes.is_empty()
            && bytes.len().is_multiple_of(self.bytes)
            && records.take(4).all(|record| self.sample(record).is_ok())
    }

    fn sample(self, record: &[u8]) -> Result<Sample, &'static str> {
        let board = record.first_chunk::<BOARD_BYTES>().and_then(|board| self.codes.read(board));
        let board = board.ok_or("its position cannot be decoded")?;
        let word = |at: usize| record.get(at..at + 2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
        let mv = word(34).and_then(|code| SampleMove::read(self, code)).ok_or("its move cannot be decoded")?;
        let to_move = if board.second_moves { Side::Second } else { Side::First };
        let result = record.get(if self.is_hcpe { 36 } else { 38 }).copied().map(|byte| byte as i8);
        let winner = match (result, self.is_hcpe) {
            (Some(0), _) => None,
            (Some(1), true) => Some(Side::First),
            (Some(2), true) => Some(Side::Second),
            (Some(1), false) => Some(to_move),
            (Some(-1), false) => Some(to_move.other()),
            _ => return Err("its result is not known"),
        };
        Ok(Sample { board, mv, winner })
    }

    /// The games of a file. Their numbers are those of their first records.
    pub(crate) fn read(self, bytes: &[u8], encoding: Option<TextEncoding>) -> (Vec<WrittenGame>, TextEncoding) {
        let mut games = WrittenGames::default();
        // The game so far, the board after its last move, and its winner.
        let mut open: Option<(WrittenGame, String, Option<Side>)> = None;
        for (number, record) in (1..).zip(bytes.chunks(self.bytes)) {
            if games.is_full() {
                break;
            }
            let sample = match self.sample(record) {
                Ok(sample) => sample,
                Err(why) => {
                    games.extend(open.take().map(|(game, ..)| game));
                    let mut broken = WrittenGame::at(number);
                    broken.refuse(number, Reason::Broken, format!("record {number}: {why}"));
                    games.push(broken);
                    continue;
                }
            };
            let sfen = sample.board.sfen();
            let continues = open.as_ref().is_some_and(|(_, next, winner)| (next, *winner) == (&sfen, sample.winner));
            if !continues {
                games.extend(open.take().map(|(game, ..)| game));
            }
            let (mut game, ..) = open.take().unwrap_or_else(|| {
                let mut game = WrittenGame::at(number);
                game.start = (number, WrittenStart::Text(sfen));
                let result = sample.winner.map_or(GameResult::Draw, GameResult::win);
                game.end(WrittenResult::Result(result), None);
                (game, String::new(), None)
            });
            game.add_move(number, sample.mv.usi());
            let next = sample.mv.played(&sample.board).map_or_else(String::new, |next| next.sfen());
            open = Some((game, next, sample.winner));
        }
        games.extend(open.map(|(game, ..)| game));
        (games.into(), encoding.unwrap_or(TextEncoding(encoding_rs::UTF_8)))
    }

    /// The value, in hundredths of a pawn, of a chance of winning, 0 to 1.
    pub(crate) fn value_of(self, chance: f64) -> i16 {
        (self.scale * (chance / (1.0 - chance)).ln()).clamp(-MOST_VALUE, MOST_VALUE).round() as i16
    }

    /// Appends the positions of a game, without those in which no player chose the move. `win_chance` is what a search
    /// said at a ply for the side to move, if there was one: wins plus half of the draws. Without it the value is 0.
    ///
    /// # Errors
    /// The variant has no USI.
    pub fn write<V: Variant>(
        self,
        out: &mut Vec<u8>,
        record: &TaggedGame<V>,
        win_chance: impl Fn(u32) -> Option<f32>,
    ) -> Result<(), UnknownNotation> {
        let notation = Notation::<V>::named("usi")?;
        let format = PositionFormat::<V>::named("sfen")?;
        let winner = record.outcome.and_then(|outcome| outcome.winner());
        let plies = record.game.positions().iter().zip(record.game.moves()).zip(0..);
        for ((position, &mv), ply) in plies.skip(record.tags.opening_plies as usize) {
            let board = Diagram::of_sfen(&format.write(position));
            let Some(mv) = SampleMove::of_usi(&notation.write(position, mv)) else { continue };
            let Some(packed) = self.codes.write(&board) else { continue };
            out.extend(packed);
            let value = win_chance(ply).map_or(0, |chance| self.value_of(f64::from(chance).clamp(1e-9, 1.0 - 1e-9)));
            out.extend(value.to_le_bytes());
            out.extend(mv.write(self).to_le_bytes());
            if self.is_hcpe {
                out.extend([winner.map_or(0, |side| 1 + side.index() as u8), 0]);
            } else {
                out.extend(u16::try_from(ply + 1).unwrap_or(u16::MAX).to_le_bytes());
                let result: i8 = winner.map_or(0, |winner| if winner == position.side() { 1 } else { -1 });
                out.extend([result as u8, 0]);
            }
        }
        Ok(())
    }
}
