//! Repairing a run: any damaged file is quarantined under its name with the reason, nothing is deleted, and the run is
//! clean again and resumes. What can be made again is identical.

use crate::tiny;
use crate::tiny::damage::{Damage, GAMES, MATCH, Made, config, flip, halve, junk, remove, spoil_line, zero_the_middle};
use crate::tiny::{end, problems};
use data::repair::{Repair, lost};
use data::{LineLog, MANIFEST};
use lab::events::{Event, Stage};
use lab::repair::repair;
use lab::verify::verify;
use std::fs;

const POSITIONS: &str = "data/positions/variant=wangqi/gen=0001/w0.parquet";

/// The outcome for the run.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    /// It resumes and reaches the end that it would have reached undamaged.
    SameEnd,
    /// It resumes without the lost data.
    GoesOn,
    /// It is clean again; a similar case shows how it resumes.
    IsSound,
}

#[test]
fn each_kind_of_file_is_set_aside_and_the_run_goes_on() {
    use Then::{GoesOn, IsSound, SameEnd};
    let made = Made::new();
    let (_kept, undisturbed) = made.again();
    tiny::finish(&config(3), &undisturbed, None);
    let reference = end(&undisturbed);
    let cases: [(&str, Damage, Then); 26] = [
        (GAMES, flip, GoesOn),
        (GAMES, remove, IsSound),
        (POSITIONS, halve, GoesOn),
        ("data/manifest.jsonl", flip, SameEnd),
        ("data/manifest.jsonl", zero_the_middle, IsSound),
        ("data/manifest.jsonl", junk, IsSound),
        ("data/manifest.jsonl", remove, SameEnd),
        ("data/manifest.jsonl", halve, IsSound),
        ("nets/gen-0000.safetensors", flip, SameEnd),
        ("nets/gen-0000.safetensors", remove, IsSound),
        ("nets/gen-0002.safetensors", halve, SameEnd),
        ("nets/gen-0002.safetensors", remove, IsSound),
        ("checkpoints/gen-0002.safetensors", flip, SameEnd),
        ("checkpoints/gen-0002.safetensors", remove, IsSound),
        ("checkpoints/gen-0001.safetensors", junk, SameEnd),
        ("slots.json", junk, GoesOn),
        ("events.jsonl", |path| spoil_line(path, 1), SameEnd),
        ("events.jsonl", |path| spoil_line(path, 4), SameEnd),
        ("events.jsonl", |path| spoil_line(path, 5), SameEnd),
        ("plan.jsonl", flip, IsSound),
        ("plan.jsonl", |path| spoil_line(path, 1), SameEnd),
        ("plan.jsonl", junk, SameEnd),
        (MATCH, flip, IsSound),
        (MATCH, junk, SameEnd),
        ("metrics.jsonl", flip, IsSound),
        ("metrics.jsonl", junk, IsSound),
    ];
    for (number, (name, damage, then)) in cases.into_iter().enumerate() {
        let case = format!("case {number}, {name}");
        let (_copied, run) = made.again();
        let path = run.root().join(name);
        damage(&path);
        let damaged = fs::read(&path).ok();
        assert!(!problems(&run).is_empty(), "{case}: nothing was found");
        let repairs = repair(&run).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(problems(&run), [] as [String; 0], "{case}: {repairs:#?}");
        // The repair is reported, and the damaged file still exists.
        let told = repairs.iter().find(|repair| repair.file == name).unwrap_or_else(|| panic!("{case}: {repairs:#?}"));
        assert!(!told.what.is_empty() && !told.done.is_empty(), "{case}: {told:?}");
        let aside = told.aside.as_ref().map(|aside| fs::read(run.root().join(aside)).expect("it lies aside"));
        assert_eq!(aside, damaged, "{case}");
        let listed = LineLog::<Repair>::read(&data::repair::list_of(run.root())).expect("a list").entries;
        assert_eq!(listed, repairs, "{case}");
        assert_eq!(repair(&run).expect("a repair"), [], "{case}: a second repair has nothing to do");

        if then == IsSound {
            continue;
        }
        tiny::finish(&config(3), &run, None);
        assert_eq!(problems(&run), [] as [String; 0], "{case}: {repairs:#?}");
        assert_eq!(end(&run) == reference, then == SameEnd, "{case}: {:#?}\n{reference:#?}", end(&run));
    }
}

