//! The options an engine says it has.

use super::protocol::Protocol;

/// An option and the values it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EngineOption {
    pub name: String,
    kind: String,
    /// Least and greatest number.
    range: Option<(i64, i64)>,
    /// Names to choose from.
    pub choices: Vec<String>,
}

impl EngineOption {
    /// Reads `option name NAME type TYPE default … min … max … var …` (in UCCI without `name`); `None` for any other
    /// line.
    pub fn parse(protocol: Protocol, line: &str) -> Option<EngineOption> {
        let mut words = line.strip_prefix("option ")?.split_whitespace().peekable();
        if protocol != Protocol::Ucci && words.next()? != "name" {
            return None;
        }
        let name: Vec<&str> = std::iter::from_fn(|| words.next_if(|&word| word != "type")).collect();
        words.next()?;
        let mut option =
            EngineOption { name: name.join(" "), kind: words.next()?.to_owned(), range: None, choices: Vec::new() };
        let (mut low, mut high) = (None, None);
        while let Some(word) = words.next() {
            match word {
                "min" => low = words.peek().and_then(|word| word.parse().ok()),
                "max" => high = words.peek().and_then(|word| word.parse().ok()),
                "var" => option.choices.extend(words.peek().map(|&word| word.to_owned())),
                _ => {}
            }
        }
        option.range = low.zip(high);
        (!option.name.is_empty()).then_some(option)
    }

    /// Whether the value can be set; if not, what can.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let fits = match self.kind.as_str() {
            "spin" => {
                let number = value.parse::<i64>().ok();
                number.is_some_and(|number| self.range.is_none_or(|(low, high)| (low..=high).contains(&number)))
            }
            "check" => matches!(value, "true" | "false"),
            "combo" => self.choices.is_empty() || self.choices.iter().any(|choice| choice == value),
            "button" => value.is_empty(),
            _ => true,
        };
        if fits {
            return Ok(());
        }
        Err(match (self.kind.as_str(), self.range) {
            ("spin", Some((low, high))) => format!("a number, {low} to {high}"),
            ("spin", None) => "a number".to_owned(),
            ("check", _) => "true or false".to_owned(),
            ("combo", _) => format!("one of {}", self.choices.join(", ")),
            _ => "no value".to_owned(),
        })
    }
}

/// The option of that name, in capitals or not.
pub(super) fn find<'a>(options: &'a [EngineOption], name: &str) -> Option<&'a EngineOption> {
    options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_options() {
        let read = |line| EngineOption::parse(Protocol::Uci, line).unwrap();
        let hash = read("option name Clear Hash Size type spin default 16 min 1 max 1024");
        assert_eq!(hash.name, "Clear Hash Size");
        assert_eq!(hash.check("64"), Ok(()));
        assert_eq!(hash.check("0"), Err("a number, 1 to 1024".to_owned()));
        let variant = read("option name UCI_Variant type combo default chess var chess var xiangqi");
        assert_eq!(variant.choices, ["chess", "xiangqi"]);
        assert!(variant.check("go").is_err());
        assert!(read("option name Ponder type check default false").check("yes").is_err());
        assert!(read("option name Path type string default <empty>").check("/a b").is_ok());
        let millisec = EngineOption::parse(Protocol::Ucci, "option usemillisec type check default true").unwrap();
        assert_eq!(find(&[millisec], "UseMillisec").unwrap().name, "usemillisec");
        for line in ["option", "option name", "option name x", "options name x type spin", "id name option"] {
            assert_eq!(EngineOption::parse(Protocol::Uci, line), None, "{line}");
        }
    }
}
