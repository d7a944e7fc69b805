//! `kirin eval benchmark`: how strong a player is, on a ladder of known ones.

use super::players::{Context, Engines};
use crate::failure::{Failure, input, sound};
use crate::run::progress::Progress;
use crate::signals;
use anyhow::Context as _;
use clap::Args;
use eval::benchmark::{Meeting, Placed, Placement, Playing, ReferenceLadder, Rung};
use eval::players::Brain;
use eval::{Contender, EngineError, Limit, MatchConfig, PlayerSpec};
use rules::VariantId;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Rate engines (or any players) on the variant's ladder of known players: random, greedy, Monte Carlo tree search and
/// Fairy-Stockfish with several numbers of nodes.
///
/// Each player first looks for its place with few games, then plays those next to it; its rating is fitted together
/// with the ladder's own games. Elo 0 is the random player. Players are written as for `kirin eval match`. Run the same
/// command again to go on; --pairs may be raised.
#[derive(Args)]
pub struct Arguments {
    /// The players to rate, as `engine:PROGRAM?nodes=1000` or a network file.
    #[arg(required_unless_present = "play_ladder", conflicts_with = "play_ladder")]
    players: Vec<PlayerSpec>,
    /// The variant.
    #[arg(long, value_parser = crate::commands::variant)]
    variant: VariantId,
    /// Pairs of games of each player against its neighbours on the ladder.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: u32,
    /// Simulations a move of networks.
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// How long the players think who have no limit of their own, as nodes:1000 or time:100ms.
    #[arg(long, default_value = "own")]
    limit: Limit,
    /// What is forgiven for each move beyond a limit of time, milliseconds.
    #[arg(long, default_value_t = 100)]
    margin_ms: u32,
    /// A TOML file of engines, as for `kirin eval match`; one called fairy-stockfish is then the ladder's.
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    /// Threads; 0: one for each core.
    #[arg(long, default_value_t = 0)]
    threads: u32,
    /// Where the logs of the matches go, in a folder for each variant.
    #[arg(long, default_value = "benchmark")]
    folder: PathBuf,
    /// A file of ladders in place of the program's own (eval/benchmark/ladders.json is one).
    #[arg(long, value_name = "FILE")]
    ladders: Option<PathBuf>,
    /// Play the ladder's own matches again and compare them with the table, game for game. Takes long.
    #[arg(long)]
    play_ladder: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let variant = arguments.variant;
    let config = MatchConfig {
        visits: arguments.visits,
        limit: arguments.limit,
        margin_ms: arguments.margin_ms,
        threads: arguments.threads,
        ..MatchConfig::default()
    };
    let mut complaints = Vec::new();
    config.complaints("", &mut complaints);
    sound(&complaints)?;
    let ladders = match &arguments.ladders {
        Some(file) => {
            let name = file.display();
            let text = std::fs::read_to_string(file).with_context(|| format!("cannot read the ladders in {name}"))?;
            ReferenceLadder::read(&text).map_err(|error| input(format!("{name}: {error}")))?
        }
        None => ReferenceLadder::own()?,
    };
    let Some(ladder) = ladders.into_iter().find(|ladder| ladder.variant == variant.id()) else {
        return Err(input(format!("there is no ladder for {variant}")));
    };
    let folder = arguments.folder.join(variant.id());
    std::fs::create_dir_all(&folder)?;
    let stop = signals::stop_flag()?;
    let engines = Engines::read(arguments.engines.as_deref())?;
    let context = Context { variant, config: &config, engines: &engines, stop: &stop };
    // The ladder's players have sizes of their own: a limit of time is for the players to be rated.
    let own = MatchConfig { limit: Limit::Own, ..config.clone() };
    let known = Context { config: &own, ..context };
    let bench = Bench {
        rungs: rungs(&known, &ladder)?,
        ladder,
        playing: Playing { config: &config, folder: &folder },
        stop: &stop,
        json: arguments.json,
    };
    if arguments.play_ladder {
        return bench.play_ladder();
    }
    let players = arguments.players.iter().map(|spec| context.contender(spec)).collect::<anyhow::Result<Vec<_>>>()?;
    players.iter().try_for_each(|player| bench.place(player, arguments.pairs))
}

/// The ladder's players that are at hand. An engine that is missing, or does not play this game, is told once.
fn rungs(context: &Context<'_>, ladder: &ReferenceLadder) -> anyhow::Result<Vec<Contender>> {
    let (mut out, mut reasons) = (Vec::new(), BTreeSet::new());
    let mut absent = Vec::new();
    for rung in &ladder.rungs {
        match context.contender(&rung.player) {
            Ok(contender) => {
                if let Some(now) = version(&contender).filter(|now| *now != rung.version && !rung.version.is_empty()) {
                    reasons.insert(format!("the ladder was played with {}, this is {now}", rung.version));
                }
                out.push(Contender { name: rung.name.clone(), ..contender });
            }
            Err(error) => match error.downcast_ref::<EngineError>() {
                Some(EngineError::Stopped) | None => return Err(error),
                Some(reason) => {
                    absent.push(rung.name.as_str());
                    let text = reason.to_string();
                    // All its rungs are missing for the same reason.
                    reasons.insert(text.split_once(": ").map_or(text.clone(), |(_, reason)| reason.to_owned()));
                }
            },
        }
    }
    for reason in reasons {
        eprintln!("warning: {reason}");
    }
    if !absent.is_empty() {
        eprintln!("warning: not on the ladder this time: {}", absent.join(", "));
    }
    Ok(out)
}

