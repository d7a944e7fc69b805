//! What a GUI can set.

use super::protocol::{Protocol, quoted};
use rules::{Notation, Rules, Variant, VariantId};
use std::path::PathBuf;
use std::time::Duration;

/// The value that stands for an empty text.
const EMPTY: &str = "<empty>";

/// What is set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The variant; `None`: that of the network, or else the protocol's own.
    pub variant: Option<VariantId>,
    /// The rule-set preset; `None`: the variant's default.
    pub ruleset: Option<String>,
    /// The network's file; `None`: no network.
    pub net: Option<PathBuf>,
    /// Simulations where `go` sets no limit.
    pub visits: u32,
    /// Lines shown.
    pub lines: u32,
    /// Leaves in flight.
    pub batch: u32,
    /// Most megabytes of the tree.
    pub memory: u32,
    /// Time that may get lost between GUI and engine for each move.
    pub overhead: Duration,
    /// Whether win, draw and loss are shown.
    pub wdl: bool,
    /// UCCI: whether times come in milliseconds rather than seconds.
    pub milliseconds: bool,
}

/// What follows from a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that is there already changes.
    Later,
    /// The network or the tree must be made anew.
    Anew,
}

/// The bounds of a number.
struct Bounds {
    least: u32,
    most: u32,
}

const VISITS: Bounds = Bounds { least: 1, most: 1_000_000_000 };
const LINES: Bounds = Bounds { least: 1, most: 500 };
const BATCH: Bounds = Bounds { least: 1, most: 4_096 };
const MEMORY: Bounds = Bounds { least: 1, most: 1_000_000 };
const OVERHEAD: Bounds = Bounds { least: 0, most: 60_000 };

impl Bounds {
    fn read(&self, name: &str, value: &str) -> Result<u32, String> {
        let number = value.parse::<u32>().ok().filter(|number| (self.least..=self.most).contains(number));
        number.ok_or_else(|| format!("{name} is {} to {}, not {}", self.least, self.most, quoted(value)))
    }
}

fn check(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{name} is true or false, not {}", quoted(value))),
    }
}

fn text(value: &str) -> Option<&str> {
    (!value.is_empty() && value != EMPTY).then_some(value)
}

