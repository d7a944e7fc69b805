//! Names of the logs of many matches in one folder.

use crate::identity::PlayerId;
use crate::log;
use crate::players::PlayerConfig;
use engine::Limit;
use rules::VariantId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Characters of each player's name. With both names and the digest the file name stays under the 255 bytes that file
/// systems allow.
const LONGEST: usize = 60;

/// A file name for the log of a match in which players without a limit have the limit `common`: the players' names as far as
/// a file name can hold them, and a digest of their identities, so that no two matches share a log whatever the players are
/// called.
fn log_name(a: &PlayerConfig, b: &PlayerConfig, common: Limit) -> String {
    let mut hasher = blake3::Hasher::new();
    for player in [a, b] {
        hasher.update(player.id(common).as_str().as_bytes());
    }
    format!("{}-vs-{}-{}.jsonl", fit(&a.name), fit(&b.name), &hasher.finalize().to_hex()[..DIGITS])
}

/// Digits of the digest in the name of a log.
const DIGITS: usize = 8;

/// The logs in a folder that are named after their players, to find that of two players whatever they were called.
#[derive(Clone, Debug)]
pub struct LogFolder {
    folder: PathBuf,
    prefix: String,
    found: BTreeMap<[PlayerId; 2], Vec<PathBuf>>,
}

impl LogFolder {
    /// The logs of a variant whose names begin with `prefix`. Files that cannot be read, or are no logs, are left out.
    pub fn read(folder: &Path, prefix: &str, variant: VariantId) -> LogFolder {
        // An empty path is this folder.
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = std::fs::read_dir(listed).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| folder.join(entry.file_name())).collect();
        paths.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.strip_prefix(prefix).is_some_and(is_log_name)
        });
        paths.sort();
        let mut found: BTreeMap<[PlayerId; 2], Vec<PathBuf>> = BTreeMap::new();
        for path in paths {
            if let Some(header) = log::header_of(&path).filter(|header| header.variant == variant.id()) {
                found.entry(header.players.each_ref().map(PlayerId::of)).or_default().push(path);
            }
        }
        LogFolder { folder: folder.to_owned(), prefix: prefix.to_owned(), found }
    }

    /// The log of a match of these players, if there is one.
    pub fn there(&self, a: &PlayerConfig, b: &PlayerConfig, common: Limit) -> Option<PathBuf> {
        let paths = self.found.get(&[a.id(common), b.id(common)])?;
        let named = self.named(a, b, common);
        if paths.contains(&named) { Some(named) } else { paths.first().cloned() }
    }

    /// The log of a match of these players: the existing one, or else a new name.
    pub fn log_of(&self, a: &PlayerConfig, b: &PlayerConfig, common: Limit) -> PathBuf {
        self.there(a, b, common).unwrap_or_else(|| self.named(a, b, common))
    }

    fn named(&self, a: &PlayerConfig, b: &PlayerConfig, common: Limit) -> PathBuf {
        self.folder.join(format!("{}{}", self.prefix, log_name(a, b, common)))
    }
}

/// Whether a name is of the form of [`log_name`].
fn is_log_name(name: &str) -> bool {
    let Some((names, digest)) = name.strip_suffix(".jsonl").and_then(|name| name.rsplit_once('-')) else {
        return false;
    };
    names.contains("-vs-") && digest.len() == DIGITS && digest.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The end of a name (in a path, the end is what differs), with a dash for each character that is special in a file system
/// or a shell.
fn fit(name: &str) -> String {
    let skipped = name.chars().count().saturating_sub(LONGEST);
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.=+".contains(c) { c } else { '-' };
    // A dot in front would hide the file, and a dash would look like an option.
    let safe: String = name.chars().skip(skipped).map(safe).collect();
    match safe.trim_start_matches(['.', '-']) {
        "" => "player".to_owned(),
        safe => safe.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &str, identity: &str) -> PlayerConfig {
        PlayerConfig { name: name.into(), identity: identity.into(), ..PlayerConfig::random() }
    }

    #[test]
    fn names_are_safe_short_and_distinct() {
        let long = "x".repeat(1_000);
        let names =
            ["a", "../../etc/passwd", "a\nb", "王棋", &long, "a/b", "a b", "-rf", ".hidden", "", "con?nodes=5&x=%2"];
        for a in names {
            let mut seen = std::collections::BTreeSet::new();
            for b in names {
                for identity in ["1", "2"] {
                    let name = log_name(&called(a, identity), &called(b, "0"), Limit::Own);
                    assert!(name.len() < 200 && !name.starts_with(['.', '-']), "{name}");
                    assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.=+".contains(&b)), "{name}");
                    assert!(is_log_name(&name), "{name}");
                    seen.insert(name);
                }
            }
            assert!(seen.iter().filter(|name| name.contains("-vs-a-b-")).count() == 2, "two players, three spellings");
        }
        assert!(
            log_name(&called("runs/x/nets/gen-0003.safetensors", "d"), &called("greedy", "greedy"), Limit::Own)
                .starts_with("runs-x-nets-gen-0003.safetensors-vs-greedy-")
        );
    }

    #[test]
    fn a_log_is_found_by_its_players() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (called("runs/a/nets/gen-0001.safetensors", "d"), PlayerConfig::greedy());
        let log = |name: &str| folder.path().join(name);
        let find = |a: &PlayerConfig, b: &PlayerConfig| {
            LogFolder::read(folder.path(), "wangqi-", VariantId::Wangqi).log_of(a, b, Limit::Own)
        };
        let new = find(&a, &b);
        let renamed = called("a 1", "d");
        // A log named by an earlier version, and a file of the user's own.
        for name in ["wangqi-other-names-vs-greedy-0123abcd.jsonl", "wangqi-mine.jsonl"] {
            let config = crate::MatchConfig { pairs: 1, max_plies: 10, threads: 1, ..crate::MatchConfig::default() };
            let log = log(name);
            crate::Match { variant: VariantId::Wangqi, config: &config, players: [&a, &b], log: &log }
                .play(&std::sync::atomic::AtomicBool::new(false), |_| {})
                .unwrap();
        }
        assert_eq!(find(&renamed, &b), log("wangqi-other-names-vs-greedy-0123abcd.jsonl"));
        assert_ne!(find(&b, &renamed), find(&renamed, &b), "results are those of the first player");
        std::fs::copy(find(&renamed, &b), &new).unwrap();
        assert_eq!(find(&a, &b), new, "that of its own name goes first");
    }
}
