//! A finished game of self-play, and the table `games`.

use rules::{Game, GameResult, Outcome, Position, Rules, Scoresheet, Termination, Variant};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

use crate::column::{
    Codes, Column, Flag, Float, Int, Maybe, Milliseconds, TableSchema, Text, Unsigned, Unsigned64, VERSION, since,
};
use crate::error::{DataError, Result};
use crate::line_log::LogEntry;
use crate::position::PositionRecord;
use crate::tables::SCHEMA_VERSION;

/// The run that games of other programs belong to, as the tables name it.
pub const IMPORTED: &str = "import";

/// The run that games of matches belong to where they are looked at together with others.
pub const MATCHES: &str = "match";

/// The column with the moves of an imported game that no player chose.
pub(crate) const OPENING_PLIES: &str = "opening_plies";

/// The years 1 to 9999 in milliseconds since 1970, UTC: what dates in files can say.
const EARLIEST_MS: i64 = -62_135_596_800_000;
/// Their end.
pub const LATEST_MS: i64 = 253_402_300_799_999;

/// A finished game of self-play: its scoresheet, where it comes from, and the positions that were searched in it.
///
/// The comments of the fields say what they are; `README.md` of this crate lists the columns they become.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GameRecord<V: Variant> {
    /// Unique within a run; a job that is repeated makes the same one.
    pub game_id: u64,
    /// The run that made it.
    pub run_id: String,
    /// The generation that finished it, whose shard holds it.
    pub generation: u32,
    /// What played it: host, slot or thread, in the generator's words.
    pub worker: String,
    /// Seed of the game's random numbers.
    pub seed: u64,
    /// Network of the first player at the end of the game: its id, or a name such as "uniform".
    pub net_first: String,
    /// Network of the second player.
    pub net_second: String,
    /// The game itself.
    #[serde(flatten)]
    pub sheet: Scoresheet<V>,
    /// The moves in UCI, as [`Game::moves_text`] writes them. It is kept because people read files without this crate,
    /// and because writing it anew would play the whole game again.
    pub moves_text: String,
    /// Visits of all searches of the game.
    pub visits: u32,
    /// Played on after the loser would have resigned, to check the threshold of resigning.
    pub resigned_playthrough: bool,
    /// When it began: milliseconds since 1970, UTC; 0 in runs that must repeat byte for byte.
    pub started_at: i64,
    /// How long it took, in milliseconds; 0 in runs that must repeat byte for byte.
    pub wall_ms: u32,
    /// Version of the program that played it.
    pub engine_version: String,
    /// Tournament or match that an imported record names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Place or server that an imported record names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Round that an imported record names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// Opening that an imported record names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// Moves at the beginning of an imported game that no player chose, if its record says so. In other games the first
    /// searched position shows it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub opening_plies: u32,
    /// Rating of the first player, on the scale of its server or federation, that an imported record names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating_first: Option<f32>,
    /// Rating of the second player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating_second: Option<f32>,
    /// The searched positions, by ply.
    pub positions: Vec<PositionRecord>,
}

/// Whether there is nothing to write.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl<V: Variant> LogEntry for GameRecord<V> {
    const TAG: &'static str = "game";
}

impl<V: Variant> GameRecord<V> {
    /// The record of a game with this outcome; everything except the scoresheet is empty.
    pub fn of(game: &Game<V>, outcome: Outcome) -> Self {
        Self::with(Scoresheet::of(game, outcome), game.moves_text())
    }

    fn with(sheet: Scoresheet<V>, moves_text: String) -> Self {
        GameRecord {
            game_id: 0,
            run_id: String::new(),
            generation: 0,
            worker: String::new(),
            seed: 0,
            net_first: String::new(),
            net_second: String::new(),
            sheet,
            moves_text,
            visits: 0,
            resigned_playthrough: false,
            started_at: 0,
            wall_ms: 0,
            engine_version: String::new(),
            event: None,
            site: None,
            round: None,
            opening: None,
            opening_plies: 0,
            rating_first: None,
            rating_second: None,
            positions: Vec::new(),
        }
    }

    /// Number of plies.
    pub fn plies(&self) -> usize {
        self.sheet.plies()
    }

    /// Refuses a record that a reader could not make sense of. Every record is checked here before it is written to a
    /// file.
    ///
    /// # Errors
    /// The contradiction.
    pub fn check(&self) -> Result<()> {
        self.contradiction().map_or(Ok(()), |reason| Err(DataError::InvalidRecord { game_id: self.game_id, reason }))
    }

