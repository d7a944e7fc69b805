//! `kirin bench selfplay`: evaluations per second in self-play against those of the network alone, in turns.

use super::cell::{Cell, Games, SelfplaySpeed};
use super::{Machine, network};
use ::search::Algorithm;
use clap::Args;
use report::number::counted;
use rules::{Variant, VariantId};
use std::time::Duration;
use train::{EvaluatorConfig, NetworkFile, Precision};

/// Measure self-play: evaluations per second, against those of the network alone.
///
/// Several variants, networks, number formats or numbers of visits, separated by commas, are measured in all combinations and printed as
/// a Markdown table.
#[derive(Args)]
pub struct Arguments {
    /// The variant, or several: xiangqi,shogi. Needed only where --net is a size, since a network knows its variant.
    #[arg(long, value_delimiter = ',', value_parser = crate::commands::variants())]
    variant: Vec<VariantId>,
    /// A network file, a run folder for its newest network, or the size of an untrained network: BLOCKSxCHANNELS.
    /// Several: 4x64,6x96.
    #[arg(long, value_delimiter = ',', default_value = "4x64")]
    net: Vec<String>,
    /// Visits for each move. Several: 16,64,400.
    #[arg(long, value_delimiter = ',', default_value = "64")]
    visits: Vec<u32>,
    /// The number format of the network in play: auto, int8, bf16 or fp32. Several: fp32,int8.
    #[arg(long, value_delimiter = ',', default_value = "auto")]
    precision: Vec<Precision>,
    #[command(flatten)]
    machine: Machine,
    /// How moves are chosen in the tree: gumbel or puct.
    #[arg(long, default_value_t = Algorithm::Gumbel)]
    search: Algorithm,
    /// How many seconds to play, for each row of a table.
    #[arg(long, default_value_t = 20.0, value_parser = super::seconds)]
    seconds: f64,
    /// How many games to play at once; 0 means as many as a batch has positions, for each thread.
    #[arg(long, default_value_t = 0)]
    slots: u32,
}

/// Turns of self-play and network.
const TURNS: u32 = 4;

pub(super) fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { net: nets, visits, precision: formats, .. } = arguments;
    let variants: Vec<Option<VariantId>> = match arguments.variant.as_slice() {
        [] => vec![None],
        given => given.iter().copied().map(Some).collect(),
    };
    let many = variants.len() * nets.len() * formats.len() * visits.len() > 1;
    if many && !arguments.machine.json {
        println!(
            "| variant | network | visits | evaluations/s | of the network alone | ratio | positions/s | known | outside the network, µs a visit | precision, batch |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
    }
    for &variant in &variants {
        for net in nets {
            let (file, variant) = network(net, variant)?;
            for &format in formats {
                // Settings that are measured are measured once for each network and format.
                let mut evaluator = arguments.machine.evaluator(format)?;
                for &visits in visits {
                    let speed = rules::dispatch!(variant, V => measured::<V>(arguments, &file, &evaluator, visits))?;
                    evaluator = speed.evaluator.clone();
                    match (arguments.machine.json, many) {
                        (true, _) => println!("{}", serde_json::to_string(&speed)?),
                        (false, true) => print_row(&speed),
                        (false, false) => print(&speed),
                    }
                }
            }
        }
    }
    Ok(())
}

fn measured<V: Variant>(
    arguments: &Arguments,
    file: &NetworkFile,
    evaluator: &EvaluatorConfig,
    visits: u32,
) -> anyhow::Result<SelfplaySpeed> {
    let games = Games { visits, algorithm: arguments.search, slots: arguments.slots };
    let mut cell = Cell::<V>::new(file.clone(), &arguments.machine, evaluator, games)?;
    let turn = Duration::from_secs_f64((arguments.seconds / f64::from(TURNS)).clamp(0.05, 3600.0));
    (0..TURNS).try_for_each(|_| cell.turn(turn))?;
    Ok(cell.speed())
}

fn print_row(speed: &SelfplaySpeed) {
    println!(
        "| {} | {} | {} | {:.0} | {:.0} | {:.3} | {:.1} | {:.1} % | {:.2} | {}, {} |",
        speed.variant,
        speed.network,
        speed.visits,
        speed.evals_per_s,
        speed.net_evals_per_s,
        speed.ratio,
        speed.positions_per_s,
        100.0 * speed.cache_hit_rate,
        speed.overhead_us,
        speed.evaluator.precision,
        speed.evaluator.batch,
    );
}

fn print(speed: &SelfplaySpeed) {
    let EvaluatorConfig { device, precision, layout, batch, threads, .. } = &speed.evaluator;
    println!(
        "{} {}, {} visits, {} on the {}, {} at once\n{}, {}, batches of {batch}, {} a call",
        speed.variant,
        speed.network,
        speed.visits,
        counted(speed.threads as u64, "thread", "threads"),
        device,
        counted(speed.slots.into(), "game", "games"),
        precision,
        layout,
        counted(*threads as u64, "thread", "threads"),
    );
    println!("evaluations/s  {:>9.0} in self-play", speed.evals_per_s);
    println!("               {:>9.0} by the network alone", speed.net_evals_per_s);
    println!("ratio          {:>9.3}", speed.ratio);
    println!("positions/s    {:>9.1}, of {} visits", speed.positions_per_s, speed.visits);
    println!("batch fill     {:>9.1} %", 100.0 * speed.batch_fill);
    println!("known already  {:>9.1} % of the evaluations needed", 100.0 * speed.cache_hit_rate);
    println!("overhead       {:>9.2} µs of one core for each visit, outside the network", speed.overhead_us);
    println!("time of the threads");
    for (share, what) in [
        (speed.time.network, "the network, as fast as alone"),
        (speed.time.slower_network, "the network, slower than alone"),
        (speed.time.empty_places, "empty places in batches"),
        (speed.time.search, "down the trees: selection, rules, encoding; moves and records"),
        (speed.time.supply, "answers into the trees: expansion and backup"),
        (speed.time.waiting, "waiting"),
    ] {
        println!("               {:>9.2} %  {what}", 100.0 * share);
    }
}
