//! The columns that training needs, and no others.

use std::ops::RangeInclusive;

use super::columns::{self, Columns};
use crate::error::Result;
use crate::manifest::ShardEntry;
use crate::store::DataStore;

/// A game as training sees it: enough to replay it, and its targets.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingGame {
    /// Unique within a run.
    pub game_id: u64,
    /// Name of the rule set.
    pub ruleset: String,
    /// Start position; `None` is the variant's own.
    pub start_fen: Option<String>,
    /// Move codes from the start position on.
    pub moves: Vec<u32>,
    /// +1 the first player won, 0 draw, −1 the second player won.
    pub result: i8,
    /// Why it ended.
    pub termination: String,
    /// Points of the first player where the variant counts them.
    pub points_first: Option<f32>,
    /// Points of the second player.
    pub points_second: Option<f32>,
    /// The searched positions, by ply.
    pub positions: Vec<TrainingPosition>,
}

/// A searched position as training sees it; values are seen by the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingPosition {
    /// Moves played before it.
    pub ply: u16,
    /// The side to move: 0 first, 1 second.
    pub side: u8,
    /// The moves of the policy target.
    pub policy_move: Vec<u32>,
    /// Weights parallel to `policy_move`; the target is weight ÷ sum.
    pub policy_visits: Vec<u32>,
    /// Win, draw, loss of the search.
    pub root_wdl: [f32; 3],
    /// KL divergence of the network's policy from the target, in nats.
    pub policy_kld: f32,
    /// A full search, whose policy is a target.
    pub full_search: bool,
    /// Weight of the row.
    pub target_weight: f32,
    /// Result: +1 the side to move won, 0 draw, −1 it lost.
    pub result_stm: i8,
    /// Plies from here to the end of the game, at least 1.
    pub plies_left: u16,
    /// The generation that searched it.
    pub generation: u32,
}

const GAME_COLUMNS: &[&str] =
    &["game_id", "ruleset", "start_fen", "moves", "result", "termination", "points_first", "points_second"];

const POSITION_COLUMNS: &[&str] = &[
    "game_id",
    "ply",
    "side",
    "policy_move",
    "policy_visits",
    "root_win",
    "root_draw",
    "root_loss",
    "policy_kld",
    "full_search",
    "target_weight",
    "result_stm",
    "plies_left",
    "generation",
];

impl DataStore {
    /// Reads what training needs of a shard.
    pub fn read_training(&self, shard: &ShardEntry) -> Result<Vec<TrainingGame>> {
        let mut games = Vec::new();
        self.read_file(&shard.games, Some(GAME_COLUMNS), |columns| games_of(columns, &mut games))?;
        let mut target = 0;
        self.read_file(&shard.positions, Some(POSITION_COLUMNS), |columns| {
            positions_of(columns, |game_id, position| {
                let game = columns::advance(&mut games, &mut target, game_id, |game| game.game_id)?;
                game.positions.push(position);
                Ok(())
            })
        })?;
        Ok(games)
    }

    /// Reads the shards of some generations one after another; only one is in memory at a time.
    pub fn training_shards(
        &self,
        variant: &str,
        generations: RangeInclusive<u32>,
    ) -> Result<impl Iterator<Item = Result<(ShardEntry, Vec<TrainingGame>)>>> {
        let mut shards = self.shards(variant)?;
        shards.retain(|shard| generations.contains(&shard.generation));
        let store = self.clone();
        Ok(shards.into_iter().map(move |shard| {
            let games = store.read_training(&shard)?;
            Ok((shard, games))
        }))
    }
}

fn games_of(columns: &Columns<'_>, games: &mut Vec<TrainingGame>) -> Result<(), String> {
    let game_id = columns.u64s("game_id")?;
    let ruleset = columns.texts("ruleset")?;
    let start_fen = columns.optional_texts("start_fen")?;
    let moves = columns.lists("moves")?;
    let result = columns.results("result")?;
    let termination = columns.texts("termination")?;
    let points_first = columns.optional_f32s("points_first")?;
    let points_second = columns.optional_f32s("points_second")?;
    for row in 0..columns.rows() {
        games.push(TrainingGame {
            game_id: game_id(row),
            ruleset: ruleset(row),
            start_fen: start_fen(row),
            moves: moves(row),
            result: result(row)?,
            termination: termination(row),
            points_first: points_first(row),
            points_second: points_second(row),
            positions: Vec::new(),
        });
    }
    Ok(())
}

fn positions_of(
    columns: &Columns<'_>,
    mut each: impl FnMut(u64, TrainingPosition) -> Result<(), String>,
) -> Result<(), String> {
    let game_id = columns.u64s("game_id")?;
    let ply = columns.u32s("ply")?;
    let side = columns.u32s("side")?;
    let policy_move = columns.lists("policy_move")?;
    let policy_visits = columns.lists("policy_visits")?;
    let win = columns.f32s("root_win")?;
    let draw = columns.f32s("root_draw")?;
    let loss = columns.f32s("root_loss")?;
    let policy_kld = columns.f32s("policy_kld")?;
    let full_search = columns.flags("full_search")?;
    let target_weight = columns.f32s("target_weight")?;
    let result_stm = columns.results("result_stm")?;
    let plies_left = columns.u32s("plies_left")?;
    let generation = columns.u32s("generation")?;
    for row in 0..columns.rows() {
        let position = TrainingPosition {
            ply: columns::narrow("ply", ply(row))?,
            side: columns::narrow("side", side(row))?,
            policy_move: policy_move(row),
            policy_visits: policy_visits(row),
            root_wdl: [win(row), draw(row), loss(row)],
            policy_kld: policy_kld(row),
            full_search: full_search(row),
            target_weight: target_weight(row),
            result_stm: result_stm(row)?,
            plies_left: columns::narrow("plies_left", plies_left(row))?,
            generation: generation(row),
        };
        each(game_id(row), position)?;
    }
    Ok(())
}
