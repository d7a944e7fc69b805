//! `kirin ablate`: runs that differ in chosen settings, and which of them learns more.

use super::eval::live::Live;
use super::run::{Configured, host};
use crate::failure::{Failure, input};
use crate::number::counted;
use crate::table;
use clap::Args;
use eval::{Contender, MatchConfig, PlayerId, Schedule, Tournament};
use lab::{Ablation, Arm, Ended, Vary};
use rules::{Variant, VariantId};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use train::NetworkFile;

/// Train with different settings in equal time and let the last networks meet: which setting learns more?
///
/// Each combination of the values of --vary is a run of its own, once for each seed. The runs take turns on the same
/// cores, a generation at a time. At the end their last networks play a round robin, and a table gives the Elo of each
/// setting. The same command goes on after any interruption, and with more seeds or values it plays only what is missing.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    configured: Configured,
    /// A key and the values to compare: --vary search.visits=16,32. May be given more than once; then every combination
    /// is a run.
    #[arg(long, value_name = "KEY=A,B,…", required = true)]
    vary: Vec<Vary>,
    /// Runs of each combination, with seeds one apart. One seed says little where settings are close.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=100))]
    seeds: u64,
    /// Time of each run, such as 10m; with N runs the whole takes N times as long. Without it, that of the config.
    #[arg(long, value_name = "TIME")]
    budget: Option<String>,
    /// Pairs of games between any two networks.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// The folder for runs and matches.
    #[arg(long)]
    folder: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What came of one setting.
#[derive(Serialize)]
struct Row {
    setting: String,
    /// Mean Elo of its networks above the mean of all.
    elo: f64,
    /// Half the width of the 95 % interval by the games played, seeds left out of account.
    error: f64,
    /// Elo of the network of each seed, in the order of seeds.
    seeds: Vec<f64>,
    /// Generations of each seed.
    generations: Vec<u32>,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let mut overrides: Vec<String> = arguments.configured.overrides().to_vec();
    overrides.extend(arguments.budget.iter().map(|budget| format!("run.budget=\"{budget}\"")));
    let file = arguments.configured.file()?;
    let arms = lab::arms(&file, &overrides, &arguments.vary, arguments.seeds, &arguments.folder)?;
    let [first, others @ ..] = arms.as_slice() else { return Err(input("there is nothing to compare")) };
    let variant = first.config.variant()?;
    if others.iter().any(|arm| arm.config.run.variant != first.config.run.variant) {
        return Err(input("runs of different variants cannot be compared; vary something else than run.variant"));
    }
    if others.is_empty() {
        return Err(input("one run alone has nothing to be compared with; give --vary more values or more --seeds"));
    }
    rules::dispatch!(variant, V => compare::<V>(arguments, variant, &arms))
}

fn compare<V: Variant>(arguments: &Arguments, variant: VariantId, arms: &[Arm]) -> anyhow::Result<()> {
    let (host, console) = host(arguments.json)?;
    let stopped = || Failure::Drained("stopped; everything finished is kept; the same command goes on".to_owned());
    let mut ablation = Ablation::<V>::open(arms, &host)?;
    console.line(&format!(
        "{} of {}, one generation of each in turn",
        counted(arms.len() as u64, "run", "runs"),
        V::TITLE
    ));
    loop {
        if host.is_stopped() {
            return Err(stopped().into());
        }
        match ablation.advance()? {
            None => break,
            Some((_, Ended::Stopped)) => return Err(stopped().into()),
            Some((number, Ended::Done(_))) => console.line(&format!(
                "{}: {:.0} s used, network {}",
                arms[number].title(),
                ablation.runs()[number].seconds(),
                ablation.runs()[number].newest_network()
            )),
        }
    }
    let before = lab::EvaluatedBefore::of_folder(&arguments.folder.join("matches"), "");
    let mut players = Vec::new();
    let mut generations = Vec::new();
    for (arm, run) in arms.iter().zip(ablation.runs()) {
        let path = run.folder().network(run.newest_network());
        let file = NetworkFile::read(&path)?;
        file.require::<V>(&path)?;
        let evaluation = &arm.config.evaluation;
        // The same search for all, so that the networks are compared and not their searches.
        let search = selfplay::SearchConfig { visits: evaluation.visits, ..arms[0].config.search.clone() };
        let evaluator = match before.of(&file) {
            Some(evaluator) => evaluator.clone(),
            None => lab::match_evaluator(arguments.pairs, &run.config().evaluator),
        };
        players.push(lab::network_player(arm.title(), file, &search, &evaluator));
        generations.push(run.newest_network());
    }
    let base = &arms[0].config;
    let config = MatchConfig { pairs: arguments.pairs, ..base.evaluation.match_config(base, arguments.pairs) };
    let ratings = play(arguments, variant, &config, &players, &host, &console)?.ok_or_else(stopped)?;
    let rows = rows(arms, &generations, &ratings);
    if arguments.json {
        println!("{}", serde_json::to_string(&rows)?);
        return Ok(());
    }
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let list = |values: Vec<String>| values.join(" ");
            vec![
                row.setting.clone(),
                format!("{:+.0}", row.elo),
                format!("{:.0}", row.error),
                list(row.seeds.iter().map(|elo| format!("{elo:+.0}")).collect()),
                list(row.generations.iter().map(u32::to_string).collect()),
            ]
        })
        .collect();
    println!();
    table::print(&["setting", ">Elo", ">±", "each seed", "generations"], &cells, &["generations", "each seed"]);
    println!("Elo above the mean of all; ± is the 95 % interval by the games, and seeds differ by more.");
    Ok(())
}

