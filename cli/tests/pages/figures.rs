//! Figures that pages repeat are those of their source: the strength of the bundled networks in docs/results/*.json,
//! the ladders in the program, speeds in docs/results/speed.md.

use super::{Page, files, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The variants by their names in tables.
const VARIANTS: [(&str, &str); 6] = [
    ("王棋", "wangqi"),
    ("Wangqi", "wangqi"),
    ("Janggi", "janggi"),
    ("Xiangqi", "xiangqi"),
    ("Shogi", "shogi"),
    ("Kō shogi", "koshogi"),
];

/// The variant of this name.
fn variant(name: &str) -> Option<&'static str> {
    VARIANTS.iter().find(|(known, _)| *known == name).map(|(_, id)| *id)
}

/// The results that a row of a table is about: those of the network of its variant, or of the variant's run of a stated
/// time: the only one, or that with the seed that the row names.
fn results(header: &[String], row: &[String]) -> Option<Value> {
    let has = |column: &str| header.iter().any(|name| name == column);
    let (name, seed) = row[0].split_once(", seed ").unwrap_or((&row[0], ""));
    let file = variant(name.split(" (").next().unwrap_or_default()).filter(|_| has("greedy") || has("half time"))?;
    let text = std::fs::read_to_string(root().join(format!("docs/results/{file}.json"))).expect("the results");
    let results: Value = serde_json::from_str(&text).expect("JSON");
    if has("greedy") {
        return Some(results);
    }
    let runs = results["hour"].as_array()?;
    let run = runs
        .iter()
        .find(|run| if seed.is_empty() { runs.len() == 1 } else { run["run"]["seed"].as_u64() == seed.parse().ok() });
    Some(run.unwrap_or_else(|| panic!("{}: which of {} runs", row[0], runs.len())).clone())
}

