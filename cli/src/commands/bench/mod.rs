//! `kirin bench`: how fast this machine evaluates a network, and how near to that self-play comes.

mod cell;
mod gain;
mod matches;
mod net;
mod selfplay;

use crate::failure::{input, sound};
use crate::run::session;
use clap::{Args, Subcommand, ValueEnum};
use rules::{Variant, VariantId};
use std::path::Path;
use train::{Blueprint, DeviceChoice, EvaluatorConfig, Load, NetworkConfig, NetworkFile, Precision};

/// Measure this machine: network evaluations per second, and self-play against them.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Net(net::Arguments),
    Match(matches::Arguments),
    Selfplay(selfplay::Arguments),
    Gain(gain::Arguments),
}

/// One network, and what it is measured with.
#[derive(Args)]
struct Subject {
    /// The variant.
    #[arg(long, value_parser = crate::commands::variant)]
    variant: VariantId,
    /// A network file, or the size of one that is made up for this: blocks x channels.
    #[arg(long, default_value = "4x64")]
    net: String,
    /// Number format of the network in play.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    precision: Format,
    #[command(flatten)]
    machine: Machine,
}

impl Subject {
    /// Settings of the network's evaluation, as far as they were given.
    fn evaluator(&self) -> anyhow::Result<EvaluatorConfig> {
        self.machine.evaluator(self.precision)
    }

    /// What it is evaluated for: self-play as configurations have it.
    fn load(&self, evaluator: &EvaluatorConfig) -> anyhow::Result<Load> {
        Ok(Load { threads: self.machine.threads(), leaves: self.machine.leaves(evaluator)? })
    }
}

/// What networks are measured with.
#[derive(Args)]
struct Machine {
    /// Threads; 0: one for each core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Where the network runs.
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    device: Device,
    /// Positions in a network call; 0: measured.
    #[arg(long, default_value_t = 0)]
    batch: usize,
    /// JSON, an object a line, instead of text.
    #[arg(long)]
    json: bool,
}

/// Games in flight for each thread of a CPU.
const SLOTS: usize = 128;
/// Games in flight on a GPU, over all threads.
const GPU_SLOTS: usize = 4096;

#[derive(Clone, Copy, ValueEnum)]
enum Device {
    Auto,
    Cpu,
    Cuda,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Auto,
    Fp32,
    Bf16,
}

impl Machine {
    fn threads(&self) -> usize {
        session::threads(self.threads)
    }

    /// Games in flight, as configurations have them: positions that may wait for the network at once.
    fn leaves(&self, evaluator: &EvaluatorConfig) -> anyhow::Result<usize> {
        let on_cpu = SLOTS * self.threads();
        Ok(if evaluator.device.resolve()?.is_cuda() { on_cpu.max(GPU_SLOTS) } else { on_cpu })
    }

    /// Settings of the network's evaluation, as far as they were given.
    fn evaluator(&self, precision: Format) -> anyhow::Result<EvaluatorConfig> {
        let config = EvaluatorConfig {
            device: match self.device {
                Device::Auto => DeviceChoice::Auto,
                Device::Cpu => DeviceChoice::Cpu,
                Device::Cuda => DeviceChoice::Cuda,
            },
            precision: match precision {
                Format::Auto => Precision::Auto,
                Format::Fp32 => Precision::Fp32,
                Format::Bf16 => Precision::Bf16,
            },
            batch: self.batch,
            ..EvaluatorConfig::default()
        };
        let mut complaints = Vec::new();
        config.complaints("", &mut complaints);
        sound(&complaints)?;
        Ok(config)
    }
}

/// The network of a file, or one of a size that is made up.
fn network<V: Variant>(net: &str) -> anyhow::Result<NetworkFile> {
    let path = Path::new(net);
    if path.exists() {
        let file = NetworkFile::read(path)?;
        file.require::<V>(path)?;
        return Ok(file);
    }
    let size = net.split_once('x').and_then(|(blocks, channels)| {
        let (blocks, channels) = (blocks.parse().ok()?, channels.parse().ok()?);
        let usual = NetworkConfig::default();
        // A narrow network squeezes to no more than it has.
        Some(NetworkConfig { blocks, channels, se_hidden: usual.se_hidden.min(channels), ..usual })
    });
    let Some(size) = size else {
        return Err(input(format!("--net {net}: no such file, and no size like 4x64")));
    };
    let mut complaints = Vec::new();
    size.complaints("--net", &mut complaints);
    sound(&complaints)?;
    Ok(NetworkFile::untrained(Blueprint::of::<V>(size), 1)?)
}

/// `4x64`.
fn size(file: &NetworkFile) -> String {
    let config = &file.blueprint().config;
    format!("{}x{}", config.blocks, config.channels)
}

/// Name of a setting as in a configuration file.
fn name(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Net(arguments) => rules::dispatch!(arguments.subject.variant, V => net::main::<V>(arguments)),
        Command::Match(arguments) => rules::dispatch!(arguments.subject.variant, V => matches::main::<V>(arguments)),
        Command::Selfplay(arguments) => selfplay::main(arguments),
        Command::Gain(arguments) => rules::dispatch!(arguments.variant, V => gain::main::<V>(arguments)),
    }
}
