//! The factorised policy: the logit of a move is computed from the network's outputs for the tokens that it touches.
//!
//! Each token (square, hand slot, pass) has a query and a key of `dim` numbers and five scalars:
//!
//! ```text
//! logit = query(source) · key(target) / √dim + leaves(source) + arrives(target)
//!       + [promotes] · (promotes_from(source) + promotes_at(target)) + Σ touches(via)
//! ```
//!
//! So no move needs an output of its own, and one head serves boards of any size and moves with any number of legs. The
//! formula is written twice: in tensors for training and for GPUs, and in plain Rust for CPUs, where launching libtorch's
//! operations would cost more than the few thousand moves of a batch. A test holds the two together.

use crate::error::Result;
use crate::staging;
use network::SCALARS;
use rules::encode::MoveTokens;
use tch::{Device, Kind, Tensor};

const LEAVES: usize = 0;
const ARRIVES: usize = 1;
const PROMOTES_FROM: usize = 2;
const PROMOTES_AT: usize = 3;
const TOUCHES: usize = 4;

/// The largest number of further squares that a move can touch.
const VIA: usize = 5;

/// The legal moves of a batch as one block of small numbers: what is sent to a device, where a [`MoveTable`] is made of it.
/// Each position is padded to the same number of moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedMoves {
    /// Positions, with those that only fill the batch.
    batch: usize,
    /// Number of moves to which each position is padded.
    width: usize,
    /// Numbers of a move: source token, target token and flags; then `VIA` further tokens, −1 for none, if any move of the
    /// batch has one.
    columns: usize,
}

/// The flag of a move that is there; the padding has none.
const IS_LEGAL: i16 = 1;
/// The flag of a move that promotes.
const PROMOTES: i16 = 2;
/// Numbers of a move without further squares.
const COLUMNS: usize = 3;

impl PackedMoves {
    /// The sizes for these moves: `first_move` holds the offset of each position's moves in `moves`, and at the end their
    /// number. Further positions, up to `batch`, have no moves.
    pub fn new(moves: &[MoveTokens], first_move: &[u32], batch: usize) -> PackedMoves {
        let counts = first_move.windows(2).map(|pair| (pair[1] - pair[0]) as usize);
        let here = &moves[first_move[0] as usize..first_move[first_move.len() - 1] as usize];
        let any_via = here.iter().any(|mv| mv.via_len > 0);
        // With a multiple of 16 the allocator sees only a few sizes.
        let width = counts.max().unwrap_or(0).next_multiple_of(16).max(16);
        PackedMoves { batch, width, columns: if any_via { COLUMNS + VIA } else { COLUMNS } }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.batch * self.width * self.columns
    }

    /// `[batch, width, columns]`.
    pub fn sizes(&self) -> [i64; 3] {
        [self.batch, self.width, self.columns].map(|n| n as i64)
    }

    /// Writes the moves into `values`, of which there are [`PackedMoves::len`].
    pub fn write(&self, moves: &[MoveTokens], first_move: &[u32], values: &mut [i16]) {
        let mut padding = [0i16; COLUMNS + VIA];
        padding[COLUMNS..].fill(-1);
        values.chunks_exact_mut(self.columns).for_each(|row| row.copy_from_slice(&padding[..self.columns]));
        for (position, range) in values.chunks_exact_mut(self.width * self.columns).zip(first_move.windows(2)) {
            let moves = &moves[range[0] as usize..range[1] as usize];
            for (row, mv) in position.chunks_exact_mut(self.columns).zip(moves) {
                let flags = if mv.promotes { IS_LEGAL | PROMOTES } else { IS_LEGAL };
                // A board has a few hundred tokens.
                (row[0], row[1], row[2]) = (mv.source as i16, mv.target as i16, flags);
                for (via, &token) in row[COLUMNS..].iter_mut().zip(&mv.via[..usize::from(mv.via_len)]) {
                    *via = token as i16;
                }
            }
        }
    }
}

/// The legal moves of a batch as index tensors. Each position is padded to the same number of moves.
#[derive(Debug)]
pub(crate) struct MoveTable {
    /// `[batch, width]`: source token × tokens + target token.
    pair: Tensor,
    /// `[batch × width]`: the token among those of all positions.
    source: Tensor,
    target: Tensor,
    /// `[batch, width]`: 1 where the move promotes.
    promotes: Tensor,
    /// `[batch × width × 5]` tokens among all, and `[batch, width, 5]` with 1 where one is used; `None` if no move has any.
    via: Option<(Tensor, Tensor)>,
    /// `[batch, width]`: whether there is a move.
    pub legal: Tensor,
    /// Number of moves to which each position is padded.
    pub width: usize,
}

