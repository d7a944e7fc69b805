//! Lines of moves from the start and the games that follow them.

use std::collections::BTreeMap;

use polars::prelude::PolarsResult;
use rules::GameResult;

use super::super::{groups, wilson};
use super::games::Games;
use super::{OpeningRow, OpeningStart};

/// A line of moves with enough games.
pub(super) struct Line {
    /// Its length in plies.
    pub ply: u32,
    /// Which games came by exactly these moves: their rows in [`Games`], ascending.
    pub games: Vec<u32>,
}

/// Lines of 1 to `depth` plies with at least `min_games` games, the shorter ones first; and how many others continue these
/// or the start.
pub(super) fn frequent(games: &Games, depth: u32, min_games: u64) -> PolarsResult<(Vec<Line>, u64)> {
    let (mut found, mut rare) = (Vec::new(), 0);
    let mut before = by_setups(games);
    for ply in 1..=depth {
        // A frequent line continues a frequent line: the games of no other need to be looked at again.
        let (mut followers, mut continuations) = (Vec::new(), Vec::new());
        for (line, members) in before.iter().enumerate() {
            for &game in members {
                if let Some(&mv) = games.moves[game as usize].get(ply as usize - 1) {
                    followers.push(game);
                    continuations.push((line as u64) << 32 | u64::from(mv.raw()));
                }
            }
        }
        let mut lines = groups("continuation", &continuations)?;
        let all = lines.len();
        lines.retain(|line| line.len() as u64 >= min_games);
        rare += (all - lines.len()) as u64;
        if lines.is_empty() {
            break;
        }
        for line in &mut lines {
            line.iter_mut().for_each(|row| *row = followers[*row as usize]);
        }
        found.extend(lines.iter().map(|games| Line { ply, games: games.clone() }));
        before = lines;
    }
    Ok((found, rare))
}

/// The start positions, by games (most first), then by set-ups.
pub(super) fn starts(games: &Games) -> Vec<OpeningStart> {
    let start = |followers: Vec<u32>| {
        let any = followers[0] as usize;
        let [first_wins, draws, first_losses] = outcomes(games, &followers);
        OpeningStart {
            setup_first: games.setup_first[any].clone(),
            setup_second: games.setup_second[any].clone(),
            games: followers.len() as u64,
            first_wins,
            draws,
            first_losses,
        }
    };
    let mut starts: Vec<OpeningStart> = by_setups(games).into_iter().map(start).collect();
    starts.sort_by_key(|start| std::cmp::Reverse(start.games)); // stable
    starts
}

/// How many of some games the first player won, drew and lost.
fn outcomes(games: &Games, followers: &[u32]) -> [u64; 3] {
    let with = |result| followers.iter().filter(|&&game| games.result[game as usize] == result).count() as u64;
    let (first_wins, draws) = (with(GameResult::FirstWins), with(GameResult::Draw));
    [first_wins, draws, followers.len() as u64 - first_wins - draws]
}

/// The games of each choice of set-ups, which is where a line begins.
fn by_setups(games: &Games) -> Vec<Vec<u32>> {
    let mut followers: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for (game, setups) in (0..).zip(games.setup_first.iter().zip(&games.setup_second)) {
        followers.entry(setups).or_default().push(game);
    }
    followers.into_values().collect()
}

/// The rows of the table: by ply, then by games (most first), then by moves.
pub(super) fn rows(games: &Games, lines: &[Line], position_games: &[Option<u64>]) -> Vec<OpeningRow> {
    let row = |(line, &position_games): (&Line, &Option<u64>)| {
        // The games of a line agree in what it consists of.
        let any = line.games[0] as usize;
        let followers = line.games.len() as u64;
        let [first_wins, draws, first_losses] = outcomes(games, &line.games);
        let last_by_first = line.ply % 2 == 1;
        let won = if last_by_first { first_wins } else { first_losses };
        let score = (won as f64 + draws as f64 / 2.0) / followers as f64;
        let (score_low, score_high) = wilson(score, followers);
        let moves: Vec<_> = games.texts[any].split(' ').take(line.ply as usize).collect();
        OpeningRow {
            ply: line.ply,
            moves: moves.join(" "),
            setup_first: games.setup_first[any].clone(),
            setup_second: games.setup_second[any].clone(),
            games: followers,
            share: followers as f64 / games.id.len() as f64,
            first_wins,
            draws,
            first_losses,
            score,
            score_low,
            score_high,
            position_games,
        }
    };
    let mut rows: Vec<OpeningRow> = lines.iter().zip(position_games).map(row).collect();
    rows.sort_by(|a, b| {
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
