//! Runs the query in Rust of data/README.md on a data folder and a variant, and prints its rows as JSON.

mod openings;

use polars::prelude::{AnyValue, PolarsResult};
use serde_json::{Value, json};

const COLUMNS: [&str; 6] = ["setup_first", "setup_second", "line", "games", "first_wins", "draws"];

fn main() -> PolarsResult<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data, variant] = arguments.as_slice() else {
        eprintln!("usage: queries DATA VARIANT");
        std::process::exit(64);
    };
    let table = openings::openings(data, variant)?.select(COLUMNS)?;
    let row = |row: usize| -> PolarsResult<Value> {
        table.columns().iter().map(|column| Ok(plain(&column.get(row)?))).collect()
    };
    let rows: PolarsResult<Value> = (0..table.height()).map(row).collect();
    println!("{}", rows?);
    Ok(())
}

/// Texts and whole numbers as JSON has them.
fn plain(value: &AnyValue<'_>) -> Value {
    match (value.get_str(), value.extract::<u64>()) {
        (Some(text), _) => json!(text),
        (None, number) => json!(number),
    }
}
