//! An engine in one game.

use super::fault::{EngineFailure, EngineFault};
use super::profile::EngineProfile;
use super::session::{Engine, EngineMove};
use crate::limit::GameClock;
use rules::{Game, Move, Variant};
use std::sync::Arc;

/// An engine that plays one game. Its process is started when it is first needed, or taken over from an earlier game.
pub struct EnginePlayer {
    profile: Arc<EngineProfile>,
    engine: Option<Engine>,
    /// Whether the engine was told that this game has begun.
    is_in_game: bool,
}

impl EnginePlayer {
    /// `spare`: a process of this engine that has no game.
    pub fn new(profile: Arc<EngineProfile>, spare: Option<Engine>) -> EnginePlayer {
        EnginePlayer { profile, engine: spare, is_in_game: false }
    }

    /// The engine's answer in the present position. A process that has failed is dropped.
    ///
    /// # Errors
    /// The engine fails, breaks the rules or its time limit, or the system refuses something.
    pub fn choose<V: Variant>(
        &mut self,
        game: &Game<V>,
        legal: &[Move],
        clocks: [&GameClock; 2],
        halt: &dyn Fn() -> bool,
    ) -> Result<EngineMove, EngineFailure> {
        let mut engine = match self.engine.take() {
            Some(mut engine) => {
                if !self.is_in_game {
                    engine.new_game(halt)?;
                }
                engine
            }
            None => Engine::start(&self.profile.launch, halt)?,
        };
        self.is_in_game = true;
        let answer = engine.think(game, legal, clocks, halt);
        if matches!(answer, Ok(_) | Err(EngineFailure::Fault(EngineFault::OutOfTime { obeyed_stop: true, .. }))) {
            self.engine = Some(engine);
        }
        answer
    }

    /// The process, for another game.
    pub fn into_process(self) -> Option<Engine> {
        self.engine
    }
}
