//! `kirin bench openings`: the time of the statistics of many games, compared with DuckDB.

use crate::failure::input;
use crate::out;
use ::data::{DataStore, OpeningQuery, SyntheticGames};
use anyhow::Context;
use clap::Args;
use report::number::{bytes, count, fixed};
use rules::{Variant, VariantId};
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Measure opening statistics over many made-up games, and DuckDB's time for the same table of the same files.
///
/// The games are legal and of 80 plies, with searches of 64 visits; in the first 20 plies some moves are played more than
/// others. The table has each line that enough games have in common with its results, and how many games reached its
/// position by any moves. Kirin and DuckDB make it in turns, each in its own process and with the same number of threads.
/// DuckDB takes part if `scripts/oracles` has been run. The command checks that both have the same counts.
#[derive(Args)]
pub struct Arguments {
    /// The variant.
    #[arg(long, value_parser = crate::commands::variants(), default_value_t = VariantId::OF_MANY_GAMES)]
    variant: VariantId,
    /// How many games.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Length of the lines in plies.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=200))]
    depth: u32,
    /// Leave out lines that were played in fewer games.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    min_games: u64,
    /// How often both make the table; the median counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
    turns: u32,
    /// Keep the games in this data folder. If it already holds this many games, they are used as they are.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Make the table of this folder and print what it cost.
    #[arg(long, hide = true, value_name = "DIR")]
    turn: Option<PathBuf>,
}

/// The cost of a turn, and sums by which the tables are compared.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Turn {
    seconds: f64,
    peak_rss_mib: f64,
    rows: u64,
    /// Sum of the games of all rows.
    games: u64,
    /// Sum of the games that reached their positions.
    reached: u64,
}

#[derive(Serialize)]
struct OpeningsCost {
    variant: &'static str,
    games: u64,
    positions: u64,
    depth: u32,
    min_games: u64,
    /// Lines in the table.
    rows: u64,
    seconds: f64,
    peak_rss_mib: f64,
    duckdb_seconds: Option<f64>,
    duckdb_peak_rss_mib: Option<f64>,
    /// Kirin's time divided by DuckDB's.
    ratio: Option<f64>,
    bytes_per_game: f64,
    bytes_per_position: f64,
    /// Bytes of the files divided by what they were without compression.
    compressed: f64,
    /// Positions a second, with the rows of their games; `null` if the games were there.
    written_per_s: Option<f64>,
    /// Positions a second read as whole games by one thread.
    read_per_s: f64,
}

pub(super) fn main(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(folder) = &arguments.turn {
        println!("{}", serde_json::to_string(&turn(folder, arguments)?)?);
        return Ok(());
    }
    let cost = rules::dispatch!(arguments.variant, V => measured::<V>(arguments))?;
    if arguments.json {
        println!("{}", serde_json::to_string(&cost)?);
    } else {
        print(&cost);
    }
    Ok(())
}

/// Makes the table in this process.
fn turn(folder: &Path, arguments: &Arguments) -> anyhow::Result<Turn> {
    let begin = Instant::now();
    let store = DataStore::open_read_only(folder)?;
    let &Arguments { depth, min_games, .. } = arguments;
    let table = store.openings(&OpeningQuery { depth, min_games, ..OpeningQuery::new(arguments.variant.id()) })?;
    let seconds = begin.elapsed().as_secs_f64();
    let rows = &table.rows;
    Ok(Turn {
        seconds,
        peak_rss_mib: peak_rss_mib()?,
        rows: rows.len() as u64,
        games: rows.iter().map(|row| row.games).sum(),
        reached: rows.iter().filter_map(|row| row.position_games).sum(),
    })
}

/// The most memory that this process has had.
fn peak_rss_mib() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("cannot read how much memory was used")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    Ok(kib.context("the system does not report how much memory was used")? / 1024.0)
}

