//! Ablations: runs that differ in chosen settings, played and trained side by side on the same cores.
//!
//! Each combination of values is an *arm*. Every arm has a run for each seed. The runs take turns, a generation at a
//! time, and the next turn goes to the run that has used the least time, so that whatever else the machine does hits all
//! of them alike. They play no matches of their own; their last networks meet at the end.

use crate::config::{Config, ConfigSource};
use crate::error::Result;
use crate::folder::RunFolder;
use crate::host::Host;
use crate::observer::Task;
use crate::run::{Ended, Run};
use rules::Variant;
use std::path::{Path, PathBuf};

/// A key of the configuration and the values it is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    /// The key, with dots: `search.visits`.
    pub key: String,
    /// Its values, as they would stand in a config.
    pub values: Vec<String>,
}

/// Why a text is not a key with values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not KEY=VALUE,VALUE…, such as search.visits=16,32")]
pub struct NoVary {
    /// The text.
    pub text: String,
}

impl std::str::FromStr for Vary {
    type Err = NoVary;

    /// Reads `search.visits=16,32`; commas within brackets or quotes belong to a value.
    ///
    /// ```
    /// let vary: lab::Vary = "search.double_visits_at=[0.25,0.7],[]".parse()?;
    /// assert_eq!((vary.key.as_str(), vary.values), ("search.double_visits_at", vec!["[0.25,0.7]".to_owned(), "[]".to_owned()]));
    /// assert!("search.visits".parse::<lab::Vary>().is_err());
    /// # Ok::<(), lab::NoVary>(())
    /// ```
    fn from_str(text: &str) -> Result<Vary, NoVary> {
        let fault = || NoVary { text: text.to_owned() };
        let (key, list) = text.split_once('=').ok_or_else(fault)?;
        let (mut values, mut depth, mut quoted) = (vec![String::new()], 0, false);
        for letter in list.chars() {
            match letter {
                '"' => quoted = !quoted,
                '[' if !quoted => depth += 1,
                ']' if !quoted => depth -= 1,
                ',' if !quoted && depth == 0 => {
                    values.push(String::new());
                    continue;
                }
                _ => {}
            }
            values.last_mut().expect("there is always one").push(letter);
        }
        let values: Vec<String> = values.iter().map(|value| value.trim().to_owned()).collect();
        let key = key.trim().to_owned();
        if key.is_empty() || depth != 0 || quoted || values.iter().any(String::is_empty) {
            return Err(fault());
        }
        Ok(Vary { key, values })
    }
}

/// One run of an ablation.
#[derive(Clone, Debug)]
pub struct Arm {
    /// What is varied, and how: `visits=16 c_scale=0.3`.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// Where it lies.
    pub folder: PathBuf,
    /// Its configuration.
    pub config: Config,
}

impl Arm {
    /// Name and seed, for tables and logs.
    pub fn title(&self) -> String {
        format!("{} seed={}", self.name, self.seed)
    }
}

/// All arms with all their seeds: each combination of the values of `vary` over the config in `source`, which `overrides`
/// changes for all. The first seed is the config's own. Their folders lie below `folder`.
///
/// # Errors
/// The file cannot be read, or a value is invalid; all complaints about one arm are reported together.
pub fn arms(source: &ConfigSource, overrides: &[String], vary: &[Vary], seeds: u64, folder: &Path) -> Result<Vec<Arm>> {
    let mut combinations: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for Vary { key, values } in vary {
        combinations = combinations
            .iter()
            .flat_map(|before| {
                values.iter().map(|value| {
                    let mut with = before.clone();
                    with.push((key, value));
                    with
                })
            })
            .collect();
    }
    let mut arms = Vec::new();
    for combination in combinations {
        let short = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        let parts: Vec<String> = combination.iter().map(|(key, value)| format!("{}={value}", short(key))).collect();
        let name = parts.join(" ");
        let mut overrides = overrides.to_vec();
        // The runs meet at the end, and the time of matches on the way would be taken from what is measured.
        overrides.extend(["evaluation.pairs=0", "evaluation.final_pairs=0"].map(str::to_owned));
        overrides.extend(combination.iter().map(|(key, value)| format!("{key}={value}")));
        let varied = source.load(&overrides)?;
        for number in 0..seeds {
            let mut config = varied.clone();
            config.run.seed += number;
            let seed = config.run.seed;
            let folder = folder.join(safe(&name)).join(format!("seed-{seed}"));
            config.run.folder = folder.display().to_string();
            arms.push(Arm { name: name.clone(), seed, folder, config });
        }
    }
    Ok(arms)
}

/// A name as a folder: what is special to a file system or a shell becomes a dash.
fn safe(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "._=+-".contains(letter) { letter } else { '-' })
        .collect()
}

/// The runs of an ablation, all open.
pub struct Ablation<V: Variant> {
    /// All are resting except the one whose turn it is: waiting for the other runs does not use a run's budget.
    runs: Vec<Run<V>>,
}

impl<V: Variant> Ablation<V> {
    /// Opens the runs of `arms`, new or continued, each with its own host, which can name it in its messages.
    ///
    /// # Errors
    /// What opening a run may meet.
    pub fn open(arms: &[Arm], host: impl Fn(&Arm) -> Host) -> Result<Ablation<V>> {
        let mut runs = Vec::new();
        for arm in arms {
            let mut run = Run::open(&arm.config, RunFolder::new(&arm.folder), None, host(arm))?;
            run.rest();
            runs.push(run);
        }
        Ok(Ablation { runs })
    }

    /// Plays and trains one generation of the run that has used the least time. Returns the number of its arm, or `None`
    /// when all runs are done; [`Ended::Stopped`] where the host asked to stop.
    ///
    /// # Errors
    /// A stage failed; what was finished before is kept.
    pub fn advance(&mut self) -> Result<Option<(usize, Ended)>> {
        let mut waiting: Vec<usize> = (0..self.runs.len()).collect();
        waiting.sort_by(|&a, &b| self.runs[a].seconds().total_cmp(&self.runs[b].seconds()));
        for number in waiting {
            let run = &mut self.runs[number];
            run.wake();
            let mut ended = None;
            while let Some((plan, task)) = run.next_task_but_matches()? {
                match run.perform(&plan, task)? {
                    Ended::Stopped => return Ok(Some((number, Ended::Stopped))),
                    done => ended = Some(done),
                }
                if task == Task::Training {
                    break;
                }
            }
            run.rest();
            if let Some(done) = ended {
                return Ok(Some((number, done)));
            }
        }
        Ok(None)
    }

    /// The runs, in the order of their arms.
    pub fn runs(&self) -> &[Run<V>] {
        &self.runs
    }
}
