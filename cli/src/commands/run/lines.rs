//! The events of a run as lines of text on the console.

use crate::console::{Console, Meter};
use data::Recovery;
use lab::events::{Match, Selfplay, Stage, Train};
use lab::health::Figure;
use lab::{Notice, Status, Task};
use report::health::{range, value};
use report::number::{counted, fixed};
use rules::Termination;
use selfplay::generator::GenerationCounts;
use std::time::Duration;

impl lab::Observer for Console {
    fn notice(&self, notice: &Notice<'_>) {
        match notice {
            Notice::Recovered(recovery) => self.line(&cleaned_up(recovery)),
            Notice::BegunFrom(ancestor) if ancestor.run_id.is_empty() => {
                self.line(&format!("begun from network {} of {}", ancestor.network, ancestor.folder));
            }
            Notice::BegunFrom(ancestor) => self.line(&format!(
                "begun from network {} of {}, with {} and {}",
                ancestor.generation,
                ancestor.folder,
                counted(ancestor.games, "game", "games"),
                counted(ancestor.positions, "position", "positions")
            )),
            Notice::Planned { plan, .. } if plan.rules_games > 0 => self.line(&format!(
                "generation {}: {} of random play, then up to {} training steps",
                plan.generation,
                counted(plan.rules_games.into(), "game", "games"),
                plan.steps
            )),
            Notice::Planned { plan, slots } => self.line(&format!(
                "generation {}: {} moves in each of {slots} games at once, then up to {} training steps",
                plan.generation, plan.plies_per_slot, plan.steps
            )),
            Notice::EvaluatedInFp32 { network, error } => {
                self.line(&format!("network {network} is evaluated in fp32, because {error}"));
            }
            Notice::EarlierGamesLeftOut(reason) => {
                self.line(&format!("self-play continues without earlier games: {reason}"));
            }
            Notice::CheckpointDamaged { network, problem } => self.warn(&format!(
                "the checkpoint of network {network} cannot be used, so it is trained again from the one before: {problem}"
            )),
            Notice::ShardLeftOut(reason) => self.line(&format!("training continues without a damaged shard: {reason}")),
            Notice::ShardLost(lost) => self.warn(&format!(
                "{lost}, so it was lost. Bring it back from a copy; or start the trainer again with --skip-lost, which \
                 continues without its games"
            )),
            Notice::FewerSteps { generation, steps, planned, positions } => self.line(&format!(
                "generation {generation}: {steps} training steps instead of {planned}, for {positions} positions of \
                 finished games"
            )),
            Notice::MatchWarning(warning) => self.warn(warning),
            Notice::Finished { generation, stage, time, .. } => {
                self.line(&finished(*generation, stage, *time));
            }
            Notice::Ill { generation, figure } => self.line(&ill(*generation, figure)),
        }
    }

    fn begin(&self, generation: u32, task: Task, total: u64) -> Box<dyn lab::Meter> {
        let title = match task {
            Task::RulesGames => format!("generation {generation} of random play"),
            Task::Selfplay => format!("generation {generation} self-play"),
            Task::Training => format!("generation {generation} training"),
            Task::Match { network, opponent, .. } => format!("network {network} against {opponent}"),
        };
        Box::new(self.stage(&title, total))
    }
}

impl lab::Meter for Meter {
    fn update(&self, done: u64, status: &Status<'_>) {
        self.update(done, || match status {
            Status::RulesGames { counts, elapsed } => by_rules(counts, *elapsed),
            Status::Selfplay { counts, elapsed } => selfplay(counts, *elapsed),
            Status::Training(Some(figures)) => {
                format!("policy loss {:.3}, value loss {:.3}", figures.policy, figures.value)
            }
            Status::Training(None) => String::new(),
            Status::Match(now) => now.to_string(),
        });
    }
}

/// The leftovers of a killed program, and what was done with them.
fn cleaned_up(recovery: &Recovery) -> String {
    let mut parts = Vec::new();
    let files = |files: &[std::path::PathBuf]| counted(files.len() as u64, "file", "files");
    if !recovery.temporaries.is_empty() {
        parts.push(format!("removed {} that it had not finished", files(&recovery.temporaries)));
    }
    if !recovery.orphans.is_empty() {
        parts.push(format!("quarantined {} that it had not committed, in data/orphans", files(&recovery.orphans)));
    }
    if recovery.torn_manifest_bytes > 0 {
        parts.push("cut off a line of the manifest that it had not finished".to_owned());
    }
    format!("cleaned up after a killed program: {}", parts.join("; "))
}

