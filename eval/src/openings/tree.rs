//! The lines of opening statistics as a tree, from which books are made: by how often lines were played, or by minimax.
//!
//! Lines that reach the same position after as many plies are one node, with the games of all of them. Building,
//! backing up and writing take time in proportion to the lines of the table.

use super::Opening;
use data::{OpeningRow, OpeningTable, wilson};
use records::book::{BookMove, BookPosition};
use rules::{Key, Move, Position, Rules, Side, Variant};
use std::cmp::Reverse;
use std::collections::HashMap;

/// A line: the setups of both players, and the moves in UCI.
type LineKey<'a> = ([Option<&'a str>; 2], &'a str);

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
    to: usize,
    /// First player's wins, draws and losses of the games with this move.
    results: [u64; 3],
}

/// How a node is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Start,
    /// From this node by this move.
    From(usize, Move),
}

/// A position after so many plies.
struct Node<V: Variant> {
    position: Position<V>,
    ply: u32,
    /// First player's wins, draws and losses of the games that reached it by lines of the table.
    results: [u64; 3],
    /// The number of the start of the most played line to it, and the moves of that line in UCI.
    line: (usize, Box<str>),
    moves: Vec<Branch>,
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
    /// In the order of plies, so a node comes before those that its moves lead to.
    nodes: Vec<Node<V>>,
    /// Values of the nodes, once they are backed up.
    values: Option<Vec<Value>>,
}

impl<V: Variant> LineTree<V> {
    /// The tree of these lines, from the starts of their games.
    ///
    /// # Errors
    /// A line has a move that the rules refuse, or a setup that the variant does not have.
    pub fn new(table: &OpeningTable, rules: Rules<V>) -> Result<LineTree<V>, String> {
        let mut tree = LineTree { rules, nodes: Vec::new(), values: None };
        // Of lines, of the ply before and of this one, start and node; and the nodes of this ply by their positions.
        let mut lines: HashMap<LineKey<'_>, (usize, usize)> = HashMap::new();
        let mut positions: HashMap<Key, usize> = HashMap::new();
        for (at, start) in table.starts.iter().enumerate() {
            let setups = [start.setup_first.as_deref(), start.setup_second.as_deref()];
            let position = start_of::<V>(setups)?.under(&rules);
            lines.insert((setups, ""), (at, at));
            let results = [start.first_wins, start.draws, start.first_losses];
            tree.nodes.push(Node { position, ply: 0, results, line: (at, "".into()), moves: Vec::new() });
        }
        for of_ply in table.rows.chunk_by(|a, b| a.ply == b.ply) {
            let before = std::mem::take(&mut lines);
            positions.clear();
            for row in of_ply {
                let (line, word) = row.moves.rsplit_once(' ').unwrap_or(("", row.moves.as_str()));
                let setups = [row.setup_first.as_deref(), row.setup_second.as_deref()];
                let from = before.get(&(setups, line)).copied();
                let (start, from) =
                    from.ok_or_else(|| format!("the line {} continues none of the table", row.moves))?;
                let place = tree.add(start, from, word, row, &mut positions)?;
                lines.insert((setups, row.moves.as_str()), (start, place));
            }
        }
        Ok(tree)
    }

    /// Adds the last move of a line, and gives the node it leads to.
    fn add(
        &mut self,
        start: usize,
        from: usize,
        word: &str,
        row: &OpeningRow,
        positions: &mut HashMap<Key, usize>,
    ) -> Result<usize, String> {
        let mut position = self.nodes[from].position.clone();
        let mv = position.parse_move(word).map_err(|error| format!("the line {}: {error}", row.moves))?;
        position.play(mv);
        let results = [row.first_wins, row.draws, row.first_losses];
        let place = *positions.entry(position.key()).or_insert(self.nodes.len());
        match self.nodes.get_mut(place) {
            Some(node) => add(&mut node.results, results),
            None => {
                // Rows come in the order of their games, so this is the most played one that leads here.
                let line = (start, row.moves.as_str().into());
                self.nodes.push(Node { position, ply: row.ply, results, line, moves: Vec::new() });
            }
        }
        let moves = &mut self.nodes[from].moves;
        match moves.iter_mut().find(|branch| branch.mv == mv) {
            Some(branch) => add(&mut branch.results, results),
            None => moves.push(Branch { mv, to: place, results }),
        }
        Ok(place)
    }

