//! `kirin eval tournament`: several players, everybody's games in one table.

use super::live::Live;
use super::options::Options;
use super::players::{self, Context, Engines};
use crate::console::Console;
use crate::failure::input;
use crate::out;
use crate::signals;
use crate::table;
use crate::terminal;
use clap::{Args, ValueEnum};
use eval::{Ladder, MatchConfig, PlayerConfig, PlayerSpec, Schedule, Tournament};
use lab::Config;
use lab::RunFolder;
use lab::{EvaluatedBefore, match_evaluator, network_player};
use rules::VariantId;
use std::path::{Path, PathBuf};

/// Play a tournament of paired games between two players or more, and print the ratings of all.
///
/// Players are written as for `kirin eval match`. Every encounter has a log of its own in the folder: run the same command
/// again to resume, or with more players. All encounters progress together, so that the table means something early. The
/// ratings count every log in the folder.
#[derive(Args)]
pub struct Arguments {
    /// The players.
    #[arg(value_parser = players::parser())]
    players: Vec<PlayerSpec>,
    /// The variant. Without it, that of the run with --ladder, or of the first network among the players.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    /// Which players play each other.
    #[arg(long, value_enum, default_value_t = Kind::RoundRobin)]
    schedule: Kind,
    /// For a gauntlet: how many players, from the first on, each play all the others.
    #[arg(long, default_value_t = 1)]
    leaders: usize,
    /// For a ladder: how many of the players before it each player plays.
    #[arg(long, default_value_t = 1)]
    reach: usize,
    /// A ladder of all networks of a run, under its rule set and with the constants of its search. Visits, --search,
    /// --cpuct-deviation-share, openings and --max-plies are those of this command. Other players that are named come after
    /// the networks. The logs go to the folder `tournament` of the run.
    #[arg(long, value_name = "RUN", conflicts_with = "schedule")]
    ladder: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// The folder for the logs.
    #[arg(long, required_unless_present = "ladder")]
    folder: Option<PathBuf>,
    /// The player whose rating is 0. Without it, the first in alphabetical order.
    #[arg(long)]
    anchor: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Which encounters there are.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Each player plays each other player.
    RoundRobin,
    /// The first players play all the others.
    Gauntlet,
    /// Each player plays those just before it.
    Ladder,
}

/// Runs the command.
///
/// # Errors
/// A player or an option is wrong, a match fails, a signal asked to stop, or every game ended with an error of a
/// player.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let run = arguments.ladder.as_deref().map(Run::read).transpose()?;
    let engines = Engines::read(arguments.options.thinking.engines.as_deref())?;
    engines.require_distinct_names(&arguments.players.iter().collect::<Vec<_>>())?;
    let variant = match (&run, arguments.variant) {
        (Some(run), Some(variant)) if run.variant != variant => {
            return Err(input(format!("--variant is {variant}, but the run is of {}", run.variant)));
        }
        (Some(run), _) => run.variant,
        (None, variant) => players::variant(variant, &arguments.players.iter().collect::<Vec<_>>())?,
    };
    let mut config = arguments.options.config(variant)?;
    if let Some(run) = &run {
        run.take_rules(&mut config)?;
    }
    let folder = match (&arguments.folder, &run) {
        (Some(folder), _) => out::own_folder("--folder", folder)?,
        (None, Some(run)) => run.folder.root().join("tournament"),
        (None, None) => return Err(input("no folder for the logs is given; add --folder")),
    };
    super::make_folder(&folder)?;
    let stop = signals::stop_flag()?;
    let before = EvaluatedBefore::of_folder(&folder);
    let context = Context { variant, config: &config, engines: &engines, stop: &stop };
    let mut players = context.players(&arguments.players.iter().collect::<Vec<_>>(), |_| before.clone())?;
    if let Some(run) = &run {
        players.extend(run.networks(&config, &before)?);
        players = PlayerConfig::told_apart(players, config.limit);
    }
    let schedule = match arguments.schedule {
        _ if run.is_some() => Schedule::Ladder(arguments.reach),
        Kind::RoundRobin => Schedule::RoundRobin,
        Kind::Gauntlet => Schedule::Gauntlet(arguments.leaders),
        Kind::Ladder => Schedule::Ladder(arguments.reach),
    };
    let anchor = arguments.anchor.as_deref();
    let progress = Console::new(arguments.json);
    let encounters = schedule.encounters(players.len()).len() as u64;
    let live = Live::new(&progress, &players, config.limit, 2 * u64::from(config.pairs) * encounters);
    let report = Tournament { variant, config: &config, players: &players, schedule, folder: &folder, anchor }.play(
        &stop,
        |now| {
            now.notes.iter().for_each(|note| progress.warn(note));
            live.update(now);
        },
    )?;
    drop(live);
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        println!("{schedule}, {variant}\n{report}");
        if let Some(ladder) = &report.ladder {
            cross_table(ladder);
        }
    }
    super::conclude(report.missing_games, report.every_game_failed())
}

