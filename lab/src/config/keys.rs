//! The keys of a configuration, for help and documentation. Meanings come from the comments of the structs, types and
//! defaults from the structs themselves, and ranges from their checks, so nothing is written down twice.

use super::Config;
use crate::continuation::may_change;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use settings::Complaints;

/// A section of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name as the file has it: `training.loss`.
    pub name: String,
    /// What its keys steer.
    pub meaning: String,
    /// Its keys, in the order in which the folder of a run has them.
    pub keys: Vec<Key>,
}

/// A key of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key with its sections: `search.visits`.
    pub name: String,
    /// What it means, with its unit.
    pub meaning: String,
    /// `integer`, `number`, `true or false`, `text`, `list of texts`, `list of numbers` or `name`.
    pub kind: &'static str,
    /// The smallest and the largest value, such as `1 to 64` or `at least 1`; empty where every value of the kind is accepted.
    pub range: String,
    /// The names that the key takes, each with its meaning; empty if it takes other values.
    pub names: Vec<(String, String)>,
    /// The default as a file has it.
    pub default: String,
    /// Whether a run that is resumed may have another value than it began with.
    pub may_change: bool,
}

/// All sections, in the order in which the folder of a run has them.
pub fn sections() -> Vec<Section> {
    let schema = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let schema = schema.into_generator().into_root_schema_for::<Config>();
    let ranges = Complaints::ranges(|complaints| Config::default().check(complaints));
    let checked = |name: &str| {
        let found = ranges.iter().find(|range| range.key == name);
        found.map(|range| format!("{} to {}", grouped(&range.low), grouped(&range.high)))
    };
    // A configuration without lists that have values has one line for each section and for each key.
    let written = Config::default().to_toml().unwrap_or_default();
    let mut sections: Vec<Section> = Vec::new();
    for line in written.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let meaning = meaning(described(schema.as_value(), name));
            sections.push(Section { name: name.to_owned(), meaning, keys: Vec::new() });
        } else if let (Some((key, default)), Some(section)) = (line.split_once(" = "), sections.last_mut()) {
            let name = format!("{}.{key}", section.name);
            let schema = described(schema.as_value(), &name);
            let checked = checked(&name);
            section.keys.push(Key::new(name, schema, checked, default));
        }
    }
    sections
}

/// The schema of a section or of a key.
fn described<'a>(root: &'a Value, name: &str) -> &'a Value {
    name.split('.').fold(root, |schema, part| &schema["properties"][part])
}

