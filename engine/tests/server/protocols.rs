//! The handshake, positions and answers of each protocol.

use super::*;

#[test]
fn uci() {
    let session = Session::new();
    session.send("uci");
    let hello = session.until("uciok");
    assert!(hello.iter().any(|line| line.starts_with("id name Kirin")), "{hello:#?}");
    let options = [
        "option name UCI_Variant type combo default xiangqi var janggi var xiangqi",
        "option name MultiPV type spin default 1 min 1 max 500",
        "option name UCI_ShowWDL type check default false",
        "option name CpuctDeviationPercent type spin default 85 min 0 max 100",
        "option name EvalFile type string default <empty>",
        "option name Ponder type check default false",
    ];
    for option in options {
        assert!(hello.iter().any(|line| line.starts_with(option)), "{option} in {hello:#?}");
    }
    session.send("setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true\nisready");
    session.until("readyok");
    session.send("ucinewgame\nposition startpos moves h3e3 h10g8\ngo nodes 300");
    let answer = session.until("bestmove");
    let fen = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2";
    let infos: Vec<&String> = answer.iter().filter(|line| line.starts_with("info depth")).collect();
    let last = &infos[infos.len() - 3..];
    for (number, line) in last.iter().enumerate() {
        assert_eq!(field(line, "multipv"), Some((number + 1).to_string().as_str()), "{line}");
        assert_eq!(field(line, "nodes"), Some("300"), "{line}");
        assert!(is_legal::<Xiangqi>("uci", fen, field(line, "pv").expect("a line")), "{line}");
        let words: Vec<&str> = line.split_whitespace().collect();
        let wdl = words.iter().position(|&word| word == "wdl").expect("wdl");
        assert_eq!(words[wdl - 3..wdl - 1], ["score", "cp"], "{line}");
        let parts = words[wdl + 1..wdl + 4].iter().map(|part| part.parse::<u32>().expect("a number"));
        assert_eq!(parts.sum::<u32>(), 1_000, "{line}");
        for name in ["seldepth", "nps", "time", "hashfull"] {
            assert!(field(line, name).is_some_and(|value| value.parse::<u64>().is_ok()), "{name} in {line}");
        }
    }
    let best = answer[answer.len() - 1].as_str();
    assert_eq!(field(best, "bestmove"), field(last[0], "pv"));
    assert!(field(best, "ponder").is_some(), "{best}");
    session.send("quit");
    assert_eq!(session.end(), Vec::<String>::new());
}

#[test]
fn usi() {
    let session = Session::new();
    session.send("usi");
    let hello = session.until("usiok");
    for option in [
        "option name USI_Hash type spin",
        "option name EvalFile type filename",
        "option name USI_Variant type combo default shogi",
    ] {
        assert!(hello.iter().any(|line| line.starts_with(option)), "{option} in {hello:#?}");
    }
    session.send("setoption name USI_Ponder value true\nsetoption name USI_Hash value 32\nisready\nusinewgame");
    session.until("readyok");
    session.send("position startpos moves 7g7f 3c3d\ngo nodes 100");
    let fen = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL[] w - - 0 2";
    let best = session.best_move();
    assert!(is_legal::<Shogi>("usi", fen, &best), "{best}");
    // A drop in SFEN, and a promotion declined with `=`.
    session.send("position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5g 5a4a 5g5f=\ngo nodes 1");
    assert!(is_legal::<Shogi>("usi", "5k3/9/9/9/9/4P4/9/9/4K4[] b - - 0 2", &session.best_move()));
    // Mate in one, counted in plies: gold on the head.
    session.send("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1\ngo nodes 1000");
    let answer = session.until("bestmove");
    let info = answer.iter().rfind(|line| line.starts_with("info depth")).expect("a line");
    assert!(info.contains(" score mate 1 ") && answer.concat().contains("bestmove G*5b"), "{answer:#?}");
    // Mated.
    session.send("position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\ngo byoyomi 1000");
    assert_eq!(session.until("bestmove").last().map(String::as_str), Some("bestmove resign"));
    session.send("gameover lose\ngo mate 1000");
    session.until("checkmate notimplemented");
    session.end();
}

#[test]
fn usi_declares_a_win() {
    // Ten pieces and 28 points in the camp, and the king.
    let camp = "position sfen 1K1RRBB2/PPPPPPPP1/9/9/9/9/9/9/8k b 2G 1";
    let session = Session::new();
    session.send(&format!("usi\n{camp}\ngo nodes 50"));
    assert_ne!(session.best_move(), "win", "by 24 points nobody declares");
    session.send(&format!("setoption name Ruleset value declare27\nisready\n{camp}\ngo nodes 50"));
    assert_eq!(session.best_move(), "win");
    session.send(&format!("{camp}\ngo ponder nodes 50"));
    assert_eq!(session.during(Duration::from_millis(100)), Vec::<String>::new());
    session.send("ponderhit");
    assert_eq!(session.best_move(), "win");
    session.send("setoption name Ruleset value 27\nisready");
    let told = session.until("readyok");
    assert!(told[0].contains("it has: points24, declare27"), "{told:#?}");
    session.end();
}

#[test]
fn ucci() {
    let session = Session::new();
    session.send("ucci");
    let hello = session.until("ucciok");
    for option in [
        "option UCCI_Variant type combo var janggi",
        "option hashsize type spin min 1",
        "option usemillisec type check default false",
        "option newgame type button",
    ] {
        assert!(hello.iter().any(|line| line.starts_with(option)), "{option} in {hello:#?}");
    }
    session.send("setoption usemillisec true\nsetoption newgame\nisready");
    session.until("readyok");
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    session.send(&format!(
        "position fen {fen} moves h2e2 h9g7\nbanmoves b2b9\ngo time 3000 increment 0 opptime 9 oppincrement 0"
    ));
    let answer = session.until("bestmove");
    let best = field(&answer[answer.len() - 1], "bestmove").expect("a move");
    let now = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2";
    assert!(is_legal::<Xiangqi>("ucci", now, best), "{best}");
    let info = &answer[answer.len() - 2];
    assert!(field(info, "score").is_some_and(|score| score.parse::<i32>().is_ok()), "{info}");
    assert!(!info.contains("multipv") && !info.contains(" cp "), "{info}");
    // Checkmate by two chariots: no move is left.
    session.send("position fen 3k5/3R5/3R5/9/9/9/9/9/9/4K4 b - - 0 1\ngo depth 3");
    session.until("nobestmove");
    session.send("quit");
    assert_eq!(session.until("bye").len(), 1);
    session.end();
}

#[test]
fn perft_for_those_who_compare() {
    let session = Session::new();
    session.send("uci\nposition startpos\ngo perft 2");
    let lines = session.until("Nodes searched: 1920");
    let counts: Vec<u64> = lines.iter().filter_map(|line| line.split_once(": ")?.1.parse().ok()).collect();
    // Each of the 44 moves, and the sum.
    assert_eq!((counts.len(), counts[..44].iter().sum::<u64>()), (45, 1920));
    session.send("go perft 9");
    session.until("info string perft counts to depth 4");
    session.end();
}
