//! The games that the explorer counts again when a filter is set: a row each, column by column.

use super::facets::{self, DAY, Facet, Value, Values};
use super::tree::Start;
use data::{CountedGame, GameRecord, GameSource};
use rules::{GameResult, Variant};
use serde::Serialize;
use std::collections::BTreeMap;

/// Most games in the page. If openings count more, every n-th has a row.
pub const MOST: usize = 15_000;
/// Longest text of a value, in characters.
const TEXT: usize = 60;

/// Games in rows.
#[derive(Debug, Serialize)]
pub struct Counted {
    /// Games that openings count.
    pub all: u64,
    /// Of each game in the page the last place in the trees that it reached: trees in order, in each a place before
    /// those that continue it, numbered from 0.
    places: Vec<u32>,
    /// The same in the tree of all setups together, whose places are numbered after the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    summed_places: Option<Vec<u32>>,
    /// Of each game the result, 0 for the first player's win, 1 for a draw, 2 for the second player's win.
    results: Vec<usize>,
    /// What games can be chosen by; only what differs among them.
    facets: Vec<Facet>,
}

/// The number of a result: 0 for the first player's win, 1 for a draw, 2 for the second player's win.
pub fn number(result: GameResult) -> usize {
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
        // Whole, because the studio reads it.
        ("ruleset", vec![Value::Text(game.ruleset.clone())]),
        ("event", text(game.event.as_deref().unwrap_or_default())),
        ("rating", game.ratings.map(rating).to_vec()),
        ("length", number(game.plies.into())),
        ("setup_first", text(game.setups[0].as_deref().unwrap_or_default())),
        ("setup_second", text(game.setups[1].as_deref().unwrap_or_default())),
    ])
}

/// The values of a stored game in a folder, of those that people know by these names.
pub fn values_of<V: Variant>(record: &GameRecord<V>, folder: usize, sources: &[String]) -> Values {
    let setups = record.sheet.start.setups();
    let game = CountedGame {
        folder,
        generation: record.generation,
        source: GameSource::of_run(&record.run_id),
        players: [record.net_first.clone(), record.net_second.clone()],
        result: record.sheet.outcome.result,
        plies: record.plies() as u32,
        started_at: record.started_at,
        event: record.event.clone(),
        ruleset: record.sheet.rules.to_string(),
        ratings: [record.rating_first, record.rating_second],
        setups: [0, 1].map(|side| setups.map(|setups| setups[side].name.to_owned())),
        moves: String::new(),
    };
    values(&game, sources)
}

impl Counted {
    /// The rows of these games, of `all` that are counted, in these trees: one for each start, and perhaps one of all
    /// together.
    pub fn of(games: &[CountedGame], all: u64, starts: &[Start], sum: Option<&Start>, sources: &[String]) -> Counted {
        let mut facets = facets::none();
        games.iter().for_each(|game| facets::push(&mut facets, &values(game, sources)));
        facets::finish(&mut facets);
        facets.retain(Facet::is_varied);
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
        let summed = |sum: &Start| games.iter().map(|game| next + sum.place_of(&game.moves)).collect();
        Counted {
            all,
            summed_places: sum.map(summed),
            places: games.iter().map(place).collect(),
            results: games.iter().map(|game| number(game.result)).collect(),
            facets,
        }
    }
}
