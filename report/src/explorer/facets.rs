//! What games can be chosen by: facets such as the player or the date, column by column.

use chrono::{DateTime, Datelike, NaiveDate};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Milliseconds of a day.
pub const DAY: i64 = 86_400_000;

/// Most names that a field proposes.
const MOST_PROPOSED: usize = 500;

/// A facet with the values of all games.
#[derive(Debug, Serialize)]
pub struct Facet {
    /// Its short name.
    pub key: &'static str,
    kind: Kind,
    /// The values, to which the columns of texts refer by number.
    values: Vec<String>,
    /// A column, or two for the first and the second player. A number that is not known is `null`.
    columns: Vec<Vec<Option<i64>>>,
    /// The numbers of the values until all games are there.
    #[serde(skip)]
    numbers: HashMap<String, i64>,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number, if it is known.
    Number(Option<i64>),
    /// A text; empty if there is none.
    Text(String),
}

/// The values of a game by the key of the facet: one, or those of both players.
pub type Values = BTreeMap<&'static str, Vec<Value>>;

/// How a facet is asked for, without the values of each game.
#[derive(Debug, Serialize)]
pub struct FacetAbout {
    key: &'static str,
    kind: Kind,
    /// The values to choose from or to propose; of proposals none, if they are many.
    values: Vec<String>,
    /// The least value of a range.
    low: Option<Value>,
    /// The greatest value of a range.
    high: Option<Value>,
}

/// The facets in the order of the page.
const FACETS: [(&str, Kind); 12] = [
    ("source", Kind::Choice),
    ("generation", Kind::Range),
    ("network", Kind::Prefix),
    ("player", Kind::Part),
    ("result", Kind::Choice),
    ("date", Kind::Date),
    ("event", Kind::Part),
    ("ruleset", Kind::Choice),
    ("rating", Kind::Range),
    ("length", Kind::Range),
    ("setup_first", Kind::Choice),
    ("setup_second", Kind::Choice),
];

/// The facets of no games yet.
pub fn none() -> Vec<Facet> {
    let facet = |(key, kind)| Facet { key, kind, values: Vec::new(), columns: Vec::new(), numbers: HashMap::new() };
    FACETS.into_iter().map(facet).collect()
}

/// Adds a game, which must have a value of every facet.
pub fn push(facets: &mut [Facet], game: &Values) {
    for facet in facets {
        let values = &game[facet.key];
        facet.columns.resize_with(values.len(), Vec::new);
        for (place, value) in values.iter().enumerate() {
            let code = facet.code(value);
            facet.columns[place].push(code);
        }
    }
}

/// Sorts the values after the last game.
pub fn finish(facets: &mut [Facet]) {
    for facet in facets {
        let sorted: BTreeMap<String, i64> = std::mem::take(&mut facet.numbers).into_iter().collect();
        let mut places = vec![0; sorted.len()];
        sorted.values().zip(0..).for_each(|(&number, place)| places[number as usize] = place);
        if !facet.kind.is_range() {
            let codes = facet.columns.iter_mut().flatten().flatten();
            codes.for_each(|code| *code = places[*code as usize]);
        }
        facet.values = sorted.into_keys().collect();
        facet.columns.iter_mut().for_each(Vec::shrink_to_fit);
    }
}

impl Kind {
    fn is_range(self) -> bool {
        matches!(self, Kind::Range | Kind::Date)
    }
}

impl Facet {
    fn code(&mut self, value: &Value) -> Option<i64> {
        match value {
            Value::Number(number) => *number,
            Value::Text(text) => Some(match self.numbers.get(text) {
                Some(&number) => number,
                None => {
                    let next = self.numbers.len() as i64;
                    self.numbers.insert(text.clone(), next);
                    next
                }
            }),
        }
    }

    /// Whether games differ in it.
    pub fn is_varied(&self) -> bool {
        let mut all = self.columns.iter().flatten();
        let first = all.next();
        all.any(|code| Some(code) != first)
    }

