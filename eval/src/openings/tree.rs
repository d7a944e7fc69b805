//! The lines of opening statistics as a tree, from which books are made: by how often lines were played, or by minimax.
//!
//! Lines that reach the same position after as many plies are one node, with the games of all of them. Building and
//! backing up take time in proportion to the lines of the table, writing in proportion to their moves. Positions of nodes
//! are not kept: they would take most of the memory.

use super::Opening;
use data::{OpeningTable, wilson};
use records::book::{BookMove, BookPosition};
use rules::{Key, Move, Position, Rules, Side, Variant};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

/// A line: the setups of both players, and the moves in UCI.
type LineKey<'a> = ([Option<&'a str>; 2], &'a str);
/// How a node or a line is reached: by a move, from the one of this number; `None` for a start.
type Way = Option<(u32, Move)>;

/// A score of the first player with its bounds, each 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Value {
    low: f64,
    score: f64,
    high: f64,
}

impl Value {
    /// What these games say: wins plus half of the draws, with the 95 % interval (Wilson).
    fn of([wins, draws, losses]: [u64; 3]) -> Value {
        let games = wins + draws + losses;
        let score = (wins as f64 + draws as f64 / 2.0) / games.max(1) as f64;
        let (low, high) = wilson(score, games);
        Value { low, score, high }
    }

    /// The better of two for this side, in each of the three numbers.
    fn better(self, other: Value, side: Side) -> Value {
        let pick = |a: f64, b: f64| if side == Side::First { a.max(b) } else { a.min(b) };
        Value {
            low: pick(self.low, other.low),
            score: pick(self.score, other.score),
            high: pick(self.high, other.high),
        }
    }

    /// The lower bound for this side.
    fn lower_for(self, side: Side) -> f64 {
        if side == Side::First { self.low } else { 1.0 - self.high }
    }
}

/// A move of a node.
struct Branch {
    mv: Move,
    /// The node it leads to.
    to: u32,
    /// First player's wins, draws and losses of the games with this move.
    results: [u64; 3],
}

/// A position after so many plies.
struct Node {
    ply: u32,
    /// The most played line to it.
    line: u32,
    /// Its first branch, and how many it has.
    first: u32,
    count: u32,
    /// First player's wins, draws and losses of the games that reached it by lines of the table.
    results: [u64; 3],
}

impl Node {
    fn branches(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// The side to move. The first player begins in every start.
    fn side(&self) -> Side {
        Side::BOTH[self.ply as usize % 2]
    }
}

/// The lines of a table.
///
/// # Examples
/// ```
/// use data::{DataStore, GameRecord, OpeningQuery, Provenance};
/// use eval::openings::LineTree;
/// use rules::{Game, Outcome, Position, Rules, Side, Termination, Wangqi};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let (store, _) = DataStore::open(folder.path())?;
/// let games: Vec<GameRecord<Wangqi>> = ["c3c4 e6e5", "c3c4 d6d5", "d3d4 e6e5"].iter().zip(1..).map(|(moves, game_id)| {
///     let game = Game::from_moves_text(Rules::default(), Position::start(), moves).unwrap();
///     GameRecord { game_id, ..GameRecord::of(&game, Outcome::win(Side::First, Termination::Resign)) }
/// }).collect();
/// store.commit_shard(0, "local", &games, &Provenance::default())?;
/// let table = store.openings(&OpeningQuery { depth: 1, ..OpeningQuery::new("wangqi") })?;
/// let best = LineTree::<Wangqi>::new(&table, Rules::default())?.minimax(0.05).lines();
/// assert_eq!((best.len(), best[0].0.line(), best[0].1), (1, "startpos moves c3c4".to_owned(), 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LineTree<V: Variant> {
    rules: Rules<V>,
    starts: Vec<Position<V>>,
    /// The lines of the starts, then those of the rows.
    lines: Vec<Way>,
    /// The nodes of the starts, then the others in the order of plies, so a node comes before those that its moves lead
    /// to.
    nodes: Vec<Node>,
    /// The moves of a node are next to each other.
    branches: Vec<Branch>,
    /// Values of the nodes, once they are backed up.
    values: Option<Vec<Value>>,
    /// Rows of the table whose moves the rules refuse, so games by other rules.
    refused: usize,
}

