//! The help of every command, compared with a file for each in `cli/tests/help`. Where an argument takes any variant, the
//! file says `every variant` in place of their names.
//!
//! After a change: `UPDATE_EXPECT=1 cargo test --release -p cli --bin kirin help` writes the files again.

use super::program;
use clap::{Arg, Command};
use expect_test::expect_file;
use rules::VariantId;
use std::collections::BTreeSet;
use std::path::PathBuf;
use unicode_width::UnicodeWidthStr;

/// Columns of the recorded help.
const WIDTH: usize = 80;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/help")
}

/// Whether an argument takes the name of any variant.
fn takes_every_variant(argument: &Arg) -> bool {
    let values = argument.get_possible_values();
    values.iter().map(|value| value.get_name()).eq(VariantId::ALL.iter().map(|id| id.id()))
}

/// Lines of a terminal that shows the whole help of the program.
const HEIGHT: usize = 40;

/// A command whose help, and that of all commands below it, names no variant among the possible values.
fn without_variants(command: Command) -> Command {
    let shortened = |argument: Arg| match takes_every_variant(&argument) {
        true => argument.value_parser(["every variant"]),
        false => argument,
    };
    command.mut_args(shortened).mut_subcommands(without_variants)
}

/// Compares the help of a command and of all commands below it, and collects the names of their files.
fn compare(command: &mut Command, name: &str, files: &mut BTreeSet<String>) {
    let help = command.render_long_help().to_string();
    let help: String = help.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    for line in help.lines() {
        assert!(line.width() <= WIDTH, "kirin {name}: {line}");
    }
    let example = help.split("\nExample:").nth(1).unwrap_or_else(|| panic!("kirin {name} has no example"));
    let example = example.replace("\\\n", " ");
    let words = shlex::split(&example).unwrap_or_else(|| panic!("{example}"));
    assert!(words[0] == "kirin", "{example}");
    let read = program().try_get_matches_from(&words);
    assert!(read.is_ok(), "{example}: {read:?}");
    let own = name.replace('-', " ");
    assert!(name == "kirin" || example.trim().starts_with(&format!("kirin {own}")), "kirin {own}: {example}");
    assert!(!help.contains("[default: ]") && !help.contains("[default: \"\"]"), "{help}");
    let file = format!("{name}.txt");
    expect_file![folder().join(&file)].assert_eq(&help);
    files.insert(file);
    for inner in command.get_subcommands_mut().filter(|inner| name == "kirin" || inner.get_name() != "help") {
        let inner_name =
            if name == "kirin" { inner.get_name().to_owned() } else { format!("{name}-{}", inner.get_name()) };
        compare(inner, &inner_name, files);
    }
}

#[test]
fn the_help_of_every_command_is_as_recorded() {
    let mut command = without_variants(program().term_width(WIDTH));
    command.build();
    let mut files = BTreeSet::new();
    compare(&mut command, "kirin", &mut files);
    let recorded = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(recorded.collect::<BTreeSet<_>>(), files, "files of commands that are no more");
}

#[test]
fn the_help_of_the_program_fits_one_screen_and_lists_every_command_once() {
    let help = program().term_width(WIDTH).render_long_help().to_string();
    assert!(help.lines().count() <= HEIGHT, "{help}");
    for command in program().get_subcommands() {
        let begin = format!("  {} ", command.get_name());
        assert_eq!(help.lines().filter(|line| line.starts_with(&begin)).count(), 1, "{begin}in\n{help}");
    }
}

#[test]
fn the_definitions_of_the_arguments_are_consistent() {
    program().debug_assert();
}
