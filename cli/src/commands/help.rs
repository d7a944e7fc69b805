//! `kirin help`: a command, or a key of the configuration.

use crate::failure::input;
use crate::help::program;
use crate::terminal;
use clap::Args;
use lab::{Key, Section, sections};
use settings::nearest;
use std::fmt::Write;

/// Explain a command, or a key or a section of a configuration.
///
/// Of a key it prints the meaning, type, range and default, and where the key can be set. A section is explained with all of
/// its keys, and `configuration` lists the sections. A key may be given without its section.
#[derive(Args)]
pub struct Arguments {
    /// A command (run, data export), a key (search.visits, visits), a section (search, training.loss) or configuration.
    #[arg(value_name = "TOPIC")]
    topic: Vec<String>,
}

/// Columns of an explanation at most, as of the help of commands.
const WIDTH: usize = 80;

/// Runs the command.
///
/// # Errors
/// There is no such topic.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let words: Vec<&str> = arguments.topic.iter().map(String::as_str).collect();
    let text = explained(&words).ok_or_else(|| input(unknown(&words.join(" "))))?;
    print!("{text}");
    Ok(())
}

/// The text on a topic; `None` where there is no such topic.
fn explained(words: &[&str]) -> Option<String> {
    if let Some(help) = of_command(words) {
        return Some(help);
    }
    let [topic] = words else { return None };
    let sections = sections();
    if *topic == "configuration" {
        return Some(listed(&sections));
    }
    if let Some(section) = sections.iter().find(|section| section.name == *topic) {
        return Some(of_section(section));
    }
    let is_meant = |key: &&Key| key.name == *topic || key.name.rsplit('.').next() == Some(topic);
    let keys: Vec<String> = sections.iter().flat_map(|section| &section.keys).filter(is_meant).map(of_key).collect();
    (!keys.is_empty()).then(|| keys.join("\n"))
}

/// The help of the command with this name, such as `data export`; of the program without words.
fn of_command(words: &[&str]) -> Option<String> {
    let mut program = program();
    program.build();
    let mut command = &mut program;
    for word in words {
        command = command.find_subcommand_mut(word)?;
    }
    Some(command.render_long_help().to_string())
}

/// A list of the sections.
fn listed(sections: &[Section]) -> String {
    let mut text = "Sections of a configuration (kirin help SECTION):\n".to_owned();
    for section in sections {
        let _ = writeln!(text, "  {:<19} {}", section.name, section.meaning);
    }
    text
}

/// What a section means, and each of its keys with default and range.
fn of_section(section: &Section) -> String {
    let mut text = paragraph(&format!("[{}]: {}", section.name, section.meaning), 0);
    let widest = section.keys.iter().map(|key| key.name.len()).max().unwrap_or(0);
    for key in &section.keys {
        let _ = write!(text, "\n  {:<widest$}  default {}", key.name, key.default);
        text += &accepted(key).map_or_else(String::new, |accepted| format!("; {accepted}"));
    }
    text + "\n"
}

/// Everything about a key.
fn of_key(key: &Key) -> String {
    let (section, _) = key.name.rsplit_once('.').unwrap_or(("", &key.name));
    let mut text = format!("{}\n", key.name);
    text += &paragraph(&key.meaning, 2);
    for (name, meaning) in &key.names {
        text += &paragraph(&format!("{name}: {meaning}"), 4);
    }
    let _ = writeln!(text, "\n  Type     {}", key.kind);
    if key.names.is_empty() && !key.range.is_empty() {
        let _ = writeln!(text, "  Range    {}", key.range.replace('`', ""));
    }
    let _ = writeln!(text, "  Default  {}", key.default);
    let example = if key.default == "\"\"" { "…" } else { key.default.trim_matches('"') };
    let _ = writeln!(text, "  Set by   section [{section}] of the file, or --set {}={example}", key.name);
    let changes = if key.may_change { "may change" } else { "may not change" };
    let _ = writeln!(text, "  Resumed  {changes} when a run is resumed");
    text
}

