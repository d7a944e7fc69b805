//! Garbage, refusals, changes of mind, and evaluators that fail.

use super::*;

#[test]
fn garbage_is_told_and_nothing_breaks() {
    let session = Session::new();
    session.send(
        "uci\n\nxyzzy\nposition\nposition fen nonsense\nsetoption name Skill value 3\nsetoption name MultiPV value 0",
    );
    session
        .send("setoption name EvalFile value /nowhere\nponderhit\nstop\ndebug on\nregister later\ngo nodes x\nisready");
    let told = session.until("readyok");
    let messages: Vec<&String> = told.iter().filter(|line| line.starts_with("info string")).collect();
    for says in [
        "unknown command \"xyzzy\"",
        "position needs startpos",
        "FEN",
        "there is no option \"Skill\"",
        "MultiPV is 1 to 500, not \"0\"",
        "cannot read /nowhere",
        "go: nodes needs a number",
    ] {
        assert!(messages.iter().any(|line| line.contains(says)), "{says} in {messages:#?}");
    }
    let input = session.input.as_ref().expect("running");
    input.send(InputLine { received: Instant::now(), text: None }).expect("the server reads");
    session.until("info string a line of more than");
    session.send("go searchmoves a1a2");
    assert!(session.until("bestmove")[0].contains("ignored \"searchmoves\" \"a1a2\""));
    session.end();
}

#[test]
fn an_illegal_move_is_named_and_no_other_position_is_searched() {
    let session = Session::new();
    session.send(&format!("uci\nposition fen {WON}"));
    session.send("position startpos moves h3e3 a1a9 h10g8");
    let told = session.until("info string move 2");
    assert!(told[told.len() - 1].contains("\"a1a9\" is not legal"), "{told:#?}");
    session.send("position startpos moves h3e3 e\ngo nodes 500");
    let told = session.until("bestmove");
    assert_eq!(told.last().map(String::as_str), Some("bestmove (none)"), "{told:#?}");
    assert!(told.iter().any(|line| line.contains("the last position was refused")), "{told:#?}");
    session.send(&format!("position fen {WON}\ngo nodes 500"));
    assert!(wins_at_once(WON, &session.best_move()), "in the next position");
    session.send("position\ngo nodes 500");
    assert_eq!(session.until("bestmove").last().map(String::as_str), Some("bestmove (none)"));
    session.send("ucinewgame\ngo nodes 500");
    assert_ne!(session.best_move(), "(none)");
    session.end();
}

#[test]
fn settings_that_are_refused_are_not_replaced_by_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (good, late) = (path("good"), path("late"));
    std::fs::write(&good, "").expect("written");
    let session = Session::new();
    session.send("uci");
    let answer = |options: &str| {
        session.send(&format!("{options}\nisready\nucinewgame\nposition startpos\ngo nodes 5"));
        session.until("bestmove")
    };
    let refusal = |options: &str, why: &str| {
        let told = answer(options);
        let end = &told[told.len() - 2..];
        assert!(end[0].starts_with("info string go: ") && end[0].contains(why), "{options}: {told:#?}");
        assert_eq!(end[1], "bestmove (none)", "{options}");
    };
    let plays = |options: &str| {
        let told = answer(options);
        assert!(is_legal::<Xiangqi>("uci", Xiangqi::START, field(&told[told.len() - 1], "bestmove").expect("a move")));
        assert!(told.iter().all(|line| !line.contains("go needs another")), "{options}: {told:#?}");
    };
    let network = |path: &str| format!("setoption name EvalFile value {path}");
    let no_network = format!("cannot read {late}; go needs another EvalFile");
    refusal(&network(&late), &no_network);
    session.send("go perft 1");
    assert_eq!(session.until("bestmove").len(), 2);
    plays(&network(&good));
    refusal(&network(&late), &no_network);
    refusal("setoption name MultiPV value 2", &no_network);
    // The same setting, after the file was put there.
    std::fs::write(&late, "").expect("written");
    plays(&network(&late));
    refusal("setoption name Ruleset value none", "go needs another Ruleset");
    plays("setoption name Ruleset value default");
    plays("setoption name EvalFile value <empty>");
    session.end();
}

