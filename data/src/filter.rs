//! Which games to look at: by generation, rule set, source, players, event, date, rating, result and length.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate};
use rules::{GameResult, Variant};
use serde::Serialize;

use crate::column::{Columns, Float, Maybe, Milliseconds, Text, Unsigned};
use crate::error::FileFault;
use crate::game::{GameRecord, IMPORTED, MATCHES};

mod none_left;

pub use none_left::NoneLeft;

/// Where a game comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameSource {
    /// Self-play.
    SelfPlay,
    /// Another program; `kirin data import` has read it.
    Import,
    /// A match between players of this program.
    Match,
}

impl GameSource {
    /// Every source.
    pub const ALL: [GameSource; 3] = [GameSource::SelfPlay, GameSource::Import, GameSource::Match];

    /// Its name, as commands take it.
    pub fn name(self) -> &'static str {
        match self {
            GameSource::SelfPlay => "self-play",
            GameSource::Import => "import",
            GameSource::Match => "match",
        }
    }

    /// The source of a game with this `run_id`.
    pub fn of_run(run_id: &str) -> GameSource {
        match run_id {
            IMPORTED => GameSource::Import,
            MATCHES => GameSource::Match,
            _ => GameSource::SelfPlay,
        }
    }
}

/// Games to look at: those that meet every condition. The default is all games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFilter {
    /// Generations that finished the games.
    pub generations: RangeInclusive<u32>,
    /// Rule set: its name, with any deviations from it, or the whole text of the column `ruleset`.
    pub ruleset: Option<String>,
    /// Where the games come from.
    pub source: Option<GameSource>,
    /// Games of self-play in which the id of at least one player's network begins with this.
    pub network: Option<String>,
    /// Imported games and games of matches in which the name of at least one player contains this; case is ignored.
    pub player: Option<String>,
    /// Games whose event contains this; case is ignored.
    pub event: Option<String>,
    /// Days on which the games began. Where that is not known, a game is on none of them.
    pub dates: RangeInclusive<NaiveDate>,
    /// Ratings of which at least one player has one. Where none is known, a game is left out.
    pub ratings: RangeInclusive<u32>,
    /// How the games ended.
    pub result: Option<GameResult>,
    /// Length in plies.
    pub plies: RangeInclusive<u32>,
}

impl Default for GameFilter {
    fn default() -> Self {
        GameFilter {
            generations: 0..=u32::MAX,
            ruleset: None,
            source: None,
            network: None,
            player: None,
            event: None,
            dates: NaiveDate::MIN..=NaiveDate::MAX,
            ratings: 0..=u32::MAX,
            result: None,
            plies: 0..=u32::MAX,
        }
    }
}

/// A condition of a [`GameFilter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// [`GameFilter::generations`].
    Generation,
    /// [`GameFilter::ruleset`].
    Ruleset,
    /// [`GameFilter::source`].
    Source,
    /// [`GameFilter::network`].
    Network,
    /// [`GameFilter::player`].
    Player,
    /// [`GameFilter::event`].
    Event,
    /// [`GameFilter::dates`].
    Date,
    /// [`GameFilter::ratings`].
    Rating,
    /// [`GameFilter::result`].
    Result,
    /// [`GameFilter::plies`].
    Plies,
}

impl Criterion {
    /// In the order in which games are tried.
    const ALL: [Criterion; 10] = [
        Criterion::Generation,
        Criterion::Ruleset,
        Criterion::Source,
        Criterion::Network,
        Criterion::Player,
        Criterion::Event,
        Criterion::Date,
        Criterion::Rating,
        Criterion::Result,
        Criterion::Plies,
    ];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Generation => "generation",
            Criterion::Ruleset => "rule set",
            Criterion::Source => "source",
            Criterion::Network => "network",
            Criterion::Player => "player",
            Criterion::Event => "event",
            Criterion::Date => "date",
            Criterion::Rating => "rating",
            Criterion::Result => "result",
            Criterion::Plies => "length",
        }
    }

    /// The columns of the table `games` that it looks at. The generation is known from the manifest.
    fn columns(self) -> &'static [&'static str] {
        match self {
            Criterion::Generation => &[],
            Criterion::Ruleset => &["ruleset"],
            Criterion::Source => &["run_id"],
            Criterion::Network | Criterion::Player => &["run_id", "net_first", "net_second"],
            Criterion::Event => &["event"],
            Criterion::Date => &["started_at"],
            Criterion::Rating => &RATINGS,
            Criterion::Result => &["result"],
            Criterion::Plies => &["plies"],
        }
    }
}

