//! `kirin bench net`: evaluations per second by number format, memory layout, batch and threads, and what a run on
//! this machine would choose.

use super::{Subject, size};
use clap::Args;
use report::number::counted;
use rules::Variant;
use serde::Serialize;
use std::time::Duration;
use train::{EvaluatorConfig, Layout, NetworkFile, Precision};

/// Measure a network alone: evaluations per second in every setting that is left open, on positions of random games.
///
/// The last lines say which setting a run on this machine would choose, and how far its results are from those of fp32.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// How many seconds to measure for each line of the table.
    #[arg(long, default_value_t = 0.7)]
    seconds: f64,
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    config: EvaluatorConfig,
    evals_per_s: f64,
}

#[derive(Serialize)]
struct NetworkSpeed {
    variant: &'static str,
    network: String,
    threads: usize,
    /// What a run would choose, and how fast it is.
    best: Row,
    /// Greatest difference of its win, draw and loss from those in fp32.
    wdl_difference: f32,
    /// Greatest difference of its probability of a move from that in fp32.
    policy_difference: f32,
    rows: Vec<Row>,
}

pub(super) fn main<V: Variant>(arguments: &Arguments, file: &NetworkFile) -> anyhow::Result<()> {
    let subject = &arguments.subject;
    let threads = subject.machine.threads();
    let time = Duration::from_secs_f64(arguments.seconds.clamp(0.05, 600.0));
    let open = subject.evaluator()?;
    let best = open.resolve(file, subject.workload(&open)?)?;
    let measured = |config: &EvaluatorConfig| -> anyhow::Result<Row> {
        let evals_per_s = train::rate(file, config, config.callers(threads), time)?;
        Ok(Row { config: config.clone(), evals_per_s })
    };
    let mut rows = Vec::new();
    for config in candidates(&open, &best, threads) {
        rows.push(measured(&config)?);
    }
    let reference = EvaluatorConfig { precision: Precision::Fp32, ..best.clone() };
    let [wdl_difference, policy_difference] = train::difference(file, &reference, &best)?;
    let best = measured(&best)?;
    let speed =
        NetworkSpeed { variant: V::ID, network: size(file), threads, best, wdl_difference, policy_difference, rows };
    if subject.machine.json {
        println!("{}", serde_json::to_string(&speed)?);
    } else {
        print(&speed);
    }
    Ok(())
}

/// Every setting that was left open, varied from the best; slow ones included, to show what they cost.
fn candidates(open: &EvaluatorConfig, best: &EvaluatorConfig, threads: usize) -> Vec<EvaluatorConfig> {
    let formats = match open.precision {
        Precision::Auto => vec![Precision::Fp32, Precision::Bf16],
        given => vec![given],
    };
    let batches = match open.batch {
        0 if best.batch > 128 => vec![256, 512, 1024, 2048],
        0 => vec![16, 32, 64, 128],
        given => vec![given],
    };
    // Threads within a call, and callers: on a CPU one call on all threads or a call on each; on a GPU batches in
    // flight.
    let splits = match (best.callers, threads) {
        (0, 1) => vec![(1, 0)],
        (0, threads) => vec![(1, 0), (threads, 0)],
        _ => (1..=4).map(|callers| (1, callers)).collect(),
    };
    let mut all = Vec::new();
    for &precision in &formats {
        for layout in [Layout::ChannelsLast, Layout::Contiguous] {
            for &batch in &batches {
                for &(threads, callers) in &splits {
                    all.push(EvaluatorConfig { precision, layout, batch, threads, callers, ..best.clone() });
                }
            }
        }
    }
    all
}

fn print(speed: &NetworkSpeed) {
    println!(
        "{} {}, {}, on the {}",
        speed.variant,
        speed.network,
        counted(speed.threads as u64, "thread", "threads"),
        speed.best.config.device
    );
    println!("precision  layout         batch  threads a call  callers  evaluations/s");
    let line = |row: &Row| {
        let EvaluatorConfig { precision, layout, batch, threads, .. } = &row.config;
        let callers = row.config.callers(speed.threads);
        let rate = row.evals_per_s;
        println!("{precision:<9}  {layout:<13} {batch:>6}  {threads:>14}  {callers:>7}  {rate:>13.0}");
    };
    speed.rows.iter().for_each(line);
    println!("a run would choose");
    line(&speed.best);
    println!(
        "which differs from fp32 by at most {:.4} in win, draw and loss\nand by at most {:.4} in the probability of a move",
        speed.wdl_difference, speed.policy_difference
    );
}
