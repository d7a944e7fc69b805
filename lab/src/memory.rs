//! Memory that a run needs, estimated before it starts, and memory that is available. A program that exceeds the
//! available memory is killed in the middle of its work; a refusal at the start names the key to lower.

use crate::config::Config;
use crate::error::{LabError, Result};
use rules::encode::Shape;
use search::tree::{EDGE_BYTES, NODE_BYTES};
use std::fs;
use std::path::Path;
use train::DeviceChoice;

pub(crate) mod need;

use need::Part;
pub use need::{Need, Worker};

/// Legal moves of a typical position: edges of a node.
const TYPICAL_MOVES: u64 = 40;
/// Bytes of a row of the training window (`train::DataConfig::window_maximum`).
const ROW_BYTES: u64 = 300;
/// Bytes of a position of the generation in progress, which is kept until its shard is written.
const POSITION_BYTES: u64 = 400;
/// More positions a second than any machine of today plays; it turns a time budget into rows.
const MOST_POSITIONS_A_SECOND: f64 = 20_000.0;
/// Tensors of one convolution that training keeps until its gradients are computed: input, sums, norm, activation.
const KEPT_BY_A_LAYER: u64 = 4;
/// Batches that each thread that makes them may have ready, plus the one in work.
const BATCHES_READY: u64 = 3;
/// Part of the available memory that a run may plan with; the rest is for what is not estimated here.
const USABLE: f64 = 0.9;

/// What the work on a run of this configuration takes at most, the largest first. The numbers are estimates from the
/// sizes of what is kept; libtorch's own 0.3 GB and the networks must fit into the tenth that is not planned with.
pub fn needs(config: &Config, shape: &Shape, worker: Worker) -> Vec<Need> {
    let (selfplay, training) = (&config.selfplay, &config.training);
    let callers = config.evaluator.callers(settings::threads(config.run.threads)) as u64;
    let (slots, visits) = (u64::from(selfplay.slots), u64::from(config.search.visits));
    let node = NODE_BYTES as u64 + TYPICAL_MOVES * EDGE_BYTES as u64;
    let tree = |visits: u64| visits.saturating_mul(node);
    let planned = u64::from(config.run.generations)
        .saturating_mul(slots)
        .saturating_mul(u64::from(selfplay.plies_per_generation));
    let rows = match config.run.budget() {
        Some(budget) => (budget.as_secs_f64() * MOST_POSITIONS_A_SECOND) as u64,
        None => planned,
    };
    // With a budget a generation is as long as the planner makes it.
    let generation = match config.run.budget() {
        Some(_) => (config.run.round_seconds * MOST_POSITIONS_A_SECOND) as u64,
        None => slots.saturating_mul(u64::from(selfplay.plies_per_generation)),
    };
    let batch = training.batch as u64;
    let planes = (shape.planes * shape.squares() * size_of::<f32>()) as u64;
    let layers = 2 * config.network.blocks as u64 + 2;
    let activations = match training.device {
        DeviceChoice::Cuda => 0,
        _ => layers * KEPT_BY_A_LAYER * (config.network.channels * shape.squares() * size_of::<f32>()) as u64,
    };
    let pairs = if worker == Worker::Referee { 1 } else { config.evaluation.pairs.max(1) };
    let at_once = u64::from(config.evaluation.match_config(config, pairs).concurrency);
    let need = |part, what: String, key, bytes| (part, Need { what, key, bytes });
    let all = [
        need(
            Part::Selfplay,
            format!("evaluation caches of {} MB for {callers} threads", selfplay.cache_mb),
            "selfplay.cache_mb",
            (u64::from(selfplay.cache_mb) << 20).saturating_mul(callers),
        ),
        need(
            Part::Selfplay,
            format!("search trees of {visits} visits in {slots} games"),
            "selfplay.slots or search.visits",
            slots.saturating_mul(tree(visits)),
        ),
        need(
            Part::Matches,
            format!("search trees of {} visits in {at_once} games of a match", config.evaluation.visits),
            "evaluation.visits or evaluation.pairs",
            at_once.saturating_mul(tree(config.evaluation.visits.into())),
        ),
        need(
            Part::Training,
            "the training window".to_owned(),
            "training.data.window_maximum",
            training.data.window(rows).saturating_mul(ROW_BYTES),
        ),
        need(
            Part::Games,
            "the games of a generation".to_owned(),
            if config.run.budget().is_some() { "run.round_seconds" } else { "selfplay.plies_per_generation" },
            generation.saturating_mul(POSITION_BYTES),
        ),
        need(
            Part::Training,
            format!("training with {batch} samples a step"),
            "training.batch",
            batch.saturating_mul(planes * BATCHES_READY * (1 + training.batch_threads as u64) + activations),
        ),
    ];
    let mut needs: Vec<Need> = all.into_iter().filter(|(part, _)| worker.does(*part)).map(|(_, need)| need).collect();
    needs.sort_by_key(|need| std::cmp::Reverse(need.bytes));
    needs
}

