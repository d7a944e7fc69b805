//! Arithmetic in fp32 with the same bits on every machine.
//!
//! A kernel of one processor must give the numbers of every other one. So all of this is multiplications, additions,
//! divisions and comparisons in a fixed order, each rounded by itself: the compiler may use wide registers but fuses and
//! reorders nothing. The exponential function is our own, because those of C libraries differ.

/// Channels that are kept side by side and computed at once.
pub(crate) const LANES: usize = 16;

/// The values of 16 channels on one square.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub [f32; LANES]);

impl Lanes {
    pub const ZERO: Lanes = Lanes([0.0; LANES]);

    #[inline(always)]
    pub fn splat(value: f32) -> Lanes {
        Lanes([value; LANES])
    }

    #[inline(always)]
    fn map(mut self, function: impl Fn(f32) -> f32) -> Lanes {
        for value in &mut self.0 {
            *value = function(*value);
        }
        self
    }

    #[inline(always)]
    pub fn zip(mut self, other: Lanes, function: impl Fn(f32, f32) -> f32) -> Lanes {
        for (value, &other) in self.0.iter_mut().zip(&other.0) {
            *value = function(*value, other);
        }
        self
    }

    #[inline(always)]
    pub fn sigmoid(self) -> Lanes {
        self.map(sigmoid)
    }

    /// The sum of all lanes, by halves.
    #[inline(always)]
    pub fn sum(self) -> f32 {
        let mut sums = self.0;
        for half in [8, 4, 2, 1] {
            for lane in 0..half {
                sums[lane] += sums[lane + half];
            }
        }
        sums[0]
    }
}

/// The number of groups of 16 channels that hold `channels`.
pub(crate) fn blocks_of(channels: usize) -> usize {
    channels.div_ceil(LANES)
}

#[inline(always)]
pub(crate) fn relu(value: f32) -> f32 {
    if value > 0.0 { value } else { 0.0 }
}

/// 1 / (1 + e⁻ˣ).
#[inline(always)]
pub(crate) fn sigmoid(value: f32) -> f32 {
    1.0 / (1.0 + exp(-value))
}

/// eˣ for x between −87 and 88, to within 2 units in the last place; beyond, that of the nearer end.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    /// 1.5 · 2²³: a sum with it has no fraction, and its lowest bits are the integer.
    const INTEGER: f32 = 12_582_912.0;
    /// ln 2 in two parts, of which the first has few bits: its product with an integer is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 88.0 { x } else { 88.0 };
    // eˣ = 2ⁿ · eʳ with |r| ≤ ln 2 / 2.
    let shifted = x * std::f32::consts::LOG2_E + INTEGER;
    let n = shifted - INTEGER;
    let r = (x - n * LN_2[0]) - n * LN_2[1];
    // The series up to r⁷ / 7!.
    let mut power = 1.0 / 5_040.0;
    for term in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        power = power * r + term;
    }
    let exponent = shifted.to_bits().wrapping_sub(INTEGER.to_bits()).wrapping_add(127) << 23;
    power * f32::from_bits(exponent)
}

/// Probabilities from logits.
pub(crate) fn softmax(logits: [f32; 3]) -> [f32; 3] {
    let max = logits.into_iter().fold(f32::NEG_INFINITY, |max, logit| if logit > max { logit } else { max });
    let exps = logits.map(|logit| exp(logit - max));
    let sum = exps[0] + exps[1] + exps[2];
    exps.map(|exp| exp / sum)
}

/// Values in groups of 16, the last filled up with zeros.
pub(crate) fn in_groups(values: &[f32]) -> Vec<Lanes> {
    let group = |values: &[f32]| {
        let mut lanes = Lanes::ZERO;
        lanes.0[..values.len()].copy_from_slice(values);
        lanes
    };
    values.chunks(LANES).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_exact_to_two_units() {
        for step in -870_000..880_000 {
            let x = step as f32 * 1e-4;
            let (ours, exact) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((ours / exact - 1.0).abs() < 2.0 * f64::from(f32::EPSILON), "e^{x}: {ours} and not {exact}");
        }
        assert_eq!((exp(0.0), exp(-1e30), exp(f32::NEG_INFINITY)), (1.0, exp(-87.0), exp(-87.0)));
        assert_eq!(exp(1e30), exp(88.0));
    }

    #[test]
    fn probabilities_are_those_of_the_logits() {
        let [win, draw, loss] = softmax([1000.0, 999.0, 0.0]);
        assert!((win - 0.731_058_6).abs() < 1e-6 && (draw - 0.268_941_4).abs() < 1e-6 && loss < 1e-30);
        assert!((sigmoid(1.0) - 0.731_058_6).abs() < 1e-6);
        assert_eq!(Lanes(std::array::from_fn(|lane| lane as f32)).sum(), 120.0);
    }
}
