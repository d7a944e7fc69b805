//! A running engine: the handshake, a game, a move.

use super::fault::{EngineFailure, EngineFault, MOST_OPTION_BYTES, MOST_OPTIONS};
use super::go::go;
use super::process::{Process, ReadLineError, Wait};
use super::sys;
use crate::limit::GameClock;
use crate::protocol::{BestMove, Dialect, EngineOption, GameNotation, Go, GuiCommand, Info, Reply};
use crate::score::Score;
use rules::{Game, Move, Variant};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long an engine may take to answer `stop`.
const STOP_GRACE: Duration = Duration::from_millis(500);

/// How long an engine that is ready may take for the first count of `go perft`. One that counts in another thread is
/// ready before it has counted.
const FIRST_COUNT: Duration = Duration::from_secs(5);

/// Most perft moves that are kept, and characters of each.
const MOST_MOVES: usize = 10_000;
const LONGEST_MOVE: usize = 64;

/// Characters of an engine's name and version that are kept.
const LONGEST_NAME: usize = 200;

/// Characters of an engine's text that messages repeat.
const SHOWN: usize = 40;

/// How an engine is started and configured. These settings have been tried.
#[derive(Clone, Debug)]
pub(super) struct LaunchSettings {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub dialect: Dialect,
    /// Commands between the handshake and the first game.
    pub commands: Vec<GuiCommand>,
    /// The command that makes the engine forget the game before.
    pub new_game: GuiCommand,
    /// How long it may take to start, and to get ready.
    pub handshake: Duration,
    /// How long it may take for a move if the limit is not one of time.
    pub timeout: Duration,
}

/// What an engine decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineDecision {
    /// To play a move.
    Move(Move),
    /// To resign.
    Resign,
}

/// An engine's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineMove {
    /// What it plays, if it does not resign.
    pub decision: EngineDecision,
    /// How long it took.
    pub used: Duration,
    /// The score it reported last, if it reported any.
    pub score: Option<Score>,
}

/// What an engine states in the handshake.
pub(super) struct Handshake {
    /// Its name and version.
    pub name: String,
    pub options: Vec<EngineOption>,
}

/// Leaves of a tree of moves, as an engine counts them.
pub(super) struct PerftCounts {
    /// Leaves behind each move, in the engine's words; empty if it states only the total.
    pub moves: Vec<(String, u64)>,
    pub total: u64,
}

/// A running engine.
pub struct Engine {
    process: Process,
    launch: LaunchSettings,
}

impl Engine {
    /// Starts an engine and makes it ready for a game.
    pub(super) fn start(launch: &LaunchSettings, halt: &dyn Fn() -> bool) -> Result<Engine, EngineFailure> {
        let (process, _) = start(&launch.program, &launch.arguments, launch.dialect, launch.handshake, halt)?;
        Engine::configure(process, launch, halt)
    }

    /// Like `start`, with a process that has completed the handshake.
    pub(super) fn configure(
        process: Process,
        launch: &LaunchSettings,
        halt: &dyn Fn() -> bool,
    ) -> Result<Engine, EngineFailure> {
        let mut engine = Engine { process, launch: launch.clone() };
        for command in &launch.commands {
            engine.send(command, halt)?;
        }
        engine.new_game(halt)?;
        Ok(engine)
    }

    /// Makes it forget the game before.
    ///
    /// # Errors
    /// The engine does not answer within the time of the handshake, sends too long a line, or has ended; `halt` has
    /// ended the wait; or the system refuses to wait.
    pub fn new_game(&mut self, halt: &dyn Fn() -> bool) -> Result<(), EngineFailure> {
        let new_game = self.launch.new_game.clone();
        self.send(&new_game, halt)?;
        self.send(&GuiCommand::IsReady, halt)?;
        let mut wait = Wait::new(self.launch.handshake, halt);
        loop {
            let line = line_or_silent(self.process.read_line(&mut wait), "isready", self.launch.handshake)?;
            if self.reply(&line) == Some(Reply::ReadyOk) {
                return Ok(());
            }
        }
    }

    fn send(&mut self, command: &GuiCommand, halt: &dyn Fn() -> bool) -> Result<(), EngineFailure> {
        self.process.write_line(&command.write(self.launch.dialect), &mut Wait::new(self.launch.handshake, halt))
    }

    fn reply(&self, line: &str) -> Option<Reply> {
        Reply::read(self.launch.dialect.protocol, line)
    }