/// Games that a filter has left out, each under the first condition that it does not meet.
pub type Excluded = BTreeMap<Criterion, u64>;

/// The values of a game that conditions look at. Values that no condition needs may be anything.
#[derive(Clone, Debug, Default)]
struct FilterValues {
    ruleset: String,
    run_id: String,
    nets: [String; 2],
    event: Option<String>,
    /// 0 if it is not known.
    started_at: i64,
    ratings: [Option<f32>; 2],
    result: i32,
    plies: u32,
}

const RATINGS: [&str; 2] = ["rating_first", "rating_second"];

impl FilterValues {
    fn date(&self) -> Option<NaiveDate> {
        let time = DateTime::from_timestamp_millis(self.started_at).filter(|_| self.started_at != 0);
        time.map(|time| time.date_naive())
    }

    /// The known ratings of the players, in whole numbers.
    fn ratings(&self) -> impl Iterator<Item = u32> {
        self.ratings.into_iter().flatten().map(|rating| rating.round() as u32)
    }
}

impl GameFilter {
    /// The conditions that not every game meets.
    pub fn criteria(&self) -> impl Iterator<Item = Criterion> + '_ {
        let everything = GameFilter::default();
        Criterion::ALL.into_iter().filter(move |criterion| match criterion {
            Criterion::Generation => self.generations != everything.generations,
            Criterion::Ruleset => self.ruleset.is_some(),
            Criterion::Source => self.source.is_some(),
            Criterion::Network => self.network.is_some(),
            Criterion::Player => self.player.is_some(),
            Criterion::Event => self.event.is_some(),
            Criterion::Date => self.dates != everything.dates,
            Criterion::Rating => self.ratings != everything.ratings,
            Criterion::Result => self.result.is_some(),
            Criterion::Plies => self.plies != everything.plies,
        })
    }

    /// What a condition asks for, in words: `network 01ab`, `length 20 to 40`.
    pub fn wanted(&self, criterion: Criterion) -> String {
        fn range<T: PartialEq + Display>(range: &RangeInclusive<T>, everything: &RangeInclusive<T>) -> String {
            match (range.start(), range.end()) {
                (from, to) if to == everything.end() => format!("from {from}"),
                (from, to) if from == everything.start() => format!("up to {to}"),
                (from, to) => format!("{from} to {to}"),
            }
        }
        let everything = GameFilter::default();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let value = match criterion {
            Criterion::Generation => range(&self.generations, &everything.generations),
            Criterion::Ruleset => text(&self.ruleset),
            Criterion::Source => self.source.map_or_else(String::new, |source| source.name().to_owned()),
            Criterion::Network => text(&self.network),
            Criterion::Player => text(&self.player),
            Criterion::Event => text(&self.event),
            Criterion::Date => range(&self.dates, &everything.dates),
            Criterion::Rating => range(&self.ratings, &everything.ratings),
            Criterion::Result => self.result.map_or("", result_name).to_owned(),
            Criterion::Plies => range(&self.plies, &everything.plies),
        };
        format!("{} {value}", criterion.name())
    }

    fn meets(&self, criterion: Criterion, game: &FilterValues) -> bool {
        let source = || GameSource::of_run(&game.run_id);
        match criterion {
            // Shards of other generations are not read.
            Criterion::Generation => true,
            Criterion::Ruleset => self
                .ruleset
                .as_ref()
                .is_none_or(|wanted| game.ruleset == *wanted || game.ruleset.split(' ').next() == Some(wanted)),
            Criterion::Source => self.source.is_none_or(|wanted| source() == wanted),
            Criterion::Network => self.network.as_ref().is_none_or(|wanted| {
                source() == GameSource::SelfPlay && game.nets.iter().any(|net| net.starts_with(wanted))
            }),
            Criterion::Player => self.player.as_ref().is_none_or(|wanted| {
                source() != GameSource::SelfPlay && game.nets.iter().any(|name| contains(name, wanted))
            }),
            Criterion::Event => self
                .event
                .as_ref()
                .is_none_or(|wanted| game.event.as_ref().is_some_and(|event| contains(event, wanted))),
            Criterion::Date => game.date().is_some_and(|date| self.dates.contains(&date)),
            Criterion::Rating => game.ratings().any(|rating| self.ratings.contains(&rating)),
            Criterion::Result => self.result.is_none_or(|wanted| i32::from(wanted) == game.result),
            Criterion::Plies => self.plies.contains(&game.plies),
        }
    }

    /// The first of some conditions that a game does not meet.
    fn first_unmet(&self, criteria: impl IntoIterator<Item = Criterion>, game: &FilterValues) -> Option<Criterion> {
        criteria.into_iter().find(|&criterion| !self.meets(criterion, game))
    }

    /// The columns of the table `games` that its conditions look at.
    pub(crate) fn columns(&self) -> Vec<&'static str> {
        let columns: BTreeSet<_> = self.criteria().flat_map(|criterion| criterion.columns().iter().copied()).collect();
        columns.into_iter().collect()
    }

    /// For each of some rows the first condition that the game does not meet.
    ///
    /// # Errors
    /// A column is missing, or a value is not one that it can have.
    pub(crate) fn failures(&self, columns: &Columns<'_>) -> Result<Vec<Option<Criterion>>, FileFault> {
        let criteria: Vec<Criterion> = self.criteria().collect();
        let games = seen(columns, &self.columns())?;
        Ok(games.iter().map(|game| self.first_unmet(criteria.iter().copied(), game)).collect())
    }

    /// The first condition that a whole game does not meet.
    pub(crate) fn failure<V: Variant>(&self, game: &GameRecord<V>) -> Option<Criterion> {
        let values = FilterValues {
            ruleset: game.sheet.rules.to_string(),
            run_id: game.run_id.clone(),
            nets: [game.net_first.clone(), game.net_second.clone()],
            event: game.event.clone(),
            started_at: game.started_at,
            ratings: [game.rating_first, game.rating_second],
            result: game.sheet.outcome.result.into(),
            plies: game.plies() as u32,
        };
        self.first_unmet(self.criteria(), &values)
    }
}