/// The values that a key takes: its names or its range; `None` where every value of its type will do.
fn accepted(key: &Key) -> Option<String> {
    let names: Vec<&str> = key.names.iter().map(|(name, _)| name.as_str()).collect();
    match (names.is_empty(), key.range.is_empty()) {
        (false, _) => Some(names.join(", ")),
        (true, false) => Some(key.range.replace('`', "")),
        (true, true) => None,
    }
}

/// A paragraph without the marks of code, indented and broken into lines.
fn paragraph(text: &str, indent: usize) -> String {
    let text = text.replace('`', "");
    let words: Vec<&str> = text.split(' ').collect();
    let (first, rest) = words.split_first().unwrap_or((&"", &[]));
    let width = terminal::width().min(WIDTH);
    terminal::wrap(&format!("{:indent$}{first}", ""), rest, indent, width) + "\n"
}

/// What to say of an unknown topic.
fn unknown(topic: &str) -> String {
    let program = program();
    let commands = program.get_subcommands().map(|command| command.get_name().to_owned());
    let sections = sections();
    let keys = sections.iter().flat_map(|section| &section.keys).map(|key| key.name.clone());
    let topics: Vec<String> = commands.chain(sections.iter().map(|section| section.name.clone())).chain(keys).collect();
    // A key may be given without its section.
    let names = topics.iter().flat_map(|name| [Some(name.as_str()), name.rsplit('.').next()]).flatten();
    let hint = nearest(topic, names).map_or_else(String::new, |near| format!(" did you mean {near}?"));
    format!("no help on {topic};{hint} `kirin --help` lists the commands, `kirin help configuration` the sections")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_commands_sections_and_keys() {
        let told = |words: &[&str]| explained(words).unwrap_or_else(|| panic!("{words:?}"));
        assert!(told(&[]).contains("\nTrain:\n"), "{}", told(&[]));
        assert!(told(&["data", "export"]).contains("Usage: kirin data export "));
        let key = "search.visits\n  Visits a move. Gumbel search improves a policy even with few visits (Danihelka\n";
        assert!(told(&["search.visits"]).starts_with(key), "{}", told(&["search.visits"]));
        let facts = "\n  Type     integer\n  Range    1 to 10,000,000\n  Default  32\n  Set by   section [search] of the file, or \
                     --set search.visits=32\n  Resumed  may not change when a run is resumed\n";
        assert!(told(&["search.visits"]).ends_with(facts), "{}", told(&["search.visits"]));
        let both = told(&["visits"]);
        assert!(both.contains("search.visits\n") && both.contains("\nevaluation.visits\n"), "{both}");
        let section = told(&["training.loss"]);
        assert!(section.contains("\n  training.loss.value") && section.contains("default 0.5; 0 to 10\n"), "{section}");
        assert!(told(&["search"]).contains("default \"gumbel\"; gumbel, puct\n"), "{}", told(&["search"]));
        for section in sections() {
            assert!(told(&["configuration"]).contains(&format!("  {} ", section.name)));
            for key in &section.keys {
                assert!(told(&[&key.name]).starts_with(&key.name));
            }
        }
    }

    #[test]
    fn an_unknown_topic_suggests_the_nearest() {
        for (topic, near) in [
            ("serch.visits", "search.visits"),
            ("vists", "visits"),
            ("opening", "openings"),
            ("trainig", "training"),
            ("data exprot", "data"),
        ] {
            let words: Vec<&str> = topic.split(' ').collect();
            assert_eq!(explained(&words), None);
            let told = unknown(topic);
            assert!(told.starts_with(&format!("no help on {topic}; did you mean {near}?")), "{told}");
        }
        let told = unknown("qqq");
        assert!(told.starts_with("no help on qqq; `kirin --help` lists"), "{told}");
    }
}