    /// What in it contradicts itself, if anything.
    pub(crate) fn contradiction(&self) -> Option<String> {
        let plies = self.plies();
        let words = self.moves_text.split_ascii_whitespace().count();
        if words != plies {
            return Some(format!("{plies} moves, but {words} in moves_text"));
        }
        if plies > usize::from(u16::MAX) {
            return Some(format!("{plies} plies do not fit the column"));
        }
        if self.opening_plies as usize > plies {
            return Some(format!("{plies} moves, of which {} belong to the opening", self.opening_plies));
        }
        if !self.sheet.outcome.points.into_iter().flatten().all(f32::is_finite) {
            return Some("its points are not finite".to_owned());
        }
        if ![self.rating_first, self.rating_second].into_iter().flatten().all(f32::is_finite) {
            return Some("its ratings are not finite".to_owned());
        }
        if self.resigned_playthrough && self.sheet.outcome.termination == Termination::Resign {
            return Some("it ends by resignation, and is said to have been played on past one".to_owned());
        }
        if !(EARLIEST_MS..=LATEST_MS).contains(&self.started_at) {
            return Some(format!("it began {} ms after 1970, which is no date", self.started_at));
        }
        if self.positions.iter().map(|position| u64::from(position.visits)).sum::<u64>() > u64::from(self.visits) {
            return Some("its positions have more visits than the whole game".to_owned());
        }
        if !self.positions.windows(2).all(|pair| pair[0].ply < pair[1].ply) {
            return Some("its positions are not in the order of plies".to_owned());
        }
        self.positions.iter().find_map(|position| {
            let reason = position.contradiction(&self.sheet.moves)?;
            Some(format!("position at ply {}: {reason}", position.ply))
        })
    }
}

/// The table `games`: one row a game, by `game_id`.
pub(crate) struct GameTable<V>(PhantomData<V>);

impl<V: Variant> TableSchema for GameTable<V> {
    type Row<'a> = &'a GameRecord<V>;
    type Draft = GameRecord<V>;
    const SORTED: bool = true;

