//! Identities and names of players.
//!
//! A player is what it plays with and the settings that change its moves. Paths, display names, batch sizes and thread
//! counts are not part of it, so one network under two paths is one player, whatever its evaluations were batched in.

mod player_record;

pub use player_record::{EngineSettings, NetworkSettings, PlayerRecord, PlayerSettings};
pub(crate) use player_record::{NUMBER_FORMAT, canonical};

use search::SearchConfig;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The identity of a player: equal for two records of the same player, different for all others.
///
/// It is a digest of what the player plays with (digest of the network, digest of the engine's program, or the built-in
/// player) and of its settings that change moves: the search of a network with its visits or its limit of time, and of an
/// engine its version, arguments, options and limit.
///
/// How a network is evaluated does not count. Batch, threads and memory layout change the last bits of its answers at most.
/// The number format is not part of it either: it is chosen by a measurement of speed, and bf16 only where its answers
/// agree with those in fp32 (`train::trusted`). If it counted, two commands on one machine could make two players of one
/// network.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerId(String);

impl PlayerId {
    /// The identity of a recorded player.
    pub fn of(record: &PlayerRecord) -> PlayerId {
        let mut settings = record.settings.deciding();
        if let (PlayerSettings::Network(_), Value::Object(settings)) = (&record.settings, &mut settings) {
            // Without those at their defaults, so that a setting that a later version adds changes no identity.
            let q_range_floor = search::Q_RANGE_FLOOR_AT_FIRST;
            let defaults = canonical(&SearchConfig { q_range_floor, ..SearchConfig::default() });
            settings.retain(|key, value| defaults.get(key) != Some(value));
        }
        let settings = settings.to_string();
        let mut hasher = blake3::Hasher::new();
        for text in [&record.identity, &settings] {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        PlayerId(hasher.finalize().to_hex()[..16].to_owned())
    }

    /// The identity as 16 hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a network file in tables: `wangqi-smoke 15` for `runs/wangqi-smoke/nets/gen-0015.safetensors`, and the file
/// name without its ending for a file outside of a run. Any other text is returned as it is, without a number of visits
/// behind it.
///
/// ```
/// use eval::network_name;
///
/// assert_eq!(network_name("runs/wangqi-smoke/nets/gen-0015.safetensors@64"), "wangqi-smoke 15");
/// assert_eq!(network_name("/tmp/learned.safetensors"), "learned");
/// assert_eq!(network_name("builtin@200"), "builtin");
/// ```
pub fn network_name(path: &str) -> String {
    let path = match path.rsplit_once('@') {
        Some((path, visits))
            if !path.is_empty() && !visits.is_empty() && visits.bytes().all(|b| b.is_ascii_digit()) =>
        {
            path
        }
        _ => path,
    };
    let Some(stem) = path.strip_suffix(".safetensors") else { return path.to_owned() };
    let mut parts = stem.rsplit(std::path::is_separator).filter(|part| !part.is_empty() && *part != ".");
    let file = parts.next().unwrap_or(stem);
    let generation: Option<u32> = file.strip_prefix("gen-").and_then(|digits| digits.parse().ok());
    match (generation, parts.next(), parts.next()) {
        (Some(generation), Some("nets"), Some(run)) if run != ".." => format!("{run} {generation}"),
        _ => file.to_owned(),
    }
}

/// Digits of an identity or a digest that are shown, and the fewest that name a player.
const SHORT: usize = 8;

/// All players of some matches, each with a short name that no other has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roster(BTreeMap<PlayerId, Known>);

/// What is known of one player.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    /// Names it was recorded under, as tables show them.
    names: BTreeSet<String>,
    /// Digest of its network or program, or the built-in player.
    identity: String,
    /// How much it thinks.
    effort: Option<String>,
}

/// Why a text names no player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotFound {
    /// No player is called that.
    Nobody,
    /// Several are; their names in tables.
    Several(Vec<String>),
}

