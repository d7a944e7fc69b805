//! What one end of a pipe writes, the other end reads.

use super::*;
use rules::{Game, Rules, Shogi, Side, Variant, Xiangqi};
use std::time::Duration;

const DIALECTS: [Dialect; 4] = [
    Dialect::new(Protocol::Uci),
    Dialect::new(Protocol::Usi),
    Dialect::new(Protocol::Ucci),
    Dialect::new(Protocol::Ucci).with_milliseconds(),
];

fn time(seconds: u64, increment: Option<u64>) -> PlayerTime {
    PlayerTime { left: Some(Duration::from_secs(seconds)), increment: increment.map(Duration::from_secs) }
}

/// Every kind of command, as a client may send it.
fn commands(protocol: Protocol) -> Vec<GuiCommand> {
    let text = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let option = |name: &str, value: &str| GuiCommand::SetOption { name: name.into(), value: value.into() };
    let mut all = vec![
        GuiCommand::Handshake(protocol),
        GuiCommand::IsReady,
        GuiCommand::NewGame,
        option("Hash", "64"),
        option("EvalFile", "/a b/net.safetensors"),
        option("Clear", ""),
        GuiCommand::Position(PositionCommand::default()),
        GuiCommand::Position(PositionCommand {
            start: Some("8/8 w - - 0 1".into()),
            moves: text(&["a1a2", "P*5e", "b2b3+"]),
        }),
        GuiCommand::Stop,
        GuiCommand::PonderHit,
        GuiCommand::Quit,
    ];
    for to_move in Side::BOTH {
        for (own, opponent) in [(time(60, None), time(50, None)), (time(60, Some(1)), time(0, Some(2)))] {
            let clocks = Clocks::new(protocol, to_move, own, opponent);
            all.push(GuiCommand::Go(Go { clocks, moves_to_go: Some(7), ..Go::default() }));
            all.push(GuiCommand::Go(Go { clocks, ponder: true, ..Go::default() }));
        }
    }
    let go = [
        Go::default(),
        Go { nodes: Some(u64::MAX), depth: Some(9), ..Go::default() },
        Go { movetime: Some(Duration::from_secs(3)), ..Go::default() },
        Go { byoyomi: Some(Duration::from_secs(5)), ..Go::default() },
        Go { infinite: true, ..Go::default() },
        Go { perft: Some(4), ..Go::default() },
        Go { mate: Some(12), ..Go::default() },
        Go { mate: Some(u32::MAX), ..Go::default() },
    ];
    all.extend(go.map(GuiCommand::Go));
    all
}

#[test]
fn commands_are_read_as_they_were_written() {
    for dialect in DIALECTS {
        for command in commands(dialect.protocol) {
            let line = command.write(dialect);
            assert_eq!(GuiCommand::read(dialect, &line).as_ref(), Ok(&command), "{dialect:?}: {line}");
        }
    }
    // UCCI engines may have the start of a game as a button, which means what the command means.
    let button = GuiCommand::SetOption { name: "newgame".into(), value: String::new() };
    let ucci = Dialect::new(Protocol::Ucci);
    assert_eq!(button.write(ucci), "setoption newgame");
    assert_eq!(GuiCommand::read(ucci, &button.write(ucci)), Ok(GuiCommand::NewGame));
}

