//! `kirin bench net`: evaluations per second without libtorch and with it, by number format, batch and threads, and what a
//! run on this machine would choose.

use super::{Subject, size};
use clap::Args;
use report::number::counted;
use rules::Variant;
use serde::Serialize;
use std::time::Duration;
use train::{Backend, EvaluatorConfig, Kernel, Layout, NetworkFile, Precision};

/// Measure a network alone: evaluations per second in every setting that is left open, on positions of random games.
///
/// The table has rows of the native backend, which needs no libtorch, and of libtorch where it is installed. The last lines
/// say which setting a run on this machine would choose, and how far its results are from those of fp32.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// How many seconds to measure for each line of the table.
    #[arg(long, default_value_t = 0.7, value_parser = super::seconds)]
    seconds: f64,
}

/// A setting and its speed.
#[derive(Serialize)]
struct Row {
    backend: Backend,
    precision: Precision,
    /// The instruction set of the native backend.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<String>,
    /// Order of activations in libtorch.
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<Layout>,
    /// Positions in a call.
    batch: usize,
    /// Threads that work at the same time.
    threads: usize,
    /// Those of them that share a call.
    threads_a_call: usize,
    evaluations_per_second: f64,
}

#[derive(Serialize)]
struct NetworkSpeed {
    variant: &'static str,
    network: String,
    threads: usize,
    device: String,
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
    let workload = subject.workload(&open)?;
    let best = open.resolve(file, workload)?;
    let measured = |config: &EvaluatorConfig| -> anyhow::Result<Row> {
        let callers = config.callers(threads);
        let evaluations_per_second = train::rate(file, config, callers, time)?;
        let native = config.backend == Backend::Native;
        Ok(Row {
            backend: config.backend,
            precision: config.precision,
            kernel: if native { Some(Kernel::chosen()?.to_string()) } else { None },
            layout: (!native).then_some(config.layout),
            batch: config.batch,
            threads: callers * config.threads,
            threads_a_call: config.threads,
            evaluations_per_second,
        })
    };
    let mut all = Vec::new();
    for backend in [Backend::Native, Backend::Torch] {
        let only = EvaluatorConfig { backend, ..open.clone() };
        let mut complaints = settings::Complaints::default();
        only.check(&mut complaints);
        if [Backend::Auto, backend].contains(&open.backend) && complaints.is_empty() {
            match only.resolve(file, workload) {
                Ok(best) => all.extend(candidates(&only, &best, threads)),
                // It is no error if libtorch is not installed: the native rows remain.
                Err(error) if open.backend == Backend::Auto && backend == Backend::Torch => {
                    eprintln!("libtorch is not measured: {error}");
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    let rows = all.iter().map(measured).collect::<anyhow::Result<Vec<_>>>()?;
    let reference = EvaluatorConfig { precision: Precision::Fp32, ..best.clone() };
    let [wdl_difference, policy_difference] = train::difference(file, &reference, &best)?;
    let device = best.device.to_string();
    let best = measured(&best)?;
    let network = size(file);
    let speed =
        NetworkSpeed { variant: V::ID, network, threads, device, best, wdl_difference, policy_difference, rows };
    if subject.machine.json {
        println!("{}", serde_json::to_string(&speed)?);
    } else {
        print(&speed);
    }
    Ok(())
}

/// Every setting that was left open, varied from the best of its backend; slow ones included, to show what they cost.
fn candidates(open: &EvaluatorConfig, best: &EvaluatorConfig, threads: usize) -> Vec<EvaluatorConfig> {
    let native = best.backend == Backend::Native;
    let formats = match open.precision {
        Precision::Auto if native => vec![Precision::Int8, Precision::Fp32],
        Precision::Auto => vec![Precision::Fp32, Precision::Bf16],
        given => vec![given],
    };
    let batches = match open.batch {
        0 if native => vec![1, best.batch],
        0 if best.batch > 128 => vec![256, 512, 1024, 2048],
        0 => vec![16, 32, 64, 128],
        given => vec![given],
    };
    // Threads within a call, and callers: one thread alone or a call on each; with libtorch on a CPU also one call on all
    // threads, and on a GPU batches in flight.
    let splits = match (best.callers, threads) {
        (0, 1) => vec![(1, 0)],
        _ if native => vec![(1, 1), (1, threads)],
        (0, threads) => vec![(1, 0), (threads, 0)],
        _ => (1..=4).map(|callers| (1, callers)).collect(),
    };
    let layouts = if native { vec![best.layout] } else { vec![Layout::ChannelsLast, Layout::Contiguous] };
    let mut all = Vec::new();
    for &precision in &formats {
        for &layout in &layouts {
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
        speed.device
    );
    println!("backend  precision  kernel or layout  batch  threads  in a call  evaluations/s");
    let line = |row: &Row| {
        let Row { backend, precision, batch, threads, threads_a_call, evaluations_per_second, .. } = row;
        let layout = || row.layout.map(|layout| layout.to_string()).unwrap_or_default();
        let how = row.kernel.clone().unwrap_or_else(layout);
        println!(
            "{backend:<7}  {precision:<9}  {how:<16} {batch:>6} {threads:>8} {threads_a_call:>10} \
             {evaluations_per_second:>14.0}"
        );
    };
    speed.rows.iter().for_each(line);
    println!("a run would choose");
    line(&speed.best);
    println!(
        "which differs from fp32 by at most {:.4} in win, draw and loss\nand by at most {:.4} in the probability of a move",
        speed.wdl_difference, speed.policy_difference
    );
}
