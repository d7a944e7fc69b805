//! The words of the documentation, the help and the comments of configurations: none of docs/words.txt, and no misspelt one.

use super::{Page, files, root};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use testkit::oracle;

/// The words to avoid, each with the usual one.
fn avoided() -> Vec<(String, String)> {
    let list = std::fs::read_to_string(root().join("docs/words.txt")).expect("docs/words.txt");
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').expect("a tab")).map(|(a, b)| (a.to_lowercase(), b.to_owned())).collect()
}

/// All texts, each with its place.
fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for path in files(".md") {
        for (line, text) in Page::read(&path).text {
            texts.push((format!("{}:{line}", path.display()), text));
        }
    }
    let read = |path| std::fs::read_to_string(root().join(path)).expect("a text");
    for path in files(".txt").into_iter().filter(|path| path.starts_with("cli/tests/help")) {
        texts.push((path.display().to_string(), read(path)));
    }
    for path in files(".toml").into_iter().filter(|path| path.starts_with("configs")) {
        let place = path.display().to_string();
        let text = read(path);
        let comments = text.lines().filter_map(|line| line.split_once('#').map(|(_, comment)| comment));
        texts.push((place, comments.collect::<Vec<_>>().join(" ")));
    }
    texts
}

/// Whether a phrase is in a text, as whole words.
fn has(text: &str, phrase: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(is_inside) && !after.is_some_and(is_inside)
    })
}

#[test]
fn no_text_has_words_that_have_a_usual_one() {
    let (avoided, texts) = (avoided(), texts());
    assert!(avoided.len() > 20 && texts.len() > 500, "{} words, {} texts", avoided.len(), texts.len());
    let mut found = Vec::new();
    for (place, text) in texts {
        let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        for (word, usual) in avoided.iter().filter(|(word, _)| has(&text, word)) {
            found.push(format!("{place}: {word:?}; write: {usual}"));
        }
    }
    assert!(found.is_empty(), "{} places (docs/words.txt):\n{}", found.len(), found.join("\n"));
    assert!(has("a mover, too", "mover") && !has("removers", "mover") && !has("self-mover", "mover"));
}

/// Words that codespell takes for misspelt or American ones: a computer's program, names of options and tools, "to and fro".
const KNOWN: &str = "program,programs,normalized,sanitizer,fro";

/// codespell has the American form of British words: `colour->color`. The same list the other way round: `color->colour`.
fn british(packages: &Path) -> String {
    let list = packages.join("codespell_lib/data/dictionary_en-GB_to_en-US.txt");
    let list = std::fs::read_to_string(list).expect("codespell's list of British words");
    let words = list.lines().filter_map(|line| line.split_once("->"));
    let pairs = words.flat_map(|(british, american)| american.split(',').map(move |word| (word.trim(), british)));
    let lines: String = pairs.filter(|(word, _)| !word.is_empty()).map(|(a, b)| format!("{a}->{b}\n")).collect();
    assert!(lines.lines().count() > 300, "{lines}");
    lines
}

#[test]
fn no_word_is_misspelt_and_the_spelling_is_british() {
    let list = include_str!("requirements.txt");
    let Some(packages) = oracle::packages("codespell", list, "codespell is missing (scripts/oracles)") else { return };
    let mut dictionary = tempfile::NamedTempFile::new().expect("a file");
    dictionary.write_all(british(&packages).as_bytes()).expect("written");
    let mut python = Command::new("python3");
    python.args(["-m", "codespell_lib", "--ignore-words-list", KNOWN, "-D", "-", "-D"]).arg(dictionary.path());
    python.arg("-").env("PYTHONPATH", &packages);
    let mut child = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3");
    let texts: String =
        texts().into_iter().map(|(place, text)| format!("{place}: {}\n", text.replace('\n', " "))).collect();
    let mut input = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(texts.as_bytes()));
    let output = child.wait_with_output().expect("codespell");
    writer.join().expect("no panic").expect("written");
    assert!(output.stdout.is_empty() && output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
