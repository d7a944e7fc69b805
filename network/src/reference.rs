//! The network in the slow, obvious way: fp32, one number after another, batch norms as training has them.
//!
//! Every faster form is tested against this one, and this one against libtorch.

use crate::blueprint::{Mixing, SCALARS, block_name};
use crate::error::Result;
use crate::folding::NORM_EPSILON;
use crate::lanes::{sigmoid, softmax};
use crate::weights::Weights;
use rules::encode::MoveTokens;
use search::{Evaluations, LeafBatch};

/// Values `[channel][square]`.
type Planes = Vec<Vec<f32>>;

impl Weights {
    /// Evaluates leaves in the slow, obvious way, in fp32.
    ///
    /// # Errors
    /// The leaves were not made for this network.
    pub fn reference(&self, leaves: &LeafBatch) -> Result<Evaluations> {
        self.blueprint().check_leaves(leaves)?;
        let mut out = Evaluations::default();
        for leaf in 0..leaves.len() {
            let squares = self.blueprint().shape.squares();
            let planes = leaves.planes_of(leaf).chunks_exact(squares).map(<[f32]>::to_vec).collect();
            let trunk = self.trunk(planes);
            let value = self.value(&trunk);
            out.wdl.push(softmax([value[0], value[1], value[2]]));
            out.points.extend(&value[self.blueprint().points_output()..]);
            let tokens = self.tokens_of(&trunk);
            out.logits.extend(leaves.moves_of(leaf).iter().map(|mv| self.logit(&tokens, mv)));
        }
        Ok(out)
    }

    fn trunk(&self, planes: Planes) -> Planes {
        let mut x = rectified(self.conv_norm("stem", &planes, 3));
        for block in 0..self.blueprint().config.blocks {
            x = self.block(&block_name(block), x);
        }
        x
    }

    fn block(&self, name: &str, x: Planes) -> Planes {
        let mixing = self.blueprint().config.mixing;
        let mut y = self.conv_norm(&format!("{name}.first"), &x, 3);
        if mixing == Mixing::Pool {
            let seen = self.dense(&format!("{name}.pool"), &pooled(&y));
            for (plane, seen) in y.iter_mut().zip(seen) {
                plane.iter_mut().for_each(|value| *value += seen);
            }
        }
        y = self.conv_norm(&format!("{name}.second"), &rectified(y), 3);
        if mixing == Mixing::Se {
            let hidden = relu(self.dense(&format!("{name}.squeeze"), &means(&y)));
            let both = self.dense(&format!("{name}.excite"), &hidden);
            let (scales, shifts) = both.split_at(y.len());
            for ((plane, &scale), &shift) in y.iter_mut().zip(scales).zip(shifts) {
                plane.iter_mut().for_each(|value| *value = *value * sigmoid(scale) + shift);
            }
        }
        for (plane, before) in y.iter_mut().zip(&x) {
            plane.iter_mut().zip(before).for_each(|(value, before)| *value += before);
        }
        rectified(y)
    }

    /// The outputs of all heads of the value branch.
    fn value(&self, trunk: &Planes) -> Vec<f32> {
        let board = rectified(self.conv_norm("value.board", trunk, 1));
        let squares = 0..self.blueprint().shape.squares();
        let mut inputs: Vec<f32> = squares.flat_map(|square| board.iter().map(move |plane| plane[square])).collect();
        inputs.extend(pooled(trunk));
        self.dense("value.out", &relu(self.dense("value.hidden", &inputs)))
    }

    /// The features of all tokens: squares, then hand slots and pass.
    fn tokens_of(&self, trunk: &Planes) -> Vec<Vec<f32>> {
        let board = rectified(self.conv_norm("policy.board", trunk, 1));
        let squares = 0..self.blueprint().shape.squares();
        let mut hidden: Vec<Vec<f32>> =
            squares.map(|square| board.iter().map(|plane| plane[square]).collect()).collect();
        let seen = self.dense("policy.pool", &pooled(trunk));
        let beside = self.values("policy", "beside").chunks_exact(self.blueprint().config.channels);
        hidden.extend(beside.map(|learned| relu(learned.iter().zip(&seen).map(|(a, b)| a + b).collect())));
        hidden.iter().map(|token| self.dense("policy.tokens", token)).collect()
    }

    /// The logit of one move from the features of its tokens: query, key, then the scalars in the order of the formula.
    fn logit(&self, tokens: &[Vec<f32>], mv: &MoveTokens) -> f32 {
        let dim = self.blueprint().config.policy_dim;
        let (source, target) = (&tokens[usize::from(mv.source)], &tokens[usize::from(mv.target)]);
        let product: f32 = source[..dim].iter().zip(&target[dim..]).map(|(query, key)| query * key).sum();
        let scalars = |token: &[f32]| -> [f32; SCALARS] { std::array::from_fn(|scalar| token[2 * dim + scalar]) };
        let [leaves, _, promotes_from, _, _] = scalars(source);
        let [_, arrives, _, promotes_at, _] = scalars(target);
        let mut logit = product / (dim as f32).sqrt() + leaves + arrives;
        if mv.promotes {
            logit += promotes_from + promotes_at;
        }
        for &via in &mv.via[..usize::from(mv.via_len)] {
            let [.., touches] = scalars(&tokens[usize::from(via)]);
            logit += touches;
        }
        logit
    }

    /// A convolution without bias, and its norm by the running statistics.
    fn conv_norm(&self, name: &str, x: &Planes, size: usize) -> Planes {
        let taps = self.blueprint().board().all_taps(size);
        let part = |part: &str| self.values(name, part);
        let (weight, gain, bias) = (part("weight"), part("gain"), part("bias"));
        let (mean, variance) = (part("mean"), part("variance"));
        let value = |output: usize, square: usize| {
            let mut sum = 0.0;
            for (input, plane) in x.iter().enumerate() {
                for &(tap, from) in &taps[square] {
                    sum += weight[(output * x.len() + input) * size * size + tap] * plane[from];
                }
            }
            let deviation = (variance[output] + NORM_EPSILON as f32).sqrt();
            gain[output] * (sum - mean[output]) / deviation + bias[output]
        };
        (0..gain.len()).map(|output| (0..taps.len()).map(|square| value(output, square)).collect()).collect()
    }

    fn dense(&self, name: &str, x: &[f32]) -> Vec<f32> {
        let rows = self.values(name, "weight").chunks_exact(x.len());
        let sums = rows.map(|row| row.iter().zip(x).map(|(weight, x)| weight * x).sum::<f32>());
        sums.zip(self.values(name, "bias")).map(|(sum, bias)| sum + bias).collect()
    }
}

fn relu(mut values: Vec<f32>) -> Vec<f32> {
    values.iter_mut().for_each(|value| *value = value.max(0.0));
    values
}

fn rectified(x: Planes) -> Planes {
    x.into_iter().map(relu).collect()
}

fn means(x: &Planes) -> Vec<f32> {
    x.iter().map(|plane| plane.iter().sum::<f32>() / plane.len() as f32).collect()
}

/// Means of all channels, then maxima.
fn pooled(x: &Planes) -> Vec<f32> {
    let maxima = x.iter().map(|plane| plane.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    means(x).into_iter().chain(maxima).collect()
}
