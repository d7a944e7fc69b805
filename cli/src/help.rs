//! The help of the program: its commands in groups.

#[cfg(test)]
mod pages;
#[cfg(test)]
mod tests;

use crate::{Arguments, GROUPS};
use clap::builder::Styles;
use clap::{Command, CommandFactory};
use std::fmt::Write;

/// What follows the lists of commands and options.
pub const AFTER: &str = "Example: kirin run configs/wangqi-smoke.toml";

/// The command line of the program. clap lists subcommands in one list, so the groups are part of the template.
pub fn program() -> Command {
    let program = Arguments::command();
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
        "{header}Options:{header:#}\n  {literal}-h, --help{literal:#}     Print help\n  \
         {literal}-V, --version{literal:#}  Print version"
    );
    program.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}\n{options}{{after-help}}"))
}
