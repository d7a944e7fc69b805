//! Players as they are written in configurations and on the command line.

use super::temperature::{Temperature, TemperatureError};
use engine::client::{EngineConfig, EngineSpecError};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The word for the network that comes with Kirin.
const BUILTIN: &str = "builtin";

/// A player as one argument: `random`, `greedy`, `mcts:PLAYOUTS`, `builtin` (the network that comes with Kirin), the path of
/// a network file or of a run folder (or `network:PATH`), or `engine:PROGRAM?SETTINGS`, an outside engine
/// ([`EngineConfig`]). A network can have `@VISITS` behind it, a number of visits of its own, and `builtin` also
/// `@VISITS:TEMPERATURE`, which weakens it ([`Temperature`]). `level:NUMBER` is the network that comes with Kirin with the
/// settings of one of its levels ([`crate::benchmark::ReferenceLadder::levels`]).
///
/// ```
/// use eval::PlayerSpec;
///
/// let player: PlayerSpec = "runs/one/nets/gen-0007.safetensors@200".parse()?;
/// assert_eq!(player, PlayerSpec::Network { path: "runs/one/nets/gen-0007.safetensors".into(), visits: 200 });
/// assert_eq!("mcts:100".parse::<PlayerSpec>()?.to_string(), "mcts:100");
/// # Ok::<(), eval::players::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum PlayerSpec {
    /// Plays any legal move, all with equal probability.
    Random,
    /// Plays a win in one, or the move with the best material after it.
    Greedy,
    /// Monte Carlo tree search with random playouts.
    Mcts {
        /// Playouts a move, at least 1.
        playouts: u32,
    },
    /// A network with a search.
    Network {
        /// The network file, or a run folder, which stands for its newest network.
        path: PathBuf,
        /// Visits a move; 0 for the number of the match.
        visits: u32,
    },
    /// The network of the variant that comes with Kirin, with a search.
    Builtin {
        /// Visits a move; 0 for the number of the match.
        visits: u32,
        /// The temperature at which it draws its moves; `None` if it plays the best.
        temperature: Option<Temperature>,
    },
    /// A level of the network that comes with Kirin.
    Level {
        /// Its number, from 1.
        number: u32,
    },
    /// An outside engine.
    Engine {
        /// Its program, or its name in the file of engines.
        program: String,
        /// Settings, as [`EngineConfig::with_settings`] takes them.
        settings: String,
    },
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::Random => f.write_str("random"),
            PlayerSpec::Greedy => f.write_str("greedy"),
            PlayerSpec::Mcts { playouts } => write!(f, "mcts:{playouts}"),
            PlayerSpec::Network { path, visits } => {
                let path = path.display().to_string();
                // One that has the name of another player.
                if !matches!(path.parse(), Ok(PlayerSpec::Network { visits: 0, .. })) {
                    f.write_str("network:")?;
                }
                f.write_str(&path)?;
                if *visits > 0 { write!(f, "@{visits}") } else { Ok(()) }
            }
            PlayerSpec::Builtin { visits: 0, .. } => f.write_str(BUILTIN),
            PlayerSpec::Builtin { visits, temperature: None } => write!(f, "{BUILTIN}@{visits}"),
            PlayerSpec::Builtin { visits, temperature: Some(temperature) } => {
                write!(f, "{BUILTIN}@{visits}:{temperature}")
            }
            PlayerSpec::Level { number } => write!(f, "level:{number}"),
            PlayerSpec::Engine { program, settings } if settings.is_empty() => write!(f, "engine:{program}"),
            PlayerSpec::Engine { program, settings } => write!(f, "engine:{program}?{settings}"),
        }
    }
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let count = |word: &str| word.parse().ok().filter(|&n: &u32| (1..=10_000_000).contains(&n));
        if let Some(engine) = text.strip_prefix("engine:") {
            // Read here too, so that a mistake is reported with the command line.
            EngineConfig::from_str(engine)?;
            let (program, settings) = engine.split_once('?').unwrap_or((engine, ""));
            return Ok(PlayerSpec::Engine { program: program.to_owned(), settings: settings.to_owned() });
        }
        let (text, is_path) = text.strip_prefix("network:").map_or((text, false), |path| (path, true));
        match text {
            "" => Err(SpecError::Empty),
            "random" if !is_path => Ok(PlayerSpec::Random),
            "greedy" if !is_path => Ok(PlayerSpec::Greedy),
            BUILTIN if !is_path => Ok(PlayerSpec::Builtin { visits: 0, temperature: None }),
            _ if !is_path && text.starts_with("builtin@") && text.contains(':') => {
                let (visits, temperature) = text["builtin@".len()..].split_once(':').unwrap_or_default();
                let visits = count(visits).ok_or_else(|| SpecError::Count(visits.to_owned()))?;
                Ok(PlayerSpec::Builtin { visits, temperature: Some(temperature.parse()?) })
            }
            _ if !is_path && text.starts_with("level:") => {
                let number = &text["level:".len()..];
                let number = count(number).ok_or_else(|| SpecError::Level(number.to_owned()))?;
                Ok(PlayerSpec::Level { number })
            }
            _ => match (text.strip_prefix("mcts:"), text.rsplit_once('@')) {
                (Some(playouts), _) if !is_path => match count(playouts) {
                    Some(playouts) => Ok(PlayerSpec::Mcts { playouts }),
                    None => Err(SpecError::Count(playouts.to_owned())),
                },
                // A path may contain an @. Only a number after the last one is a number of visits.
                (_, Some((path, visits))) if !path.is_empty() && visits.bytes().all(|b| b.is_ascii_digit()) => {
                    match count(visits) {
                        Some(visits) if path == BUILTIN && !is_path => {
                            Ok(PlayerSpec::Builtin { visits, temperature: None })
                        }
                        Some(visits) => Ok(PlayerSpec::Network { path: path.into(), visits }),
                        None => Err(SpecError::Count(visits.to_owned())),
                    }
                }
                _ => Ok(PlayerSpec::Network { path: text.into(), visits: 0 }),
            },
        }
    }
}

