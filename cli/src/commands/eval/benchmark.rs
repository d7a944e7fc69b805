//! `kirin eval benchmark`: the rating of a player on a ladder of known players.

use super::options::Thinking;
use super::players::{self, Context, Engines};
use crate::console::Console;
use crate::failure::{Failure, input, sound};
use crate::out;
use crate::signals;
use anyhow::Context as _;
use clap::Args;
use engine::{EngineError, Limit};
use eval::benchmark::{Meeting, PlacedPlayer, Placement, Playing, ReferenceLadder, Rung};
use eval::players::PlayerKind;
use eval::ratings::RatingRow;
use eval::{MatchConfig, PlayerConfig, PlayerSpec};
use lab::EvaluatedBefore;
use rules::VariantId;
use serde_json::json;
use settings::Complaints;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Largest file of ladders that is read, bytes. Ours has some thousand.
const MOST_LADDERS_BYTES: u64 = 1 << 20;

/// Rate engines or other players on the variant's ladder of known players: random, greedy, Monte Carlo tree search, the
/// network that comes with Kirin, and Fairy-Stockfish with several numbers of nodes.
///
/// Each player first finds its place with few games, then plays the nearest players of the ladder. Its rating is fitted
/// together with the ladder's own games. The random player has Elo 0. Players are written as for `kirin eval match`. Run
/// the same command again to resume; --pairs may be raised. The ladder's Fairy-Stockfish is the program fairy-stockfish, or
/// the engine of that name in the file of --engines. Without players the ladder itself is printed, and nothing is played.
#[derive(Args)]
pub struct Arguments {
    /// The players to rate, for example `engine:PROGRAM?nodes=1000` or a network file.
    #[arg(conflicts_with = "play_ladder", value_parser = players::parser())]
    players: Vec<PlayerSpec>,
    /// The variant. Without it, that of the first network among the players.
    #[arg(long, value_parser = crate::commands::variants())]
    variant: Option<VariantId>,
    /// Pairs of games of each player against its neighbours on the ladder, all together.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: u32,
    #[command(flatten)]
    thinking: Thinking,
    /// The folder for the logs, which go to a folder for each variant in it.
    #[arg(long, default_value = "benchmark")]
    folder: PathBuf,
    /// A file of ladders to use instead of the built-in one (eval/benchmark/ladders.json is such a file).
    #[arg(long, value_name = "FILE")]
    ladders: Option<PathBuf>,
    /// Play the ladder's own matches again and compare them with the table, game for game (but those of a network, which
    /// differ between machines). This takes hours.
    #[arg(long)]
    play_ladder: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A setting, a player or the table of ladders is wrong, there is no ladder of the variant, or a match fails or was
/// stopped.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let variant = players::variant(arguments.variant, &arguments.players.iter().collect::<Vec<_>>())?;
    let config = arguments.thinking.config();
    let mut complaints = Complaints::default();
    config.check(&mut complaints);
    sound(complaints)?;
    let ladders = match &arguments.ladders {
        Some(file) => {
            let name = file.display();
            let text = data::bounded::read_named_text(file, MOST_LADDERS_BYTES)
                .with_context(|| format!("cannot read the ladders in {name}"))?;
            ReferenceLadder::read(&text).map_err(|error| input(format!("{name}: {error}")))?
        }
        None => ReferenceLadder::own()?,
    };
    let Some(ladder) = ladders.into_iter().find(|ladder| ladder.variant == variant.id()) else {
        return Err(input(format!("there is no ladder of {variant} in the table")));
    };
    if arguments.players.is_empty() && !arguments.play_ladder {
        return print_known(&ladder, arguments.json);
    }
    let folder = arguments.folder.join(variant.id());
    out::own_folder("--folder", &arguments.folder)?;
    super::make_folder(&arguments.folder)?;
    super::make_folder(&folder)?;
    let stop = signals::stop_flag()?;
    let engines = Engines::read(arguments.thinking.engines.as_deref())?;
    let before = EvaluatedBefore::of_folder(&folder);
    let context = Context { variant, config: &config, engines: &engines, stop: &stop };
    // The ladder's players have limits and a search of their own. What was asked for is for the players to be rated.
    let MatchConfig { algorithm, cpuct_deviation_share, .. } = MatchConfig::default();
    let own = MatchConfig { limit: Limit::Own, algorithm, cpuct_deviation_share, ..config.clone() };
    let known = Context { config: &own, ..context };
    let bench = Bench {
        rungs: rungs(&known, &before, &ladder)?,
        ladder,
        playing: Playing { config: &config, folder: &folder },
        stop: &stop,
        json: arguments.json,
    };
    if arguments.play_ladder {
        return bench.play_ladder();
    }
    let players = context.players(&arguments.players.iter().collect::<Vec<_>>(), |_| before.clone())?;
    players.iter().try_for_each(|player| bench.place(player, arguments.pairs))
}

