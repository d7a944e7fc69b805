//! Everything the report shows, read from the run folder.

use super::number::date;
use super::ratings::{self, Ratings};
use super::times::StageTimes;
use crate::failure::input;
use crate::run::events::{self, Event, Match, Selfplay, Stage, Train};
use crate::run::folder::RunFolder;
use data::{DataStore, GenerationSummary, OpeningQuery, OpeningTable, ShardEntry};
use eval::ratings::RatingError;
use eval::{MatchError, Standings};
use rules::VariantId;
use std::path::Path;

/// Lines that fewer than one in so many games played are not counted.
const RARE: u64 = 2000;

/// A run as its folder tells it. Parts that cannot be read carry the reason instead.
#[derive(Debug)]
pub struct Facts {
    /// Name of the folder.
    pub name: String,
    /// Title of the variant; its id, or a word saying that it is unknown, where the config does not help.
    pub title: String,
    /// The resolved configuration.
    pub config: Option<String>,
    /// Program version, revision, machine, as name and value.
    pub about: Vec<(String, String)>,
    /// Finished stages in order.
    pub events: Vec<Event>,
    /// Strength of the networks; none where no match was played.
    pub ratings: Result<Ratings, String>,
    /// What the matches say of everybody who took part.
    pub standings: Result<Standings, String>,
    /// Games of each generation by result and by the reason they ended.
    pub summary: Result<Vec<GenerationSummary>, String>,
    /// Opening statistics.
    pub openings: Result<OpeningTable, String>,
    /// Parquet files by generation.
    pub files: Result<Vec<FileSizes>, String>,
}

/// Parquet files of a generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSizes {
    /// The generation.
    pub generation: u32,
    /// Rows of the games files.
    pub games: u64,
    /// Size of the games files, bytes.
    pub games_bytes: u64,
    /// Rows of the positions files.
    pub positions: u64,
    /// Size of the positions files, bytes.
    pub positions_bytes: u64,
}

impl FileSizes {
    /// The sum over generations.
    pub fn total(files: &[FileSizes]) -> FileSizes {
        files.iter().fold(FileSizes::default(), |sum, file| FileSizes {
            generation: file.generation,
            games: sum.games + file.games,
            games_bytes: sum.games_bytes + file.games_bytes,
            positions: sum.positions + file.positions,
            positions_bytes: sum.positions_bytes + file.positions_bytes,
        })
    }
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
    pub fn read(run_folder: &Path) -> anyhow::Result<Facts> {
        let folder = RunFolder::new(run_folder);
        if !Facts::is_run(run_folder) {
            return Err(input(format!(
                "{} is not a run folder: it has no config.toml (nor does it hold match logs, *.jsonl)",
                run_folder.display()
            )));
        }
        let config = std::fs::read_to_string(folder.config()).ok();
        let variant = config.as_deref().and_then(variant_of);
        let events = events::read(&folder.events())?;
        let ratings = ratings::read(&folder.matches()).map_err(|error| format!("There are no ratings: {error}."));
        let standings = eval::standings(&folder.matches(), None).map_err(|error| match error {
            MatchError::Rating(RatingError::NoGames) => "No match is finished yet.".to_owned(),
            error => format!("The matches cannot be read: {error}."),
        });
        let mut facts = Facts {
            name: name_of(run_folder),
            title: variant.as_deref().map_or_else(|| "Unknown variant".to_owned(), title_of),
            about: std::fs::read_to_string(folder.about()).map(|text| about(&text)).unwrap_or_default(),
            events,
            config,
            ratings,
            standings,
            summary: Ok(Vec::new()),
            openings: Ok(OpeningTable::default()),
            files: Ok(Vec::new()),
        };
        if let (true, Some(variant)) = (folder.data().join(data::MANIFEST).exists(), &variant) {
            facts.read_data(&folder.data(), variant);
        }
        Ok(facts)
    }

    /// Reads what the data folder tells; each part that cannot be read says so by itself.
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
        let shards = store.shards(variant).unwrap_or_default();
        let games: u64 = shards.iter().map(|shard| shard.games.rows).sum();
        let query = OpeningQuery { min_games: (games / RARE).max(1), ..OpeningQuery::new(variant) };
        self.files = store.shards(variant).map(|shards| sizes(&shards)).map_err(|error| format!("{error}."));
        self.summary = store.summary(variant, 0..=u32::MAX).map_err(|error| format!("{error}."));
        self.openings = store.openings(&query).map_err(|error| format!("{error}."));
    }

    /// Stages of self-play: generation, seconds, figures.
    pub fn selfplays(&self) -> impl Iterator<Item = (u32, f64, &Selfplay)> {
        self.events.iter().filter_map(|event| match &event.stage {
            Stage::Selfplay(stage) => Some((event.generation, event.seconds, stage)),
            _ => None,
        })
    }

    /// Stages of training: generation, figures.
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

    /// The last match against the untrained network, of the newest network that played one.
    pub fn against_untrained(&self) -> Option<&Match> {
        self.matches().filter(|played| played.opponent == 0 && played.network > 0).max_by_key(|played| played.network)
    }

    /// Times and speeds by generation.
    pub fn times(&self) -> Vec<StageTimes> {
        StageTimes::of(&self.events)
    }
}

/// Shards, which come by generation, summed up.
fn sizes(shards: &[ShardEntry]) -> Vec<FileSizes> {
    let mut sums: Vec<FileSizes> = Vec::new();
    for shard in shards {
        if sums.last().is_none_or(|last| last.generation != shard.generation) {
            sums.push(FileSizes { generation: shard.generation, ..FileSizes::default() });
        }
        if let Some(sum) = sums.last_mut() {
            sum.games += shard.games.rows;
            sum.games_bytes += shard.games.bytes;
            sum.positions += shard.positions.rows;
            sum.positions_bytes += shard.positions.bytes;
        }
    }
    sums
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

/// Name of a variant for people.
pub fn title_of(id: &str) -> String {
    id.parse::<VariantId>().map_or_else(|_| id.to_owned(), |id| id.title().to_owned())
}

/// The scalars of a JSON object as names and values, those of inner objects too.
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
