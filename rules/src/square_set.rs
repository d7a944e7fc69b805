//! Sets of squares as bit boards: `u64` (8×8), `u128` (9×9, 9×10), `[u64; 6]` (19×19), behind one trait.

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
