//! Runs everything that reads bytes from outside on the seeds of `dev/fuzz/seeds` and on some thousand random mutations
//! of them, the same ones each time. `make fuzz` continues from the same seeds with libFuzzer.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use readers::{ALL, Reader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Inputs made of the seeds of each reader.
const MUTATED: usize = 1000;
/// Larger inputs are only slower.
const LONGEST: usize = 256 << 10;

/// What often decides something in a text or a number.
const TOKENS: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"-1",
    b"0",
    b"1e999",
    b"NaN",
    b"18446744073709551616",
    b"9223372036854775807",
    b"4294967296",
    b"null",
    b"[]",
    b"{}",
    b"\"",
    b"\\",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    "馬٣\u{202e}".as_bytes(),
];

/// What lies in the folder of all seeds, or in that of a reader.
fn within_seeds(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn seeds(reader: &Reader) -> Vec<Vec<u8>> {
    let paths = within_seeds(reader.name);
    let seeds: Vec<_> = paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect();
    assert!(!seeds.is_empty(), "{} has no seed", reader.name);
    seeds
}

/// A number below `end`.
fn below(rng: &mut ChaCha8Rng, end: usize) -> usize {
    (rng.next_u64() % end.max(1) as u64) as usize
}

/// A seed with some changes: bytes flipped, set, cut out, doubled, inserted, or taken from another seed.
fn mutated(rng: &mut ChaCha8Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[below(rng, seeds.len())].clone();
    for _ in 0..=below(rng, 6) {
        let at = below(rng, bytes.len() + 1);
        let end = (at + 1 + below(rng, 16)).min(bytes.len()).max(at);
        match below(rng, 7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << below(rng, 8),
            1 if at < bytes.len() => bytes[at] = rng.next_u64() as u8,
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            4 => drop(bytes.splice(at..end, TOKENS[below(rng, TOKENS.len())].iter().copied())),
            5 => {
                let other = &seeds[below(rng, seeds.len())];
                let from = below(rng, other.len() + 1);
                let to = (from + below(rng, 64)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            _ => bytes.truncate(at),
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Reads an input; one at which the reader panics is kept, to be looked at.
fn read(reader: &Reader, input: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| (reader.read)(input))).is_err() {
        let mut file = tempfile::Builder::new().prefix(&format!("kirin-{}-", reader.name)).tempfile().expect("a file");
        std::io::Write::write_all(&mut file, input).expect("written");
        let (_, kept) = file.keep().expect("kept");
        panic!("the reader {} panicked; its input is in {}", reader.name, kept.display());
    }
}

#[test]
fn no_reader_panics_whatever_it_is_given() {
    for reader in ALL {
        let seeds = seeds(reader);
        for seed in &seeds {
            read(reader, seed);
        }
        for input in [&b""[..], b"\0", &[0xff; 64], &[b'['; 5000], &[b'{'; 5000]] {
            read(reader, input);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..MUTATED {
            read(reader, &mutated(&mut rng, &seeds));
        }
    }
}

/// `make fuzz` takes the names of the readers from the folders of their seeds.
#[test]
fn every_folder_of_seeds_has_its_reader() {
    let folders = within_seeds("").into_iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let mut names: Vec<&str> = ALL.iter().map(|reader| reader.name).collect();
    names.sort_unstable();
    assert_eq!(folders.collect::<Vec<_>>(), names);
}
