//! libFuzzer with one of the readers: the one that the environment variable `READER` names. `make fuzz` starts it.

#![no_main]

use readers::{ALL, Reader};
use std::sync::OnceLock;

static READER: OnceLock<&Reader> = OnceLock::new();

/// The reader, found when it is first needed.
fn reader() -> &'static Reader {
    READER.get_or_init(|| {
        let name = std::env::var("READER").unwrap_or_default();
        ALL.iter().find(|reader| reader.name == name).unwrap_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|reader| reader.name).collect();
            eprintln!("READER={name:?} names no reader; there are: {}", names.join(", "));
            std::process::exit(2);
        })
    })
}

libfuzzer_sys::fuzz_target!(
    // libFuzzer's own hook ends the program at each panic. Those of the Parquet decoder are contained and are no failure;
    // any other leaves the reader, and the program ends with it.
    init: {
        reader();
        drop(std::panic::take_hook());
    },
    |data: &[u8]| (reader().read)(data)
);
