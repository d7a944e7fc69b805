//! What a network sees: input planes, and the tokens by which a factorised policy names a move.
//!
//! Everything is from the mover's point of view: for the second player the board is turned by 180°, so
//! that rank 0 is always the mover's own back rank and "forward" is up.

use crate::game::Game;
use crate::moves::Move;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use crate::variant::Variant;

/// Planes of counters: see [`planes`].
pub(crate) const COUNTER_PLANES: usize = 6;

/// Sizes of a variant's network input and policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    /// Input planes.
    pub planes: usize,
    /// Ranks of the board (rows of a plane).
    pub ranks: usize,
    /// Files of the board (columns of a plane).
    pub files: usize,
    /// Kinds that can be dropped.
    pub hand_slots: usize,
    /// Numbers written by [`material`].
    pub material: usize,
}

impl Shape {
    /// The sizes of variant `V`.
    pub const fn of<V: Variant>() -> Shape {
        Shape {
            planes: V::PLANES,
            ranks: V::RANKS,
            files: V::FILES,
            hand_slots: V::HAND_KINDS,
            material: 2 * V::KINDS + 2 * V::HAND_KINDS,
        }
    }

    /// Squares of the board.
    pub const fn squares(&self) -> usize {
        self.ranks * self.files
    }

    /// Policy tokens: squares, hand slots, and last the pass.
    pub const fn tokens(&self) -> usize {
        self.squares() + self.hand_slots + 1
    }

    /// The pass token.
    pub const fn pass_token(&self) -> usize {
        self.squares() + self.hand_slots
    }

    /// Length of the input of one position: planes × ranks × files.
    pub const fn input_len(&self) -> usize {
        self.planes * self.squares()
    }

    /// The tokens of the move mirrored left to right.
    pub fn mirror(&self, mut tokens: MoveTokens) -> MoveTokens {
        let flip = |token: u16| {
            let at = token as usize;
            if at >= self.squares() {
                return token;
            }
            let (rank, file) = (at / self.files, at % self.files);
            (rank * self.files + self.files - 1 - file) as u16
        };
        tokens.source = flip(tokens.source);
        tokens.target = flip(tokens.target);
        for via in &mut tokens.via[..tokens.via_len as usize] {
            *via = flip(*via);
        }
        tokens
    }
}

/// The tokens a move touches, in the mover's view: what the factorised policy scores.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MoveTokens {
    /// Source square, hand slot token, or the pass token (see [`Variant::PASSES_BY_PIECE`]).
    pub source: u16,
    /// Destination square, or the pass token.
    pub target: u16,
    /// Whether the mover promotes.
    pub promotes: bool,
    /// Number of further squares.
    pub via_len: u8,
    /// Further squares (via points, shot targets); the first `via_len` are meant.
    pub via: [u16; 5],
}

/// A square in the mover's view.
#[inline(always)]
fn seen<V: Variant>(side: Side, square: Square) -> usize {
    match side {
        Side::First => square.index(),
        Side::Second => V::SQUARES - 1 - square.index(),
    }
}