/// Refuses work that needs more memory than there is.
///
/// # Errors
/// [`LabError::Memory`] with all numbers.
pub fn require(config: &Config, shape: &Shape, worker: Worker, available: Option<u64>) -> Result<()> {
    let Some(available) = available else { return Ok(()) };
    let needs = needs(config, shape, worker);
    let total = needs.iter().fold(0u64, |sum, need| sum.saturating_add(need.bytes));
    if total as f64 <= USABLE * available as f64 {
        return Ok(());
    }
    // Small parts are not listed.
    let large = needs.into_iter().filter(|need| need.bytes > total / 20).collect();
    Err(LabError::Memory { worker, total, available, needs: large })
}

/// Memory that this process may still take, bytes: the machine's free memory, or less where a control group or a
/// process limit allows less. `None` where the system does not tell (it is not Linux).
pub fn available() -> Option<u64> {
    available_in(Path::new("/"))
}

/// [`available`] with the system's files below `root`.
fn available_in(root: &Path) -> Option<u64> {
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let free = field(&text("proc/meminfo"), "MemAvailable:").map(|kilobytes| kilobytes << 10);
    let group = left_of_group(root, &text("proc/self/cgroup"));
    let [addresses, data] =
        [("Max address space", "VmSize:"), ("Max data size", "VmData:")].map(|(limit, used)| left(&text, limit, used));
    let limits = [free, group, addresses, data];
    limits.into_iter().flatten().min()
}

/// The number after a name in a table of lines.
fn field(table: &str, name: &str) -> Option<u64> {
    table.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
}

/// Memory left by the control group of this process and those above it, version 1 or 2.
fn left_of_group(root: &Path, groups: &str) -> Option<u64> {
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (folder, limit, usage, idle) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")
            }
            _ => continue,
        };
        let top = root.join(folder);
        let mut group = top.join(path.trim_start_matches('/'));
        loop {
            let text = |name| fs::read_to_string(group.join(name)).unwrap_or_default();
            let number = |name| text(name).trim().parse::<u64>().ok();
            // `max` is not a number: no limit.
            if let (Some(limit), Some(usage)) = (number(limit), number(usage)) {
                // Cached files count as usage, though the system may drop them at any time.
                let used = usage.saturating_sub(field(&text("memory.stat"), idle).unwrap_or(0));
                let left = limit.saturating_sub(used);
                least = Some(least.map_or(left, |least: u64| least.min(left)));
            }
            if group == top || !group.pop() {
                break;
            }
        }
    }
    least
}

