//! The first layer: a 3 × 3 convolution of input planes, in fp32 in every format.
//!
//! Most planes are 0 on most squares, and some have one value on the whole board (counters). So the products with 0 are
//! left out, and the planes of one value are computed once for all squares that have the same neighbours on the board.
//! The sum of an output begins with its bias. Then come the planes of one value, tap by tap; then the others, tap by tap.

use crate::board::Board;
use crate::kernels::instruction_set::InstructionSet;
use crate::lanes::{LANES, Lanes, blocks_of, in_groups};
use crate::layers::Conv;

/// The first layer in the order of its memory.
pub(crate) struct PackedStem {
    board: Board,
    planes: usize,
    blocks: usize,
    /// `[tap][plane][group of outputs]`.
    weights: Vec<Lanes>,
    bias: Vec<Lanes>,
    /// For each square, the first square with the same taps.
    alike: Vec<usize>,
}

/// A plane and its value somewhere.
pub(crate) type Entry = (usize, f32);

/// What is not 0 in the planes of a position.
#[derive(Clone)]
pub(crate) struct Sparse {
    planes: usize,
    /// Planes of one value.
    pub uniform: Vec<Entry>,
    /// For each square `planes` places for entries of the other planes, of which the first `counts[square]` are used.
    entries: Vec<Entry>,
    counts: Vec<usize>,
}

impl Sparse {
    pub fn new(planes: usize, squares: usize) -> Sparse {
        let (uniform, entries) = (Vec::with_capacity(planes), vec![(0, 0.0); planes * squares]);
        Sparse { planes, uniform, entries, counts: vec![0; squares] }
    }

    /// Reads planes, each `[square]`.
    #[inline(always)]
    pub fn read(&mut self, planes: &[f32]) {
        let squares = self.counts.len();
        self.uniform.clear();
        self.counts.fill(0);
        for (plane, values) in planes.chunks_exact(squares).enumerate() {
            let first = values[0].to_bits();
            if values.iter().fold(0, |different, value| different | (value.to_bits() ^ first)) == 0 {
                if values[0] != 0.0 {
                    self.uniform.push((plane, values[0]));
                }
                continue;
            }
            for (chunk, values) in values.chunks(LANES).enumerate() {
                if values.iter().fold(0, |any, value| any | value.to_bits()) == 0 {
                    continue;
                }
                for (index, &value) in values.iter().enumerate() {
                    if value != 0.0 {
                        let square = chunk * LANES + index;
                        self.entries[square * self.planes + self.counts[square]] = (plane, value);
                        self.counts[square] += 1;
                    }
                }
            }
        }
    }

    /// The entries on a square, in the order of the planes.
    #[inline(always)]
    pub fn on(&self, square: usize) -> &[Entry] {
        &self.entries[square * self.planes..][..self.counts[square]]
    }
}

/// Groups of outputs that are summed at once.
const TOGETHER: usize = 4;

impl PackedStem {
    pub fn new(conv: &Conv<f32>, board: Board) -> PackedStem {
        let (planes, blocks, taps) = (conv.inputs, blocks_of(conv.outputs), conv.size * conv.size);
        let mut weights = vec![Lanes::ZERO; taps * planes * blocks];
        for (index, &weight) in conv.weights.iter().enumerate() {
            let (output, plane, tap) = (index / taps / planes, index / taps % planes, index % taps);
            weights[(tap * planes + plane) * blocks + output / LANES].0[output % LANES] = weight;
        }
        let reads = |square: usize| board.taps(square, 3).map(|(tap, _)| tap);
        let first_like = |square: usize| (0..square).find(|&other| reads(other).eq(reads(square))).unwrap_or(square);
        let alike = (0..board.squares()).map(first_like).collect();
        PackedStem { board, planes, blocks, weights, bias: in_groups(&conv.bias), alike }
    }

    /// The ReLU of the layer's outputs, `[group of channels][square]`. `uniform` is memory for as many values.
    #[inline(always)]
    pub fn forward<I: InstructionSet>(&self, kernel: I, sparse: &Sparse, uniform: &mut [Lanes], out: &mut [Lanes]) {
        let mut block = 0;
        while block + TOGETHER <= self.blocks {
            self.groups::<I, TOGETHER>(kernel, block, sparse, uniform, out);
            block += TOGETHER;
        }
        while block < self.blocks {
            self.groups::<I, 1>(kernel, block, sparse, uniform, out);
            block += 1;
        }
    }

    /// Groups `block..block + N` of the outputs.
    #[inline(always)]
    fn groups<I: InstructionSet, const N: usize>(
        &self,
        kernel: I,
        block: usize,
        sparse: &Sparse,
        uniform: &mut [Lanes],
        out: &mut [Lanes],
    ) {
        let squares = self.board.squares();
        for square in 0..squares {
            let alike = self.alike[square];
            let mut sums: [Lanes; N] = std::array::from_fn(|n| uniform[(block + n) * squares + alike]);
            if alike == square {
                sums = std::array::from_fn(|n| self.bias[block + n]);
                for (tap, _) in self.board.taps(square, 3) {
                    self.add(kernel, &mut sums, block, tap, &sparse.uniform);
                }
                for n in 0..N {
                    uniform[(block + n) * squares + square] = sums[n];
                }
            }
            for (tap, from) in self.board.taps(square, 3) {
                self.add(kernel, &mut sums, block, tap, sparse.on(from));
            }
            for n in 0..N {
                out[(block + n) * squares + square] = kernel.relu(sums[n]);
            }
        }
    }

    #[inline(always)]
    fn add<I: InstructionSet, const N: usize>(
        &self,
        kernel: I,
        sums: &mut [Lanes; N],
        block: usize,
        tap: usize,
        entries: &[Entry],
    ) {
        for &(plane, value) in entries {
            let weights = &self.weights[(tap * self.planes + plane) * self.blocks + block..][..N];
            for n in 0..N {
                sums[n] = kernel.plus(sums[n], kernel.times(weights[n], Lanes::splat(value)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_left_out() {
        let mut sparse = Sparse::new(4, 3);
        sparse.read(&[0.0, 1.0, 0.0, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 2.0, -1.0]);
        assert_eq!(sparse.uniform, [(1, 0.5)]);
        assert_eq!(
            [0, 1, 2].map(|square| sparse.on(square).to_vec()),
            [vec![], vec![(0, 1.0), (3, 2.0)], vec![(3, -1.0)]]
        );
        sparse.read(&[0.0; 12]);
        assert!(sparse.uniform.is_empty() && sparse.on(1).is_empty());
    }
}
