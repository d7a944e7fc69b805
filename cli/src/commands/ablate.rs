//! `kirin ablate`: runs that differ in chosen settings, compared by matches.

use super::eval::live::Live;
use super::run::{Configured, host};
use crate::failure::{Failure, input};
use crate::{out, table};
use clap::Args;
use eval::ratings::{Estimate, RatingTable, Z95};
use eval::{MatchConfig, PlayerConfig, PlayerId, Schedule, Tournament};
use lab::{Ablation, Arm, ConfigSource, Ended, RunFolder, Vary};
use report::number::counted;
use rules::{Variant, VariantId};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use train::NetworkFile;

/// Compare settings: train with each for equal times, then play matches.
///
/// Each combination of the values of --vary is a separate run, once for each seed. The runs take turns on the same cores, a
/// generation at a time. At the end their last networks play a round robin, and a table gives the Elo of each setting. The
/// same command resumes after any interruption, and with more seeds or values it plays only what is missing.
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
    /// Time of each run, such as 10m; N runs take N times as long. The default is the budget of the config.
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

/// The result of one setting.
#[derive(Serialize)]
struct Row {
    setting: String,
    /// Mean Elo of its networks above the mean of all.
    elo: f64,
    /// Half the width of the 95 % interval of `elo`, from the differences between the seeds of a setting; `None` with one
    /// seed.
    error: Option<f64>,
    /// Half the width of the 95 % interval of `elo` by the games played, as if other seeds gave the same networks.
    games_error: f64,
    /// Elo of the network of each seed, in the order of seeds.
    seeds: Vec<f64>,
    /// Generations of each seed.
    generations: Vec<u32>,
}

/// Runs the command.
///
/// # Errors
/// The config or what is varied is wrong, a run or a match fails, or a signal asked to stop.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let mut overrides: Vec<String> = arguments.configured.overrides().to_vec();
    overrides.extend(arguments.budget.iter().map(|budget| format!("run.budget=\"{budget}\"")));
    let source = match arguments.configured.source()? {
        ConfigSource::File(folder) if folder.is_dir() => ConfigSource::File(RunFolder::new(folder).config()),
        source => source,
    };
    out::own_folder("--folder", &arguments.folder)?;
    let arms = lab::arms(&source, &overrides, &arguments.vary, arguments.seeds, &arguments.folder)?;
    let [first, others @ ..] = arms.as_slice() else { return Err(input("there is nothing to compare")) };
    let variant = first.config.variant()?;
    if others.iter().any(|arm| arm.config.run.variant != first.config.run.variant) {
        return Err(input("runs of different variants cannot be compared; vary something else than run.variant"));
    }
    let mut folders = BTreeSet::new();
    if let Some(twin) = arms.iter().find(|arm| !folders.insert(&arm.folder)) {
        return Err(input(format!("--vary gives {} twice, in the folder {}", twin.name, twin.folder.display())));
    }
    if others.is_empty() {
        return Err(input("one run alone has nothing to be compared with; give --vary more values or more --seeds"));
    }
    rules::dispatch!(variant, V => compare::<V>(arguments, variant, &arms))
}

fn compare<V: Variant>(arguments: &Arguments, variant: VariantId, arms: &[Arm]) -> anyhow::Result<()> {
    let (host, console) = host(arguments.json)?;
    let stopped = || Failure::Drained("stopped; everything finished is kept; resume with the same command".to_owned());
    let named = |arm: &Arm| lab::Host { observer: Arc::new(console.named(&arm.title())), ..host.clone() };
    let mut ablation = Ablation::<V>::open(arms, named)?;
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
    let base = &arms[0].config;
    let config = MatchConfig { pairs: arguments.pairs, ..base.evaluation.match_config(base, arguments.pairs) };
    let before = lab::EvaluatedBefore::of_folder(&arguments.folder.join("matches"));
    let mut players = Vec::new();
    let mut generations = Vec::new();
    for (arm, run) in arms.iter().zip(ablation.runs()) {
        let path = run.folder().network(run.newest_network());
        let file = NetworkFile::read(&path)?;
        file.require::<V>(&path)?;
        // The same search for all, so that the networks are compared and not their searches.
        let search = config.search(&base.search);
        let evaluator = match before.of(&file) {
            Some(evaluator) => evaluator.clone(),
            None => lab::match_evaluator(arguments.pairs, &run.config().evaluator),
        };
        players.push(lab::network_player(arm.title(), file, &search, &evaluator));
        generations.push(run.newest_network());
    }
    let compared = play(arguments, variant, &config, &players, &host, &console)?.ok_or_else(stopped)?;
    let names: Vec<&str> = compared.names.iter().map(String::as_str).collect();
    let rows = rows(arms, &generations, &names, compared.ratings.as_ref())
        .ok_or_else(|| input("games do not connect all networks, so they cannot be compared; raise --pairs"))?;
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
                row.error.map_or_else(|| "n/a".to_owned(), |error| format!("{error:.0}")),
                format!("{:.0}", row.games_error),
                list(row.seeds.iter().map(|elo| format!("{elo:+.0}")).collect()),
                list(row.generations.iter().map(u32::to_string).collect()),
            ]
        })
        .collect();
    println!();
    let header = ["setting", ">Elo", ">±", ">± games", "each seed", "generations"];
    table::print(&header, &cells, &["generations", "each seed"]);
    println!(
        "Elo above the mean of all. ± is the 95 % interval by the seeds, n/a with one seed; ± games is that of the games."
    );
    Ok(())
}

