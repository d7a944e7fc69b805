//! The table of openings seen as a tree: what follows a line, and which lines are played most.

use super::bar::Results;
use crate::number::{count, counted};
use data::{OpeningRow, OpeningStart, OpeningTable};
use eval::openings::OpeningNames;
use rules::{Move, MoveError, Notation, Position, Rules, Square, UnknownSetup, Variant, VariantId};
use std::collections::HashMap;

/// Results of the games that played a line.
pub fn results(row: &OpeningRow) -> Results {
    Results { first: row.first_wins, draws: row.draws, second: row.first_losses }
}

/// The last move of a line.
pub fn last_move(row: &OpeningRow) -> &str {
    row.moves.rsplit(' ').next().unwrap_or_default()
}

/// The setups of the game, where the variant has the choice: `inner – outer`.
pub fn setups(row: &OpeningRow) -> Option<String> {
    match (&row.setup_first, &row.setup_second) {
        (None, None) => None,
        (first, second) => Some(format!("{} – {}", first.as_deref().unwrap_or("?"), second.as_deref().unwrap_or("?"))),
    }
}

/// The start position with these setups; the variant's own where there is no choice.
///
/// # Errors
/// There is no such setup.
pub fn start_with<V: Variant>(first: Option<&str>, second: Option<&str>) -> Result<Position<V>, UnknownSetup> {
    match first.zip(second) {
        Some((first, second)) => Position::start_with([first, second]),
        None => Ok(Position::start()),
    }
}

/// Reads a move in UCI, and gives it with the position under the rules that allow it: those that the position has, or
/// else the first rule set of the variant that does. Lines do not say by which rules their games were played.
///
/// # Errors
/// The text is no move, or no rule set allows it.
pub fn read_move<V: Variant>(position: &Position<V>, uci: &str) -> Result<(Position<V>, Move), MoveError> {
    let read = |position: Position<V>| position.parse_move(uci).map(|mv| (position, mv));
    let rules = V::PRESETS.iter().filter_map(|(name, _)| Rules::<V>::named(name).ok());
    let mut others = rules.map(|rules| position.clone().under(&rules));
    read(position.clone()).or_else(|error| others.find_map(|other| read(other).ok()).ok_or(error))
}

/// The line of a row of a table as people of the variant write it: in the native notation, or in UCI if it has none or
/// the moves cannot be read again. A row that is summed over setups is read from the first start of the table that allows
/// its moves.
pub fn written(variant: Option<VariantId>, table: &OpeningTable, row: &OpeningRow) -> Vec<String> {
    let native = variant.and_then(|variant| {
        rules::dispatch!(variant, V => {
            let own = || start_with::<V>(row.setup_first.as_deref(), row.setup_second.as_deref()).ok();
            let starts = match row.setup_first.is_some() && row.setup_second.is_some() {
                true => Vec::new(),
                false => starts_of::<V>(table),
            };
            starts.into_iter().chain(own()).find_map(|start| native_moves(start, &row.moves))
        })
    });
    native.unwrap_or_else(|| row.moves.split(' ').map(str::to_owned).collect())
}

/// The start positions of a table, most games first.
pub fn starts_of<V: Variant>(table: &OpeningTable) -> Vec<Position<V>> {
    let start = |start: &OpeningStart| start_with(start.setup_first.as_deref(), start.setup_second.as_deref()).ok();
    table.starts.iter().filter_map(start).collect()
}

/// Moves in UCI, written in the native notation of the variant, or in UCI if it has none; `None` if one of them is not
/// legal.
fn native_moves<V: Variant>(mut position: Position<V>, moves: &str) -> Option<Vec<String>> {
    let native = Notation::<V>::native();
    let write = |uci: &str| {
        let (before, mv) = read_move(&position, uci).ok()?;
        let text = native.map_or_else(|| uci.to_owned(), |notation| notation.write(&before, mv));
        position = before;
        position.play(mv);
        Some(text)
    };
    moves.split_ascii_whitespace().map(write).collect()
}

/// The opening of a match as people write it.
pub struct WrittenOpening {
    /// The start position, if it is not the variant's own: the setups, or what the board shows.
    pub start: Option<String>,
    /// The moves.
    pub moves: Vec<String>,
}

impl WrittenOpening {
    /// The opening from a start position in FEN, empty for the variant's own, with these moves in UCI; `None` if they
    /// cannot be read.
    pub fn of<V: Variant>(fen: &str, moves: &str) -> Option<WrittenOpening> {
        let position = Position::<V>::from_start_fen((!fen.is_empty()).then_some(fen)).ok()?;
        let start = (!fen.is_empty()).then(|| match position.setups() {
            Some([first, second]) => format!("{} – {}", first.title, second.title),
            None => {
                let pieces = (0..V::SQUARES).filter(|&square| position.cell(Square::new(square)).piece().is_some());
                format!("a given position with {} pieces on the board", pieces.count())
            }
        });
        Some(WrittenOpening { start, moves: native_moves(position, moves)? })
    }
}

