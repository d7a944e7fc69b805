//! A dialogue: commands come in, a board and its search obey, answers go out.
//!
//! The session's thread reads and obeys; the search has a thread of its own and takes the board with it. So `stop`,
//! `ponderhit` and `isready` are heard at once. A command that needs the board while a search runs ends that search
//! first: it answers with what it has.

use super::options::{Effect, Settings, native_variant};
use super::pace::Orders;
use super::protocol::{Command, Placement, Protocol, parse};
use super::seat::{Board, Order, Seat};
use super::wire::{Heard, LONGEST, Wire};
use rules::VariantId;
use selfplay::Evaluator;
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

/// Who judges positions, for which variant.
pub struct Judge {
    /// The variant.
    pub variant: VariantId,
    /// The network, or what stands in for it.
    pub evaluator: Box<dyn Evaluator>,
    /// A name for the network; `None` without one.
    pub name: Option<String>,
}

/// Finds the judge that the settings ask for; the variant is the one to play if neither they nor the network say.
/// Without a network it does not fail.
pub type Appoint = dyn Fn(&Settings, VariantId) -> Result<Judge, String>;

/// The board at rest.
struct Seated {
    seat: Box<dyn Seat>,
    variant: VariantId,
    name: Option<String>,
}

/// The search's thread, and what is said to it.
struct Thinker {
    orders: Arc<Orders>,
    jobs: Sender<(Seated, Order)>,
    /// The board comes back from here.
    back: Receiver<Seated>,
    /// Whether the board is there.
    away: bool,
    pondering: bool,
}

/// The search's thread has ended: a fault of the program.
#[derive(Debug)]
pub struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search has broken down")
    }
}

impl std::error::Error for Broken {}

/// A dialogue with a GUI.
pub struct Session {
    protocol: Protocol,
    settings: Settings,
    appoint: Box<Appoint>,
    wire: Arc<Wire>,
    thinker: Thinker,
    /// The board, unless the search has it or something was set that makes it anew.
    seated: Option<Seated>,
    /// The last position that could be set up, and the variant it belongs to.
    placement: Option<(VariantId, Placement)>,
}

impl Session {
    /// A dialogue that has not begun.
    pub fn new(settings: Settings, appoint: Box<Appoint>, wire: Arc<Wire>) -> Session {
        let (jobs, todo) = mpsc::channel::<(Seated, Order)>();
        let (done, back) = mpsc::channel();
        let to = Arc::clone(&wire);
        thread::spawn(move || {
            for (mut seated, order) in todo {
                seated.seat.think(&order, &to);
                if done.send(seated).is_err() {
                    return;
                }
            }
        });
        let thinker = Thinker { orders: Arc::default(), jobs, back, away: false, pondering: false };
        Session { protocol: Protocol::Uci, settings, appoint, wire, thinker, seated: None, placement: None }
    }

    /// Obeys until `quit` or the end of the input; a search that runs then gives its answer.
    ///
    /// # Errors
    /// The search has broken down.
    pub fn run(mut self, heard: &Receiver<Heard>) -> Result<(), Broken> {
        for Heard { at, line } in heard {
            let Some(line) = line else {
                self.tell(format_args!("a line of more than {LONGEST} bytes was left out"));
                continue;
            };
            match parse(self.protocol, &line) {
                Ok(Command::Quit) => break,
                Ok(command) => self.obey(command, at)?,
                Err(problem) => self.tell(problem),
            }
        }
        self.recall()?;
        if self.protocol == Protocol::Ucci {
            self.wire.say("bye");
        }
        Ok(())
    }

    fn obey(&mut self, command: Command, at: Instant) -> Result<(), Broken> {
        match command {
            Command::Handshake(protocol) => self.greet(protocol)?,
            Command::IsReady => {
                if !self.is_thinking()? {
                    self.seated();
                }
                self.wire.say("readyok");
            }
            Command::NewGame => {
                self.recall()?;
                self.placement = None;
                self.seated().seat.new_game();
            }
            Command::SetOption { name, value } => self.set(&name, &value)?,
            Command::Position(placement) => {
                self.recall()?;
                let seated = self.seated();
                let (placed, variant) = (seated.seat.place(&placement), seated.variant);
                match placed {
                    Ok(()) => self.placement = Some((variant, placement)),
                    Err(problem) => self.tell(format_args!("{problem}; the position before stays")),
                }
            }
            Command::Go(go) => {
                self.recall()?;
                if !go.ignored.is_empty() {
                    self.tell(format_args!("go: left out {}", go.ignored.join(" ")));
                }
                let in_seconds = self.protocol == Protocol::Ucci && !self.settings.milliseconds;
                let go = if in_seconds { go.with_seconds() } else { go };
                self.seated();
                let settings = self.settings.clone();
                self.think(Order { go, received: at, settings })?;
            }
            Command::Stop => {
                if self.is_thinking()? {
                    self.thinker.orders.stop();
                }
            }
            Command::PonderHit => {
                if std::mem::take(&mut self.thinker.pondering) && self.is_thinking()? {
                    self.thinker.orders.ponder_hit(at);
                }
            }
            Command::Quit | Command::Nothing => {}
        }
        Ok(())
    }