/// Lost games are counted, and every later check reports them.
#[test]
fn lost_games_are_counted_and_a_copy_brings_them_back() {
    let made = Made::new();
    let (_copied, run) = made.again();
    let path = run.root().join(GAMES);
    let sound = fs::read(&path).expect("a shard");
    let manifest = fs::read(run.data().join(MANIFEST)).expect("a manifest");
    flip(&path);
    repair(&run).expect("a repair");
    let [lost] = &lost(run.root()).expect("a list")[..] else { panic!("one shard") };
    let events = LineLog::<Event>::read(&run.events()).expect("events").entries;
    let played = events.iter().find_map(|event| match &event.stage {
        Stage::Selfplay(played) if event.generation == 2 => Some((played.games, played.positions)),
        _ => None,
    });
    assert_eq!(Some((lost.games, lost.positions)), played);
    let told = verify(&run, &|_| ()).leftovers;
    assert!(told.iter().any(|note| note.repair.contains(&format!("{} games with", lost.games))), "{told:#?}");
    assert!(!run.root().join("data/positions/variant=wangqi/gen=0002/w0.parquet").exists(), "both files went");

    let positions = run.root().join("damaged/data/positions/variant=wangqi/gen=0002/w0.parquet");
    fs::copy(positions, run.root().join("data/positions/variant=wangqi/gen=0002/w0.parquet")).expect("brought back");
    fs::write(&path, sound).expect("brought back");
    fs::write(run.data().join(MANIFEST), manifest).expect("brought back");
    assert_eq!(problems(&run), [] as [String; 0]);
}

/// Older files that cannot be made again remain a finding.
#[test]
fn what_cannot_be_repaired_is_said() {
    let made = Made::new();
    let cases: [(&str, Damage); 5] = [
        ("nets/gen-0001.safetensors", flip),
        ("config.toml", junk),
        ("config.toml", remove),
        ("run.json", halve),
        ("events.jsonl", |path| spoil_line(path, 2)),
    ];
    for (name, damage) in cases {
        let (_copied, run) = made.again();
        damage(&run.root().join(name));
        repair(&run).unwrap_or_else(|error| panic!("{name}: {error}"));
        let left = problems(&run);
        assert!(
            left.iter().any(|problem| problem.contains(name) && problem.contains("from a copy")),
            "{name}: {left:#?}"
        );
    }
}

/// A run that was killed in its second self-play.
#[test]
fn a_journal_is_kept_up_to_its_damage_and_the_same_games_are_played_again() {
    let made = Made::new();
    let (_kept, undisturbed) = made.again();
    tiny::finish(&config(3), &undisturbed, None);
    let (_copied, run) = made.again();
    let journal = run.root().join("data/journal/variant=wangqi/gen=0003.jsonl");
    let games = data::DataStore::open_read_only(&undisturbed.data()).expect("data");
    let shard = games.shards("wangqi").expect("a manifest").remove(2);
    let games = games.read_shard::<rules::Wangqi>(&shard).expect("games");
    assert!(games.len() > 2, "{} games", games.len());
    fs::create_dir_all(journal.parent().expect("a folder")).expect("a folder");
    data::Journal::open(&journal).expect("a journal").0.append_all(&games[..3]).expect("written");
    spoil_line(&journal, 2);
    assert!(problems(&run).iter().any(|problem| problem.contains("gen=0003.jsonl: line 2")), "{:#?}", problems(&run));
    let repairs = repair(&run).expect("a repair");
    assert!(repairs[0].done.starts_with("1 of 3 games are kept"), "{repairs:#?}");
    assert_eq!(problems(&run), [] as [String; 0]);
    tiny::finish(&config(3), &run, None);
    assert_eq!(end(&run), end(&undisturbed));
}
