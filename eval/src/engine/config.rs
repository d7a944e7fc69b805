//! Which engine, and how it is set up: in a file, or as a word on the command line.

use super::protocol::Protocol;
use crate::limit::Limit;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// An outside engine as a player.
///
/// In a file it is an `[[engine]]` table with these fields; as a word it is a path and settings, joined as in a web
/// address: `/usr/games/fairy-stockfish?nodes=1000&option.Hash=64`. The settings are `nodes`, `depth`, `time` (the
/// limit), `name`, `protocol`, `variant`, `arg` (as often as needed), `timeout_ms`, `handshake_ms` and `option.NAME`.
///
/// ```
/// use eval::{EngineConfig, Limit};
///
/// let engine: EngineConfig = "/usr/games/fairy-stockfish?nodes=1000&option.Hash=64".parse()?;
/// assert_eq!((engine.limit, engine.options["Hash"].as_str()), (Limit::Nodes(1000), "64"));
/// assert!("engine?knots=5".parse::<EngineConfig>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EngineConfig {
    /// Name in tables; empty: the program's file name and its limit.
    pub name: String,
    /// The program: a path, or a name that the system's search path knows.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// How it is talked to: `auto`, `uci`, `usi` or `ucci`.
    pub protocol: Protocol,
    /// What it calls the variant; empty: as we do.
    pub variant: String,
    /// Its options by name, set before the first game.
    #[serde(deserialize_with = "option_values")]
    pub options: BTreeMap<String, String>,
    /// How long it may think: as [`Limit`]; `own` takes the limit of the match. Nodes, depth and time alone.
    pub limit: Limit,
    /// With a limit of nodes or depth: how long it may take for one move all the same, milliseconds, 10 to 86,400,000.
    pub timeout_ms: u32,
    /// How long it may take to start, and to be ready for a game, milliseconds, 10 to 86,400,000.
    pub handshake_ms: u32,
}

impl Default for EngineConfig {
    fn default() -> Self {
        EngineConfig {
            name: String::new(),
            command: String::new(),
            args: Vec::new(),
            protocol: Protocol::Auto,
            variant: String::new(),
            options: BTreeMap::new(),
            limit: Limit::Own,
            timeout_ms: 60_000,
            handshake_ms: 10_000,
        }
    }
}

impl EngineConfig {
    /// The same with the settings of a word's second half: `nodes=1000&option.Hash=64`.
    ///
    /// # Errors
    /// A setting that is not known, or has no such value.
    pub fn with_settings(mut self, settings: &str) -> Result<EngineConfig, String> {
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting
                .split_once('=')
                .ok_or_else(|| format!("{setting:?} is no setting of an engine; it is KEY=VALUE, as nodes=1000"))?;
            let ms = || value.parse().map_err(|_| format!("{setting:?}: not a number of milliseconds"));
            match key {
                "nodes" | "depth" | "time" => {
                    let limit = format!("{key}:{value}").parse();
                    self.limit = limit.map_err(|_| format!("{setting:?}: as nodes=1000, depth=8 or time=100ms"))?;
                }
                "name" => self.name = value.to_owned(),
                "protocol" => self.protocol = value.parse()?,
                "variant" => self.variant = value.to_owned(),
                "arg" => self.args.push(value.to_owned()),
                "timeout_ms" => self.timeout_ms = ms()?,
                "handshake_ms" => self.handshake_ms = ms()?,
                _ => match key.strip_prefix("option.") {
                    Some(name) if !name.is_empty() => {
                        self.options.insert(name.to_owned(), value.to_owned());
                    }
                    _ => {
                        return Err(format!(
                            "{key:?} is no setting of an engine; there are nodes, depth, time, name, protocol, variant, \
                             arg, timeout_ms, handshake_ms, and option.NAME for its own options"
                        ));
                    }
                },
            }
        }
        Ok(self)
    }

    /// The name in tables.
    pub fn title(&self) -> String {
        if !self.name.is_empty() {
            return self.name.clone();
        }
        let file = self.command.rsplit('/').next().unwrap_or_default();
        if self.limit == Limit::Own { file.to_owned() } else { format!("{file} {}", self.limit) }
    }

    /// Pushes one message for each value out of range; `at` is its place.
    pub fn complaints(&self, at: &str, out: &mut Vec<String>) {
        if self.command.is_empty() {
            out.push(format!("{at}.command: empty; the path of a program"));
        }
        for (key, value) in [("timeout_ms", self.timeout_ms), ("handshake_ms", self.handshake_ms)] {
            if !(10..=86_400_000).contains(&value) {
                out.push(format!("{at}.{key}: {value} is out of range; 10 to 86400000"));
            }
        }
        if matches!(self.limit, Limit::Clock { .. } | Limit::Byoyomi { .. }) {
            out.push(format!("{at}.limit: {}: a clock is set for the whole match, not for one player", self.limit));
        }
        // A line's end inside would be a command of its own.
        let texts = self.options.iter().flat_map(|(name, value)| [name, value]).chain([&self.variant]);
        if texts.into_iter().any(|text| text.contains(['\n', '\r', '\0'])) {
            out.push(format!("{at}.options: a name or value with the end of a line in it"));
        }
    }
}

