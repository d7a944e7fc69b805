//! Each step of an import and of an export that touches the disk fails once, or is the last before a kill: the target is
//! whole or absent, and the same command then gives the same result. (`data/tests/compact.rs` tests merging in the same way.)

use super::{export, import};
use clap::Parser;
use data::{DataStore, Provenance, SyntheticGames};
use rules::Wangqi;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use testkit::fault::{self, FaultKind};

#[derive(Parser)]
struct Line<A: clap::Args> {
    #[command(flatten)]
    arguments: A,
}

fn parsed<A: clap::Args>(words: &[&Path]) -> A {
    Line::parse_from(words).arguments
}

fn export(from: &Path, out: &Path) -> anyhow::Result<()> {
    let words = [Path::new("export"), from, "--to".as_ref(), "pgn".as_ref(), "--out".as_ref(), out];
    export::main(&parsed(&words))
}

fn import(file: &Path, to: &Path) -> anyhow::Result<()> {
    let words = [Path::new("import"), file, "--variant".as_ref(), "wangqi".as_ref(), "--to".as_ref(), to];
    import::main(&parsed(&words))
}

/// A data folder with some games in two shards.
fn data_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = DataStore::open(folder.path()).unwrap();
    let games = SyntheticGames { plies: 12, ..SyntheticGames::default() };
    for (generation, numbers) in [(0, 0..3), (1, 3..5)] {
        let mut games: Vec<_> = numbers.map(|number| games.game::<Wangqi>(number)).collect();
        for game in &mut games {
            game.generation = generation;
            game.positions.iter_mut().for_each(|position| position.generation = generation);
        }
        store.commit_shard(generation, "local", &games, &Provenance::default()).unwrap();
    }
    folder
}

/// All files below a folder with their contents, except the lock and what a kill left and the next call quarantined.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut folders, mut files) = (vec![folder.to_owned()], BTreeMap::new());
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().map(Result::unwrap) {
            let path = entry.path();
            match (path.is_dir(), path.file_name().and_then(|name| name.to_str())) {
                (true, Some("orphans")) | (false, Some(".lock")) => {}
                (true, _) => folders.push(path),
                (false, _) => {
                    drop(files.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap()))
                }
            }
        }
    }
    files
}

/// Calls `command` in a new folder again and again, and lets another step fail each time. `check` sees what a failure left;
/// called once more, the command must give `whole`. Returns how many steps there were.
fn fail_each_step(
    kind: FaultKind,
    command: impl Fn(&Path) -> anyhow::Result<()>,
    check: impl Fn(&Path),
    whole: &BTreeMap<PathBuf, Vec<u8>>,
) -> u64 {
    for n in 1.. {
        let folder = tempfile::tempdir().unwrap();
        let fault = fault::install(kind, n);
        let ended = command(folder.path());
        let happened = fault.happened();
        drop(fault);
        assert!(happened || ended.is_ok(), "{ended:?}");
        check(folder.path());
        command(folder.path()).unwrap_or_else(|error| panic!("{kind:?} at step {n}: {error:#}"));
        let mut there = contents(folder.path());
        // The next call removes temporary files from a folder; next to a single file they stay.
        there.retain(|path, _| !data::durable::is_temporary(path));
        assert!(there == *whole, "{kind:?} at step {n}: {:?} and not {:?}", there.keys(), whole.keys());
        if !happened {
            return n - 1;
        }
    }
    unreachable!("some call is without a fault")
}

#[test]
fn an_export_is_whole_or_absent_whatever_fails() {
    let from = data_folder();
    let folder = tempfile::tempdir().unwrap();
    export(from.path(), &folder.path().join("games.pgn")).unwrap();
    let whole = contents(folder.path());
    for kind in [FaultKind::DiskFull, FaultKind::Kill] {
        let check = |folder: &Path| {
            let there = fs::read(folder.join("games.pgn"));
            assert!(there.is_err() || there.unwrap() == whole[Path::new("games.pgn")], "half a file is in sight");
        };
        let steps = fail_each_step(kind, |folder| export(from.path(), &folder.join("games.pgn")), check, &whole);
        assert!(steps >= 5, "{kind:?}: {steps}");
    }
}

#[test]
fn an_import_is_whole_or_absent_whatever_fails() {
    let from = data_folder();
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("games.pgn");
    export(from.path(), &file).unwrap();
    let folder = tempfile::tempdir().unwrap();
    import(&file, &folder.path().join("data")).unwrap();
    let whole = contents(folder.path());
    assert!(whole.len() == 3, "{:?}", whole.keys());
    for kind in [FaultKind::DiskFull, FaultKind::Kill] {
        let check = |folder: &Path| {
            let Ok(store) = DataStore::open_read_only(&folder.join("data")) else { return };
            // Every shard that the manifest names can be read.
            for shard in store.all_shards().unwrap() {
                assert_eq!(store.read_shard::<Wangqi>(&shard).unwrap().len(), 5);
            }
        };
        let steps = fail_each_step(kind, |folder| import(&file, &folder.join("data")), check, &whole);
        assert!(steps >= 15, "{kind:?}: {steps}");
    }
}
