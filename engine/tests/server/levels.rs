//! Weaker play: the options of each protocol, and what they change.

use super::clocks::{A_WHILE, says_no_move};
use super::*;
use engine::protocol::{Dialect, EngineOption, GuiCommand, OptionKind, Protocol};
use std::collections::BTreeSet;

#[test]
fn each_protocol_has_its_options() {
    let declared = |protocol: &str| -> Vec<String> {
        let session = Session::new();
        session.send(protocol);
        let hello = session.until(&format!("{protocol}ok"));
        let is_ours = |line: &String| ["Level", "Strength", "Elo"].iter().any(|word| line.contains(word));
        hello.into_iter().filter(is_ours).collect()
    };
    assert_eq!(
        declared("uci"),
        [
            "option name Level type spin default 0 min 0 max 2",
            "option name UCI_LimitStrength type check default false",
            "option name UCI_Elo type spin default 900 min 500 max 900",
        ]
    );
    assert_eq!(declared("usi").len(), 3);
    assert_eq!(declared("ucci"), ["option Level type spin min 0 max 2 default 0"]);
}

/// The moves that `go` answers to from the start, after these options.
fn answers(options: &str, times: usize) -> (BTreeSet<String>, String) {
    let session = Session::new();
    session.send(&format!("uci\n{options}\nisready\nposition startpos"));
    session.until("readyok");
    let mut last = String::new();
    let moves = (0..times).map(|_| {
        session.send("go");
        let lines = session.until("bestmove");
        last = lines.iter().rev().find(|line| line.starts_with("info depth")).expect("a report").clone();
        field(&lines[lines.len() - 1], "bestmove").expect("a move").to_owned()
    });
    (moves.collect(), last)
}

#[test]
fn a_level_draws_its_moves_with_its_own_visits() {
    let (moves, report) = answers("setoption name Level value 1", 12);
    assert!(moves.len() > 3 && field(&report, "nodes") == Some("1"), "{moves:?} {report}");
    let (moves, report) = answers("setoption name Level value 2", 3);
    assert!(moves.len() == 1 && field(&report, "nodes") == Some("16"), "{moves:?} {report}");
    let by_elo = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 600";
    let (moves, report) = answers(by_elo, 12);
    assert!(moves.len() > 3 && field(&report, "nodes") == Some("1"), "{moves:?} {report}");
    let (_, report) = answers("setoption name UCI_Elo value 600", 1);
    assert_eq!(field(&report, "nodes"), Some("100"), "full strength");
}

#[test]
fn a_level_obeys_the_limits_of_go_and_stop() {
    let session = Session::new();
    session.send("uci\nsetoption name Level value 2\nisready\nposition startpos\ngo nodes 3");
    let lines = session.until("bestmove");
    assert!(lines.iter().any(|line| field(line, "nodes") == Some("3")), "{lines:?}");
    session.send("go infinite");
    assert!(session.during(Duration::from_millis(200)).iter().all(|line| !line.starts_with("bestmove")));
    session.send("stop");
    session.best_move();
    session.send(&format!("position fen {WON}\ngo"));
    assert!(wins_at_once(WON, &session.best_move()), "a win in one is played at every level");
}

#[test]
fn a_level_that_ponders_makes_its_visits_once() {
    let session = Session::new();
    session.send("uci\nsetoption name Level value 2\nisready\nposition startpos moves h3e3");
    session.until("readyok");
    session.send("go ponder wtime 60000 btime 60000");
    let mut lines = session.during(A_WHILE);
    assert!(says_no_move(&lines), "{lines:?}");
    session.send("ponderhit");
    lines.extend(session.until("bestmove"));
    let nodes = lines.iter().filter(|line| line.starts_with("info depth")).filter_map(|line| field(line, "nodes"));
    assert_eq!(nodes.map(|nodes| nodes.parse::<u32>().expect("a number")).sum::<u32>(), 16, "{lines:#?}");
    session.end();
}

#[test]
fn every_number_is_taken_in_the_range_that_is_declared() {
    for protocol in Protocol::ALL {
        let session = Session::new();
        session.send(protocol.word());
        let hello = session.until(&format!("{protocol}ok"));
        let mut numbers = 0;
        for option in hello.iter().filter_map(|line| EngineOption::read(protocol, line)) {
            let EngineOption { name, kind: OptionKind::Spin { default: Some(default), range: Some((least, most)) } } =
                option
            else {
                continue;
            };
            numbers += 1;
            let is_refused = |value: &str| {
                let command = GuiCommand::SetOption { name: name.clone(), value: value.to_owned() };
                session.send(&command.write(Dialect::new(protocol)));
                // `isready` would make a board, with a tree of any size.
                session.send("nothing");
                let end = if protocol == Protocol::Ucci { "info message unknown" } else { "info string unknown" };
                let refused = format!(" {name} is {least} to {most}, not {value:?}");
                session.until(end).iter().any(|line| line.ends_with(&refused))
            };
            for value in [(least - 1).to_string(), (most + 1).to_string(), "many".to_owned()] {
                assert!(is_refused(&value), "{name} {value}");
            }
            for value in [least, most, default] {
                assert!(!is_refused(&value.to_string()), "{name} {value}");
            }
        }
        assert!(numbers >= 6, "{hello:#?}");
        session.end();
    }
}

#[test]
fn a_network_without_levels_has_no_option_for_them() {
    let network = tempfile::NamedTempFile::new().expect("a file");
    let session = Session::new();
    session.send(&format!("uci\nsetoption name EvalFile value {}\nuci", network.path().display()));
    session.until("uciok");
    assert!(session.until("uciok").iter().all(|line| !line.contains("option name Level")));
    session.send("setoption name Level value 1\nsetoption name UCI_Elo value 600\nisready");
    let told = session.until("readyok");
    assert_eq!(told[..2], ["Level", "UCI_Elo"].map(|name| format!("info string {name}: this network has no levels")));
    // The levels are those of the network that was named last, although nothing has asked for its board yet.
    session.send("setoption name EvalFile value <empty>\nsetoption name Level value 1\nposition startpos\ngo");
    let lines = session.until("bestmove");
    assert!(lines.iter().any(|line| field(line, "nodes") == Some("1")), "{lines:#?}");
    session.end();
}