/// The names of the players in the table, and the table; `None` if all players are the same network.
struct Compared {
    names: Vec<String>,
    ratings: Option<RatingTable>,
}

/// The ratings of the players; `None` if it was stopped.
fn play(
    arguments: &Arguments,
    variant: VariantId,
    config: &MatchConfig,
    players: &[PlayerConfig],
    host: &lab::Host,
    console: &crate::console::Console,
) -> anyhow::Result<Option<Compared>> {
    let folder = arguments.folder.join("matches");
    // Where a setting changed nothing, two runs have made the same network, which takes part once.
    let ids: Vec<PlayerId> = players.iter().map(|player| player.id(config.limit)).collect();
    let mut seen = BTreeSet::new();
    let distinct: Vec<PlayerConfig> =
        players.iter().zip(&ids).filter(|(_, id)| seen.insert(*id)).map(|(player, _)| player.clone()).collect();
    let players = distinct.as_slice();
    if let [_] = players {
        return Ok(Some(Compared { names: vec![String::new(); ids.len()], ratings: None }));
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
    let names = ids.iter().map(|id| ladder.name_of(id).unwrap_or_default().to_owned()).collect();
    Ok(Some(Compared { names, ratings: Some(ladder.ratings) }))
}

/// A row for each setting, the best first; `None` if a player is not rated. `players` are their names, in the order of arms.
fn rows(arms: &[Arm], generations: &[u32], players: &[&str], ratings: Option<&RatingTable>) -> Option<Vec<Row>> {
    let all = players.len() as f64;
    // Everything is measured from the mean of all: the value of a setting, that of a seed, and their errors.
    // Arms are told apart by their numbers, because two may have made the same network, which is one player.
    let above_mean = |of: &[usize]| {
        let share = |arm: usize| if of.contains(&arm) { 1.0 / of.len() as f64 } else { 0.0 };
        let weights: Vec<(&str, f64)> =
            (0..).zip(players).map(|(arm, player)| (*player, share(arm) - 1.0 / all)).collect();
        ratings.map_or(Some(Estimate { value: 0.0, error: 0.0 }), |ratings| ratings.contrast(&weights))
    };
    let mut settings: Vec<&str> = Vec::new();
    for arm in arms {
        if !settings.contains(&arm.name.as_str()) {
            settings.push(&arm.name);
        }
    }
    let mut rows = Vec::new();
    for setting in settings {
        let numbers: Vec<usize> = (0..arms.len()).filter(|&number| arms[number].name == setting).collect();
        let Estimate { value, error } = above_mean(&numbers)?;
        let seeds: Option<Vec<f64>> = numbers.iter().map(|&number| Some(above_mean(&[number])?.value)).collect();
        rows.push(Row {
            setting: setting.to_owned(),
            elo: value,
            error: None,
            games_error: error,
            seeds: seeds?,
            generations: numbers.iter().map(|&number| generations[number]).collect(),
        });
    }
    let errors = seed_errors(&rows.iter().map(|row| row.seeds.as_slice()).collect::<Vec<_>>());
    rows.iter_mut().zip(errors).for_each(|(row, error)| row.error = error);
    rows.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    Some(rows)
}

/// Half the width of the 95 % interval of each setting's mean above the mean of all, from the spread of the seeds about the
/// mean of their setting, taken as equal in all settings (Student's t); `None` with one seed each.
fn seed_errors(settings: &[&[f64]]) -> Vec<Option<f64>> {
    let mean = |seeds: &[f64]| seeds.iter().sum::<f64>() / seeds.len() as f64;
    let count: usize = settings.iter().map(|seeds| seeds.len()).sum();
    let freedom = count - settings.len();
    let squares: f64 = settings.iter().flat_map(|seeds| seeds.iter().map(|seed| (seed - mean(seeds)).powi(2))).sum();
    let spread = (squares / freedom as f64).sqrt();
    let error = |seeds: &&[f64]| student95(freedom) * spread * (1.0 / seeds.len() as f64 - 1.0 / count as f64).sqrt();
    settings.iter().map(|seeds| (freedom > 0).then(|| error(seeds))).collect()
}

/// Half the width of a 95 % interval in standard errors, where the spread is estimated with so many degrees of freedom.
fn student95(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    // Beyond the table within 0.3 % of it.
    TABLE.get(freedom.wrapping_sub(1)).copied().unwrap_or(Z95 + 2.6 / freedom as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use eval::ratings::{Encounter, Wdl, rate};
    use lab::Config;

    #[test]
    fn seeds_of_a_setting_are_one_row_and_the_best_comes_first() {
        let arm =
            |name: &str, seed| Arm { name: name.to_owned(), seed, folder: PathBuf::new(), config: Config::default() };
        let arms = [arm("visits=16", 1), arm("visits=16", 2), arm("visits=32", 1), arm("visits=32", 2)];
        let names = ["a", "b", "c", "d"];
        let games = |first: usize, second: usize, wins, losses| Encounter {
            first: names[first].to_owned(),
            second: names[second].to_owned(),
            results: Wdl::new(wins, 4, losses),
        };
        let played = [games(0, 1, 8, 10), games(0, 2, 5, 15), games(0, 3, 7, 12), games(1, 2, 6, 9), games(1, 3, 9, 9)];
        let ratings = rate(&played, Some("a")).unwrap();
        let rows = rows(&arms, &[9, 9, 5, 6], &names, Some(&ratings)).expect("all are rated");
        assert_eq!([&rows[0].setting, &rows[1].setting], ["visits=32", "visits=16"]);
        // Values and errors have one reference point, so two settings are mirror images of each other.
        assert!((rows[0].elo + rows[1].elo).abs() < 1e-9 && rows[0].elo > 0.0);
        assert!((rows[0].games_error - rows[1].games_error).abs() < 1e-9 && rows[0].games_error > 20.0);
        let mean = (rows[0].seeds[0] + rows[0].seeds[1]) / 2.0;
        assert!((mean - rows[0].elo).abs() < 1e-9);
        assert_eq!(rows[0].error.map(f64::round), rows[1].error.map(f64::round));
        assert!(rows[0].error.is_some_and(|error| error > 0.0));
        assert_eq!(rows[0].generations, [5, 6]);

        // A setting without effect makes the same two networks.
        let ratings = rate(&played[..1], Some("a")).unwrap();
        let rows = super::rows(&arms, &[9, 9, 9, 9], &["a", "b", "a", "b"], Some(&ratings)).unwrap();
        for row in &rows {
            assert!(row.elo.abs() < 1e-9 && row.games_error < 1e-9, "{}: {}", row.setting, row.elo);
            assert!((row.seeds[0] + row.seeds[1]).abs() < 1e-9 && row.seeds[0] < -10.0, "{:?}", row.seeds);
        }

        // With one seed each there is no spread to go by, and the anchor has an error like everybody.
        let arms = [arm("visits=16", 1), arm("visits=32", 1)];
        let ratings = rate(&played[1..2], Some("a")).unwrap();
        let rows = super::rows(&arms, &[9, 5], &["a", "c"], Some(&ratings)).unwrap();
        assert!(rows.iter().all(|row| row.error.is_none() && row.games_error > 20.0), "{}", rows[0].games_error);
    }

    #[test]
    fn the_spread_of_seeds_is_that_about_the_mean_of_their_setting() {
        assert_eq!(seed_errors(&[&[10.0], &[-10.0]]), [None, None]);
        // s² = (2 · 5² + 2 · 5²) / 2 = 50, standard error s · √(1/2 − 1/4).
        let errors = seed_errors(&[&[25.0, 15.0], &[-15.0, -25.0]]);
        assert!(
            errors.iter().all(|error| error.is_some_and(|error| (error - 4.303 * 50f64.sqrt() / 2.0).abs() < 1e-9))
        );
        assert!((student95(30) - 2.042).abs() < 0.007 && (student95(1_000_000) - 1.96).abs() < 1e-3);
    }
}