impl MoveTable {
    /// The table of these moves on a device; see [`PackedMoves::new`].
    ///
    /// # Errors
    /// libtorch cannot make the tensors (memory, device).
    pub fn new(
        moves: &[MoveTokens],
        first_move: &[u32],
        batch: usize,
        tokens: usize,
        device: Device,
    ) -> Result<MoveTable> {
        let packed = PackedMoves::new(moves, first_move, batch);
        let mut values = vec![0; packed.len()];
        packed.write(moves, first_move, &mut values);
        let values = Tensor::f_from_slice(&values)?.f_view(packed.sizes())?;
        MoveTable::unpacked(&staging::sent(values, device)?, tokens)
    }

    /// The table of [packed moves](PackedMoves), `[batch, width, columns]`, on their device; `tokens` is the number of tokens
    /// of a position.
    ///
    /// # Errors
    /// libtorch cannot make the tensors (memory, device).
    pub fn unpacked(packed: &Tensor, tokens: usize) -> Result<MoveTable> {
        let (batch, width, columns) = packed.size3()?;
        let (tokens, index) = (tokens as i64, (Kind::Int64, packed.device()));
        let wide = packed.f_to_kind(Kind::Int64)?;
        let [source, target, flags] = [0, 1, 2].map(|column| wide.f_select(2, column));
        let (source, target, flags) = (source?, target?, flags?);
        let first = Tensor::f_arange(batch, index)?.f_mul_scalar_(tokens)?.f_view([batch, 1])?;
        let among_all = |token: &Tensor, first: &Tensor| token.f_add(first)?.f_flatten(0, -1);
        Ok(MoveTable {
            pair: source.f_mul_scalar(tokens)?.f_add_(&target)?,
            source: among_all(&source, &first)?,
            target: among_all(&target, &first)?,
            promotes: flags.f_ge(i64::from(PROMOTES))?.f_to_kind(Kind::Float)?,
            via: if columns as usize > COLUMNS {
                let via = wide.f_narrow(2, COLUMNS as i64, VIA as i64)?;
                let meant = via.f_ge(0)?.f_to_kind(Kind::Float)?;
                Some((among_all(&via.f_clamp_min(0)?, &first.f_unsqueeze(2)?)?, meant))
            } else {
                None
            },
            legal: flags.f_ge(i64::from(IS_LEGAL))?,
            width: width as usize,
        })
    }
}

/// Logits of all moves, `[batch, width]`, from `[batch, tokens, features]`. The logits of padding have no meaning.
pub(crate) fn logits(tokens: &Tensor, dim: usize, table: &MoveTable) -> Result<Tensor> {
    let d = dim as i64;
    let (_, count, features) = tokens.size3()?;
    let rows = tokens.f_flatten(0, 1)?;
    // One operation for all parts: the backward pass of each slice by itself would fill a tensor for all tokens.
    let split = |x: &Tensor| x.f_split_sizes([d, d, 1, 1, 1, 1, 1], 1);
    // In training it is cheaper to read a few moves' own tokens than to multiply all tokens with all. In play the choice
    // must not depend on how many moves the other positions of the batch have.
    let by_move = tokens.requires_grad() && table.width as i64 * features <= count * count;
    let (products, source, target) = if by_move {
        let source = split(&rows.f_index_select(0, &table.source)?)?;
        let target = split(&rows.f_index_select(0, &table.target)?)?;
        let products = source[0].f_mul(&target[1])?.f_sum_dim_intlist([1].as_slice(), false, None)?;
        (products.f_view_as(&table.pair)?, source, target)
    } else {
        let all = split(&rows)?;
        let [query, key] = [0, 1].map(|part| all[part].f_view([-1, count, d]));
        let products = query?.f_bmm(&key?.f_transpose(1, 2)?)?.f_flatten(1, 2)?.f_gather(1, &table.pair, false)?;
        let again = all.iter().map(Tensor::shallow_clone).collect();
        (products, all, again)
    };
    let scalar = |parts: &[Tensor], which: usize, index: &Tensor| -> Result<Tensor> {
        let part = &parts[2 + which];
        Ok(if by_move {
            part.f_view_as(&table.pair)?
        } else {
            part.f_index_select(0, index)?.f_view_as(&table.pair)?
        })
    };
    let promotion =
        scalar(&source, PROMOTES_FROM, &table.source)?.f_add(&scalar(&target, PROMOTES_AT, &table.target)?)?;
    let mut logits = products
        .f_mul_scalar(1.0 / (dim as f64).sqrt())?
        .f_add(&scalar(&source, LEAVES, &table.source)?)?
        .f_add(&scalar(&target, ARRIVES, &table.target)?)?
        .f_add(&promotion.f_mul(&table.promotes)?)?;
    if let Some((via, meant)) = &table.via {
        let touches = rows.f_select(1, 2 * d + TOUCHES as i64)?.f_index_select(0, via)?;
        let touched = touches.f_view_as(meant)?.f_mul(meant)?;
        logits = logits.f_add(&touched.f_sum_dim_intlist([2].as_slice(), false, Kind::Float)?)?;
    }
    Ok(logits)
}

