//! A run does not go on with settings that are not its own, and nothing is written before that is known.

use crate::tiny;
use lab::{About, LabError, RunFolder};
use std::fs;

#[test]
fn missing_or_shortened_settings_are_no_permission_for_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(folder.path().join("run"));
    let config = tiny::config();
    tiny::finish(&config, &folder, None);
    let text = fs::read_to_string(folder.config()).expect("a config");
    let files = || [folder.network(0), folder.about(), folder.events()].map(|path| fs::read(path).expect("a file"));
    let before = files();
    let mut other = config.clone();
    other.run.seed += 1;

    fs::remove_file(folder.config()).expect("removed");
    for config in [&config, &other] {
        let error = tiny::open(config, &folder, None).err().expect("refused");
        assert!(matches!(&error, LabError::ConfigMissing { path } if *path == folder.config()), "{error}");
        assert!(!folder.config().exists() && files() == before, "something was written");
    }
    let seed = format!("seed = {}\n", config.run.seed);
    assert!(text.contains(&seed), "{text}");
    fs::write(folder.config(), text.replacen(&seed, "", 1)).expect("written");
    let error = tiny::open(&other, &folder, None).err().expect("refused");
    assert!(matches!(&error, LabError::ConfigChanged { path } if *path == folder.config()), "{error}");
    assert!(files() == before, "something was written");

    fs::write(folder.config(), &text).expect("restored");
    drop(tiny::open(&config, &folder, None).expect("the same run"));
    assert!(files() == before, "opening a run again writes down nothing new");
}

/// What may change is no part of the digests.
#[test]
fn a_run_with_more_generations_is_the_same_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(folder.path().join("run"));
    let mut config = tiny::config();
    drop(tiny::open(&config, &folder, None).expect("a run"));
    config.run.generations = 7;
    drop(tiny::open(&config, &folder, None).expect("the same run"));
    let about = About::read(&folder).expect("readable").expect("there");
    assert_eq!(about.config_digests, [about.config_digest]);
}

/// Programs of before kept one digest alone, and configurations have had other keys since. What is stored now is written
/// down, so that it counts from here on.
#[test]
fn a_run_of_an_earlier_program_goes_on_and_is_sealed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(folder.path().join("run"));
    let config = tiny::config();
    drop(tiny::open(&config, &folder, None).expect("a run"));
    let about = About::read(&folder).expect("readable").expect("there");
    let digest = about.config_digest.clone();
    let old = About { config_digest: "0123456789abcdef".into(), config_digests: Vec::new(), ..about };
    old.write(&folder).expect("written");
    assert!(!fs::read_to_string(folder.about()).expect("a text").contains("config_digests"));
    drop(tiny::open(&config, &folder, None).expect("the same run"));
    let about = About::read(&folder).expect("readable").expect("there");
    assert_eq!((about.config_digest.as_str(), about.config_digests), ("0123456789abcdef", vec![digest]));
}