/// What the openings of both players are called in a line of moves in UCI, for people: `中炮 Central Cannon, 屏風馬 Screen
/// Horses`; `None` if neither opening has a name, or the moves cannot be read again.
pub fn opening_title<V: Variant>(start: &Position<V>, line: &str) -> Option<String> {
    let mut position = start.clone();
    let mut play = |text| {
        let (before, mv) = read_move(&position, text).ok()?;
        position = before;
        position.play(mv);
        Some(mv)
    };
    let moves = line.split(' ').map(&mut play).collect::<Option<Vec<_>>>()?;
    let names = eval::openings::names(start, &moves);
    let titles: Vec<String> = names.into_iter().flatten().map(OpeningNames::title).collect();
    (!titles.is_empty()).then(|| titles.join(", "))
}

/// Whether a line begins with another one (moves separated by one space).
fn follows(line: &str, prefix: &str) -> bool {
    prefix.is_empty() || line.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The moves that were played after a line, the most frequent first.
pub fn continuations<'a>(table: &'a OpeningTable, after: &str) -> Vec<&'a OpeningRow> {
    let plies = after.split_whitespace().count() as u32;
    let mut rows: Vec<&OpeningRow> =
        table.rows.iter().filter(|row| row.ply == plies + 1 && follows(&row.moves, after)).collect();
    rows.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.moves.cmp(&b.moves)));
    rows
}

/// All lines after a line.
pub fn lines_after<'a>(table: &'a OpeningTable, after: &'a str) -> impl Iterator<Item = &'a OpeningRow> {
    let plies = after.split_whitespace().count() as u32;
    table.rows.iter().filter(move |row| row.ply > plies && follows(&row.moves, after))
}

/// The most played lines after a line, at most `count` of them, as a tree: each line comes below the line that it
/// continues, and lines that continue the same one are ordered by their games.
pub fn most_played<'a>(table: &'a OpeningTable, after: &'a str, count: usize) -> Vec<&'a OpeningRow> {
    let plies = after.split_whitespace().count() as u32;
    let mut rows: Vec<&OpeningRow> = lines_after(table, after).collect();
    // A line has no more games than the line that it continues, and of two with equal games the shorter comes first. So
    // whatever is cut off, the line above each line is kept.
    rows.sort_by(|a, b| {
        b.games
            .cmp(&a.games)
            .then(a.ply.cmp(&b.ply))
            .then_with(|| (&a.moves, &a.setup_first, &a.setup_second).cmp(&(&b.moves, &b.setup_first, &b.setup_second)))
    });
    rows.truncate(count);
    let mut below: HashMap<LineWithSetups, Vec<&OpeningRow>> = HashMap::new();
    for &row in &rows {
        below.entry(above(row)).or_default().push(row);
    }
    let mut tree = Vec::with_capacity(rows.len());
    for &top in rows.iter().filter(|row| row.ply == plies + 1) {
        descend(&below, top, &mut tree);
    }
    tree
}

/// The moves of a line, and the setups that it began from.
type LineWithSetups<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn with_setups<'a>(moves: &'a str, row: &'a OpeningRow) -> LineWithSetups<'a> {
    (moves, row.setup_first.as_deref(), row.setup_second.as_deref())
}

/// The line that a line continues by its last move.
fn above(row: &OpeningRow) -> LineWithSetups<'_> {
    with_setups(row.moves.rsplit_once(' ').map_or("", |(before, _)| before), row)
}

fn descend<'a>(
    below: &HashMap<LineWithSetups<'a>, Vec<&'a OpeningRow>>,
    top: &'a OpeningRow,
    tree: &mut Vec<&'a OpeningRow>,
) {
    tree.push(top);
    for &row in below.get(&with_setups(&top.moves, top)).into_iter().flatten() {
        descend(below, row, tree);
    }
}

/// `1.` before a move of the first player, `1…` before one of the second.
pub fn move_number(ply: u32) -> String {
    format!("{}{}", ply.div_ceil(2), if ply % 2 == 1 { "." } else { "…" })
}

