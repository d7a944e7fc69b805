//! The players that networks of a run meet in matches: other networks of the run, and fixed players, whose strength does
//! not depend on the run.

use eval::PlayerSpec;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The opponent of a network in a match. In JSON a network is its generation, as in records from before there were
/// fixed players, and a fixed player is the text of its [`PlayerSpec`].
///
/// ```
/// use lab::Opponent;
///
/// let text = |opponent: Opponent| serde_json::to_string(&opponent).unwrap();
/// assert_eq!(text(Opponent::Network(3)), "3");
/// assert_eq!(text(Opponent::Builtin(16)), "\"builtin@16\"");
/// assert_eq!(serde_json::from_str::<Opponent>("\"mcts:20\"").unwrap(), Opponent::Mcts(20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "OpponentJson", try_from = "OpponentJson")]
pub enum Opponent {
    /// A network of the run, by its generation; 0 is the one that the run began with.
    Network(u32),
    /// Plays any legal move.
    Random,
    /// Plays a win in one, or the move after which the material stands best.
    Greedy,
    /// Tree search with so many random playouts a move.
    Mcts(u32),
    /// The network that comes with Kirin, with so many visits a move.
    Builtin(u32),
    /// A level of the network that comes with Kirin, by its number.
    Level(u32),
}

/// The JSON form of an opponent.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum OpponentJson {
    Network(u32),
    Fixed(String),
}

impl Opponent {
    /// The network of the run that it is, if it is one.
    pub fn network(self) -> Option<u32> {
        match self {
            Opponent::Network(generation) => Some(generation),
            _ => None,
        }
    }

    /// Its part in the name of a match log: `gen-0003`, `greedy`, `builtin-16`.
    pub fn file_name(self) -> String {
        match self {
            Opponent::Network(generation) => format!("gen-{generation:04}"),
            fixed => fixed.to_string().replace([':', '@'], "-"),
        }
    }

    /// The fixed player as it is written on the command line; `None` for a network of the run.
    fn spec(self) -> Option<PlayerSpec> {
        Some(match self {
            Opponent::Network(_) => return None,
            Opponent::Random => PlayerSpec::Random,
            Opponent::Greedy => PlayerSpec::Greedy,
            Opponent::Mcts(playouts) => PlayerSpec::Mcts { playouts },
            Opponent::Builtin(visits) => PlayerSpec::Builtin { visits, temperature: None },
            Opponent::Level(number) => PlayerSpec::Level { number },
        })
    }
}

/// `network 3`, `greedy`, `mcts:20`, `builtin@16`, `level:3`.
impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.spec()) {
            (Opponent::Network(generation), _) => write!(f, "network {generation}"),
            (_, Some(spec)) => spec.fmt(f),
            (_, None) => Ok(()),
        }
    }
}

impl Default for Opponent {
    fn default() -> Self {
        Opponent::Network(0)
    }
}

impl From<u32> for Opponent {
    fn from(generation: u32) -> Opponent {
        Opponent::Network(generation)
    }
}

impl From<Opponent> for OpponentJson {
    fn from(opponent: Opponent) -> OpponentJson {
        match opponent {
            Opponent::Network(generation) => OpponentJson::Network(generation),
            fixed => OpponentJson::Fixed(fixed.to_string()),
        }
    }
}

impl TryFrom<OpponentJson> for Opponent {
    type Error = String;

    fn try_from(written: OpponentJson) -> Result<Opponent, String> {
        let text = match written {
            OpponentJson::Network(generation) => return Ok(Opponent::Network(generation)),
            OpponentJson::Fixed(text) => text,
        };
        match text.parse() {
            Ok(PlayerSpec::Random) => Ok(Opponent::Random),
            Ok(PlayerSpec::Greedy) => Ok(Opponent::Greedy),
            Ok(PlayerSpec::Mcts { playouts }) => Ok(Opponent::Mcts(playouts)),
            Ok(PlayerSpec::Builtin { visits, temperature: None }) if visits > 0 => Ok(Opponent::Builtin(visits)),
            Ok(PlayerSpec::Level { number }) => Ok(Opponent::Level(number)),
            _ => Err(format!("{text:?} is not an opponent in a run's matches")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opponents_are_written_as_numbers_and_texts() {
        let all = [
            (Opponent::Network(7), "7", "gen-0007"),
            (Opponent::Random, "\"random\"", "random"),
            (Opponent::Greedy, "\"greedy\"", "greedy"),
            (Opponent::Mcts(20), "\"mcts:20\"", "mcts-20"),
            (Opponent::Builtin(4), "\"builtin@4\"", "builtin-4"),
            (Opponent::Level(3), "\"level:3\"", "level-3"),
        ];
        for (opponent, json, name) in all {
            assert_eq!(serde_json::to_string(&opponent).expect("JSON"), json);
            assert_eq!(serde_json::from_str::<Opponent>(json).expect("an opponent"), opponent);
            assert_eq!(opponent.file_name(), name);
        }
        for bad in
            ["-1", "1.5", "\"\"", "\"builtin\"", "\"net.safetensors\"", "\"mcts:0\"", "\"builtin@1:2\"", "null", "{}"]
        {
            assert!(serde_json::from_str::<Opponent>(bad).is_err(), "{bad}");
        }
    }
}
