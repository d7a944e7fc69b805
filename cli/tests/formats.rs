//! Games of the program in every variant, exported to each format and imported again: the same statistics, and the same
//! file when they are exported once more.

use crate::kirin::{json_in as json, kirin_in as kirin, run_in as run};
use crate::lab::Lab;
use records::pgn;
use rules::{Notated as _, Notation, VariantId};
use serde_json::Value;
use std::path::Path;

/// What the statistics say of a folder of games.
fn statistics(path: &Path, folder: &str) -> [Value; 2] {
    let commands = [&["stats", folder][..], &["openings", folder, "--depth", "4", "--limit", "1000"]];
    commands.map(|words| comparable(json(path, words)))
}

/// A value without what depends on searched positions, which no format has, and with numbers that do not depend on the
/// order of games.
fn comparable(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(name, _)| !name.starts_with("position_"))
            .map(|(name, member)| (name, comparable(member)))
            .collect(),
        Value::Array(members) => members.into_iter().map(comparable).collect(),
        Value::Number(number) => format!("{:.6}", number.as_f64().expect("a number")).into(),
        other => other,
    }
}

/// The lines of a file, sorted: games of an imported folder are in another order.
fn lines(path: &Path, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path.join(file)).expect("the file");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Exports the games of a folder to a format, perhaps with options, and imports them.
fn there_and_back(path: &Path, variant: &str, folder: &str, format: &str, options: &[&str]) {
    let name = format!("{folder}{}", options.concat());
    let (file, again, imported) =
        (format!("{name}.{format}"), format!("{name}-again.{format}"), format!("{name}-{format}"));
    let case = format!("{variant} {name} {format}");
    let export = |folder: &str, file: &str| {
        run(path, &[&["data", "export", folder, "--to", format, "--out", file], options].concat());
    };
    export(folder, &file);
    let words = ["data", "import", &file, "--variant", variant, "--to", &imported];
    let summary = json(path, &words);
    let games = json(path, &["stats", folder])["games"].clone();
    assert_eq!((&summary["kept"], &summary["present"]), (&games, &0.into()), "{case}: {summary}");
    assert_eq!(statistics(path, &imported), statistics(path, folder), "{case}");
    export(&imported, &again);
    assert_eq!(lines(path, &again), lines(path, &file), "{case}");
    let summary = json(path, &words);
    assert_eq!((&summary["kept"], &summary["present"]), (&0.into(), &games), "{case}: {summary}");
}

#[test]
fn statistics_survive_every_format() {
    for &id in VariantId::ALL {
        let variant = id.id();
        // Openings by chance, starts from other positions, resignations, ends at the ply limit.
        let lab = Lab::new(variant)
            .set("selfplay.plies_per_generation=60")
            .set("selfplay.opening_share=0.5")
            .set("selfplay.sparse_share=0.25");
        lab.succeed("selfplay", &[]);
        let path = lab.path();
        let random =
            Lab::new(variant).set("selfplay.rules_games=12").set("selfplay.max_plies=1000").set("run.folder=random");
        random.succeed("selfplay", &[]);
        std::fs::rename(random.path().join("random"), path.join("random")).expect("moved");
        std::fs::create_dir(path.join("matches")).expect("made");
        run(
            path,
            &["eval", "match", "greedy", "random", "--variant", variant, "--pairs", "3", "--log", "matches/m.jsonl"],
        );
        let (formats, notation) = rules::dispatch!(id, V => {
            let is_written = |name: &&str| *name == "pgn" || Notation::<V>::named(name).is_ok();
            let mut notations = V::NOTATIONS.iter().map(|notation| notation.name);
            let last = notations.rfind(|name| pgn::notation_named::<V>(name).is_ok()).expect("UCI");
            (["pgn", "kif", "csa"].into_iter().filter(is_written).collect::<Vec<_>>(), last)
        });
        for format in formats {
            for folder in ["run", "random", "matches"] {
                there_and_back(path, variant, folder, format, &[]);
            }
        }
        there_and_back(path, variant, "run", "pgn", &["--notation", notation]);
        // The other way from the logs of matches to PGN.
        for (name, options) in [("log", &[][..]), ("native", &["--notation", notation][..])] {
            let file = format!("{name}.pgn");
            run(path, &[&["eval", "export", "matches", "--to", "pgn", "--out", &file], options].concat());
            json(path, &["data", "import", &file, "--variant", variant, "--to", name]);
            assert_eq!(statistics(path, name), statistics(path, "matches"), "{variant} {name}");
        }
        let count = |file: &str| lines(path, file).iter().filter(|line| line.starts_with("[Format ")).count();
        let named = if notation == "uci" { 0 } else { 6 };
        assert_eq!([count("log.pgn"), count("native.pgn")], [0, named], "{variant}: games that name their notation");
        for command in [["data", "export", "run"], ["eval", "export", "matches"]] {
            let refused = |options: &[&str]| {
                let ran = kirin(path, &[&command[..], options, &["--out", "refused"]].concat());
                assert_eq!(ran.code, Some(78), "{command:?} {options:?}: {}", ran.err);
                ran.err
            };
            let told = refused(&["--to", "pgn", "--notation", "smoke"]);
            assert!(told.contains(&format!("{variant} has no notation \"smoke\"; there are: uci")), "{told}");
            let told = refused(&["--to", "csv", "--notation", "uci"]);
            assert_eq!(told, "error: --notation is for `--to pgn`\n");
        }
        assert!(!path.join("refused").exists());
    }
}