impl<V: Variant> LineTree<V> {
    /// The tree of these lines, from the starts of their games. Lines with a move that the rules refuse are left out.
    ///
    /// # Errors
    /// A line has a setup that the variant does not have.
    pub fn new(table: &OpeningTable, rules: Rules<V>) -> Result<LineTree<V>, String> {
        let most = table.starts.len() + table.rows.len();
        let (lines, nodes, branches) = (Vec::with_capacity(most), Vec::with_capacity(most), Vec::with_capacity(most));
        let mut tree = LineTree { rules, starts: Vec::new(), lines, nodes, branches, values: None, refused: 0 };
        // The number and the node of each line of the last ply, and the positions of these nodes.
        let mut lines: HashMap<LineKey<'_>, (u32, usize)> = HashMap::new();
        for (at, start) in table.starts.iter().enumerate() {
            let setups = [start.setup_first.as_deref(), start.setup_second.as_deref()];
            tree.starts.push(start_of::<V>(setups)?.under(&rules));
            lines.insert((setups, ""), (at as u32, at));
            tree.lines.push(None);
            let results = [start.first_wins, start.draws, start.first_losses];
            tree.nodes.push(Node { ply: 0, line: at as u32, first: 0, count: 0, results });
        }
        let mut positions = tree.starts.clone();
        for of_ply in table.rows.chunk_by(|a, b| a.ply == b.ply) {
            let (before, parents) = (std::mem::take(&mut lines), std::mem::take(&mut positions));
            let first_parent = tree.nodes.len() - parents.len();
            let mut places: HashMap<Key, usize> = HashMap::new();
            let mut branches = Vec::with_capacity(of_ply.len());
            for row in of_ply {
                let (line, word) = row.moves.rsplit_once(' ').unwrap_or(("", row.moves.as_str()));
                let setups = [row.setup_first.as_deref(), row.setup_second.as_deref()];
                let known = before.get(&(setups, line)).copied();
                let reached = known.map(|(line, from)| (line, from, parents[from - first_parent].clone()));
                let read = reached.and_then(|(line, from, position)| {
                    let mv = position.parse_move(word).ok()?;
                    Some((line, from, position, mv))
                });
                let Some((line, from, mut position, mv)) = read else {
                    tree.refused += 1;
                    continue;
                };
                position.play(mv);
                let (number, results) = (tree.lines.len() as u32, [row.first_wins, row.draws, row.first_losses]);
                let to = *places.entry(position.key()).or_insert(tree.nodes.len());
                match tree.nodes.get_mut(to) {
                    Some(node) => add(&mut node.results, results),
                    None => {
                        // Rows come in the order of their games, so this is the most played line that leads here.
                        tree.nodes.push(Node { ply: row.ply, line: number, first: 0, count: 0, results });
                        positions.push(position);
                    }
                }
                branches.push((from, Branch { mv, to: to as u32, results }));
                lines.insert((setups, row.moves.as_str()), (number, to));
                tree.lines.push(Some((line, mv)));
            }
            tree.add(branches);
        }
        Ok(tree)
    }

    /// Adds the moves of the nodes of a ply, each with its node. A move is there twice if two lines to its node have it.
    fn add(&mut self, mut branches: Vec<(usize, Branch)>) {
        branches.sort_by_key(|&(from, _)| from);
        for (from, branch) in branches {
            let node = &mut self.nodes[from];
            if node.count == 0 {
                node.first = self.branches.len() as u32;
            }
            match self.branches[node.branches()].iter_mut().find(|known| known.mv == branch.mv) {
                Some(known) => add(&mut known.results, branch.results),
                None => {
                    node.count += 1;
                    self.branches.push(branch);
                }
            }
        }
    }

    /// Keeps the lines of exactly this many plies, with all their moves; the most played come first.
    #[must_use]
    pub fn of_length(mut self, plies: u32) -> LineTree<V> {
        let mut leads = vec![false; self.nodes.len()];
        for (at, node) in self.nodes.iter_mut().enumerate().rev() {
            let moves = &mut self.branches[node.branches()];
            moves.sort_by_key(|branch| (!leads[branch.to as usize], Reverse(games(branch.results))));
            node.count = moves.partition_point(|branch| leads[branch.to as usize]) as u32;
            leads[at] = node.ply == plies || node.count > 0;
        }
        self
    }

    /// Values every position by minimax and keeps the moves whose lower bound is at most `margin` (0 to 1) below the best
    /// one of their position; the best come first.
    ///
    /// Where the tree ends, a position is worth the score of its games, with the 95 % interval. Further up the side to
    /// move takes the best of its moves: of their scores, of their lower bounds and of their upper bounds. A player's
    /// lower bound is that of the first player, or 1 less its upper bound for the second.
    #[must_use]
    pub fn minimax(mut self, margin: f64) -> LineTree<V> {
        let mut values: Vec<Value> = self.nodes.iter().map(|node| Value::of(node.results)).collect();
        for (at, node) in self.nodes.iter_mut().enumerate().rev() {
            let (side, moves) = (node.side(), &mut self.branches[node.branches()]);
            let of_moves = moves.iter().map(|branch| values[branch.to as usize]);
            if let Some(best) = of_moves.reduce(|a, b| a.better(b, side)) {
                values[at] = best;
            }
            let lower = |branch: &Branch| values[branch.to as usize].lower_for(side);
            moves.sort_by(|a, b| lower(b).total_cmp(&lower(a)).then(games(b.results).cmp(&games(a.results))));
            let best = moves.first().map_or(0.0, lower);
            node.count = moves.partition_point(|branch| lower(branch) >= best - margin) as u32;
        }
        self.values = Some(values);
        self
    }

