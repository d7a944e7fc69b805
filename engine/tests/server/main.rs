//! The engine server, as GUIs and match runners talk to it.

mod clocks;
mod levels;
mod protocols;
mod robustness;

use engine::server::{EngineLevel, InputLine, LoadedEvaluator, Replies, Server, Settings};
use rules::{Notation, Position, Rulebook, Shogi, Variant, Xiangqi};
use search::{DeviceEvaluator, Evaluator, HashEvaluator, NotFiniteEvaluator, SearchConfig};
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Far more time than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the engine writes, line by line.
struct Lines {
    to: Sender<String>,
    begun: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = String::from_utf8(std::mem::take(&mut self.begun)).expect("UTF-8");
                self.to.send(line).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
            } else {
                self.begun.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session with an engine that has an evaluator of the test's own. Any file that exists is a network without levels.
struct Session {
    input: Option<Sender<InputLine>>,
    output: Receiver<String>,
    server: Option<JoinHandle<()>>,
}

fn settings() -> Settings {
    Settings { visits: 100, batch: 4, memory: 64, overhead: Duration::from_millis(20), ..Settings::default() }
}

/// Two levels: one that plays at random, and one that searches.
fn levels() -> Vec<EngineLevel> {
    let level = |elo, visits, gumbel_scale| {
        let search = SearchConfig { visits, gumbel_scale, ..SearchConfig::default().for_matches() };
        EngineLevel { elo, search }
    };
    vec![level(500, 1, 10.0), level(900, 16, 0.0)]
}

impl Session {
    fn with<E: Evaluator + 'static>(evaluator: impl Fn() -> E + Send + 'static) -> Session {
        let (to_server, input) = mpsc::channel();
        let (to, output) = mpsc::channel();
        let server = thread::spawn(move || {
            let load = move |settings: &Settings, default_variant| match &settings.network {
                Some(path) if !path.exists() => Err(format!("cannot read {}", path.display()).into()),
                named => Ok(LoadedEvaluator {
                    variant: settings.variant.unwrap_or(default_variant),
                    evaluator: Box::new(evaluator()),
                    network: named.as_ref().map(|path| format!("network {}", path.display())),
                    levels: if named.is_none() { levels() } else { Vec::new() },
                }),
            };
            let replies = Replies::new(Lines { to, begun: Vec::new() });
            let server = Server::new(settings(), Box::new(load), replies).expect("a thread");
            server.run(&input).expect("the search thread lives");
        });
        Session { input: Some(to_server), output, server: Some(server) }
    }

    /// With random evaluations, which differ between positions as those of a network do.
    fn new() -> Session {
        Session::with(|| HashEvaluator::new(16, 7))
    }

    fn send(&self, lines: &str) {
        let input = self.input.as_ref().expect("not yet ended");
        for line in lines.lines() {
            input.send(InputLine::now(line.trim())).expect("the server reads");
        }
    }

    /// The lines up to one that begins with `start`.
    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.output.recv_timeout(PATIENCE);
            lines.push(line.unwrap_or_else(|_| panic!("no {start:?} after {lines:#?}")));
            if lines[lines.len() - 1].starts_with(start) {
                return lines;
            }
        }
    }

    fn best_move(&self) -> String {
        let lines = self.until("bestmove");
        lines[lines.len() - 1].split_whitespace().nth(1).expect("a move").to_owned()
    }

    /// All lines within a time.
    fn during(&self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let next = || self.output.recv_timeout(end.saturating_duration_since(Instant::now())).ok();
        std::iter::from_fn(next).collect()
    }

    /// Ends the input and returns the lines that still come.
    fn end(mut self) -> Vec<String> {
        self.input = None;
        self.server.take().expect("running").join().expect("no panic");
        self.output.iter().collect()
    }
}

/// The value after a word of a line.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_whitespace().skip_while(|&word| word != name).nth(1)
}

fn is_legal<V: Variant>(notation: &str, fen: &str, mv: &str) -> bool {
    let position = Position::<V>::from_text(fen).expect("a position");
    Notation::<V>::named(notation).expect("a notation").read(&position, mv).is_ok()
}

/// A position with several wins in one.
const WON: &str = "3k5/R8/1R7/9/9/9/9/9/9/5K3 w - - 0 1";

/// Whether a move leaves the opponent without one.
fn wins_at_once(fen: &str, mv: &str) -> bool {
    let mut position = Position::<Xiangqi>::from_text(fen).expect("a position");
    let mv = position.parse_move(mv).expect("a legal move");
    position.play(mv);
    position.perft(1) == 0
}

/// An evaluator that takes this long for each batch.
fn slow_evaluator(time: Duration) -> DeviceEvaluator<HashEvaluator> {
    DeviceEvaluator::new(HashEvaluator::new(16, 7), time)
}
