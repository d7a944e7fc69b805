//! Which games to look at: by generation, rule set, source, network, player, result and length.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use rules::{GameResult, Variant};
use serde::Serialize;

use crate::column::{Columns, Text, Unsigned};
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// [`GameFilter::result`].
    Result,
    /// [`GameFilter::plies`].
    Plies,
}

impl Criterion {
    /// In the order in which games are tried.
    const ALL: [Criterion; 7] = [
        Criterion::Generation,
        Criterion::Ruleset,
        Criterion::Source,
        Criterion::Network,
        Criterion::Player,
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
    result: i32,
    plies: u32,
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
            Criterion::Result => self.result.is_some(),
            Criterion::Plies => self.plies != everything.plies,
        })
    }

    /// What a condition asks for, in words: `network 01ab`, `length 20 to 40`.
    pub fn wanted(&self, criterion: Criterion) -> String {
        let range = |range: &RangeInclusive<u32>| match (*range.start(), *range.end()) {
            (from, u32::MAX) => format!("from {from}"),
            (0, to) => format!("up to {to}"),
            (from, to) => format!("{from} to {to}"),
        };
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let value = match criterion {
            Criterion::Generation => range(&self.generations),
            Criterion::Ruleset => text(&self.ruleset),
            Criterion::Source => self.source.map_or_else(String::new, |source| source.name().to_owned()),
            Criterion::Network => text(&self.network),
            Criterion::Player => text(&self.player),
            Criterion::Result => self.result.map_or("", result_name).to_owned(),
            Criterion::Plies => range(&self.plies),
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
                let wanted = wanted.to_lowercase();
                source() != GameSource::SelfPlay && game.nets.iter().any(|name| name.to_lowercase().contains(&wanted))
            }),
            Criterion::Result => self.result.is_none_or(|wanted| i32::from(wanted) == game.result),
            Criterion::Plies => self.plies.contains(&game.plies),
        }
    }

    /// The first condition that a game does not meet.
    fn failed(&self, game: &FilterValues) -> Option<Criterion> {
        Criterion::ALL.into_iter().find(|&criterion| !self.meets(criterion, game))
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
        Ok(seen(columns, &self.columns())?.iter().map(|game| self.failed(game)).collect())
    }

    /// The first condition that a whole game does not meet.
    pub(crate) fn failure<V: Variant>(&self, game: &GameRecord<V>) -> Option<Criterion> {
        self.failed(&FilterValues {
            ruleset: game.sheet.rules.to_string(),
            run_id: game.run_id.clone(),
            nets: [game.net_first.clone(), game.net_second.clone()],
            result: game.sheet.outcome.result.into(),
            plies: game.plies() as u32,
        })
    }
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
