//! `kirin watch`: a run as it stands, while another program works on it.

use crate::failure::must_exist;
use crate::signals;
use crate::terminal::{self, LiveText};
use anyhow::Context;
use clap::Args;
use lab::health::Newest;
use lab::watch::{Condition, RunState};
use lab::{Progress, RunFolder, Task};
use report::number::{count, counted, duration, fixed, optional, percent, plus_minus, signed};
use report::{Rating, health};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Show the state of a run while another program works on it.
///
/// The display has stage, losses, rating, health and expected end. A figure outside its healthy range has a remedy below it. It is updated every two seconds until the run is over or no
/// program works on it.
///
/// The command reads the files of the run and changes nothing. The expected end follows from the budget; in a run without a
/// budget, from the time of the last three generations. Where the output is a file or a pipe, the state is printed once, as
/// with --once.
#[derive(Args)]
pub struct Arguments {
    /// A run folder.
    run: PathBuf,
    /// Print the state once and end.
    #[arg(long)]
    once: bool,
    /// Print JSON.
    #[arg(long, requires = "once")]
    json: bool,
}

/// Looks between which nothing is read: the run writes its progress every two seconds.
const LOOKS: u32 = 20;

/// Time between two looks at whether to stop.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Runs the command.
///
/// # Errors
/// There is no run in the folder, or a file of it cannot be read.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    must_exist(&arguments.run)?;
    let folder = RunFolder::new(&arguments.run);
    let screen = if arguments.once { None } else { LiveText::on_stdout() };
    let stop = screen.as_ref().map(|_| signals::stop_flag()).transpose()?;
    loop {
        let state = RunState::read(&folder)?;
        let rating = if state.condition == Condition::Opening { None } else { newest_rating(&folder)? };
        let (Some(screen), Some(stop), Condition::Running | Condition::Opening) = (&screen, &stop, state.condition)
        else {
            // The live display is cleared at the end; this text stays.
            drop(screen);
            print(&state, rating.as_ref(), arguments.json)?;
            return Ok(());
        };
        let (width, height) = screen.room();
        screen.draw(&shortened(lines(&state, rating.as_ref(), width), height, &arguments.run));
        for _ in 0..LOOKS {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(ASK_EVERY);
        }
    }
}

/// The rating of the newest network that has one.
fn newest_rating(folder: &RunFolder) -> anyhow::Result<Option<Rating>> {
    if !folder.matches().exists() {
        return Ok(None);
    }
    let events = lab::events::read(&folder.events())?;
    let ratings = report::ratings(folder, &events).context("the matches cannot be rated")?;
    Ok(ratings.networks.into_iter().rev().find(|rating| rating.generation > 0))
}

fn print(state: &RunState, rating: Option<&Rating>, as_json: bool) -> anyhow::Result<()> {
    if !as_json {
        println!("{}", lines(state, rating, terminal::width()).join("\n"));
        return Ok(());
    }
    let mut value = serde_json::to_value(state)?;
    value["rating"] = rating.map_or(serde_json::Value::Null, |rating| {
        serde_json::json!({ "network": rating.generation, "elo": rating.elo, "elo_error": rating.error,
            "gain": rating.gain.map(|gain| gain.value), "gain_error": rating.gain.map(|gain| gain.error),
            "place": rating.place })
    });
    println!("{value}");
    Ok(())
}

/// At most so many lines; the last one says where the others can be read.
fn shortened(mut lines: Vec<String>, height: usize, run: &Path) -> Vec<String> {
    if lines.len() > height {
        lines.truncate(height.saturating_sub(1));
        lines.push(format!("… more: kirin watch {} --once", run.display()));
    }
    lines
}

/// Columns of the name at the beginning of a line.
const INDENT: usize = 9;

/// Columns before a remedy, which stands below its figure.
const REMEDY_INDENT: usize = INDENT + 2;