/// Whether a text contains another; case is ignored.
fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// The name of a result on the command line: `first`, `draw` or `second`.
pub fn result_name(result: GameResult) -> &'static str {
    match result {
        GameResult::FirstWins => "first",
        GameResult::Draw => "draw",
        GameResult::SecondWins => "second",
    }
}

/// The values of some rows; `names` has the columns that were read.
fn seen(columns: &Columns<'_>, names: &[&str]) -> Result<Vec<FilterValues>, FileFault> {
    let mut games = vec![FilterValues::default(); columns.rows()];
    let mut rows = |set: &mut dyn FnMut(usize, &mut FilterValues)| {
        games.iter_mut().enumerate().for_each(|(at, game)| set(at, game))
    };
    if names.contains(&"ruleset") {
        let ruleset = columns.values::<Text>("ruleset")?;
        rows(&mut |row, game| game.ruleset = ruleset(row));
    }
    if names.contains(&"run_id") {
        let run_id = columns.values::<Text>("run_id")?;
        rows(&mut |row, game| game.run_id = run_id(row));
    }
    if names.contains(&"net_first") {
        let (first, second) = (columns.values::<Text>("net_first")?, columns.values::<Text>("net_second")?);
        rows(&mut |row, game| game.nets = [first(row), second(row)]);
    }
    // Files of earlier versions have no events and no ratings.
    if names.contains(&"event") && columns.has("event") {
        let event = columns.values::<Maybe<Text>>("event")?;
        rows(&mut |row, game| game.event = event(row));
    }
    if names.contains(&"started_at") {
        let started_at = columns.values::<Milliseconds>("started_at")?;
        rows(&mut |row, game| game.started_at = started_at(row));
    }
    if names.contains(&RATINGS[0]) && columns.has(RATINGS[0]) {
        let [first, second] = RATINGS.map(|name| columns.values::<Maybe<Float>>(name));
        let (first, second) = (first?, second?);
        rows(&mut |row, game| game.ratings = [first(row), second(row)]);
    }
    if names.contains(&"result") {
        let results = columns.results("result")?;
        rows(&mut |row, game| game.result = results[row].into());
    }
    if names.contains(&"plies") {
        let plies = columns.values::<Unsigned>("plies")?;
        rows(&mut |row, game| game.plies = plies(row));
    }
    Ok(games)
}
