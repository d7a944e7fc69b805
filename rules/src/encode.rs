//! What a network sees: input planes, and the tokens by which a factorised policy names a move.
//!
//! Everything is from the point of view of the side to move: for the second player the board is turned by 180°, so
//! that rank 0 is always that side's back rank and "forward" is up.

use crate::encoded::Encoded;
use crate::game::Game;
use crate::moves::Move;
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;
use std::marker::PhantomData;

/// Planes of counters: see [`planes`].
const COUNTER_PLANES: usize = 6;

/// Planes of the attacks of one side: attacked at least once, twice, three times.
const ATTACK_LEVELS: usize = 3;

/// The input features of a network in addition to pieces and counters. They belong to the network: code that encodes a
/// position for a network takes them from it.
///
/// The default is that of the first networks, so a network file or a configuration without features means the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Features {
    /// How many pieces of each side attack each square (a plane for at least 1, 2 and 3), and whether the side to move
    /// is in check. Nothing in variants that do not know their attacks ([`Encoded::KNOWS_ATTACKS`]).
    pub attacks: bool,
}

impl Features {
    /// What the first networks saw; the default.
    pub const FIRST: Features = Features { attacks: false };
    /// Every feature: pieces, hands, counters, masks and attacks.
    pub const ALL: Features = Features { attacks: true };

    /// Input planes for variant `V`: see [`planes`].
    const fn planes<V: Encoded>(self) -> usize {
        let attacks = if self.attacks && V::KNOWS_ATTACKS { 2 * ATTACK_LEVELS + 1 } else { 0 };
        2 * V::KINDS + 2 * V::HAND_KINDS + COUNTER_PLANES + V::MASK_PLANES + attacks
    }
}

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
    /// 1 in a network that says how many points the side to move will be ahead at the end, in variants with points;
    /// else 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub points: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Shape {
    /// The sizes of variant `V` for a network that is shown `features`.
    pub const fn of<V: Encoded>(features: Features) -> Shape {
        Shape {
            planes: features.planes::<V>(),
            ranks: V::RANKS,
            files: V::FILES,
            hand_slots: V::HAND_KINDS,
            material: 2 * V::KINDS + 2 * V::HAND_KINDS,
            points: 0,
        }
    }

    /// These sizes with the number of points, if variant `V` counts them and it is `wanted`.
    #[must_use]
    pub const fn with_points<V: Encoded>(self, wanted: bool) -> Shape {
        Shape { points: (wanted && V::POINTS_UNIT > 0.0) as usize, ..self }
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
        let on_board = |token: &mut u16| {
            let at = usize::from(*token);
            if at < self.squares() {
                *token = (at - at % self.files + self.files - 1 - at % self.files) as u16;
            }
        };
        on_board(&mut tokens.source);
        on_board(&mut tokens.target);
        tokens.via[..usize::from(tokens.via_len)].iter_mut().for_each(on_board);
        tokens
    }
}

/// The tokens a move touches, as the side to move sees the board: what the factorised policy scores.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MoveTokens {
    /// Source square, hand slot token, or the pass token (see [`Encoded::PASSES_BY_PIECE`]).
    pub source: u16,
    /// Destination square, or the pass token.
    pub target: u16,
    /// Whether the moving piece promotes.
    pub promotes: bool,
    /// Number of further squares.
    pub via_len: u8,
    /// Further squares (via points, shot targets); the first `via_len` are meant.
    pub via: [u16; 5],
}

/// A square as this side sees the board.
#[inline(always)]
fn seen<V: Encoded>(side: Side, square: Square) -> usize {
    match side {
        Side::First => square.index(),
        Side::Second => V::SQUARES - 1 - square.index(),
    }
}

/// Planes that are written one after another.
struct Writer<'a, V> {
    left: std::slice::ChunksExactMut<'a, f32>,
    mover: Side,
    variant: PhantomData<V>,
}

impl<V: Encoded> Writer<'_, V> {
    /// The next plane, filled with a value.
    #[inline(always)]
    fn constant(&mut self, value: f32) {
        let plane = self.left.next();
        if value != 0.0 {
            plane.into_iter().for_each(|plane| plane.fill(value));
        }
    }

    /// The next plane, with ones on some squares.
    #[inline(always)]
    fn squares(&mut self, squares: V::Set) {
        if let Some(plane) = self.left.next() {
            squares.squares().for_each(|square| plane[seen::<V>(self.mover, square)] = 1.0);
        }
    }
}

