//! Options of a sequential test.

use clap::Args;
use eval::ratings::{Model, Sprt};

/// The hypotheses of a sequential test, and its error probabilities.
#[derive(Args)]
pub struct Hypotheses {
    /// The unit of --elo0 and --elo1: logistic (Elo) or normalized (nElo, with which a test takes about as long whatever
    /// the share of draws) [default: normalized].
    #[arg(long)]
    model: Option<Model>,
    /// Difference under H0 [default: 0].
    #[arg(long, allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// Difference under H1 [default: 5].
    #[arg(long, allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// Greatest probability of accepting H1 although H0 is true [default: 0.05].
    #[arg(long)]
    alpha: Option<f64>,
    /// Greatest probability of accepting H0 although H1 is true [default: 0.05].
    #[arg(long)]
    beta: Option<f64>,
}

impl Hypotheses {
    /// The test, with defaults for the options that were not given.
    pub fn test(&self) -> Sprt {
        let Sprt { model, elo0, elo1, alpha, beta } = Sprt::default();
        Sprt {
            model: self.model.unwrap_or(model),
            elo0: self.elo0.unwrap_or(elo0),
            elo1: self.elo1.unwrap_or(elo1),
            alpha: self.alpha.unwrap_or(alpha),
            beta: self.beta.unwrap_or(beta),
        }
    }

    /// Whether one of the options was given.
    pub fn were_given(&self) -> bool {
        let numbers = [self.elo0, self.elo1, self.alpha, self.beta];
        self.model.is_some() || numbers.iter().any(Option::is_some)
    }
}
