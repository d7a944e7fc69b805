//! Checking a run: whether its files are intact and consistent with each other.

use crate::about::About;
use crate::config::Config;
use crate::continuation;
use crate::error::{LabError, Result};
use crate::events::{Event, Match, Stage};
use crate::folder::{RunFolder, files_in};
use crate::gaps::{self, Gap};
use crate::gathered;
use crate::opponent::Opponent;
use crate::plan::Plan;
use data::durable::is_there;
use data::repair::{Repair, list_of};
use data::verify::{Findings, RESTORE, VerifyProblem};
use rules::VariantId;
use selfplay::generator::{GenerateError, check_slots};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use train::MetricsEntry;

mod networks;
mod shards;

pub(crate) use networks::wrong_with;
pub(crate) use shards::{require_its_games, rows_by_generation};

/// Games in a run's data and matches: they determine how long [`verify`] takes.
pub fn games_in(folder: &RunFolder) -> u64 {
    // A folder that cannot be listed is reported as a finding.
    let logs = match_logs(folder).unwrap_or_default();
    data::verify::games_in(&folder.data()) + logs.iter().map(|log| eval::log::games_in(log)).sum::<u64>()
}

/// Checks a run and changes nothing: its settings against the digests in `run.json`, its data
/// ([`data::verify::verify`]), its matches ([`eval::log::verify`]), its networks and training states, its slots, and
/// whether plans, events, shards and match logs agree. `progress` is called with the number of games replayed.
pub fn verify(folder: &RunFolder, progress: &(dyn Fn(u64) + Sync)) -> Findings {
    let mut findings = Findings::default();
    let config = settings(folder, &mut findings);
    let plans = lines::<Plan>(&mut findings, &folder.plan());
    let events = lines::<Event>(&mut findings, &folder.events());
    order(folder, &plans, &events, &mut findings);
    gaps(gaps::of_record(folder, &plans, &events), &mut findings);
    findings.add(data::verify::verify(&folder.data(), progress));
    repairs(folder, &mut findings);
    shards::check(folder, &events, &mut findings);
    networks::check(folder, &events, &mut findings);
    for log in match_logs(folder).unwrap_or_else(|error| {
        findings.unlisted(&folder.matches(), &error);
        Vec::new()
    }) {
        findings.add(eval::log::verify(&log, progress));
    }
    matches(folder, &events, &mut findings);
    // If the system cannot tell, reading gives the reason.
    let metrics = match folder.metrics().try_exists().unwrap_or(true) {
        true => lines::<MetricsEntry>(&mut findings, &folder.metrics()),
        false => Vec::new(),
    };
    gaps(gaps::of_metrics(folder, &events, &metrics).map(Vec::from_iter), &mut findings);
    if let Some(config) = config {
        slots(folder, &config, &mut findings);
    }
    slots_left(folder, &plans, &events, &mut findings);
    gathered::verify(folder, &mut findings);
    findings
}

/// What the logs lack. Files that the machine could not read are among the findings for the files themselves.
fn gaps(gaps: Result<Vec<Gap>>, findings: &mut Findings) {
    for Gap { file, what, repair } in gaps.unwrap_or_default() {
        findings.problem(&file, what, repair);
    }
}

/// The slots file exists once games have been searched.
fn slots_left(folder: &RunFolder, plans: &[Plan], events: &[Event], findings: &mut Findings) {
    let path = folder.slots();
    if let Ok(Some(generation)) = gaps::newest_searched(folder, plans, events)
        && let Ok(false) = is_there(&path)
    {
        let what = format!("it is missing, with the unfinished games of generation {generation}");
        findings.problem(&path, what, SLOTS);
    }
}

const SLOTS: &str = "restore it from a copy, or give --repair, after which all slots begin new games";

/// The logs in the folder of matches; none if the folder is missing, which the resumed run creates.
pub(crate) fn match_logs(folder: &RunFolder) -> std::io::Result<Vec<PathBuf>> {
    files_in(&folder.matches(), "jsonl")
}

/// Checks a network's file and changes nothing.
pub fn verify_network(path: &Path) -> Findings {
    let mut findings = Findings::default();
    networks::network(path, &mut findings);
    findings
}

/// The entries of a log without the numbers of their lines.
fn lines<T: data::LogEntry>(findings: &mut Findings, path: &Path) -> Vec<T> {
    findings.log(path).into_iter().map(|(_, entry)| entry).collect()
}

/// Checks `config.toml` and `run.json`; returns the configuration, if it can be read.
fn settings(folder: &RunFolder, findings: &mut Findings) -> Option<Config> {
    findings.files += 2;
    let about = match About::read(folder) {
        Ok(about) => about,
        Err(error) => {
            findings.judge(&folder.about(), error.verdict(), reason(&error), RESTORE);
            None
        }
    };
    if about.is_none() && findings.is_clean() {
        findings.problem(&folder.about(), "it is missing", RESTORE);
    }
    let path = folder.config();
    match continuation::stored_digest(folder) {
        Ok(Some(_)) => {}
        Ok(None) => findings.problem(&path, "it is missing", RESTORE),
        Err(LabError::ConfigChanged { .. }) => {
            findings.problem(&path, "it does not have the settings whose digest is in run.json", RESTORE);
        }
        // `run.json` has been reported already.
        Err(LabError::Damaged { .. }) => {}
        // An unreadable `run.json` has been reported too.
        Err(LabError::Io { path, .. }) if path == folder.about() => {}
        Err(error) => findings.judge(&path, error.verdict(), reason(&error), RESTORE),
    }
    let config = Config::load(&path, &[]).ok()?;
    if let Some(about) = about
        && (&about.variant, about.seed) != (&config.run.variant, config.run.seed)
    {
        let what = format!("it is of {} with the seed {}, and config.toml is not", about.variant, about.seed);
        findings.problem(&folder.about(), what, RESTORE);
    }
    Some(config)
}

