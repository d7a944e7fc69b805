//! Figures that pages repeat are those of their source: the strength of the bundled networks in docs/results/*.json.

use super::{Page, files, root};
use serde_json::Value;

/// The file with the results of the variant that a row is about.
fn results(row: &str) -> Option<Value> {
    let names =
        [("王棋", "wangqi"), ("Wangqi", "wangqi"), ("Janggi", "janggi"), ("Xiangqi", "xiangqi"), ("Shogi", "shogi")];
    let all = [&names[..], &[("Kō shogi", "koshogi")]].concat();
    let (_, file) = all.iter().find(|(name, _)| *name == row.split(" (").next().unwrap_or_default())?;
    let text = std::fs::read_to_string(root().join(format!("docs/results/{file}.json"))).ok()?;
    Some(serde_json::from_str(&text).expect("JSON"))
}

/// The opponent that a column is about, as results name it.
fn opponent(column: &str) -> Option<String> {
    let nodes = column.replace("Fairy-Stockfish", "").replace(',', "");
    let nodes = nodes.trim().trim_start_matches("at ").trim_end_matches(" nodes").trim();
    match (column, nodes.parse::<u32>()) {
        ("greedy", _) => Some("greedy".to_owned()),
        (_, Ok(nodes)) => Some(format!("fairy-stockfish {nodes} nodes")),
        _ => None,
    }
}

/// `60.8 % (53.6 to 67.9)`.
fn written(result: &Value) -> String {
    let percent = |value: &Value| {
        let percent = format!("{:.1}", 100.0 * value.as_f64().expect("a share"));
        if percent == "100.0" { "100".to_owned() } else { percent }
    };
    let interval = &result["interval"];
    format!("{} % ({} to {})", percent(&result["score"]), percent(&interval[0]), percent(&interval[1]))
}

#[test]
fn the_strength_of_the_bundled_networks_is_that_of_the_results() {
    let mut compared = 0;
    for path in files(".md") {
        for table in Page::read(&path).tables {
            let Some((header, rows)) = table.split_first() else { continue };
            if !header.iter().any(|name| name == "greedy") {
                continue;
            }
            for row in rows {
                let Some(results) = results(&row[0]) else { continue };
                for (column, cell) in header.iter().zip(row) {
                    let Some(opponent) = opponent(column).filter(|_| cell.contains('%')) else { continue };
                    let result = &results["against"][&opponent];
                    assert!(result.is_object(), "{}: no result of {} against {opponent}", path.display(), row[0]);
                    let first = cell.split(';').next().unwrap_or_default();
                    assert_eq!(first, written(result), "{}: {} against {opponent}", path.display(), row[0]);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= 10, "only {compared} figures");
}