impl FromStr for EngineConfig {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (command, settings) = text.split_once('?').unwrap_or((text, ""));
        let config = EngineConfig { command: command.to_owned(), ..EngineConfig::default() }.with_settings(settings)?;
        let mut complaints = Vec::new();
        config.complaints("engine", &mut complaints);
        if complaints.is_empty() { Ok(config) } else { Err(complaints.join("; ")) }
    }
}

/// Option values as people write them: text, numbers and truth values.
fn option_values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    struct Value(String);
    impl<'de> Deserialize<'de> for Value {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(ValueVisitor)
        }
    }
    struct ValueVisitor;
    impl Visitor<'_> for ValueVisitor {
        type Value = Value;
        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("text, a number, true or false")
        }
        fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
            Ok(Value(value.to_owned()))
        }
        fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
            Ok(Value(value.to_string()))
        }
        fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
            Ok(Value(value.to_string()))
        }
        fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
            Ok(Value(value.to_string()))
        }
        fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
            Ok(Value(value.to_string()))
        }
    }
    struct Options;
    impl<'de> Visitor<'de> for Options {
        type Value = BTreeMap<String, String>;
        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a table of the engine's options")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut options = BTreeMap::new();
            while let Some((name, Value(value))) = map.next_entry()? {
                options.insert(name, value);
            }
            Ok(options)
        }
    }
    deserializer.deserialize_map(Options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_files_say() {
        let word =
            "/opt/e?name=it&depth=7&protocol=usi&arg=-x&arg=-y&option.USI_Hash=64&option.Own Book=false&variant=mini";
        let config: EngineConfig = word.parse().unwrap();
        let file = r#"{"name":"it","command":"/opt/e","args":["-x","-y"],"protocol":"usi","variant":"mini",
            "options":{"USI_Hash":64,"Own Book":false},"limit":"depth:7"}"#;
        assert_eq!(config, serde_json::from_str(file).unwrap());
        assert_eq!(config.title(), "it");
        assert_eq!("/opt/e?time=50ms".parse::<EngineConfig>().unwrap().title(), "e time:50ms");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (word, part) in [
            ("", "path of a program"),
            ("e?nodes", "KEY=VALUE"),
            ("e?nodes=0", "nodes=1000"),
            ("e?hash=3", "option.NAME"),
            ("e?protocol=xboard", "auto, uci, usi or ucci"),
            ("e?timeout_ms=5", "10 to 86400000"),
            ("e?option.x=a\nquit", "end of a line"),
        ] {
            let error = word.parse::<EngineConfig>().unwrap_err();
            assert!(error.contains(part), "{word}: {error}");
        }
    }
}
