#![no_main]

#[path = "../readers/mod.rs"]
#[allow(dead_code, reason = "each target uses one of them")]
mod readers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| readers::book(data));
