//! `stop`, pondering, and never exceeding the time.

use super::*;

/// How long the engine must not answer.
pub(super) const A_WHILE: Duration = Duration::from_millis(150);

pub(super) fn says_no_move(lines: &[String]) -> bool {
    lines.iter().all(|line| !line.starts_with("bestmove"))
}

#[test]
fn infinite_ends_with_stop_and_not_before() {
    let session = Session::new();
    session.send("uci\nposition startpos\ngo infinite\nisready");
    assert!(says_no_move(&session.until("readyok")), "isready is answered while it thinks");
    assert!(says_no_move(&session.during(A_WHILE)));
    let begun = Instant::now();
    session.send("stop");
    session.best_move();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    // A certain outcome ends the search, but the answer waits.
    session.send(&format!("position fen {WON}\ngo infinite"));
    assert!(says_no_move(&session.during(A_WHILE)));
    session.send("stop");
    let lines = session.until("bestmove");
    assert_eq!(lines.len(), 1, "all else was told before: {lines:#?}");
    assert!(wins_at_once(WON, field(&lines[0], "bestmove").expect("a move")), "{lines:#?}");
    session.send("stop\nstop\nisready");
    assert_eq!(session.until("readyok").len(), 1, "nothing to stop");
    session.end();
}

#[test]
fn pondering_becomes_thinking() {
    let session = Session::new();
    session.send("uci\nposition startpos moves h3e3\ngo ponder wtime 400 btime 400 movestogo 1");
    assert!(says_no_move(&session.during(Duration::from_millis(500))), "the clock does not run yet");
    let begun = Instant::now();
    session.send("ponderhit");
    session.best_move();
    let taken = begun.elapsed();
    assert!(taken > Duration::from_millis(100) && taken < Duration::from_secs(2), "{taken:?}");
    session.send("go ponder nodes 50");
    assert!(says_no_move(&session.during(A_WHILE)));
    session.send("stop");
    session.best_move();
    // Without `go ponder` before it, `ponderhit` means nothing.
    session.send("go infinite\nponderhit");
    assert!(says_no_move(&session.during(A_WHILE)));
    session.send("stop");
    session.best_move();
    session.end();
}

#[test]
fn a_game_by_the_clock_is_never_lost_on_time() {
    // Each round takes 40 ms at least, and there are 20 ms of overhead: many searches end between two rounds.
    let session = Session::with(|| slow_evaluator(Duration::from_millis(40)));
    session.send("uci\nsetoption name MoveOverhead value 60\nisready");
    session.until("readyok");
    let mut left = Duration::from_millis(2_500);
    let (mut moves, mut used) = (String::new(), Vec::new());
    for _ in 0..8 {
        session.send(&format!("position startpos moves{moves}"));
        let begun = Instant::now();
        session.send(&format!("go wtime {0} btime {0} movestogo 4", left.as_millis()));
        moves += &format!(" {}", session.best_move());
        used.push(begun.elapsed());
        left = left.checked_sub(begun.elapsed()).unwrap_or_else(|| panic!("overstepped: {used:?}"));
    }
    assert!(used[0] > Duration::from_millis(250), "a quarter of the time is there to be used: {used:?}");
    session.end();
}

#[test]
fn byoyomi_is_used_up_to_the_margin() {
    let session = Session::with(|| slow_evaluator(Duration::from_millis(100)));
    session.send("usi\nsetoption name MoveOverhead value 150\nisready");
    session.until("readyok");
    for go in ["go btime 0 wtime 0 byoyomi 900", "go movetime 900"] {
        session.send("position startpos");
        let begun = Instant::now();
        session.send(go);
        session.best_move();
        let taken = begun.elapsed();
        assert!(taken < Duration::from_millis(900), "{go}: {taken:?}");
        assert!(taken > Duration::from_millis(350), "{go}: {taken:?}");
    }
    // No time at all: one evaluation, and a move.
    session.send("position startpos moves 7g7f\ngo btime 0 wtime 0");
    session.best_move();
    session.end();
}

#[test]
fn depth_is_reached() {
    let session = Session::new();
    session.send("uci\nposition startpos\ngo depth 3");
    let lines = session.until("bestmove");
    let depth = lines.iter().filter_map(|line| field(line, "depth")).next_back().expect("a depth");
    assert!(depth.parse::<u32>().expect("a number") >= 3, "{lines:#?}");
    session.end();
}
