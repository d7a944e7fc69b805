//! Lines of moves as texts, with the names of the openings in them.

use data::{OpeningQuery, OpeningRow, OpeningTable};
use eval::openings::OpeningNames;
use report::lines::start_with;
use rules::{Move, Notation, Position, Rules, Variant};

/// The positions in which lines begin.
pub struct Origins<V: Variant> {
    positions: Vec<Position<V>>,
    /// Whether it is one position that is no start of games.
    elsewhere: bool,
}

/// Moves from one of the origins.
#[derive(Debug)]
pub struct ReadLine<V: Variant> {
    start: Position<V>,
    pub moves: Vec<Move>,
}

impl<V: Variant> ReadLine<V> {
    /// The moves in UCI, separated by one space.
    pub fn uci(&self) -> String {
        texts(&self.start, &self.moves, |position, mv| position.format_move(mv)).join(" ")
    }
}

impl<V: Variant> Origins<V> {
    /// A position that is no start of games.
    pub fn at(position: Position<V>) -> Origins<V> {
        Origins { positions: vec![position], elsewhere: true }
    }

    /// The start positions of the games that are counted, the variant's own first.
    pub fn starts(query: &OpeningQuery) -> Origins<V> {
        let names = || V::SETUPS.iter().map(|setup| setup.name);
        let pairs = names().flat_map(|first| names().map(move |second| [first, second]));
        let counted = pairs.filter(|pair| query.allows(pair.map(Some)));
        let mut positions: Vec<Position<V>> = counted.filter_map(|pair| Position::start_with(pair).ok()).collect();
        if positions.is_empty() {
            positions.push(Position::start());
        }
        Origins { positions, elsewhere: false }
    }

    /// Those of the games in a table, the most played first.
    pub fn of(self, table: &OpeningTable) -> Origins<V> {
        if self.elsewhere || table.starts.is_empty() {
            return self;
        }
        let start =
            |start: &data::OpeningStart| start_with(start.setup_first.as_deref(), start.setup_second.as_deref());
        Origins { positions: table.starts.iter().filter_map(|of| start(of).ok()).collect(), ..self }
    }

    /// The position, if it is one that is no start of games.
    pub fn only(&self) -> Option<&Position<V>> {
        self.positions.first().filter(|_| self.elsewhere)
    }

    /// Reads moves in any notation, from the first origin in which all of them are legal.
    ///
    /// # Errors
    /// They are legal from none; the error is that of the first.
    pub fn line(&self, moves: &str, notation: &'static Notation<V>) -> anyhow::Result<ReadLine<V>> {
        let mut failed = None;
        for start in self.under_all_rules() {
            match crate::commands::line(&start, moves, notation) {
                Ok(moves) => return Ok(ReadLine { start, moves }),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or_else(|| anyhow::anyhow!("there is no position to begin with")))
    }

    /// The position after a line from the first origin in which its moves are legal, or else from its own.
    pub fn first_after(&self, line: &ReadLine<V>) -> Position<V> {
        let play = |start: Position<V>| {
            let mut position = start;
            for &mv in &line.moves {
                if !position.is_legal(mv) {
                    return None;
                }
                position.play(mv);
            }
            Some(position)
        };
        self.under_all_rules().find_map(play).or_else(|| play(line.start.clone())).unwrap_or_else(|| line.start.clone())
    }

    /// The first origin in which these moves in UCI are legal, and the moves.
    fn replayed(&self, moves: &str) -> Option<(Position<V>, Vec<Move>)> {
        let from = |start: Position<V>| {
            let mut position = start.clone();
            let play = |text| {
                let mv = position.parse_move(text).ok()?;
                position.play(mv);
                Some(mv)
            };
            let moves = moves.split_whitespace().map(play).collect::<Option<Vec<Move>>>()?;
            Some((start, moves))
        };
        self.under_all_rules().find_map(from)
    }

    /// The origins under each rule set, since legal moves differ in a few.
    fn under_all_rules(&self) -> impl Iterator<Item = Position<V>> + '_ {
        let rules = V::PRESETS.iter().filter_map(|(name, _)| Rules::<V>::named(name).ok());
        rules.flat_map(move |rules| self.positions.iter().map(move |position| position.clone().under(&rules)))
    }

    /// A sentence on the setups of the board that is drawn after these moves in UCI, where games began from several.
    pub fn setups_of_first(&self, moves: &str) -> Option<String> {
        let [first, second] = self.replayed(moves)?.0.setups()?;
        let more = if self.positions.len() > 1 { "; other setups differ" } else { "" };
        Some(format!("Setups: {} – {}{more}", first.title, second.title))
    }

    /// Moves in UCI as texts for people.
    pub fn texts(&self, moves: &str, notation: &Notation<V>) -> Vec<String> {
        let plain = || moves.split_whitespace().map(str::to_owned).collect();
        self.replayed(moves)
            .map_or_else(plain, |(start, moves)| texts(&start, &moves, |position, mv| notation.words(position, mv)))
    }
}

fn texts<V: Variant>(start: &Position<V>, moves: &[Move], text: impl Fn(&Position<V>, Move) -> String) -> Vec<String> {
    let mut position = start.clone();
    let play = |&mv| {
        let text = text(&position, mv);
        position.play(mv);
        text
    };
    moves.iter().map(play).collect()
}

/// A line of a table as text.
pub struct ShownLine {
    /// The moves; in UCI where they cannot be replayed.
    pub texts: Vec<String>,
    /// The names of the first and of the second player's opening.
    pub names: [Option<&'static OpeningNames>; 2],
}

impl ShownLine {
    /// The moves of a row as `text` writes them in a notation.
    pub fn of<V: Variant>(
        row: &OpeningRow,
        origins: &Origins<V>,
        text: impl Fn(&Notation<V>, &Position<V>, Move) -> String,
        notation: &Notation<V>,
    ) -> ShownLine {
        let own = match (&row.setup_first, &row.setup_second) {
            (Some(first), Some(second)) => Position::start_with([first, second]).ok(),
            _ => None,
        };
        let own = own.map(|start| Origins { positions: vec![start], elsewhere: false });
        let plain = || ShownLine { texts: row.moves.split(' ').map(str::to_owned).collect(), names: [None; 2] };
        own.as_ref().unwrap_or(origins).replayed(&row.moves).map_or_else(plain, |(start, moves)| ShownLine {
            texts: texts(&start, &moves, |position, mv| text(notation, position, mv)),
            names: if origins.elsewhere { [None; 2] } else { eval::openings::names(&start, &moves) },
        })
    }

    /// The last move.
    pub fn last(&self) -> &str {
        self.texts.last().map_or("", String::as_str)
    }

    /// The names for people: `中炮 Central Cannon, 屏風馬 Screen Horses`; empty if neither opening has one.
    pub fn title(&self) -> String {
        self.names.iter().flatten().map(|names| names.title()).collect::<Vec<_>>().join(", ")
    }
}
