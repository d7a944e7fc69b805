//! Perft: every line of `perft/ID.perft`, for every variant. A variant without a file fails.

use rules::{Position, Variant, VariantId, dispatch, read_suite};
use std::path::Path;

fn check<V: Variant>() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perft").join(format!("{}.perft", V::ID));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => return vec![format!("{}: {error}: every variant needs a perft suite", path.display())],
    };
    let suite = match read_suite(&text) {
        Ok(suite) => suite,
        Err(error) => return vec![format!("{}: {error}", path.display())],
    };
    let mut faults = Vec::new();
    for line in &suite {
        match Position::<V>::from_fen(line.fen) {
            Err(error) => faults.push(format!("{} line {}: {error}", V::ID, line.line)),
            Ok(position) => {
                for &(depth, expected) in &line.counts {
                    let nodes = position.perft(depth);
                    if nodes != expected {
                        let drawn = position.draw();
                        faults.push(format!(
                            "{} line {} depth {depth}: {nodes}, expected {expected}\n{}\n{drawn}",
                            V::ID,
                            line.line,
                            line.fen
                        ));
                    }
                }
            }
        }
    }
    if suite.is_empty() {
        faults.push(format!("{}: no position", path.display()));
    }
    faults
}

#[test]
fn suites() {
    let faults: Vec<String> = VariantId::ALL.iter().flat_map(|&id| dispatch!(id, V => check::<V>())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