impl Roster {
    /// The roster of these players.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a PlayerRecord>) -> Roster {
        let mut roster = Roster::default();
        for record in records {
            roster.add(record);
        }
        roster
    }

    /// Adds a player, or another name of a player that is there.
    pub fn add(&mut self, record: &PlayerRecord) -> PlayerId {
        let id = PlayerId::of(record);
        let known = self.0.entry(id.clone()).or_default();
        known.names.insert(record.short_name());
        known.identity.clone_from(&record.identity);
        known.effort = record.settings.effort();
        id
    }

    /// The name of each player. Where several have the same name, what tells them apart stands behind it: how much they
    /// think, or the beginning of their digest.
    pub fn names(&self) -> BTreeMap<PlayerId, String> {
        let base =
            |known: &Known| known.names.iter().min_by_key(|name| name.chars().count()).cloned().unwrap_or_default();
        let mut alike: BTreeMap<String, Vec<(&PlayerId, &Known)>> = BTreeMap::new();
        for (id, known) in &self.0 {
            alike.entry(base(known)).or_default().push((id, known));
        }
        let mut names = BTreeMap::new();
        for (base, players) in alike {
            for ((id, _), name) in players.iter().zip(told_apart(&base, &players)) {
                names.insert((*id).clone(), name);
            }
        }
        // A player's own name may look like one that was made distinct.
        let mut seen = BTreeSet::new();
        for (id, name) in &mut names {
            if !seen.insert(name.clone()) {
                *name = format!("{name} [{}]", short(id.as_str()));
                seen.insert(name.clone());
            }
        }
        names
    }

    /// Digest of the network or program of a player, or the name of a built-in one.
    pub fn identity(&self, id: &PlayerId) -> Option<&str> {
        self.0.get(id).map(|known| known.identity.as_str())
    }

    /// The player that a text means: its identity, its name in tables, a name it was recorded under, a path of its network,
    /// or at least 8 digits of its identity or digest.
    ///
    /// # Errors
    /// The text means no player, or more than one.
    pub(crate) fn find(&self, text: &str) -> Result<PlayerId, NotFound> {
        let names = self.names();
        let shown = network_name(text);
        let is_digits = text.len() >= SHORT && text.bytes().all(|b| b.is_ascii_hexdigit());
        let named = |id: &PlayerId| names.get(id).is_some_and(|name| name == text);
        let recorded = |known: &Known| known.names.contains(text) || known.names.contains(&shown);
        let digits = |id: &PlayerId, known: &Known| {
            is_digits && (id.as_str().starts_with(text) || known.identity.starts_with(text))
        };
        let tests: [&PlayerProperty<'_, bool>; 4] =
            [&|id, _| id.as_str() == text, &|id, _| named(id), &|_, known| recorded(known), &|id, known| {
                digits(id, known)
            }];
        for test in tests {
            let found: Vec<&PlayerId> = self.0.iter().filter(|(id, known)| test(id, known)).map(|(id, _)| id).collect();
            match found[..] {
                [] => {}
                [id] => return Ok(id.clone()),
                _ => return Err(NotFound::Several(found.into_iter().map(|id| names[id].clone()).collect())),
            }
        }
        Err(NotFound::Nobody)
    }
}

/// Says something about a player.
type PlayerProperty<'a, T> = dyn Fn(&PlayerId, &Known) -> T + 'a;

fn short(digest: &str) -> String {
    digest.chars().take(SHORT).collect()
}

/// Names for players that are all called `base`.
fn told_apart(base: &str, players: &[(&PlayerId, &Known)]) -> Vec<String> {
    if players.len() == 1 {
        return vec![base.to_owned()];
    }
    let effort = |known: &Known| known.effort.clone().unwrap_or_default();
    let ways: [&PlayerProperty<'_, String>; 4] = [
        &|_, known| effort(known),
        &|_, known| short(&known.identity),
        &|_, known| format!("{}, {}", short(&known.identity), effort(known)),
        &|id, _| short(id.as_str()),
    ];
    let tell = |way: &PlayerProperty<'_, String>| -> Vec<String> {
        players.iter().map(|(id, known)| way(id, known)).collect()
    };
    let distinct = |marks: &Vec<String>| {
        marks.iter().all(|mark| !mark.is_empty()) && marks.iter().collect::<BTreeSet<_>>().len() == marks.len()
    };
    let marks = ways.iter().map(|way| tell(way)).find(distinct);
    let marks = marks.unwrap_or_else(|| players.iter().map(|(id, _)| id.to_string()).collect());
    marks.into_iter().map(|mark| format!("{base} ({mark})")).collect()
}