/// How many games there are, how many of them a table of openings counts, and why the others are not counted: sentences for
/// people. `reaching` is where the others are counted.
pub fn counted_games(table: &OpeningTable, reaching: &str) -> Vec<String> {
    let others = table.other_starts;
    let all = table.games + others;
    if others == 0 {
        return vec![format!("{} from the start position", counted(all, "game", "games"))];
    }
    let elsewhere = others - table.unchosen;
    let by_chance = "began with moves that no search chose (random ones, or those of an earlier game)";
    let reasons = match (table.unchosen, elsewhere) {
        (_, 0) => format!("the others {by_chance}"),
        (0, _) => "the others began from other positions".to_owned(),
        (unchosen, elsewhere) => {
            format!("{} {by_chance}, {} from other positions", count(unchosen), count(elsewhere))
        }
    };
    let others_count = match table.games {
        0 => "So they have no tree; `kirin openings --fen FEN` has what they played in a position".to_owned(),
        _ => format!("Games that are not counted are counted where they reach a position ({reaching})"),
    };
    vec![
        format!(
            "{} of {} counted from the start position: {reasons}",
            count(table.games),
            counted(all, "game is", "games are")
        ),
        others_count,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of lines with their games.
    fn table(lines: &[(&str, u64)]) -> OpeningTable {
        let rows = lines.iter().map(|&(moves, games)| OpeningRow {
            ply: moves.split(' ').count() as u32,
            moves: moves.to_owned(),
            setup_first: None,
            setup_second: None,
            games,
            share: games as f64 / 100.0,
            first_wins: games,
            draws: 0,
            first_losses: 0,
            score: 1.0,
            score_low: 0.9,
            score_high: 1.0,
            position_games: Some(games + 1),
        });
        OpeningTable { games: 100, rows: rows.collect(), ..OpeningTable::default() }
    }

    #[test]
    fn openings_have_names_of_both_players() {
        let title = |line| opening_title(&Position::<rules::Xiangqi>::start(), line);
        assert_eq!(title("h3e3 h10g8 h1g3 b10c8").as_deref(), Some("中炮 Central Cannon, 屏風馬 Screen Horses"));
        assert_eq!((title("a1a2"), title("e3e9")), (None, None), "no name, and no legal move");
    }

    #[test]
    fn lines_that_are_summed_over_setups_are_written_from_a_start_that_allows_them() {
        let start = |setups: [&str; 2]| OpeningStart {
            setup_first: Some(setups[0].to_owned()),
            setup_second: Some(setups[1].to_owned()),
            games: 1,
            first_wins: 1,
            draws: 0,
            first_losses: 0,
        };
        let starts = vec![start(["inner", "inner"]), start(["outer", "inner"])];
        // The elephant stands on b1 only in the second.
        let table = OpeningTable { starts, ..table(&[("b1d4", 1), ("a4b4", 1)]) };
        let of = |row: usize| written(Some(VariantId::Janggi), &table, &table.rows[row]);
        assert_eq!((of(0), of(1)), (vec!["02象74".to_owned()], vec!["71卒72".to_owned()]));
    }

    #[test]
    fn openings_of_matches_are_written_as_people_write_them() {
        let written = |fen, moves| WrittenOpening::of::<rules::Xiangqi>(fen, moves);
        let opening = written("", "h3e3 h10g8").unwrap();
        assert_eq!((opening.start, opening.moves[0].as_str()), (None, "炮二平五"));
        assert!(written("", "h3h1").is_none() && written("junk", "").is_none());
        let empty = written("4k4/9/9/9/9/9/9/9/9/3K1R3 w - - 0 1", "").unwrap();
        assert_eq!(empty.start.as_deref(), Some("a given position with 3 pieces on the board"));
        let janggi = Position::<rules::Janggi>::start_with(["inner", "outer"]).unwrap();
        let opening =
            WrittenOpening::of::<rules::Janggi>(janggi.start_fen().as_deref().unwrap_or_default(), "").unwrap();
        let [first, second] = janggi.setups().unwrap();
        assert_eq!(opening.start, Some(format!("{} – {}", first.title, second.title)));
        // The generals face each other; only the rule set `kakao` lets the chariot go elsewhere.
        let facing = "4k4/9/9/9/R8/9/9/9/4K4/9 w - - 0 1";
        assert_eq!(WrittenOpening::of::<rules::Janggi>(facing, "a6a7").map(|opening| opening.moves.len()), Some(1));
    }

    fn texts(rows: &[&OpeningRow]) -> Vec<String> {
        rows.iter().map(|row| row.moves.clone()).collect()
    }

    #[test]
    fn continuations_are_those_of_this_line_only() {
        let table = table(&[("a1a2", 60), ("a1a22", 40), ("a1a2 b1", 20), ("a1a2 c1", 40), ("a1a22 d1", 40)]);
        assert_eq!(texts(&continuations(&table, "a1a2")), ["a1a2 c1", "a1a2 b1"]);
        assert_eq!(texts(&continuations(&table, "")), ["a1a2", "a1a22"]);
    }

    #[test]
    fn a_tree_lists_parents_before_children_and_keeps_them() {
        let table = table(&[("a", 60), ("b", 40), ("a x", 30), ("a y", 30), ("b z", 40), ("a x q", 30)]);
        assert_eq!(texts(&most_played(&table, "", 6)), ["a", "a x", "a x q", "a y", "b", "b z"]);
        for count in 0..6 {
            let tree = texts(&most_played(&table, "", count));
            for line in &tree {
                let parent = line.rsplit_once(' ').map(|(parent, _)| parent.to_owned());
                assert!(parent.is_none_or(|parent| tree.contains(&parent)), "{count}: {tree:?}");
            }
        }
        assert_eq!(texts(&most_played(&table, "a x", 5)), ["a x q"]);
    }

    #[test]
    fn moves_are_numbered_by_pairs() {
        assert_eq!([1, 2, 3, 4].map(move_number), ["1.", "1…", "2.", "2…"]);
    }
}
