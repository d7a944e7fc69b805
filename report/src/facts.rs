//! Everything the report shows, read from the run folder.

use super::explorer::Explorer;
use super::ratings::{self, Ratings};
use super::sizes::FileSizes;
use super::times::StageTimes;
use crate::error::ReportError;
use crate::number::{counted, date};
use data::{DataStore, GameFolders, GenerationSummary, OpeningTable, bounded};
use eval::ratings::RatingError;
use eval::{MatchError, Standings};
use lab::events::{self, Event, Match, Selfplay, Stage, Train};
use lab::{About, Opponent, RunFolder};
use rules::VariantId;
use std::path::Path;

/// Longest line of the tables, in plies.
const TABLE_PLIES: u32 = 6;

/// Most bytes that are read of `config.toml`, which has about 4 kB, and of `run.json`, which has less.
const MOST_SETTINGS_BYTES: u64 = 1 << 20;

/// A run as its folder shows it. A part that cannot be read is the reason why, as a sentence.
#[derive(Debug)]
pub struct Facts {
    /// Name of the folder.
    pub name: String,
    /// Title of the variant; its id if there is no such variant, and a remark if the config does not name one.
    pub title: String,
    /// The variant, if the config names one that there is.
    pub variant: Option<VariantId>,
    /// The resolved configuration.
    pub config: Option<String>,
    /// Program version, revision, machine, as name and value.
    pub about: Vec<(String, String)>,
    /// Whether the run began from another one, so that its network 0 is trained.
    pub is_branch: bool,
    /// Finished stages in order.
    pub events: Vec<Event>,
    /// Strength of the networks; none where no match was played.
    pub ratings: Result<Ratings, String>,
    /// Ratings and results of all players of matches.
    pub standings: Result<Standings, String>,
    /// Games of each generation by result and by the reason they ended.
    pub summary: Result<Vec<GenerationSummary>, String>,
    /// Opening statistics.
    pub openings: Result<OpeningTable, String>,
    /// The openings with boards; none where no game is stored.
    pub explorer: Option<Result<Explorer, String>>,
    /// Parquet files by generation.
    pub files: Result<Vec<FileSizes>, String>,
}

impl Facts {
    /// Whether there is a run in the folder.
    pub fn is_run(folder: &Path) -> bool {
        let folder = RunFolder::new(folder);
        folder.config().exists() || folder.events().exists()
    }

    /// Reads a run folder.
    ///
    /// # Errors
    /// There is no run in the folder, or its record of stages is damaged.
    pub fn read(run_folder: &Path) -> Result<Facts, ReportError> {
        let folder = RunFolder::new(run_folder);
        if !Facts::is_run(run_folder) {
            return Err(ReportError::NoRun { folder: run_folder.to_owned() });
        }
        let config = bounded::read_text(&folder.config(), MOST_SETTINGS_BYTES).ok();
        let variant = config.as_deref().and_then(variant_of);
        let events = events::read(&folder.events())?;
        let ratings = ratings::read(&folder, &events).map_err(|error| format!("There are no ratings: {error}."));
        // The page has one zero for all its ratings.
        let ladder = ratings.as_ref().ok().and_then(|ratings| ratings.ladder.as_ref());
        let anchor = ladder.map(|ladder| ladder.ratings.anchor.as_str());
        let standings = eval::standings(&folder.matches(), anchor).map_err(|error| match error {
            MatchError::Rating(RatingError::NoGames) => "No match is finished yet.".to_owned(),
            error => format!("The matches cannot be read: {error}."),
        });
        let mut facts = Facts {
            name: name_of(run_folder),
            title: variant.as_deref().map_or_else(|| "Unknown variant".to_owned(), title_of),
            variant: variant.as_deref().and_then(|variant| variant.parse().ok()),
            is_branch: About::read(&folder).is_ok_and(|about| about.is_some_and(|about| about.from.is_some())),
            about: bounded::read_text(&folder.about(), MOST_SETTINGS_BYTES)
                .map(|text| about(&text))
                .unwrap_or_default(),
            events,
            config,
            ratings,
            standings,
            summary: Ok(Vec::new()),
            openings: Ok(OpeningTable::default()),
            explorer: None,
            files: Ok(Vec::new()),
        };
        if let (true, Some(variant)) = (folder.data().join(data::MANIFEST).exists(), &variant) {
            facts.read_data(&folder.data(), variant);
        }
        Ok(facts)
    }

