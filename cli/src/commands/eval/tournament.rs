//! `kirin eval tournament`: several players, everybody's games in one table.

use super::live::Live;
use super::options::Options;
use super::players::{Context, Engines};
use crate::failure::{Failure, input};
use crate::run::config::Config;
use crate::run::folder::RunFolder;
use crate::run::progress::Progress;
use crate::run::stages::matches::network_player;
use crate::signals;
use crate::table;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use eval::{Contender, Ladder, MatchConfig, PlayerSpec, Schedule, Tournament};
use rules::VariantId;
use std::path::{Path, PathBuf};

/// Play a tournament of paired games between two players or more, and print the ratings of all.
///
/// Players are written as for `kirin eval match`. Every encounter has a log of its own in the folder: run the same command
/// again to go on, or with more players. All encounters progress together, so that the table tells something early.
/// Ratings count every log of the folder.
#[derive(Args)]
pub struct Arguments {
    /// The players.
    players: Vec<PlayerSpec>,
    /// The variant; that of the run, with --ladder.
    #[arg(long, value_parser = crate::commands::variant, required_unless_present = "ladder")]
    variant: Option<VariantId>,
    /// Who meets whom.
    #[arg(long, value_enum, default_value_t = Kind::RoundRobin)]
    schedule: Kind,
    /// In a gauntlet: so many players, the first, each meet all the others.
    #[arg(long, default_value_t = 1)]
    leaders: usize,
    /// In a ladder: each player meets so many of those before it.
    #[arg(long, default_value_t = 1)]
    reach: usize,
    /// A ladder of all networks of a run, with its rules and its search settings (but --visits); players named beside it
    /// stand below them. The logs go to the folder `tournament` of the run.
    #[arg(long, value_name = "RUN", conflicts_with = "schedule")]
    ladder: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// Where the logs go.
    #[arg(long, required_unless_present = "ladder")]
    folder: Option<PathBuf>,
    /// The player whose rating is 0; the first in the order of names if not given.
    #[arg(long)]
    anchor: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Which encounters there are.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Everybody meets everybody.
    RoundRobin,
    /// The first players meet all the others.
    Gauntlet,
    /// Each meets those just before it.
    Ladder,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let run = arguments.ladder.as_deref().map(Run::read).transpose()?;
    let variant = match (&run, arguments.variant) {
        (Some(run), Some(variant)) if run.variant != variant => {
            return Err(input(format!("--variant {variant}, but the run is one of {}", run.variant)));
        }
        (Some(run), _) => run.variant,
        (None, variant) => variant.context("a variant")?,
    };
    let mut config = arguments.options.config(variant)?;
    if let Some(run) = &run {
        run.take_rules(&mut config)?;
    }
    let stop = signals::stop_flag()?;
    let engines = Engines::read(arguments.options.engines.as_deref())?;
    let context = Context { variant, config: &config, engines: &engines, stop: &stop };
    let mut players =
        arguments.players.iter().map(|player| context.contender(player)).collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(run) = &run {
        players.extend(run.networks(&config)?);
    }
    let schedule = match arguments.schedule {
        _ if run.is_some() => Schedule::Ladder(arguments.reach),
        Kind::RoundRobin => Schedule::RoundRobin,
        Kind::Gauntlet => Schedule::Gauntlet(arguments.leaders),
        Kind::Ladder => Schedule::Ladder(arguments.reach),
    };
    let folder = match (&arguments.folder, &run) {
        (Some(folder), _) => folder.clone(),
        (None, Some(run)) => run.folder.root().join("tournament"),
        (None, None) => return Err(input("where to? give --folder")),
    };
    let anchor = arguments.anchor.as_deref();
    let progress = Progress::new(arguments.json);
    let encounters = schedule.encounters(players.len()).len() as u64;
    let live = Live::new(&progress, &players, 2 * u64::from(config.pairs) * encounters);
    let report = Tournament { variant, config: &config, players: &players, schedule, folder: &folder, anchor }.play(
        &stop,
        |now| {
            now.notes.iter().for_each(|note| live.say(&progress, &format!("warning: {note}")));
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
    if report.missing_games > 0 {
        let text = format!("stopped with {} games to play; the same command goes on", report.missing_games);
        return Err(Failure::Drained(text).into());
    }
    Ok(())
}

/// Most players in a cross-table; with more its lines would be too long for any terminal.
const MOST_COLUMNS: usize = 16;

/// Points of each player against each, and of how many games.
fn cross_table(ladder: &Ladder) {
    let rows = &ladder.ratings.rows;
    if rows.len() > MOST_COLUMNS {
        println!("\n(no cross-table for more than {MOST_COLUMNS} players: --json has who played whom)");
        return;
    }
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
    println!();
    table::print(&header, &cells.collect::<Vec<Vec<String>>>());
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
            return Err(input(format!("{} is no run: there is no {}", path.display(), stored.display())));
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
            return Err(input(format!("--ruleset {}, but the run's networks learnt {preset:?}", config.ruleset)));
        }
        Ok(())
    }

    /// Its networks in the order of their generations.
    fn networks(&self, config: &MatchConfig) -> anyhow::Result<Vec<Contender>> {
        let search = selfplay::SearchConfig { visits: config.visits, ..self.config.search.clone() };
        let mut networks = Vec::new();
        for generation in 0.. {
            let path = self.folder.network(generation);
            if !path.exists() {
                break;
            }
            let (file, _) = crate::commands::network(&path, Some(self.variant))?;
            let name = format!("gen-{generation:04}");
            networks.push(network_player(name, file, &search, &self.config.evaluator, config.pairs));
        }
        if networks.is_empty() {
            return Err(input(format!("{} has no networks yet", self.folder.root().display())));
        }
        Ok(networks)
    }
}
