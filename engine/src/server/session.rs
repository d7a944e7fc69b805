//! A session: commands come in, a board and its search carry them out, replies go out.
//!
//! The session's thread reads commands and carries them out. The search has a thread of its own and takes the board with
//! it, so that `stop`, `ponderhit` and `isready` are answered immediately. A command that needs the board while a search
//! runs ends that search first, which then answers with what it has.

use super::board::{BoardError, GoRequest, SearchBoard, VariantBoard};
use super::deadline::SearchSignals;
use super::level::EngineLevel;
use super::pipe::{InputLine, LONGEST_LINE, Replies};
use super::settings::{Effect, Settings, default_variant, depends_on_levels};
use crate::protocol::{BestMove, CommandError, Dialect, GuiCommand, PositionCommand, Protocol, Reply};
use rules::VariantId;
use search::{Evaluator, SearchConfig, UniformEvaluator};
use std::error::Error;
use std::fmt::Display;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How often a search at the end of the input looks whether somebody still reads.
const CLOSED_INTERVAL: Duration = Duration::from_millis(100);

/// An evaluator and the variant it is for.
pub struct LoadedEvaluator {
    /// The variant.
    pub variant: VariantId,
    /// The network, or what stands in for it.
    pub evaluator: Box<dyn Evaluator>,
    /// A name for the network; `None` if there is no network.
    pub network: Option<String>,
    /// The levels at which the network can play, weakest first; empty if their strength is not known.
    pub levels: Vec<EngineLevel>,
}

/// Why an evaluator cannot be loaded.
pub type LoadError = Box<dyn Error + Send + Sync>;

/// Loads the evaluator that the settings ask for. The variant is the one to play if neither the settings nor the network
/// name one.
pub type LoadEvaluator = dyn Fn(&Settings, VariantId) -> Result<LoadedEvaluator, LoadError>;

/// Why a session cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The thread of the search has ended, which is a defect of this program.
    #[error("the search thread has ended")]
    Ended,
    /// The system refuses the thread of the search.
    #[error("cannot start the thread that searches; raise the limit of processes (ulimit -u) or of memory (ulimit -v)")]
    Thread {
        /// The operating system's error.
        source: io::Error,
    },
}

/// The board while no search runs.
struct IdleBoard {
    board: Box<dyn SearchBoard>,
    variant: VariantId,
    network: Option<String>,
    /// Why nothing is searched: settings were refused, and the board is made without them.
    refusal: Option<String>,
}

/// The thread of the search.
struct SearchThread {
    signals: Arc<SearchSignals>,
    requests: Sender<(IdleBoard, GoRequest)>,
    /// The board comes back through here.
    finished: Receiver<IdleBoard>,
    is_searching: bool,
    is_pondering: bool,
    /// Whether the search continues until it is stopped.
    is_infinite: bool,
}

/// A session with a GUI.
pub struct Server {
    protocol: Protocol,
    settings: Settings,
    load: Box<LoadEvaluator>,
    replies: Arc<Replies>,
    search: SearchThread,
    /// The board, unless the search has it or a setting requires a new one.
    board: Option<IdleBoard>,
    /// The levels of the network of the board that was made last.
    levels: Vec<EngineLevel>,
    /// The last position that could be set up, and its variant.
    position: Option<(VariantId, PositionCommand)>,
    /// Whether the last `position` was refused: then `go` has no position to search.
    is_refused: bool,
}

impl Server {
    /// A session that has not begun.
    ///
    /// # Errors
    /// The system refuses the thread of the search.
    pub fn new(settings: Settings, load: Box<LoadEvaluator>, replies: Replies) -> Result<Server, ServerError> {
        Server::searching_on(Builder::new(), settings, load, replies)
    }

