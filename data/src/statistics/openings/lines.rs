//! Lines of moves from the start and the games that follow them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::mem;

use polars::prelude::*;
use rules::Side;

use super::super::{numbers, outcomes, wilson};
use super::games::{OpeningGames, ShardGames};
use super::positions::games_at;
use super::{OpeningQuery, OpeningRow, OpeningStart, OpeningTable};

/// A line of moves with enough games.
struct OpeningLine {
    ply: u32,
    /// The number of a game that follows it.
    game: u64,
    /// How many games follow it, how many of them the first player won, and how many were drawn.
    outcomes: [u64; 3],
    /// The key of the position after it; 0 where no game recorded it.
    key: u64,
}

/// Fills in the starts and the rows of a table of these games.
pub(super) fn fill(table: &mut OpeningTable, mut games: OpeningGames, query: &OpeningQuery) -> PolarsResult<()> {
    let (moves, mut followers) = (moves(&mut games)?, followers(&games)?);
    let starts = followers.clone().lazy().group_by([col("line")]).agg(outcomes()).collect()?;
    for [start, count, first_wins, draws] in numbers(&starts, ["line", "games", "first_wins", "draws"])? {
        let [setup_first, setup_second] = games.starts[start as usize].clone();
        let first_losses = count - first_wins - draws;
        table.starts.push(OpeningStart { setup_first, setup_second, games: count, first_wins, draws, first_losses });
    }
    fn by_games(start: &OpeningStart) -> impl Ord + '_ {
        (Reverse(start.games), &start.setup_first, &start.setup_second)
    }
    table.starts.sort_by(|a, b| by_games(a).cmp(&by_games(b)));

    let (mut lines, mut unrecorded) = (Vec::new(), Vec::new());
    let mut sums = query.over_setups.then(|| SummedLines::of_starts(games.starts.len()));
    for ply in 1..=query.depth {
        let (frequent, mut rare);
        // A line that is rare from one setup may be frequent from all.
        let least = if sums.is_some() { 1 } else { query.min_games };
        (followers, frequent, rare) = continued(followers, &moves, least)?;
        if let Some(sums) = &mut sums {
            rare = sums.continue_by(&numbers(&frequent, ["branch", "games"])?, query.min_games);
        }
        table.rare_lines += rare;
        let rows = numbers(&frequent, ["game", "games", "first_wins", "draws", "key_after"])?;
        for (line, [game, games, first_wins, draws, key]) in rows.into_iter().enumerate() {
            if sums.as_ref().is_none_or(|sums| sums.is_frequent(line)) {
                lines.push(OpeningLine { ply, game, outcomes: [games, first_wins, draws], key });
            }
        }
        let known_from_others = col("key").neq(col("key_after"));
        let here = followers.clone().lazy().filter(known_from_others).collect()?;
        unrecorded.extend(numbers(&here, ["game", "key_after"])?.into_iter().map(|[game, key]| (game, key)));
        if followers.height() == 0 {
            break;
        }
    }
    unrecorded.sort_unstable();
    let keys = lines.iter().map(|line| line.key).filter(|&key| key != 0);
    let reached = games_at(keys, &mut games.shards, &unrecorded);

    let all = table.games;
    let begins = query.origin.map_or(Side::First, |origin| origin.side());
    table.rows = lines.iter().map(|line| row(line, &games, all, begins, reached.get(&line.key).copied())).collect();
    sort(&mut table.rows);
    Ok(())
}

/// The lines of a ply summed over setups: those of the same moves from all start positions together.
struct SummedLines {
    /// The number of the sum that each line belongs to.
    of_line: Vec<usize>,
    /// Of each sum whether it has enough games.
    frequent: Vec<bool>,
}

impl SummedLines {
    /// Before the first move all start positions belong together.
    fn of_starts(starts: usize) -> SummedLines {
        SummedLines { of_line: vec![0; starts], frequent: vec![true] }
    }

    /// Whether a line has enough games together with those of the same moves.
    fn is_frequent(&self, line: usize) -> bool {
        self.frequent[self.of_line[line]]
    }

    /// Continues the lines by a move: each new line has its branch and its games. Gives the number of sums with too few
    /// games that continue one with enough.
    fn continue_by(&mut self, branches: &[[u64; 2]], min_games: u64) -> u64 {
        let mut sums = HashMap::new();
        let (mut of_line, mut totals) = (Vec::with_capacity(branches.len()), Vec::new());
        for [branch, games] in branches {
            let shorter = self.of_line[(branch >> 32) as usize];
            let sum = *sums.entry((shorter, *branch as u32)).or_insert_with(|| {
                totals.push((shorter, 0));
                totals.len() - 1
            });
            totals[sum].1 += games;
            of_line.push(sum);
        }
        let rare = totals.iter().filter(|&&(shorter, games)| games < min_games && self.frequent[shorter]).count();
        *self = SummedLines { of_line, frequent: totals.iter().map(|&(_, games)| games >= min_games).collect() };
        rare as u64
    }
}