    fn greet(&mut self, protocol: Protocol) -> Result<(), Broken> {
        self.recall()?;
        if self.protocol != protocol {
            self.protocol = protocol;
            (self.seated, self.placement) = (None, None);
        }
        let seated = self.seated();
        let (variant, name) = (seated.variant, seated.name.clone());
        let name = name.map_or_else(String::new, |name| format!(" {name}"));
        let mut lines = vec![
            format!("id name Kirin {}{name}", env!("CARGO_PKG_VERSION")),
            "id author the authors of Kirin".to_owned(),
        ];
        lines.extend(self.settings.declared(protocol, variant));
        lines.push(format!("{}ok", protocol.word()));
        self.wire.say(lines.join("\n"));
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), Broken> {
        let mut settings = self.settings.clone();
        match settings.set(name, value) {
            Ok(Effect::Later) => self.settings = settings,
            Ok(Effect::Anew) => {
                self.recall()?;
                self.settings = settings;
                self.seated = None;
            }
            Err(problem) => self.tell(problem),
        }
        Ok(())
    }

    /// The board, made anew if need be. The search must not have it.
    fn seated(&mut self) -> &mut Seated {
        let seated = match self.seated.take() {
            Some(seated) => seated,
            None => self.sit_down(),
        };
        self.seated.insert(seated)
    }

    /// A board as the settings say. What they cannot have is told and left out: first the network, then the rule set.
    fn sit_down(&mut self) -> Seated {
        loop {
            let problem = match self.try_to_sit() {
                Ok(mut seated) => {
                    if seated.name.is_none() {
                        self.tell("no network: every position looks even, and only what the rules prove counts");
                    }
                    if let Some((variant, placement)) = &self.placement
                        && (*variant != seated.variant || seated.seat.place(placement).is_err())
                    {
                        self.placement = None;
                    }
                    return seated;
                }
                Err(problem) => problem,
            };
            self.tell(problem);
            if self.settings.net.take().is_none() {
                self.settings.ruleset = None;
            }
        }
    }

    fn try_to_sit(&self) -> Result<Seated, String> {
        let Judge { variant, evaluator, name } = (self.appoint)(&self.settings, native_variant(self.protocol))?;
        let orders = Arc::clone(&self.thinker.orders);
        let seat: Box<dyn Seat> = rules::dispatch!(variant, V => {
            Box::new(Board::<V>::new(self.protocol, &self.settings, evaluator, orders)?)
        });
        Ok(Seated { seat, variant, name })
    }

    /// Gives the board to the search.
    fn think(&mut self, order: Order) -> Result<(), Broken> {
        let seated = self.seated.take().ok_or(Broken)?;
        self.thinker.orders.begin();
        self.thinker.pondering = order.go.ponder;
        self.thinker.away = true;
        self.thinker.jobs.send((seated, order)).map_err(|_| Broken)
    }

    /// Whether a search runs. If one has ended, the board is back.
    fn is_thinking(&mut self) -> Result<bool, Broken> {
        if self.thinker.away {
            match self.thinker.back.try_recv() {
                Ok(seated) => self.take_back(seated),
                Err(mpsc::TryRecvError::Empty) => {}
                Err(mpsc::TryRecvError::Disconnected) => return Err(Broken),
            }
        }
        Ok(self.thinker.away)
    }

    /// Ends a search that runs, and waits for its answer.
    fn recall(&mut self) -> Result<(), Broken> {
        if self.is_thinking()? {
            self.thinker.orders.stop();
            let seated = self.thinker.back.recv().map_err(|_| Broken)?;
            self.take_back(seated);
        }
        Ok(())
    }

    fn take_back(&mut self, seated: Seated) {
        self.seated = Some(seated);
        self.thinker.away = false;
    }

    fn tell(&self, text: impl fmt::Display) {
        self.wire.tell(self.protocol, text);
    }
}
