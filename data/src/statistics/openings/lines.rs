//! Lines of moves from the start and the games that follow them.

use std::collections::HashMap;

use polars::prelude::*;

use super::super::{count, count_of, explode, texts, u64s, wilson};
use super::OpeningRow;

/// The lines of one length that have enough games.
pub(super) struct Lines {
    /// Length in plies.
    pub ply: u32,
    /// `line` (the least id among its games, which names it), `setup_first`, `setup_second`, `games`, `wins`,
    /// `draws` and `members` (the ids of its games).
    pub frame: DataFrame,
}

impl Lines {
    /// One row a game: `line`, `game_id`.
    pub fn members(&self) -> LazyFrame {
        explode(self.frame.clone().lazy().select([col("line"), col("members").alias("game_id")]), "game_id")
    }
}

/// Lines of 1 to `depth` plies with at least `min_games` games.
pub(super) fn frequent(games: LazyFrame, depth: u32, min_games: u64) -> PolarsResult<Vec<Lines>> {
    let opening = col("moves").list().head(lit(depth)).alias("opening");
    let columns = [col("game_id"), col("setup_first"), col("setup_second"), col("result"), opening];
    let mut left = games.select(columns).collect()?;
    let mut found = Vec::new();
    for ply in 1..=depth {
        let wide_enough = col("opening").list().len().gt_eq(lit(ply));
        let prefix = col("opening").list().head(lit(ply)).alias("prefix");
        let sums = [
            col("game_id").min().alias("line"),
            count().alias("games"),
            count_of(1).alias("wins"),
            count_of(0).alias("draws"),
            col("game_id").alias("members"),
        ];
        let frame = left
            .clone()
            .lazy()
            .filter(wide_enough)
            .group_by([col("setup_first"), col("setup_second"), prefix])
            .agg(sums)
            .filter(col("games").gt_eq(lit(min_games)))
            .collect()?;
        if frame.height() == 0 {
            break;
        }
        let lines = Lines { ply, frame };
        // A frequent line continues frequent lines: the games of no other need to be looked at again.
        let game = || [col("game_id")];
        left = left.lazy().join(lines.members(), game(), game(), JoinType::Inner.into()).collect()?;
        left = left.drop("line")?;
        found.push(lines);
    }
    Ok(found)
}

/// The rows of the table: by ply, then by games (most first), then by moves.
pub(super) fn rows(
    games: &LazyFrame,
    lines: &[Lines],
    position_games: &HashMap<(u64, u64), u64>,
    all_games: u64,
) -> PolarsResult<Vec<OpeningRow>> {
    let moves_of = moves_texts(games, lines)?;
    let mut rows = Vec::new();
    for Lines { ply, frame } in lines {
        let [line, games, wins, draws] = ["line", "games", "wins", "draws"].map(|name| u64s(frame, name));
        let (line, games, wins, draws) = (line?, games?, wins?, draws?);
        let (setup_first, setup_second) = (texts(frame, "setup_first")?, texts(frame, "setup_second")?);
        for index in 0..frame.height() {
            let losses = games[index] - wins[index] - draws[index];
            let last_by_first = ply % 2 == 1;
            let won = if last_by_first { wins[index] } else { losses };
            let score = (won as f64 + draws[index] as f64 / 2.0) / games[index] as f64;
            let (score_low, score_high) = wilson(score, games[index]);
            let text = moves_of.get(&line[index]).map_or("", String::as_str);
            rows.push(OpeningRow {
                ply: *ply,
                moves: text.split_ascii_whitespace().take(*ply as usize).collect::<Vec<_>>().join(" "),
                setup_first: setup_first[index].clone(),
                setup_second: setup_second[index].clone(),
                games: games[index],
                share: games[index] as f64 / all_games as f64,
                first_wins: wins[index],
                draws: draws[index],
                first_losses: losses,
                score,
                score_low,
                score_high,
                position_games: position_games.get(&(u64::from(*ply), line[index])).copied(),
            });
        }
    }
    rows.sort_by(|a, b| {
        let key = |row: &OpeningRow| (row.ply, u64::MAX - row.games);
        let setups = |row: &'_ OpeningRow| (row.setup_first.clone(), row.setup_second.clone());
        key(a).cmp(&key(b)).then_with(|| a.moves.cmp(&b.moves)).then_with(|| setups(a).cmp(&setups(b)))
    });
    Ok(rows)
}

/// The moves of the games that lines are named after.
fn moves_texts(games: &LazyFrame, lines: &[Lines]) -> PolarsResult<HashMap<u64, String>> {
    let mut named = Vec::new();
    for lines in lines {
        named.extend(u64s(&lines.frame, "line")?);
    }
    named.sort_unstable();
    named.dedup();
    let named = DataFrame::new(named.len(), vec![Column::new("game_id".into(), named)])?.lazy();
    let texts_of = games.clone().select([col("game_id"), col("moves_text")]);
    let frame = texts_of.join(named, [col("game_id")], [col("game_id")], JoinType::Inner.into()).collect()?;
    let moves = texts(&frame, "moves_text")?.into_iter().flatten();
    Ok(u64s(&frame, "game_id")?.into_iter().zip(moves).collect())
}
