//! What a GUI can set.

use super::level::EngineLevel;
use crate::protocol::{EngineOption, OptionKind, Protocol, quoted};
use rules::{Notated, Notation, Rulebook, Rules, UnknownVariant, VariantId};
use std::path::PathBuf;
use std::time::Duration;

/// The settings of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The variant; `None` is that of the network, or else the one that the protocol is made for.
    pub variant: Option<VariantId>,
    /// The rule-set preset; `None` is the variant's default.
    pub ruleset: Option<String>,
    /// The network's file; with `None` the loader chooses.
    pub network: Option<PathBuf>,
    /// Visits of a `go` without a limit, 1 to 1,000,000,000.
    pub visits: u32,
    /// Lines shown, 1 to 500.
    pub lines: u32,
    /// Pending leaves, 1 to 4,096; 0 leaves the number to the loader.
    pub batch: u32,
    /// Most megabytes of the tree, 1 to 1,000,000.
    pub memory: u32,
    /// [`search::SearchConfig::cpuct_deviation_share`] of a network in percent, 0 to 100.
    pub deviation_percent: u32,
    /// Time of each move that may get lost between GUI and engine, at most a minute.
    pub overhead: Duration,
    /// Whether win, draw and loss are shown.
    pub show_wdl: bool,
    /// The level to play at, from 1, the weakest; 0 is full strength.
    pub level: u32,
    /// Whether the strength is limited to `elo`, where `level` is 0.
    pub limit_strength: bool,
    /// The strength to play at: that of the nearest level. `None` is the highest level.
    pub elo: Option<u32>,
    /// Seed of the moves that a level draws; no option of a protocol.
    pub seed: u64,
    /// UCCI: whether times are in milliseconds rather than in seconds.
    pub milliseconds: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            variant: None,
            ruleset: None,
            network: None,
            visits: 800,
            lines: 1,
            batch: 0,
            memory: 1_024,
            deviation_percent: (100.0 * search::DEVIATION_SHARE).round() as u32,
            overhead: Duration::from_millis(50),
            show_wdl: false,
            level: 0,
            limit_strength: false,
            elo: None,
            seed: 1,
            milliseconds: false,
        }
    }
}

/// What a changed setting requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing: it takes effect with the next search.
    NextSearch,
    /// The network or the tree must be made again.
    NewBoard,
}

/// A setting that is not possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// There is no such option.
    #[error("there is no option {}", quoted(.0))]
    Unknown(String),
    /// A number is out of range, or not a number.
    #[error("{name} is {least} to {most}, not {}", quoted(value))]
    OutOfRange {
        /// The option.
        name: String,
        /// Its least value.
        least: u32,
        /// Its greatest value.
        most: u32,
        /// The value that was given.
        value: String,
    },
    /// A value is neither true nor false.
    #[error("{name} is true or false, not {}", quoted(value))]
    NotABool {
        /// The option.
        name: String,
        /// The value that was given.
        value: String,
    },
    /// The network plays at one strength only.
    #[error("{0}: this network has no levels")]
    NoLevels(String),
    /// There is no such variant.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
}

/// The range of a number.
struct Range {
    least: u32,
    most: u32,
}

const VISITS: Range = Range { least: 1, most: 1_000_000_000 };
const LINES: Range = Range { least: 1, most: 500 };
const BATCH: Range = Range { least: 0, most: 4_096 };
const MEMORY: Range = Range { least: 1, most: 1_000_000 };
const PERCENT: Range = Range { least: 0, most: 100 };
const OVERHEAD: Range = Range { least: 0, most: 60_000 };

/// The ranges that depend on the levels of the network.
struct LevelRanges {
    level: Range,
    elo: Range,
}

impl LevelRanges {
    /// `None` if there is nothing to choose from.
    fn of(levels: &[EngineLevel]) -> Option<LevelRanges> {
        let [lowest, .., highest] = levels else { return None };
        let level = Range { least: 0, most: levels.len() as u32 };
        Some(LevelRanges { level, elo: Range { least: lowest.elo, most: highest.elo } })
    }
}