/// Puts the rows of a table in its order.
pub(super) fn sort(rows: &mut [OpeningRow]) {
    fn in_table(row: &OpeningRow) -> impl Ord + '_ {
        (row.ply, Reverse(row.games), &row.moves, &row.setup_first, &row.setup_second)
    }
    rows.sort_by(|a, b| in_table(a).cmp(&in_table(b)));
}

/// Takes the moves of all games, and the keys of the positions after them, out of the shards.
fn moves(games: &mut OpeningGames) -> PolarsResult<DataFrame> {
    let mut plies = 0;
    let of_shard = |games: &mut ShardGames| {
        games.first_move = plies;
        plies += games.moves.len();
        (mem::take(&mut games.moves), mem::take(&mut games.keys_after))
    };
    let (moves, keys): (Vec<Vec<u32>>, Vec<Vec<u64>>) = games.shards.iter_mut().map(of_shard).unzip();
    let (moves, keys) = rayon::join(|| moves.concat(), || keys.concat());
    polars_ensure!(plies < IdxSize::MAX as usize, ComputeError: "{plies} moves are too many");
    df!("move" => moves, "key" => keys)
}

/// The games that count. Each has its number and result, the number of the line that it has followed so far (of its start
/// position), the place of its next move among all moves, and how many moves are left.
fn followers(games: &OpeningGames) -> PolarsResult<DataFrame> {
    let follower = |(shard, row): (usize, usize)| {
        let of_shard = &games.shards[shard];
        let (moves, game) = (of_shard.moves_of(row), of_shard.first + row as u32);
        let next = (of_shard.first_move + moves.start) as IdxSize;
        (game, of_shard.result[row], of_shard.start[row], next, moves.len() as u32)
    };
    let (game, result, line, next, left): (Vec<_>, Vec<_>, Vec<_>, Vec<_>, Vec<_>) =
        games.counted().map(follower).collect();
    df!("game" => game, "result" => result, "line" => line, "next" => next, "left" => left)
}

/// The games that follow a continuation of these lines by one move that has enough games, those continuations, and how
/// many others there are. A frequent line continues a frequent line, so no other game needs to be looked at again.
fn continued(followers: DataFrame, moves: &DataFrame, min_games: u64) -> PolarsResult<(DataFrame, DataFrame, u64)> {
    let followers = followers.lazy().filter(col("left").gt(lit(0u32)));
    let mut followers = followers.select(["game", "result", "line", "next", "left"].map(col)).collect()?;
    let next = moves.take(followers.column("next")?.idx()?)?;
    followers.hstack_mut(next.columns())?;
    // One number groups and joins much faster than two columns.
    let branch = col("line").cast(DataType::UInt64) * lit(1u64 << 32) + col("move").cast(DataType::UInt64);
    let followers = followers.lazy().with_column(branch.alias("branch")).collect()?;
    let mut of_line = outcomes().to_vec();
    of_line.extend([col("game").min(), col("key").max().alias("key_after")]);
    let all = followers.clone().lazy().group_by([col("branch")]).agg(of_line).collect()?;
    let lines = all.clone().lazy().filter(col("games").cast(DataType::UInt64).gt_eq(lit(min_games)));
    let lines = lines.with_row_index("line", None).collect()?;
    let number = lines.clone().lazy().select([col("branch"), col("line"), col("key_after")]);
    let followers = followers.lazy().drop(cols(["line"])).inner_join(number, col("branch"), col("branch")).select([
        col("game"),
        col("result"),
        col("line"),
        col("next") + lit(1u32),
        col("left") - lit(1u32),
        col("key"),
        col("key_after"),
    ]);
    let rare = (all.height() - lines.height()) as u64;
    Ok((followers.collect()?, lines, rare))
}

/// A score and its 95 % interval: wins plus half of the draws, of all games.
pub(super) fn score(won: u64, draws: u64, games: u64) -> (f64, [f64; 2]) {
    let score = (won as f64 + draws as f64 / 2.0) / games as f64;
    let (low, high) = wilson(score, games);
    (score, [low, high])
}

/// The row of a line, in a table of `all` games. `begins` is the side that makes its first move.
fn row(line: &OpeningLine, games: &OpeningGames, all: u64, begins: Side, position_games: Option<u64>) -> OpeningRow {
    let of_shard = &games.shards[games.shards.partition_point(|shard| u64::from(shard.first) <= line.game) - 1];
    let row = line.game as usize - of_shard.first as usize;
    let [setup_first, setup_second] = games.starts[of_shard.start[row] as usize].clone();
    let [games, first_wins, draws] = line.outcomes;
    let first_losses = games - first_wins - draws;
    let last_by_first = (line.ply % 2 == 1) == (begins == Side::First);
    let won = if last_by_first { first_wins } else { first_losses };
    let (score, [score_low, score_high]) = score(won, draws, games);
    let words = of_shard.text_of(row).split_ascii_whitespace().take(line.ply as usize);
    OpeningRow {
        ply: line.ply,
        moves: words.collect::<Vec<_>>().join(" "),
        setup_first,
        setup_second,
        games,
        share: games as f64 / all as f64,
        first_wins,
        draws,
        first_losses,
        score,
        score_low,
        score_high,
        position_games,
    }
}
