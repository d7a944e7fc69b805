//! Weaker play: the options of each protocol, and what they change.

use super::*;
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
    session.send("setoption name Level value 7\ngo");
    let lines = session.until("bestmove");
    assert!(lines.iter().any(|line| line.contains("there is no level 7; the engine plays at level 2")), "{lines:?}");
    session.send("setoption name Level value many");
    session.send("isready");
    assert!(session.until("readyok").iter().any(|line| line.contains("Level is 0 to 100, not")));
}
