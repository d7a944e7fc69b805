//! Garbage, refusals, changes of mind, and evaluators that fail.

use super::*;

#[test]
fn garbage_is_told_and_nothing_breaks() {
    let talk = Talk::new();
    talk.say(
        "uci\n\nxyzzy\nposition\nposition fen nonsense\nsetoption name Elo value 3\nsetoption name MultiPV value 0",
    );
    talk.say("setoption name EvalFile value /nowhere\nponderhit\nstop\ndebug on\nregister later\ngo nodes x\nisready");
    let told = talk.until("readyok");
    let messages: Vec<&String> = told.iter().filter(|line| line.starts_with("info string")).collect();
    for says in [
        "unknown command \"xyzzy\"",
        "position wants startpos",
        "FEN",
        "no option \"Elo\"",
        "MultiPV is 1 to 500, not \"0\"",
        "cannot read /nowhere",
        "go: nodes wants a number",
    ] {
        assert!(messages.iter().any(|line| line.contains(says)), "{says} in {messages:#?}");
    }
    let say = talk.say.as_ref().expect("running");
    say.send(Heard { at: Instant::now(), line: None }).expect("somebody listens");
    talk.until("info string a line of more than");
    talk.say("go searchmoves a1a2");
    assert!(talk.until("bestmove")[0].contains("left out \"searchmoves\" \"a1a2\""));
    talk.end();
}

#[test]
fn an_illegal_move_is_named_and_the_position_stays() {
    let talk = Talk::new();
    talk.say(&format!("uci\nposition fen {WON}"));
    talk.say("position startpos moves h3e3 a1a9 h10g8");
    let told = talk.until("info string move 2");
    assert!(told[told.len() - 1].contains("\"a1a9\" is not legal"), "{told:#?}");
    talk.say("position startpos moves h3e3 e\ngo nodes 500");
    assert!(wins_at_once(WON, &talk.best_move()), "in the position before");
    talk.end();
}

#[test]
fn commands_end_a_search_that_nobody_stopped() {
    let talk = Talk::new();
    talk.say("uci\nposition startpos\ngo infinite\nposition startpos moves h3e3\ngo infinite\ngo nodes 10\nisready");
    let lines = talk.until("readyok").into_iter().chain(talk.during(Duration::from_millis(300)));
    assert_eq!(lines.filter(|line| line.starts_with("bestmove")).count(), 3);
    talk.say("go infinite");
    let rest = talk.end();
    assert!(rest.last().is_some_and(|line| line.starts_with("bestmove")), "the end of the input ends it: {rest:#?}");
}

#[test]
fn two_games_and_another_variant() {
    let talk = Talk::new();
    talk.say("uci");
    talk.until("uciok");
    for _game in 0..2 {
        let mut moves = String::new();
        talk.say("ucinewgame\nisready");
        talk.until("readyok");
        for _ply in 0..6 {
            talk.say(&format!("position startpos moves{moves}\ngo nodes 20"));
            moves += &format!(" {}", talk.best_move());
        }
    }
    for &variant in rules::VariantId::ALL {
        talk.say(&format!("setoption name UCI_Variant value {variant}\nisready\nposition startpos\ngo nodes 8"));
        let best = talk.best_move();
        let legal = rules::dispatch!(variant, V => Position::<V>::start().parse_move(&best).is_ok());
        assert!(legal, "{variant}: {best}");
    }
    talk.say("setoption name UCI_Variant value chess\nisready");
    assert!(talk.until("readyok")[0].contains("no variant is called"));
    talk.end();
}

#[test]
fn a_game_that_is_over_by_our_rules_goes_on_if_the_gui_says_so() {
    // Four times the same position.
    let cycle = " a1a2 a10a9 a2a1 a9a10".repeat(5);
    let talk = Talk::new();
    talk.say(&format!("uci\nposition startpos moves{cycle}\ngo nodes 10"));
    let best = talk.best_move();
    assert!(is_legal::<Xiangqi>("uci", Xiangqi::START, &best), "{best}");
    talk.end();
}

#[test]
fn a_network_that_fails_does_not_lose_the_game_by_silence() {
    // The first four batches, two of them at the start, are well.
    let talk = Talk::with(|| NotFiniteEvaluator::new(HashEvaluator::new(4, 1), 4));
    talk.say("uci\nposition startpos\ngo infinite");
    talk.until("info string the network returned NaN");
    talk.say("stop");
    assert!(is_legal::<Xiangqi>("uci", Xiangqi::START, &talk.best_move()));
    talk.end();
}
