//! Fairy-Stockfish as a program, spoken to in UCI.

use crate::found::{PeerError, installed, variant_file, with_version};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::clock::CpuClock;

/// An engine that says nothing for so long has failed. The longest perft of tests and bench takes a few seconds.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A running engine that plays one variant. It ends when dropped.
pub struct Engine {
    process: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    name: String,
}

/// What an engine counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Divide {
    /// Each legal move in UCI and the leaves below it.
    pub moves: BTreeMap<String, u64>,
    /// All leaves.
    pub nodes: u64,
    /// Processor time of the engine.
    pub time: Duration,
}

impl Engine {
    /// Debian's Fairy-Stockfish (11.1): `KIRIN_FAIRY_STOCKFISH`, the one on the path, or the installed one.
    ///
    /// # Errors
    /// It is not here, fails, or does not know the variant.
    pub fn debian(variant: &str) -> Result<Engine, PeerError> {
        let programs = match std::env::var_os("KIRIN_FAIRY_STOCKFISH") {
            Some(program) => vec![program],
            None => {
                let below = installed("fairy-stockfish-debian/usr/games/fairy-stockfish");
                vec!["fairy-stockfish".into(), "/usr/games/fairy-stockfish".into(), below.into()]
            }
        };
        let fix = "run scripts/oracles (Debian package fairy-stockfish), or set KIRIN_FAIRY_STOCKFISH";
        Engine::start("Fairy-Stockfish", &programs, fix, variant, None)
    }

    /// A current Fairy-Stockfish, which knows the variants that we define for it too:
    /// `KIRIN_FAIRY_STOCKFISH_CURRENT`, or the installed one.
    ///
    /// # Errors
    /// It is not here, fails, or does not know the variant.
    pub fn current(variant: &str) -> Result<Engine, PeerError> {
        let program = std::env::var_os("KIRIN_FAIRY_STOCKFISH_CURRENT")
            .unwrap_or_else(|| installed(&with_version("fairy-stockfish")).into());
        let fix = "run scripts/oracles bench (it is built from the sources of pyffish), \
                   or set KIRIN_FAIRY_STOCKFISH_CURRENT";
        Engine::start("current Fairy-Stockfish", &[program], fix, variant, Some(&variant_file()))
    }

    fn start(
        what: &str,
        programs: &[OsString],
        fix: &'static str,
        variant: &str,
        more_variants: Option<&Path>,
    ) -> Result<Engine, PeerError> {
        let mut why = String::new();
        for program in programs {
            let spawned =
                Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
            match spawned {
                Ok(process) => return Engine::greet(process, what, variant, more_variants),
                Err(error) => why = format!("{}: {error}", PathBuf::from(program).display()),
            }
        }
        Err(PeerError::Missing { what: what.into(), why, fix })
    }

    fn greet(mut process: Child, what: &str, variant: &str, more_variants: Option<&Path>) -> Result<Engine, PeerError> {
        let input = process.stdin.take().expect("its input is a pipe");
        let output = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        let (sender, lines) = channel();
        // The thread ends with the engine's output, or when the receiver is gone.
        std::thread::spawn(move || output.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
        let mut engine = Engine { process, input, lines, name: what.to_owned() };
        if let Some(path) = more_variants {
            engine.say(&format!("setoption name VariantPath value {}", path.display()))?;
        }
        engine.say("uci")?;
        let mut known = false;
        let mut name = String::new();
        engine.listen(|line| {
            if let Some(given) = line.strip_prefix("id name ") {
                name = given.to_owned();
            }
            if line.starts_with("option name UCI_Variant ") {
                known = line.split_whitespace().any(|word| word == variant);
            }
            line == "uciok"
        })?;
        engine.name = name;
        if !known {
            return Err(PeerError::Foreign { what: engine.name.clone(), variant: variant.into() });
        }
        engine.say(&format!("setoption name UCI_Variant value {variant}"))?;
        Ok(engine)
    }

    /// The name it gives itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Counts leaves.
    ///
    /// # Errors
    /// The engine fails or says nothing for two minutes.
    pub fn perft(&mut self, fen: &str, depth: u32) -> Result<Divide, PeerError> {
        self.perft_after(fen, &[], depth)
    }

    /// Counts leaves after some moves.
    ///
    /// # Errors
    /// As [`Engine::perft`].
    pub fn perft_after(&mut self, fen: &str, moves: &[String], depth: u32) -> Result<Divide, PeerError> {
        self.say(&format!("position fen {fen} moves {}", moves.join(" ")))?;
        let clock = CpuClock::of_process(self.process.id());
        self.say(&format!("go perft {depth}"))?;
        let mut divide = Divide::default();
        self.listen(|line| {
            let Some((word, count)) = line.split_once(": ") else { return false };
            let count = count.trim().parse().unwrap_or_default();
            if word == "Nodes searched" {
                divide.nodes = count;
                return true;
            }
            if !word.contains(' ') {
                divide.moves.insert(word.to_owned(), count);
            }
            false
        })?;
        divide.time = clock.elapsed();
        Ok(divide)
    }

    fn say(&mut self, line: &str) -> Result<(), PeerError> {
        writeln!(self.input, "{line}").map_err(|error| self.broken(format!("it does not read {line:?}: {error}")))
    }

    /// Shows its lines to `is_last` until that is true.
    fn listen(&mut self, mut is_last: impl FnMut(&str) -> bool) -> Result<(), PeerError> {
        loop {
            match self.lines.recv_timeout(TIMEOUT) {
                Ok(line) if is_last(line.trim_end()) => return Ok(()),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(self.broken(format!("it says nothing for {} s", TIMEOUT.as_secs())));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.broken("it has ended".into())),
            }
        }
    }

    fn broken(&self, problem: String) -> PeerError {
        PeerError::Broken { what: self.name.clone(), problem }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may be busy or gone already; either way it is not needed any more.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
