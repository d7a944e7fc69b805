//! How networks are evaluated in play: number format, memory layout, batch and threads.

use crate::device::DeviceChoice;
use serde::{Deserialize, Serialize};
use settings::Complaints;

/// Number format of weights and activations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// The fastest format on this machine whose evaluations agree with those of fp32, measured at start.
    #[default]
    Auto,
    /// 32 bits: the reference.
    Fp32,
    /// bfloat16: 8 bits of mantissa.
    Bf16,
}

settings::named!(Precision { Auto = "auto", Fp32 = "fp32", Bf16 = "bf16" });

/// Order of activations in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// The faster layout on this machine, measured at start.
    #[default]
    Auto,
    /// `[batch, ranks, files, channels]`.
    ChannelsLast,
    /// `[batch, channels, ranks, files]`.
    Contiguous,
}

settings::named!(Layout { Auto = "auto", ChannelsLast = "channels-last", Contiguous = "contiguous" });

/// How networks are evaluated in play. Every value is part of a run's results: the same values and the same seed give
/// the same games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluatorConfig {
    /// `auto` (a GPU where there is one), `cpu` or `cuda`.
    pub device: DeviceChoice,
    /// `auto` (measured at start), `fp32` or `bf16`.
    pub precision: Precision,
    /// `auto` (measured at start), `channels-last` or `contiguous`.
    pub layout: Layout,
    /// Positions in a batch, 0 to 4,096; a smaller batch is padded to this size. 0 means that it is measured at start.
    pub batch: usize,
    /// Threads inside one network call, 0 to 256. 0 means that it is measured at start: one call on all threads at a
    /// time, or a call of its own on each thread.
    pub threads: usize,
    /// Threads of self-play, each with its own games and its own network calls, 0 to 256. 0 means as many as fit on a
    /// CPU. On a GPU 0 means that the number is measured at start; it is usually two or more, so that the GPU computes
    /// one batch while the next one is collected. Games do not depend on it.
    pub callers: usize,
}

impl Default for EvaluatorConfig {
    fn default() -> Self {
        EvaluatorConfig {
            device: DeviceChoice::Auto,
            precision: Precision::Auto,
            layout: Layout::Auto,
            batch: 0,
            threads: 0,
            callers: 0,
        }
    }
}

impl EvaluatorConfig {
    /// Complains about each value that is out of range.
    pub fn check(&self, complaints: &mut Complaints) {
        complaints.within("batch", self.batch, 0, 4096);
        complaints.within("threads", self.threads, 0, 256);
        complaints.within("callers", self.callers, 0, 256);
    }

    /// Number of threads that call the network when `threads` threads may work at the same time.
    pub fn callers(&self, threads: usize) -> usize {
        match self.callers {
            0 => threads.div_ceil(self.threads.max(1)),
            callers => callers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::DeserializeOwned;
    use std::fmt::{Debug, Display};
    use std::str::FromStr;

    fn same_names<T: FromStr<Err: Debug> + Display + Serialize + DeserializeOwned>(names: &[&str]) {
        for name in names {
            let value: T = name.parse().unwrap();
            assert_eq!(
                (value.to_string(), serde_json::to_value(&value).unwrap()),
                ((*name).to_owned(), (*name).into())
            );
            assert!(serde_json::from_value::<T>((*name).into()).is_ok());
        }
    }

    #[test]
    fn configurations_and_the_command_line_use_the_same_names() {
        same_names::<Precision>(Precision::NAMES);
        same_names::<Layout>(Layout::NAMES);
        same_names::<DeviceChoice>(DeviceChoice::NAMES);
    }
}