/// The name as it is looked up: letters and digits in lower case, without the protocol's prefix. So `Move Overhead`
/// is `MoveOverhead`, and `USI_Hash` is `Hash`.
fn plain(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let name = ["uci_", "usi_", "ucci_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(&name);
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

impl Settings {
    /// Sets an option by any of its names.
    ///
    /// # Errors
    /// There is no such option, or it has no such value; nothing is changed.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Effect, String> {
        let before = self.clone();
        match plain(name).as_str() {
            "variant" => {
                let variant = crate::commands::variant(value)?;
                if self.variant.replace(variant) != Some(variant) {
                    self.ruleset = None;
                }
            }
            "ruleset" => self.ruleset = text(value).filter(|&value| value != "default").map(str::to_owned),
            "evalfile" => self.net = text(value).map(PathBuf::from),
            "batch" => self.batch = BATCH.read(name, value)?,
            "hash" | "hashsize" => self.memory = MEMORY.read(name, value)?,
            later => {
                match later {
                    "visits" => self.visits = VISITS.read(name, value)?,
                    "multipv" => self.lines = LINES.read(name, value)?,
                    "moveoverhead" => {
                        self.overhead = Duration::from_millis(OVERHEAD.read(name, value)?.into());
                    }
                    "showwdl" => self.wdl = check(name, value)?,
                    "usemillisec" => self.milliseconds = check(name, value)?,
                    // Every search can go on in the opponent's time; the GUI decides.
                    "ponder" => {
                        check(name, value)?;
                    }
                    _ => return Err(format!("no option {}", quoted(name))),
                }
                return Ok(Effect::Later);
            }
        }
        Ok(if *self == before { Effect::Later } else { Effect::Anew })
    }

    /// The lines that declare the options; `variant` is the present one.
    pub fn declared(&self, protocol: Protocol, variant: VariantId) -> Vec<String> {
        let prefix = protocol.word().to_uppercase();
        let number = |bounds: &Bounds, value: u32| {
            ("spin", value.to_string(), format!("min {} max {}", bounds.least, bounds.most))
        };
        let combo = |value: &str, values: &[&str]| ("combo", value.to_owned(), format!("var {}", values.join(" var ")));
        let check = |value: bool| ("check", value.to_string(), String::new());
        let net = self.net.as_ref().map_or(EMPTY.to_owned(), |path| path.display().to_string());
        let variants: Vec<&str> = VariantId::ALL.iter().map(|id| id.id()).collect();
        let ruleset = self.ruleset.as_deref().unwrap_or("default");
        let mut options = vec![
            (format!("{prefix}_Variant"), combo(variant.id(), &variants)),
            // A text, because each variant has its own: `default`, or one of those that a wrong name is answered with.
            ("Ruleset".to_owned(), ("string", ruleset.to_owned(), String::new())),
            (
                "EvalFile".to_owned(),
                (if protocol == Protocol::Usi { "filename" } else { "string" }, net, String::new()),
            ),
            ("Visits".to_owned(), number(&VISITS, self.visits)),
            ("Batch".to_owned(), number(&BATCH, self.batch)),
            ("MoveOverhead".to_owned(), number(&OVERHEAD, self.overhead.as_millis() as u32)),
        ];
        let named = |name: &str, option| (name.to_owned(), option);
        options.extend(match protocol {
            Protocol::Uci => vec![
                named("Hash", number(&MEMORY, self.memory)),
                named("Ponder", check(false)),
                named("MultiPV", number(&LINES, self.lines)),
                named("UCI_ShowWDL", check(self.wdl)),
            ],
            Protocol::Usi => vec![
                named("USI_Hash", number(&MEMORY, self.memory)),
                named("USI_Ponder", check(false)),
                named("MultiPV", number(&LINES, self.lines)),
                named("USI_ShowWDL", check(self.wdl)),
            ],
            Protocol::Ucci => vec![
                named("hashsize", number(&MEMORY, self.memory)),
                named("ponder", check(false)),
                named("usemillisec", check(self.milliseconds)),
                named("newgame", ("button", String::new(), String::new())),
            ],
        });
        options
            .into_iter()
            .map(|(name, (kind, default, range))| declaration(protocol, &name, kind, &default, &range))
            .collect()
    }
}

fn declaration(protocol: Protocol, name: &str, kind: &str, default: &str, range: &str) -> String {
    let default = if default.is_empty() { String::new() } else { format!("default {default}") };
    let parts = match protocol {
        Protocol::Uci | Protocol::Usi => ["option name", name, "type", kind, &default, range],
        Protocol::Ucci => ["option", name, "type", kind, range, &default],
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The variant a protocol is made for: one that has its notation, among the first of its notations, and a single start
/// position, since no protocol has a word for choosing set-ups.
pub fn native_variant(protocol: Protocol) -> VariantId {
    let rank = |id: VariantId| {
        rules::dispatch!(id, V => {
            let at = V::NOTATIONS.iter().position(|notation: &Notation<V>| notation.name == protocol.word());
            (at.unwrap_or(usize::MAX), V::SETUPS.len())
        })
    };
    VariantId::ALL.iter().copied().min_by_key(|&id| rank(id)).expect("there are variants")
}

/// The rule set of the settings.
///
/// # Errors
/// The variant has none of that name; the error lists those it has.
pub fn rules_of<V: Variant>(settings: &Settings) -> Result<Rules<V>, String> {
    settings.ruleset.as_deref().map_or(Ok(Rules::default()), Rules::named).map_err(|error| error.to_string())
}
