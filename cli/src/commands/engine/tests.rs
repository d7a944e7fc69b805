//! Dialogues, as GUIs and match runners lead them.

use super::options::Settings;
use super::session::{Judge, Session};
use super::wire::{Heard, Wire};
use rules::{Notation, Position, Shogi, Variant, Xiangqi};
use selfplay::{EvaluationError, Evaluations, Evaluator, HashEvaluator, LeafBatch, NotFiniteEvaluator};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

mod clocks;
mod protocols;
mod robustness;

/// Far more than anything here takes.
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

/// A dialogue with an engine that has no network but this evaluator.
struct Talk {
    say: Option<Sender<Heard>>,
    heard: Receiver<String>,
    session: Option<JoinHandle<()>>,
}

fn settings() -> Settings {
    Settings {
        variant: None,
        ruleset: None,
        net: None,
        visits: 100,
        lines: 1,
        batch: 4,
        memory: 64,
        overhead: Duration::from_millis(20),
        wdl: false,
        milliseconds: false,
    }
}

impl Talk {
    fn with<E: Evaluator + 'static>(evaluator: impl Fn() -> E + Send + 'static) -> Talk {
        let (say, said) = mpsc::channel();
        let (to, heard) = mpsc::channel();
        let session = thread::spawn(move || {
            let appoint = move |settings: &Settings, native| match &settings.net {
                Some(path) => Err(format!("cannot read {}", path.display())),
                None => Ok(Judge {
                    variant: settings.variant.unwrap_or(native),
                    evaluator: Box::new(evaluator()),
                    name: None,
                }),
            };
            let wire = Arc::new(Wire::new(Lines { to, begun: Vec::new() }));
            Session::new(settings(), Box::new(appoint), wire).run(&said).expect("no breakdown");
        });
        Talk { say: Some(say), heard, session: Some(session) }
    }

    /// Opinions at random, as a network has.
    fn new() -> Talk {
        Talk::with(|| HashEvaluator::new(16, 7))
    }

    fn say(&self, lines: &str) {
        let say = self.say.as_ref().expect("not yet ended");
        for line in lines.lines() {
            say.send(Heard { at: Instant::now(), line: Some(line.trim().to_owned()) }).expect("somebody listens");
        }
    }

    /// What was said up to a line that begins so.
    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.heard.recv_timeout(PATIENCE);
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

    /// Everything said within a time.
    fn during(&self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let next = || self.heard.recv_timeout(end.saturating_duration_since(Instant::now())).ok();
        std::iter::from_fn(next).collect()
    }

    /// Ends the input and returns what is still said.
    fn end(mut self) -> Vec<String> {
        self.say = None;
        self.session.take().expect("running").join().expect("no panic");
        self.heard.iter().collect()
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

/// Takes its time for each batch.
struct Slow(Duration);

impl Evaluator for Slow {
    fn batch_size(&self) -> usize {
        16
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        thread::sleep(self.0);
        HashEvaluator::new(16, 7).evaluate(batch, out)
    }
}
