//! The settings that matches and tournaments share.

use super::hypotheses::Hypotheses;
use super::openings::OpeningArguments;
use crate::failure::{input, sound};
use clap::Args;
use eval::{Adjudication, DrawRule, Limit, MatchConfig, WinRule};
use rules::VariantId;
use std::path::PathBuf;

/// How games are played, and how many.
#[derive(Args)]
pub struct Options {
    /// Pairs of games between two players; with --sprt, the most.
    #[arg(long, default_value_t = 50)]
    pairs: u32,
    /// Simulations a move of networks.
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// How long players think who have no limit of their own: nodes:N, depth:N, time:100ms, clock:60s+600ms or
    /// byoyomi:60s+10s. With one of time each thread plays one game at a time.
    #[arg(long, default_value = "own")]
    limit: Limit,
    /// What is forgiven for each move beyond a limit of time, milliseconds.
    #[arg(long, default_value_t = 100)]
    margin_ms: u32,
    /// A TOML file of engines, each an `[[engine]]` table with name, command, args, protocol, variant, options and limit;
    /// `engine:NAME` then means one of them.
    #[arg(long, value_name = "FILE")]
    pub engines: Option<PathBuf>,
    /// Games that each thread plays at once; 0: as many as fill the networks' batches. Every game with an engine has a
    /// process of its own.
    #[arg(long, default_value_t = 0)]
    concurrency: u32,
    #[command(flatten)]
    openings: OpeningArguments,
    /// Limit of plies; 0: that of the rule set.
    #[arg(long, default_value_t = 0)]
    max_plies: u32,
    /// The rule-set preset; the variant's default if not given.
    #[arg(long, default_value = "")]
    ruleset: String,
    /// Seed of openings and of players who play by chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; 0: one for each core.
    #[arg(long, default_value_t = 0)]
    threads: u32,
    /// End games that are won by the players' scores, as score=600,moves=4,by=both: at 600 centipawns or more for 4 moves
    /// by both players' word; with by=loser, by the loser's alone. A network's centipawns are the Elo difference of its
    /// expected result, an engine's its own.
    #[arg(long, value_name = "RULE")]
    adjudicate_win: Option<WinRule>,
    /// End games that are drawn by the players' scores, as score=10,moves=8,from=80: within 10 centipawns for 8 moves of
    /// each player, not before ply 80.
    #[arg(long, value_name = "RULE")]
    adjudicate_draw: Option<DrawRule>,
    /// End the match as soon as a sequential test (SPRT) of its pairs decides between --elo0 and --elo1.
    #[arg(long)]
    sprt: bool,
    #[command(flatten)]
    hypotheses: Hypotheses,
}

impl Options {
    /// The settings of a match, checked.
    ///
    /// # Errors
    /// One message with every complaint.
    pub fn config(&self, variant: VariantId) -> anyhow::Result<MatchConfig> {
        if !self.sprt && self.hypotheses.were_given() {
            return Err(input("--model, --elo0, --elo1, --alpha and --beta say what --sprt tests: give it too"));
        }
        let config = MatchConfig {
            pairs: self.pairs,
            visits: self.visits,
            limit: self.limit,
            margin_ms: self.margin_ms,
            concurrency: self.concurrency,
            openings: self.openings.config(),
            opening_plies: self.openings.opening_plies,
            max_plies: self.max_plies,
            ruleset: self.ruleset.clone(),
            threads: self.threads,
            seed: self.seed,
            adjudication: Adjudication { win: self.adjudicate_win, draw: self.adjudicate_draw },
            sprt: self.sprt.then(|| self.hypotheses.test()),
        };
        let mut complaints = Vec::new();
        rules::dispatch!(variant, V => config.complaints_for::<V>("", &mut complaints));
        sound(&complaints)?;
        Ok(config)
    }
}