    /// Lines that were left out because the rules refuse a move.
    pub fn refused(&self) -> usize {
        self.refused
    }

    /// How each node is reached by the moves that are kept.
    fn ways(&self) -> Vec<Way> {
        let mut ways = vec![None; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if node.ply == 0 || ways[at].is_some() {
                for branch in &self.branches[node.branches()] {
                    ways[branch.to as usize].get_or_insert((at as u32, branch.mv));
                }
            }
        }
        ways
    }

    /// The lines that are kept, each to the position in which it ends, with the number of its games: the most played
    /// first. Of several lines to a position it is the most played one; by minimax one whose moves are kept. Lines with
    /// which a game is over are left out.
    pub fn lines(&self) -> Vec<(Opening<V>, u64)> {
        let ways = self.ways();
        let mut lines = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            if ways[at].is_none() || node.count > 0 {
                continue;
            }
            let (start, moves) =
                if self.values.is_some() { line_to(at as u32, &ways) } else { line_to(node.line, &self.lines) };
            let opening = Opening::unfinished(self.starts[start].clone(), moves, self.rules);
            lines.extend(opening.map(|opening| (opening, games(node.results))));
        }
        lines.sort_by_key(|&(_, games)| Reverse(games));
        lines
    }

    /// The positions of these lines with their moves, as books of other programs have them. One that returns after more
    /// plies has the moves of both, and values as it has them first.
    pub fn positions(&self) -> Vec<BookPosition<V>> {
        let ways = self.ways();
        let mut book: Vec<BookPosition<V>> = Vec::new();
        let mut places: HashMap<Key, usize> = HashMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            if node.count == 0 || node.ply > 0 && ways[at].is_none() {
                continue;
            }
            let (start, moves) = line_to(node.line, &self.lines);
            let mut position = self.starts[start].clone();
            moves.into_iter().for_each(|mv| position.play(mv));
            let place = *places.entry(position.key()).or_insert(book.len());
            if place == book.len() {
                book.push(BookPosition { position, moves: Vec::new() });
            }
            let moves = &mut book[place].moves;
            for branch in &self.branches[node.branches()] {
                let [wins, draws, losses] = branch.results;
                let results = if node.side() == Side::First { [wins, draws, losses] } else { [losses, draws, wins] };
                if let Some(known) = moves.iter_mut().find(|known| known.mv == branch.mv) {
                    add(&mut known.results, results);
                    continue;
                }
                let replies = &self.branches[self.nodes[branch.to as usize].branches()];
                let reply = replies.first().map(|reply| reply.mv);
                let score = self.values.as_ref().map(|values| values[branch.to as usize].lower_for(node.side()));
                moves.push(BookMove { mv: branch.mv, reply, results, score });
            }
        }
        book
    }

    /// Games in the table.
    pub fn games(&self) -> u64 {
        self.nodes.iter().take_while(|node| node.ply == 0).map(|node| games(node.results)).sum()
    }

    /// Plies of the longest line of the table.
    pub fn longest(&self) -> u32 {
        self.nodes.last().map_or(0, |node| node.ply)
    }
}

/// The number of the start and the moves by which these ways reach a node or a line.
fn line_to(mut at: u32, ways: &[Way]) -> (usize, Vec<Move>) {
    let mut moves = Vec::new();
    while let Some((before, mv)) = ways[at as usize] {
        moves.push(mv);
        at = before;
    }
    moves.reverse();
    (at as usize, moves)
}

/// A start position by the setups of both players, or the variant's own.
fn start_of<V: Variant>(setups: [Option<&str>; 2]) -> Result<Position<V>, String> {
    match setups {
        [Some(first), Some(second)] => Position::start_with([first, second]).map_err(|error| error.to_string()),
        _ => Ok(Position::start()),
    }
}

fn games(results: [u64; 3]) -> u64 {
    results.iter().sum()
}