impl Range {
    fn read(&self, name: &str, value: &str) -> Result<u32, SettingError> {
        let number = value.parse::<u32>().ok().filter(|number| (self.least..=self.most).contains(number));
        number.ok_or_else(|| SettingError::OutOfRange {
            name: name.to_owned(),
            least: self.least,
            most: self.most,
            value: value.to_owned(),
        })
    }

    /// The option as it is declared; a default that is out of range becomes the nearest number.
    fn option(&self, default: u32) -> OptionKind {
        let default = default.clamp(self.least, self.most);
        OptionKind::Spin { default: Some(default.into()), range: Some((self.least.into(), self.most.into())) }
    }
}

fn read_bool(name: &str, value: &str) -> Result<bool, SettingError> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(SettingError::NotABool { name: name.to_owned(), value: value.to_owned() }),
    }
}

/// A text; `<empty>` stands for none.
fn text(value: &str) -> Option<&str> {
    (!value.is_empty() && value != "<empty>").then_some(value)
}

/// The name by which an option is looked up: letters and digits in lower case, without the protocol's prefix. So
/// `Move Overhead` is `MoveOverhead`, and `USI_Hash` is `Hash`.
fn canonical(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let name = ["uci_", "usi_", "ucci_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(&name);
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Whether the values of an option depend on the levels of the network.
pub(super) fn depends_on_levels(name: &str) -> bool {
    ["level", "elo"].contains(&canonical(name).as_str())
}

impl Settings {
    /// Sets an option by any of its names. `levels` are those of the present network.
    ///
    /// # Errors
    /// There is no such option, or it has no such value; nothing is changed.
    pub(super) fn set(&mut self, name: &str, value: &str, levels: &[EngineLevel]) -> Result<Effect, SettingError> {
        let before = self.clone();
        let ranges = || LevelRanges::of(levels).ok_or_else(|| SettingError::NoLevels(name.to_owned()));
        match canonical(name).as_str() {
            "variant" => {
                let variant = value.parse()?;
                self.variant = Some(variant);
                let is_unknown = |name: &mut String| rules::dispatch!(variant, V => Rules::<V>::named(name).is_err());
                self.ruleset.take_if(is_unknown);
            }
            "ruleset" => self.ruleset = text(value).filter(|&value| value != "default").map(str::to_owned),
            "evalfile" => self.network = text(value).map(PathBuf::from),
            "batch" => self.batch = BATCH.read(name, value)?,
            "cpuctdeviationpercent" => self.deviation_percent = PERCENT.read(name, value)?,
            "hash" | "hashsize" => self.memory = MEMORY.read(name, value)?,
            other => {
                match other {
                    "visits" => self.visits = VISITS.read(name, value)?,
                    "multipv" => self.lines = LINES.read(name, value)?,
                    "moveoverhead" => {
                        self.overhead = Duration::from_millis(OVERHEAD.read(name, value)?.into());
                    }
                    "showwdl" => self.show_wdl = read_bool(name, value)?,
                    "level" => self.level = ranges()?.level.read(name, value)?,
                    "limitstrength" => self.limit_strength = read_bool(name, value)?,
                    "elo" => self.elo = Some(ranges()?.elo.read(name, value)?),
                    "usemillisec" => self.milliseconds = read_bool(name, value)?,
                    // Every search can run on the opponent's time; the GUI decides.
                    "ponder" => {
                        read_bool(name, value)?;
                    }
                    _ => return Err(SettingError::Unknown(name.to_owned())),
                }
                return Ok(Effect::NextSearch);
            }
        }
        Ok(if *self == before { Effect::NextSearch } else { Effect::NewBoard })
    }

    /// The level to play at, of those there are, weakest first; `None` is full strength. A number above the highest level
    /// means that level.
    pub(super) fn chosen_level<'a>(&self, levels: &'a [EngineLevel]) -> Option<&'a EngineLevel> {
        if self.level > 0 {
            return levels.get((self.level as usize).min(levels.len()).checked_sub(1)?);
        }
        let highest = levels.last()?;
        let wanted = self.elo.unwrap_or(highest.elo);
        self.limit_strength.then(|| levels.iter().min_by_key(|level| level.elo.abs_diff(wanted)))?
    }

    /// The options as they are declared to a GUI; `variant` is the present one, and `levels` are those of its network.
    pub(super) fn options(&self, protocol: Protocol, variant: VariantId, levels: &[EngineLevel]) -> Vec<EngineOption> {
        let prefix = protocol.word().to_uppercase();
        let option = |name: &str, kind| EngineOption { name: name.to_owned(), kind };
        let check = |default| OptionKind::Check { default };
        let network = self.network.as_ref().map_or_else(String::new, |path| path.display().to_string());
        let network = match protocol {
            Protocol::Usi => OptionKind::File { default: network },
            Protocol::Uci | Protocol::Ucci => OptionKind::Text { default: network },
        };
        let variants = OptionKind::Combo {
            default: variant.id().to_owned(),
            choices: VariantId::ALL.iter().map(|id| id.id().to_owned()).collect(),
        };
        // A text, because each variant has its own rule sets. The answer to a wrong name lists them.
        let ruleset = OptionKind::Text { default: self.ruleset.as_deref().unwrap_or("default").to_owned() };
        let mut options = vec![
            option(&format!("{prefix}_Variant"), variants),
            option("Ruleset", ruleset),
            option("EvalFile", network),
            option("Visits", VISITS.option(self.visits)),
            option("Batch", BATCH.option(self.batch)),
            option("CpuctDeviationPercent", PERCENT.option(self.deviation_percent)),
            option("MoveOverhead", OVERHEAD.option(self.overhead.as_millis() as u32)),
        ];
        if let Some(LevelRanges { level, elo }) = LevelRanges::of(levels) {
            options.push(option("Level", level.option(self.level)));
            if protocol != Protocol::Ucci {
                options.push(option(&format!("{prefix}_LimitStrength"), check(self.limit_strength)));
                options.push(option(&format!("{prefix}_Elo"), elo.option(self.elo.unwrap_or(elo.most))));
            }
        }
        options.extend(match protocol {
            Protocol::Uci => vec![
                option("Hash", MEMORY.option(self.memory)),
                option("Ponder", check(false)),
                option("MultiPV", LINES.option(self.lines)),
                option("UCI_ShowWDL", check(self.show_wdl)),
            ],
            Protocol::Usi => vec![
                option("USI_Hash", MEMORY.option(self.memory)),
                option("USI_Ponder", check(false)),
                option("MultiPV", LINES.option(self.lines)),
                option("USI_ShowWDL", check(self.show_wdl)),
            ],
            Protocol::Ucci => vec![
                option("hashsize", MEMORY.option(self.memory)),
                option("ponder", check(false)),
                option("usemillisec", check(self.milliseconds)),
                option("newgame", OptionKind::Button),
            ],
        });
        options
    }
}