impl PlayerSpec {
    /// The player of an argument. One that is not Unicode is the path of a network, which may have any name.
    ///
    /// # Errors
    /// The text describes no player.
    pub fn of_argument(text: &OsStr) -> Result<PlayerSpec, SpecError> {
        if let Some(text) = text.to_str() {
            return text.parse();
        }
        // What is not Unicode is replaced here, which makes no ASCII and leaves ASCII as it is.
        let lossy = text.to_string_lossy();
        let start = if lossy.starts_with("network:") { "network:".len() } else { 0 };
        // Only ASCII comes after the last @ of one with a number of visits.
        let count = &lossy[lossy.rfind('@').unwrap_or(lossy.len())..];
        let (end, visits) = match format!("path{count}").parse()? {
            PlayerSpec::Network { visits, .. } if visits > 0 => (count.len(), visits),
            _ => (0, 0),
        };
        Ok(PlayerSpec::Network { path: without_ascii(text, start, end).into(), visits })
    }
}

/// A text without so many ASCII characters at its start and its end.
fn without_ascii(text: &OsStr, start: usize, end: usize) -> OsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let bytes = text.as_bytes();
        OsStr::from_bytes(&bytes[start..bytes.len() - end]).to_owned()
    }
    #[cfg(windows)]
    {
        use std::os::windows::ffi::{OsStrExt, OsStringExt};
        let units: Vec<u16> = text.encode_wide().collect();
        OsString::from_wide(&units[start..units.len() - end])
    }
}

impl From<PlayerSpec> for String {
    fn from(spec: PlayerSpec) -> String {
        spec.to_string()
    }
}

impl TryFrom<String> for PlayerSpec {
    type Error = SpecError;
    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
    }
}

/// A text that describes no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The text is empty.
    #[error(
        "the name of a player is empty; players are random, greedy, mcts:PLAYOUTS, builtin, level:NUMBER, the path of a \
         network file or run folder, and engine:PROGRAM?SETTINGS"
    )]
    Empty,
    /// A number of playouts or visits is not a number, or is out of range.
    #[error("{0:?} is not a number of visits; give 1 to 10000000")]
    Count(String),
    /// A level is not a number.
    #[error("{0:?} is not a level; levels are numbers from 1")]
    Level(String),
    /// A temperature is not a number, or is out of range.
    #[error(transparent)]
    Temperature(#[from] TemperatureError),
    /// The settings of an engine cannot be read.
    #[error(transparent)]
    Engine(#[from] EngineSpecError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)] // names on Windows are not bytes
    #[test]
    fn a_path_may_have_any_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let of = |bytes: &[u8]| PlayerSpec::of_argument(OsStr::from_bytes(bytes));
        let network = |bytes: &[u8], visits| PlayerSpec::Network { path: OsStr::from_bytes(bytes).into(), visits };
        assert_eq!(of(b"run-\xff").unwrap(), network(b"run-\xff", 0));
        assert_eq!(of(b"network:a@b\xff@64").unwrap(), network(b"a@b\xff", 64));
        assert_eq!(of(b"\xff@b/net").unwrap(), network(b"\xff@b/net", 0));
        assert!(of(b"\xff@0").is_err());
        assert_eq!(of(b"mcts:100").unwrap(), PlayerSpec::Mcts { playouts: 100 });
    }

    #[test]
    fn texts_and_players_correspond() {
        for word in [
            "random",
            "greedy",
            "mcts:100",
            "builtin",
            "builtin@64",
            "builtin@1:2.5",
            "level:3",
            "net.safetensors",
            "a@b/net",
            "net@64",
            "network:random",
            "network:greedy@4",
            "network:mcts:5",
            "network:mcts:many",
            "network:builtin",
            "network:level:3",
            "engine:e",
            "engine:./e?nodes=5",
        ] {
            let spec: PlayerSpec = word.parse().unwrap();
            assert_eq!(spec.to_string(), word);
            let json = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<PlayerSpec>(&json).unwrap(), spec);
        }
        for bad in [
            "",
            "mcts:0",
            "mcts:many",
            "net@0",
            "net@99999999999",
            "builtin@0",
            "builtin@1:",
            "builtin@1:0",
            "builtin@:1",
            "level:0",
            "level:",
            "engine:",
            "engine:e?nodes=0",
            "network:",
        ] {
            assert!(bad.parse::<PlayerSpec>().is_err(), "{bad}");
        }
    }
}
