//! The squares of a board in the order of planes: rank by rank.

/// A board of `ranks` × `files` squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Board {
    pub ranks: usize,
    pub files: usize,
}

impl Board {
    /// Squares in one row. A 1 × 1 convolution and a layer over tokens have no use for two dimensions.
    pub fn row(squares: usize) -> Board {
        Board { ranks: 1, files: squares }
    }

    pub fn squares(&self) -> usize {
        self.ranks * self.files
    }

    /// The squares that a `size` × `size` convolution (1 or 3) reads for the output on `square`, each with the number of
    /// its weight (*tap*), in the order of the taps. Squares outside of the board are left out.
    #[inline(always)]
    pub fn taps(self, square: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
        let (rank, file, half) = (square / self.files, square % self.files, size / 2);
        (0..size * size).filter_map(move |tap| {
            let rank = (rank + tap / size).checked_sub(half).filter(|&rank| rank < self.ranks)?;
            let file = (file + tap % size).checked_sub(half).filter(|&file| file < self.files)?;
            Some((tap, rank * self.files + file))
        })
    }

    /// The taps of each square.
    pub fn all_taps(self, size: usize) -> Vec<Vec<(usize, usize)>> {
        (0..self.squares()).map(|square| self.taps(square, size).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_stay_on_the_board() {
        let board = Board { ranks: 2, files: 3 };
        let corner: Vec<_> = board.taps(0, 3).collect();
        assert_eq!(corner, [(4, 0), (5, 1), (7, 3), (8, 4)]);
        assert_eq!(board.taps(4, 3).collect::<Vec<_>>(), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]);
        assert_eq!(board.taps(5, 1).collect::<Vec<_>>(), [(0, 5)]);
    }
}