/// The opponent that a column or a cell names, as results have it.
fn opponent(name: &str) -> Option<String> {
    let nodes = name.replace("Fairy-Stockfish,", "").replace(',', "");
    let nodes = nodes.trim().trim_end_matches(" nodes");
    match name {
        "greedy" | "half time" => Some(name.to_owned()),
        "run before" => Some("before".to_owned()),
        "network bundled before" => Some("published".to_owned()),
        _ if name.starts_with("mcts:") => name.split(',').next().map(str::to_owned),
        _ => nodes.parse::<u32>().ok().map(|nodes| format!("fairy-stockfish {nodes} nodes")),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// `60.8 % (53.6 to 67.9)`, with the rounding that a page has: results have one digit more, which may have been rounded too.
fn score(result: &Value, said: &str) -> String {
    let mut said = said.split([' ', '(', ')']).filter_map(|word| word.parse::<f64>().ok());
    let mut percent = |value: &Value| {
        let percent = 100.0 * number(value);
        let close = said.next().filter(|said| (said - percent).abs() < 0.0501);
        let percent = format!("{:.1}", close.unwrap_or(percent));
        if percent == "100.0" { "100".to_owned() } else { percent }
    };
    let interval = &result["interval"];
    let [score, low, high] = [&result["score"], &interval[0], &interval[1]].map(&mut percent);
    format!("{score} % ({low} to {high})")
}

/// `3,167 Elo, 314 ± 116 above the network bundled before`, or above a level.
fn place(place: &Value) -> String {
    let (elo, above, error) = (number(&place["elo"]), number(&place["above"]), number(&place["above_error"]));
    let side = if above < 0.0 { "below" } else { "above" };
    let neighbour = place["neighbour"].as_str().filter(|name| name.starts_with("level "));
    let neighbour = neighbour.unwrap_or("the network bundled before");
    format!("{} Elo, {:.0} ± {error:.0} {side} {neighbour}", grouped(elo), above.abs())
}

/// A whole number with a comma before each three digits.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<String> =
        digits.as_bytes().rchunks(3).rev().map(|g| String::from_utf8_lossy(g).into_owned()).collect();
    groups.join(",")
}

/// The minutes of all runs that a cell adds up: `20.7 + 38 on 2 cores`.
fn minutes(cell: &str) -> String {
    let cell = cell.split(" on ").next().unwrap_or_default();
    let all: f64 = cell.split([' ', ',']).filter_map(|word| word.parse::<f64>().ok()).sum();
    format!("{all:.1}")
}

/// What a cell says, and what the results say of it; `None` where they say nothing.
fn both(column: &str, cell: &str, results: &Value) -> Option<(String, String)> {
    match column {
        "positions" => return Some((cell.to_owned(), grouped(number(&results["positions"])))),
        "place" => return Some((cell.to_owned(), place(&results["place"]))),
        _ if column == "minutes" || column.starts_with("trained for") => {
            return Some((minutes(cell), format!("{:.1}", number(&results["minutes"]))));
        }
        _ => {}
    }
    let (name, said) = cell.rsplit_once(": ").unwrap_or((column, cell));
    let name = opponent(name).filter(|_| said.contains('%'))?;
    let result = &results["against"][&name];
    Some((said.to_owned(), if result.is_object() { score(result, said) } else { format!("no result against {name}") }))
}

#[test]
fn the_strength_of_the_bundled_networks_is_that_of_the_results() {
    let mut compared = 0;
    for path in files(".md") {
        for table in Page::read(&path).tables {
            let Some((header, rows)) = table.split_first() else { continue };
            for row in rows {
                let Some(results) = results(header, row) else { continue };
                for (column, cell) in header.iter().zip(row) {
                    let Some((said, is)) = both(column, cell, &results) else { continue };
                    assert_eq!(said, is, "{}: {}, {column}", path.display(), row[0]);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= 70, "only {compared} figures");
    assert_eq!(minutes("20.7 + 38 min, then 12 min with a GPU"), "70.7");
    assert_eq!((grouped(1_234_567.0), grouped(12.0)), ("1,234,567".to_owned(), "12".to_owned()));
}

/// The ladder of a variant as the program prints it: each player with its Elo.
fn ladder(variant: &str) -> BTreeSet<(String, String)> {
    let mut kirin = Command::new(env!("CARGO_BIN_EXE_kirin"));
    let output = kirin.args(["eval", "benchmark", "--variant", variant, "--json"]).output().expect("kirin");
    let ladder: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let player = |player: &Value| {
        let (elo, error) = (number(&player["elo"]), number(&player["error"]));
        let elo = if error == 0.0 { format!("{elo:.0}") } else { format!("{elo:.0} ± {error:.0}") };
        (player["player"].as_str().expect("a name").to_owned(), elo)
    };
    ladder["ladder"].as_array().expect("a ladder").iter().map(player).collect()
}

#[test]
fn the_table_of_ladders_is_what_the_program_prints() {
    let page = Page::read(Path::new("docs/results/README.md"));
    let table = page.tables.into_iter().find(|table| table[1][0] == "random").expect("the table of ladders");
    for (column, name) in table[0].iter().enumerate().skip(1) {
        let told = table[1..].iter().map(|row| (row[0].clone(), row[column].clone())).filter(|(_, elo)| elo != "–");
        assert_eq!(told.collect::<BTreeSet<_>>(), ladder(variant(name).expect("a variant")), "{name}");
    }
}

/// Speeds that are not those of the page of speeds, each with its page. A test asserts this limit
/// (eval/tests/engine_speed).
const OTHER_SPEEDS: [(&str, &str); 1] = [("docs/explanation/ratings.md", "200")];

/// The numbers of a text that are speeds: up to three words before `µs`, `a second` or `…/s`, or one before `times as
/// many`.
fn speeds(text: &str) -> Vec<String> {
    // `1.3 GB; a second clone` is no rate.
    let text = text.replace("; a second", ";");
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(['(', ')', ',', ';', ':', '.'])).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = |n: usize| words.get(at + n).copied().unwrap_or_default();
        let is_rate = *word == "µs" || word.ends_with("/s") || (["a", "per"].contains(word) && next(1) == "second");
        let is_ratio =
            *word == "times" && ((next(1) == "as" && ["many", "fast"].contains(&next(2))) || next(1) == "faster");
        let reach = if is_rate { 3 } else { usize::from(is_ratio) };
        let before = &words[at.saturating_sub(reach)..at];
        found.extend(
            before.iter().filter(|word| word.replace(',', "").parse::<f64>().is_ok()).map(|word| (*word).to_owned()),
        );
    }
    found
}

#[test]
fn speeds_that_other_pages_repeat_are_those_of_the_page_of_speeds() {
    let source = Path::new("docs/results/speed.md");
    let page = Page::read(source);
    let all: String = page.text.iter().map(|(_, text)| format!("{text} ")).collect();
    let known: BTreeSet<&str> = all.split(|c: char| !(c.is_ascii_digit() || ".,".contains(c))).collect();
    let known: BTreeSet<&str> = known.iter().map(|number| number.trim_matches(['.', ','])).collect();
    // Notes and the changelog are of their day.
    let is_dated = |path: &Path| path.starts_with("docs/research") || path.ends_with("CHANGELOG.md");
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for path in files(".md").into_iter().filter(|path| path != source && !is_dated(path)) {
        for (line, text) in Page::read(&path).text {
            for speed in speeds(&text) {
                compared += 1;
                let is_other = OTHER_SPEEDS.iter().any(|(page, other)| path == Path::new(page) && speed == *other);
                if !is_other && !known.contains(speed.as_str()) {
                    wrong.push(format!("{}:{line}: {speed}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "not in {}:\n{}", source.display(), wrong.join("\n"));
    assert!(compared >= 5, "only {compared} speeds");
    assert_eq!(speeds("2.1 to 3.0 µs, and 6,045 evaluations/s"), ["2.1", "3.0", "6,045"]);
    assert_eq!(speeds("in 2 runs 3.5 times as many games a second, 1,200 times in all"), ["3.5"]);
}
