//! Lines of moves from the start and the games that follow them.

use std::ops::Range;

use rayon::prelude::*;
use rules::{GameResult, Move};

use super::super::wilson;
use super::games::{Games, Member};
use super::{OpeningRow, OpeningStart};

/// The lines that have enough games.
///
/// Games are put in order by their start and their moves. Those of one line are neighbours then, and so are the lines that
/// continue it.
pub(super) struct Lines {
    /// The games that count, in that order.
    pub order: Vec<Member>,
    /// The shorter lines first, those of a length in the order of their games.
    pub lines: Vec<Line>,
    /// How many other lines continue these or the start.
    pub rare: u64,
    /// Of so many first games in the order: those that the first player won, and those that were drawn.
    results: Vec<[u32; 2]>,
}

/// A line of moves with enough games.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Its length in plies.
    pub ply: u32,
    /// The games that came by exactly these moves: their places in [`Lines::order`].
    pub games: Range<u32>,
}

impl Lines {
    /// Lines of 1 to `depth` plies with at least `min_games` games.
    pub fn frequent(games: &Games, depth: u32, min_games: u64) -> Lines {
        let mut order: Vec<Member> = games.counted().collect();
        let place = |&game: &Member| (games.start(game), games.moves(game), game);
        order.par_sort_unstable_by(|a, b| place(a).cmp(&place(b)));
        let (mut lines, mut rare) = (Vec::new(), 0);
        let mut before = by_start(games, &order);
        for ply in 1..=depth {
            // A frequent line continues a frequent line: the games of no other need to be looked at again.
            let longer = |line: &Range<u32>| continuations(games, &order, line.clone(), ply, min_games);
            let found: Vec<(Vec<Range<u32>>, u64)> = before.par_iter().map(longer).collect();
            rare += found.iter().map(|(_, rare)| rare).sum::<u64>();
            before = found.into_iter().flat_map(|(lines, _)| lines).collect();
            if before.is_empty() {
                break;
            }
            lines.extend(before.iter().map(|games| Line { ply, games: games.clone() }));
        }
        let mut sums = [0; 2];
        let results = std::iter::once([0; 2]).chain(order.iter().map(|&game| {
            let result = games.shards[game.shard as usize].result[game.row as usize];
            sums[0] += u32::from(result == GameResult::FirstWins);
            sums[1] += u32::from(result == GameResult::Draw);
            sums
        }));
        let results = results.collect();
        Lines { order, lines, rare, results }
    }

    /// How many of some games the first player won, drew and lost.
    fn outcomes(&self, games: &Range<u32>) -> [u64; 3] {
        let (before, after) = (self.results[games.start as usize], self.results[games.end as usize]);
        let [won, drawn] = [0, 1].map(|at| u64::from(after[at] - before[at]));
        [won, drawn, u64::from(games.end - games.start) - won - drawn]
    }

    /// The start positions, by games (most first), then by setups.
    pub fn starts(&self, games: &Games) -> Vec<OpeningStart> {
        let start = |followers: Range<u32>| {
            let [first_wins, draws, first_losses] = self.outcomes(&followers);
            let [setup_first, setup_second] = games.starts[games.start(self.any(&followers)) as usize].clone();
            let games = u64::from(followers.end - followers.start);
            OpeningStart { setup_first, setup_second, games, first_wins, draws, first_losses }
        };
        let mut starts: Vec<OpeningStart> = by_start(games, &self.order).into_iter().map(start).collect();
        starts.sort_by_key(|start| std::cmp::Reverse(start.games)); // stable
        starts
    }

    /// The games of a line agree in what it consists of.
    fn any(&self, games: &Range<u32>) -> Member {
        self.order[games.start as usize]
    }

    /// The rows of the table: by ply, then by games (most first), then by moves.
    pub fn rows(&self, games: &Games, position_games: &[Option<u64>]) -> Vec<OpeningRow> {
        let row = |(line, &position_games): (&Line, &Option<u64>)| {
            let any = self.any(&line.games);
            let followers = u64::from(line.games.end - line.games.start);
            let [first_wins, draws, first_losses] = self.outcomes(&line.games);
            let last_by_first = line.ply % 2 == 1;
            let won = if last_by_first { first_wins } else { first_losses };
            let score = (won as f64 + draws as f64 / 2.0) / followers as f64;
            let (score_low, score_high) = wilson(score, followers);
            let [setup_first, setup_second] = games.starts[games.start(any) as usize].clone();
            OpeningRow {
                ply: line.ply,
                moves: first_words(games.text(any), line.ply),
                setup_first,
                setup_second,
                games: followers,
                share: followers as f64 / self.order.len() as f64,
                first_wins,
                draws,
                first_losses,
                score,
                score_low,
                score_high,
                position_games,
            }
        };
        let mut rows: Vec<OpeningRow> = self.lines.par_iter().zip(position_games).map(row).collect();
        rows.par_sort_by(|a, b| {
            (a.ply, b.games, &a.moves, &a.setup_first, &a.setup_second).cmp(&(
                b.ply,
                a.games,
                &b.moves,
                &b.setup_first,
                &b.setup_second,
            ))
        });
        rows
    }
}

/// The first so many words of a text.
fn first_words(text: &str, words: u32) -> String {
    let end = text.match_indices(' ').nth(words as usize - 1).map_or(text.len(), |(at, _)| at);
    text[..end].to_owned()
}

/// The games of each start position, which is where a line begins.
fn by_start(games: &Games, order: &[Member]) -> Vec<Range<u32>> {
    ranges(0, order, |&game| games.start(game)).collect()
}

/// The lines that continue a line by the move at this ply and have enough games, and how many others there are.
fn continuations(
    games: &Games,
    order: &[Member],
    line: Range<u32>,
    ply: u32,
    min_games: u64,
) -> (Vec<Range<u32>>, u64) {
    let followers = &order[line.start as usize..line.end as usize];
    let at = ply as usize - 1;
    // Games that end with the line come first.
    let ended = followers.partition_point(|&game| games.moves(game).len() <= at);
    let mv = |&game: &Member| -> Move { games.moves(game)[at] };
    let (mut found, mut rare) = (Vec::new(), 0);
    for range in ranges(line.start + ended as u32, &followers[ended..], mv) {
        match u64::from(range.end - range.start) >= min_games {
            true => found.push(range),
            false => rare += 1,
        }
    }
    (found, rare)
}

/// Neighbours with equal keys, as their places when the first game has the place `first`.
fn ranges<K: PartialEq>(first: u32, order: &[Member], key: impl Fn(&Member) -> K) -> impl Iterator<Item = Range<u32>> {
    let mut from = first;
    let chunks: Vec<u32> = order.chunk_by(|a, b| key(a) == key(b)).map(|chunk| chunk.len() as u32).collect();
    chunks.into_iter().map(move |games| {
        let range = from..from + games;
        from = range.end;
        range
    })
}
