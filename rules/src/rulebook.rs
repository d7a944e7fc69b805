//! The rules of a variant: board, pieces, moves and ends. Neither text nor networks: those are
//! [`Notated`](crate::Notated) and [`Encoded`](crate::Encoded).

use crate::fen::FenError;
use crate::game::Game;
use crate::judgement::{self, Authority, Judgement};
use crate::moves::{Move, MoveList};
use crate::outcome::{Outcome, Termination};
use crate::piece::{Cell, Kind};
use crate::piece_index::PieceIndex;
use crate::position::Position;
use crate::setup::Setup;
use crate::square_set::SquareSet;
use std::fmt::Debug;

/// The rules of a chess variant: constants, storage types and hooks. Hooks have defaults, so a rule that a variant
/// does not have disappears at compile time.
///
/// Code that needs no more than the rules (move generators, [`Position`], [`Game`], perft) is generic over this trait.
pub trait Rulebook: Copy + Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Name in configs, data and on the command line.
    const ID: &'static str;
    /// Files of the board, at most 26.
    const FILES: usize;
    /// Ranks of the board.
    const RANKS: usize;
    /// Number of squares.
    const SQUARES: usize = Self::FILES * Self::RANKS;
    /// Kinds of face a piece can show, promoted ones included (at most 126).
    const KINDS: usize;
    /// Kinds that can be held in hand and dropped; they are kinds `HAND_FIRST..HAND_FIRST + HAND_KINDS`.
    const HAND_KINDS: usize = 0;
    /// The kind of hand slot 0.
    const HAND_FIRST: Kind = 0;
    /// Default ply limit.
    const MAX_PLIES: u32;
    /// In a variant that counts points ([`Rulebook::points`]), a large difference of them, which networks call 1. 0 in
    /// all others.
    const POINTS_UNIT: f32 = 0.0;
    /// FEN of the start position.
    const START: &'static str;
    /// Setups a player may choose before the game, the one of [`Rulebook::START`] first; none in most variants.
    /// Each player chooses freely: see [`Position::start_with`] and [`Rulebook::start_fen`].
    const SETUPS: &'static [Setup] = &[];
    /// The rule-set presets by name, the default first.
    const PRESETS: &'static [(&'static str, Self::Preset)];
    /// Bodies whose rules on repetition are known, the rule set of the game first.
    const AUTHORITIES: &'static [Authority] = &[Authority::RULE_SET];
    /// Whether a position may return after a capture (pieces come back from the hand), so that repetition
    /// looks at the whole game and not only at the plies since the last capture.
    const CAPTURES_REVERSIBLE: bool = Self::HAND_KINDS > 0;

    /// Set of squares.
    type Set: SquareSet;
    /// `[Cell; SQUARES]`.
    type Cells: Copy + Debug + PartialEq + Eq + Send + Sync + AsRef<[Cell]> + AsMut<[Cell]>;
    /// Where the pieces of each kind stand: `[Self::Set; KINDS]`, or what the variant keeps instead.
    type KindSets: PieceIndex<Self::Set>;
    /// `[u8; HAND_KINDS]`.
    type Hand: Copy + Debug + PartialEq + Eq + Send + Sync + AsRef<[u8]> + AsMut<[u8]>;
    /// The variant's own state of a position (a counter, a second view of the occupancy); `()` for none.
    type Extra: Copy + Debug + Default + PartialEq + Eq + Send + Sync;
    /// A rule-set preset.
    type Preset: Copy + Debug + PartialEq + Send + Sync + 'static;

    /// An empty mailbox.
    const NO_CELLS: Self::Cells;
    /// No piece of any kind.
    const NO_KINDS: Self::KindSets;
    /// An empty hand.
    const NO_HAND: Self::Hand;

    /// FEN of the start position in which the players have chosen setups: the first player's and the second
    /// player's index in [`Rulebook::SETUPS`]. Both 0: [`Rulebook::START`].
    fn start_fen(setups: [usize; 2]) -> String {
        let _ = setups;
        Self::START.to_owned()
    }

    /// The key table, made by the `key` module.
    fn keys() -> &'static [u128];

    /// Notes in a position what the rule set of its game says about legal moves. Positions do not differ by it. Most
    /// rule sets differ in the ends of games alone.
    fn adopt(position: &mut Position<Self>, preset: Self::Preset) {
        let _ = (position, preset);
    }

    /// Appends the legal moves of the side to move. The list is empty on entry.
    fn generate(position: &Position<Self>, moves: &mut MoveList);

    /// Whether a move is legal, found out without listing the legal ones where that is faster.
    fn is_legal(position: &Position<Self>, mv: Move, scratch: &mut MoveList) -> bool {
        scratch.clear();
        Self::generate(position, scratch);
        scratch.contains(&mv)
    }

    /// Number of legal moves, counted without listing them where that is faster.
    fn count(position: &Position<Self>, scratch: &mut MoveList) -> usize {
        scratch.clear();
        Self::generate(position, scratch);
        scratch.len()
    }

    /// Whether the side to move is in check. `false` in variants without check.
    fn is_check(position: &Position<Self>) -> bool;

    /// Plays a legal move on the board, hands and key; the caller has not yet changed the side to move.
    /// Returns whether the move was irreversible (it resets the halfmove clock).
    #[inline(always)]
    fn apply(position: &mut Position<Self>, mv: Move) -> bool {
        position.apply_ordinary(mv)
    }

    /// The kind that `kind` becomes when it promotes.
    fn promoted(kind: Kind) -> Kind {
        kind
    }

    /// The hand slot a captured piece of this kind goes to; `None` if it leaves the game.
    fn captured_slot(kind: Kind) -> Option<usize> {
        let _ = kind;
        None
    }

    /// Whether the board makes sense beyond its syntax: kings, their number and places.
    ///
    /// # Errors
    /// What is wrong.
    fn validate(position: &Position<Self>) -> Result<(), FenError>;

    /// The outcome when the side to move has no legal move.
    fn without_moves(position: &Position<Self>) -> Outcome {
        let termination = if position.is_check() { Termination::Checkmate } else { Termination::Stalemate };
        Outcome::win(position.side().other(), termination)
    }

    /// The end that the legal move `mv` causes immediately in `position`, to which the move `last` has led (`None` if
    /// that is not known), whatever else happened in the game: two passes in turn, for example. It belongs to
    /// [`Rulebook::special_end`] too; perft asks for it separately, since no sequence of moves continues after it.
    #[inline(always)]
    fn immediate_end(position: &Position<Self>, last: Option<Move>, mv: Move) -> Option<Termination> {
        let _ = (position, last, mv);
        None
    }

    /// The ends of a variant in addition to "no legal move" and the ply limit: repetition, no progress,
    /// facing generals, impasse, in the order of the rule text.
    fn special_end(game: &Game<Self>) -> Option<Outcome>;

    /// What one of [`Rulebook::AUTHORITIES`] makes of the moves from ply `first` on, after which the rule set ends the
    /// game in the present position. Variants that tell checks and passes apart and nothing else need not implement it.
    fn judge(game: &Game<Self>, first: usize, authority: &'static Authority) -> Judgement {
        let _ = authority;
        judgement::by_rule_set(game, first)
    }

    /// How many of the last plies an earlier occurrence of the position can lie back, at most: those since
    /// the last event that nothing undoes.
    fn repetition_window(position: &Position<Self>) -> usize {
        if Self::CAPTURES_REVERSIBLE { usize::MAX } else { position.quiet_plies() as usize }
    }

    /// The outcome at the ply limit.
    fn at_ply_limit(game: &Game<Self>) -> Outcome {
        let _ = game;
        Outcome::draw(Termination::MaxPlies)
    }

    /// The points of the first and of the second player as the game stands, if the rule set decides games by them.
    fn points(game: &Game<Self>) -> Option<[f32; 2]> {
        let _ = game;
        None
    }

    /// A move of `legal` after which the opponent has immediately lost, by the rules of the position alone.
    fn win_in_one(position: &Position<Self>, legal: &[Move], scratch: &mut MoveList) -> Option<Move> {
        legal.iter().copied().find(|&mv| {
            let mut next = position.clone();
            next.play(mv);
            Self::count(&next, scratch) == 0 && Self::without_moves(&next).winner() == Some(position.side())
        })
    }
}