/// The variant that a protocol is made for: one that has its notation, among the first of its notations, and a single
/// start position, because no protocol has a word for choosing setups.
pub(super) fn default_variant(protocol: Protocol) -> VariantId {
    let rank = |id: VariantId| {
        rules::dispatch!(id, V => {
            let at = V::NOTATIONS.iter().position(|notation: &Notation<V>| notation.name == protocol.word());
            (at.unwrap_or(usize::MAX), V::SETUPS.len())
        })
    };
    VariantId::ALL.iter().copied().min_by_key(|&id| rank(id)).expect("there are variants")
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::SearchConfig;

    #[test]
    fn the_number_of_a_level_comes_before_its_elo() {
        let level = |elo: u32| EngineLevel { elo, search: SearchConfig { visits: elo, ..SearchConfig::default() } };
        let levels = [level(1_000), level(1_150), level(1_300)];
        let elo = |number: u32, limit_strength: bool, elo: Option<u32>| {
            let settings = Settings { level: number, limit_strength, elo, ..Settings::default() };
            settings.chosen_level(&levels).map(|level| level.elo)
        };
        assert_eq!(elo(0, false, Some(1_000)), None, "full strength");
        assert_eq!(elo(1, true, Some(1_300)), Some(1_000));
        assert_eq!(elo(9, false, None), Some(1_300), "the highest there is");
        assert_eq!(
            [elo(0, true, None), elo(0, true, Some(1_200)), elo(0, true, Some(5))],
            [1_300, 1_150, 1_000].map(Some)
        );
        assert_eq!(Settings { level: 1, ..Settings::default() }.chosen_level(&[]), None);
    }
}
