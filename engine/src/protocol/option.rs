//! The options that an engine declares.

use super::Protocol;

/// The value that stands for an empty text.
const EMPTY: &str = "<empty>";

/// Most choices that a message lists.
const MOST_NAMED: usize = 200;

/// An option: its name and what it can be set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    /// Its name, which may have spaces.
    pub name: String,
    /// The values it takes.
    pub kind: OptionKind,
}

/// The values that an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// True or false.
    Check {
        /// The value if it is not set.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The value if it is not set.
        default: Option<i64>,
        /// The least and the greatest number, if the engine states both.
        range: Option<(i64, i64)>,
    },
    /// One of several names.
    Combo {
        /// The value if it is not set.
        default: String,
        /// The names.
        choices: Vec<String>,
    },
    /// No value: setting it does something.
    Button,
    /// Any text.
    Text {
        /// The value if it is not set.
        default: String,
    },
    /// The path of a file (USI).
    File {
        /// The value if it is not set.
        default: String,
    },
    /// A type that this program does not know.
    Other(String),
}

impl EngineOption {
    /// Reads `option name NAME type TYPE default … min … max … var …` (in UCCI without the word `name`); `None` for
    /// any other line.
    pub fn read(protocol: Protocol, line: &str) -> Option<EngineOption> {
        let mut words = line.strip_prefix("option ")?.split_whitespace().peekable();
        if protocol != Protocol::Ucci && words.next()? != "name" {
            return None;
        }
        let name: Vec<&str> = std::iter::from_fn(|| words.next_if(|&word| word != "type")).collect();
        words.next()?;
        let kind = words.next()?;
        if name.is_empty() {
            return None;
        }
        let (mut default, mut low, mut high, mut choices) = (Vec::new(), None, None, Vec::new());
        let is_text = matches!(kind, "string" | "filename");
        while let Some(word) = words.next() {
            match word {
                // The default of a text is all that follows.
                "default" if is_text => default.extend(words.by_ref()),
                "default" => default.extend(words.peek()),
                "min" => low = words.peek().and_then(|word| word.parse().ok()),
                "max" => high = words.peek().and_then(|word| word.parse().ok()),
                "var" => choices.extend(words.peek().map(|&word| word.to_owned())),
                _ => {}
            }
        }
        let default = Some(default.join(" ")).filter(|text| text != EMPTY).unwrap_or_default();
        let kind = match kind {
            "check" => OptionKind::Check { default: default == "true" },
            "spin" => OptionKind::Spin { default: default.parse().ok(), range: low.zip(high) },
            "combo" => OptionKind::Combo { default, choices },
            "button" => OptionKind::Button,
            "string" => OptionKind::Text { default },
            "filename" => OptionKind::File { default },
            other => OptionKind::Other(other.to_owned()),
        };
        Some(EngineOption { name: name.join(" "), kind })
    }

    /// Writes the line that declares the option.
    pub fn write(&self, protocol: Protocol) -> String {
        let text = |text: &str| if text.is_empty() { EMPTY.to_owned() } else { text.to_owned() };
        let (kind, default, range) = match &self.kind {
            OptionKind::Check { default } => ("check", default.to_string(), String::new()),
            OptionKind::Spin { default, range } => {
                let range = range.map_or_else(String::new, |(low, high)| format!("min {low} max {high}"));
                ("spin", default.map_or_else(String::new, |number| number.to_string()), range)
            }
            OptionKind::Combo { default, choices } => (
                "combo",
                default.clone(),
                choices.iter().map(|choice| format!("var {choice}")).collect::<Vec<_>>().join(" "),
            ),
            OptionKind::Button => ("button", String::new(), String::new()),
            OptionKind::Text { default } => ("string", text(default), String::new()),
            OptionKind::File { default } => ("filename", text(default), String::new()),
            OptionKind::Other(kind) => (kind.as_str(), String::new(), String::new()),
        };
        let default = if default.is_empty() { default } else { format!("default {default}") };
        let name = &self.name;
        let parts = match protocol {
            Protocol::Uci | Protocol::Usi => ["option name", name, "type", kind, &default, &range],
            Protocol::Ucci => ["option", name, "type", kind, &range, &default],
        };
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The names to choose from, if it is a choice.
    pub fn choices(&self) -> &[String] {
        match &self.kind {
            OptionKind::Combo { choices, .. } => choices,
            _ => &[],
        }
    }

    /// Whether the option can be set to `value`; if not, what it can be set to.
    ///
    /// # Errors
    /// A description of the values it takes.
    pub fn check(&self, value: &str) -> Result<(), String> {
        match &self.kind {
            OptionKind::Check { .. } if matches!(value, "true" | "false") => Ok(()),
            OptionKind::Check { .. } => Err("true or false".to_owned()),
            OptionKind::Spin { range: Some((low, high)), .. } => match value.parse::<i64>() {
                Ok(number) if (*low..=*high).contains(&number) => Ok(()),
                _ => Err(format!("a number, {low} to {high}")),
            },
            OptionKind::Spin { range: None, .. } => value.parse::<i64>().map(|_| ()).map_err(|_| "a number".to_owned()),
            OptionKind::Combo { choices, .. } if choices.is_empty() || choices.iter().any(|choice| choice == value) => {
                Ok(())
            }
            OptionKind::Combo { choices, .. } => {
                let named = &choices[..choices.len().min(MOST_NAMED)];
                let more = if named.len() < choices.len() { ", …" } else { "" };
                Err(format!("one of {}{more}", named.join(", ")))
            }
            OptionKind::Button if value.is_empty() => Ok(()),
            OptionKind::Button => Err("no value".to_owned()),
            OptionKind::Text { .. } | OptionKind::File { .. } | OptionKind::Other(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_options_know_their_values() {
        let read = |line| EngineOption::read(Protocol::Uci, line).unwrap();
        let hash = read("option name Clear Hash Size type spin default 16 min 1 max 1024");
        assert_eq!(hash.name, "Clear Hash Size");
        assert_eq!(hash.check("64"), Ok(()));
        assert_eq!(hash.check("0"), Err("a number, 1 to 1024".to_owned()));
        let variant = read("option name UCI_Variant type combo default chess var chess var xiangqi");
        assert_eq!(variant.choices(), ["chess", "xiangqi"]);
        assert!(variant.check("go").is_err());
        assert!(read("option name Ponder type check default false").check("yes").is_err());
        assert!(read("option name Path type string default <empty>").check("/a b").is_ok());
        let path = read("option name Path type string default /a b/c");
        assert_eq!(path.kind, OptionKind::Text { default: "/a b/c".into() });
        let millisec = EngineOption::read(Protocol::Ucci, "option usemillisec type check default true").unwrap();
        assert_eq!(millisec, EngineOption { name: "usemillisec".into(), kind: OptionKind::Check { default: true } });
        for line in ["option", "option name", "option name x", "options name x type spin", "id name option"] {
            assert_eq!(EngineOption::read(Protocol::Uci, line), None, "{line}");
        }
    }
}