    /// Keeps the lines of exactly this many plies, with all their moves; the most played come first.
    #[must_use]
    pub fn of_length(mut self, plies: u32) -> LineTree<V> {
        let mut leads = vec![false; self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[at];
            node.moves.retain(|branch| leads[branch.to]);
            node.moves.sort_by_key(|branch| Reverse(games(branch.results)));
            leads[at] = node.ply == plies || !node.moves.is_empty();
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
        for at in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[at];
            let side = node.position.side();
            let of_moves = node.moves.iter().map(|branch| values[branch.to]);
            if let Some(best) = of_moves.reduce(|a, b| a.better(b, side)) {
                values[at] = best;
            }
            let lower = |branch: &Branch| values[branch.to].lower_for(side);
            let best = node.moves.iter().map(lower).fold(0.0, f64::max);
            node.moves.retain(|branch| lower(branch) >= best - margin);
            node.moves.sort_by(|a, b| lower(b).total_cmp(&lower(a)).then(games(b.results).cmp(&games(a.results))));
        }
        self.values = Some(values);
        self
    }

    /// How each node is reached by the moves that are kept.
    fn ways(&self) -> Vec<Option<Way>> {
        let mut ways: Vec<Option<Way>> = self.nodes.iter().map(|node| (node.ply == 0).then_some(Way::Start)).collect();
        for (at, node) in self.nodes.iter().enumerate() {
            if ways[at].is_some() {
                for branch in &node.moves {
                    ways[branch.to].get_or_insert(Way::From(at, branch.mv));
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
            if !matches!(ways[at], Some(Way::From(..))) || !node.moves.is_empty() {
                continue;
            }
            let (start, moves) = if self.values.is_some() { kept_line(at, &ways) } else { self.played_line(node) };
            let opening = Opening::unfinished(self.nodes[start].position.clone(), moves, self.rules);
            lines.extend(opening.map(|opening| (opening, games(node.results))));
        }
        lines.sort_by_key(|&(_, games)| Reverse(games));
        lines
    }

    /// The start and the moves of the most played line to a node.
    fn played_line(&self, node: &Node<V>) -> (usize, Vec<Move>) {
        let (start, line) = &node.line;
        let mut position = self.nodes[*start].position.clone();
        let mut moves = Vec::with_capacity(node.ply as usize);
        // Each of its moves has been found legal.
        for word in line.split(' ') {
            let Ok(mv) = position.parse_move(word) else { break };
            position.play(mv);
            moves.push(mv);
        }
        (*start, moves)
    }

    /// The positions of these lines with their moves, as books of other programs have them. One that returns after more
    /// plies has the moves of both, and values as it has them first.
    pub fn positions(&self) -> Vec<BookPosition<V>> {
        let ways = self.ways();
        let mut book: Vec<BookPosition<V>> = Vec::new();
        let mut places: HashMap<Key, usize> = HashMap::new();
        for (node, _) in self.nodes.iter().zip(&ways).filter(|(node, way)| way.is_some() && !node.moves.is_empty()) {
            let side = node.position.side();
            let place = *places.entry(node.position.key()).or_insert(book.len());
            if place == book.len() {
                book.push(BookPosition { position: node.position.clone(), moves: Vec::new() });
            }
            let moves = &mut book[place].moves;
            for branch in &node.moves {
                let [wins, draws, losses] = branch.results;
                let results = if side == Side::First { [wins, draws, losses] } else { [losses, draws, wins] };
                if let Some(known) = moves.iter_mut().find(|known| known.mv == branch.mv) {
                    add(&mut known.results, results);
                    continue;
                }
                let reply = self.nodes[branch.to].moves.first().map(|reply| reply.mv);
                let score = self.values.as_ref().map(|values| values[branch.to].lower_for(side));
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

/// The start and the moves of the line that is kept to a node.
fn kept_line(node: usize, ways: &[Option<Way>]) -> (usize, Vec<Move>) {
    let (mut at, mut moves) = (node, Vec::new());
    while let Some(Way::From(before, mv)) = ways[at] {
        moves.push(mv);
        at = before;
    }
    moves.reverse();
    (at, moves)
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
    use data::OpeningStart;
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
    fn a_line_that_the_rules_refuse_is_named() {
        let error = LineTree::<Wangqi>::new(&table(&[("a1a8", [1, 0, 0])]), Rules::default()).err().unwrap();
        assert!(error.starts_with("the line a1a8: "), "{error}");
    }
}