/// Elo and error of each player, in their order; `None` if it was stopped.
fn play(
    arguments: &Arguments,
    variant: VariantId,
    config: &MatchConfig,
    players: &[Contender],
    host: &lab::Host,
    console: &crate::console::Console,
) -> anyhow::Result<Option<Vec<(f64, f64)>>> {
    let folder = arguments.folder.join("matches");
    // Where a setting changed nothing, two runs have made the same network, which takes part once.
    let ids: Vec<PlayerId> = players.iter().map(|player| player.id(config.limit)).collect();
    let mut seen = BTreeSet::new();
    let distinct: Vec<Contender> =
        players.iter().zip(&ids).filter(|(_, id)| seen.insert(*id)).map(|(player, _)| player.clone()).collect();
    let players = distinct.as_slice();
    if let [_] = players {
        return Ok(Some(vec![(0.0, 0.0); ids.len()]));
    }
    let encounters = Schedule::RoundRobin.encounters(players.len()).len() as u64;
    let live = Live::new(console, players, config.limit, 2 * u64::from(config.pairs) * encounters);
    let tournament =
        Tournament { variant, config, players, schedule: Schedule::RoundRobin, folder: &folder, anchor: None };
    let report = tournament.play(&host.stop, |now| {
        now.notes.iter().for_each(|note| console.warn(note));
        live.update(now);
    })?;
    drop(live);
    let Some(ladder) = report.ladder.filter(|_| report.missing_games == 0) else { return Ok(None) };
    let found = ids.iter().map(|id| ladder.row(id));
    Ok(Some(found.map(|row| row.map_or((0.0, 0.0), |row| (row.elo, row.error))).collect()))
}

/// A row for each setting, the best first.
fn rows(arms: &[Arm], generations: &[u32], ratings: &[(f64, f64)]) -> Vec<Row> {
    let middle = ratings.iter().map(|(elo, _)| elo).sum::<f64>() / ratings.len().max(1) as f64;
    let mut rows: Vec<Row> = Vec::new();
    for ((arm, &generation), &(elo, error)) in arms.iter().zip(generations).zip(ratings) {
        let at = rows.iter().position(|row| row.setting == arm.name).unwrap_or_else(|| {
            let (seeds, generations) = (Vec::new(), Vec::new());
            rows.push(Row { setting: arm.name.clone(), elo: 0.0, error: 0.0, seeds, generations });
            rows.len() - 1
        });
        rows[at].seeds.push(elo - middle);
        rows[at].generations.push(generation);
        // The sum of squares for now.
        rows[at].error += error * error;
    }
    for row in &mut rows {
        let count = row.seeds.len() as f64;
        (row.elo, row.error) = (row.seeds.iter().sum::<f64>() / count, row.error.sqrt() / count);
    }
    rows.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::Config;

    #[test]
    fn seeds_of_a_setting_are_one_row_and_the_best_comes_first() {
        let arm =
            |name: &str, seed| Arm { name: name.to_owned(), seed, folder: PathBuf::new(), config: Config::default() };
        let arms = [arm("visits=16", 1), arm("visits=16", 2), arm("visits=32", 1), arm("visits=32", 2)];
        let rows = rows(&arms, &[9, 9, 5, 6], &[(0.0, 0.0), (40.0, 30.0), (100.0, 30.0), (60.0, 40.0)]);
        let told: Vec<_> =
            rows.iter().map(|row| (row.setting.as_str(), row.elo, row.error, row.seeds.clone())).collect();
        assert_eq!(
            told,
            [("visits=32", 30.0, 25.0, vec![50.0, 10.0]), ("visits=16", -30.0, 15.0, vec![-50.0, -10.0]),]
        );
        assert_eq!(rows[0].generations, [5, 6]);
    }
}
