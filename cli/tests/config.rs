//! Everything that is wrong with a configuration is reported in one message, before anything is begun.

use crate::kirin::kirin_in;
use crate::lab::{CONFIG, Lab};

/// The refusal of a config with this text; nothing may have been begun.
fn complaints(text: &str, more: &[&str]) -> String {
    let lab = Lab::new("wangqi");
    std::fs::write(lab.path().join("my.toml"), text).expect("written");
    let ran = kirin_in(lab.path(), &[&["run", "my.toml"], more].concat());
    assert_eq!(ran.code, Some(78), "{}{}", ran.out, ran.err);
    assert_eq!(ran.err.matches("error: ").count(), 1, "{}", ran.err);
    assert!(ran.err.starts_with("error: my.toml: "), "the file is named: {}", ran.err);
    assert!(!lab.path().join("runs").exists() && !lab.path().join("run").exists(), "nothing was begun");
    ran.err
}

#[test]
fn everything_wrong_is_told_at_once() {
    let text = r#"
        [run]
        variant = "wangki"
        generatoins = 3
        budget = "5 apples"
        uses = 100

        [search]
        visits = "many"
        algorithm = "gumble"

        [selfplay]
        slots = 0
        max_plies = 30
        stagger_plies = 30

        [network]
        blocks = 100

        [traning]
        batch = 16

        [training.optimiser]
        learnig_rate = 0.1

        [evaluation]
        max_plies = 4
        opening_plies = 6
        openings = "boook:x"
        budget_share = 2
    "#;
    let message = complaints(text, &["--set", "evaluator.batch=5000", "--set", "nonsense"]);
    let expected = [
        "run.variant: ",                                               // unknown
        "did you mean wangqi?",                                        // and the nearest
        "run.generatoins: unknown key; did you mean run.generations?", // a typo
        "run.budget: \"5 apples\" is not a duration",                  // out of range by meaning
        "run.uses: 100 is out of range; 0.1 to 50",                    // an integer where a float is meant
        "search.visits: expected integer, found string \"many\"",      // a wrong type
        "search.algorithm: unknown variant `gumble`, expected `gumbel` or `puct`",
        "selfplay.slots: 0 is out of range; 1 to",
        "selfplay.stagger_plies: 30 random moves reach the limit of 30", // a contradiction
        "network.blocks: 100 is out of range; 1 to 60",
        "traning: unknown key; did you mean training?", // a section
        "training.optimiser.learnig_rate: unknown key; did you mean training.optimiser.learning_rate?",
        "evaluation.max_plies: 4 leaves nothing to play after 6 opening plies",
        "evaluation.openings: \"boook:x\" is no source of openings; random, balanced, book:FILE or statistics:FOLDER is",
        "evaluation.budget_share: 2 is out of range; 0.001 to 0.5",
        "evaluator.batch: 5000 is out of range; 0 to 4096",
        "--set nonsense: expected key=value",
    ];
    for text in expected {
        assert!(message.contains(text), "no {text:?} in\n{message}");
    }
    let listed = message.lines().count() - 1;
    assert_eq!(listed, expected.len() - 1, "one line for each problem and no other:\n{message}");
    assert!(message.starts_with(&format!("error: my.toml: {listed} problems\n")), "{message}");
}

#[test]
fn a_variant_must_be_named() {
    let message = complaints("[run]\nseed = 2\n", &[]);
    assert!(message.contains("run.variant: not set; one of"), "{message}");
    for id in rules::VariantId::ALL {
        assert!(message.contains(id.id()), "{message}");
    }
    let message = complaints("[run]\nvariant = 3\n", &[]);
    assert!(message.contains("1 problem\n  run.variant: expected string, found integer 3"), "once: {message}");
    let message = complaints("[run]\nvariant = \"xiangqi\"\n[rules]\npreset = \"ful\"\n", &[]);
    assert!(message.contains("rules.preset: ") && message.contains("full"), "{message}");
}

#[test]
fn overrides_are_checked_like_the_file() {
    let fine = "[run]\nvariant = \"wangqi\"\n";
    for (setting, names) in [
        ("search.visit=4", "search.visit: unknown key; did you mean search.visits?"),
        ("search.visits=four", "search.visits: expected integer, found string \"four\""),
        ("search.visits=-1", "search.visits: "),
        ("search.visits=1.5", "search.visits: expected integer, found float 1.5"),
        ("search=4", "search: is a section, not a value"),
        ("run.seed.more=4", "run.seed: is a value, not a section"),
        ("=4", "--set =4: the key is empty"),
        ("search.visits", "--set search.visits: expected key=value"),
        ("run.variant.x=4", "--set run.variant.x=4: variant is a value, not a section"),
        ("run.generations=0", "run.generations: 0; at least 1"),
        ("training.parts=3", "training.parts: 3 does not divide batch (256)"),
    ] {
        let message = complaints(fine, &["--set", setting]);
        assert!(message.contains(names), "{setting}: no {names:?} in {message}");
        assert!(message.contains("1 problem\n"), "{setting}: {message}");
    }
    let message = complaints(fine, &["--budget", "soon"]);
    assert!(message.contains("run.budget: \"soon\" is not a duration; write 250ms, 90s, 30m or 1h30m"), "{message}");
}

#[test]
fn a_file_that_is_no_config() {
    let message = complaints("[run\nvariant = 3", &[]);
    assert!(message.contains("TOML parse error at line 1"), "{message}");
    let lab = Lab::new("wangqi");
    std::fs::write(lab.path().join("my.toml"), b"[run]\nvariant = \"\xff\"").expect("written");
    for (file, reason) in [("nowhere.toml", "No such file"), ("my.toml", "UTF-8")] {
        let ran = kirin_in(lab.path(), &["run", file]);
        assert_eq!(ran.code, Some(74), "{file}: {}", ran.err);
        assert!(ran.err.starts_with(&format!("error: cannot read the config {file}: ")), "{}", ran.err);
        assert!(ran.err.contains(reason), "{}", ran.err);
        assert_eq!(ran.err.trim_end().lines().count(), 1, "{}", ran.err);
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let lab = Lab::new("wangqi");
    std::fs::write(lab.path().join("file"), "").expect("written");
    // Neither of these can be written to, not even by root.
    for folder in ["file", "file/run", "/proc/kirin/run"] {
        let message = lab.refused(74, "run", &["--set", &format!("run.folder={folder}")]);
        assert!(message.contains(folder) && message.trim_end().lines().count() == 1, "{message}");
    }
    assert_eq!(std::fs::read(lab.path().join("file")).expect("a file"), b"", "the file is as it was");
    assert!(lab.path().join(CONFIG).exists());
}
