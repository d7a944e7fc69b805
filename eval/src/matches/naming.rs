//! Names of the logs of many matches in one folder.

use crate::players::Contender;

/// Characters of each player's name. With both names and the digest the file name stays under the 255 bytes that file
/// systems allow.
const LONGEST: usize = 60;

/// A file name for the log of a match: the players' names as far as a file name can hold them, and a digest of who they
/// are, so that no two matches share a log whatever the players are called.
pub fn log_name(a: &Contender, b: &Contender) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in [&a.name, &a.identity, &b.name, &b.identity] {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    format!("{}-vs-{}-{}.jsonl", fit(&a.name), fit(&b.name), &hasher.finalize().to_hex()[..8])
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

    fn called(name: &str, identity: &str) -> Contender {
        Contender { name: name.into(), identity: identity.into(), ..Contender::random() }
    }

    #[test]
    fn names_are_safe_short_and_distinct() {
        let long = "x".repeat(1_000);
        let names =
            ["a", "../../etc/passwd", "a\nb", "王棋", &long, "a/b", "a b", "-rf", ".hidden", "", "con?nodes=5&x=%2"];
        let mut seen = std::collections::BTreeSet::new();
        for a in names {
            for b in names {
                for identity in ["1", "2"] {
                    let name = log_name(&called(a, identity), &called(b, "0"));
                    assert!(name.len() < 200 && !name.starts_with(['.', '-']), "{name}");
                    assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.=+".contains(&b)), "{name}");
                    assert!(seen.insert(name));
                }
            }
        }
        assert!(
            log_name(&called("runs/x/nets/gen-0003.safetensors", "d"), &called("greedy", "greedy"))
                .starts_with("runs-x-nets-gen-0003.safetensors-vs-greedy-")
        );
    }
}
