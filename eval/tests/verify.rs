//! Checking the log of a match: a played one is clean in every variant, and a false entry is reported with its line.

use eval::log::{logs_in, verify};
use eval::{Match, MatchConfig, PlayerConfig};
use rules::VariantId;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Plays two pairs.
fn play(variant: VariantId, log: &Path) {
    let config = MatchConfig { pairs: 2, max_plies: 60, threads: 1, ..MatchConfig::default() };
    let (a, b) = (PlayerConfig::greedy(), PlayerConfig::random());
    let played = Match { variant, config: &config, players: [&a, &b], log }.play(&AtomicBool::new(false), |_| {});
    assert_eq!(played.unwrap().missing_games, 0);
}

fn problems(log: &Path) -> Vec<String> {
    verify(log, &|_| ()).problems.into_iter().map(|problem| problem.what).collect()
}

/// A line as earlier versions wrote it, without its checksum.
fn bare(line: &str) -> String {
    let key = r#""match":"#;
    line[line.find(key).expect("a line with a checksum") + key.len()..line.len() - 1].to_owned()
}

#[test]
fn a_played_match_is_clean_in_every_variant() {
    let folder = tempfile::tempdir().unwrap();
    for &variant in VariantId::ALL {
        let log = folder.path().join(format!("{variant}.jsonl"));
        play(variant, &log);
        let found = verify(&log, &|_| ());
        assert_eq!(found.problems, [], "{variant}");
        assert_eq!((found.files, found.games), (1, 4));
    }
    assert_eq!(logs_in(folder.path()).unwrap().len(), VariantId::ALL.len());
}

#[test]
fn what_is_wrong_with_a_log_is_named_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("match.jsonl");
    play(VariantId::Wangqi, &log);
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<String> = text.lines().map(bare).collect();
    let with = |at: usize, line: String| {
        let mut lines = lines.clone();
        lines[at] = line;
        std::fs::write(&log, lines.join("\n") + "\n").unwrap();
        problems(&log)
    };
    assert_eq!(with(0, lines[0].clone()), [] as [String; 0], "logs without checksums are read");

    let game: serde_json::Value = serde_json::from_str(&lines[2]).unwrap();
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut game = game.clone();
        change(&mut game);
        game.to_string()
    };
    let other = if game["result"] == 0 { 1 } else { 0 };
    let result = with(2, changed(&|game| game["result"] = other.into()));
    assert!(result.len() == 1 && result[0].contains("and by the rules it ends by"), "{result:?}");
    assert!(result[0].starts_with("line 3: pair "), "{result:?}");
    let illegal = with(
        2,
        changed(&|game| {
            let moves = game["moves"].as_str().unwrap().split(' ').map(str::to_owned);
            let mut moves: Vec<String> = moves.collect();
            let again = moves[2].clone();
            moves[4] = again;
            game["moves"] = moves.join(" ").into();
        }),
    );
    assert!(illegal.len() == 1 && illegal[0].contains("move 5"), "{illegal:?}");
    let doubled = with(2, lines[1].clone());
    assert!(doubled.len() == 1 && doubled[0].ends_with(" game is there already"), "{doubled:?}");
    let two_headers = with(2, lines[0].clone());
    assert_eq!(two_headers, ["line 3: settings of a match, which belong in line 1"]);

    // Any one byte of a line, in its frame, of which the checksum is a part, or in what it holds.
    let line = text.lines().nth(2).expect("three lines");
    let begin = text.find(line).expect("a line of the text");
    let contents = begin + line.find(&lines[2]).expect("a line has its contents");
    for at in begin..begin + line.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        std::fs::write(&log, bytes).unwrap();
        let flipped = problems(&log);
        assert_eq!(flipped.len(), 1, "byte {at}: {flipped:?}");
        let checksum = flipped[0].starts_with("line 3: its checksum does not fit");
        let form = flipped[0] == "line 3: it does not have the form of a line of this log";
        let is_inside = (contents..contents + lines[2].len()).contains(&at);
        assert!(checksum || form && !is_inside, "byte {at}: {flipped:?}");
    }

    std::fs::write(&log, text.lines().skip(1).map(|line| line.to_owned() + "\n").collect::<String>()).unwrap();
    assert_eq!(problems(&log), ["its first line is not the settings of a match"]);
    std::fs::write(&log, &text[..text.len() - 9]).unwrap();
    let torn = verify(&log, &|_| ());
    assert_eq!((torn.problems.len(), torn.leftovers.len(), torn.games), (0, 1, 3));
}
