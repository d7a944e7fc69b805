//! `kirin bench net`: evaluations per second by number format, memory layout, batch and threads, and what a run on
//! this machine would choose.

use super::{Subject, name, network, size};
use clap::Args;
use rules::Variant;
use serde::Serialize;
use std::time::Duration;
use train::{EvaluatorConfig, Layout, Precision};

/// Evaluations per second of a network, on positions of random games
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// Seconds for each line of the table.
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
struct Found {
    variant: &'static str,
    network: String,
    threads: usize,
    /// What a run would take, and how fast it is.
    best: Row,
    /// Largest difference of its win, draw and loss from fp32's, and of a move's probability.
    wdl_difference: f32,
    policy_difference: f32,
    rows: Vec<Row>,
}

pub(super) fn main<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    let subject = &arguments.subject;
    let (file, threads) = (network::<V>(&subject.net)?, subject.machine.threads());
    let time = Duration::from_secs_f64(arguments.seconds.clamp(0.05, 600.0));
    let open = subject.evaluator()?;
    let best = open.resolve(&file, subject.load(&open)?)?;
    let measured = |config: &EvaluatorConfig| -> anyhow::Result<Row> {
        let evals_per_s = train::rate(&file, config, config.callers(threads), time)?;
        Ok(Row { config: config.clone(), evals_per_s })
    };
    let mut rows = Vec::new();
    for config in candidates(&open, &best, threads) {
        rows.push(measured(&config)?);
    }
    let reference = EvaluatorConfig { precision: Precision::Fp32, ..best.clone() };
    let [wdl_difference, policy_difference] = train::difference(&file, &reference, &best)?;
    let best = measured(&best)?;
    let found = Found { variant: V::ID, network: size(&file), threads, best, wdl_difference, policy_difference, rows };
    if subject.machine.json {
        println!("{}", serde_json::to_string(&found)?);
    } else {
        print(&found);
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

fn print(found: &Found) {
    println!(
        "{} {}, {} threads, on the {}",
        found.variant,
        found.network,
        found.threads,
        name(found.best.config.device)
    );
    println!("precision  layout         batch  threads a call  callers  evaluations/s");
    let line = |row: &Row| {
        let EvaluatorConfig { precision, layout, batch, threads, .. } = &row.config;
        let (precision, layout, callers) = (name(precision), name(layout), row.config.callers(found.threads));
        let rate = row.evals_per_s;
        println!("{precision:<9}  {layout:<13} {batch:>6}  {threads:>14}  {callers:>7}  {rate:>13.0}");
    };
    found.rows.iter().for_each(line);
    println!("a run would take");
    line(&found.best);
    println!(
        "which differs from fp32 by at most {:.4} in win, draw and loss, and {:.4} in a move's probability",
        found.wdl_difference, found.policy_difference
    );
}
