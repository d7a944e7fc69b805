//! A network in 8-bit integers.
//!
//! Weights are integers from −127 to 127, with a scale for each output channel. Activations are integers from 0 to 127,
//! with a scale for each channel, which follows from the largest values that [`Peaks`] has seen. Their products are added
//! exactly, so the order of the additions is free. An activation has 7 bits because then the sum of two products fits
//! into 16 bits, as the instruction of processors without VNNI demands.
//!
//! Convolutions of the trunk and of both heads and the layer of tokens are in integers. The first layer, which reads few
//! planes that are not 0, and the layers that read one number for a whole board (squeeze and excitation, pooling, value)
//! stay in fp32: they are a hundredth of the work.

use crate::layers::{Conv, Dense, Folded, Layers};
use crate::peaks::Peaks;

/// Largest integer of weights and activations.
pub(crate) const MOST: f32 = 127.0;

/// Layers with weights in integers.
pub(crate) type Quantised = Layers<Conv<f32>, Conv<i8>, Dense>;

/// Rounds the weights of a network whose activations have these largest values.
pub(crate) fn quantised(folded: &Folded, peaks: &Peaks) -> Quantised {
    folded.map(Conv::clone, |conv, input| in_integers(conv, &peaks.ends(input)), Dense::clone)
}

/// A convolution that reads channels in which 127 stands for these values. A product of integers must have the same scale in
/// all channels, so a weight is first multiplied by the value of its channel.
fn in_integers(conv: &Conv<f32>, ends: &[f32]) -> Conv<i8> {
    let taps = conv.size * conv.size;
    let mut integers = Conv {
        inputs: conv.inputs,
        outputs: conv.outputs,
        size: conv.size,
        weights: Vec::with_capacity(conv.weights.len()),
        scale: Vec::with_capacity(conv.outputs),
        bias: conv.bias.clone(),
        steps: ends.iter().map(|end| MOST / end).collect(),
    };
    for weights in conv.weights.chunks_exact(conv.inputs * taps) {
        let scaled = |(index, &weight): (usize, &f32)| f64::from(weight) * f64::from(ends[index / taps]);
        let largest = weights.iter().enumerate().map(scaled).fold(0f64, |largest, weight| largest.max(weight.abs()));
        let step = if largest > 0.0 { largest } else { 1.0 } / f64::from(MOST);
        integers.weights.extend(weights.iter().enumerate().map(|weight| (scaled(weight) / step).round() as i8));
        integers.scale.push((step / f64::from(MOST)) as f32);
    }
    integers
}

/// The integer of an activation: `value · steps`, not below 0 nor above 127, rounded to the nearest, halves to the even one.
#[inline(always)]
pub(crate) fn activation(value: f32, steps: f32) -> u8 {
    /// 2²³: a sum with it has no fraction, and its lowest bits are the integer.
    const INTEGER: f32 = 8_388_608.0;
    let scaled = value * steps;
    let positive = if scaled > 0.0 { scaled } else { 0.0 };
    let bounded = if positive < MOST { positive } else { MOST };
    (bounded + INTEGER).to_bits() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_rounded_to_the_nearest_integer() {
        for (value, integer) in [(0.49, 0), (0.5, 0), (0.51, 1), (1.5, 2), (2.5, 2), (126.4, 126), (126.6, 127)] {
            assert_eq!(activation(value, 1.0), integer, "{value}");
        }
        for (value, integer) in [(-3.0, 0), (1e9, 127), (f32::INFINITY, 127), (f32::NAN, 0), (f32::NEG_INFINITY, 0)] {
            assert_eq!(activation(value, 2.0), integer, "{value}");
        }
    }

    #[test]
    fn weights_use_the_whole_range_of_each_output() {
        let weights = vec![0.5, -1.0, 0.0, 0.0, 0.5, 0.25];
        let conv = Conv {
            inputs: 2,
            outputs: 3,
            size: 1,
            weights,
            scale: vec![1.0; 3],
            bias: vec![0.0; 3],
            steps: vec![1.0; 2],
        };
        let integers = in_integers(&conv, &[127.0, 127.0]);
        assert_eq!(integers.weights, [64, -127, 0, 0, 127, 64]);
        assert_eq!([integers.scale[0], integers.scale[2]], [1.0 / 127.0, 0.5 / 127.0]);
        assert_eq!(in_integers(&conv, &[127.0, 63.5]).weights, [127, -127, 0, 0, 127, 32]);
    }
}
