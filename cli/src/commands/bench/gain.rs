//! `kirin bench gain`: what bf16 gains over fp32 in self-play, against what it gains the network alone.

use super::cell::{Cell, Games};
use super::{Machine, network};
use ::selfplay::Algorithm;
use clap::Args;
use rules::{Variant, VariantId};
use serde::Serialize;
use std::time::Duration;
use train::{NetworkFile, Precision};

/// Measure what bf16 gains over fp32, in self-play and for the network alone.
#[derive(Args)]
pub struct Arguments {
    /// The variant; needed only where --net is a size, since a network knows its variant.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    /// A network file, a run folder for its newest network, or the size of an untrained network: BLOCKSxCHANNELS.
    #[arg(long, default_value = "4x64")]
    net: String,
    /// Simulations for each move.
    #[arg(long, default_value_t = 64)]
    visits: u32,
    #[command(flatten)]
    machine: Machine,
    /// How many seconds to play in each number format.
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
}

/// Turns of both number formats, one after the other.
const TURNS: u32 = 6;

#[derive(Serialize)]
struct FormatGain {
    variant: &'static str,
    network: String,
    visits: u32,
    /// Evaluations per second in self-play: fp32, bf16.
    evals_per_s: [f64; 2],
    /// Evaluations per second of the network alone: fp32, bf16.
    net_evals_per_s: [f64; 2],
    /// bf16 divided by fp32, in self-play.
    gain: f64,
    /// bf16 divided by fp32, for the network alone.
    net_gain: f64,
    /// The gain in self-play divided by that of the network alone.
    ratio: f64,
}

pub(super) fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (file, variant) = network(&arguments.net, arguments.variant)?;
    rules::dispatch!(variant, V => measure::<V>(arguments, &file))
}

fn measure<V: Variant>(arguments: &Arguments, file: &NetworkFile) -> anyhow::Result<()> {
    let games = Games { visits: arguments.visits, algorithm: Algorithm::Gumbel, slots: 0 };
    let cell = |format| -> anyhow::Result<Cell<V>> {
        let machine = &arguments.machine;
        Cell::new(file.clone(), machine, &machine.evaluator(format)?, games)
    };
    let (mut slow, mut fast) = (cell(Precision::Fp32)?, cell(Precision::Bf16)?);
    let turn = Duration::from_secs_f64((arguments.seconds / f64::from(TURNS)).clamp(0.2, 3600.0));
    for _ in 0..TURNS {
        slow.turn(turn)?;
        fast.turn(turn)?;
    }
    let (slow, fast) = (slow.speed(), fast.speed());
    let (gain, net_gain) = (fast.evals_per_s / slow.evals_per_s, fast.net_evals_per_s / slow.net_evals_per_s);
    let gained = FormatGain {
        variant: V::ID,
        network: slow.network,
        visits: slow.visits,
        evals_per_s: [slow.evals_per_s, fast.evals_per_s],
        net_evals_per_s: [slow.net_evals_per_s, fast.net_evals_per_s],
        gain,
        net_gain,
        ratio: gain / net_gain,
    };
    if arguments.machine.json {
        println!("{}", serde_json::to_string(&gained)?);
        return Ok(());
    }
    println!("{} {}, {} visits", gained.variant, gained.network, gained.visits);
    println!("evaluations/s         fp32      bf16   gain");
    for (what, [fp32, bf16], gain) in [
        ("in self-play  ", gained.evals_per_s, gained.gain),
        ("network alone ", gained.net_evals_per_s, gained.net_gain),
    ] {
        println!("{what}      {fp32:>9.0} {bf16:>9.0}  {gain:.3}");
    }
    println!("gain in self-play divided by the gain of the network alone: {:.3}", gained.ratio);
    Ok(())
}
