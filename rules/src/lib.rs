//! The rules of East-Asian chess variants under one contract: positions, legal moves, game ends,
//! text (FEN, UCI), perft, and what a network sees of a position. No I/O, no tensors.
//!
//! A variant is a type that implements [`Variant`], which joins three traits: its rules ([`Rulebook`]), its texts
//! ([`Notated`]) and what a network sees of it ([`Encoded`]). [`VariantId`] and [`dispatch!`] go from a name at run
//! time to that type.
//!
//! ```
//! use rules::{Game, MoveList, Rules, Xiangqi};
//!
//! let mut game = Game::<Xiangqi>::start(Rules::default());
//! let cannon = game.position().parse_move("h3e3")?;
//! game.play(cannon);
//! let mut legal = MoveList::new();
//! game.legal_moves(&mut legal);
//! assert_eq!(game.outcome(&legal), None);
//! println!("{}", game.position().draw());
//! # Ok::<(), rules::MoveError>(())
//! ```

mod actions;
mod draw;
pub mod encode;
mod encoded;
mod fen;
mod game;
mod janggi;
mod judgement;
mod key;
mod koshogi;
mod moves;
mod nine_by_ten;
mod notated;
mod notation;
mod outcome;
mod perft;
mod piece;
mod piece_index;
mod popcnt;
mod position;
mod replay;
mod result;
mod rulebook;
mod ruleset;
mod scoresheet;
mod setup;
mod shogi;
mod shogi_family;
mod side;
mod square;
mod square_set;
mod suite;
mod text;
mod variant;
pub mod variants;
mod wangqi;
mod xiangqi;

pub use actions::Actions;
pub use encoded::Encoded;
pub use fen::FenError;
pub use game::Game;
pub use judgement::{Attack, Authority, Conduct, JudgedMove, Judgement, MoveKind, Rule, UnknownAuthority, judge};
pub use key::Key;
pub use moves::{Move, MoveList};
pub use notated::Notated;
pub use notation::{Coordinates, MoveReader, Notation, PositionFormat, UnknownNotation};
pub use outcome::{Outcome, Termination, UnknownTermination};
pub use piece::{Cell, Kind};
pub use piece_index::PieceIndex;
pub use position::Position;
pub use replay::{IllegalMove, MovesTextError, Ply, Replay};
pub use result::{GameResult, UnknownResult};
pub use rulebook::Rulebook;
pub use ruleset::{Rules, RulesError, UnknownPreset};
pub use scoresheet::Scoresheet;
pub use setup::{Setup, UnknownSetup};
pub use side::{Side, UnknownSide};
pub use square::Square;
pub use square_set::{SquareSet, Squares};
pub use suite::{SuiteError, SuiteLine, read_suite};
pub use text::MoveError;
pub use variant::Variant;
pub use variants::{Janggi, Koshogi, Shogi, UnknownVariant, VariantId, Wangqi, Xiangqi};