fn measured<V: Variant>(arguments: &Arguments) -> anyhow::Result<OpeningsCost> {
    let temporary = tempfile::tempdir()?;
    let folder = match &arguments.folder {
        // The games of the folder are checked below.
        Some(folder) => out::own_folder("--folder", folder)?,
        None => temporary.path().join("data"),
    };
    let (store, _) = DataStore::open(&folder)?;
    let shards = store.shards(V::ID)?;
    let there: u64 = shards.iter().map(|shard| shard.games.rows).sum();
    if there > 0 && there != arguments.games {
        let there = count(there);
        return Err(input(format!("{} holds {there} games already; choose another folder", folder.display())));
    }
    let written = match there {
        0 => Some(SyntheticGames::default().write::<V>(&store, 0..arguments.games)?),
        _ => None,
    };
    let shards = store.shards(V::ID)?;
    let sum = |of: fn(&::data::ShardEntry) -> u64| shards.iter().map(of).sum::<u64>() as f64;
    let (games, positions) = (sum(|shard| shard.games.rows), sum(|shard| shard.positions.rows));
    let (game_bytes, position_bytes) = (sum(|shard| shard.games.bytes), sum(|shard| shard.positions.bytes));
    let mut plain = 0.0;
    for shard in &shards {
        plain += store.plain_bytes(&shard.games)? as f64 + store.plain_bytes(&shard.positions)? as f64;
    }
    let begin = Instant::now();
    let first = &shards[0];
    let read = store.read_shard::<V>(first)?;
    let read_per_s = first.positions.rows as f64 / begin.elapsed().as_secs_f64();
    drop(read);
    drop(store);

    let duckdb = DuckDb::find();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..arguments.turns {
        ours.push(own_turn(&folder, arguments)?);
        if let Some(duckdb) = &duckdb {
            theirs.push(duckdb.turn::<V>(&folder, arguments)?);
        }
    }
    let table = |turn: &Turn| (turn.rows, turn.games, turn.reached);
    if let Some(other) = ours.iter().chain(&theirs).find(|turn| table(turn) != table(&ours[0])) {
        anyhow::bail!("the tables differ: {:?} and {other:?}", ours[0]);
    }
    let seconds = median(&ours, |turn| turn.seconds);
    let duckdb_seconds = (!theirs.is_empty()).then(|| median(&theirs, |turn| turn.seconds));
    Ok(OpeningsCost {
        variant: V::ID,
        games: games as u64,
        positions: positions as u64,
        depth: arguments.depth,
        min_games: arguments.min_games,
        rows: ours[0].rows,
        seconds,
        peak_rss_mib: median(&ours, |turn| turn.peak_rss_mib),
        duckdb_seconds,
        duckdb_peak_rss_mib: (!theirs.is_empty()).then(|| median(&theirs, |turn| turn.peak_rss_mib)),
        ratio: duckdb_seconds.map(|theirs| seconds / theirs),
        bytes_per_game: game_bytes / games,
        bytes_per_position: position_bytes / positions,
        compressed: (game_bytes + position_bytes) / plain,
        written_per_s: written.map(|[_, seconds]| positions / seconds),
        read_per_s,
    })
}

/// The median of one turn or more.
fn median(turns: &[Turn], of: fn(&Turn) -> f64) -> f64 {
    let mut values: Vec<f64> = turns.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Kirin's turn, in a process of its own so that its memory is that of the statistics.
fn own_turn(folder: &Path, arguments: &Arguments) -> anyhow::Result<Turn> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut command = Command::new(program);
    command.args(["bench", "openings", "--variant", arguments.variant.id()]);
    command.args(["--depth", &arguments.depth.to_string(), "--min-games", &arguments.min_games.to_string()]);
    answer(command.arg("--turn").arg(folder), "")
}

/// The path at which `scripts/oracles` installs DuckDB.
struct DuckDb(PathBuf);

impl DuckDb {
    /// DuckDB, or `None` and a printed line with the reason.
    fn find() -> Option<DuckDb> {
        let cache = match std::env::var_os("XDG_CACHE_HOME") {
            Some(cache) if !cache.is_empty() => PathBuf::from(cache),
            _ => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache"),
        };
        let version = include_str!("../../../../data/tests/duckdb/requirements.txt").trim().replace("==", "-");
        let folder = cache.join("kirin/oracles").join(version);
        if !folder.is_dir() {
            eprintln!("SKIPPED: DuckDB is not compared, because it is not installed (scripts/oracles)");
            return None;
        }
        Some(DuckDb(folder))
    }

    /// DuckDB's turn.
    fn turn<V: Variant>(&self, folder: &Path, arguments: &Arguments) -> anyhow::Result<Turn> {
        let mut command = Command::new("python3");
        command.env("PYTHONPATH", &self.0).arg("-").arg(folder).arg(V::ID);
        command.args([arguments.depth.to_string(), arguments.min_games.to_string()]);
        command.arg(settings::threads(0).to_string());
        answer(&mut command, include_str!("openings.py"))
    }
}

/// The output of a process for its turn; `script` is its input.
fn answer(command: &mut Command, script: &str) -> anyhow::Result<Turn> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("cannot start a turn")?;
    // If the write fails, the process has ended, and reading the answer fails too.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(script.as_bytes()));
    let output = child.wait_with_output().context("cannot read the output of a turn")?;
    anyhow::ensure!(output.status.success(), "a turn has failed; its own message is above");
    serde_json::from_slice(&output.stdout).context("cannot parse the output of a turn")
}

fn print(cost: &OpeningsCost) {
    let OpeningsCost { variant, depth, min_games, .. } = cost;
    println!("{variant}, {} games, {} positions", count(cost.games), count(cost.positions));
    println!("openings to ply {depth}, lines of {min_games} games and more: {} rows", count(cost.rows));
    println!("seconds        {:>9}, {:.0} MiB", fixed(cost.seconds, 2), cost.peak_rss_mib);
    if let (Some(seconds), Some(memory), Some(ratio)) = (cost.duckdb_seconds, cost.duckdb_peak_rss_mib, cost.ratio) {
        println!("by DuckDB      {:>9}, {memory:.0} MiB", fixed(seconds, 2));
        println!("ratio          {:>9}", fixed(ratio, 3));
    }
    println!(
        "bytes          {:>9} a game, {} a position",
        fixed(cost.bytes_per_game, 0),
        fixed(cost.bytes_per_position, 1)
    );
    println!("               {:>9} of what they were without compression", fixed(cost.compressed, 3));
    if let Some(written) = cost.written_per_s {
        println!("written        {:>9} positions/s", count(written as u64));
    }
    println!("read           {:>9} positions/s, by one thread", count(cost.read_per_s as u64));
    println!(
        "on the disk    {:>9}",
        bytes((cost.bytes_per_game * cost.games as f64 + cost.bytes_per_position * cost.positions as f64) as u64)
    );
}
