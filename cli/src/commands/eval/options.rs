//! The settings that matches and tournaments share.

use super::hypotheses::Hypotheses;
use super::openings::OpeningArguments;
use crate::failure::{input, sound};
use clap::Args;
use engine::Limit;
use eval::{Adjudication, DrawRule, MatchConfig, WinRule};
use rules::VariantId;
use search::Algorithm;
use settings::Complaints;
use std::path::PathBuf;

/// How players think, and on how many threads.
#[derive(Args)]
pub struct Thinking {
    /// Visits per move of networks.
    #[arg(long, default_value_t = 64)]
    visits: u32,
    /// How networks choose moves in their tree: puct, which keeps the tree from move to move, or gumbel.
    #[arg(long, default_value_t = Algorithm::Puct)]
    search: Algorithm,
    /// PUCT: part of its constant that follows the deviation of the values in the tree, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = search::DEVIATION_SHARE)]
    cpuct_deviation_share: f32,
    /// Limit of thinking for players without one of their own: nodes:N, depth:N, time:100ms, clock:60s+600ms or
    /// byoyomi:60s+10s. Under a limit of time each thread plays one game at a time.
    #[arg(long, default_value = "own")]
    limit: Limit,
    /// How far a move may exceed a limit of time, in milliseconds.
    #[arg(long, default_value_t = 100)]
    margin_ms: u32,
    /// A TOML file of engines, each an `[[engine]]` table with name, command, args, protocol, variant, options and limit.
    /// `engine:NAME` then stands for one of them.
    #[arg(long, value_name = "FILE")]
    pub engines: Option<PathBuf>,
    /// Threads. 0 is one for each core.
    #[arg(long, default_value_t = 0)]
    threads: u32,
}

impl Thinking {
    /// A match with these settings, and defaults for all others.
    pub fn config(&self) -> MatchConfig {
        MatchConfig {
            visits: self.visits,
            algorithm: self.search,
            cpuct_deviation_share: self.cpuct_deviation_share,
            limit: self.limit,
            margin_ms: self.margin_ms,
            threads: self.threads,
            ..MatchConfig::default()
        }
    }
}

/// How games are played, and how many.
#[derive(Args)]
pub struct Options {
    /// Pairs of games between two players. With --sprt, the most that are played.
    #[arg(long, default_value_t = 50)]
    pairs: u32,
    #[command(flatten)]
    pub thinking: Thinking,
    /// Games that each thread plays at the same time, so threads times this number in all. 0 is as many as fill the
    /// batches of the networks (1 without networks). Every game with an engine has an engine process of its own.
    #[arg(long, default_value_t = 0, value_name = "GAMES")]
    concurrency: u32,
    #[command(flatten)]
    openings: OpeningArguments,
    /// Most plies of a game, opening included. 0 is the limit of the rule set.
    #[arg(long, default_value_t = 0)]
    max_plies: u32,
    /// The rule-set preset. Without it, the variant's default.
    #[arg(long, default_value = "", hide_default_value = true)]
    ruleset: String,
    /// Seed of the openings and of players who play by chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// End games that are won by the players' scores. score=600,moves=4,by=both: at 600 centipawns or more for 4 moves,
    /// by the scores of both players; with by=loser, by those of the loser alone. Centipawns of a network are the Elo
    /// difference of its expected result; those of an engine are its own.
    #[arg(long, value_name = "RULE")]
    adjudicate_win: Option<WinRule>,
    /// End games that are drawn by the players' scores. score=10,moves=8,from=80: within 10 centipawns for 8 moves of each
    /// player, not before ply 80.
    #[arg(long, value_name = "RULE")]
    adjudicate_draw: Option<DrawRule>,
    /// End the match as soon as a sequential test (SPRT) on its pairs decides between --elo0 and --elo1.
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
            return Err(input("--model, --elo0, --elo1, --alpha and --beta are options of --sprt; give --sprt too"));
        }
        let config = MatchConfig {
            pairs: self.pairs,
            concurrency: self.concurrency,
            openings: self.openings.config(),
            max_plies: self.max_plies,
            ruleset: self.ruleset.clone(),
            seed: self.seed,
            adjudication: Adjudication { win: self.adjudicate_win, draw: self.adjudicate_draw },
            sprt: self.sprt.then(|| self.hypotheses.test()),
            ..self.thinking.config()
        };
        let mut complaints = Complaints::default();
        rules::dispatch!(variant, V => config.check_for::<V>(&mut complaints));
        sound(complaints)?;
        Ok(config)
    }
}