    /// Asks for a move in the present position, whose legal moves are given. `clocks`: that of the player to move, then
    /// the opponent's.
    ///
    /// After the fault `OutOfTime` with an obeyed `stop` the engine can still be used; after any other it must be
    /// dropped.
    ///
    /// # Errors
    /// The engine fails, breaks the rules or its time limit, or the system refuses something.
    pub fn think<V: Variant>(
        &mut self,
        game: &Game<V>,
        legal: &[Move],
        clocks: [&GameClock; 2],
        halt: &dyn Fn() -> bool,
    ) -> Result<EngineMove, EngineFailure> {
        let notation = self.notation::<V>();
        let allowed = clocks[0].too_long().unwrap_or(self.launch.timeout);
        self.send(&GuiCommand::Position(notation.write_position(game)), halt)?;
        let go = GuiCommand::Go(go(self.launch.dialect, game.side(), clocks)).write(self.launch.dialect);
        let (began, suspensions) = (Instant::now(), sys::suspensions());
        let mut wait = Wait::new(allowed, halt);
        self.process.write_line(&go, &mut wait)?;
        let mut reported = LastScore::default();
        loop {
            let line = match self.process.read_line(&mut wait) {
                Ok(line) => line,
                Err(ReadLineError::Failure(failure)) => return Err(failure),
                Err(ReadLineError::Timeout) => {
                    let obeyed_stop = self.stop(halt)?;
                    return Err(EngineFault::OutOfTime { allowed, obeyed_stop }.into());
                }
            };
            match self.reply(&line) {
                Some(Reply::Info(info)) => reported.update(&info),
                Some(Reply::BestMove(best)) => {
                    let used = began.elapsed();
                    // While this program was stopped its engines were not, and their answers waited for it.
                    if used > allowed && !sys::was_suspended_since(suspensions) {
                        return Err(EngineFault::OutOfTime { allowed, obeyed_stop: true }.into());
                    }
                    let decision = decision(notation, game, legal, best)?;
                    return Ok(EngineMove { decision, used, score: reported.score });
                }
                _ => {}
            }
        }
    }

    /// Stops its search. Returns whether the engine then answered.
    fn stop(&mut self, halt: &dyn Fn() -> bool) -> Result<bool, EngineFailure> {
        let mut wait = Wait::new(STOP_GRACE, halt);
        match self.process.write_line(&GuiCommand::Stop.write(self.launch.dialect), &mut wait) {
            Err(EngineFailure::Fault(EngineFault::InputFull)) => return Ok(false),
            sent => sent?,
        }
        loop {
            match self.process.read_line(&mut wait) {
                Ok(line) if matches!(self.reply(&line), Some(Reply::BestMove(_))) => return Ok(true),
                Ok(_) => {}
                Err(ReadLineError::Timeout | ReadLineError::Failure(EngineFailure::Fault(_))) => return Ok(false),
                Err(ReadLineError::Failure(failure)) => return Err(failure),
            }
        }
    }

    /// Counts of leaves `depth` plies deep behind each move of the present position, as the engine sees it; `None` if it
    /// does not count. It may then still answer, so it must be [restarted](Engine::restarted) before another command.
    pub(super) fn perft<V: Variant>(
        &mut self,
        game: &Game<V>,
        depth: u32,
        halt: &dyn Fn() -> bool,
    ) -> Result<Option<PerftCounts>, EngineFailure> {
        self.send(&GuiCommand::Position(self.notation::<V>().write_position(game)), halt)?;
        let go = Go { perft: Some(depth), ..Go::default() };
        self.send(&GuiCommand::Go(go), halt)?;
        // An engine that does not know the command answers this at once, one that counts at the latest after counting.
        self.send(&GuiCommand::IsReady, halt)?;
        let mut wait = Wait::new(self.launch.handshake, halt);
        let (mut moves, mut total, mut is_ready) = (Vec::new(), None, false);
        loop {
            if let (Some(total), true) = (total, is_ready) {
                return Ok(Some(PerftCounts { moves, total }));
            }
            let line = match self.process.read_line(&mut wait) {
                Ok(line) => line,
                Err(ReadLineError::Timeout) => return Ok(None),
                Err(ReadLineError::Failure(failure)) => return Err(failure),
            };
            match self.reply(&line) {
                // The engine took the command for a search.
                Some(Reply::BestMove(_)) => return Ok(None),
                Some(Reply::ReadyOk) => {
                    is_ready = true;
                    if moves.is_empty() {
                        wait = Wait::new(self.launch.handshake.min(FIRST_COUNT), halt);
                    }
                }
                Some(Reply::PerftTotal(counted)) => total = Some(counted),
                Some(Reply::PerftMove { mv, leaves }) if moves.len() < MOST_MOVES => {
                    if moves.is_empty() {
                        wait = Wait::new(self.launch.handshake, halt);
                    }
                    moves.push((mv.chars().take(LONGEST_MOVE).collect(), leaves));
                }
                _ => {}
            }
        }
    }

