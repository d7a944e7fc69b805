//! `kirin bench train`: samples per second in training, and where the time goes, compared with the same training in PyTorch.

use super::pytorch::PyTorch;
use super::{network, size};
use crate::failure::sound;
use ::data::{DataStore, Provenance};
use clap::Args;
use rules::{Variant, VariantId};
use serde::Serialize;
use settings::Complaints;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use train::{
    Blueprint, DataConfig, Dataset, DeviceChoice, NetworkFile, TrainConfig, TrainPrecision, TrainReport, TrainShares,
    Trainer, TrainingSpan,
};

/// Measure training: samples per second on positions of random games, and where the time goes.
///
/// If `scripts/oracles python` has been run and the network trains on the CPU, PyTorch trains the same network on the same
/// samples, in turns with Kirin: same batch, number format, losses, optimiser and threads. Its batches are ready in memory,
/// while Kirin makes its own from the games, as it does in a run.
#[derive(Args)]
pub struct Arguments {
    /// The variant; needed only where --net is a size, since a network knows its variant.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    /// The size of the network, BLOCKSxCHANNELS, or a network file or run folder of that size. It is trained from nothing.
    #[arg(long, default_value = "4x64")]
    net: String,
    /// How many samples a step has.
    #[arg(long, default_value_t = 256)]
    batch: usize,
    /// The number format in the trunk: auto (measured), fp32 or bf16.
    #[arg(long, default_value_t = TrainPrecision::Fp32)]
    precision: TrainPrecision,
    /// How many threads to use; 0 means one for each core.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Where the network runs: auto (on a GPU if there is one), cpu or cuda.
    #[arg(long, default_value_t = DeviceChoice::Auto)]
    device: DeviceChoice,
    /// How many seconds to train with each of the two.
    #[arg(long, default_value_t = 20.0, value_parser = super::seconds)]
    seconds: f64,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// Turns of both, one after the other.
const TURNS: u32 = 4;
/// Training before counting begins, in which memory is touched for the first time.
const WARM_UP: Duration = Duration::from_millis(1500);
/// Games that samples are drawn from, with up to 120 positions each.
const GAMES: usize = 200;
/// Batches that PyTorch trains on, one after the other.
const BATCHES: u64 = 16;
/// Seed of network and games.
const SEED: u64 = 1;

#[derive(Serialize)]
struct TrainSpeed {
    variant: &'static str,
    network: String,
    precision: TrainPrecision,
    batch: usize,
    threads: usize,
    /// Parts of a batch that are computed side by side.
    parts: usize,
    samples_per_s: f64,
    /// Share of the threads' time in which they wait for batches or make them.
    loader_wait: f64,
    /// Where the time of the threads goes; the shares sum to 1.
    time: TrainShares,
    /// The version of PyTorch; `null` if it was not measured.
    pytorch: Option<String>,
    pytorch_samples_per_s: Option<f64>,
    /// Kirin's samples per second divided by PyTorch's.
    ratio: Option<f64>,
}

pub(super) fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (file, variant) = network(&arguments.net, arguments.variant)?;
    let speed = rules::dispatch!(variant, V => measured::<V>(arguments, &file))?;
    if arguments.json {
        println!("{}", serde_json::to_string(&speed)?);
    } else {
        print(&speed);
    }
    Ok(())
}

fn measured<V: Variant>(arguments: &Arguments, file: &NetworkFile) -> anyhow::Result<TrainSpeed> {
    let &Arguments { batch, precision, threads, device, .. } = arguments;
    let data = DataConfig { validation_share: 0.0, ..DataConfig::default() };
    let config = TrainConfig { batch, precision, threads, device, data, ..TrainConfig::default() };
    let mut complaints = Complaints::default();
    config.check(&mut complaints);
    sound(complaints)?;
    let blueprint = file.blueprint();
    let config = config.resolve(blueprint)?;
    let folder = tempfile::tempdir()?;
    let dataset = random_dataset::<V>(folder.path(), &config)?;
    let mut peer = peer(folder.path(), &dataset, blueprint, &config)?;
    let mut trainer = Trainer::new(blueprint.clone(), config.clone(), SEED)?;

    turn(&mut trainer, &dataset, WARM_UP)?;
    if let Some(peer) = &mut peer {
        peer.train(WARM_UP)?;
    }
    let time = Duration::from_secs_f64((arguments.seconds / f64::from(TURNS)).clamp(0.05, 3600.0));
    let (mut reports, mut peers) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        reports.push(turn(&mut trainer, &dataset, time)?);
        if let Some(peer) = &mut peer {
            peers.push(peer.train(time)?);
        }
    }
    let seconds: f64 = reports.iter().map(|report| report.seconds).sum();
    let samples: f64 = reports.iter().map(|report| report.training.samples).sum();
    let samples_per_s = samples / seconds;
    let time = mean(&reports, seconds);
    let pytorch_samples_per_s = peer.is_some().then(|| {
        let [samples, seconds] = peers.iter().fold([0.0, 0.0], |sum, turn| [sum[0] + turn[0], sum[1] + turn[1]]);
        samples / seconds
    });
    Ok(TrainSpeed {
        variant: V::ID,
        network: size(file),
        precision: config.precision,
        batch: config.batch,
        threads: config.threads,
        parts: config.parts,
        samples_per_s,
        loader_wait: time.data,
        time,
        pytorch: peer.map(|peer| peer.version().to_owned()),
        pytorch_samples_per_s,
        ratio: pytorch_samples_per_s.map(|theirs| samples_per_s / theirs),
    })
}

