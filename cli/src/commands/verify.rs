//! `kirin verify`: checks the files of a run, a data folder, a match, a network or a store.

use crate::console::{Console, Meter};
use crate::failure::{Failure, input, must_exist};
use anyhow::Context;
use clap::Args;
use data::DataStore;
use data::repair::{Aside, Repair};
use data::verify::Findings;
use distributed::store::Store;
use lab::RunFolder;
use report::number::{count, counted};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Check that every file is intact and that all games follow the rules.
///
/// The command checks a run, a data folder, match logs, a network or a store. Checksums and digests are compared, and every game is played again by its rules: each move must be legal, and the result
/// and the termination must be those that the rules give. In a run the settings are compared with the digest that it began
/// with, and plans, events, shards, networks and match logs with each other. In a store everything that its records name is
/// checked: networks, training states, the shards that were seen, and pairs of matches. Nothing is changed.
///
/// With --repair, damaged files are moved or copied into the folder `damaged` in the same place, under their old names, with
/// a list of what was wrong and what was done. Nothing is deleted. A manifest is made again from the shards. A resumed run
/// makes again what it can: games of a journal and of matches, and the newest training. What can only come from a copy stays
/// a problem.
///
/// Each problem is a line: the file, what is wrong, what to do. The leftovers of a kill are no problem, and are listed as
/// such. A file that the machine could not read or process (no permission, no libtorch, too little memory) may be sound: it
/// is listed as not checked, and then --repair moves nothing. The exit code is 0 if everything was checked and there is no
/// problem, 78 if there is nothing of Kirin to check, and 74 otherwise.
#[derive(Args)]
pub struct Arguments {
    /// A run folder, a data folder, a folder of match logs, a match log, a network, or the URL of a store.
    path: PathBuf,
    /// Quarantine damaged files, and make again what can be made again.
    #[arg(long)]
    repair: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// The path cannot be read or is nothing that can be checked, a repair fails, or a problem is left or could not be
/// checked.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let path = &arguments.path;
    if let Some(url) = path.to_str().filter(|text| text.contains("://")) {
        if arguments.repair {
            return Err(input("--repair is for folders: the objects of a store are never changed"));
        }
        let findings = in_store(url, arguments.json)?;
        return finish(&findings, &[], arguments);
    }
    must_exist(path)?;
    let subject = Subject::of(path)?;
    let check = |subject: &Subject| {
        let bar = Bar::new(arguments.json, subject.games());
        subject.verify(&bar)
    };
    let mut findings = check(&subject);
    let mut repairs = Vec::new();
    // A file that could not be checked may be sound, and other files may be made again from it.
    let may_repair = findings.unchecked.is_empty();
    if arguments.repair && may_repair && !findings.is_clean() {
        if !arguments.json {
            print_problems(&findings);
        }
        repairs = subject.repair()?;
        if !arguments.json {
            repairs.iter().for_each(print_repair);
        }
        findings = check(&Subject::of(path).unwrap_or(subject));
    }
    finish(&findings, &repairs, arguments)
}

/// Prints what was found and done. An error if a problem is left.
fn finish(findings: &Findings, repairs: &[Repair], arguments: &Arguments) -> anyhow::Result<()> {
    let path = &arguments.path;
    if arguments.json {
        println!("{}", json(findings, arguments.repair.then_some(repairs))?);
    } else {
        print(findings);
    }
    if findings.is_clean() {
        return Ok(());
    }
    let mut text = format!("{} in {}", counted(findings.problems.len() as u64, "problem", "problems"), path.display());
    match findings.unchecked.len() as u64 {
        0 => {}
        unchecked => text += &format!(", and {} could not be checked", counted(unchecked, "item", "items")),
    }
    if arguments.repair && !findings.unchecked.is_empty() {
        text += "; nothing was moved or changed";
    }
    Err(Failure::Damage(text).into())
}

/// Checks the run in a store. The number of games is only known when all are read.
fn in_store(url: &str, quiet: bool) -> anyhow::Result<Findings> {
    let store = Store::open(url)?.telling(|event| eprintln!("{event}"));
    let bar = Bar::new(quiet, 0);
    let findings = distributed::verify::verify(&store, &|games| bar.advance(games))?;
    findings.ok_or_else(|| input(format!("no run has begun in {url}: it has no run.json")))
}

/// The things that can be checked.
enum Subject {
    Run(RunFolder),
    Data(PathBuf),
    Matches(Vec<PathBuf>),
    Network(PathBuf),
}

