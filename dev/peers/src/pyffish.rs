//! Fairy-Stockfish's rules as a Python module: moves, check and the ends of games.

use crate::found::{PeerError, installed, own_file, variant_file, with_version};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// What is asked about: a position, or the one after some moves, with its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Name of the variant.
    pub variant: &'static str,
    /// Where it begins.
    pub fen: String,
    /// Moves from there, in UCI.
    pub moves: Vec<String>,
}

/// What pyffish says of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The position, with counters as Fairy-Stockfish keeps them.
    pub fen: String,
    /// The side to move is in check.
    pub check: bool,
    /// The game has ended, or may be claimed to have: the score of the side to move, 1, 0 or −1.
    pub end: Option<i8>,
    /// Legal moves in UCI.
    pub legal: BTreeSet<String>,
}

/// A Python that can import the right pyffish: `KIRIN_PYTHON`, or `python3` with what `scripts/oracles` installed.
#[derive(Clone, Debug)]
pub struct Pyffish {
    python: String,
}

impl Pyffish {
    /// # Errors
    /// No such Python, or one that cannot import it.
    pub fn find() -> Result<Pyffish, PeerError> {
        let found = Pyffish { python: std::env::var("KIRIN_PYTHON").unwrap_or_else(|_| "python3".into()) };
        let why = match found.command().args(["-c", "import pyffish; print(*pyffish.version(), sep='.')"]).output() {
            Ok(run) if run.status.success() => return Ok(found),
            Ok(run) => String::from_utf8_lossy(&run.stderr).trim().lines().last().unwrap_or_default().to_owned(),
            Err(error) => error.to_string(),
        };
        Err(PeerError::Missing {
            what: "pyffish".into(),
            why: format!("{}: {why}", found.python),
            fix: "run scripts/oracles, or set KIRIN_PYTHON to a Python that can import it",
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        let folder = installed(&with_version("pyffish"));
        if std::env::var_os("KIRIN_PYTHON").is_none() && folder.exists() {
            command.env("PYTHONPATH", folder);
        }
        command
    }

    /// Asks all questions in one run.
    ///
    /// # Errors
    /// It fails, or its answers cannot be read.
    pub fn ask(&self, questions: &[Question]) -> Result<Vec<Answer>, PeerError> {
        let lines: String = questions
            .iter()
            .map(|question| format!("{}\t{}\t{}\n", question.variant, question.fen, question.moves.join(" ")))
            .collect();
        let mut command = self.command();
        command.args([own_file("answers.py"), variant_file()]);
        run(command, lines, questions.len(), read)
    }

    /// The legal moves of positions, UCI and the text in a notation, which is the name of a constant of pyffish.
    ///
    /// # Errors
    /// It fails, or its answers cannot be read.
    pub fn notation(
        &self,
        variant: &str,
        notation: &str,
        fens: &[String],
    ) -> Result<Vec<Vec<(String, String)>>, PeerError> {
        let mut command = self.command();
        command.arg(own_file("notation.py")).args([variant, notation]);
        let pairs = |line: &str| {
            let pair = |word: &str| word.split_once('=').map(|(uci, text)| (uci.to_owned(), text.to_owned()));
            line.split('\t').filter(|word| !word.is_empty()).map(pair).collect()
        };
        run(command, fens.join("\n") + "\n", fens.len(), pairs)
    }
}

/// Runs a script that answers each line with a line.
fn run<T>(
    mut script: Command,
    lines: String,
    count: usize,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, PeerError> {
    let broken = |problem: String| PeerError::Broken { what: "pyffish".into(), problem };
    let mut oracle =
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| broken(error.to_string()))?;
    let mut input = oracle.stdin.take().expect("its input is a pipe");
    // A thread of its own writes, so that neither side waits for the other with a full pipe. If it dies, answers are
    // missing.
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = oracle.wait_with_output().map_err(|error| broken(error.to_string()))?;
    let _ = writer.join();
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Option<Vec<T>> = text.lines().map(read).collect();
    match answers {
        Some(answers) if answers.len() == count => Ok(answers),
        _ => Err(broken(format!("{count} questions, {}, and it said:\n{text}", output.status))),
    }
}

fn read(line: &str) -> Option<Answer> {
    let [fen, check, end, legal] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
    Some(Answer {
        fen: fen.to_owned(),
        check: check == "check",
        end: match end {
            "win" => Some(1),
            "draw" => Some(0),
            "loss" => Some(-1),
            _ => None,
        },
        legal: legal.split_whitespace().map(str::to_owned).collect(),
    })
}