/// What an engine calls itself.
fn version(contender: &Contender) -> Option<&str> {
    match &contender.brain {
        Brain::Engine(profile) => Some(profile.version()),
        _ => None,
    }
}

struct Bench<'a> {
    ladder: ReferenceLadder,
    rungs: Vec<Contender>,
    playing: Playing<'a>,
    stop: &'a AtomicBool,
    json: bool,
}

impl Bench<'_> {
    fn place(&self, player: &Contender, pairs: u32) -> anyhow::Result<()> {
        let progress = Progress::new(self.json);
        let placement = Placement { ladder: &self.ladder, rungs: &self.rungs, player, pairs, playing: self.playing };
        let meter = progress.stage(&player.name, placement.games());
        let placed = placement.play(self.stop, |games, rung, now| {
            meter.update(games, || format!("against {rung}: {now}"));
        })?;
        drop(meter);
        let Some(placed) = placed else { return Err(stopped()) };
        if self.json {
            println!("{}", self.as_json(&placed));
        } else {
            self.print(&placed);
        }
        Ok(())
    }

    fn as_json(&self, placed: &Placed) -> serde_json::Value {
        let row = placed.ratings.rows.iter().find(|row| row.player == placed.player);
        json!({
            "variant": self.ladder.variant,
            "player": placed.player,
            "elo": row.map(|row| row.elo),
            "elo_error": row.map(|row| row.error),
            "cautious": row.map(|row| row.prior),
            "games": placed.games,
            "encounters": placed.encounters,
            "ladder": placed.ratings.rows,
        })
    }

    fn print(&self, placed: &Placed) {
        let rows = &placed.ratings.rows;
        let width = rows.iter().map(|row| row.player.chars().count()).max().unwrap_or(0);
        println!(
            "{} on the ladder of {}, {} games; Elo above the random player",
            placed.player, self.ladder.variant, placed.games
        );
        println!("  {:width$} {:>6}  {:>14}", "", "Elo", "from it");
        for row in rows {
            let its = row.player == placed.player;
            let from = match placed.ratings.difference(&row.player, &placed.player) {
                Some(from) if !its => format!("{:+.0} ± {:.0}", from.value, from.error),
                _ => format!("± {:.0}", row.error),
            };
            let (mark, cautious) = (if its { '>' } else { ' ' }, if row.prior { " *" } else { "" });
            println!("{mark} {:width$} {:>6.0}  {from:>14}{cautious}", row.player, row.elo);
        }
        if rows.iter().any(|row| row.prior) {
            println!(
                "* All points between it and its neighbours went one way; a weak prior keeps the distance finite."
            );
        }
    }

    /// Plays the matches of the ladder and prints the table that comes of them.
    fn play_ladder(&self) -> anyhow::Result<()> {
        let progress = Progress::new(self.json);
        let find = |name: &String| self.rungs.iter().find(|rung| rung.name == *name);
        let mut encounters = Vec::new();
        let (mut equal, mut different) = (0, Vec::new());
        for meeting in &self.ladder.encounters {
            let [a, b] = &meeting.players;
            let (Some(first), Some(second)) = (find(a), find(b)) else {
                return Err(input(format!("the ladder needs {a} and {b}, and one of them is not at hand")));
            };
            let meter = progress.stage(&format!("{a} against {b}"), 2 * u64::from(meeting.pairs));
            let played = self.ladder.play_meeting(meeting, [first, second], self.playing, self.stop, |now| {
                meter.update(now.games, || now.to_string());
            })?;
            drop(meter);
            let Some(played) = played else { return Err(stopped()) };
            match &meeting.result {
                Some(known) if played.result.as_ref() != Some(known) => different.push(format!("{a} against {b}")),
                Some(_) => equal += 1,
                None => {}
            }
            encounters.push(played);
        }
        self.print_ladder(encounters)?;
        eprintln!("{equal} matches as in the table, {} not, of {}", different.len(), self.ladder.encounters.len());
        if different.is_empty() { Ok(()) } else { Err(Failure::Check(different.join("\n")).into()) }
    }

    /// The ladder as a table has it, a line for each player and each meeting.
    fn print_ladder(&self, encounters: Vec<Meeting>) -> anyhow::Result<()> {
        let version = |name: &str| self.rungs.iter().find(|rung| rung.name == name).and_then(version);
        let rungs = self
            .ladder
            .rungs
            .iter()
            .map(|rung| Rung { version: version(&rung.name).unwrap_or_default().to_owned(), ..rung.clone() });
        let played = ReferenceLadder { rungs: rungs.collect(), encounters, ..self.ladder.clone() };
        if self.json {
            println!("{}", serde_json::to_string(&played)?);
            return Ok(());
        }
        for row in played.ratings()?.rows {
            println!("{:28} {:>6.0} ± {:.0}", row.player, row.elo, row.error);
        }
        Ok(())
    }
}

fn stopped() -> anyhow::Error {
    Failure::Drained("stopped; finished games are kept, and the same command goes on".to_owned()).into()
}