/// What went wrong, with its causes, on one line.
fn reason(error: &LabError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text = format!("{text}: {next}");
        cause = next.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Plans are consecutive, and every finished stage was planned and is finished once.
fn order(folder: &RunFolder, plans: &[Plan], events: &[Event], findings: &mut Findings) {
    let path = folder.plan();
    for (expected, plan) in (1..).zip(plans) {
        if plan.generation != expected {
            let what = format!("plan {expected} is that of generation {}", plan.generation);
            findings.problem(&path, what, RESTORE);
            break;
        }
    }
    for pair in plans.windows(2) {
        if pair[1].progress_from < pair[0].progress_from && !is_longer_run(&pair[0], &pair[1]) {
            let what = format!("generation {} begins before the one before it has", pair[1].generation);
            findings.problem(&path, what, RESTORE);
        }
    }
    let path = folder.events();
    let planned: BTreeSet<u32> = plans.iter().map(|plan| plan.generation).collect();
    let mut done = BTreeSet::new();
    for event in events {
        let generation = event.generation;
        let stage = match &event.stage {
            Stage::Selfplay(_) => "self-play",
            Stage::Train(_) | Stage::Untrained(_) => "training",
            Stage::Match(_) | Stage::Repaired(_) => continue,
        };
        if !planned.contains(&generation) {
            findings.problem(&path, format!("{stage} of generation {generation} was never planned"), RESTORE);
        }
        if stage == "training" && !done.contains(&(generation, "self-play")) {
            findings.problem(&path, format!("generation {generation} was trained on before it was played"), RESTORE);
        }
        if !done.insert((generation, stage)) {
            let repair = "restore it from a copy; the first one counts";
            findings.problem(&path, format!("{stage} of generation {generation} is finished twice"), repair);
        }
    }
}

/// Whether the run was made longer between two plans, so that the part of it that is done is smaller: a finished run
/// resumed, or the number of generations was raised, of which each is a smaller part then.
fn is_longer_run(before: &Plan, after: &Plan) -> bool {
    let part = |plan: &Plan| plan.progress_to - plan.progress_from;
    before.last || after.budget_seconds.is_none() && (0.0..part(before)).contains(&part(after))
}

/// Removals by repairs are no problem, but are reported.
fn repairs(folder: &RunFolder, findings: &mut Findings) {
    let list = list_of(folder.root());
    if list.try_exists().unwrap_or(true) {
        for Repair { file, what, done, .. } in lines::<Repair>(findings, &list) {
            let (file, what) = (folder.root().join(file), format!("it was repaired ({what})"));
            findings.leftovers.push(VerifyProblem { file, what, repair: done });
        }
    }
}

/// The record of a match agrees with its log.
fn matches(folder: &RunFolder, events: &[Event], findings: &mut Findings) {
    // A match that was extended is recorded again; the last record covers the whole log.
    let mut last: BTreeMap<(u32, Opponent), &Match> = BTreeMap::new();
    for event in events {
        if let Stage::Match(played) = &event.stage {
            last.insert((played.network, played.opponent), played);
        }
    }
    for ((network, opponent), played) in last {
        if let Some((wins, draws, losses)) = other_results(folder, played) {
            let what = format!(
                "its games are {wins} wins, {draws} draws and {losses} losses, and events.jsonl says {}, {} and {}",
                played.wins, played.draws, played.losses
            );
            findings.problem(&folder.match_log(network, opponent), what, RESTORE);
        }
    }
}

/// The results in the log of a match, if they differ from those on record. `None` where they agree, and where the log
/// cannot be read, which is a finding of its own.
pub(crate) fn other_results(folder: &RunFolder, played: &Match) -> Option<(u64, u64, u64)> {
    let recorded = eval::log::read(&folder.match_log(played.network, played.opponent)).ok()?;
    let games = recorded.games.values().filter(|game| u64::from(game.pair) < played.pairs);
    let (mut wins, mut draws, mut losses) = (0, 0, 0);
    for game in games {
        match game.result_of_first_named() {
            1 => wins += 1,
            0 => draws += 1,
            _ => losses += 1,
        }
    }
    ((wins, draws, losses) != (played.wins, played.draws, played.losses)).then_some((wins, draws, losses))
}

/// The unfinished games of self-play.
fn slots(folder: &RunFolder, config: &Config, findings: &mut Findings) {
    let Ok(variant) = config.run.variant.parse::<VariantId>() else { return };
    let path = folder.slots();
    let checked = rules::dispatch!(variant, V => match config.rules.resolve::<V>() {
        Ok(rules) => check_slots::<V>(&path, config.run.seed, rules),
        // The settings have been reported already.
        Err(_) => return,
    });
    match checked {
        Ok(None) => {}
        Ok(Some(_)) => findings.files += 1,
        Err(error) => {
            findings.files += 1;
            let error = LabError::from(error);
            let what = match &error {
                LabError::Selfplay(GenerateError::Snapshot(error)) => error.reason.clone(),
                error => error.to_string(),
            };
            findings.judge(&path, error.verdict(), what, SLOTS);
        }
    }
}