/// A finished stage in a line.
fn finished(generation: u32, stage: &Stage, time: Duration) -> String {
    match stage {
        Stage::Selfplay(Selfplay {
            undecided: Some(undecided),
            games,
            mean_plies,
            first_wins,
            second_wins,
            draws,
            ..
        }) => {
            format!(
                "generation {generation} of random play: {} of {mean_plies:.0} plies, {first_wins} + {second_wins} wins \
                 and {}; without a winner at the limit, and not kept: {}; {:.0} games/s",
                counted(*games, "game", "games"),
                counted(*draws, "draw", "draws"),
                counted(*undecided, "game", "games"),
                (games + undecided) as f64 / time.as_secs_f64().max(1e-3),
            )
        }
        Stage::Selfplay(played) => format!(
            "generation {generation} self-play: {} of {:.0} plies, {} + {} wins and {}, {}, \
             {:.0} evaluations/s, batches {:.0} % full",
            counted(played.games, "game", "games"),
            played.mean_plies,
            played.first_wins,
            played.second_wins,
            counted(played.draws, "draw", "draws"),
            counted(played.positions, "position", "positions"),
            played.evaluations as f64 / time.as_secs_f64().max(1e-3),
            100.0 * played.batch_fill,
        ),
        Stage::Train(Train { steps, samples, window, policy_loss, value_loss, .. }) => format!(
            "generation {generation} training: {} on {} at {:.0} samples/s, policy loss \
             {policy_loss:.3}, value loss {value_loss:.3}",
            counted(*steps, "step", "steps"),
            counted(*window, "position", "positions"),
            *samples as f64 / time.as_secs_f64().max(1e-3),
        ),
        Stage::Untrained(_) => {
            format!("generation {generation} training: no newly finished games; keeping the previous network")
        }
        Stage::Repaired(repaired) => format!(
            "the checkpoint of network {} was made again in {} steps from that of network {}, {}",
            repaired.network,
            repaired.steps,
            repaired.from,
            if repaired.same { "with the same weights" } else { "with other weights: the run is no longer repeatable" },
        ),
        Stage::Match(played) => {
            let place = played.place.as_ref().map_or_else(String::new, |place| format!("; on the fixed scale {place}"));
            format!("network {} against {}: {}{place}", played.network, played.opponent, result(played))
        }
    }
}

/// A figure that has left its healthy range: `generation 3: games cut off at the ply limit 30.0 %, healthy up to 15.0 %; …`.
fn ill(generation: u32, figure: &Figure) -> String {
    let remedy = figure.remedy.as_deref().unwrap_or_default().replace('`', "");
    format!("generation {generation}: {} {}, healthy {}; {remedy}", figure.title, value(figure), range(figure))
}

/// `62.5 % (95 %: 51.0 to 73.1), Elo +89 ± 60, 24 won, 2 drawn, 14 lost`.
fn result(played: &Match) -> String {
    let elo = match (played.elo, played.elo_error) {
        (Some(elo), Some(error)) => format!("Elo {elo:+.0} ± {error:.0}"),
        _ => "Elo n/a".to_owned(),
    };
    format!(
        "{:.1} % (95 %: {:.1} to {:.1}), {elo}, {} won, {} drawn, {} lost",
        100.0 * played.score,
        100.0 * played.score_low,
        100.0 * played.score_high,
        played.wins,
        played.draws,
        played.losses,
    )
}

/// Random-play games in progress.
fn by_rules(counts: &GenerationCounts, elapsed: Duration) -> String {
    let speed = counts.games as f64 / elapsed.as_secs_f64().max(1e-3);
    format!("{} games/s{}", fixed(speed, 0), ends(counts))
}

/// Self-play in progress: what was played so far, how well the machine is used, and how the games ended. What matters
/// most comes first, since a terminal shows only what fits into a line.
fn selfplay(counts: &GenerationCounts, elapsed: Duration) -> String {
    let mut text = counted(counts.games, "game", "games");
    if counts.batches > 0 {
        let speed = counts.evaluations as f64 / elapsed.as_secs_f64().max(1e-3);
        text += &format!(", {} evals/s, batches {:.0} % full", fixed(speed, 0), 100.0 * counts.batch_fill());
    }
    text + &ends(counts)
}

/// How the games have ended so far, after a comma; nothing if none has.
fn ends(counts: &GenerationCounts) -> String {
    if counts.games == 0 {
        return String::new();
    }
    let ended = |terminations: &[Termination]| {
        let games: u64 = terminations.iter().map(|&termination| counts.terminated_by(termination)).sum();
        100.0 * games as f64 / counts.games as f64
    };
    format!(
        ", {:.0} plies a game, {} + {} wins, {}, {:.0} % at the limit, {:.0} % resigned, {:.0} % repeated",
        counts.mean_plies(),
        counts.first_wins,
        counts.second_wins,
        counted(counts.draws(), "draw", "draws"),
        ended(&[Termination::MaxPlies, Termination::Points]),
        ended(&[Termination::Resign]),
        ended(REPEATED),
    )
}

/// Ends by repetition.
const REPEATED: &[Termination] =
    &[Termination::Repetition, Termination::PerpetualCheck, Termination::PerpetualChase, Termination::PerpetualThreat];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_a_second_are_those_of_the_table() {
        let train = Train { steps: 10, samples: 1_000, window: 500, ..Train::default() };
        let line = finished(3, &Stage::Train(train.clone()), Duration::from_secs(4));
        assert!(line.starts_with("generation 3 training: 10 steps on 500 positions at 250 samples/s"), "{line}");
        let stage = Stage::Train(train);
        let event = lab::events::Event { at_ms: 0, generation: 3, seconds: 4.0, seconds_before: 0.0, stage };
        let times = report::StageTimes::of(&[event]);
        assert_eq!(times[0].samples_a_second, Some(250.0));
    }
}