    fn searching_on(
        builder: Builder,
        settings: Settings,
        load: Box<LoadEvaluator>,
        replies: Replies,
    ) -> Result<Server, ServerError> {
        let (requests, todo) = mpsc::channel::<(IdleBoard, GoRequest)>();
        let (done, finished) = mpsc::channel();
        let replies = Arc::new(replies);
        let to_gui = Arc::clone(&replies);
        let searching = move || {
            for (mut idle, request) in todo {
                idle.board.go(&request, &to_gui);
                if done.send(idle).is_err() {
                    return;
                }
            }
        };
        builder.name("search".to_owned()).spawn(searching).map_err(|source| ServerError::Thread { source })?;
        let search = SearchThread {
            signals: Arc::default(),
            requests,
            finished,
            is_searching: false,
            is_pondering: false,
            is_infinite: false,
        };
        Ok(Server {
            protocol: Protocol::Uci,
            settings,
            load,
            replies,
            search,
            board: None,
            levels: Vec::new(),
            position: None,
            is_refused: false,
        })
    }

    /// Carries out commands until `quit` or the end of the input. A search that still runs at the end of the input comes
    /// to its own end, if it has one and somebody reads; then, and at once with `quit`, it gives its answer.
    ///
    /// # Errors
    /// The search thread has ended.
    pub fn run(mut self, input: &Receiver<InputLine>) -> Result<(), ServerError> {
        let mut quits = false;
        for InputLine { received, text } in input {
            let Some(text) = text else {
                self.message(format_args!("a line of more than {LONGEST_LINE} bytes was ignored"));
                continue;
            };
            match GuiCommand::read(self.dialect(), &text) {
                Ok(GuiCommand::Quit) => {
                    quits = true;
                    break;
                }
                Ok(command) => self.obey(command, received)?,
                Err(error) => {
                    self.is_refused |= matches!(error, CommandError::NoPosition);
                    self.message(error);
                }
            }
        }
        if !quits {
            self.finish_search()?;
        }
        self.stop_search()?;
        if self.protocol == Protocol::Ucci {
            self.reply(&Reply::Bye);
        }
        Ok(())
    }

    fn dialect(&self) -> Dialect {
        let dialect = Dialect::new(self.protocol);
        if self.settings.milliseconds { dialect.with_milliseconds() } else { dialect }
    }

    fn obey(&mut self, command: GuiCommand, received: Instant) -> Result<(), ServerError> {
        match command {
            GuiCommand::Handshake(protocol) => self.shake_hands(protocol)?,
            GuiCommand::IsReady => {
                if !self.is_searching()? {
                    self.board();
                }
                self.reply(&Reply::ReadyOk);
            }
            GuiCommand::NewGame => {
                self.stop_search()?;
                (self.position, self.is_refused) = (None, false);
                self.board().board.new_game();
            }
            GuiCommand::SetOption { name, value } => self.set_option(&name, &value)?,
            GuiCommand::Position(command) => {
                self.stop_search()?;
                let idle = self.board();
                let (result, variant) = (idle.board.set_position(&command), idle.variant);
                self.is_refused = result.is_err();
                match result {
                    Ok(()) => self.position = Some((variant, command)),
                    Err(error) => self.message(format_args!("{error}; go needs another position")),
                }
            }
            GuiCommand::Go(go) => {
                self.stop_search()?;
                if !go.unknown.is_empty() {
                    self.message(format_args!("go: ignored {}", go.unknown.join(" ")));
                }
                let no_position =
                    self.is_refused.then(|| "the last position was refused, so there is none to search".to_owned());
                if let Some(refusal) = self.board().refusal.clone().or(no_position) {
                    self.message(format_args!("go: {refusal}"));
                    self.reply(&Reply::BestMove(BestMove::NoMove));
                    return Ok(());
                }
                let settings = self.settings.clone();
                let level = self.level();
                self.start_search(GoRequest { go, received, settings, level })?;
            }
            GuiCommand::Stop => {
                if self.is_searching()? {
                    self.search.signals.stop();
                }
            }
            GuiCommand::PonderHit => {
                if std::mem::take(&mut self.search.is_pondering) && self.is_searching()? {
                    self.search.signals.ponder_hit(received);
                }
            }
            GuiCommand::BanMoves => self.message(
                "banmoves: ignored; repetition is judged by the rule set (option Ruleset), and a banned move may be played",
            ),
            GuiCommand::Quit | GuiCommand::Ignored => {}
        }
        Ok(())
    }