/// Writes the input planes of the present position, `[plane][rank][file]`, from the mover's view:
/// the mover's pieces by kind, the opponent's pieces by kind, the mover's hand and the opponent's hand
/// (one plane a kind, count / 8), six counters, the variant's constant masks. The counters fill a plane
/// each: first player to move, repeated once, repeated more often, quiet plies / 120, share of the limit
/// of plies played, share of it played in the last quarter. Values are 0 to about 2.
///
/// # Panics
/// If `out` is not `Shape::of::<V>().input_len()` long.
pub fn planes<V: Variant>(game: &Game<V>, out: &mut [f32]) {
    assert_eq!(out.len(), V::PLANES * V::SQUARES, "room for the planes of {}", V::ID);
    out.fill(0.0);
    let position = game.position();
    let us = position.side();
    let mut plane = 0;
    for side in [us, us.other()] {
        for square in position.pieces(side).squares() {
            let kind = position.cell(square).kind();
            out[(plane + kind) * V::SQUARES + seen::<V>(us, square)] = 1.0;
        }
        plane += V::KINDS;
    }
    let mut constant = |plane: usize, value: f32| {
        if value != 0.0 {
            out[plane * V::SQUARES..(plane + 1) * V::SQUARES].fill(value);
        }
    };
    for side in [us, us.other()] {
        for (slot, &count) in position.hand(side).iter().enumerate() {
            constant(plane + slot, f32::from(count) / 8.0);
        }
        plane += V::HAND_KINDS;
    }
    let repetitions = game.repetitions();
    let played = game.ply() as f32 / game.rules().max_plies().max(1) as f32;
    let counters: [f32; COUNTER_PLANES] = [
        if us == Side::First { 1.0 } else { 0.0 },
        if repetitions == 1 { 1.0 } else { 0.0 },
        if repetitions > 1 { 1.0 } else { 0.0 },
        position.quiet_plies() as f32 / 120.0,
        played,
        (4.0 * played - 3.0).max(0.0),
    ];
    for (i, value) in counters.into_iter().enumerate() {
        constant(plane + i, value);
    }
    plane += COUNTER_PLANES;
    for mask in 0..V::MASK_PLANES {
        for square in V::mask(mask).squares() {
            out[(plane + mask) * V::SQUARES + square.index()] = 1.0;
        }
    }
}

/// A key of everything that [`planes`] writes for a game of one rule set, and so of what a network says of it: the
/// position's key (96 bits), earlier occurrences (0, 1, more; 2 bits), quiet plies (14 bits) and plies played
/// (16 bits).
#[inline]
pub fn input_key<V: Variant>(game: &Game<V>) -> u128 {
    let position = game.position();
    // `take`: whether there were two is all that is asked.
    let repetitions = game.earlier_occurrences().take(2).count() as u128;
    let quiet = u128::from(position.quiet_plies().min((1 << 14) - 1));
    let ply = u128::from(game.ply().min((1 << 16) - 1));
    position.key().0 << 32 | repetitions << 30 | quiet << 16 | ply
}

/// The tokens of a legal move of the side to move.
#[inline]
pub fn tokens<V: Variant>(position: &Position<V>, mv: Move) -> MoveTokens {
    let us = position.side();
    let mut tokens = MoveTokens { promotes: mv.promotes(), ..MoveTokens::default() };
    if mv.is_pass() && !V::PASSES_BY_PIECE {
        tokens.source = (V::SQUARES + V::HAND_KINDS) as u16;
        tokens.target = tokens.source;
        return tokens;
    }
    tokens.source = match (mv.source_square(), mv.hand_slot()) {
        (Some(square), _) => seen::<V>(us, square) as u16,
        (None, slot) => (V::SQUARES + slot.unwrap_or_default()) as u16,
    };
    tokens.target = seen::<V>(us, mv.destination()) as u16;
    let mut via = [Square::new(0); 5];
    let len = V::via_squares(position, mv, &mut via);
    tokens.via_len = len as u8;
    for (token, &square) in tokens.via.iter_mut().zip(&via[..len]) {
        *token = seen::<V>(us, square) as u16;
    }
    tokens
}

/// Writes the counts of pieces: the mover's kinds on the board, the opponent's, the mover's hand, the
/// opponent's hand (`2 * KINDS + 2 * HAND_KINDS` numbers).
///
/// # Panics
/// If `out` has another length.
pub fn material<V: Variant>(position: &Position<V>, out: &mut [f32]) {
    assert_eq!(out.len(), 2 * V::KINDS + 2 * V::HAND_KINDS, "room for the material of {}", V::ID);
    let us = position.side();
    let (board, hands) = out.split_at_mut(2 * V::KINDS);
    for (side, counts) in [us, us.other()].into_iter().zip(board.chunks_exact_mut(V::KINDS)) {
        counts.fill(0.0);
        for square in position.pieces(side).squares() {
            counts[position.cell(square).kind()] += 1.0;
        }
    }
    if V::HAND_KINDS > 0 {
        for (side, counts) in [us, us.other()].into_iter().zip(hands.chunks_exact_mut(V::HAND_KINDS)) {
            for (slot, count) in counts.iter_mut().enumerate() {
                *count = f32::from(position.hand(side)[slot]);
            }
        }
    }
}