impl Subject {
    fn of(path: &Path) -> anyhow::Result<Subject> {
        if !path.is_dir() {
            let is_log = path.extension().is_some_and(|extension| extension == "jsonl");
            let path = path.to_owned();
            return Ok(if is_log { Subject::Matches(vec![path]) } else { Subject::Network(path) });
        }
        let run = RunFolder::new(path);
        if run.is_run()? {
            return Ok(Subject::Run(run));
        }
        if let Some(root) = DataStore::folder_of(path)? {
            return Ok(Subject::Data(root));
        }
        if ["games", "positions"].iter().all(|table| path.join(table).is_dir()) {
            return Ok(Subject::Data(path.to_owned()));
        }
        let logs = eval::log::logs_in(path).with_context(|| format!("cannot list {}", path.display()))?;
        if logs.is_empty() {
            let path = path.display();
            return Err(input(format!("{path} is no run, no data folder and no folder of match logs (*.jsonl)")));
        }
        Ok(Subject::Matches(logs))
    }

    /// Games to be played again.
    fn games(&self) -> u64 {
        match self {
            Subject::Run(folder) => lab::verify::games_in(folder),
            Subject::Data(root) => data::verify::games_in(root),
            Subject::Matches(logs) => logs.iter().map(|log| eval::log::games_in(log)).sum(),
            Subject::Network(_) => 0,
        }
    }

    fn verify(&self, bar: &Bar) -> Findings {
        let progress = |games| bar.advance(games);
        match self {
            Subject::Run(folder) => lab::verify::verify(folder, &progress),
            Subject::Data(root) => data::verify::verify(root, &progress),
            Subject::Matches(logs) => {
                let mut findings = Findings::default();
                logs.iter().for_each(|log| findings.add(eval::log::verify(log, &progress)));
                findings
            }
            Subject::Network(path) => lab::verify::verify_network(path),
        }
    }
}

impl Subject {
    /// Quarantines what is damaged; returns what was done.
    fn repair(&self) -> anyhow::Result<Vec<Repair>> {
        match self {
            Subject::Run(folder) => Ok(lab::repair::repair(folder)?),
            Subject::Data(root) => {
                let mut aside = Aside::new(root);
                data::repair::repair(root, false, &mut aside)?;
                Ok(aside.into_repairs())
            }
            Subject::Matches(logs) => {
                let mut repairs = Vec::new();
                for log in logs {
                    let mut aside = Aside::new(log.parent().unwrap_or(Path::new("")));
                    eval::log::repair(log, &mut aside)?;
                    repairs.extend(aside.into_repairs());
                }
                Ok(repairs)
            }
            // It has one file, and no other from which it could be made again.
            Subject::Network(_) => Ok(Vec::new()),
        }
    }
}

/// How many games have been played again.
struct Bar {
    meter: Meter,
    done: Mutex<u64>,
    total: u64,
}

impl Bar {
    fn new(quiet: bool, total: u64) -> Bar {
        Bar { meter: Console::new(quiet).stage("verify", total), done: Mutex::default(), total }
    }

    fn advance(&self, games: u64) {
        let mut done = self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *done += games;
        self.meter.update(*done, || match self.total {
            0 => counted(*done, "game", "games"),
            total => format!("{} of {}", count(*done), counted(total, "game", "games")),
        });
    }
}

/// The findings as JSON, with what was done if something was to be done.
fn json(findings: &Findings, repairs: Option<&[Repair]>) -> anyhow::Result<String> {
    let mut value = serde_json::to_value(findings)?;
    if let (Some(repairs), Some(fields)) = (repairs, value.as_object_mut()) {
        fields.insert("repairs".to_owned(), serde_json::to_value(repairs)?);
    }
    Ok(value.to_string())
}

fn print_repair(repair: &Repair) {
    let aside = repair.aside.as_ref().map_or(String::new(), |aside| format!(" is kept as {aside},"));
    println!("repaired: {}{aside} and {}", repair.file, repair.done);
}

fn print_problems(findings: &Findings) {
    for problem in findings.problems.iter().chain(&findings.unchecked) {
        println!("{problem}");
    }
}

fn print(findings: &Findings) {
    print_problems(findings);
    for leftover in &findings.leftovers {
        println!("no problem: {leftover}");
    }
    let checked = [
        counted(findings.files, "file", "files"),
        counted(findings.games, "game", "games"),
        counted(findings.positions, "position", "positions"),
        counted(findings.networks, "network or training state", "networks and training states"),
    ];
    println!("checked: {}", checked.join(", "));
}