/// The description of a section or of a key, without the line breaks of the source.
fn meaning(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Key {
    fn new(name: String, schema: &Value, checked: Option<String>, default: &str) -> Key {
        let meaning = meaning(schema);
        let names = names(schema);
        let kind = match (schema["type"].as_str(), schema["items"]["type"].as_str()) {
            _ if !names.is_empty() => "name",
            (Some("integer"), _) => "integer",
            (Some("number"), _) => "number",
            (Some("boolean"), _) => "true or false",
            (Some("array"), Some("string")) => "list of texts",
            (Some("array"), _) => "list of numbers",
            _ => "text",
        };
        let (meaning, stated) = apart(&meaning);
        let any = if kind == "integer" { "0 or more" } else { "" };
        let range = stated.or(checked).unwrap_or_else(|| any.to_owned());
        Key { may_change: may_change(&name), name, meaning, kind, range, names, default: default.to_owned() }
    }
}

/// The names that a key takes, each with its meaning.
fn names(schema: &Value) -> Vec<(String, String)> {
    let name = |value: &Value| Some((value["const"].as_str()?.to_owned(), meaning(value)));
    schema["oneOf"].as_array().into_iter().flatten().filter_map(name).collect()
}

/// A number with its thousands separated: `10000000` as `10,000,000`.
fn grouped(number: &str) -> String {
    number.parse().map_or_else(|_| number.to_owned(), settings::thousands)
}

/// A meaning without the range that it states after a comma or a semicolon, and the range. `Seconds, 5 to 60. Less is …`: `Seconds. Less
/// is …`, and `5 to 60`.
fn apart(meaning: &str) -> (String, Option<String>) {
    for (at, _) in meaning.match_indices([',', ';']).filter(|(at, _)| meaning[at + 1..].starts_with(' ')) {
        let after = &meaning[at + 2..];
        if let Some(length) = range(after) {
            let rest = &after[length..];
            return (format!("{}{rest}", &meaning[..at]), Some(after[..length].to_owned()));
        }
    }
    (meaning.to_owned(), None)
}

/// The length of the range with which a text begins, if it does: `1 to 64`, `1 or more`, `0 to `key``, `above 0 to 1`, `at
/// least 1`, `0 or 1 to 64`.
fn range(text: &str) -> Option<usize> {
    let after = |start: usize, words: &str| text[start..].starts_with(words).then_some(start + words.len());
    let from = ["above ", "at least ", "0 or "].into_iter().find_map(|word| after(0, word));
    let low = bound(text, from.unwrap_or(0))?;
    let high = after(low, " to ").and_then(|start| bound(text, start));
    let most = after(low, " or more");
    let alone = from.filter(|_| !text.starts_with("0 or ")).map(|_| low);
    high.or(most).or(alone)
}

/// The end of the number or of the key in backticks that begins at `start`.
fn bound(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start..];
    if let Some(key) = rest.strip_prefix('`') {
        return key.find('`').map(|length| start + length + 2);
    }
    let is_part = |(at, letter): (usize, char)| {
        let follows = |set: &str| rest[at + 1..].starts_with(|next: char| next.is_ascii_digit() || set.contains(next));
        letter.is_ascii_digit()
            || ((letter == ',' || letter == '.' || letter == '-') && follows(""))
            || (letter == 'e' && follows("-"))
    };
    let length = rest.char_indices().take_while(|part| is_part(*part)).count();
    rest.starts_with(|first: char| first.is_ascii_digit()).then_some(start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Vec<Key> {
        sections().into_iter().flat_map(|section| section.keys).collect()
    }

    #[test]
    fn every_key_is_listed_with_its_meaning_and_every_number_with_its_range() {
        let sections = sections();
        assert!(sections.iter().all(|section| !section.meaning.is_empty()), "{sections:?}");
        let leaves = |table: &toml::Table| {
            let mut count = 0;
            let mut open = vec![table.clone()];
            while let Some(table) = open.pop() {
                for value in table.values() {
                    match value {
                        toml::Value::Table(inner) => open.push(inner.clone()),
                        _ => count += 1,
                    }
                }
            }
            count
        };
        assert_eq!(keys().len(), leaves(&toml::Table::try_from(Config::default()).expect("a table")));
        for key in keys() {
            assert!(key.meaning.ends_with(['.', '`', ')']) && !key.meaning.contains("[`"), "{key:?}");
            let is_number = ["integer", "number"].contains(&key.kind);
            assert_eq!(is_number, !key.range.is_empty(), "{key:?}");
            assert!(key.names.iter().all(|(_, meaning)| !meaning.is_empty()), "{key:?}");
        }
    }

    /// Where a comment states a range, the check of the struct has that one.
    #[test]
    fn the_ranges_that_comments_state_are_those_that_are_checked() {
        let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
        let default = |name: &str| keys().iter().find(|key| key.name == name).and_then(|key| number(&key.default));
        let ranges = Complaints::ranges(|complaints| Config::default().check(complaints));
        let mut compared = 0;
        for key in keys() {
            let Some(checked) = ranges.iter().find(|range| range.key == key.name) else { continue };
            let stated = key.range.replace(" or more", " to ").replace("at least ", "").replace("0 or ", "");
            let (low, high) = stated.split_once(" to ").unwrap_or((&stated, ""));
            let (section, _) = key.name.rsplit_once('.').expect("a section");
            let limit = |text: &str| number(text).or_else(|| default(&format!("{section}.{}", text.trim_matches('`'))));
            // `1 or more` and `above 0` leave the other end to what no run reaches.
            if !high.is_empty() {
                assert_eq!(limit(high), number(&checked.high), "{key:?} {checked:?}");
            }
            match low.strip_prefix("above ") {
                Some(low) => assert!(number(&checked.low) > number(low), "{key:?} {checked:?}"),
                None => assert_eq!(limit(low), number(&checked.low), "{key:?} {checked:?}"),
            }
            compared += 1;
        }
        assert!(compared > 60, "{compared}");
    }

    #[test]
    fn ranges_are_found_in_comments() {
        for (text, meaning, range) in [
            ("Seconds, 5 to 3,600. Long ones", "Seconds. Long ones", Some("5 to 3,600")),
            ("Rate, 1e-6 to 0.1.", "Rate.", Some("1e-6 to 0.1")),
            ("Units, 4 to `channels`. Not 1 to 2", "Units. Not 1 to 2", Some("4 to `channels`")),
            ("A limit, above 0; larger ones", "A limit; larger ones", Some("above 0")),
            ("Rows, 1 or more; after", "Rows; after", Some("1 or more")),
            ("Weight of this, that; 0 to 10 (KataGo 1).", "Weight of this, that (KataGo 1).", Some("0 to 10")),
            ("Plies, 0 or 1 to 1,000: as", "Plies: as", Some("0 or 1 to 1,000")),
            ("A part, in 3 of 4 cases, 7 times", "A part, in 3 of 4 cases, 7 times", None),
        ] {
            assert_eq!(apart(text), (meaning.to_owned(), range.map(str::to_owned)));
        }
    }
}
