//! `kirin bench selfplay`: evaluations per second in self-play against those of the network alone, in turns.

use super::cell::{Cell, Found, Games, Tree};
use super::{Format, Machine, name, network};
use clap::Args;
use rules::{Variant, VariantId};
use std::time::Duration;
use train::EvaluatorConfig;

/// Self-play's evaluations per second against those of the network alone
///
/// Several variants, networks or visits, separated by commas, make a table of all of them.
#[derive(Args)]
pub struct Arguments {
    /// The variant, or several: xiangqi,shogi.
    #[arg(long, required = true, value_delimiter = ',', value_parser = crate::commands::variant)]
    variant: Vec<VariantId>,
    /// A network file, or the size of one that is made up for this: blocks x channels. Several: 4x64,6x96.
    #[arg(long, value_delimiter = ',', default_value = "4x64")]
    net: Vec<String>,
    /// Simulations a move. Several: 16,64,400.
    #[arg(long, value_delimiter = ',', default_value = "64")]
    visits: Vec<u32>,
    /// Number format of the network in play.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    precision: Format,
    #[command(flatten)]
    machine: Machine,
    /// How moves are chosen in the tree.
    #[arg(long, value_enum, default_value_t = Tree::Gumbel)]
    search: Tree,
    /// Seconds of self-play, of each row of a table.
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Games in flight; 0: a batch for each thread.
    #[arg(long, default_value_t = 0)]
    slots: u32,
}

/// Turns of self-play and network.
const TURNS: u32 = 4;

pub(super) fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (variants, nets, visits) = (&arguments.variant, &arguments.net, &arguments.visits);
    let many = variants.len() * nets.len() * visits.len() > 1;
    if many && !arguments.machine.json {
        println!(
            "| variant | network | visits | evaluations/s | of the network alone | ratio | positions/s | known | outside the network, µs a simulation | precision, batch |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
    }
    for &variant in variants {
        for net in nets {
            // What the machine decides is decided once for a network.
            let mut evaluator = arguments.machine.evaluator(arguments.precision)?;
            for &visits in visits {
                let found = rules::dispatch!(variant, V => measured::<V>(arguments, net, &evaluator, visits))?;
                evaluator = found.evaluator.clone();
                match (arguments.machine.json, many) {
                    (true, _) => println!("{}", serde_json::to_string(&found)?),
                    (false, true) => print_row(&found),
                    (false, false) => print(&found),
                }
            }
        }
    }
    Ok(())
}

fn measured<V: Variant>(
    arguments: &Arguments,
    net: &str,
    evaluator: &EvaluatorConfig,
    visits: u32,
) -> anyhow::Result<Found> {
    let games = Games { visits, tree: arguments.search, slots: arguments.slots };
    let mut cell = Cell::<V>::new(network::<V>(net)?, &arguments.machine, evaluator, games)?;
    let turn = Duration::from_secs_f64((arguments.seconds / f64::from(TURNS)).clamp(0.2, 3600.0));
    (0..TURNS).try_for_each(|_| cell.turn(turn))?;
    Ok(cell.found())
}

fn print_row(found: &Found) {
    println!(
        "| {} | {} | {} | {:.0} | {:.0} | {:.3} | {:.1} | {:.1} % | {:.2} | {}, {} |",
        found.variant,
        found.network,
        found.visits,
        found.evals_per_s,
        found.net_evals_per_s,
        found.ratio,
        found.positions_per_s,
        100.0 * found.cache_hit_rate,
        found.overhead_us,
        name(found.evaluator.precision),
        found.evaluator.batch,
    );
}

fn print(found: &Found) {
    let EvaluatorConfig { device, precision, layout, batch, threads, .. } = &found.evaluator;
    println!(
        "{} {}, {} visits, {} threads on the {}, {} games at once; {}, {}, batches of {batch}, {threads} threads a call",
        found.variant,
        found.network,
        found.visits,
        found.threads,
        name(device),
        found.slots,
        name(precision),
        name(layout),
    );
    println!("evaluations/s  {:>9.0} in self-play", found.evals_per_s);
    println!("               {:>9.0} by the network alone", found.net_evals_per_s);
    println!("ratio          {:>9.3}", found.ratio);
    println!("positions/s    {:>9.1}, of {} simulations", found.positions_per_s, found.visits);
    println!("batch fill     {:>9.1} %", 100.0 * found.batch_fill);
    println!("known already  {:>9.1} % of the evaluations needed", 100.0 * found.cache_hit_rate);
    println!("overhead       {:>9.2} µs of one core per simulation, outside the network", found.overhead_us);
    println!("time of the threads");
    for (share, what) in [
        (found.time.network, "the network, as fast as alone"),
        (found.time.slower_network, "the network, slower than alone"),
        (found.time.empty_places, "empty places in batches"),
        (found.time.search, "down the trees: selection, rules, encoding; moves and records"),
        (found.time.supply, "answers into the trees: expansion and backup"),
        (found.time.waiting, "waiting"),
    ] {
        println!("               {:>9.2} %  {what}", 100.0 * share);
    }
}
