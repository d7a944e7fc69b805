//! How networks are evaluated in play: number format, memory layout, batch and threads.

use crate::device::DeviceChoice;
use serde::{Deserialize, Serialize};
use settings::Complaints;

/// What evaluates networks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// libtorch on a GPU, and where bf16 or a layout is asked for, which it alone has; otherwise `native`.
    #[default]
    Auto,
    /// Package `network`: on the CPU, without libtorch.
    Native,
    /// libtorch.
    Torch,
}

settings::named!(Backend { Auto = "auto", Native = "native", Torch = "torch" });

/// Number format of weights and activations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// The fastest format on this machine whose evaluations agree with those of fp32. Without libtorch that is `int8`, with
    /// libtorch it is measured at start.
    #[default]
    Auto,
    /// 32 bits: the reference.
    Fp32,
    /// bfloat16: 8 bits of mantissa. libtorch alone has it.
    Bf16,
    /// Integers of 8 bits with scales for each channel. Only play without libtorch has it.
    Int8,
}

settings::named!(Precision { Auto = "auto", Fp32 = "fp32", Bf16 = "bf16", Int8 = "int8" });

/// Order of activations in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// The faster layout on this machine, measured at start. Only libtorch has the choice.
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
    /// What evaluates networks: `auto`, `native` (on the CPU, without libtorch) or `torch` (libtorch). `auto` is `torch` on a
    /// GPU or where bf16 or a layout is set, and otherwise `native`.
    pub backend: Backend,
    /// `auto` (a GPU where there is one), `cpu` or `cuda`.
    pub device: DeviceChoice,
    /// `auto`, `int8` (native only), `bf16` (torch only) or `fp32`. `auto` is int8 where the backend is native; with libtorch
    /// it is measured at start. A network whose int8 or bf16 is too far from fp32 is evaluated in fp32.
    pub precision: Precision,
    /// Order of activations in libtorch: `auto` (measured at start), `channels-last` or `contiguous`.
    pub layout: Layout,
    /// Positions in a batch, 0 to 4,096. 0 means 32 where the backend is native, whose speed does not depend on it; with
    /// libtorch, which pads a smaller batch to this size, it is measured at start.
    pub batch: usize,
    /// Threads inside one network call of libtorch on a CPU, 0 to 256. 0 means that it is measured at start: one call on
    /// all threads at a time, or a call of its own on each thread. Without libtorch it is 1.
    pub threads: usize,
    /// Threads of self-play, each with its own games and its own network calls, 0 to 256. 0 means as many as fit on a
    /// CPU. On a GPU 0 means that the number is measured at start; it is usually two or more, so that the GPU computes
    /// one batch while the next one is collected. Games do not depend on it.
    pub callers: usize,
}

impl Default for EvaluatorConfig {
    fn default() -> Self {
        EvaluatorConfig {
            backend: Backend::Auto,
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
        match (self.backend, self.precision) {
            (Backend::Native, Precision::Bf16) => {
                complaints.say("precision", "bf16 needs libtorch; set int8 or fp32, or backend = \"torch\"");
            }
            (Backend::Torch, Precision::Int8) => {
                complaints.say("precision", "libtorch has no int8; set bf16 or fp32, or backend = \"native\"");
            }
            _ => {}
        }
        if self.device == DeviceChoice::Cuda && (self.backend == Backend::Native || self.precision == Precision::Int8) {
            complaints.say(
                "device",
                "a GPU is used by libtorch alone; set backend = \"torch\" and bf16 or fp32, or device = \"cpu\"",
            );
        }
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
impl EvaluatorConfig {
    /// libtorch in fp32 on one thread, with nothing left open.
    pub fn of_libtorch(batch: usize) -> EvaluatorConfig {
        EvaluatorConfig {
            backend: Backend::Torch,
            device: DeviceChoice::Cpu,
            precision: Precision::Fp32,
            layout: Layout::ChannelsLast,
            batch,
            threads: 1,
            callers: 1,
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
        same_names::<Backend>(Backend::NAMES);
        same_names::<Precision>(Precision::NAMES);
        same_names::<Layout>(Layout::NAMES);
        same_names::<DeviceChoice>(DeviceChoice::NAMES);
    }
}
