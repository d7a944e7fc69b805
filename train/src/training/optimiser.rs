//! AdamW (Loshchilov and Hutter 2019) whose whole state is in named tensors, so that a checkpoint can hold it. (The
//! optimisers of `tch` cannot save theirs.)

use crate::error::Result;
use crate::network::parameters::{Parameters, Role};
use serde::{Deserialize, Serialize};
use settings::Complaints;
use std::collections::BTreeMap;
use tch::{Kind, Tensor};

/// Steps of the shortest warm-up, because the first estimates of the gradient's square are poor.
const SHORTEST_WARMUP: f64 = 20.0;

/// How weights follow gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OptimiserConfig {
    /// Learning rate between warm-up and annealing, 1e-6 to 0.1.
    pub learning_rate: f64,
    /// Learning rate at the end, 0 to `learning_rate`. Annealing is worth 100 to 150 Elo (KataGo, AobaZero).
    pub final_learning_rate: f64,
    /// Steps over which the rate rises from 0; 0 for no warm-up.
    pub warmup_steps: u64,
    /// Share of the run after which the warm-up is over in any case, 0 to 1: a short run has no time for a long one.
    pub warmup_until: f64,
    /// Share of the run after which the rate falls along a cosine, 0 to 1.
    pub flat_until: f64,
    /// Decay rate of the gradient's mean, 0 to 0.9999.
    pub beta1: f64,
    /// Decay rate of the gradient's mean square, 0 to 0.99999.
    pub beta2: f64,
    /// Share of each weight that is lost per step, times the learning rate; 0 to 1. Biases, norms and embeddings do not
    /// decay.
    pub weight_decay: f64,
    /// Largest norm of the gradient over all parameters, above 0; larger gradients are scaled down.
    pub gradient_clip: f64,
    /// Steps after which a weight counts for half as much in the average that plays, above 0.
    pub average_half_life: f64,
}

impl Default for OptimiserConfig {
    fn default() -> Self {
        OptimiserConfig {
            learning_rate: 2e-3,
            final_learning_rate: 1e-4,
            warmup_steps: 300,
            warmup_until: 0.03,
            flat_until: 0.6,
            beta1: 0.9,
            beta2: 0.999,
            weight_decay: 1e-4,
            gradient_clip: 1.0,
            average_half_life: 250.0,
        }
    }
}

impl OptimiserConfig {
    /// Complains about each value that is out of range.
    pub fn check(&self, complaints: &mut Complaints) {
        complaints.within("learning_rate", self.learning_rate, 1e-6, 0.1);
        complaints.within("final_learning_rate", self.final_learning_rate, 0.0, self.learning_rate.max(0.0));
        complaints.within("warmup_until", self.warmup_until, 0.0, 1.0);
        complaints.within("flat_until", self.flat_until, 0.0, 1.0);
        complaints.within("beta1", self.beta1, 0.0, 0.9999);
        complaints.within("beta2", self.beta2, 0.0, 0.99999);
        complaints.within("weight_decay", self.weight_decay, 0.0, 1.0);
        complaints.within("gradient_clip", self.gradient_clip, 1e-6, 1e9);
        complaints.within("average_half_life", self.average_half_life, 1e-3, 1e9);
    }

    /// The learning rate of a step (the first is 1) when `progress` of the run (0 to 1) is over.
    ///
    /// ```
    /// let config = train::OptimiserConfig::default();
    /// assert_eq!(config.rate(150, 0.001), 1e-3); // half way through the warm-up
    /// assert_eq!(config.rate(10, 0.2), 1e-3); // the same in a short run
    /// assert_eq!(config.rate(9_000, 0.5), 2e-3);
    /// assert!((config.rate(9_000, 0.8) - 1.05e-3).abs() < 1e-9); // half way down
    /// assert!((config.rate(9_000, 1.0) - 1e-4).abs() < 1e-9);
    /// ```
    pub fn rate(&self, step: u64, progress: f64) -> f64 {
        let down = ((progress - self.flat_until) / (1.0 - self.flat_until).max(1e-9)).clamp(0.0, 1.0);
        let cosine = 0.5 * (1.0 + (std::f64::consts::PI * down).cos());
        let rate = self.final_learning_rate + (self.learning_rate - self.final_learning_rate) * cosine;
        let step = step as f64;
        let hurried = (progress / self.warmup_until.max(1e-9)).min(step / SHORTEST_WARMUP);
        rate * (step / self.warmup_steps.max(1) as f64).max(hurried).min(1.0)
    }
}

/// Mean and mean square of one tensor's gradient.
#[derive(Debug)]
pub(crate) struct Moments {
    pub first: Tensor,
    pub second: Tensor,
}

/// AdamW over the trained parameters of one network.
#[derive(Debug)]
pub struct AdamW {
    config: OptimiserConfig,
    /// Steps made.
    step: u64,
    moments: BTreeMap<String, Moments>,
}

impl AdamW {
    /// Before the first step.
    ///
    /// # Errors
    /// libtorch cannot make the tensors.
    pub fn new(parameters: &Parameters, config: OptimiserConfig) -> Result<AdamW> {
        let mut moments = BTreeMap::new();
        for (name, parameter) in parameters.iter().filter(|(_, p)| p.role != Role::Statistic) {
            let zeros = || parameter.tensor.f_detach()?.f_zeros_like();
            moments.insert(name.to_owned(), Moments { first: zeros()?, second: zeros()? });
        }
        Ok(AdamW { config, step: 0, moments })
    }

