//! The games that the explorer counts again when a filter is set: a row each, column by column.

use super::tree::Start;
use data::{CountedGame, GameSource, SampleGame};
use rules::{GameResult, Variant};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Most games in the page. If openings count more, every n-th has a row.
pub const MOST: usize = 15_000;
/// Longest text of a value, in characters.
const TEXT: usize = 60;
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Games in rows.
#[derive(Debug, Serialize)]
pub struct Counted {
    /// Games that openings count.
    pub all: u64,
    /// Of each game in the page the last place in the trees that it reached: trees in order, in each a place before
    /// those that continue it, numbered from 0.
    places: Vec<u32>,
    /// Of each game the result, 0 for the first player's win, 1 for a draw, 2 for the second player's win.
    results: Vec<usize>,
    /// What games can be chosen by.
    facets: Vec<Facet>,
}

/// What games can be chosen by; only what differs among them.
#[derive(Debug, Serialize)]
struct Facet {
    key: &'static str,
    kind: Kind,
    /// The values, to which the columns of texts refer by number.
    values: Vec<String>,
    /// A column, or two for the first and the second player. A number that is not known is `null`.
    columns: Vec<Vec<Option<i64>>>,
}

/// How a facet is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// One of the values.
    Choice,
    /// The beginning of a text.
    Prefix,
    /// A part of a text, whatever its case.
    Part,
    /// A range of numbers.
    Range,
    /// A range of days since 1970.
    Date,
}

/// A value of a game.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Value {
    Number(Option<i64>),
    Text(String),
}

/// The values of a game by the key of the facet: one, or those of both players.
pub type Values = BTreeMap<&'static str, Vec<Value>>;

/// The facets in the order of the page.
const FACETS: [(&str, Kind); 11] = [
    ("source", Kind::Choice),
    ("generation", Kind::Range),
    ("network", Kind::Prefix),
    ("player", Kind::Part),
    ("result", Kind::Choice),
    ("date", Kind::Date),
    ("event", Kind::Part),
    ("rating", Kind::Range),
    ("length", Kind::Range),
    ("setup_first", Kind::Choice),
    ("setup_second", Kind::Choice),
];

/// The number of a result in [`Counted::results`].
fn number(result: GameResult) -> usize {
    match result {
        GameResult::FirstWins => 0,
        GameResult::Draw => 1,
        GameResult::SecondWins => 2,
    }
}

/// A text of a bounded length.
fn short(text: &str) -> Value {
    Value::Text(match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    })
}

/// All values of a game from one of the sources with these names.
fn values(game: &CountedGame, sources: &[String]) -> Values {
    let number = |number: i64| vec![Value::Number(Some(number))];
    let text = |text: &str| vec![short(text)];
    let source = sources.get(game.folder).map_or("", String::as_str);
    // Networks play self-play, and players have names elsewhere.
    let of_selfplay = game.source == GameSource::SelfPlay;
    let both = |wanted: bool| -> Vec<Value> {
        game.players.iter().map(|name| short(if wanted { name } else { "" })).collect()
    };
    let rating = |rating: Option<f32>| Value::Number(rating.map(|rating| rating.round() as i64));
    let day = (game.started_at != 0).then(|| game.started_at.div_euclid(DAY));
    BTreeMap::from([
        ("source", text(&format!("{source} ({})", game.source.name()))),
        ("generation", number(game.generation.into())),
        ("network", both(of_selfplay)),
        ("player", both(!of_selfplay)),
        ("result", text(data::result_name(game.result))),
        ("date", vec![Value::Number(day)]),
        ("event", text(game.event.as_deref().unwrap_or_default())),
        ("rating", game.ratings.map(rating).to_vec()),
        ("length", number(game.plies.into())),
        ("setup_first", text(game.setups[0].as_deref().unwrap_or_default())),
        ("setup_second", text(game.setups[1].as_deref().unwrap_or_default())),
    ])
}

/// The values of a sample game that say something.
pub fn values_of<V: Variant>(sample: &SampleGame<V>, sources: &[String]) -> Values {
    let record = &sample.record;
    let setups = record.sheet.start.setups();
    let game = CountedGame {
        folder: sample.folder,
        generation: record.generation,
        source: GameSource::of_run(&record.run_id),
        players: [record.net_first.clone(), record.net_second.clone()],
        result: record.sheet.outcome.result,
        plies: record.plies() as u32,
        started_at: record.started_at,
        event: record.event.clone(),
        ratings: [record.rating_first, record.rating_second],
        setups: [0, 1].map(|side| setups.map(|setups| setups[side].name.to_owned())),
        moves: String::new(),
    };
    values(&game, sources)
}

impl Counted {
    /// The rows of these games, of `all` that are counted, in these trees.
    pub fn of(games: &[CountedGame], all: u64, starts: &[Start], sources: &[String]) -> Counted {
        let values: Vec<Values> = games.iter().map(|game| values(game, sources)).collect();
        let mut of_setups = BTreeMap::new();
        let mut next = 0;
        for start in starts {
            of_setups.insert(start.setups(), (start, next));
            next += start.places();
        }
        let place = |game: &CountedGame| {
            let setups = game.setups[0].as_deref().zip(game.setups[1].as_deref());
            of_setups.get(&setups).map_or(0, |(start, first)| first + start.place_of(&game.moves))
        };
        Counted {
            all,
            places: games.iter().map(place).collect(),
            results: games.iter().map(|game| number(game.result)).collect(),
            facets: FACETS.iter().filter_map(|&(key, kind)| Facet::of(key, kind, &values)).collect(),
        }
    }
}

impl Facet {
    /// The facet, unless all games are alike in it.
    fn of(key: &'static str, kind: Kind, games: &[Values]) -> Option<Facet> {
        let of_games = || games.iter().map(|values| values[key].as_slice());
        let different: BTreeSet<&Value> = of_games().flatten().collect();
        if different.len() < 2 {
            return None;
        }
        let texts: Vec<&str> = different
            .into_iter()
            .filter_map(|value| match value {
                Value::Text(text) => Some(text.as_str()),
                Value::Number(_) => None,
            })
            .collect();
        let code = |value: &Value| match value {
            Value::Number(number) => *number,
            Value::Text(text) => texts.binary_search(&text.as_str()).ok().map(|place| place as i64),
        };
        let columns = of_games().next().map_or(0, <[Value]>::len);
        let columns = (0..columns).map(|column| of_games().map(|values| code(&values[column])).collect()).collect();
        Some(Facet { key, kind, values: texts.into_iter().map(str::to_owned).collect(), columns })
    }
}