fn add(sums: &mut [u64; 3], results: [u64; 3]) {
    sums.iter_mut().zip(results).for_each(|(sum, more)| *sum += more);
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::{OpeningRow, OpeningStart};
    use rules::Wangqi;

    /// A table of these lines: moves, and the first player's wins, draws and losses.
    fn table(lines: &[(&str, [u64; 3])]) -> OpeningTable {
        let row = |&(moves, [first_wins, draws, first_losses]): &(&str, [u64; 3])| OpeningRow {
            ply: moves.split(' ').count() as u32,
            moves: moves.to_owned(),
            setup_first: None,
            setup_second: None,
            games: first_wins + draws + first_losses,
            share: 0.0,
            first_wins,
            draws,
            first_losses,
            score: 0.0,
            score_low: 0.0,
            score_high: 1.0,
            position_games: None,
        };
        let mut rows: Vec<OpeningRow> = lines.iter().map(row).collect();
        rows.sort_by_key(|row| (row.ply, Reverse(row.games)));
        let sum = |of: fn(&OpeningRow) -> u64| rows.iter().filter(|row| row.ply == 1).map(of).sum();
        let start = OpeningStart {
            setup_first: None,
            setup_second: None,
            games: sum(|row| row.games),
            first_wins: sum(|row| row.first_wins),
            draws: sum(|row| row.draws),
            first_losses: sum(|row| row.first_losses),
        };
        OpeningTable { games: start.games, starts: vec![start], rows, ..OpeningTable::default() }
    }

    fn tree(lines: &[(&str, [u64; 3])]) -> LineTree<Wangqi> {
        LineTree::new(&table(lines), Rules::default()).unwrap()
    }

    fn texts(tree: &LineTree<Wangqi>) -> Vec<String> {
        let text = |(opening, games): (Opening<Wangqi>, u64)| {
            format!("{} {games}", &opening.line()["startpos moves ".len()..])
        };
        tree.lines().into_iter().map(text).collect()
    }

    #[test]
    fn the_opponent_takes_the_best_reply() {
        // c3c4 scores better on the whole, but one reply refutes it. d3d4 is even after every reply.
        let lines: [(&str, [u64; 3]); 6] = [
            ("c3c4", [800, 0, 200]),
            ("c3c4 e6e5", [795, 0, 5]),
            ("c3c4 d6d5", [5, 0, 195]),
            ("d3d4", [200, 0, 200]),
            ("d3d4 e6e5", [100, 0, 100]),
            ("d3d4 d6d5", [100, 0, 100]),
        ];
        let found = tree(&lines).minimax(0.05);
        assert_eq!(texts(&found), ["d3d4 e6e5 200", "d3d4 d6d5 200"]);
        let values = found.values.as_ref().unwrap();
        assert_eq!((values[0].low, values[0].score), (wilson(0.5, 200).0, 0.5));
        let positions = found.positions();
        let [of_start, of_reply] = positions.as_slice() else { panic!("{positions:?}") };
        assert_eq!((of_start.moves[0].results, of_start.moves[0].score), ([200, 0, 200], Some(values[0].low)));
        assert_eq!(of_start.moves[0].reply, Some(of_reply.moves[0].mv));
        // The second player's results and lower bound are its own.
        assert_eq!(of_reply.moves[0].results, [100, 0, 100]);
        assert!((of_reply.moves[0].score.unwrap() - wilson(0.5, 200).0).abs() < 1e-12);
        // With a margin of all there is, nothing is left out.
        assert_eq!(texts(&tree(&lines).minimax(1.0)).len(), 4);
    }

    #[test]
    fn few_games_count_for_less_than_many() {
        let found = tree(&[("c3c4", [3, 0, 0]), ("d3d4", [70, 0, 30])]).minimax(0.0);
        assert_eq!(texts(&found), ["d3d4 100"]);
    }

    #[test]
    fn moves_in_another_order_reach_one_position() {
        let lines: [(&str, [u64; 3]); 6] = [
            ("c3c4", [6, 0, 0]),
            ("c3c4 e6e5", [6, 0, 0]),
            ("c3c4 e6e5 d3d4", [6, 0, 0]),
            ("d3d4", [0, 0, 4]),
            ("d3d4 e6e5", [0, 0, 4]),
            ("d3d4 e6e5 c3c4", [0, 0, 4]),
        ];
        let by_games = tree(&lines).of_length(3);
        assert_eq!(texts(&by_games), ["c3c4 e6e5 d3d4 10"]);
        assert_eq!((by_games.games(), by_games.longest(), by_games.positions().len()), (10, 3, 5));
        assert_eq!(tree(&lines).minimax(0.0).values.unwrap()[0].score, 0.6);
        assert_eq!(texts(&tree(&lines).of_length(4)), [""; 0]);
    }

    #[test]
    fn lines_that_the_rules_refuse_are_left_out() {
        let lines = [("c3c4", [5, 0, 0]), ("a1a8", [1, 0, 0]), ("c3c4 e6e5", [4, 0, 0]), ("a1a8 e6e5", [1, 0, 0])];
        let tree = tree(&lines);
        assert_eq!(tree.refused(), 2);
        assert_eq!(texts(&tree.of_length(2)), ["c3c4 e6e5 4"]);
    }
}
