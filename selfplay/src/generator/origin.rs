//! Where the games of a generation come from, as their records say it.

/// Stands for the player of random-play games, in place of a network; also the name of their shard.
pub const BY_RULES: &str = "rules";

/// What the records of all games of a generation have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// The run.
    pub run_id: String,
    /// The generation.
    pub generation: u32,
    /// Name of the network that plays both sides.
    pub network: String,
    /// The worker that plays, and the shard's name: lower-case letters, digits, `-` and `_`.
    pub worker: String,
    /// Version of the program.
    pub engine_version: String,
}