/// Prints the points of each player against each other, and of how many games.
fn cross_table(ladder: &Ladder) {
    let rows = &ladder.ratings.rows;
    let numbers: Vec<String> = (1..=rows.len()).map(|number| format!(">{number}")).collect();
    let header: Vec<&str> = [">", "player"].into_iter().chain(numbers.iter().map(String::as_str)).collect();
    let cells = rows.iter().enumerate().map(|(place, row)| {
        let against = rows.iter().map(|other| {
            let results = ladder.between(&row.player, &other.player);
            match results.games() {
                _ if other.player == row.player => "·".to_owned(),
                0 => String::new(),
                games => format!("{}/{games}", results.wins as f64 + 0.5 * results.draws as f64),
            }
        });
        [(place + 1).to_string(), row.player.clone()].into_iter().chain(against).collect()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    println!();
    if table::width(&header, &cells) > terminal::width() {
        println!("The cross-table is too wide for this terminal; `kirin eval table FOLDER --csv` has it.");
    } else {
        table::print(&header, &cells, &[]);
    }
}

/// A run whose networks meet.
struct Run {
    folder: RunFolder,
    config: Config,
    variant: VariantId,
}

impl Run {
    fn read(path: &Path) -> anyhow::Result<Run> {
        let folder = RunFolder::new(path);
        let stored = folder.config();
        if !stored.exists() {
            return Err(input(format!("{} is not a run: there is no {}", path.display(), stored.display())));
        }
        let config = Config::load(&stored, &[])?;
        let variant = config.variant()?;
        Ok(Run { folder, config, variant })
    }

    /// The rules of the run, if no others were asked for.
    fn take_rules(&self, config: &mut MatchConfig) -> anyhow::Result<()> {
        let preset = &self.config.rules.preset;
        if config.ruleset.is_empty() {
            config.ruleset.clone_from(preset);
        } else if config.ruleset != *preset {
            return Err(input(format!(
                "--ruleset is {}, but the networks of the run were trained with {preset:?}",
                config.ruleset
            )));
        }
        Ok(())
    }

    /// Its networks in the order of their generations.
    fn networks(&self, config: &MatchConfig, before: &EvaluatedBefore) -> anyhow::Result<Vec<PlayerConfig>> {
        let search = config.search(&self.config.search);
        let mut networks = Vec::new();
        for (generation, path) in lab::networks_in(&self.folder.networks())? {
            let (file, _) = crate::commands::network::read(&path, Some(self.variant))?;
            let name = format!("gen-{generation:04}");
            let evaluator = match before.of(&file) {
                Some(evaluator) => evaluator.clone(),
                None => match_evaluator(config.pairs, &self.config.evaluator),
            };
            networks.push(network_player(name, file, &search, &evaluator));
        }
        if networks.is_empty() {
            return Err(input(format!("{} has no networks yet", self.folder.root().display())));
        }
        Ok(networks)
    }
}