/// Memory left under a limit of the process: of its address space (`ulimit -v`) or of its data (`ulimit -d`).
fn left(text: &dyn Fn(&str) -> String, limit: &str, used: &str) -> Option<u64> {
    let limit = field(&text("proc/self/limits"), limit)?;
    let used = field(&text("proc/self/status"), used)? << 10;
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::encode::Features;
    use rules::{Rulebook, Wangqi};

    fn small() -> Config {
        let mut config = Config::default();
        config.run.variant = Wangqi::ID.to_owned();
        (config.run.threads, config.run.generations) = (2, 4);
        config.evaluator.threads = 1;
        config
    }

    fn refused(config: &Config, available: u64) -> String {
        let shape = Shape::of::<Wangqi>(Features::FIRST);
        require(config, &shape, Worker::Run, Some(available)).expect_err("too much").to_string()
    }

    #[test]
    fn a_run_that_fits_begins_and_one_that_does_not_is_told_what_to_lower() {
        let shape = Shape::of::<Wangqi>(Features::FIRST);
        let gigabyte = 1_000_000_000;
        assert!(require(&small(), &shape, Worker::Run, Some(2 * gigabyte)).is_ok());
        assert!(require(&small(), &shape, Worker::Run, None).is_ok(), "a system that does not tell");
        let mut config = small();
        config.selfplay.cache_mb = 65_536;
        let text = refused(&config, 16 * gigabyte);
        assert!(text.contains("16.00 GB are free") && text.contains("137.44 GB (lower selfplay.cache_mb)"), "{text}");
        let mut config = small();
        (config.selfplay.slots, config.search.visits) = (65_536, 3_200);
        assert!(refused(&config, 16 * gigabyte).contains("lower selfplay.slots or search.visits"));
        let mut config = small();
        config.training.data.window_maximum = 1_000_000_000;
        (config.training.data.window_minimum, config.selfplay.plies_per_generation) = (1_000_000_000, 1_000_000);
        assert!(refused(&config, 16 * gigabyte).contains("lower training.data.window_maximum"));
        assert!(refused(&config, 16 * gigabyte).contains("lower selfplay.plies_per_generation"));
        (config.run.budget, config.run.round_seconds) = ("1h".to_owned(), 100_000.0);
        assert!(refused(&config, 16 * gigabyte).contains("lower run.round_seconds"));
        let mut config = small();
        (config.training.batch, config.network.blocks, config.network.channels) = (65_536, 40, 256);
        assert!(refused(&config, 16 * gigabyte).contains("lower training.batch"));
    }

    #[test]
    fn a_role_needs_what_it_does_and_no_more() {
        let shape = Shape::of::<Wangqi>(Features::FIRST);
        let mut config = small();
        config.selfplay.cache_mb = 65_536;
        (config.training.data.window_maximum, config.training.data.window_minimum) = (1_000_000_000, 1_000_000_000);
        config.selfplay.plies_per_generation = 1_000_000;
        (config.evaluation.pairs, config.evaluation.visits) = (10_000, 100_000);
        let told = |worker| match require(&config, &shape, worker, Some(1_000_000)) {
            Err(error) => error.to_string(),
            Ok(()) => panic!("{worker} has room in a megabyte"),
        };
        let keys = ["selfplay.cache_mb", "training.data.window_maximum", "evaluation.visits"];
        let named = |worker| keys.map(|key| told(worker).contains(key));
        assert_eq!(named(Worker::Player), [true, false, false]);
        assert_eq!(named(Worker::Trainer), [false, true, false]);
        assert_eq!(named(Worker::Referee), [false, false, true]);
        assert!(told(Worker::Player).starts_with("the worker would need about 137."), "{}", told(Worker::Player));
        // A referee plays one pair at a time, however many a match has.
        assert!(told(Worker::Referee).contains("in 2 games of a match"), "{}", told(Worker::Referee));
    }

    #[test]
    fn the_least_of_machine_group_and_address_space_is_what_there_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        assert_eq!(available_in(folder.path()), None);
        write("proc/meminfo", "MemTotal: 8000 kB\nMemAvailable:   4096 kB\n");
        assert_eq!(available_in(folder.path()), Some(4 << 20));
        write("proc/self/cgroup", "0::/box/run\n");
        write("sys/fs/cgroup/box/run/memory.max", "max\n");
        write("sys/fs/cgroup/box/run/memory.current", "5000\n");
        assert_eq!(available_in(folder.path()), Some(4 << 20), "no limit");
        write("sys/fs/cgroup/box/memory.max", "3000000\n");
        write("sys/fs/cgroup/box/memory.current", "1000000\n");
        write("sys/fs/cgroup/box/memory.stat", "anon 7\ninactive_file 400000\n");
        assert_eq!(available_in(folder.path()), Some(2_400_000), "the group above has one");
        write("proc/self/limits", "Max address space         2000000              unlimited            bytes\n");
        write("proc/self/status", "Name: kirin\nVmSize:      1000 kB\n");
        assert_eq!(available_in(folder.path()), Some(2_000_000 - 1_024_000));
        write(
            "proc/self/limits",
            "Max data size             900000               unlimited            bytes\n\
             Max address space         2000000              unlimited            bytes\n",
        );
        write("proc/self/status", "Name: kirin\nVmSize:      1000 kB\nVmData:      100 kB\n");
        assert_eq!(available_in(folder.path()), Some(900_000 - 102_400), "what it writes to is limited more");
        write("proc/self/cgroup", "4:cpu,memory:/old\n");
        write("sys/fs/cgroup/memory/old/memory.limit_in_bytes", "700000\n");
        write("sys/fs/cgroup/memory/old/memory.usage_in_bytes", "100000\n");
        assert_eq!(available_in(folder.path()), Some(600_000), "version 1");
    }
}