/// The state as lines of text, none of them longer than `width` columns.
fn lines(state: &RunState, rating: Option<&Rating>, width: usize) -> Vec<String> {
    let wrapped = |line: &String| {
        // A line begins with its indent, and so do its continuations.
        let indent = if line.starts_with(&" ".repeat(REMEDY_INDENT)) { REMEDY_INDENT } else { INDENT };
        terminal::fold(line, indent, width).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    sentences(state, rating).iter().flat_map(wrapped).collect()
}

/// The state as lines of any length.
fn sentences(state: &RunState, rating: Option<&Rating>) -> Vec<String> {
    let condition = match state.condition {
        Condition::Opening => {
            return vec![format!("{}: being opened; the first stage begins after some measurements", state.title)];
        }
        Condition::Running => "running",
        Condition::Interrupted => "interrupted; the same command resumes it",
        Condition::Finished => "finished",
    };
    let generation = match (state.generation, state.generations) {
        (0, _) => "no generation is planned yet".to_owned(),
        (now, Some(all)) => format!("generation {now} of {all}"),
        (now, None) => format!("generation {now}"),
    };
    let mut lines = vec![
        format!("{}: {condition}", state.title),
        format!("run      {} done, {generation}, {}", percent(state.done, 0), time(state)),
    ];
    lines.extend(state.stage.as_ref().map(|stage| format!("stage    {}", stage_line(stage))));
    lines.push(format!(
        "games    {} with {}",
        counted(state.games, "game", "games"),
        counted(state.positions, "searched position", "searched positions")
    ));
    if let Some(losses) = &state.losses {
        lines.push(format!(
            "losses   network {}: policy {} (validation {}), value {} (validation {})",
            state.network,
            fixed(losses.policy, 3),
            optional(losses.policy_held_out, 3),
            fixed(losses.value, 3),
            optional(losses.value_held_out, 3),
        ));
    }
    if let Some(rating) = rating {
        let gain = plus_minus(rating.gain.map(|gain| gain.value), rating.gain.map(|gain| gain.error));
        let (network, elo) = (rating.generation, signed(rating.elo));
        lines.push(format!("rating   network {network}: Elo {elo}, {gain} above the network rated before"));
        if let Some(place) = &rating.place {
            lines.push(format!("scale    network {network}: {place}"));
        }
    }
    if let Some(played) = &state.last_match {
        let score = percent(played.score, 1);
        lines.push(format!("match    network {} against {}: {score}", played.network, played.opponent));
    }
    lines.extend(health_lines(&state.health));
    lines
}

/// `12 min 04 s so far, about 8 min 00 s left`.
fn time(state: &RunState) -> String {
    let so_far = format!("{} so far", duration(state.seconds));
    match (state.seconds_left, state.budget_seconds) {
        (Some(left), _) => format!("{so_far}, about {} left", duration(left)),
        (None, Some(budget)) => format!("{so_far} of {}", duration(budget)),
        (None, None) => so_far,
    }
}

/// `self-play, 50 % of 5,120 positions, 31 games, 4,000 evaluations/s`.
fn stage_line(stage: &Progress) -> String {
    let (name, units) = match stage.task {
        Task::RulesGames => ("random-play games".to_owned(), "games"),
        Task::Selfplay => ("self-play".to_owned(), "positions"),
        Task::Training => ("training".to_owned(), "steps"),
        Task::Match { network, opponent, .. } => (format!("network {network} against {opponent}"), "games"),
    };
    let mut text = format!("{name}, {} of {} {units}", percent(stage.share(), 0), count(stage.total));
    let figures = &stage.figures;
    if let (Some(games), Task::Selfplay) = (figures.games, stage.task) {
        text += &format!(", {}", counted(games, "game", "games"));
    }
    if let Some(speed) = figures.evaluations_per_second {
        text += &format!(", {} evaluations/s", fixed(speed, 0));
    }
    if let (Some(policy), Some(value)) = (figures.policy_loss, figures.value_loss) {
        text += &format!(", policy loss {}, value loss {}", fixed(policy, 3), fixed(value, 3));
    }
    text
}

/// Each figure outside its range with its remedy, or a line that all are healthy.
fn health_lines(figures: &[Newest]) -> Vec<String> {
    let ills: Vec<&Newest> = figures.iter().filter(|newest| !newest.figure.is_healthy()).collect();
    if let ([_, ..], []) = (figures, ills.as_slice()) {
        let figures = counted(figures.len() as u64, "figure is in its range", "figures are in their ranges");
        return vec![format!("health   all {figures}")];
    }
    let of_figure = |Newest { generation, figure }: &Newest| {
        let remedy = figure.remedy.as_deref().unwrap_or_default().replace('`', "");
        let (value, range) = (health::value(figure), health::range(figure));
        [
            format!("health   {} {value} in generation {generation}, healthy {range}", figure.title),
            format!("{:REMEDY_INDENT$}{remedy}", ""),
        ]
    };
    ills.into_iter().flat_map(of_figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::Figures;
    use lab::events::{Event, Selfplay, Stage, Train};
    use lab::health::{Health, newest};
    use lab::watch::Losses;
    use unicode_width::UnicodeWidthStr;

    fn state() -> RunState {
        let figures = Figures { games: Some(31), evaluations_per_second: Some(4000.4), ..Figures::default() };
        let stage = Progress {
            generation: 5,
            task: Task::Selfplay,
            done: 2560,
            total: 5120,
            began_at_ms: 0,
            at_ms: 0,
            figures,
        };
        RunState {
            title: "Wangqi 王棋".to_owned(),
            condition: Condition::Running,
            generation: 5,
            generations: Some(8),
            stage: Some(stage),
            done: 0.56,
            seconds: 724.0,
            budget_seconds: None,
            seconds_left: Some(480.0),
            games: 1200,
            positions: 40_000,
            network: 4,
            losses: Some(Losses { policy: 1.5, policy_held_out: Some(1.625), value: 0.7, value_held_out: None }),
            last_match: None,
            health: Vec::new(),
        }
    }

    #[test]
    fn a_state_reads_well() {
        let rating = Rating {
            generation: 4,
            name: "gen-0004".to_owned(),
            elo: 212.0,
            error: Some(148.0),
            gain: Some(eval::ratings::Estimate { value: 90.0, error: 48.0 }),
            games: 60,
            score: 0.7,
            cautious: false,
            place: Some(eval::benchmark::ScalePlace {
                elo: 1432.0,
                error: 310.0,
                neighbour: "level 4".to_owned(),
                above: -45.0,
                above_error: 120.0,
            }),
        };
        assert_eq!(
            lines(&state(), Some(&rating), 82),
            [
                "Wangqi 王棋: running",
                "run      56 % done, generation 5 of 8, 12 min 04 s so far, about 8 min 00 s left",
                "stage    self-play, 50 % of 5,120 positions, 31 games, 4,000 evaluations/s",
                "games    1,200 games with 40,000 searched positions",
                "losses   network 4: policy 1.500 (validation 1.625), value 0.700 (validation –)",
                "rating   network 4: Elo +212, +90 ± 48 above the network rated before",
                "scale    network 4: 1432 Elo, 45 ± 120 below level 4 (± 310 from random)",
            ]
        );
    }

    #[test]
    fn a_remedy_stands_below_its_figure_and_nothing_is_cut_off() {
        let gap = Train { validation_value_loss: Some(1.0), trained_value_loss: Some(0.5), ..Train::default() };
        let stages = [Stage::Selfplay(Selfplay::default()), Stage::Train(gap)];
        let event = |stage| Event { at_ms: 0, generation: 4, seconds: 40.0, seconds_before: 0.0, stage };
        let health = newest(&Health::of(&stages.map(event)));
        let text = lines(&RunState { health, ..state() }, None, 80);
        let at = text.iter().position(|line| line.starts_with("health   ")).expect("an alarm");
        assert_eq!(
            text[at..],
            [
                "health   value loss, validation over training 0.50 nats in generation 4, healthy",
                "         up to 0.20 nats",
                "           the value overfits: in the next run, lower run.uses or",
                "           training.loss.value, or set training.data.value_plies to 16 where it",
                "           is less",
            ]
        );
        assert!(text.iter().all(|line| line.width() <= 80), "{text:?}");
        let shown = shortened(text.clone(), 5, Path::new("runs/x"));
        assert_eq!((shown.len(), shown[4].as_str()), (5, "… more: kirin watch runs/x --once"));
        assert_eq!(shortened(text.clone(), text.len(), Path::new("runs/x")), text);
    }

    #[test]
    fn an_interrupted_run_says_so() {
        let state = RunState {
            condition: Condition::Interrupted,
            seconds_left: None,
            budget_seconds: Some(1200.0),
            generations: None,
            stage: None,
            losses: None,
            ..state()
        };
        let text = lines(&state, None, 80);
        assert_eq!(text[0], "Wangqi 王棋: interrupted; the same command resumes it");
        assert_eq!(text[1], "run      56 % done, generation 5, 12 min 04 s so far of 20 min 00 s");
    }
}
