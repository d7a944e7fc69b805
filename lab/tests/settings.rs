//! A run does not resume with other settings, and nothing is written before the settings are compared.

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

/// Keys that may change are not part of the digests.
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

/// Earlier programs kept only one digest, and configurations have gained keys since. The present settings are written
/// down, so that they count from now on.
#[test]
fn a_run_of_an_earlier_program_continues_and_gets_checksums() {
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

/// A measured speed has 17 digits. Earlier programs read some of those one bit off and then reported the file they had
/// just written as damaged. Their files are accepted, and what is written now does not depend on how numbers are read.
#[test]
fn every_measured_speed_is_read_back_and_fits_its_checksum() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::new(folder.path().join("run"));
    let config = tiny::config();
    drop(tiny::open(&config, &folder, None).expect("a run"));
    let about = About::read(&folder).expect("readable").expect("there");
    // 7736.4077560757705 is the speed in a run that was refused.
    let speeds = (1..300).map(|n| 5_000.0 + 10_000.0 * (f64::from(n) * std::f64::consts::LN_2).fract());
    for speed in std::iter::once(7736.4077560757705).chain(speeds) {
        let about = About { evaluations_per_second: Some(speed), ..about.clone() };
        about.write(&folder).expect("written");
        assert_eq!(About::read(&folder).expect("readable"), Some(about.clone()));

        fs::write(folder.about(), as_written_before(&about)).expect("written");
        assert_eq!(About::read(&folder).expect("a file of an earlier program"), Some(about));
    }
    drop(tiny::open(&config, &folder, None).expect("the run is resumed"));
    assert_eq!(tiny::problems(&folder), [""; 0]);

    let text = fs::read_to_string(folder.about()).expect("a text");
    fs::write(folder.about(), text.replacen("\"seed\": ", "\"seed\": 1", 1)).expect("written");
    assert!(matches!(About::read(&folder), Err(LabError::Damaged { .. })), "a changed seed");
}

/// `run.json` with the checksum of earlier programs, which is of the compact text with sorted keys.
fn as_written_before(about: &About) -> String {
    let mut value = serde_json::to_value(about).expect("JSON");
    let digest = blake3::hash(value.to_string().as_bytes()).to_hex();
    value["blake3"] = digest[..16].into();
    serde_json::to_string_pretty(&value).expect("JSON")
}
