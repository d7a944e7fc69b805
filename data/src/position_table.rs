//! The table `positions`.

use rules::{Move, Variant};
use std::marker::PhantomData;

use crate::column::{
    Codes, Column, Flag, Float, Int, KeyBytes, Maybe, TableSchema, Unsigned, Unsigned64, Unsigneds, VERSION, since,
};
use crate::game::GameRecord;
use crate::position::PositionRecord;
use crate::tables::SCHEMA_VERSION;

/// The table `positions`: one row a searched position, by `game_id` and `ply`.
pub(crate) struct PositionTable<V>(PhantomData<V>);

/// A position with the game it belongs to.
pub(crate) struct PositionRow<'a, V: Variant> {
    pub game: &'a GameRecord<V>,
    pub at: &'a PositionRecord,
}

/// A position out of a file, with the id of its game.
#[derive(Clone, Default)]
pub(crate) struct PositionDraft {
    pub game_id: u64,
    pub at: PositionRecord,
}

impl<V: Variant> TableSchema for PositionTable<V> {
    type Row<'a> = PositionRow<'a, V>;
    type Draft = PositionDraft;
    const SORTED: bool = true;

    fn columns() -> Vec<Column<Self>> {
        let mut columns = since(
            1,
            vec![
                Column::<Self>::new::<Unsigned64>(
                    "game_id",
                    "its game",
                    |row| row.game.game_id,
                    |draft, id| draft.game_id = id,
                )
                .varied(),
                Column::checked::<Unsigned>(
                    "ply",
                    "moves played before it",
                    |row| row.at.ply.into(),
                    |draft, ply| {
                        draft.at.ply = ply.try_into()?;
                        Ok(())
                    },
                ),
                Column::checked::<Unsigned>(
                    "side",
                    "side to move: 0 first, 1 second",
                    |row| row.at.side.into(),
                    |draft, side| {
                        draft.at.side = side.try_into()?;
                        Ok(())
                    },
                ),
                Column::<Self>::new::<KeyBytes>(
                    "pos_key",
                    "key of the position: board, side, hands; no counters",
                    |row| &row.at.pos_key,
                    |draft, key| draft.at.pos_key = key,
                )
                .varied(),
                Column::<Self>::new::<Maybe<KeyBytes>>(
                    "parent_key",
                    "key one ply earlier; null at the start",
                    |row| row.at.parent_key.as_ref(),
                    |draft, key| draft.at.parent_key = key,
                )
                .varied(),
                Column::new::<Unsigned>(
                    "move",
                    "the move played",
                    |row| row.at.mv.raw(),
                    |draft, code| draft.at.mv = Move::from_raw(code),
                ),
                Column::<Self>::new::<Codes>(
                    "policy_move",
                    "moves of the policy target",
                    |row| &row.at.policy_move,
                    |draft, moves| draft.at.policy_move = moves,
                )
                .varied(),
                Column::<Self>::new::<Unsigneds>(
                    "policy_visits",
                    "their weights, same length, sum above 0: visits for PUCT, the improved policy scaled to 65,536 for \
                     Gumbel search; the target is weight ÷ sum",
                    |row| &row.at.policy_visits,
                    |draft, weights| draft.at.policy_visits = weights,
                )
                .split(),
                Column::new::<Float>(
                    "root_win",
                    "the search's chance of a win; with the two below a distribution",
                    |row| row.at.root_wdl[0],
                    |draft, win| draft.at.root_wdl[0] = win,
                ),
                Column::new::<Float>(
                    "root_draw",
                    "the search's chance of a draw",
                    |row| row.at.root_wdl[1],
                    |draft, draw| draft.at.root_wdl[1] = draw,
                ),
                Column::new::<Float>(
                    "root_loss",
                    "the search's chance of a loss",
                    |row| row.at.root_wdl[2],
                    |draft, loss| draft.at.root_wdl[2] = loss,
                ),
                Column::new::<Float>(
                    "root_q",
                    "win − loss of the search, −1 to 1",
                    |row| row.at.root_q,
                    |draft, q| draft.at.root_q = q,
                ),
                Column::new::<Float>(
                    "net_q",
                    "win − loss of the network alone",
                    |row| row.at.net_q,
                    |draft, q| draft.at.net_q = q,
                ),
                Column::new::<Float>(
                    "net_policy_entropy",
                    "entropy of the network's policy over the legal moves, nats",
                    |row| row.at.net_policy_entropy,
                    |draft, entropy| draft.at.net_policy_entropy = entropy,
                ),
                Column::new::<Float>(
                    "policy_kld",
                    "KL divergence of the network's policy from the target, nats",
                    |row| row.at.policy_kld,
                    |draft, divergence| draft.at.policy_kld = divergence,
                ),
                Column::new::<Unsigned>(
                    "visits",
                    "visits of the search",
                    |row| row.at.visits,
                    |draft, visits| draft.at.visits = visits,
                ),
                Column::new::<Flag>(
                    "full_search",
                    "a full search, whose policy is a target",
                    |row| row.at.full_search,
                    |draft, full| draft.at.full_search = full,
                ),
                Column::new::<Float>(
                    "target_weight",
                    "weight of the row in training, 0 or more",
                    |row| row.at.target_weight,
                    |draft, weight| draft.at.target_weight = weight,
                ),
                Column::derived::<Int>("result_stm", "+1 the side to move won, 0 draw, −1 it lost", |row| {
                    row.game.sheet.outcome.result.for_side(row.at.side).into()
                }),
                Column::derived::<Unsigned>("plies_left", "plies to the end of the game, at least 1", |row| {
                    row.game.plies() as u32 - u32::from(row.at.ply)
                }),
                Column::new::<Unsigned>(
                    "generation",
                    "the generation that searched it; a long game has several",
                    |row| row.at.generation,
                    |draft, generation| draft.at.generation = generation,
                ),
                Column::derived::<Unsigned>(VERSION, "version of the file's columns", |_| SCHEMA_VERSION),
            ],
        );
        columns.extend(since(
            3,
            vec![Column::<Self>::new::<Flag>(
                "proven",
                "the search proved the outcome: the chances above are certain",
                |row| row.at.proven,
                |draft, proven| draft.at.proven = proven,
            )],
        ));
        columns
    }

    fn draft() -> PositionDraft {
        PositionDraft::default()
    }
}
