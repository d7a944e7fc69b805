//! Setups: arrangements of the back rank that each player chooses before the game (Janggi 차림).
//!
//! A variant lists them in [`Rulebook::SETUPS`](crate::Rulebook::SETUPS); most have none. The choice is part of the
//! start position and of nothing else, so a game is recorded by its start FEN, and [`Position::setups`] reads the names
//! back from it.

use crate::notated::Notated;
use crate::position::Position;

/// A setup a player may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Name in configs and data, for example `inner`.
    pub name: &'static str,
    /// Name for people, with the native one.
    pub title: &'static str,
}

/// No setup of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variant} has no setup {name:?}; it has: {}", if .known.is_empty() { "none" } else { .known })]
pub struct UnknownSetup {
    /// The variant asked.
    pub variant: &'static str,
    /// The name asked for.
    pub name: String,
    /// The names there are, with commas between; empty if the variant has no setups.
    pub known: String,
}

impl<V: Notated> Position<V> {
    /// The start position in which the first and the second player have chosen the setups of these names.
    ///
    /// # Errors
    /// The variant has no setup of one of the names; the error lists those it has.
    ///
    /// # Panics
    /// Never for a variant whose start FENs are valid, which the contract test checks.
    pub fn start_with(setups: [&str; 2]) -> Result<Self, UnknownSetup> {
        let mut chosen = [0; 2];
        for (index, name) in chosen.iter_mut().zip(setups) {
            *index = V::SETUPS.iter().position(|setup| setup.name == name).ok_or_else(|| UnknownSetup {
                variant: V::ID,
                name: name.to_owned(),
                known: V::SETUPS.iter().map(|setup| setup.name).collect::<Vec<_>>().join(", "),
            })?;
        }
        Ok(Self::from_setups(chosen))
    }

    /// The setups of the first and the second player if this is a start position (move 1, nothing played);
    /// `None` if it is none, or in a variant without setups.
    pub fn setups(&self) -> Option<[Setup; 2]> {
        if V::SETUPS.is_empty() {
            return None;
        }
        let each = || 0..V::SETUPS.len();
        let fen = self.fen();
        each()
            .flat_map(|first| each().map(move |second| [first, second]))
            .find(|&chosen| V::start_fen(chosen) == fen)
            .map(|chosen| chosen.map(|index| V::SETUPS[index]))
    }

    fn from_setups(chosen: [usize; 2]) -> Self {
        Self::from_fen(&V::start_fen(chosen)).expect("the start FENs are valid")
    }
}
