//! `kirin run --dry-run` forecasts a run, and makes nothing.

mod kirin;
mod lab;

use lab::Lab;
use serde_json::Value;

#[test]
fn a_dry_run_foretells_the_run_and_leaves_nothing_behind() {
    let lab = Lab::new("wangqi");
    let out = lab.succeed("run", &["--dry-run", "--json", "--generations", "3"]);
    let said: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
    assert!(!lab.file("").exists(), "the folder of the run is not made");
    assert_eq!((&said["variant"], &said["budget_seconds"]), (&"wangqi".into(), &Value::Null));
    let forecast = &said["forecast"];
    assert_eq!((&forecast["generations"], &forecast["searched"]), (&3.into(), &(3 * 8 * 24).into()), "{out}");
    for figure in ["seconds", "seconds_to_first_network", "seconds_to_first_match", "disk_bytes", "games_per_hour"] {
        assert!(forecast[figure].as_f64().is_some_and(|value| value > 0.0), "{figure}: {out}");
    }
    assert!(said["measured"]["samples_per_second"].as_f64().is_some_and(|speed| speed > 0.0), "{out}");
}

#[test]
fn a_length_is_told_in_time_or_in_generations() {
    let lab = Lab::new("wangqi");
    let both = lab.refused(2, "run", &["--dry-run", "--generations", "3", "--budget", "5m"]);
    assert!(both.contains("cannot be used with"), "{both}");
    lab.refused(2, "run", &["--dry-run", "--generations", "0"]);
}
