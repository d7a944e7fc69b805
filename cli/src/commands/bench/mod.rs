//! `kirin bench`: the speed of a network alone, of self-play and matches compared with it, of training, and of the
//! statistics of many games.

mod cell;
mod matches;
mod net;
mod openings;
mod pytorch;
mod selfplay;
mod training;
mod window;

use crate::commands::network::read;
use crate::failure::{input, sound};
use clap::{Args, Subcommand};
use rules::VariantId;
use settings::Complaints;
use std::path::Path;
use train::{Backend, Blueprint, DeviceChoice, EvaluatorConfig, NetworkConfig, NetworkFile, Precision, Workload};

/// Measure the speed of this machine.
///
/// There is a command for networks alone, self-play, matches, training and opening statistics.
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
    Train(training::Arguments),
    Openings(openings::Arguments),
}

/// Seconds that a measurement takes.
fn seconds(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0)
        .ok_or("it must be more than 0".into())
}

/// One network and the options of its measurement.
#[derive(Args)]
struct Subject {
    /// The variant; needed only where --net is a size, since a network knows its variant.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    /// A network file, a run folder for its newest network, or the size of an untrained network: BLOCKSxCHANNELS.
    #[arg(long, default_value = "4x64")]
    net: String,
    /// The number format of the network in play: auto, int8, bf16 or fp32.
    #[arg(long, default_value_t = Precision::Auto)]
    precision: Precision,
    #[command(flatten)]
    machine: Machine,
}

impl Subject {
    /// The network and its variant.
    fn network(&self) -> anyhow::Result<(NetworkFile, VariantId)> {
        network(&self.net, self.variant)
    }

    /// The settings of the evaluator that the options give.
    fn evaluator(&self) -> anyhow::Result<EvaluatorConfig> {
        self.machine.evaluator(self.precision)
    }

    /// The workload: self-play as in a configuration.
    fn workload(&self, evaluator: &EvaluatorConfig) -> anyhow::Result<Workload> {
        Ok(Workload { threads: self.machine.threads(), leaves: self.machine.leaves(evaluator)? })
    }
}

/// Options of the measurement of a network.
#[derive(Args)]
struct Machine {
    /// How many threads to use; 0 means one for each core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// What evaluates networks: native (without libtorch), torch, or auto as in a run.
    #[arg(long, default_value_t = Backend::Auto)]
    backend: Backend,
    /// Where the network runs: auto (on a GPU if there is one), cpu or cuda.
    #[arg(long, default_value_t = DeviceChoice::Auto)]
    device: DeviceChoice,
    /// How many positions the network evaluates at once; 0 means 32, or with libtorch the fastest number, which is measured
    /// first.
    #[arg(long, default_value_t = 0)]
    batch: usize,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// Games in flight for each thread of a CPU.
const SLOTS: usize = 128;
/// Games in flight on a GPU, over all threads.
const GPU_SLOTS: usize = 8192;

impl Machine {
    fn threads(&self) -> usize {
        settings::threads(self.threads)
    }

    /// Games in flight, as configurations have them: positions that may wait for the network at once.
    fn leaves(&self, evaluator: &EvaluatorConfig) -> anyhow::Result<usize> {
        let on_cpu = SLOTS * self.threads();
        Ok(if evaluator.needs_libtorch()? && evaluator.device.resolve()?.is_cuda() {
            on_cpu.max(GPU_SLOTS)
        } else {
            on_cpu
        })
    }

    /// The settings of the evaluator in this number format, with the others that the options give.
    fn evaluator(&self, precision: Precision) -> anyhow::Result<EvaluatorConfig> {
        let config = EvaluatorConfig {
            backend: self.backend,
            device: self.device,
            precision,
            batch: self.batch,
            ..EvaluatorConfig::default()
        };
        let mut complaints = Complaints::default();
        config.check(&mut complaints);
        sound(complaints)?;
        Ok(config)
    }
}

/// The network of the option `--net`, and its variant: that of `--variant`, or else the one that a network file names.
fn network(net: &str, variant: Option<VariantId>) -> anyhow::Result<(NetworkFile, VariantId)> {
    let path = Path::new(net);
    if path.exists() {
        return read(path, variant);
    }
    let size = net.split_once('x').and_then(|(blocks, channels)| {
        let (blocks, channels) = (blocks.parse().ok()?, channels.parse().ok()?);
        let usual = NetworkConfig::default();
        // A narrow network has no more hidden units than channels.
        Some(NetworkConfig { blocks, channels, se_hidden: usual.se_hidden.min(channels), ..usual })
    });
    let Some(size) = size else {
        return Err(input(format!("--net {net}: there is no such file, and it is not a size like 4x64")));
    };
    let mut complaints = Complaints::default();
    complaints.section("--net", |complaints| size.check(complaints));
    sound(complaints)?;
    let Some(variant) = variant else {
        return Err(input(format!("no variant is given for the network of size {net}; add --variant")));
    };
    let blueprint = rules::dispatch!(variant, V => Blueprint::of::<V>(size));
    Ok((train::untrained(blueprint, 1)?, variant))
}

/// `4x64`.
fn size(file: &NetworkFile) -> String {
    let config = &file.blueprint().config;
    format!("{}x{}", config.blocks, config.channels)
}

/// Runs the command.
///
/// # Errors
/// The network cannot be used, an argument is wrong, or a measurement fails.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Net(arguments) => {
            let (file, variant) = arguments.subject.network()?;
            rules::dispatch!(variant, V => net::main::<V>(arguments, &file))
        }
        Command::Match(arguments) => {
            let (file, variant) = arguments.subject.network()?;
            rules::dispatch!(variant, V => matches::main::<V>(arguments, &file))
        }
        Command::Selfplay(arguments) => selfplay::main(arguments),
        Command::Train(arguments) => training::main(arguments),
        Command::Openings(arguments) => openings::main(arguments),
    }
}
