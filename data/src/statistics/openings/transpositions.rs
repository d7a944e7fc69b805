//! Games that reached a position, by whatever moves.

use std::collections::HashMap;

use polars::prelude::*;

use super::super::u64s;
use super::lines::Lines;

/// For each line, as (length, name), the number of games that reached the position after it; lines whose
/// position's key nobody recorded are missing.
pub(super) fn position_games(positions: &LazyFrame, lines: &[Lines]) -> PolarsResult<HashMap<(u64, u64), u64>> {
    let Some(depth) = lines.last().map(|lines| lines.ply) else { return Ok(HashMap::new()) };
    let visits = visits(positions)?;
    let early = visits.clone().filter(col("ply").gt_eq(lit(1u32)).and(col("ply").lt_eq(lit(depth)))).collect()?;

    // The key after each line, from any of its games that recorded it, and who came by that line.
    let mut keys = Vec::new();
    let mut arrivals = Vec::new();
    for lines in lines {
        let here = early.clone().lazy().filter(col("ply").eq(lit(lines.ply)));
        let key_of = join(lines.members(), here, "game_id")
            .group_by([col("line")])
            .agg([col("key").first()])
            .with_column(lit(lines.ply).cast(DataType::UInt64).alias("length"));
        let key_of = key_of.collect()?.lazy();
        arrivals.push(join(lines.members(), key_of.clone(), "line").select([col("key"), col("game_id")]));
        keys.push(key_of.select([col("length"), col("line"), col("key")]));
    }
    let keys = concat(keys, UnionArgs::default())?.collect()?;

    // Who came by other moves: anybody with one of these keys, at any ply.
    let wanted = keys.clone().lazy().group_by([col("key")]).agg([]);
    arrivals.push(join(visits, wanted, "key").select([col("key"), col("game_id")]));
    let reached = concat(arrivals, UnionArgs::default())?
        .group_by([col("key")])
        .agg([col("game_id").n_unique().cast(DataType::UInt64).alias("games")]);
    let table = join(keys.lazy(), reached, "key").collect()?;
    let lines = u64s(&table, "length")?.into_iter().zip(u64s(&table, "line")?);
    Ok(lines.zip(u64s(&table, "games")?).collect())
}

/// Which game was where: `game_id`, `ply`, `key`. A position that was not searched itself is known from its
/// successor's `parent_key`.
fn visits(positions: &LazyFrame) -> PolarsResult<LazyFrame> {
    let own = positions.clone().select([col("game_id"), col("ply"), col("pos_key").alias("key")]);
    let before = positions.clone().filter(col("parent_key").is_not_null()).select([
        col("game_id"),
        col("ply") - lit(1u32),
        col("parent_key").alias("key"),
    ]);
    concat([own, before], UnionArgs::default())
}

fn join(left: LazyFrame, right: LazyFrame, on: &str) -> LazyFrame {
    left.join(right, [col(on)], [col(on)], JoinType::Inner.into())
}
