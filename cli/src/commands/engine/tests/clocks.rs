//! `stop`, pondering, and never stepping over the time.

use super::*;

/// While it may not answer.
const A_WHILE: Duration = Duration::from_millis(150);

fn says_no_move(lines: &[String]) -> bool {
    lines.iter().all(|line| !line.starts_with("bestmove"))
}

#[test]
fn infinite_ends_with_stop_and_not_before() {
    let talk = Talk::new();
    talk.say("uci\nposition startpos\ngo infinite\nisready");
    assert!(says_no_move(&talk.until("readyok")), "isready is answered while it thinks");
    assert!(says_no_move(&talk.during(A_WHILE)));
    let begun = Instant::now();
    talk.say("stop");
    talk.best_move();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    // A certain outcome ends the search, but the answer waits.
    talk.say(&format!("position fen {WON}\ngo infinite"));
    assert!(says_no_move(&talk.during(A_WHILE)));
    talk.say("stop");
    let lines = talk.until("bestmove");
    assert_eq!(lines.len(), 1, "all else was told before: {lines:#?}");
    assert!(wins_at_once(WON, field(&lines[0], "bestmove").expect("a move")), "{lines:#?}");
    talk.say("stop\nstop\nisready");
    assert_eq!(talk.until("readyok").len(), 1, "nothing to stop");
    talk.end();
}

#[test]
fn pondering_becomes_thinking() {
    let talk = Talk::new();
    talk.say("uci\nposition startpos moves h3e3\ngo ponder wtime 400 btime 400 movestogo 1");
    assert!(says_no_move(&talk.during(Duration::from_millis(500))), "the clock does not run yet");
    let begun = Instant::now();
    talk.say("ponderhit");
    talk.best_move();
    let taken = begun.elapsed();
    assert!(taken > Duration::from_millis(100) && taken < Duration::from_secs(2), "{taken:?}");
    talk.say("go ponder nodes 50");
    assert!(says_no_move(&talk.during(A_WHILE)));
    talk.say("stop");
    talk.best_move();
    // Without --ponder before, the word means nothing.
    talk.say("go infinite\nponderhit");
    assert!(says_no_move(&talk.during(A_WHILE)));
    talk.say("stop");
    talk.best_move();
    talk.end();
}

#[test]
fn a_game_by_the_clock_is_never_lost_on_time() {
    // Each round takes 40 ms at least, and there are 20 ms of overhead: many searches end between two rounds.
    let talk = Talk::with(|| Slow(Duration::from_millis(40)));
    talk.say("uci\nsetoption name MoveOverhead value 60\nisready");
    talk.until("readyok");
    let mut left = Duration::from_millis(2_500);
    let (mut moves, mut used) = (String::new(), Vec::new());
    for _ in 0..8 {
        talk.say(&format!("position startpos moves{moves}"));
        let begun = Instant::now();
        talk.say(&format!("go wtime {0} btime {0} movestogo 4", left.as_millis()));
        moves += &format!(" {}", talk.best_move());
        used.push(begun.elapsed());
        left = left.checked_sub(begun.elapsed()).unwrap_or_else(|| panic!("overstepped: {used:?}"));
    }
    assert!(used[0] > Duration::from_millis(250), "a quarter of the time is there to be used: {used:?}");
    talk.end();
}

#[test]
fn byoyomi_is_used_up_to_the_margin() {
    let talk = Talk::with(|| Slow(Duration::from_millis(100)));
    talk.say("usi\nsetoption name MoveOverhead value 150\nisready");
    talk.until("readyok");
    for go in ["go btime 0 wtime 0 byoyomi 900", "go movetime 900"] {
        talk.say("position startpos");
        let begun = Instant::now();
        talk.say(go);
        talk.best_move();
        let taken = begun.elapsed();
        assert!(taken < Duration::from_millis(900), "{go}: {taken:?}");
        assert!(taken > Duration::from_millis(350), "{go}: {taken:?}");
    }
    // No time at all: one evaluation, and a move.
    talk.say("position startpos moves 7g7f\ngo btime 0 wtime 0");
    talk.best_move();
    talk.end();
}

#[test]
fn depth_is_reached() {
    let talk = Talk::new();
    talk.say("uci\nposition startpos\ngo depth 3");
    let lines = talk.until("bestmove");
    let depth = lines.iter().filter_map(|line| field(line, "depth")).next_back().expect("a depth");
    assert!(depth.parse::<u32>().expect("a number") >= 3, "{lines:#?}");
    talk.end();
}