    /// Keeps every second game, the first one among them.
    pub fn thin(&mut self) {
        for column in &mut self.columns {
            let mut place = 0;
            column.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
    }

    /// The values of a game.
    pub fn values(&self, game: usize) -> Vec<Value> {
        let value = |column: &Vec<Option<i64>>| match column[game] {
            Some(code) if !self.kind.is_range() => Value::Text(self.values[code as usize].clone()),
            number => Value::Number(number),
        };
        self.columns.iter().map(value).collect()
    }

    /// How it is asked for.
    pub fn about(&self) -> FacetAbout {
        let shown = |number: Option<i64>| match (self.kind, number) {
            (Kind::Range, Some(_)) => Some(Value::Number(number)),
            (Kind::Date, Some(day)) => Some(Value::Text(date_of(day))),
            _ => None,
        };
        let known = || self.columns.iter().flatten().filter_map(|&code| code);
        let (low, high) = (shown(known().min()), shown(known().max()));
        let is_listed = self.kind == Kind::Choice || self.values.len() <= MOST_PROPOSED;
        let values = self.values.iter().filter(|value| is_listed && !value.is_empty()).cloned().collect();
        FacetAbout { key: self.key, kind: self.kind, values, low, high }
    }

    /// Which games meet a condition, as `meets` in `data.js` has it: of a range `from..to`, where either may be missing.
    pub fn meeting(&self, wanted: &str) -> Vec<bool> {
        let (from, to) = wanted.split_once("..").unwrap_or((wanted, ""));
        let number = |text: &str| if self.kind == Kind::Date { day_of(text) } else { text.trim().parse().ok() };
        let range = number(from).unwrap_or(i64::MIN)..=number(to).unwrap_or(i64::MAX);
        let part = wanted.to_lowercase();
        let meets = |value: &String| {
            !value.is_empty()
                && match self.kind {
                    Kind::Choice => value == wanted,
                    Kind::Prefix => value.starts_with(wanted),
                    Kind::Part => value.to_lowercase().contains(&part),
                    Kind::Range | Kind::Date => false,
                }
        };
        let good: Vec<bool> = self.values.iter().map(meets).collect();
        let passes = |code: Option<i64>| {
            code.is_some_and(|code| if self.kind.is_range() { range.contains(&code) } else { good[code as usize] })
        };
        let games = self.columns.first().map_or(0, Vec::len);
        (0..games).map(|game| self.columns.iter().any(|column| passes(column[game]))).collect()
    }

    /// The number that a game has, or the year of its date.
    pub fn time(&self, game: usize) -> Option<i64> {
        let number = self.columns[0][game]?;
        if self.kind != Kind::Date {
            return Some(number);
        }
        DateTime::from_timestamp_millis(number * DAY).map(|time| i64::from(time.year()))
    }
}

/// A number of days since 1970 as `2021-05-03`.
fn date_of(day: i64) -> String {
    DateTime::from_timestamp_millis(day * DAY).map_or_else(String::new, |time| time.format("%Y-%m-%d").to_string())
}

fn day_of(text: &str) -> Option<i64> {
    let date = NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d").ok()?;
    Some(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis().div_euclid(DAY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facets(games: &[(&str, Option<i64>, Option<i64>)]) -> Vec<Facet> {
        let mut facets = none();
        for &(player, rating, date) in games {
            let text = |text: &str| vec![Value::Text(text.to_owned())];
            let mut values: Values = FACETS
                .iter()
                .map(|&(key, kind)| (key, if kind.is_range() { vec![Value::Number(Some(1))] } else { text("same") }))
                .collect();
            values.insert("player", vec![Value::Text(player.to_owned()), Value::Text(String::new())]);
            values.insert("rating", vec![Value::Number(rating), Value::Number(None)]);
            values.insert("date", vec![Value::Number(date)]);
            push(&mut facets, &values);
        }
        finish(&mut facets);
        facets
    }

    fn facet<'a>(facets: &'a [Facet], key: &str) -> &'a Facet {
        facets.iter().find(|facet| facet.key == key).unwrap()
    }

    #[test]
    fn conditions_are_met_by_parts_of_names_and_by_ranges() {
        let facets = facets(&[("Zhao", Some(2400), Some(18_750)), ("", None, None), ("Abe", Some(1800), Some(0))]);
        let meeting = |key: &str, wanted: &str| facet(&facets, key).meeting(wanted);
        assert_eq!(meeting("player", "zHa"), [true, false, false]);
        assert_eq!(meeting("player", ""), [true, false, true], "a game without names has no part of one");
        assert_eq!(meeting("rating", "1800..2000"), [false, false, true]);
        assert_eq!(meeting("rating", "..2500"), [true, false, true], "what is not known is in no range");
        assert_eq!(meeting("date", "2021-05-03..2021-05-03"), [true, false, false]);
        assert_eq!(meeting("date", "junk.."), [true, false, true]);
        let varied: Vec<&str> = facets.iter().filter(|facet| facet.is_varied()).map(|facet| facet.key).collect();
        assert_eq!(varied, ["player", "date", "rating"]);
        let date = facet(&facets, "date");
        assert_eq!((date.time(0), date.time(1)), (Some(2021), None));
        assert_eq!(serde_json::to_value(date.about()).unwrap()["high"], "2021-05-03");
        assert_eq!(facet(&facets, "player").values(2)[0], Value::Text("Abe".to_owned()));
    }

    #[test]
    fn every_second_game_is_left() {
        let mut facets = facets(&[("a", None, None), ("b", None, None), ("c", None, None)]);
        facets.iter_mut().for_each(Facet::thin);
        let player = facet(&facets, "player");
        assert_eq!(
            [player.values(0), player.values(1)].map(|values| values[0].clone()),
            ["a", "c"].map(|name| Value::Text(name.to_owned()))
        );
    }
}