    /// The engine with a new process, in which no command is unanswered.
    pub(super) fn restarted(self, halt: &dyn Fn() -> bool) -> Result<Engine, EngineFailure> {
        let Engine { process, launch } = self;
        drop(process);
        Engine::start(&launch, halt)
    }

    /// How moves are written for this engine. A variant that its protocol cannot write was refused before.
    fn notation<V: Variant>(&self) -> GameNotation<V> {
        GameNotation::of(self.launch.dialect.protocol).unwrap_or_default()
    }
}

/// The score that an engine reported last; an exact one is not replaced by a bound.
#[derive(Default)]
struct LastScore {
    score: Option<Score>,
    is_bound: bool,
}

impl LastScore {
    fn update(&mut self, info: &Info) {
        let Some(score) = info.best_score() else { return };
        if !info.is_bound || self.score.is_none() || self.is_bound {
            *self = LastScore { score: Some(score), is_bound: info.is_bound };
        }
    }
}

fn decision<V: Variant>(
    notation: GameNotation<V>,
    game: &Game<V>,
    legal: &[Move],
    best: BestMove,
) -> Result<EngineDecision, EngineFault> {
    let fen = || game.position().fen();
    match best {
        BestMove::Resign => Ok(EngineDecision::Resign),
        // Our rules end a game in which a player may declare a win before that player is asked for a move.
        BestMove::Win => Err(EngineFault::FalseDeclaration { fen: fen() }),
        BestMove::NoMove => Err(EngineFault::NoMove { fen: fen(), legal: legal.len() }),
        BestMove::Move { mv: text, .. } => match notation.read_move(game.position(), &text) {
            Ok(mv) => Ok(EngineDecision::Move(mv)),
            Err(_) => Err(EngineFault::IllegalMove { text: text.chars().take(SHOWN).collect(), fen: fen() }),
        },
    }
}

/// A line; a timeout is the fault `Silent`, for commands other than `go`.
fn line_or_silent(
    line: Result<String, ReadLineError>,
    command: &str,
    waited: Duration,
) -> Result<String, EngineFailure> {
    line.map_err(|error| match error {
        ReadLineError::Timeout => EngineFault::Silent { command: command.to_owned(), waited }.into(),
        ReadLineError::Failure(failure) => failure,
    })
}

/// Starts the program and completes the handshake.
pub(super) fn start(
    program: &Path,
    arguments: &[String],
    dialect: Dialect,
    allowed: Duration,
    halt: &dyn Fn() -> bool,
) -> Result<(Process, Handshake), EngineFailure> {
    let mut process = Process::start(program, arguments).map_err(EngineFailure::Refused)?;
    let handshake = shake_hands(&mut process, dialect, allowed, halt)?;
    Ok((process, handshake))
}

/// Sets an option that changes other options, and asks for the list of options again.
pub(super) fn set_and_list_again(
    process: &mut Process,
    command: &GuiCommand,
    dialect: Dialect,
    allowed: Duration,
    halt: &dyn Fn() -> bool,
) -> Result<Handshake, EngineFailure> {
    process.write_line(&command.write(dialect), &mut Wait::new(allowed, halt))?;
    shake_hands(process, dialect, allowed, halt)
}

/// Sends the first word of the protocol and reads the answer.
fn shake_hands(
    process: &mut Process,
    dialect: Dialect,
    allowed: Duration,
    halt: &dyn Fn() -> bool,
) -> Result<Handshake, EngineFailure> {
    let word = dialect.protocol.word();
    let mut wait = Wait::new(allowed, halt);
    process.write_line(&GuiCommand::Handshake(dialect.protocol).write(dialect), &mut wait)?;
    let mut handshake = Handshake { name: String::new(), options: Vec::new() };
    let mut option_bytes = 0;
    loop {
        let line = line_or_silent(process.read_line(&mut wait), word, allowed)?;
        match Reply::read(dialect.protocol, &line) {
            Some(Reply::HandshakeDone) => return Ok(handshake),
            Some(Reply::Name(name)) => handshake.name = name.chars().take(LONGEST_NAME).collect(),
            Some(Reply::Option(option)) => {
                option_bytes += line.len();
                if handshake.options.len() == MOST_OPTIONS || option_bytes > MOST_OPTION_BYTES {
                    return Err(EngineFault::TooManyOptions.into());
                }
                handshake.options.push(option);
            }
            _ => {}
        }
    }
}