/// The features of one position's tokens in the program's memory: squares, then hand slots and pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenRows<'a> {
    /// `[squares][features]`.
    pub squares: &'a [f32],
    /// `[hand slots + 1][features]`.
    pub beside: &'a [f32],
    /// Length of a query.
    pub dim: usize,
}

impl TokenRows<'_> {
    fn row(&self, token: u16) -> &[f32] {
        let features = 2 * self.dim + SCALARS;
        let start = usize::from(token) * features;
        if start < self.squares.len() {
            &self.squares[start..start + features]
        } else {
            let start = start - self.squares.len();
            &self.beside[start..start + features]
        }
    }

    /// The logit of one move.
    pub fn logit(&self, mv: &MoveTokens, scale: f32) -> f32 {
        let (source, target) = (self.row(mv.source), self.row(mv.target));
        let (query, key) = (&source[..self.dim], &target[self.dim..2 * self.dim]);
        let from = &source[2 * self.dim..];
        let to = &target[2 * self.dim..];
        let mut logit = dot(query, key) * scale + from[LEAVES] + to[ARRIVES];
        if mv.promotes {
            logit += from[PROMOTES_FROM] + to[PROMOTES_AT];
        }
        for &via in &mv.via[..usize::from(mv.via_len)] {
            logit += self.row(via)[2 * self.dim + TOUCHES];
        }
        logit
    }
}

/// Eight sums side by side, which fit into vector registers and fix the order of the additions on every machine.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Random token features, and moves with promotions and further squares: both ways give one result.
    #[test]
    fn tensors_and_plain_rust_agree() {
        crate::libtorch::open().unwrap();
        let (batch, squares, beside) = (5usize, 30usize, 4usize);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for dim in [4, 12, 32] {
            let features = 2 * dim + SCALARS;
            let tokens = squares + beside;
            let values: Vec<f32> = (0..batch * tokens * features).map(|_| rng.random_range(-1.0..1.0)).collect();
            let (mut moves, mut first_move) = (Vec::new(), vec![0u32]);
            for row in 0..batch {
                for _ in 0..3 + 7 * row {
                    let mut mv = MoveTokens {
                        source: rng.random_range(0..tokens) as u16,
                        target: rng.random_range(0..tokens) as u16,
                        promotes: rng.random(),
                        via_len: rng.random_range(0..=5),
                        via: [0; 5],
                    };
                    mv.via.iter_mut().for_each(|via| *via = rng.random_range(0..squares) as u16);
                    moves.push(mv);
                }
                first_move.push(moves.len() as u32);
            }
            let table = MoveTable::new(&moves, &first_move, batch, tokens, Device::Cpu).unwrap();
            let tensor = Tensor::from_slice(&values).reshape([batch as i64, tokens as i64, features as i64]);
            // In play, and in training, where few moves are read from their own tokens.
            let trained = tensor.copy().set_requires_grad(true);
            for by_tensor in [logits(&tensor, dim, &table).unwrap(), logits(&trained, dim, &table).unwrap()] {
                for row in 0..batch {
                    let all = &values[row * tokens * features..][..tokens * features];
                    let (squares, beside) = all.split_at(squares * features);
                    let rows = TokenRows { squares, beside, dim };
                    for (column, at) in (first_move[row]..first_move[row + 1]).enumerate() {
                        let by_hand = rows.logit(&moves[at as usize], 1.0 / (dim as f32).sqrt());
                        let difference = by_tensor.double_value(&[row as i64, column as i64]) - f64::from(by_hand);
                        assert!(difference.abs() < 1e-5, "row {row}, move {column}: {difference}");
                    }
                }
            }
        }
    }
}
