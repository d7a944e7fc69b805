//! The help of the program: its commands in groups.

#[cfg(test)]
mod pages;
#[cfg(test)]
mod tests;

use crate::{Arguments, GROUPS};
use clap::builder::Styles;
use clap::{Command, CommandFactory};
use std::fmt::Write;

/// An example of each command. The first example below a command is also its own.
const EXAMPLES: &str = include_str!("help/examples.txt");

/// The command line of the program. clap lists subcommands in one list, so the groups are part of the template.
pub fn program() -> Command {
    let program = with_example(Arguments::command(), "");
    let header = *Styles::styled().get_header();
    let literal = *Styles::styled().get_literal();
    let mut groups = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(groups, "{header}{group}:{header:#}");
        for name in *names {
            let about = program.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let _ = writeln!(groups, "  {literal}{name:<9}{literal:#} {}", about.unwrap_or_default());
        }
    }
    let options = format!(
        "{header}Options:{header:#} {literal}-h, --help{literal:#}  Print help; \
         {literal}-V, --version{literal:#}  Print version"
    );
    let example = EXAMPLES.lines().next().unwrap_or_default();
    program
        .help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}\n{options}\nExample: {example}"))
}

/// A command and those below it, each with its example after its help. `name` is without the program's.
fn with_example(command: Command, name: &str) -> Command {
    let mut examples = EXAMPLES.split("kirin ").map(str::trim_end);
    let is_own = |rest: &str| rest.starts_with(' ') || (rest.is_empty() && !name.is_empty());
    let example = examples.find(|example| example.strip_prefix(name).is_some_and(is_own));
    let text = example.map(|example| format!("Example:\n  kirin {}", example.replace('\n', "\n  ")));
    command.after_help(text.unwrap_or_default()).mut_subcommands(|inner| {
        let inner_name = format!("{name} {}", inner.get_name());
        with_example(inner, inner_name.trim_start())
    })
}