/// Every kind of reply, as our server sends it.
fn replies(protocol: Protocol) -> Vec<Reply> {
    let text = |text: &str| text.to_owned();
    let option = |name: &str, kind| Reply::Option(EngineOption { name: text(name), kind });
    let info = Info { depth: Some(9), nodes: Some(12_345), time: Some(Duration::from_millis(777)), ..Info::default() };
    let best =
        |mv: &str, ponder: Option<&str>| Reply::BestMove(BestMove::Move { mv: text(mv), ponder: ponder.map(text) });
    let mut all = vec![
        Reply::Name(text("Kirin 1.0 network of generation 3")),
        Reply::Author(text("the authors")),
        option("Move Overhead", OptionKind::Spin { default: Some(50), range: Some((0, 60_000)) }),
        option("Ponder", OptionKind::Check { default: true }),
        option("Variant", OptionKind::Combo { default: text("b"), choices: vec![text("a"), text("b")] }),
        option("EvalFile", OptionKind::Text { default: text("/a b/c") }),
        option("Ruleset", OptionKind::Text { default: String::new() }),
        option("Clear", OptionKind::Button),
        Reply::HandshakeDone,
        Reply::ReadyOk,
        Reply::Message(text("move 3: 5 is not a move")),
        Reply::Info(info.clone()),
        best("7g7f", Some("3c3d")),
        best("P*5e", None),
        Reply::BestMove(BestMove::Resign),
        Reply::NoMateSolver,
        Reply::PerftMove { mv: text("h3e3"), leaves: 44 },
        Reply::PerftTotal(1_920),
        Reply::Bye,
    ];
    let scores = [
        ReportedScore::Centipawns(-35),
        ReportedScore::Win(Some(1)),
        ReportedScore::Win(Some(7)),
        ReportedScore::Loss(Some(0)),
        ReportedScore::Loss(Some(8)),
    ];
    for score in scores {
        all.push(Reply::Info(Info { score: Some(score), pv: vec![text("a1a2"), text("b1b2")], ..info.clone() }));
    }
    if protocol == Protocol::Usi {
        all.push(Reply::BestMove(BestMove::Win));
        all.push(Reply::Info(Info { score: Some(ReportedScore::Win(None)), ..info.clone() }));
        all.push(option("Book", OptionKind::File { default: text("book.db") }));
    } else {
        all.push(Reply::BestMove(BestMove::NoMove));
    }
    if protocol != Protocol::Ucci {
        let more = Info { seldepth: Some(12), multipv: Some(2), hashfull: Some(500), nps: Some(9_999), ..info };
        all.push(Reply::Info(Info { wdl: Some([700, 200, 100]), is_bound: true, score: Some(scores[0]), ..more }));
    }
    all
}

#[test]
fn replies_are_read_as_they_were_written() {
    for protocol in Protocol::ALL {
        for reply in replies(protocol) {
            let line = reply.write(protocol);
            assert_eq!(Reply::read(protocol, &line), Some(reply), "{protocol}: {line}");
        }
    }
    let nothing = Reply::BestMove(BestMove::NoMove).write(Protocol::Usi);
    assert_eq!(Reply::read(Protocol::Usi, &nothing), Some(Reply::BestMove(BestMove::Resign)));
}

fn games_of<V: Variant>(protocol: Protocol, moves: &[&str]) {
    let notation = GameNotation::<V>::of(protocol).expect("a notation");
    let mut game = Game::<V>::start(Rules::default());
    for mv in moves {
        let mv = notation.read_move(game.position(), mv).expect("a legal move");
        game.play(mv);
    }
    let dialect = Dialect::new(protocol);
    let line = GuiCommand::Position(notation.write_position(&game)).write(dialect);
    let Ok(GuiCommand::Position(command)) = GuiCommand::read(dialect, &line) else { panic!("{line}") };
    let read = notation.read_position(Rules::default(), &command).expect("the same game");
    assert_eq!((read.position(), read.moves()), (game.position(), game.moves()), "{line}");
}

#[test]
fn games_are_read_as_they_were_written() {
    games_of::<Xiangqi>(Protocol::Uci, &["h3e3", "h10g8"]);
    games_of::<Xiangqi>(Protocol::Ucci, &["h2e2", "h9g7"]);
    games_of::<Shogi>(Protocol::Uci, &["c3c4", "g7g6"]);
    games_of::<Shogi>(Protocol::Usi, &["7g7f", "3c3d", "8h2b+"]);
    // A promotion that is declined.
    games_of::<Shogi>(Protocol::Usi, &["7g7f", "3c3d", "8h2b="]);
    assert!(GameNotation::<Xiangqi>::of(Protocol::Usi).is_none());
}
