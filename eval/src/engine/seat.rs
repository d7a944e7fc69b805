//! An engine in one game.

use super::fault::{Fault, Trouble};
use super::profile::EngineProfile;
use super::session::{Engine, Thought};
use crate::limit::Clock;
use rules::{Game, Move, Variant};
use std::sync::Arc;

/// An engine's place in one game. Its process is started when it is first needed, or comes from a game before.
pub(crate) struct EngineSeat {
    profile: Arc<EngineProfile>,
    engine: Option<Engine>,
    /// Whether the engine knows that this game has begun.
    seated: bool,
}

impl EngineSeat {
    /// `spare`: a process of this engine that has no game.
    pub fn new(profile: Arc<EngineProfile>, spare: Option<Engine>) -> EngineSeat {
        EngineSeat { profile, engine: spare, seated: false }
    }

    /// What it does in the present position. A process that has failed is gone.
    pub fn choose<V: Variant>(
        &mut self,
        game: &Game<V>,
        legal: &[Move],
        clocks: [&Clock; 2],
        halt: &dyn Fn() -> bool,
    ) -> Result<Thought, Trouble> {
        let mut engine = match self.engine.take() {
            Some(mut engine) => {
                if !self.seated {
                    engine.new_game(halt)?;
                }
                engine
            }
            None => Engine::start(&self.profile.setup, halt)?,
        };
        self.seated = true;
        let decided = engine.think(game, legal, clocks, halt);
        if matches!(decided, Ok(_) | Err(Trouble::Fault(Fault::OutOfTime { obeyed_stop: true, .. }))) {
            self.engine = Some(engine);
        }
        decided
    }

    /// The process, for another game.
    pub fn leave(self) -> Option<Engine> {
        self.engine
    }
}
