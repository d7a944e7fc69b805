//! A running engine: the handshake, a game, a move.

use super::dialect::Dialect;
use super::fault::{Fault, Trouble};
use super::options::EngineOption;
use super::process::{Process, Silence, Wait};
use super::protocol::{Answer, Protocol};
use super::said::Said;
use crate::limit::Clock;
use crate::score::Score;
use rules::{Game, Move, Variant};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long after `stop` an engine may take to answer.
const STOP_GRACE: Duration = Duration::from_millis(500);

/// Options and moves listened to: an engine that lists them without end must not fill the memory.
const MOST_OPTIONS: usize = 10_000;
const MOST_MOVES: usize = 10_000;

/// Characters of an engine's words that are repeated in messages.
const SHOWN: usize = 40;

/// How an engine is started and set up, known to be right.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub protocol: Protocol,
    /// Commands between the handshake and the first game.
    pub commands: Vec<String>,
    /// The command that forgets the game before.
    pub new_game: &'static str,
    /// UCCI's unit of time is the millisecond, not the second.
    pub milliseconds: bool,
    /// How long it may take to start and to be ready.
    pub handshake: Duration,
    /// How long it may take for a move where the limit is not of time.
    pub timeout: Duration,
}

/// What an engine decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It moves.
    Move(Move),
    /// It gives up.
    Resign,
}

/// What comes of an engine's thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thought {
    pub decision: Decision,
    /// How long it took.
    pub used: Duration,
    /// What it said last of the move, if it said anything.
    pub score: Option<Score>,
}

/// What an engine says of itself in the handshake.
pub(super) struct Introduction {
    /// Its name and version.
    pub name: String,
    pub options: Vec<EngineOption>,
}

/// Leaves of a tree of moves, as an engine counts them.
pub(super) struct Counts {
    /// Behind each move, in the engine's words; empty if it tells the sum alone.
    pub moves: Vec<(String, u64)>,
    /// Of all.
    pub total: u64,
}

/// A running engine.
pub(crate) struct Engine {
    process: Process,
    setup: Setup,
}

impl Engine {
    /// Starts an engine that is ready for a game.
    pub(super) fn start(setup: &Setup, halt: &dyn Fn() -> bool) -> Result<Engine, Trouble> {
        let (process, _) = introduce(&setup.program, &setup.arguments, setup.protocol, setup.handshake, halt)?;
        Engine::set_up(process, setup, halt)
    }

    /// The same with a process that has introduced itself.
    pub(super) fn set_up(process: Process, setup: &Setup, halt: &dyn Fn() -> bool) -> Result<Engine, Trouble> {
        let mut engine = Engine { process, setup: setup.clone() };
        for command in &setup.commands {
            engine.send(command, halt)?;
        }
        engine.new_game(halt)?;
        Ok(engine)
    }

    /// Lets it forget the game before.
    pub fn new_game(&mut self, halt: &dyn Fn() -> bool) -> Result<(), Trouble> {
        self.send(self.setup.new_game, halt)?;
        self.be_ready(halt)
    }

    fn be_ready(&mut self, halt: &dyn Fn() -> bool) -> Result<(), Trouble> {
        self.send("isready", halt)?;
        let wait = Wait { deadline: Instant::now() + self.setup.handshake, halt };
        while heard(self.process.line(wait), "isready", self.setup.handshake)? != "readyok" {}
        Ok(())
    }

    fn send(&mut self, command: &str, halt: &dyn Fn() -> bool) -> Result<(), Trouble> {
        let wait = Wait { deadline: Instant::now() + self.setup.handshake, halt };
        self.process.send(command, wait)
    }

    /// Asks for a move in the present position, whose legal moves are given. `clocks`: of the player who thinks, and of
    /// the other.
    ///
    /// A fault that comes with `OutOfTime` and an obeyed `stop` leaves the engine usable; after any other it must be
    /// dropped.
    pub fn think<V: Variant>(
        &mut self,
        game: &Game<V>,
        legal: &[Move],
        clocks: [&Clock; 2],
        halt: &dyn Fn() -> bool,
    ) -> Result<Thought, Trouble> {
        let dialect = self.dialect::<V>();
        let allowed = clocks[0].too_long().unwrap_or(self.setup.timeout);
        self.send(&dialect.position(game), halt)?;
        let go = self.setup.protocol.go(game.side(), clocks, self.setup.milliseconds);
        let began = Instant::now();
        let wait = Wait { deadline: began + allowed, halt };
        self.process.send(&go, wait)?;
        let mut said: Option<Said> = None;
        loop {
            let line = match self.process.line(wait) {
                Ok(line) => line,
                Err(Silence::Trouble(trouble)) => return Err(trouble),
                Err(Silence::Late) => {
                    let obeyed_stop = self.stop(halt)?;
                    return Err(Fault::OutOfTime { allowed, obeyed_stop }.into());
                }
            };
            let Some(answer) = self.setup.protocol.answer(&line) else {
                said = Said::read(&line).filter(|now| !now.bound || said.is_none_or(|before| before.bound)).or(said);
                continue;
            };
            let used = began.elapsed();
            if used > allowed {
                return Err(Fault::OutOfTime { allowed, obeyed_stop: true }.into());
            }
            let decision = self.decision(dialect, game, legal, answer)?;
            return Ok(Thought { decision, used, score: said.map(|said| said.score) });
        }
    }