    fn shake_hands(&mut self, protocol: Protocol) -> Result<(), ServerError> {
        self.stop_search()?;
        if self.protocol != protocol {
            self.protocol = protocol;
            (self.board, self.position) = (None, None);
        }
        let idle = self.board();
        let (variant, network) = (idle.variant, idle.network.clone());
        let network = network.map_or_else(String::new, |name| format!(" {name}"));
        let mut replies = vec![
            Reply::Name(format!("Kirin {}{network}", env!("CARGO_PKG_VERSION"))),
            Reply::Author("the authors of Kirin".to_owned()),
        ];
        replies.extend(self.settings.options(protocol, variant, &self.levels).into_iter().map(Reply::Option));
        replies.push(Reply::HandshakeDone);
        self.replies.send_all(protocol, &replies);
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), ServerError> {
        if depends_on_levels(name) && !self.is_searching()? {
            self.board();
        }
        let mut settings = self.settings.clone();
        match settings.set(name, value, &self.levels) {
            Ok(Effect::NextSearch) => self.settings = settings,
            Ok(Effect::NewBoard) => {
                self.stop_search()?;
                self.settings = settings;
                self.board = None;
            }
            Err(error) => self.message(error),
        }
        // What was refused may be possible now, even if the setting is the same: a file can have been put there.
        self.board.take_if(|idle| idle.refusal.is_some());
        Ok(())
    }

    /// The search of the level to play at; `None` is full strength.
    fn level(&mut self) -> Option<SearchConfig> {
        let settings = self.settings.clone();
        if settings.level == 0 && !settings.limit_strength {
            return None;
        }
        self.board();
        let (chosen, most) = (settings.chosen_level(&self.levels).map(|level| level.search.clone()), self.levels.len());
        if chosen.is_none() {
            self.message("this network has no levels, so the engine plays at full strength");
        } else if settings.level as usize > most {
            self.message(format_args!("there is no level {}; the engine plays at level {most}", settings.level));
        }
        chosen
    }

    /// The board, which is made if there is none. No search may run.
    fn board(&mut self) -> &mut IdleBoard {
        let board = match self.board.take() {
            Some(board) => board,
            None => self.make_board(),
        };
        self.board.insert(board)
    }

    /// Makes a board from the settings. If they are impossible, it is a board on which nothing is searched: otherwise
    /// the results of another network or of other rules would be taken for those that were asked for.
    fn make_board(&mut self) -> IdleBoard {
        let mut idle = match self.try_to_make_board() {
            Ok(idle) => {
                match &idle.network {
                    Some(network) if self.settings.network.is_none() => self.message(network),
                    Some(_) => {}
                    None => self.message("no network: every position looks even, and only proven results count"),
                }
                idle
            }
            Err(refusal) => {
                self.message(&refusal);
                self.board_without_search(refusal)
            }
        };
        if let Some((variant, position)) = &self.position
            && (*variant != idle.variant || idle.board.set_position(position).is_err())
        {
            self.position = None;
        }
        idle
    }

