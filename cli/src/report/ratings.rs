//! Ratings of the networks of a run, from the logs of all their matches together.

use eval::ratings::Estimate;
use std::path::Path;

/// The ratings of a run's networks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ratings {
    /// The networks that a chain of games connects with network 0, by generation.
    pub networks: Vec<Rating>,
    /// What moving first is worth, in Elo, and the share of draws between equals, 0–1; `None` without matches.
    pub seats: Option<(Estimate, Estimate)>,
}

/// Strength of one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// Its generation.
    pub generation: u32,
    /// Elo, network 0 being 0.
    pub elo: f64,
    /// Half the 95 % interval; `None` for network 0 itself.
    pub error: Option<f64>,
    /// Games it played.
    pub games: u64,
    /// Its mean score in them, 0–1.
    pub score: f64,
    /// Whether it won or lost all games against some opponent, so that the rating is a cautious estimate.
    pub cautious: bool,
}

/// How the matches of a run call a network.
const PREFIX: &str = "gen-";

/// Rates the networks of the match logs in a folder.
///
/// # Errors
/// A log is damaged, or network 0 is not among the players.
pub fn read(folder: &Path) -> Result<Ratings, eval::MatchError> {
    if !eval::log::read_folder(folder)?.iter().any(|(_, _, games)| !games.is_empty()) {
        return Ok(Ratings::default());
    }
    let table = eval::ladder(folder, Some(&format!("{PREFIX}0000")))?.ratings;
    let mut networks: Vec<Rating> = table
        .rows
        .iter()
        .filter_map(|row| {
            let generation = generation(&row.player)?;
            Some(Rating {
                generation,
                elo: row.elo,
                error: (row.player != table.anchor).then_some(row.error),
                games: row.games,
                score: row.score,
                cautious: row.prior,
            })
        })
        .collect();
    networks.sort_by_key(|rating| rating.generation);
    Ok(Ratings { networks, seats: Some((table.first_advantage, table.draws)) })
}

/// The generation in a name like `gen-0012`, or `gen-0012 (1a2b3c4d, 64 visits)`.
fn generation(name: &str) -> Option<u32> {
    let digits = name.strip_prefix(PREFIX)?;
    digits.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_generation() {
        assert_eq!(generation("gen-0012"), Some(12));
        assert_eq!(generation("gen-0003 (1a2b3c4d, 64 visits)"), Some(3));
        assert_eq!(generation("random"), None);
    }

    #[test]
    fn a_folder_without_matches_has_no_ratings() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), Ratings::default());
        assert_eq!(read(&folder.path().join("missing")).unwrap(), Ratings::default());
    }
}