impl PlayerRecord {
    /// The name in tables: as recorded, but for networks that earlier versions recorded by the path of a file in a run, or
    /// by an absolute path ([`network_name`]).
    pub fn short_name(&self) -> String {
        let is_path = self.name.starts_with('/') || self.name.contains("nets/gen-");
        match self.settings {
            PlayerSettings::Network(_) | PlayerSettings::Unknown(_) if is_path || !self.name.contains('/') => {
                network_name(&self.name)
            }
            _ => self.name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, identity: &str, search: &str) -> PlayerRecord {
        let settings = serde_json::from_str(search).expect("settings");
        PlayerRecord { name: name.to_owned(), identity: identity.to_owned(), settings }
    }

    #[test]
    fn paths_names_and_tuning_are_no_identity_and_settings_are() {
        let base = r#""algorithm":"puct","visits":64"#;
        let id = |name: &str, identity: &str, more: &str| {
            PlayerId::of(&record(name, identity, &format!("{{{base}{more}}}")))
        };
        let net = id("runs/a/nets/gen-0001.safetensors", "d1", "");
        let evaluated = |text: &str| format!(r#","evaluation":{{{text}}}"#);
        for (name, more) in [
            ("/home/me/runs/a/nets/gen-0001.safetensors", String::new()),
            ("gen-0001", evaluated(r#""batch":8,"threads":1,"precision":"fp32""#)),
            ("gen-0001", evaluated(r#""batch":16,"threads":2,"precision":"bf16","layout":"contiguous""#)),
            // Settings that PUCT does not use in a match.
            ("gen-0001", r#","c_scale":0.7,"max_considered":4"#.to_owned()),
        ] {
            assert_eq!(id(name, "d1", &more), net, "{name} {more}");
        }
        let others = [
            id("gen-0001", "d2", ""),
            id("gen-0001", "d1", r#","cpuct":1.5"#),
            id("gen-0001", "d1", r#","reuse":"none""#),
            id("gen-0001", "d1", r#","limit":"time:50ms""#),
            PlayerId::of(&record("gen-0001", "d1", r#"{"algorithm":"puct","visits":65}"#)),
            PlayerId::of(&record("gen-0001", "d1", r#"{"algorithm":"gumbel","visits":64}"#)),
            PlayerId::of(&record("gen-0001", "d1", "null")),
        ];
        let all: BTreeSet<_> = others.iter().chain([&net]).collect();
        assert_eq!(all.len(), others.len() + 1);
    }

    #[test]
    fn an_engine_is_its_program_and_its_options() {
        let engine = |hash: &str, protocol: &str, name: &str| {
            let text = format!(
                r#"{{"arguments":[],"limit":"nodes:10","options":{{"Hash":"{hash}"}},"protocol":"{protocol}","variant":"","version":"X 1"}}"#
            );
            PlayerId::of(&record(name, "program", &text))
        };
        assert_eq!(engine("4", "uci", "X"), engine("4", "usi", "/opt/x"));
        assert_ne!(engine("4", "uci", "X"), engine("8", "uci", "X"));
    }

    #[test]
    fn names_are_short_and_told_apart_only_where_they_must_be() {
        let net = |name: &str, identity: &str, visits: u32| {
            record(name, identity, &format!(r#"{{"algorithm":"puct","visits":{visits}}}"#))
        };
        let names = |records: &[PlayerRecord]| -> Vec<String> {
            let roster = Roster::of(records);
            let names = roster.names();
            records.iter().map(|record| names[&PlayerId::of(record)].clone()).collect()
        };
        let path = "runs/wangqi-smoke/nets/gen-0015.safetensors";
        assert_eq!(names(&[net(path, "d", 64), record("greedy", "greedy", "null")]), ["wangqi-smoke 15", "greedy"]);
        assert_eq!(names(&[net(path, "d", 64), net(&format!("/abs/{path}"), "d", 64)]), ["wangqi-smoke 15"; 2]);
        assert_eq!(
            names(&[net(&format!("{path}@16"), "d", 16), net(path, "d", 64)]),
            ["wangqi-smoke 15 (16 visits)", "wangqi-smoke 15 (64 visits)"]
        );
        assert_eq!(
            names(&[net("gen-0001", "0123456789abcdef", 64), net("gen-0001", "fedcba9876543210", 64)]),
            ["gen-0001 (01234567)", "gen-0001 (fedcba98)"]
        );
        let all = names(&[
            net("x", "0123456789abcdef", 64),
            net("x", "0123456789abcdef", 16),
            net("x", "fedcba9876543210", 16),
            net("x (fedcba98, 16 visits)", "other", 16),
        ]);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 4, "{all:?}");
    }

    #[test]
    fn a_player_is_found_by_any_of_its_names() {
        let net = |name: &str, visits: u32| {
            record(name, "0123456789abcdef", &format!(r#"{{"algorithm":"puct","visits":{visits}}}"#))
        };
        let one = net("runs/a/nets/gen-0001.safetensors", 64);
        let roster = Roster::of([&one, &record("greedy", "greedy", "null")]);
        let id = PlayerId::of(&one);
        for text in ["a 1", "/x/runs/a/nets/gen-0001.safetensors", "01234567", id.as_str()] {
            assert_eq!(roster.find(text), Ok(id.clone()), "{text}");
        }
        assert_eq!(roster.find("0123"), Err(NotFound::Nobody));
        let roster = Roster::of([&one, &net("a 1", 16)]);
        let Err(NotFound::Several(names)) = roster.find("a 1") else { panic!("one of two") };
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 2);
        assert_eq!(roster.find("a 1 (64 visits)"), Ok(id));
    }
}