    /// The board that the settings ask for, or why there is none.
    fn try_to_make_board(&mut self) -> Result<IdleBoard, String> {
        self.levels.clear();
        let refused =
            |option: &str, error: &(dyn Error + 'static)| format!("{}; go needs another {option}", with_causes(error));
        let loaded = (self.load)(&self.settings, default_variant(self.protocol));
        let LoadedEvaluator { variant, evaluator, network, levels } =
            loaded.map_err(|error| refused("EvalFile", error.as_ref()))?;
        let board = self.new_board(&self.settings, variant, evaluator, network.is_some()).map_err(|error| {
            let option = if matches!(error, BoardError::Rules(_)) { "Ruleset" } else { "EvalFile" };
            refused(option, &error)
        })?;
        self.levels = levels;
        Ok(IdleBoard { board, variant, network, refusal: None })
    }

    /// A board for the commands that need one, apart from `go`.
    fn board_without_search(&self, refusal: String) -> IdleBoard {
        let variant = self.settings.variant.unwrap_or(default_variant(self.protocol));
        let settings = Settings { ruleset: None, memory: 1, ..self.settings.clone() };
        let board = self.new_board(&settings, variant, Box::new(UniformEvaluator::new(1)), false);
        let board = board.expect("the default rules exist, and this evaluator does not fail");
        IdleBoard { board, variant, network: None, refusal: Some(refusal) }
    }

    fn new_board(
        &self,
        settings: &Settings,
        variant: VariantId,
        evaluator: Box<dyn Evaluator>,
        is_network: bool,
    ) -> Result<Box<dyn SearchBoard>, BoardError> {
        let signals = Arc::clone(&self.search.signals);
        Ok(rules::dispatch!(variant, V => {
            Box::new(VariantBoard::<V>::new(self.protocol, settings, evaluator, is_network, signals)?)
        }))
    }

    /// Gives the board to the search.
    fn start_search(&mut self, request: GoRequest) -> Result<(), ServerError> {
        let board = self.board.take().ok_or(ServerError::Ended)?;
        self.search.signals.begin();
        self.search.is_pondering = request.go.ponder;
        self.search.is_infinite = request.go.infinite;
        self.search.is_searching = true;
        self.search.requests.send((board, request)).map_err(|_| ServerError::Ended)
    }

    /// Whether a search runs. If one has ended, the board is taken back.
    fn is_searching(&mut self) -> Result<bool, ServerError> {
        if self.search.is_searching {
            match self.search.finished.try_recv() {
                Ok(board) => self.take_back(board),
                Err(mpsc::TryRecvError::Empty) => {}
                Err(mpsc::TryRecvError::Disconnected) => return Err(ServerError::Ended),
            }
        }
        Ok(self.search.is_searching)
    }

    /// Waits for the answer of a search that ends by itself, as long as somebody reads.
    fn finish_search(&mut self) -> Result<(), ServerError> {
        let SearchThread { is_pondering, is_infinite, .. } = self.search;
        while !is_pondering && !is_infinite && self.search.is_searching && !self.replies.is_closed() {
            match self.search.finished.recv_timeout(CLOSED_INTERVAL) {
                Ok(board) => self.take_back(board),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(ServerError::Ended),
            }
        }
        Ok(())
    }

    /// Ends a search that runs, and waits for its answer.
    fn stop_search(&mut self) -> Result<(), ServerError> {
        if self.is_searching()? {
            self.search.signals.stop();
            let board = self.search.finished.recv().map_err(|_| ServerError::Ended)?;
            self.take_back(board);
        }
        Ok(())
    }

    fn take_back(&mut self, board: IdleBoard) {
        self.board = Some(board);
        self.search.is_searching = false;
    }

    fn reply(&self, reply: &Reply) {
        self.replies.send(self.protocol, reply);
    }

    fn message(&self, text: impl Display) {
        self.replies.message(self.protocol, text);
    }
}

/// An error with its causes, without causes that its text repeats.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text += ": ";
            text += &next;
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_is_refused_is_named() {
        let load = |_: &Settings, _| Err("there is none".into());
        // No system has room for this stack.
        let builder = Builder::new().stack_size(1 << 60);
        let made = Server::searching_on(builder, Settings::default(), Box::new(load), Replies::new(io::sink()));
        let error = made.map(drop).unwrap_err();
        assert!(matches!(error, ServerError::Thread { .. }) && error.source().is_some(), "{error}");
        assert!(error.to_string().starts_with("cannot start the thread that searches; "), "{error}");
    }
}
