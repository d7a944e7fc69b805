//! `kirin bench gain`: what bf16 gains over fp32 in self-play, against what it gains the network alone.

use super::cell::{Cell, Games, Tree};
use super::{Format, Machine, network};
use clap::Args;
use rules::{Variant, VariantId};
use serde::Serialize;
use std::time::Duration;

/// What bf16 gains over fp32, in self-play and by the network alone, in one run
#[derive(Args)]
pub struct Arguments {
    /// The variant.
    #[arg(long, value_parser = crate::commands::variant)]
    pub(super) variant: VariantId,
    /// A network file, or the size of one that is made up for this: blocks x channels.
    #[arg(long, default_value = "4x64")]
    net: String,
    /// Simulations a move.
    #[arg(long, default_value_t = 64)]
    visits: u32,
    #[command(flatten)]
    machine: Machine,
    /// Seconds of self-play in each number format.
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
}

/// Turns of both number formats, one after the other.
const TURNS: u32 = 6;

#[derive(Serialize)]
struct Found {
    variant: &'static str,
    network: String,
    visits: u32,
    /// Evaluations per second in self-play: fp32, bf16.
    evals_per_s: [f64; 2],
    /// Those of the network alone.
    net_evals_per_s: [f64; 2],
    /// bf16 by fp32 in self-play.
    gain: f64,
    /// The same of the network alone.
    net_gain: f64,
    /// The one by the other.
    ratio: f64,
}

pub(super) fn main<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    let games = Games { visits: arguments.visits, tree: Tree::Gumbel, slots: 0 };
    let cell = |format| -> anyhow::Result<Cell<V>> {
        let machine = &arguments.machine;
        Cell::new(network::<V>(&arguments.net)?, machine, &machine.evaluator(format)?, games)
    };
    let (mut slow, mut fast) = (cell(Format::Fp32)?, cell(Format::Bf16)?);
    let turn = Duration::from_secs_f64((arguments.seconds / f64::from(TURNS)).clamp(0.2, 3600.0));
    for _ in 0..TURNS {
        slow.turn(turn)?;
        fast.turn(turn)?;
    }
    let (slow, fast) = (slow.found(), fast.found());
    let (gain, net_gain) = (fast.evals_per_s / slow.evals_per_s, fast.net_evals_per_s / slow.net_evals_per_s);
    let found = Found {
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
        println!("{}", serde_json::to_string(&found)?);
        return Ok(());
    }
    println!("{} {}, {} visits", found.variant, found.network, found.visits);
    println!("evaluations/s         fp32      bf16   gain");
    for (what, [fp32, bf16], gain) in
        [("in self-play  ", found.evals_per_s, found.gain), ("network alone ", found.net_evals_per_s, found.net_gain)]
    {
        println!("{what}      {fp32:>9.0} {bf16:>9.0}  {gain:.3}");
    }
    println!("gain in self-play by the gain of the network alone: {:.3}", found.ratio);
    Ok(())
}