/// The storage that a variant has by its sizes, for its `impl Rulebook`: the types and constants of the board and the
/// hands, and the key table. `KindSets` is given where the variant keeps something else than a set of each kind.
macro_rules! storage {
    ($variant:ty, Set = $set:ty) => {
        crate::rulebook::storage! {
            $variant, Set = $set, KindSets = [$set; Self::KINDS], NO_KINDS = [<$set as crate::square_set::SquareSet>::EMPTY; Self::KINDS]
        }
    };
    ($variant:ty, Set = $set:ty, KindSets = $kind_sets:ty, NO_KINDS = $no_kinds:expr) => {
        type Set = $set;
        type Cells = [crate::piece::Cell; Self::SQUARES];
        type KindSets = $kind_sets;
        type Hand = [u8; Self::HAND_KINDS];

        const NO_CELLS: Self::Cells = [crate::piece::Cell::EMPTY; Self::SQUARES];
        const NO_KINDS: Self::KindSets = $no_kinds;
        const NO_HAND: Self::Hand = [0; Self::HAND_KINDS];

        fn keys() -> &'static [u128] {
            const LEN: usize = crate::key::table_len::<$variant>();
            #[allow(long_running_const_eval)] // a large board has more keys than the lint expects of a constant
            static TABLE: [u128; LEN] = crate::key::table(<$variant>::ID);
            &TABLE
        }
    };
}

pub(crate) use storage;
