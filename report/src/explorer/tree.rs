//! The trees of openings: one for each start position.

use super::changes::Changes;
use crate::error::ReportError;
use crate::lines::{last_move, most_played, opening_title, read_move, start_with, starts_of};
use data::{OpeningRow, OpeningStart, OpeningTable};
use rules::{Notation, Position, Variant};
use serde::Serialize;
use std::collections::HashMap;

/// A start position and the lines from it, or the lines from all start positions together.
#[derive(Debug, Serialize)]
pub struct Start {
    /// Names of the setups of the first and of the second player, where the variant has the choice; none of all
    /// together.
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
    /// The start position whose lines the board shows from here on, where it is another than before: the first one that
    /// allows the moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<usize>,
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
    let after = lines_after(table, most);
    if table.starts.is_empty() {
        // The board is shown all the same.
        let (setup_first, setup_second) = (None, None);
        let none = OpeningStart { setup_first, setup_second, games: 0, first_wins: 0, draws: 0, first_losses: 0 };
        return Ok(vec![of_start(&none, &after, native)?]);
    }
    table.starts.iter().map(|start| of_start(start, &after, native)).collect()
}

/// The tree of the `most` most played lines of a table that is summed over its setups. A board shows the first of the
/// starts that allows the moves.
///
/// # Errors
/// A stored move is legal from none.
pub fn sum<V: Variant>(table: &OpeningTable, most: usize, native: Option<&Notation<V>>) -> Result<Start, ReportError> {
    let starts = starts_of::<V>(table);
    let line = Line { starts: &starts, native, after: &lines_after(table, most) };
    let here: Vec<(usize, Position<V>)> = starts.iter().cloned().enumerate().collect();
    // The setups of a player that is the same in all starts are in the rows, too.
    let setups = table.rows.first().map_or((None, None), setups_of);
    let of = |part: fn(&OpeningStart) -> u64| table.starts.iter().map(part).sum();
    let first = starts.first().cloned().unwrap_or_else(Position::start);
    Ok(Start {
        setups: None,
        titles: None,
        side: first.side().index(),
        position: Changes::whole(&first),
        games: of(|start| start.games),
        first: of(|start| start.first_wins),
        draws: of(|start| start.draws),
        second: of(|start| start.first_losses),
        moves: line.nodes((setups.0, setups.1, ""), &here)?,
    })
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

fn setups_of(row: &OpeningRow) -> (Option<&str>, Option<&str>) {
    (row.setup_first.as_deref(), row.setup_second.as_deref())
}

/// The `most` most played lines of a table, by the line that each continues by a move.
fn lines_after(table: &OpeningTable, most: usize) -> HashMap<Place<'_>, Vec<&OpeningRow>> {
    let mut after: HashMap<Place, Vec<&OpeningRow>> = HashMap::new();
    for row in most_played(table, "", most) {
        let line = row.moves.rsplit_once(' ').map_or("", |(line, _)| line);
        let (first, second) = setups_of(row);
        after.entry((first, second, line)).or_default().push(row);
    }
    after
}

fn of_start<V: Variant>(
    start: &OpeningStart,
    after: &HashMap<Place, Vec<&OpeningRow>>,
    native: Option<&Notation<V>>,
) -> Result<Start, ReportError> {
    let (first, second) = (start.setup_first.as_deref(), start.setup_second.as_deref());
    let position = start_with::<V>(first, second)?;
    let line = Line { starts: std::slice::from_ref(&position), native, after };
    Ok(Start {
        setups: first.zip(second).map(|(first, second)| [first, second].map(str::to_owned)),
        titles: position.setups().map(|setups| setups.map(|setup| setup.title.to_owned())),
        side: position.side().index(),
        position: Changes::whole(&position),
        games: start.games,
        first: start.first_wins,
        draws: start.draws,
        second: start.first_losses,
        moves: line.nodes((first, second, ""), &[(0, position.clone())])?,
    })
}

/// Where lines begin, and what continues each.
struct Line<'a, V: Variant> {
    starts: &'a [Position<V>],
    native: Option<&'a Notation<V>>,
    after: &'a HashMap<Place<'a>, Vec<&'a OpeningRow>>,
}

impl<V: Variant> Line<'_, V> {
    /// The moves after a line, the most played first. `here` has the positions after it from the starts that allow it,
    /// each with the number of its start.
    fn nodes(&self, place: Place, here: &[(usize, Position<V>)]) -> Result<Vec<Node>, ReportError> {
        let Some((shown, others)) = here.split_first() else { return Ok(Vec::new()) };
        let node = |row: &&OpeningRow| self.node(row, shown, others);
        self.after.get(&place).into_iter().flatten().map(node).collect()
    }

    /// A move and what came after it. `shown` is the position that the board shows before it.
    fn node(
        &self,
        row: &OpeningRow,
        shown: &(usize, Position<V>),
        others: &[(usize, Position<V>)],
    ) -> Result<Node, ReportError> {
        let uci = last_move(row);
        let mut elsewhere = others
            .iter()
            .filter_map(|(start, position)| read_move(position, uci).ok().map(|(position, mv)| (*start, position, mv)));
        let (start, before, mv) = match read_move(&shown.1, uci) {
            Ok((position, mv)) => (shown.0, position, mv),
            Err(source) => match elsewhere.next() {
                Some(found) => found,
                None => return Err(ReportError::Line { line: row.moves.clone(), source }),
            },
        };
        let played = |mut position: Position<V>, mv| {
            position.play(mv);
            position
        };
        let mut next = vec![(start, played(before.clone(), mv))];
        next.extend(elsewhere.map(|(start, position, mv)| (start, played(position, mv))));
        let (first, second) = setups_of(row);
        let moves = self.nodes((first, second, &row.moves), &next)?;
        Ok(Node {
            places: 1 + places(&moves),
            uci: uci.to_owned(),
            text: self.native.map(|notation| notation.write(&before, mv)),
            name: opening_title(&self.starts[start], &row.moves),
            games: row.games,
            first: row.first_wins,
            draws: row.draws,
            second: row.first_losses,
            score: [row.score, row.score_low, row.score_high].map(rounded),
            reaching: row.position_games,
            shown: (start != shown.0).then_some(start),
            position: Changes::between(&shown.1, &next[0].1),
            moves,
        })
    }
}

/// A share to a hundredth of a per cent, which is more than the page shows.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}