/// The ladder's players that are available. An engine that is missing, or plays by other rules, is reported once.
fn rungs(
    context: &Context<'_>,
    before: &EvaluatedBefore,
    ladder: &ReferenceLadder,
) -> anyhow::Result<Vec<PlayerConfig>> {
    let (mut out, mut reasons) = (Vec::new(), BTreeSet::new());
    let mut absent = Vec::new();
    for rung in &ladder.rungs {
        match context.player_config(&rung.player, before) {
            Ok(player_config) => {
                if let Some(now) =
                    version(&player_config).filter(|now| *now != rung.version && !rung.version.is_empty())
                {
                    reasons.insert(format!("the ladder was played with {}, but this is {now}", rung.version));
                }
                out.push(PlayerConfig { name: rung.name.clone(), ..player_config });
            }
            Err(error) => match error.downcast_ref::<EngineError>() {
                Some(EngineError::Stopped) | None => return Err(error),
                Some(reason) => {
                    absent.push(rung.name.as_str());
                    let text = reason.to_string();
                    // All rungs of one engine are missing for the same reason.
                    reasons.insert(text.split_once(": ").map_or(text.clone(), |(_, reason)| reason.to_owned()));
                }
            },
        }
    }
    for reason in reasons {
        eprintln!("warning: {reason}");
    }
    if !absent.is_empty() {
        eprintln!("warning: these players of the ladder are missing: {}", absent.join(", "));
    }
    Ok(out)
}

/// An engine's own name and version, or the id of a network.
fn version(player_config: &PlayerConfig) -> Option<&str> {
    match &player_config.kind {
        PlayerKind::Engine(profile) => Some(profile.version()),
        PlayerKind::Network { .. } => Some(&player_config.identity),
        _ => None,
    }
}

struct Bench<'a> {
    ladder: ReferenceLadder,
    rungs: Vec<PlayerConfig>,
    playing: Playing<'a>,
    stop: &'a AtomicBool,
    json: bool,
}

