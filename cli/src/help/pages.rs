//! Pages of the reference that are made from the definitions of commands and configuration keys, and the command lines of all
//! pages and of the Python package.
//!
//! After a change: `UPDATE_EXPECT=1 cargo test --release -p cli --bin kirin help` writes the pages again.

use super::program;
use crate::GROUPS;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use expect_test::expect_file;
use lab::{ConfigSource, Key, sections};
use pulldown_cmark::{Event, Parser};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The folder of the repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The line below the heading of a page that is made by a test.
const MADE: &str = "<!-- Written by `UPDATE_EXPECT=1 cargo test --release -p cli --bin kirin help`. -->\n";

const COMMANDS: &str = "\
Every command of `kirin`, with its options. This page is for those who know what they want to do and look up how to say it.
`kirin help COMMAND` prints the same.
";

const CONFIGURATION: &str = "\
Every key of a configuration: its meaning, type, range and default. This page is for those who write or change a
configuration. `kirin help KEY` prints the same, for example `kirin help search.visits`.

A configuration is a TOML file with the sections below. A key that is not written has its default, and only `run.variant` has
none. `--set KEY=VALUE` sets a key on the command line, for example `--set search.visits=64`; `kirin run` has `--budget` and
`--generations` for the length of a run. The whole configuration is checked before anything begins: unknown keys, wrong types,
values out of range and contradictions are reported together. The folder of a run keeps the complete configuration with every
`auto` replaced by what was chosen (`config.toml`).

A run that is resumed keeps its settings, and another value of a key is refused by name. The exceptions are the keys marked
*may change on resume*: the games and networks of the run do not depend on them, or they only say how long the run is.

