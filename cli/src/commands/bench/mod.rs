//! `kirin bench`: how fast this machine evaluates a network, and how near to that self-play comes.

mod matches;
mod net;
mod selfplay;

use crate::failure::{input, sound};
use clap::{Args, Subcommand, ValueEnum};
use rules::{Variant, VariantId};
use std::path::Path;
use train::{Blueprint, DeviceChoice, EvaluatorConfig, NetworkConfig, NetworkFile, Precision};

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
}

/// What is measured in both.
#[derive(Args)]
struct Subject {
    /// The variant.
    #[arg(long, value_parser = crate::commands::variant)]
    variant: VariantId,
    /// A network file, or the size of one that is made up for this: blocks x channels.
    #[arg(long, default_value = "4x64")]
    net: String,
    /// Threads; 0: one for each core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Where the network runs.
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    device: Device,
    /// Number format of the network in play.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    precision: Format,
    /// Positions in a network call; 0: measured.
    #[arg(long, default_value_t = 0)]
    batch: usize,
    /// One JSON object instead of text.
    #[arg(long)]
    json: bool,
}

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

impl Subject {
    fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    /// Settings of the network's evaluation, as far as they were given.
    fn evaluator(&self) -> anyhow::Result<EvaluatorConfig> {
        let config = EvaluatorConfig {
            device: match self.device {
                Device::Auto => DeviceChoice::Auto,
                Device::Cpu => DeviceChoice::Cpu,
                Device::Cuda => DeviceChoice::Cuda,
            },
            precision: match self.precision {
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

    fn network<V: Variant>(&self) -> anyhow::Result<NetworkFile> {
        let path = Path::new(&self.net);
        if path.exists() {
            let file = NetworkFile::read(path)?;
            file.require::<V>(path)?;
            return Ok(file);
        }
        let size = self.net.split_once('x').and_then(|(blocks, channels)| {
            let (blocks, channels) = (blocks.parse().ok()?, channels.parse().ok()?);
            let usual = NetworkConfig::default();
            // A narrow network squeezes to no more than it has.
            Some(NetworkConfig { blocks, channels, se_hidden: usual.se_hidden.min(channels), ..usual })
        });
        let Some(size) = size else {
            return Err(input(format!("--net {}: no such file, and no size like 4x64", self.net)));
        };
        let mut complaints = Vec::new();
        size.complaints("--net", &mut complaints);
        sound(&complaints)?;
        Ok(NetworkFile::untrained(Blueprint::of::<V>(size), 1)?)
    }
}

/// Name of a setting as in a configuration file.
fn name(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Match(arguments) => rules::dispatch!(arguments.subject.variant, V => matches::main::<V>(arguments)),
        Command::Net(arguments) => rules::dispatch!(arguments.subject.variant, V => net::main::<V>(arguments)),
        Command::Selfplay(arguments) => {
            rules::dispatch!(arguments.subject.variant, V => selfplay::main::<V>(arguments))
        }
    }
}