    fn columns() -> Vec<Column<Self>> {
        let mut columns = since(
            1,
            vec![
                Column::<Self>::new::<Unsigned64>(
                    "game_id",
                    "unique within a run",
                    |game| game.game_id,
                    |game, id| game.game_id = id,
                )
                .varied(),
                Column::new::<Text>(
                    "run_id",
                    "the run that made it; `import` for games of other programs",
                    |game| (&game.run_id).into(),
                    |game, run| game.run_id = run,
                ),
                Column::new::<Unsigned>(
                    "generation",
                    "the generation that finished it; also the folder",
                    |game| game.generation,
                    |game, generation| game.generation = generation,
                ),
                Column::checked::<Text>(
                    "variant",
                    "the id of the variant, as commands take it",
                    |_| V::ID.into(),
                    |_, id| if id == V::ID { Ok(()) } else { Err(format!("a game of {id}, not of {}", V::ID).into()) },
                ),
                Column::checked::<Text>(
                    "ruleset",
                    "rule set, followed by what differs from it: `full`, `full max-plies=160`",
                    |game| game.sheet.rules.to_string().into(),
                    |game, text| {
                        game.sheet.rules = text.parse()?;
                        Ok(())
                    },
                ),
                Column::new::<Text>(
                    "worker",
                    "what played it",
                    |game| (&game.worker).into(),
                    |game, worker| game.worker = worker,
                ),
                Column::<Self>::new::<Unsigned64>(
                    "seed",
                    "seed of its random numbers",
                    |game| game.seed,
                    |game, seed| game.seed = seed,
                )
                .varied(),
                Column::new::<Text>(
                    "net_first",
                    "network of the first player at the end: 16 hex digits of its BLAKE3 digest, or a name",
                    |game| (&game.net_first).into(),
                    |game, net| game.net_first = net,
                ),
                Column::new::<Text>(
                    "net_second",
                    "network of the second player at the end",
                    |game| (&game.net_second).into(),
                    |game, net| game.net_second = net,
                ),
                Column::checked::<Maybe<Text>>(
                    "start_fen",
                    "start position; null is the variant's own",
                    |game| game.sheet.start.start_fen().map(Into::into),
                    // A draft has the variant's own start, which would take long to set up for each game.
                    |game, fen| {
                        if fen.is_some() {
                            game.sheet.start = Position::from_start_fen(fen.as_deref())?;
                        }
                        Ok(())
                    },
                ),
                Column::derived::<Maybe<Text>>(
                    "setup_first",
                    "setup that the first player chose, where the variant has the choice",
                    |game| game.sheet.start.setups().map(|[first, _]| first.name.into()),
                ),
                Column::derived::<Maybe<Text>>(
                    "setup_second",
                    "setup that the second player chose, where the variant has the choice",
                    |game| game.sheet.start.setups().map(|[_, second]| second.name.into()),
                ),
                Column::new::<Codes>(
                    "moves",
                    "move codes from the start position on",
                    |game| &game.sheet.moves,
                    |game, moves| game.sheet.moves = moves,
                ),
                Column::<Self>::new::<Text>(
                    "moves_text",
                    "the same moves in UCI, separated by spaces",
                    |game| (&game.moves_text).into(),
                    |game, text| game.moves_text = text,
                )
                .varied(),
                Column::derived::<Unsigned>("plies", "number of moves", |game| game.plies() as u32),
                Column::checked::<Int>(
                    "result",
                    "+1 the first player won, 0 draw, −1 the second player won",
                    |game| game.sheet.outcome.result.into(),
                    |game, number| {
                        game.sheet.outcome.result = number.try_into()?;
                        Ok(())
                    },
                ),
                Column::checked::<Text>(
                    "termination",
                    "why it ended: `checkmate`, `repetition`, …",
                    |game| game.sheet.outcome.termination.name().into(),
                    |game, name| {
                        game.sheet.outcome.termination = name.parse()?;
                        Ok(())
                    },
                ),
                Column::new::<Maybe<Float>>(
                    "points_first",
                    "points of the first player where the variant counts them",
                    |game| game.sheet.outcome.points.map(|[first, _]| first),
                    |game, points| game.sheet.outcome.points = points.map(|first| [first, 0.0]),
                ),
                Column::checked::<Maybe<Float>>(
                    "points_second",
                    "points of the second player",
                    |game| game.sheet.outcome.points.map(|[_, second]| second),
                    // The first player's points have been read before.
                    |game, points| match (&mut game.sheet.outcome.points, points) {
                        (Some([_, second]), Some(points)) => {
                            *second = points;
                            Ok(())
                        }
                        (None, None) => Ok(()),
                        _ => Err("only one player has points".into()),
                    },
                ),
                Column::new::<Unsigned>(
                    "visits",
                    "visits of all searches of the game",
                    |game| game.visits,
                    |game, visits| game.visits = visits,
                ),
                Column::new::<Flag>(
                    "resigned_playthrough",
                    "played on past a resignation, to check the threshold",
                    |game| game.resigned_playthrough,
                    |game, played_on| game.resigned_playthrough = played_on,
                ),
                Column::new::<Milliseconds>(
                    "started_at",
                    "when it began; 1970 in runs that must repeat byte for byte",
                    |game| game.started_at,
                    |game, time| game.started_at = time,
                ),
                Column::new::<Unsigned>(
                    "wall_ms",
                    "how long it took, ms; 0 in such runs",
                    |game| game.wall_ms,
                    |game, time| game.wall_ms = time,
                ),
                Column::new::<Text>(
                    "engine_version",
                    "version of the program",
                    |game| (&game.engine_version).into(),
                    |game, version| game.engine_version = version,
                ),
                Column::derived::<Unsigned>(VERSION, "version of the file's columns", |_| SCHEMA_VERSION),
            ],
        );
        columns.extend(since(
            4,
            vec![
                Column::<Self>::new::<Maybe<Text>>(
                    "event",
                    "tournament or match that an imported record names",
                    |game| game.event.as_ref().map(Into::into),
                    |game, event| game.event = event,
                ),
                Column::<Self>::new::<Maybe<Text>>(
                    "site",
                    "place or server that an imported record names",
                    |game| game.site.as_ref().map(Into::into),
                    |game, site| game.site = site,
                ),
                Column::<Self>::new::<Maybe<Text>>(
                    "round",
                    "round that an imported record names",
                    |game| game.round.as_ref().map(Into::into),
                    |game, round| game.round = round,
                ),
                Column::<Self>::new::<Maybe<Text>>(
                    "opening",
                    "opening that an imported record names",
                    |game| game.opening.as_ref().map(Into::into),
                    |game, opening| game.opening = opening,
                ),
                Column::<Self>::new::<Unsigned>(
                    OPENING_PLIES,
                    "moves at the beginning of an imported game that no player chose, if its record says so, and all moves \
                     of a game that was resigned before a move was chosen; of other games the first row of `positions` tells",
                    |game| game.opening_plies,
                    |game, plies| game.opening_plies = plies,
                ),
            ],
        ));
        columns.extend(since(
            5,
            vec![
                Column::<Self>::new::<Maybe<Float>>(
                    "rating_first",
                    "rating of the first player that an imported record names, on the scale of its server or federation",
                    |game| game.rating_first,
                    |game, rating| game.rating_first = rating,
                ),
                Column::<Self>::new::<Maybe<Float>>(
                    "rating_second",
                    "rating of the second player that an imported record names",
                    |game| game.rating_second,
                    |game, rating| game.rating_second = rating,
                ),
            ],
        ));
        columns
    }

    fn draft() -> GameRecord<V> {
        let outcome = Outcome { result: GameResult::Draw, termination: Termination::MaxPlies, points: None };
        let sheet = Scoresheet { rules: Rules::default(), start: Position::start(), moves: Vec::new(), outcome };
        GameRecord::with(sheet, String::new())
    }
}
