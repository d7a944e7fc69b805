//! The trees of openings: one for each start position.

use super::changes::Changes;
use crate::error::ReportError;
use crate::lines::{last_move, most_played, opening_title, read_move, start_with};
use data::{OpeningRow, OpeningStart, OpeningTable};
use rules::{Notation, Position, Variant};
use serde::Serialize;
use std::collections::HashMap;

/// A start position and the lines from it.
#[derive(Debug, Serialize)]
pub struct Start {
    /// Names of the setups of the first and of the second player, where the variant has the choice.
    setups: Option<[String; 2]>,
    /// Their titles, with the native names.
    titles: Option<[String; 2]>,
    /// 0 if the first player moves, 1 if the second.
    side: usize,
    position: Changes,
    games: u64,
    first: u64,
    draws: u64,
    second: u64,
    moves: Vec<Node>,
}

/// A move and what came after it.
#[derive(Debug, Serialize)]
struct Node {
    uci: String,
    /// The move in the native notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// What the openings of the players are called, where they have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Games that began with exactly these moves.
    games: u64,
    first: u64,
    draws: u64,
    second: u64,
    /// Score of the player who makes the move, 0 to 1, and its 95 % interval (Wilson).
    score: [f64; 3],
    /// Games that reached the position by whatever moves, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    reaching: Option<u64>,
    position: Changes,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<Node>,
    /// Number of places from here on, this one included.
    #[serde(skip)]
    places: u32,
}

/// Setups of both players and a line of moves, by which the lines that continue it are found.
type Place<'a> = (Option<&'a str>, Option<&'a str>, &'a str);

/// The trees of the `most` most played lines of a table.
///
/// # Errors
/// A stored move is not legal, or there is no such setup.
pub fn starts<V: Variant>(
    table: &OpeningTable,
    most: usize,
    native: Option<&Notation<V>>,
) -> Result<Vec<Start>, ReportError> {
    let mut after: HashMap<Place, Vec<&OpeningRow>> = HashMap::new();
    for row in most_played(table, "", most) {
        let line = row.moves.rsplit_once(' ').map_or("", |(line, _)| line);
        after.entry((row.setup_first.as_deref(), row.setup_second.as_deref(), line)).or_default().push(row);
    }
    if table.starts.is_empty() {
        // The board is shown all the same.
        let (setup_first, setup_second) = (None, None);
        let none = OpeningStart { setup_first, setup_second, games: 0, first_wins: 0, draws: 0, first_losses: 0 };
        return Ok(vec![of_start(&none, &after, native)?]);
    }
    table.starts.iter().map(|start| of_start(start, &after, native)).collect()
}

impl Start {
    /// Names of the setups of both players.
    pub fn setups(&self) -> Option<(&str, &str)> {
        self.setups.as_ref().map(|[first, second]| (first.as_str(), second.as_str()))
    }

    /// Number of places in the tree, the start included.
    pub fn places(&self) -> u32 {
        1 + places(&self.moves)
    }

    /// The last place that a line of moves reaches: 0 is the start, and a place comes before those that continue it.
    pub fn place_of(&self, line: &str) -> u32 {
        let (mut place, mut moves) = (0, &self.moves);
        for uci in line.split_ascii_whitespace() {
            let Some(at) = moves.iter().position(|node| node.uci == uci) else { break };
            place += 1 + places(&moves[..at]);
            moves = &moves[at].moves;
        }
        place
    }
}

/// Number of places from these moves on.
fn places(moves: &[Node]) -> u32 {
    moves.iter().map(|node| node.places).sum()
}

fn of_start<V: Variant>(
    start: &OpeningStart,
    after: &HashMap<Place, Vec<&OpeningRow>>,
    native: Option<&Notation<V>>,
) -> Result<Start, ReportError> {
    let (first, second) = (start.setup_first.as_deref(), start.setup_second.as_deref());
    let position = start_with::<V>(first, second)?;
    Ok(Start {
        setups: first.zip(second).map(|(first, second)| [first, second].map(str::to_owned)),
        titles: position.setups().map(|setups| setups.map(|setup| setup.title.to_owned())),
        side: position.side().index(),
        position: Changes::whole(&position),
        games: start.games,
        first: start.first_wins,
        draws: start.draws,
        second: start.first_losses,
        moves: nodes((first, second, ""), after, &position, native)?,
    })
}

/// The moves after a line, the most played first.
fn nodes<V: Variant>(
    place: Place,
    after: &HashMap<Place, Vec<&OpeningRow>>,
    position: &Position<V>,
    native: Option<&Notation<V>>,
) -> Result<Vec<Node>, ReportError> {
    let node = |row: &&OpeningRow| {
        let uci = last_move(row);
        let (position, mv) =
            read_move(position, uci).map_err(|source| ReportError::Line { line: row.moves.clone(), source })?;
        let mut next = position.clone();
        next.play(mv);
        let moves = nodes((place.0, place.1, &row.moves), after, &next, native)?;
        Ok(Node {
            places: 1 + places(&moves),
            uci: uci.to_owned(),
            text: native.map(|notation| notation.write(&position, mv)),
            name: opening_title::<V>(row),
            games: row.games,
            first: row.first_wins,
            draws: row.draws,
            second: row.first_losses,
            score: [row.score, row.score_low, row.score_high].map(rounded),
            reaching: row.position_games,
            position: Changes::between(&position, &next),
            moves,
        })
    };
    after.get(&place).into_iter().flatten().map(node).collect()
}

/// A share to a hundredth of a per cent, which is more than the page shows.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}
