//! Which engine to run and how to set it up: from a file, or from one argument of the command line.

use crate::limit::{Limit, LimitError, equivalent};
use crate::protocol::{Protocol, UnknownProtocol};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use settings::Complaints;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What [`EngineConfig::handshake_ms`] is by default.
pub(super) const DEFAULT_HANDSHAKE_MS: u32 = 10_000;

/// An outside engine as a player.
///
/// In a file it is an `[[engine]]` table with these fields. On the command line it is a path with settings behind it,
/// joined as in a web address: `/usr/games/fairy-stockfish?nodes=1000&option.Hash=64`. The settings are `nodes`, `depth`
/// or `time` (the limit), `name`, `protocol`, `variant`, `arg` (as often as needed), `timeout_ms`, `handshake_ms` and
/// `option.NAME`.
///
/// ```
/// use engine::{EngineConfig, Limit};
///
/// let engine: EngineConfig = "/usr/games/fairy-stockfish?nodes=1000&option.Hash=64".parse()?;
/// assert_eq!((engine.limit, engine.options["Hash"].as_str()), (Limit::Nodes(1000), "64"));
/// assert!("engine?knots=5".parse::<EngineConfig>().is_err());
/// # Ok::<(), engine::client::EngineSpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EngineConfig {
    /// Name in tables. If empty, the program's file name and its limit.
    pub name: String,
    /// The program: a path, or a name that is found on the search path.
    pub command: String,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// The protocol: `auto`, `uci`, `usi` or `ucci`.
    pub protocol: ProtocolChoice,
    /// The engine's own name for the variant. If empty, ours.
    pub variant: String,
    /// Options of the engine by name. They are set before the first game.
    #[serde(deserialize_with = "option_values")]
    pub options: BTreeMap<String, String>,
    /// How long it may think about a move: `nodes:N`, `depth:N` or `time:T`. `own` takes the limit of the match.
    pub limit: Limit,
    /// The longest it may take for a move under a limit of nodes or depth, in milliseconds, 10 to 86,400,000.
    pub timeout_ms: u32,
    /// The longest it may take to start, and to get ready for a game, in milliseconds, 10 to 86,400,000.
    pub handshake_ms: u32,
}

/// Which protocol to use with an engine. Written `auto`, `uci`, `usi` or `ucci`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum ProtocolChoice {
    /// The first of the three that the engine answers.
    #[default]
    Auto,
    /// This one.
    Fixed(Protocol),
}

impl From<Protocol> for ProtocolChoice {
    fn from(protocol: Protocol) -> ProtocolChoice {
        ProtocolChoice::Fixed(protocol)
    }
}

impl fmt::Display for ProtocolChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProtocolChoice::Auto => f.write_str("auto"),
            ProtocolChoice::Fixed(protocol) => protocol.fmt(f),
        }
    }
}

impl FromStr for ProtocolChoice {
    type Err = UnknownProtocol;

    fn from_str(text: &str) -> Result<ProtocolChoice, UnknownProtocol> {
        if text == "auto" { Ok(ProtocolChoice::Auto) } else { text.parse().map(ProtocolChoice::Fixed) }
    }
}

impl From<ProtocolChoice> for String {
    fn from(choice: ProtocolChoice) -> String {
        choice.to_string()
    }
}

impl TryFrom<String> for ProtocolChoice {
    type Error = UnknownProtocol;

    fn try_from(text: String) -> Result<ProtocolChoice, UnknownProtocol> {
        text.parse()
    }
}

