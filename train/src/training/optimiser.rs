//! AdamW (Loshchilov and Hutter 2019) on one vector of all parameters. (The optimisers of `tch` cannot save their state.)

use crate::error::Result;
use crate::network::flat::FlatParameters;
use serde::{Deserialize, Serialize};
use settings::Complaints;
use tch::{Kind, Tensor};

/// Steps of the shortest warm-up, because the first estimates of the gradient's square are poor.
const SHORTEST_WARMUP: f64 = 20.0;

/// Share of the run after which the warm-up is over in any case: a short run has no time for a long one. The value is our
/// own; others were not measured.
const WARMUP_UNTIL: f64 = 0.03;

/// Decay rate of the gradient's mean (Kingma and Ba 2015).
const BETA1: f64 = 0.9;

/// Decay rate of the gradient's mean square (Kingma and Ba 2015).
const BETA2: f64 = 0.999;

/// How weights follow gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OptimiserConfig {
    /// Learning rate between warm-up and annealing, 1e-6 to 0.1.
    pub learning_rate: f64,
    /// Learning rate at the end, 0 to `learning_rate`; if not set, no more than that. Annealing is worth 100 to 150 Elo
    /// (KataGo, AobaZero).
    pub final_learning_rate: f64,
    /// Steps over which the rate rises from 0; 0 for no warm-up.
    pub warmup_steps: u64,
    /// Share of the run after which the rate falls along a cosine, 0 to 1.
    pub flat_until: f64,
    /// Share of each weight that is lost per step, times the learning rate; 0 to 1. Biases, norms and embeddings do not
    /// decay.
    pub weight_decay: f64,
    /// Largest norm of the gradient over all parameters, above 0; larger gradients are scaled down. Others were not measured,
    /// so it is no key of a configuration.
    #[serde(skip)]
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
            flat_until: 0.6,
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
        complaints.within("flat_until", self.flat_until, 0.0, 1.0);
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
        let hurried = (progress / WARMUP_UNTIL).min(step / SHORTEST_WARMUP);
        rate * (step / self.warmup_steps.max(1) as f64).max(hurried).min(1.0)
    }
}

/// Mean and mean square of the gradient.
#[derive(Debug)]
pub(crate) struct Moments {
    pub first: Tensor,
    pub second: Tensor,
}

/// AdamW over the trained parameters of one network.
#[derive(Debug)]
pub(crate) struct AdamW {
    config: OptimiserConfig,
    /// Steps made.
    step: u64,
    moments: Moments,
}

impl AdamW {
    /// Before the first step.
    ///
    /// # Errors
    /// libtorch cannot make the tensors.
    pub fn new(parameters: &FlatParameters, config: OptimiserConfig) -> Result<AdamW> {
        let zeros = || parameters.gradients().f_zeros_like();
        Ok(AdamW { config, step: 0, moments: Moments { first: zeros()?, second: zeros()? } })
    }

    /// Steps made.
    pub fn step_count(&self) -> u64 {
        self.step
    }

    pub fn set_step_count(&mut self, step: u64) {
        self.step = step;
    }

    /// The moments of all parameters together.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// One step along the gradients that the parameters hold, which are 0 afterwards. Returns the norm of the gradient
    /// before clipping, as a tensor so that a GPU need not be waited for.
    ///
    /// # Errors
    /// libtorch refuses; a gradient is not where it [belongs](crate::TrainError::Strayed).
    pub fn step(&mut self, parameters: &FlatParameters, rate: f64) -> Result<Tensor> {
        parameters.check()?;
        let _guard = tch::no_grad_guard();
        self.step += 1;
        let OptimiserConfig { weight_decay, gradient_clip, .. } = self.config;
        // Bias corrections, because the moments began at 0.
        let first_share = 1.0 - BETA1.powf(self.step as f64);
        let second_share = 1.0 - BETA2.powf(self.step as f64);
        let mut gradients = parameters.gradients().shallow_clone();
        let Moments { first, second } = &mut self.moments;

        let squares = gradients.f_square()?;
        let norm = squares.f_sum(Kind::Float)?.f_sqrt()?;
        let clip = norm.f_add_scalar(1e-6)?.f_reciprocal()?.f_mul_scalar(gradient_clip)?.f_clamp_max(1.0)?;
        let _ = gradients.f_mul_(&clip)?;
        let _ = first.f_lerp_(&gradients, 1.0 - BETA1)?;
        let _ = second.f_lerp_(&gradients.f_square()?, 1.0 - BETA2)?;
        let _ = gradients.f_zero_()?;
        if weight_decay > 0.0 {
            let _ = parameters.decaying()?.f_mul_scalar_(1.0 - rate * weight_decay)?;
        }
        let scale = second.f_div_scalar(second_share)?.f_sqrt_()?.f_add_scalar_(1e-8)?;
        let update = first.f_div(&scale)?.f_mul_scalar_(-rate / first_share)?;
        let _ = parameters.trained()?.f_add_(&update)?;
        Ok(norm)
    }
}

#[cfg(test)]
mod tests;