/// Random games as training sees them.
fn random_dataset<V: Variant>(folder: &Path, config: &TrainConfig) -> anyhow::Result<Dataset<V>> {
    let (store, _) = DataStore::open(&folder.join("data"))?;
    let games = ::selfplay::random_records::<V>(GAMES, SEED);
    store.commit_shard(0, "bench", &games, &Provenance::default())?;
    let mut dataset = Dataset::new(config.data.clone(), SEED);
    dataset.refresh(&store)?;
    Ok(dataset)
}

/// PyTorch with the same network and batches; `None` and a printed line with the reason where it cannot be compared.
fn peer<V: Variant>(
    folder: &Path,
    dataset: &Dataset<V>,
    blueprint: &Blueprint,
    config: &TrainConfig,
) -> anyhow::Result<Option<PyTorch>> {
    if config.device.resolve()?.is_cuda() {
        eprintln!("SKIPPED: PyTorch is compared only on the CPU; give --device cpu");
        return Ok(None);
    }
    let Some(found) = PyTorch::find() else { return Ok(None) };
    let (net, samples) = (folder.join("net.safetensors"), folder.join("samples.safetensors"));
    train::untrained(blueprint.clone(), SEED)?.write(&net)?;
    dataset.write_batches(&samples, blueprint, config.batch, 1..BATCHES + 1, 0.0)?;
    Ok(Some(found.start(&net, &samples, config.precision, config.threads)?))
}

/// Continues the training for some time.
fn turn<V: Variant>(trainer: &mut Trainer, dataset: &Dataset<V>, time: Duration) -> anyhow::Result<TrainReport> {
    let (begin, stop) = (Instant::now(), AtomicBool::new(false));
    let first_step = trainer.step();
    // Progress stays at 0, as in the batches that are written for PyTorch.
    let round =
        TrainingSpan { generation: 0, first_step, last_step: u64::MAX / 2, progress_before: 0.0, progress_after: 0.0 };
    let report = trainer.train(dataset, &round, &stop, &mut |_| {
        stop.store(begin.elapsed() >= time, Ordering::Relaxed);
    })?;
    Ok(report)
}

/// The shares over all turns.
fn mean(reports: &[TrainReport], seconds: f64) -> TrainShares {
    let of = |share: fn(&TrainShares) -> f64| {
        reports.iter().map(|report| share(&report.shares) * report.seconds).sum::<f64>() / seconds
    };
    TrainShares {
        data: of(|shares| shares.data),
        tensors: of(|shares| shares.tensors),
        forward: of(|shares| shares.forward),
        loss: of(|shares| shares.loss),
        backward: of(|shares| shares.backward),
        uneven: of(|shares| shares.uneven),
        parts: of(|shares| shares.parts),
        optimiser: of(|shares| shares.optimiser),
        average: of(|shares| shares.average),
        rest: of(|shares| shares.rest),
    }
}

fn print(speed: &TrainSpeed) {
    let TrainSpeed { variant, network, precision, batch, threads, parts, time, .. } = speed;
    println!("{variant} {network}, {precision}, batches of {batch} in {parts} parts, threads: {threads}");
    println!("samples/s      {:>9.0}", speed.samples_per_s);
    if let (Some(version), Some(theirs), Some(ratio)) = (&speed.pytorch, speed.pytorch_samples_per_s, speed.ratio) {
        println!("               {theirs:>9.0} by PyTorch {version}");
        println!("ratio          {ratio:>9.3}");
    }
    println!("time of the threads");
    for (share, what) in [
        (time.data, "batches made from games, or waited for"),
        (time.tensors, "batches put into tensors"),
        (time.forward, "forward pass"),
        (time.loss, "losses, the logits of moves among them"),
        (time.backward, "backward pass"),
        (time.uneven, "waiting for the slowest part"),
        (time.parts, "gradients added up, weights copied"),
        (time.optimiser, "optimiser"),
        (time.average, "moving average of the weights"),
        (time.rest, "the rest"),
    ] {
        println!("               {:>9.2} %  {what}", 100.0 * share);
    }
}