Keys that earlier versions had are accepted with the value that is now fixed, and refused with any other.
";

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// A Markdown item of an argument.
fn item(argument: &Arg) -> String {
    let names: Vec<String> = argument.get_value_names().into_iter().flatten().map(ToString::to_string).collect();
    let value = if argument.get_action().takes_values() { names.join(" ") } else { String::new() };
    let mut usage = match (argument.get_long(), value.as_str()) {
        (Some(long), "") => format!("--{long}"),
        (Some(long), value) => format!("--{long} <{value}>"),
        (None, value) => format!("<{value}>"),
    };
    if argument.is_positional() && matches!(argument.get_action(), ArgAction::Append) {
        usage += "…";
    }
    let mut text = format!("- `{usage}`");
    let help = argument.get_long_help().or(argument.get_help());
    if let Some(help) = help.map(ToString::to_string).filter(|help| !help.is_empty()) {
        let end = if help.ends_with(['.', '?', '!']) { "" } else { "." };
        let _ = write!(text, ": {}{end}", help.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let values = argument.get_possible_values();
    if !values.is_empty() && argument.get_action().takes_values() {
        let names: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
        let _ = write!(text, " One of {}.", names.join(", "));
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !defaults.is_empty() && !argument.is_hide_default_value_set() && argument.get_action().takes_values() {
        let _ = write!(text, " Default: {}.", defaults.join(", "));
    }
    text + "\n"
}

/// The part of the page on a command and those below it.
fn of_command(command: &mut Command, name: &str, level: usize) -> String {
    let mut text = format!("\n{} {name}\n\n", "#".repeat(level));
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    text += about.trim_end();
    let end = if about.trim_end().ends_with(['.', ')']) { "" } else { "." };
    let usage = command.render_usage().to_string().replace("Usage: ", "");
    let _ = write!(text, "{end}\n\n```text\n{}\n```\n", usage.trim());
    let example = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some(example) = example.strip_prefix("Example:\n") {
        let _ = write!(text, "\nExample:\n\n```text\n{}\n```\n", example.replace("\n  ", "\n").trim());
    }
    let items: Vec<String> = command.get_arguments().filter(|argument| argument.get_id() != "help").map(item).collect();
    if !items.is_empty() {
        let _ = write!(text, "\n{}", items.concat());
    }
    for inner in command.get_subcommands_mut().filter(|inner| inner.get_name() != "help") {
        let inner_name = format!("{name} {}", inner.get_name());
        text += &of_command(inner, &inner_name, level + 1);
    }
    text
}

/// The page of the commands.
fn commands() -> String {
    // Usage on one line, however long.
    let mut program = program().term_width(usize::MAX);
    program.build();
    let mut page = format!("# Commands\n\n{MADE}\n{COMMANDS}\n");
    let mut parts = String::new();
    for (group, names) in GROUPS {
        let mut links = Vec::new();
        for name in *names {
            let command = program.find_subcommand_mut(name).expect("a command");
            let heading = format!("kirin {name}");
            links.push(format!("[{name}](#{})", anchor(&heading)));
            parts += &of_command(command, &heading, 2);
        }
        let _ = writeln!(page, "- {group}: {}", links.join(", "));
    }
    page + &parts
}

/// The part of the page on a key.
fn of_key(key: &Key) -> String {
    let mut text = format!("\n### {}\n\n{}\n", key.name, key.meaning);
    for (number, (name, meaning)) in key.names.iter().enumerate() {
        let _ = writeln!(text, "{}- `{name}`: {meaning}", if number == 0 { "\n" } else { "" });
    }
    let range = if key.names.is_empty() && !key.range.is_empty() { format!(", {}", key.range) } else { String::new() };
    let _ = write!(text, "\nType: {}{range}. Default: `{}`.", key.kind, key.default);
    text + if key.may_change { " *May change on resume.*\n" } else { "\n" }
}

/// The page of the configuration.
fn configuration() -> String {
    let mut page = format!("# Configuration\n\n{MADE}\n{CONFIGURATION}\n");
    let mut parts = String::new();
    for section in sections() {
        let heading = format!("[{}]", section.name);
        let _ = writeln!(page, "- [`{heading}`](#{}): {}", anchor(&heading), section.meaning);
        let _ = write!(parts, "\n## {heading}\n\n{}\n", section.meaning);
        parts.extend(section.keys.iter().map(of_key));
    }
    page + &parts
}

#[test]
fn the_page_of_commands_is_current() {
    expect_file![root().join("docs/reference/commands.md")].assert_eq(&commands());
}

#[test]
fn the_page_of_the_configuration_is_current() {
    expect_file![root().join("docs/reference/configuration.md")].assert_eq(&configuration());
}

/// The files below a folder whose names end so, build results and what git ignores aside.
fn files_below(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        let name = entry.file_name().into_string().unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && !["target", "runs", "node_modules"].contains(&name.as_str()) {
            files_below(&path, endings, found);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// The command lines of the blocks in `sh`, `console` and `bash` of a page, each on one line.
fn lines(page: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut block = None;
    for line in page.lines() {
        let line = line.trim_start();
        if let Some(language) = line.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(language) };
            continue;
        }
        let Some("sh" | "console" | "bash") = block else { continue };
        match lines.last_mut().filter(|last| last.ends_with('\\')) {
            Some(last) => {
                last.pop();
                last.push_str(line);
            }
            None => lines.push(line.strip_prefix("$ ").unwrap_or(line).to_owned()),
        }
    }
    lines
}

/// The code within the sentences of a page: `kirin run`.
fn spans(page: &str) -> Vec<String> {
    let codes = Parser::new(page).filter_map(|event| if let Event::Code(code) = event { Some(code) } else { None });
    codes.map(|code| code.to_string()).collect()
}

/// The code that names `kirin` within the comments, docstrings and messages of a source text, each of which may continue
/// in the next line.
fn spans_of_source(source: &str) -> Vec<String> {
    let marks = |c: char| "/!#".contains(c) || c.is_whitespace();
    let lines = source.lines().map(|line| line.trim_start_matches(marks).trim_end_matches('\\').trim_end());
    let text = lines.collect::<Vec<_>>().join(" ");
    text.split('`').filter(|code| code.starts_with("kirin ")).map(str::to_owned).collect()
}

/// The call of `kirin` in a line, if it has one, as its words.
fn call(line: &str) -> Option<Vec<String>> {
    let words = shlex::split(line)?;
    let first = words.iter().position(|word| word == "kirin" || word.ends_with("/kirin"))?;
    let is_run_by = |word: &str| ["perf", "taskset"].contains(&word);
    let begins =
        first == 0 || [";", "&&", "|", "exec", "time"].contains(&words[first - 1].as_str()) || is_run_by(&words[0]);
    let ends =
        |word: &String| ["|", ">", ">>", "&&", "||", ";", "&"].contains(&word.as_str()) || word.starts_with("2>");
    // `--csv|--json` means either.
    let either = |word: &String| word.split_once("|--").map_or_else(|| word.clone(), |(one, _)| one.to_owned());
    begins.then(|| words[first..].iter().take_while(|word| !ends(word)).map(either).collect())
}

/// Whether a word stands for something of the reader's: `FILE`, `NETWORK`, `…`.
fn stands_for_something(text: &str) -> bool {
    text.contains('…') || (!text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase() || "_-".contains(c)))
}

/// The settings of the runs that a call makes: what follows `--set`, with each of the values that follow `--vary`.
fn settings(words: &[String]) -> Vec<Vec<String>> {
    let mut settings = vec![Vec::new()];
    for pair in words.windows(2) {
        let Some((key, values)) = pair[1].split_once('=').filter(|(_, value)| !stands_for_something(value)) else {
            continue;
        };
        match pair[0].as_str() {
            "--set" => settings.iter_mut().for_each(|run| run.push(pair[1].clone())),
            "--vary" => {
                let with = |value: &str| [settings[0].as_slice(), &[format!("{key}={value}")]].concat();
                settings = values.split(',').map(with).collect();
            }
            _ => {}
        }
    }
    settings
}

/// The configuration in `configs` that a call names, or the one that newcomers copy.
fn config(words: &[String]) -> PathBuf {
    let named = words.iter().find(|word| word.starts_with("configs/") && root().join(word).exists());
    root().join(named.map_or("configs/wangqi-smoke.toml", |word| word.as_str()))
}

/// Why this call, which is part of a sentence or a line of a block, is none of this program.
fn problem(words: &[String], in_sentence: bool) -> Option<String> {
    for settings in settings(words).iter().filter(|settings| !settings.is_empty()) {
        if let Err(error) = ConfigSource::File(config(words)).load(settings) {
            return Some(error.to_string());
        }
    }
    let error = program().try_get_matches_from(words).err()?;
    let last_has_no_value = words.last().is_some_and(|word| word.starts_with("--"));
    let is_fine = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::ValueValidation => words.iter().any(|word| stands_for_something(word)),
        ErrorKind::InvalidValue => {
            words.iter().any(|word| stands_for_something(word)) || (in_sentence && last_has_no_value)
        }
        // A sentence names a command or an option without the rest.
        ErrorKind::MissingRequiredArgument | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => in_sentence,
        _ => false,
    };
    (!is_fine).then(|| error.to_string())
}

#[test]
fn every_call_of_kirin_in_a_page_is_understood() {
    let mut files = Vec::new();
    files_below(&root(), &[".md"], &mut files);
    let (mut in_blocks, mut in_sentences, mut wrong) = (0, 0, String::new());
    for file in files {
        let page = std::fs::read_to_string(&file).expect("a page");
        // The changelog names commands that are gone.
        let spans = if file.ends_with("CHANGELOG.md") { Vec::new() } else { spans(&page) };
        let lines = lines(&page).into_iter().map(|line| (line, false));
        for (line, in_sentence) in lines.chain(spans.into_iter().map(|span| (span, true))) {
            let Some(mut words) = call(&line) else { continue };
            words.retain(|word| !in_sentence || word != "…");
            *(if in_sentence { &mut in_sentences } else { &mut in_blocks }) += 1;
            if let Some(problem) = problem(&words, in_sentence) {
                let _ = writeln!(wrong, "{}: {line}\n{problem}", file.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(in_blocks > 60 && in_sentences > 100, "{in_blocks}, {in_sentences}");
}

#[test]
fn every_call_of_kirin_in_the_python_package_is_understood() {
    let (mut files, mut calls, mut wrong) = (Vec::new(), 0, String::new());
    for folder in ["python/kirin", "python/src"] {
        files_below(&root().join(folder), &[".py", ".pyi", ".rs"], &mut files);
    }
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a source");
        for words in spans_of_source(&source).iter().filter_map(|span| call(span)) {
            calls += 1;
            if let Some(problem) = problem(&words, true) {
                let _ = writeln!(wrong, "{}: {}\n{problem}", file.display(), words.join(" "));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(calls > 5, "only {calls} calls");
}

#[test]
fn a_call_that_the_program_does_not_know_is_found() {
    let problem = |line: &str, in_sentence| problem(&call(line).expect("a call"), in_sentence);
    assert_eq!(problem("perf stat kirin run CONFIG --dry-run", true), None);
    assert_eq!(problem("kirin play --level", true), None);
    assert_eq!(problem("kirin run configs/shogi-laptop.toml --set search.visits=32", false), None);
    assert!(problem("kirin play --level", false).is_some());
    assert!(problem("kirin eval ratings", true).is_some());
    assert!(problem("kirin run a.toml --sat b=c", true).is_some());
    assert!(problem("kirin run a.toml --set search.visitors=32", false).is_some());
    assert!(problem("kirin ablate a.toml --vary search.visits=16,none", true).is_some());
    assert_eq!(spans("`kirin\nrun` x\n\n```sh\nkirin\n```\n"), ["kirin run"]);
    let source =
        "/// As `kirin eval\n/// ratings` has it.\nfn f() {\n    raise(\"give `x` to `kirin \\\n        run`\")\n";
    assert_eq!(spans_of_source(source), ["kirin eval ratings", "kirin run"]);
}