/// Settings of an engine that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineSpecError {
    /// A setting without `=`.
    #[error("{0:?} is not a setting of an engine; write KEY=VALUE, for example nodes=1000")]
    NotASetting(String),
    /// A setting that does not exist.
    #[error(
        "{0:?} is not a setting of an engine; {hint}the settings are nodes, depth, time, name, protocol, variant, arg, \
         timeout_ms, handshake_ms, and option.NAME for the engine's own options",
        hint = hint(.0)
    )]
    Unknown(String),
    /// A limit that cannot be read.
    #[error("{setting:?} is not a limit; write it like nodes=1000, depth=8 or time=100ms")]
    Limit {
        /// The whole setting.
        setting: String,
        /// Why it cannot be read.
        source: LimitError,
    },
    /// A time that is not a number.
    #[error("{setting:?} is not a number of milliseconds")]
    Milliseconds {
        /// The whole setting.
        setting: String,
        /// Why it cannot be read.
        source: std::num::ParseIntError,
    },
    /// A protocol that does not exist.
    #[error(transparent)]
    Protocol(#[from] UnknownProtocol),
    /// Values that are out of range.
    #[error(transparent)]
    OutOfRange(#[from] Complaints),
}

/// Our text for a limit written in the syntax of another program.
fn hint(setting: &str) -> String {
    let Some(words) = setting.split_once('=').and_then(|_| equivalent(setting)) else { return String::new() };
    if words.contains("clock:") {
        // Clocks are a setting of the match.
        return format!("{} as --limit of the match; ", words);
    }
    format!("{}; ", words.replace("time:", "time=").replace("nodes:", "nodes=").replace("depth:", "depth="))
}

impl Default for EngineConfig {
    fn default() -> Self {
        EngineConfig {
            name: String::new(),
            command: String::new(),
            args: Vec::new(),
            protocol: ProtocolChoice::Auto,
            variant: String::new(),
            options: BTreeMap::new(),
            limit: Limit::Own,
            timeout_ms: 60_000,
            handshake_ms: DEFAULT_HANDSHAKE_MS,
        }
    }
}

impl EngineConfig {
    /// This engine with the settings behind the `?` of its argument, for example `nodes=1000&option.Hash=64`.
    ///
    /// # Errors
    /// A setting does not exist, or its value cannot be read.
    pub fn with_settings(mut self, settings: &str) -> Result<EngineConfig, EngineSpecError> {
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            let (key, value) =
                setting.split_once('=').ok_or_else(|| EngineSpecError::NotASetting(setting.to_owned()))?;
            let milliseconds = || {
                let fault = |source| EngineSpecError::Milliseconds { setting: setting.to_owned(), source };
                value.parse().map_err(fault)
            };
            match key {
                "nodes" | "depth" | "time" => {
                    let fault = |source| EngineSpecError::Limit { setting: setting.to_owned(), source };
                    self.limit = format!("{key}:{value}").parse().map_err(fault)?;
                }
                "name" => self.name = value.to_owned(),
                "protocol" => self.protocol = value.parse()?,
                "variant" => self.variant = value.to_owned(),
                "arg" => self.args.push(value.to_owned()),
                "timeout_ms" => self.timeout_ms = milliseconds()?,
                "handshake_ms" => self.handshake_ms = milliseconds()?,
                _ => match key.strip_prefix("option.").filter(|name| !name.is_empty()) {
                    Some(name) => {
                        self.options.insert(name.to_owned(), value.to_owned());
                    }
                    None => return Err(EngineSpecError::Unknown(setting.to_owned())),
                },
            }
        }
        Ok(self)
    }

    /// The name in tables: `name`, or the program's file name and its limit.
    pub fn title(&self) -> String {
        if !self.name.is_empty() {
            return self.name.clone();
        }
        let file = self.command.rsplit('/').next().unwrap_or_default();
        if self.limit == Limit::Own { file.to_owned() } else { format!("{file} {}", self.limit) }
    }

    /// Complains about each value that is out of range.
    pub fn check(&self, complaints: &mut Complaints) {
        if self.command.is_empty() {
            complaints.say("command", "empty; give the path of a program");
        }
        complaints.within("timeout_ms", self.timeout_ms, 10, 86_400_000);
        complaints.within("handshake_ms", self.handshake_ms, 10, 86_400_000);
        if matches!(self.limit, Limit::Clock { .. } | Limit::Byoyomi { .. }) {
            let problem = format!("{}: a clock belongs to the whole match, not to one player", self.limit);
            complaints.say("limit", problem);
        }
        // The end of a line inside a value would begin a new command.
        let texts = self.options.iter().flat_map(|(name, value)| [name, value]).chain([&self.variant]);
        if texts.into_iter().any(|text| text.contains(['\n', '\r', '\0'])) {
            complaints.say("options", "a name or value contains the end of a line");
        }
    }
}

impl FromStr for EngineConfig {
    type Err = EngineSpecError;

    fn from_str(text: &str) -> Result<EngineConfig, EngineSpecError> {
        let (command, settings) = text.split_once('?').unwrap_or((text, ""));
        let config = EngineConfig { command: command.to_owned(), ..EngineConfig::default() }.with_settings(settings)?;
        let mut complaints = Complaints::default();
        complaints.section("engine", |complaints| config.check(complaints));
        complaints.into_result().map(|()| config).map_err(EngineSpecError::from)
    }
}

/// Values of options as people write them in TOML: text, numbers, true and false.
fn option_values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    struct OptionValue(String);
    impl<'de> Deserialize<'de> for OptionValue {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(OptionValueVisitor)
        }
    }
    struct OptionValueVisitor;
    impl Visitor<'_> for OptionValueVisitor {
        type Value = OptionValue;
        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("text, a number, true or false")
        }
        fn visit_str<E: de::Error>(self, value: &str) -> Result<OptionValue, E> {
            Ok(OptionValue(value.to_owned()))
        }
        fn visit_bool<E: de::Error>(self, value: bool) -> Result<OptionValue, E> {
            Ok(OptionValue(value.to_string()))
        }
        fn visit_i64<E: de::Error>(self, value: i64) -> Result<OptionValue, E> {
            Ok(OptionValue(value.to_string()))
        }
        fn visit_u64<E: de::Error>(self, value: u64) -> Result<OptionValue, E> {
            Ok(OptionValue(value.to_string()))
        }
        fn visit_f64<E: de::Error>(self, value: f64) -> Result<OptionValue, E> {
            Ok(OptionValue(value.to_string()))
        }
    }
    struct OptionsVisitor;
    impl<'de> Visitor<'de> for OptionsVisitor {
        type Value = BTreeMap<String, String>;
        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a table of the engine's options")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut options = BTreeMap::new();
            while let Some((name, OptionValue(value))) = map.next_entry()? {
                options.insert(name, value);
            }
            Ok(options)
        }
    }
    deserializer.deserialize_map(OptionsVisitor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_files_agree() {
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
    fn errors_name_the_setting() {
        for (word, part) in [
            ("", "path of a program"),
            ("e?nodes", "KEY=VALUE"),
            ("e?nodes=0", "nodes=1000"),
            ("e?hash=3", "option.NAME"),
            ("e?st=5", "write time=5s; "),
            ("e?movetime=100", "write time=100ms; "),
            ("e?tc=60+0.6", "write clock:1m+600ms as --limit of the match; "),
            ("e?protocol=xboard", "auto, uci, usi or ucci"),
            ("e?timeout_ms=5", "10 to 86400000"),
            ("e?option.x=a\nquit", "the end of a line"),
        ] {
            let error = word.parse::<EngineConfig>().unwrap_err().to_string();
            assert!(error.contains(part), "{word}: {error}");
        }
    }
}