#[test]
fn commands_end_a_search_that_nobody_stopped() {
    let session = Session::new();
    session
        .send("uci\nposition startpos\ngo infinite\nposition startpos moves h3e3\ngo infinite\ngo nodes 10\nisready");
    let lines = session.until("readyok").into_iter().chain(session.during(Duration::from_millis(300)));
    assert_eq!(lines.filter(|line| line.starts_with("bestmove")).count(), 3);
    session.send("go infinite");
    let rest = session.end();
    assert!(rest.last().is_some_and(|line| line.starts_with("bestmove")), "the end of the input ends it: {rest:#?}");
}

#[test]
fn two_games_and_another_variant() {
    let session = Session::new();
    session.send("uci");
    session.until("uciok");
    for _game in 0..2 {
        let mut moves = String::new();
        session.send("ucinewgame\nisready");
        session.until("readyok");
        for _ply in 0..6 {
            session.send(&format!("position startpos moves{moves}\ngo nodes 20"));
            moves += &format!(" {}", session.best_move());
        }
    }
    for &variant in rules::VariantId::ALL {
        session.send(&format!("setoption name UCI_Variant value {variant}\nisready\nposition startpos\ngo nodes 8"));
        let best = session.best_move();
        let legal = rules::dispatch!(variant, V => Position::<V>::start().parse_move(&best).is_ok());
        assert!(legal, "{variant}: {best}");
    }
    session.send("setoption name UCI_Variant value chess\nisready");
    assert!(session.until("readyok")[0].contains("no variant is called"));
    session.end();
}

/// A board of Shogi on which the first player may declare a win by the rule of 27 points, with two golds in hand.
const CAMP: &str = "1K1RRBB2/PPPPPPPP1/9/9/9/9/9/9/8k";

#[test]
fn a_game_that_is_over_by_our_rules_goes_on_if_the_gui_says_so() {
    // Four times the same position.
    let cycle = " a1a2 a10a9 a2a1 a9a10".repeat(5);
    let session = Session::new();
    session.send(&format!("uci\nposition startpos moves{cycle}\ngo nodes 10"));
    let best = session.best_move();
    assert!(is_legal::<Xiangqi>("uci", Xiangqi::START, &best), "{best}");
    // Nothing was taken for 120 plies, or the side to move may declare itself the winner, which UCI cannot.
    session.send("position fen 3k5/9/9/9/9/9/9/4p4/9/R3K4 w - - 120 90\ngo nodes 30");
    let told = session.until("bestmove");
    assert!(told[told.len() - 2].contains(" nodes 30 "), "{told:#?}");
    session.send("setoption name UCI_Variant value shogi\nsetoption name Ruleset value declare27");
    session.send(&format!("position fen {CAMP}[GG] w - - 0 90\ngo nodes 30"));
    let told = session.until("bestmove");
    let over = "info string the game is over by the rule set; the engine plays any legal move";
    assert_eq!(told[told.len() - 2], over, "{told:#?}");
    session.end();
}

#[test]
fn the_end_of_the_input_waits_for_a_search_that_has_an_end() {
    for (end, nodes) in [("", true), ("\nquit", false)] {
        let session = Session::with(|| slow_evaluator(Duration::from_millis(5)));
        session.send(&format!("uci\nposition startpos\ngo nodes 600{end}"));
        let told = session.end();
        assert!(told[told.len() - 1].starts_with("bestmove"), "{told:#?}");
        assert_eq!(told[told.len() - 2].contains(" nodes 600 "), nodes, "{told:#?}");
    }
}

#[test]
fn a_rule_set_stays_if_the_variant_has_it() {
    let session = Session::new();
    session.send("usi\nsetoption name Ruleset value declare27\nsetoption name USI_Variant value shogi");
    let position = format!("position sfen {CAMP} b 2G 1\ngo nodes 5");
    session.send(&position);
    assert_eq!(session.best_move(), "win");
    session.send("setoption name USI_Variant value xiangqi\nsetoption name USI_Variant value shogi");
    session.send(&position);
    assert_ne!(session.best_move(), "win", "xiangqi has no such rule set");
    session.end();
}

#[test]
fn a_network_that_fails_does_not_lose_the_game_by_silence() {
    // The first four batches, two of them at the start, succeed.
    let session = Session::with(|| NotFiniteEvaluator::new(HashEvaluator::new(4, 1), 4));
    session.send("uci\nposition startpos\ngo infinite");
    session.until("info string the network returned NaN");
    session.send("stop");
    assert!(is_legal::<Xiangqi>("uci", Xiangqi::START, &session.best_move()));
    session.end();
}