impl Bench<'_> {
    fn place(&self, player: &PlayerConfig, pairs: u32) -> anyhow::Result<()> {
        let progress = Console::new(self.json);
        let placement = Placement { ladder: &self.ladder, rungs: &self.rungs, player, pairs, playing: self.playing };
        let meter = progress.stage(&player.name, placement.games());
        let placed = placement.play(self.stop, |games, rung, now| {
            now.notes.iter().for_each(|note| progress.warn(note));
            meter.update(games, || format!("against {rung}: {now}"));
        })?;
        drop(meter);
        let Some(placed) = placed else { return Err(stopped()) };
        if self.json {
            println!("{}", self.as_json(&placed));
        } else {
            self.print(&placed);
        }
        if placed.failed.len() as u64 == placed.games && placed.games > 0 {
            return Err(super::every_game_failed());
        }
        Ok(())
    }

    fn as_json(&self, placed: &PlacedPlayer) -> serde_json::Value {
        let row = placed.ratings.rows.iter().find(|row| row.player == placed.player);
        json!({
            "variant": self.ladder.variant,
            "player": placed.player,
            "elo": row.map(|row| row.elo),
            "elo_error": row.map(|row| row.error),
            "prior": row.map(|row| row.prior),
            "games": placed.games,
            "encounters": placed.encounters,
            "failed": placed.failed,
            "ladder": placed.ratings.rows,
        })
    }

    fn print(&self, placed: &PlacedPlayer) {
        let rows = &placed.ratings.rows;
        let width = rows.iter().map(|row| row.player.chars().count()).max().unwrap_or(0);
        println!(
            "{} on the ladder of {}, {}. Elo above the random player:",
            placed.player,
            self.ladder.variant,
            report::number::counted(placed.games, "game", "games")
        );
        println!("  {:width$} {:>6}  {:>14}", "", "Elo", "from it");
        for row in rows {
            let its = row.player == placed.player;
            let from = match placed.ratings.difference(&row.player, &placed.player) {
                Some(from) if !its => format!("{:+.0} ± {:.0}", from.value, from.error),
                _ => format!("± {:.0}", row.error),
            };
            let (mark, prior) = (if its { '>' } else { ' ' }, if row.prior { " *" } else { "" });
            println!("{mark} {:width$} {:>6.0}  {from:>14}{prior}", row.player, row.elo);
        }
        placed.failed.iter().take(10).for_each(|failed| println!("{failed}"));
        if placed.failed.len() > 10 {
            println!("and {} more; the logs have all", placed.failed.len() - 10);
        }
        if rows.iter().any(|row| row.prior) {
            println!("* All points against some opponent went one way. A weak prior keeps the distance finite.");
        }
    }

    /// Plays the matches of the ladder and prints the table that they give.
    fn play_ladder(&self) -> anyhow::Result<()> {
        let progress = Console::new(self.json);
        let find = |name: &String| self.rungs.iter().find(|rung| rung.name == *name);
        let mut encounters = Vec::new();
        let (mut equal, mut different, mut with_network) = (0, Vec::new(), 0);
        for meeting in &self.ladder.encounters {
            let [a, b] = &meeting.players;
            let (Some(first), Some(second)) = (find(a), find(b)) else {
                return Err(input(format!("the ladder needs {a} and {b}, but one of them is missing")));
            };
            let meter = progress.stage(&format!("{a} against {b}"), 2 * u64::from(meeting.pairs));
            let played = self.ladder.play_meeting(meeting, [first, second], self.playing, self.stop, |now| {
                now.notes.iter().for_each(|note| progress.warn(note));
                meter.update(now.games, || now.to_string());
            })?;
            drop(meter);
            let Some(played) = played else { return Err(stopped()) };
            let is_network = |player: &PlayerConfig| matches!(player.kind, PlayerKind::Network { .. });
            match &meeting.result {
                // The last bits of a network's outputs differ between machines, and so do its games.
                Some(_) if is_network(first) || is_network(second) => with_network += 1,
                Some(known) if played.result.as_ref() != Some(known) => different.push(format!("{a} against {b}")),
                Some(_) => equal += 1,
                None => {}
            }
            encounters.push(played);
        }
        self.print_ladder(encounters)?;
        eprintln!(
            "{equal} of {} matches equal those of the table, {} differ; {with_network} with a network are not compared",
            self.ladder.encounters.len(),
            different.len()
        );
        if different.is_empty() { Ok(()) } else { Err(Failure::Check(different.join("\n")).into()) }
    }

    /// Prints the ladder: a line for each player, or the whole table as JSON.
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
        print_rows(&played.ratings()?.rows);
        Ok(())
    }
}

/// Prints the built-in ladder, or the ladder of the given file.
fn print_known(ladder: &ReferenceLadder, json: bool) -> anyhow::Result<()> {
    let rows = ladder.ratings()?.rows;
    if json {
        println!("{}", json!({ "variant": ladder.variant, "ladder": rows }));
        return Ok(());
    }
    let games: u64 = ladder.results().iter().map(|encounter| encounter.results.games()).sum();
    println!("The ladder of {}, {games} games. Elo above the random player:", ladder.variant);
    print_rows(&rows);
    Ok(())
}

fn print_rows(rows: &[RatingRow]) {
    for row in rows {
        println!("{:28} {:>6.0} ± {:.0}", row.player, row.elo, row.error);
    }
}

fn stopped() -> anyhow::Error {
    Failure::Drained("stopped; finished games are kept. Run the same command to resume".to_owned()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_with_a_bundled_network_has_a_ladder() {
        let ladders = ReferenceLadder::own().unwrap();
        for &id in VariantId::ALL.iter().filter(|&&id| train::has_builtin(id)) {
            assert!(ladders.iter().any(|ladder| ladder.variant == id.id()), "{id}");
        }
    }

    #[test]
    fn the_networks_on_the_ladders_are_those_that_come_with_kirin() {
        for ladder in ReferenceLadder::own().unwrap() {
            let network = train::builtin(ladder.variant.parse().unwrap()).unwrap();
            let rungs: Vec<_> =
                ladder.rungs.iter().filter(|rung| matches!(rung.player, PlayerSpec::Builtin { .. })).collect();
            let whole = rungs.iter().filter(|rung| rung.level.is_none()).count();
            assert_eq!(whole, usize::from(network.is_some()), "{}", ladder.variant);
            for (rung, network) in rungs.iter().flat_map(|rung| network.iter().map(move |network| (rung, network))) {
                assert_eq!(rung.version, network.id(), "{}: its games are to be played again", ladder.variant);
            }
        }
    }
}