    /// Reads the data folder. A part that cannot be read does not keep the others from being read.
    fn read_data(&mut self, folder: &Path, variant: &str) {
        let store = match DataStore::open_read_only(folder) {
            Ok(store) => store,
            Err(error) => {
                let problem = format!("The data folder cannot be read: {error}.");
                self.summary = Err(problem.clone());
                self.openings = Err(problem.clone());
                self.files = Err(problem);
                return;
            }
        };
        self.files = store.shards(variant).map(|shards| FileSizes::of(&shards)).map_err(|error| format!("{error}."));
        self.summary = store.summary(variant, 0..=u32::MAX).map_err(|error| format!("{error}."));
        if let Some(variant) = self.variant {
            (self.openings, self.explorer) =
                openings_of(variant, &GameFolders::from(store), std::slice::from_ref(&self.name));
        }
    }

    /// Stages of self-play with their generations.
    pub fn selfplays(&self) -> impl Iterator<Item = (u32, &Selfplay)> {
        self.events.iter().filter_map(|event| match &event.stage {
            Stage::Selfplay(stage) => Some((event.generation, stage)),
            _ => None,
        })
    }

    /// Stages of training with their generations.
    pub fn trainings(&self) -> impl Iterator<Item = (u32, &Train)> {
        self.events.iter().filter_map(|event| match &event.stage {
            Stage::Train(stage) => Some((event.generation, stage)),
            _ => None,
        })
    }

    /// Matches.
    pub fn matches(&self) -> impl Iterator<Item = &Match> {
        self.events.iter().filter_map(|event| match &event.stage {
            Stage::Match(stage) => Some(stage),
            _ => None,
        })
    }

    /// What network 0 is, for people: untrained, or taken over from another run.
    pub fn first_network(&self) -> &'static str {
        if self.is_branch { "the network it began with" } else { "the untrained network" }
    }

    /// The match of the newest network that tells most about its strength, with what its opponent is, for people: the network
    /// that comes with Kirin, greedy, or network 0.
    pub fn last_match(&self) -> Option<(&Match, String)> {
        let known = self.matches().filter_map(|played| {
            let (rank, opponent) = match played.opponent {
                Opponent::Builtin(visits) => {
                    (2, format!("the network that comes with Kirin ({})", counted(visits.into(), "visit", "visits")))
                }
                Opponent::Level(number) => (1, format!("level {number} of the network that comes with Kirin")),
                Opponent::Greedy => (1, "greedy".to_owned()),
                Opponent::Network(0) if played.network > 0 => (0, self.first_network().to_owned()),
                _ => return None,
            };
            Some(((played.network, rank, played.pairs), played, opponent))
        });
        known.max_by_key(|(rank, ..)| *rank).map(|(_, played, opponent)| (played, opponent))
    }

    /// Times and speeds by generation.
    pub fn times(&self) -> Vec<StageTimes> {
        StageTimes::of(&self.events)
    }
}

/// The openings of the games in some folders with these names, and what the explorer shows of them; none where there is
/// no game.
pub fn openings_of(
    variant: VariantId,
    folders: &GameFolders,
    names: &[String],
) -> (Result<OpeningTable, String>, Option<Result<Explorer, String>>) {
    let read = rules::dispatch!(variant, V => Explorer::read::<V>(folders, names));
    match read {
        Ok((mut table, explorer)) => {
            // Tables have room for shorter lines only.
            table.rows.retain(|row| row.ply <= TABLE_PLIES);
            let is_shown = table.games > 0 || explorer.as_ref().is_ok_and(Explorer::has_games);
            (Ok(table), is_shown.then(|| explorer.map_err(|error| format!("{error:#}"))))
        }
        Err(error) => (Err(format!("{error:#}.")), None),
    }
}

/// Name of a folder.
pub fn name_of(folder: &Path) -> String {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    folder.file_name().map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn variant_of(config: &str) -> Option<String> {
    let table: toml::Table = config.parse().ok()?;
    Some(table.get("run")?.get("variant")?.as_str()?.to_owned())
}

/// The title of a variant; its id if there is no such variant.
pub fn title_of(id: &str) -> String {
    id.parse::<VariantId>().map_or_else(|_| id.to_owned(), |id| id.title().to_owned())
}

/// The scalars of a JSON object and of the objects in it, as names and values.
fn about(text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(text) {
        flatten("", &value, &mut out);
    }
    out
}

fn flatten(name: &str, value: &serde_json::Value, out: &mut Vec<(String, String)>) {
    use serde_json::Value;
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                if let (Some(key), Some(at)) = (key.strip_suffix("_at_ms"), value.as_i64()) {
                    out.push((key.replace('_', " "), date(at)));
                    continue;
                }
                let key = key.replace('_', " ");
                let name = if name.is_empty() { key } else { format!("{name} {key}") };
                flatten(&name, value, out);
            }
        }
        Value::Array(values) => {
            let items: Vec<String> = values.iter().filter_map(scalar).collect();
            out.push((name.to_owned(), items.join(", ")));
        }
        value => out.extend(scalar(value).map(|text| (name.to_owned(), text))),
    }
}

fn scalar(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        _ => None,
    }
}
