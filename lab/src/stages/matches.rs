//! The match stage: a network of the run against another, or against a fixed player.

use super::stage_context::StageContext;
use crate::error::{LabError, Result};
use crate::events;
use crate::observer::{Notice, Status, Task};
use crate::opponent::Opponent;
use crate::player::{EvaluatedBefore, match_evaluator, network_player, opponent_player};
use eval::{Match, MatchError, MatchProgress, MatchReport, PlayerConfig};
use rules::{Variant, VariantId};
use std::fs;
use std::path::{Path, PathBuf};
use train::{EvaluatorConfig, NetworkFile};

/// Plays the games that the match's log lacks; `None` if it was stopped before the last.
///
/// A log that an interrupted run left with other settings of matches is kept under another name, and the match begins
/// again. One that `is_on_record` must have the same settings.
///
/// # Errors
/// A player's network cannot be read, is of another variant or cannot be prepared, or the match fails
/// ([`Match::play`]).
pub fn play<V: Variant>(
    context: &StageContext<V>,
    generation: u32,
    network: u32,
    opponent: Opponent,
    pairs: u32,
    is_on_record: bool,
) -> Result<Option<events::Match>> {
    let config = context.config.evaluation.match_config(&context.config, pairs);
    let log = context.folder.match_log(network, opponent);
    let before = EvaluatedBefore::of_logs([log.as_path()]);
    // If the log cannot be read, the match says so.
    let mut pairs_before = eval::log::read(&log).map_or(0, |found| found.games.len() as u64 / 2);
    // A resumed match evaluates its networks as before.
    let settled = |file: &NetworkFile, evaluator: &dyn Fn() -> Result<EvaluatorConfig>| match before.of(file) {
        Some(evaluator) => Ok(evaluator.clone()),
        None => Ok(match_evaluator(pairs, &evaluator()?)),
    };
    let own = |generation: u32| -> Result<PlayerConfig> {
        let path = context.folder.network(generation);
        let file = NetworkFile::read(&path)?;
        file.require::<V>(&path)?;
        let search = config.search(&context.config.search);
        let evaluator = settled(&file, &|| context.evaluator(generation, &file))?;
        Ok(network_player(format!("gen-{generation:04}"), file, &search, &evaluator))
    };
    let builtin = |file: &NetworkFile| settled(file, &|| Ok(train::trusted(file, &context.config.evaluator)?.0));
    let players = [own(network)?, opponent_player::<V, _>(opponent, own, builtin)?];
    let observer = &context.host.observer;
    let warn = |text: &String| observer.notice(&Notice::MatchWarning(text));
    let meter = observer.begin(generation, Task::Match { network, opponent, pairs }, 2 * u64::from(pairs));
    let this =
        Match { variant: V::ID.parse::<VariantId>()?, config: &config, players: [&players[0], &players[1]], log: &log };
    let tell = |now: &MatchProgress| {
        now.notes.iter().for_each(warn);
        meter.update(now.games, &Status::Match(now));
    };
    let report = match this.play(&context.host.stop, tell) {
        Err(MatchError::Changed { differences, .. }) if !is_on_record => {
            let kept = keep_apart(&log)?;
            let differences = differences.join("; ");
            warn(&format!("the games of {} had other settings ({differences}) and are kept there", kept.display()));
            pairs_before = 0;
            this.play(&context.host.stop, tell)
        }
        played => played,
    }?;
    drop(meter);
    if report.missing_games > 0 {
        return Ok(None);
    }
    report.warnings.iter().for_each(warn);
    let settings = context.config.evaluation.match_settings();
    let opponent_id = players[1].id(config.limit).to_string();
    Ok(Some(events::Match { settings, opponent_id, pairs_before, ..figures(&report, network, opponent) }))
}

/// Renames a log, whose games stay games of the run: `NAME.before-1.jsonl`, or with the next free number.
fn keep_apart(log: &Path) -> Result<PathBuf> {
    let numbered = |number: u32| log.with_extension(format!("before-{number}.jsonl"));
    let mut number = 1;
    while numbered(number).exists() {
        number += 1;
    }
    let kept = numbered(number);
    fs::rename(log, &kept).map_err(LabError::io("rename", log))?;
    Ok(kept)
}

fn figures(report: &MatchReport, network: u32, opponent: Opponent) -> events::Match {
    let strength = &report.strength;
    events::Match {
        network,
        opponent,
        pairs: report.results.games() / 2,
        pairs_before: 0,
        wins: report.results.wins,
        draws: report.results.draws,
        losses: report.results.losses,
        score: strength.score.unwrap_or_default(),
        score_low: strength.score_low.unwrap_or_default(),
        score_high: strength.score_high.unwrap_or(1.0),
        elo: strength.elo,
        elo_error: strength.elo_error,
        settings: String::new(),
        opponent_id: String::new(),
        place: None,
    }
}
