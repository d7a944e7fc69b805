//! The words of the documentation, the help and the comments of configurations: none of docs/words.txt, and no misspelt
//! one. The same holds for comments, messages and other texts of the Rust sources.

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

/// The comments and the texts in quotes of a Rust source, each with its line; comments on neighbouring lines are one.
/// Code in comments and what braces in texts stand for are left out.
fn rust_texts(source: &str) -> Vec<(usize, String)> {
    let mut texts: Vec<(usize, String)> = Vec::new();
    let (mut at, mut line, mut comment_line) = (0, 1, 0);
    while let Some(found) = source[at..].find(['/', '"', '\'']) {
        line += source[at..at + found].matches('\n').count();
        at += found;
        let rest = &source[at..];
        let length = if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            let comment = format!("{} ", rest[..length].trim_start_matches(['/', '!']));
            match texts.last_mut().filter(|_| comment_line + 1 == line) {
                Some((_, text)) => text.push_str(&comment),
                None => texts.push((line, comment)),
            }
            comment_line = line;
            length
        } else if rest.starts_with('"') {
            let hashes = source[..at].len() - source[..at].trim_end_matches('#').len();
            let is_raw = source[..at - hashes].ends_with('r');
            let end = if is_raw { format!("\"{}", "#".repeat(hashes)) } else { "\"".to_owned() };
            let mut length = 1;
            while !rest[length..].starts_with(&end) {
                assert!(length < rest.len(), "a text without an end in line {line}");
                let escapes = usize::from(!is_raw && rest[length..].starts_with('\\'));
                length += rest[length..].chars().take(1 + escapes).map(char::len_utf8).sum::<usize>();
            }
            texts.push((line, rest[1..length].replace("\\n", " ").replace("\\\n", " ")));
            comment_line = 0;
            length + end.len()
        } else {
            // A character, or the name of a lifetime.
            let mut characters = rest.chars().skip(1);
            match (characters.next(), characters.next()) {
                (Some('\\'), Some(escaped)) => {
                    let before = 2 + escaped.len_utf8();
                    before + rest[before..].find('\'').map_or(0, |end| end + 1)
                }
                (Some(character), Some('\'')) => 2 + character.len_utf8(),
                _ => 1,
            }
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    for (_, text) in &mut texts {
        for (open, close) in [('`', '`'), ('{', '}')] {
            *text = without(text, open, close);
        }
    }
    texts
}

/// A text without what is between such signs.
fn without(text: &str, open: char, close: char) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(open) {
        let Some((_, after)) = inside.split_once(close) else { break };
        kept = kept + before + &open.to_string();
        rest = after;
    }
    kept + rest
}

/// The texts of the Rust sources of all packages.
fn sources() -> Vec<(String, String)> {
    let is_source = |path: &Path| path.components().any(|part| part.as_os_str() == "src");
    let mut texts = Vec::new();
    for path in files(".rs").into_iter().filter(|path| is_source(path)) {
        let source = std::fs::read_to_string(root().join(&path)).expect("a source");
        texts.extend(rust_texts(&source).into_iter().map(|(line, text)| (format!("{}:{line}", path.display()), text)));
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
    let (avoided, texts, sources) = (avoided(), texts(), sources());
    assert!(avoided.len() > 40 && texts.len() > 500, "{} words, {} texts", avoided.len(), texts.len());
    assert!(sources.len() > 10_000, "{} texts of sources", sources.len());
    let mut found = Vec::new();
    for (place, text) in texts.into_iter().chain(sources) {
        let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        for (word, usual) in avoided.iter().filter(|(word, _)| has(&text, word)) {
            found.push(format!("{place}: {word:?}; write: {usual}"));
        }
    }
    assert!(found.is_empty(), "{} places (docs/words.txt):\n{}", found.len(), found.join("\n"));
    let source = r##"/// A `b`
/// c.
fn d<'e>() { f('\'', '"', "g \
 h {i}", r#"j"k"#); } // l"##;
    let found: Vec<(usize, String)> = rust_texts(source);
    let found: Vec<(usize, &str)> = found.iter().map(|(line, text)| (*line, text.trim())).collect();
    assert_eq!(found, [(1, "A `  c."), (3, "g   h {"), (4, "j\"k"), (4, "l")]);
    assert!(has("a mover, too", "mover") && !has("removers", "mover") && !has("self-mover", "mover"));
}

/// Words that codespell takes for misspelt or American ones: a computer's program, names of options, tools, tags,
/// people and types, "to and fro", and typing errors that tests make.
const KNOWN: &str = "program,programs,normalized,sanitizer,acn,gray,meter,fro,serch,vists,trainig,exprot,whithin";

/// codespell has the American form of British words: `colour->color`. The same list the other way round:
/// `color->colour`.
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
    let texts = texts().into_iter().chain(sources());
    let texts: String = texts.map(|(place, text)| format!("{place}: {}\n", text.replace('\n', " "))).collect();
    let mut input = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(texts.as_bytes()));
    let output = child.wait_with_output().expect("codespell");
    writer.join().expect("no panic").expect("written");
    assert!(output.stdout.is_empty() && output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