    /// Steps made.
    pub fn step_count(&self) -> u64 {
        self.step
    }

    pub(crate) fn set_step_count(&mut self, step: u64) {
        self.step = step;
    }

    pub(crate) fn moments(&self) -> &BTreeMap<String, Moments> {
        &self.moments
    }

    /// One step along the gradients the parameters hold, which are dropped. Returns the norm of the gradient
    /// before clipping, as a tensor so that a GPU need not be waited for.
    ///
    /// # Errors
    /// libtorch refuses; a parameter has no gradient.
    pub fn step(&mut self, parameters: &Parameters, rate: f64) -> Result<Tensor> {
        let _guard = tch::no_grad_guard();
        self.step += 1;
        let OptimiserConfig { beta1, beta2, weight_decay, gradient_clip, .. } = self.config;
        // Bias corrections, because the moments began at 0.
        let first_share = 1.0 - beta1.powf(self.step as f64);
        let second_share = 1.0 - beta2.powf(self.step as f64);
        let trained = || parameters.iter().filter(|(_, p)| p.role != Role::Statistic);

        let squares = trained().map(|(_, p)| Ok(p.tensor.f_grad()?.f_square()?.f_sum(Kind::Float)?));
        let norm = Tensor::f_stack(&squares.collect::<Result<Vec<_>>>()?, 0)?.f_sum(Kind::Float)?.f_sqrt()?;
        let clip = norm.f_add_scalar(1e-6)?.f_reciprocal()?.f_mul_scalar(gradient_clip)?.f_clamp_max(1.0)?;

        for ((_, parameter), moments) in trained().zip(self.moments.values_mut()) {
            let mut weight = parameter.tensor.shallow_clone();
            let mut stored = weight.f_grad()?;
            let gradient = stored.f_mul(&clip)?;
            let _ = moments.first.f_lerp_(&gradient, 1.0 - beta1)?;
            let _ = moments.second.f_lerp_(&gradient.f_square()?, 1.0 - beta2)?;
            if parameter.role == Role::Weight && weight_decay > 0.0 {
                let _ = weight.f_mul_scalar_(1.0 - rate * weight_decay)?;
            }
            let scale = moments.second.f_div_scalar(second_share)?.f_sqrt()?.f_add_scalar(1e-8)?;
            let update = moments.first.f_div(&scale)?.f_mul_scalar(-rate / first_share)?;
            let _ = weight.f_add_(&update)?;
            let _ = stored.f_zero_()?;
        }
        Ok(norm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::parameters::Init;
    use tch::Device;

    /// Two steps of a weight of 2 (with decay) and a bias of 1 (without), gradients 3 and −0.4, then 1 and 0.2,
    /// computed by hand from the formulas of Loshchilov and Hutter.
    #[test]
    fn two_steps_by_hand() {
        let config = OptimiserConfig { weight_decay: 0.1, gradient_clip: 1e9, ..OptimiserConfig::default() };
        crate::libtorch::open().unwrap();
        let mut store = Parameters::new(0, Device::Cpu);
        let weight = store.create("a".into(), Role::Weight, &[1], Init::Constant(2.0)).unwrap();
        let bias = store.create("b".into(), Role::Offset, &[1], Init::Constant(1.0)).unwrap();
        let mut adam = AdamW::new(&store, config).unwrap();
        let mut step = |a: f64, b: f64, rate: f64| {
            (&weight * a + &bias * b).sum(Kind::Float).backward();
            let norm = adam.step(&store, rate).unwrap().double_value(&[]);
            (weight.double_value(&[0]), bias.double_value(&[0]), norm)
        };
        // Step 1: the corrected moments are g and g², so a step is the rate: 2·(1 − 0.01) − 0.1, and 1 + 0.1.
        let (a, b, norm) = step(3.0, -0.4, 0.1);
        assert!((a - 1.88).abs() < 1e-6 && (b - 1.1).abs() < 1e-6, "{a} {b}");
        assert!((norm - (9.0f64 + 0.16).sqrt()).abs() < 1e-6);
        // Step 2, weight: m = (0.9·0.3 + 0.1·1) / 0.19 = 1.947368, v = (0.999·0.009 + 0.001) / 0.001999 = 4.997999;
        // 1.88·0.99 − 0.1·1.947368/√4.997999. Bias: m = −0.084211, v = 0.099970; 1.1 + 0.1·0.084211/√0.099970.
        let (a, b, _) = step(1.0, 0.2, 0.1);
        assert!((a - 1.774094).abs() < 1e-5, "{a}");
        assert!((b - 1.126634).abs() < 1e-5, "{b}");
    }

    /// A gradient of norm 5 clipped to 1 makes the moments of a gradient of norm 1.
    #[test]
    fn gradients_are_clipped_together() {
        crate::libtorch::open().unwrap();
        let mut store = Parameters::new(0, Device::Cpu);
        let weight = store.create("a".into(), Role::Weight, &[2], Init::Constant(0.0)).unwrap();
        let mut adam = AdamW::new(&store, OptimiserConfig::default()).unwrap();
        (&weight * Tensor::from_slice(&[3f32, 4.0])).sum(Kind::Float).backward();
        let _norm = adam.step(&store, 1e-3).unwrap();
        let first = &adam.moments()["a"].first;
        assert!((first.double_value(&[0]) - 0.06).abs() < 1e-6 && (first.double_value(&[1]) - 0.08).abs() < 1e-6);
    }
}
