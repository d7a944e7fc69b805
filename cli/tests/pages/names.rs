//! What pages name exists: files, tests, targets of the Makefile, examples and benches of packages. Other names, such
//! as those of types and keys, are not looked up.

use super::{Page, files, root};
use std::path::{Path, PathBuf};

/// Parts of a name that stand for something of the reader's.
const STANDS_FOR_SOMETHING: &[&str] = &["ID", "VARIANT"];

/// Files that are no files of the repository: of a folder that a page makes, one that several packages have, and one of
/// another project.
const ELSEWHERE: &[&str] = &["first-slurm/submit.sh", "first-slurm/config.toml", "tests/main.rs", "docs/rules.md"];

/// Kinds of files that pages name by their paths.
const ENDINGS: &[&str] = &["rs", "py", "sh", "js", "toml", "json", "txt", "ini", "md", "ipynb"];

/// The file of this path from the root or from the folder of a page.
fn found(path: &str, page: &Path) -> Option<PathBuf> {
    let folders = [Path::new(""), page.parent().unwrap_or(Path::new(""))];
    folders.into_iter().map(|folder| root().join(folder).join(path)).find(|path| path.exists())
}

/// Whether a word is the path of a file or a script of the repository.
fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let is_ours = !["/", "target/", "runs/"].iter().any(|start| word.starts_with(start)) && !ELSEWHERE.contains(&word);
    let stands = word.split(['/', '-', '.']).any(|part| STANDS_FOR_SOMETHING.contains(&part));
    let ending = word.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_file = word.contains('/') && ENDINGS.contains(&ending);
    plain && is_ours && !stands && (is_file || word.starts_with("scripts/") || word.starts_with("dev/"))
}

/// The target that a call of `cargo` names, as its package, the folder that holds such targets, and its name.
fn target<'a>(words: &[&'a str]) -> Option<(&'a str, &'static str, &'a str)> {
    let after = |option: &str| words.iter().skip_while(|word| **word != option).nth(1).copied();
    let kinds = [("--example", "examples"), ("--bench", "benches"), ("--test", "tests")];
    let package = after("-p").filter(|_| words.contains(&"cargo"))?;
    kinds.into_iter().find_map(|(option, folder)| Some((package, folder, after(option)?)))
}

fn has_target(package: &str, folder: &str, name: &str) -> bool {
    let packages = [root().join(package), root().join("dev").join(package)];
    let Some(package) = packages.into_iter().find(|package| package.join("Cargo.toml").exists()) else { return false };
    let manifest = std::fs::read_to_string(package.join("Cargo.toml")).expect("a manifest");
    let is_file = |ending| package.join(folder).join(format!("{name}{ending}")).exists();
    is_file(".rs") || is_file("/main.rs") || manifest.contains(&format!("name = \"{name}\""))
}

/// What a piece of code names that does not exist, and how many names it has.
fn missing(code: &str, page: &Path, makefile: &str) -> (usize, Vec<String>) {
    let words: Vec<&str> =
        code.split_whitespace().map(|word| word.trim_matches(['"', '\'', ',', ';', '(', ')'])).collect();
    // `file.rs: name` is a test.
    if let [file, name] = words.as_slice()
        && let Some(file) = file.strip_suffix(':').filter(|file| file.ends_with(".rs"))
    {
        let source = found(file, page).and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let is_there = source.contains(&format!("fn {name}("));
        return (1, if is_there { Vec::new() } else { vec![code.to_owned()] });
    }
    let mut named: Vec<(bool, String)> = words
        .iter()
        .filter(|word| is_path(word))
        .map(|word| (found(word, page).is_some(), (*word).to_owned()))
        .collect();
    if let ["make", target] = words.as_slice() {
        named.push((makefile.contains(&format!("\n{target}:")), code.to_owned()));
    }
    if let Some((package, folder, name)) = target(&words) {
        named.push((has_target(package, folder, name), code.to_owned()));
    }
    (named.len(), named.into_iter().filter(|(is_there, _)| !is_there).map(|(_, name)| name).collect())
}

#[test]
fn what_pages_name_exists() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).expect("the Makefile");
    let (mut names, mut wrong) = (0, Vec::new());
    for path in files(".md") {
        let page = Page::read(&path);
        for (line, code) in page.code.into_iter().chain(page.commands) {
            let (count, missing) = missing(&code, &path, &makefile);
            names += count;
            wrong.extend(missing.into_iter().map(|name| format!("{}:{line}: {name}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{} names of nothing:\n{}", wrong.len(), wrong.join("\n"));
    assert!(names > 250, "only {names} names");
}

#[test]
fn a_name_of_nothing_is_found() {
    let missing = |code| missing(code, Path::new("rules/README.md"), "\nbuild:\n").1;
    for fine in [
        "scripts/result RUN",
        "src/lib.rs",
        "configs/ID-smoke.toml",
        "make build",
        "cargo run --release -p selfplay --example memory",
        "cargo bench -p peers --bench side_by_side",
        "tests/dependency_table.rs: every_member_is_in_the_table",
    ] {
        assert!(missing(fine).is_empty(), "{fine}: {:?}", missing(fine));
    }
    for wrong in [
        "scripts/results",
        "src/nothing.rs",
        "make it",
        "cargo run --release -p selfplay --example nothing",
        "cargo bench -p nobody --bench side_by_side",
        "tests/dependency_table.rs: nothing",
    ] {
        assert_eq!(missing(wrong).len(), 1, "{wrong}");
    }
}