/// Writes the input planes of the present position, `[plane][rank][file]`, as the side to move sees it:
///
/// 1. the pieces of the side to move by kind, the opponent's pieces by kind;
/// 2. the hand of the side to move and the opponent's hand: a plane for each kind with count / 8;
/// 3. six counters that fill a plane each: first player to move, repeated once, repeated more often, the halfmove
///    clock / 120, share of the ply limit played, share of it played in the last quarter;
/// 4. the variant's constant masks;
/// 5. with [`Features::attacks`]: squares that the side to move attacks at least once, twice, three times, the squares
///    that the opponent attacks as often, and a plane of ones in check.
///
/// Values are 0 to about 2.
///
/// # Panics
/// If `out` is not `Shape::of::<V>(features).input_len()` long.
pub fn planes<V: Encoded>(game: &Game<V>, features: Features, out: &mut [f32]) {
    assert_eq!(out.len(), Shape::of::<V>(features).input_len(), "room for the planes of {}", V::ID);
    out.fill(0.0);
    let position = game.position();
    let us = position.side();
    let sides = [us, us.other()];
    let (pieces, rest) = out.split_at_mut(2 * V::KINDS * V::SQUARES);
    for (side, pieces) in sides.into_iter().zip(pieces.chunks_exact_mut(V::KINDS * V::SQUARES)) {
        for square in position.pieces(side).squares() {
            let kind = position.cell(square).kind();
            pieces[kind * V::SQUARES + seen::<V>(us, square)] = 1.0;
        }
    }
    let mut writer = Writer::<V> { left: rest.chunks_exact_mut(V::SQUARES), mover: us, variant: PhantomData };
    for side in sides {
        position.hand(side).iter().for_each(|&count| writer.constant(f32::from(count) / 8.0));
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
    counters.into_iter().for_each(|value| writer.constant(value));
    // Masks are given as the side to move sees the board.
    writer.mover = Side::First;
    (0..V::MASK_PLANES).for_each(|mask| writer.squares(V::mask(mask)));
    writer.mover = us;
    if features.attacks && V::KNOWS_ATTACKS {
        for side in sides {
            attack_levels(position, side).into_iter().for_each(|level| writer.squares(level));
        }
        writer.constant(if position.is_check() { 1.0 } else { 0.0 });
    }
}

/// The squares that pieces of `side` attack at least once, twice, three times.
#[inline]
fn attack_levels<V: Encoded>(position: &Position<V>, side: Side) -> [V::Set; ATTACK_LEVELS] {
    let mut levels = [V::Set::EMPTY; ATTACK_LEVELS];
    for from in position.pieces(side).squares() {
        let mut more = V::attacks(position, from);
        // What a level holds already goes up to the next one.
        for level in &mut levels {
            let again = *level & more;
            *level |= more;
            more = again;
        }
    }
    levels
}

/// A key of everything that [`planes`] writes for a game of one rule set, and so of what a network says of it: the
/// position's key (96 bits), earlier occurrences (0, 1, more; 2 bits), halfmove clock (14 bits) and plies played (16
/// bits).
#[inline]
pub fn input_key<V: Rulebook>(game: &Game<V>) -> u128 {
    let position = game.position();
    let board = position.key().0;
    // `take`: it matters only whether there were two.
    let repetitions = game.earlier_occurrences().take(2).count() as u128;
    let quiet = u128::from(position.quiet_plies().min((1 << 14) - 1));
    let ply = u128::from(game.ply().min((1 << 16) - 1));
    board << 32 | repetitions << 30 | quiet << 16 | ply
}

/// The tokens of a legal move of the side to move.
#[inline]
pub fn tokens<V: Encoded>(position: &Position<V>, mv: Move) -> MoveTokens {
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

/// Writes the counts of pieces: the kinds of the side to move on the board, the opponent's, the hand of the side to
/// move, the opponent's hand (`2 * KINDS + 2 * HAND_KINDS` numbers).
///
/// # Panics
/// If `out` has another length.
pub fn material<V: Rulebook>(position: &Position<V>, out: &mut [f32]) {
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