    fn decision<V: Variant>(
        &self,
        dialect: Dialect<V>,
        game: &Game<V>,
        legal: &[Move],
        answer: Answer,
    ) -> Result<Decision, Fault> {
        let fen = || game.position().fen();
        match answer {
            Answer::Resign => Ok(Decision::Resign),
            // A player who may declare does so by our rules before it is asked: the game would be over.
            Answer::Win => Err(Fault::FalseDeclaration { fen: fen() }),
            Answer::NoMove => Err(Fault::NoMove { fen: fen(), legal: legal.len() }),
            Answer::Move(text) => match dialect.read(game.position(), text) {
                Some(mv) => Ok(Decision::Move(mv)),
                None => Err(Fault::IllegalMove { text: text.chars().take(SHOWN).collect(), fen: fen() }),
            },
        }
    }

    /// Stops its search; whether it then answers.
    fn stop(&mut self, halt: &dyn Fn() -> bool) -> Result<bool, Trouble> {
        let wait = Wait { deadline: Instant::now() + STOP_GRACE, halt };
        match self.process.send("stop", wait) {
            Err(Trouble::Fault(Fault::Deaf)) => return Ok(false),
            sent => sent?,
        }
        loop {
            match self.process.line(wait) {
                Ok(line) if self.setup.protocol.answer(&line).is_some() => return Ok(true),
                Ok(_) => {}
                Err(Silence::Late) => return Ok(false),
                Err(Silence::Trouble(Trouble::Fault(_))) => return Ok(false),
                Err(Silence::Trouble(trouble)) => return Err(trouble),
            }
        }
    }

    /// Counts of leaves `depth` plies deep behind each move of the present position, as the engine sees it and in its
    /// words; `None` if it does not count.
    pub(super) fn perft<V: Variant>(
        &mut self,
        game: &Game<V>,
        depth: u32,
        halt: &dyn Fn() -> bool,
    ) -> Result<Option<Counts>, Trouble> {
        let dialect = self.dialect::<V>();
        self.send(&dialect.position(game), halt)?;
        self.send(&format!("go perft {depth}"), halt)?;
        let wait = Wait { deadline: Instant::now() + self.setup.handshake, halt };
        let mut counts = Vec::new();
        loop {
            let line = match self.process.line(wait) {
                Ok(line) => line,
                Err(Silence::Late) => return if self.stop(halt)? { Ok(None) } else { Err(not_counting()) },
                Err(Silence::Trouble(trouble)) => return Err(trouble),
            };
            // It took the words for a search.
            if self.setup.protocol.answer(&line).is_some() {
                return Ok(None);
            }
            if line.starts_with("info ") && counts.is_empty() {
                return if self.stop(halt)? { Ok(None) } else { Err(not_counting()) };
            }
            let Some((what, count)) = line.split_once(':') else { continue };
            let Ok(count) = count.trim().parse() else { continue };
            if what == "Nodes searched" {
                return Ok(Some(Counts { moves: counts, total: count }));
            }
            if counts.len() < MOST_MOVES {
                counts.push((what.trim().to_owned(), count));
            }
        }
    }

    /// The way this engine writes. What cannot be written in its protocol was refused before.
    fn dialect<V: Variant>(&self) -> Dialect<V> {
        Dialect::of(self.setup.protocol).unwrap_or_default()
    }
}

/// Neither counts nor a search that can be stopped.
fn not_counting() -> Trouble {
    Fault::Silent { asked: "go perft".to_owned(), waited: STOP_GRACE }.into()
}

/// A line, with silence as the fault it is where no move was asked for.
fn heard(line: Result<String, Silence>, asked: &str, waited: Duration) -> Result<String, Trouble> {
    line.map_err(|silence| match silence {
        Silence::Late => Fault::Silent { asked: asked.to_owned(), waited }.into(),
        Silence::Trouble(trouble) => trouble,
    })
}

/// Starts the program and waits for the answer to the protocol's first word.
pub(super) fn introduce(
    program: &Path,
    arguments: &[String],
    protocol: Protocol,
    allowed: Duration,
    halt: &dyn Fn() -> bool,
) -> Result<(Process, Introduction), Trouble> {
    let mut process = Process::start(program, arguments).map_err(Trouble::Refused)?;
    let introduction = introduction(&mut process, protocol, allowed, halt)?;
    Ok((process, introduction))
}

/// Sets an option that changes others, and asks for the list of options again.
pub(super) fn ask_again(
    process: &mut Process,
    command: &str,
    protocol: Protocol,
    allowed: Duration,
    halt: &dyn Fn() -> bool,
) -> Result<Introduction, Trouble> {
    process.send(command, Wait { deadline: Instant::now() + allowed, halt })?;
    introduction(process, protocol, allowed, halt)
}

/// Says the protocol's first word and listens to the answer.
fn introduction(
    process: &mut Process,
    protocol: Protocol,
    allowed: Duration,
    halt: &dyn Fn() -> bool,
) -> Result<Introduction, Trouble> {
    let word = protocol.word();
    let wait = Wait { deadline: Instant::now() + allowed, halt };
    process.send(word, wait)?;
    let mut introduction = Introduction { name: String::new(), options: Vec::new() };
    loop {
        let line = heard(process.line(wait), word, allowed)?;
        if line.strip_suffix("ok") == Some(word) {
            return Ok(introduction);
        }
        if let Some(name) = line.strip_prefix("id name ") {
            introduction.name = name.trim().to_owned();
        } else if introduction.options.len() < MOST_OPTIONS {
            introduction.options.extend(EngineOption::parse(protocol, &line));
        }
    }
}
