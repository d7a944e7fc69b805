//! Sets of squares as bit boards: `u64` (8×8), `u128` (9×9, 9×10), [`Set384`] (19×19), behind one trait.

use crate::square::Square;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares.
pub trait SquareSet:
    Copy
    + Default
    + Debug
    + Eq
    + Hash
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + 'static
{
    /// The set without squares.
    const EMPTY: Self;
    /// The set of one square.
    fn of(square: Square) -> Self;
    /// Whether the square is in the set.
    fn has(self, square: Square) -> bool;
    /// Whether the set is empty.
    fn is_empty(self) -> bool;
    /// Number of squares.
    fn len(self) -> usize;
    /// The square with the smallest index; `None` if empty.
    fn first(self) -> Option<Square>;
    /// Removes and returns the square with the smallest index.
    fn pop(&mut self) -> Option<Square>;
    /// The squares, by index upward.
    #[inline(always)]
    fn squares(self) -> Squares<Self> {
        Squares(self)
    }
}

/// Iterator over the squares of a set.
#[derive(Clone, Debug)]
pub struct Squares<S>(S);

impl<S: SquareSet> Iterator for Squares<S> {
    type Item = Square;
    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        self.0.pop()
    }
}

macro_rules! integer_set {
    ($int:ty) => {
        impl SquareSet for $int {
            const EMPTY: Self = 0;
            #[inline(always)]
            fn of(square: Square) -> Self {
                1 << square.0
            }
            #[inline(always)]
            fn has(self, square: Square) -> bool {
                self >> square.0 & 1 != 0
            }
            #[inline(always)]
            fn is_empty(self) -> bool {
                self == 0
            }
            #[inline(always)]
            fn len(self) -> usize {
                self.count_ones() as usize
            }
            #[inline(always)]
            fn first(self) -> Option<Square> {
                if self == 0 { None } else { Some(Square(self.trailing_zeros() as u16)) }
            }
            #[inline(always)]
            fn pop(&mut self) -> Option<Square> {
                let square = self.first()?;
                *self &= *self - 1;
                Some(square)
            }
        }
    };
}

integer_set!(u64);
integer_set!(u128);

/// A set of up to 384 squares, for the board of 19 × 19: square `i` is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set384([u64; 6]);

impl Set384 {
    /// The squares from one index up to another, that one left out.
    pub(crate) const fn range(start: usize, end: usize) -> Set384 {
        let mut words = [0; 6];
        let mut square = start;
        while square < end {
            words[square / 64] |= 1 << (square % 64);
            square += 1;
        }
        Set384(words)
    }

    /// Adds a square.
    #[inline(always)]
    pub(crate) fn insert(&mut self, square: Square) {
        self.0[square.index() / 64] |= 1 << (square.index() % 64);
    }

    /// Takes a square out.
    #[inline(always)]
    pub(crate) fn remove(&mut self, square: Square) {
        self.0[square.index() / 64] &= !(1 << (square.index() % 64));
    }
}

macro_rules! wordwise {
    ($($operator:ident $method:ident, $assign:ident $assign_method:ident;)*) => {
        $(
            impl $operator for Set384 {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    Set384(std::array::from_fn(|word| self.0[word].$method(other.0[word])))
                }
            }
            impl $assign for Set384 {
                #[inline(always)]
                fn $assign_method(&mut self, other: Self) {
                    *self = self.$method(other);
                }
            }
        )*
    };
}

wordwise! {
    BitAnd bitand, BitAndAssign bitand_assign;
    BitOr bitor, BitOrAssign bitor_assign;
    BitXor bitxor, BitXorAssign bitxor_assign;
}

impl Not for Set384 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Set384(self.0.map(|word| !word))
    }
}

impl SquareSet for Set384 {
    const EMPTY: Self = Set384([0; 6]);
    #[inline(always)]
    fn of(square: Square) -> Self {
        let mut set = Self::EMPTY;
        set.0[square.index() / 64] = 1 << (square.index() % 64);
        set
    }
    #[inline(always)]
    fn has(self, square: Square) -> bool {
        self.0[square.index() / 64] >> (square.index() % 64) & 1 != 0
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }
    #[inline(always)]
    fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
    #[inline(always)]
    fn first(self) -> Option<Square> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(Square::new(64 * word + self.0[word].trailing_zeros() as usize))
    }
    #[inline(always)]
    fn pop(&mut self) -> Option<Square> {
        let square = self.first()?;
        let word = &mut self.0[square.index() / 64];
        *word &= *word - 1;
        Some(square)
    }
}
