//! Games of matches as rows: for those who look at them with other programs. Matches themselves live in their logs.

use serde::Serialize;

use crate::schema;

/// One game of a match: a row of the table that [`write_match_games`](crate::write_match_games) writes. Fields have the
/// names of the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MatchGame {
    /// Name of the match's log, without its ending.
    pub match_name: String,
    /// Variant id.
    pub variant: String,
    /// Rule-set preset.
    pub ruleset: String,
    /// Limit of plies.
    pub max_plies: u32,
    /// How the openings were made.
    pub openings: String,
    /// Seed of the match.
    pub seed: u64,
    /// The limit of thinking that the players have in common.
    pub time_limit: String,
    /// Number of the pair, from 0.
    pub pair: u32,
    /// Whether the player named first in the match moved first.
    pub first_named_first: bool,
    /// Who moved first.
    pub first: String,
    /// The opponent.
    pub second: String,
    /// What the first player is: the digest of a network, or a name.
    pub first_identity: String,
    /// What the second player is.
    pub second_identity: String,
    /// Settings of the first player's search or engine as JSON.
    pub first_settings: Option<String>,
    /// Settings of the second player's.
    pub second_settings: Option<String>,
    /// Start position; `None` for the variant's own.
    pub start_fen: Option<String>,
    /// How many of the moves belong to the opening.
    pub opening_plies: u32,
    /// All moves in UCI, separated by spaces.
    pub moves_text: String,
    /// Number of moves.
    pub plies: u32,
    /// +1 the first player won, 0 draw, −1 the second player won.
    pub result: i8,
    /// Why it ended.
    pub termination: String,
    /// What a player did wrong, or by which rule it was adjudicated, where that ended it.
    pub reason: Option<String>,
    /// Milliseconds that each move took; `None` where nobody's time was measured.
    pub spent_ms: Option<Vec<u32>>,
    /// What the players said of each move, centipawns from the mover's point of view; `None` where nobody said anything.
    pub scores: Option<Vec<Option<i32>>>,
    /// Which run of the program finished it, from 1.
    pub session: u32,
    /// Milliseconds since that run began.
    pub elapsed_ms: u64,
}

impl MatchGame {
    /// Names of the columns, in their order.
    pub fn columns() -> impl Iterator<Item = &'static str> {
        schema::MATCH_GAMES.fields().iter().map(|field| field.name().as_str())
    }
}
