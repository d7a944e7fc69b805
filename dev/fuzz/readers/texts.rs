//! Lines of engines and of the GUIs that use them, books of openings, suites of counts.

use super::variant;
use engine::EngineConfig;
use engine::protocol::{BestMove, Dialect, GameNotation, GuiCommand, Protocol, Reply};
use eval::benchmark::ReferenceLadder;
use rules::{Position, Rules, Variant};
use settings::Complaints;

const PROTOCOLS: [Protocol; 3] = [Protocol::Uci, Protocol::Usi, Protocol::Ucci];

/// What an engine says, line by line, in each protocol. The first byte chooses the variant whose moves it means.
pub fn engine(data: &[u8]) {
    let Some((id, text)) = variant(data) else { return };
    let text = String::from_utf8_lossy(text);
    for line in text.lines() {
        for protocol in PROTOCOLS {
            let Some(reply) = Reply::read(protocol, line) else { continue };
            // What we write is understood again.
            let written = reply.write(protocol);
            assert!(!written.contains('\n'), "{written:?}");
            if let Reply::BestMove(BestMove::Move { mv, .. }) = &reply {
                rules::dispatch!(id, V => check_move::<V>(protocol, mv));
            }
        }
    }
}

fn check_move<V: Variant>(protocol: Protocol, text: &str) {
    if let Some(notation) = GameNotation::<V>::of(protocol) {
        let position = Position::<V>::start();
        if let Ok(mv) = notation.read_move(&position, text) {
            assert!(position.is_legal(mv));
        }
    }
}

/// What a GUI says to `kirin engine`, line by line.
pub fn commands(data: &[u8]) {
    let Some((id, text)) = variant(data) else { return };
    let text = String::from_utf8_lossy(text);
    for line in text.lines() {
        for protocol in PROTOCOLS {
            let Ok(command) = GuiCommand::read(Dialect::new(protocol), line) else { continue };
            let written = command.write(Dialect::new(protocol));
            assert!(!written.contains('\n'), "{written:?}");
            if let GuiCommand::Position(position) = &command {
                rules::dispatch!(id, V => {
                    if let Some(notation) = GameNotation::<V>::of(protocol) {
                        let _ = notation.read_position(Rules::default(), position);
                    }
                });
            }
        }
    }
}

/// A book of openings. The first byte chooses the variant.
pub fn book(data: &[u8]) {
    let Some((id, bytes)) = variant(data) else { return };
    rules::dispatch!(id, V => {
        let _ = eval::openings::book::of_bytes::<V>(bytes, Rules::default());
    });
}

/// The engines of a file, each with the settings that an argument may add.
pub fn engines(data: &[u8]) {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Engines {
        #[serde(default)]
        engine: Vec<EngineConfig>,
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(engines) = toml::from_str::<Engines>(text) else { return };
    for engine in engines.engine {
        let mut complaints = Complaints::default();
        engine.check(&mut complaints);
        let settings = text.lines().next_back().unwrap_or_default();
        if let Err(error) = engine.with_settings(settings) {
            assert!(error.to_string().len() < 100_000);
        }
    }
}

/// Ladders, with the ratings that follow from their results.
pub fn ladders(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for ladder in ReferenceLadder::read(text).unwrap_or_default() {
        let _ = ladder.ratings();
    }
}

/// A suite of counts; no position is counted.
pub fn suite(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = rules::read_suite(text);
}
