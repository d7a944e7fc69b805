//! What the explorer's routes answer.

use super::index::{Arrival, GameIndex, ReadGame};
use crate::error::ApiError;
use crate::position::WrittenMove;
use crate::replay::Replay;
use eval::openings::OpeningNames;
use report::explorer::View;
use report::explorer::board::Board;
use report::explorer::facets::{Facet, FacetAbout, Values};
use report::explorer::number;
use report::lines::read_move;
use rules::{Move, MoveReader, Notation, Position, Setup, Side, Variant};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use utoipa::ToSchema;

/// Most sample games of a position.
const SAMPLES: usize = 12;
/// Most moves of a line.
const MOST_MOVES: usize = 2_000;

/// Games by result.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
struct Counts {
    /// Games.
    games: u64,
    /// Games that the first player won.
    first: u64,
    /// Games that were drawn.
    draws: u64,
    /// Games that the second player won.
    second: u64,
}

impl Counts {
    fn add(&mut self, result: rules::GameResult) {
        self.games += 1;
        *[&mut self.first, &mut self.draws, &mut self.second][number(result)] += 1;
    }
}

/// What can be explored in some sources.
#[derive(Serialize, ToSchema)]
pub(crate) struct Overview {
    /// The board and the pieces, as the scripts draw them.
    #[schema(value_type = Object)]
    board: Board,
    /// What games can be chosen by.
    #[schema(value_type = Vec<Object>)]
    facets: Vec<FacetAbout>,
    /// Games that meet the conditions.
    games: u64,
    /// Games that conditions choose from.
    of: u64,
    /// All games of the sources. If they have too many positions for the memory, `of` is the number of those that are
    /// counted, which are evenly chosen.
    all: u64,
    /// Games that occur more than once; each counts once.
    doubled: u64,
    /// The start positions.
    starts: Vec<StartAnswer>,
}

/// A start position.
#[derive(Serialize, ToSchema)]
struct StartAnswer {
    /// The setups of both players, where the variant has the choice.
    setups: Option<[&'static str; 2]>,
    /// What they are called.
    titles: Option<[&'static str; 2]>,
    #[serde(flatten)]
    counts: Counts,
}

/// A position, and what was played in it.
#[derive(Serialize, ToSchema)]
pub(crate) struct Explored {
    /// The position in FEN.
    fen: String,
    /// What the board shows. Of the positions after a line from several setups, this is the first that its moves reach.
    #[schema(value_type = Object)]
    view: View,
    /// The setups that the line on the board began from, if it began from any.
    setups: Option<[&'static str; 2]>,
    /// What they are called.
    titles: Option<[&'static str; 2]>,
    /// What the openings of the players are called, if anything.
    name: Option<String>,
    /// The moves that led here.
    line: Vec<WrittenMove>,
    /// Games that reached the position by chosen moves, in whatever order, as `kirin openings --fen` counts them; from
    /// several setups the sum.
    #[serde(flatten)]
    counts: Counts,
    /// Games of `games` that ended here.
    ended: u64,
    /// The moves that were played here, most games first.
    moves: Vec<ExploredMove>,
    /// Some of the games, newest first.
    samples: Vec<SampleAnswer>,
    /// How often the moves were played as time went by; absent if all games are of one time.
    development: Option<Development>,
}

/// A move that was played in a position.
#[derive(Serialize, ToSchema)]
struct ExploredMove {
    #[serde(flatten)]
    mv: WrittenMove,
    #[serde(flatten)]
    counts: Counts,
    /// Its games ÷ the games of the position, 0 to 1.
    share: f64,
    /// Score of the player who makes the move, 0 to 1, and its 95 % interval (Wilson).
    score: [f64; 3],
}

/// A game that reached a position.
#[derive(Serialize, ToSchema)]
struct SampleAnswer {
    /// By which it is asked for.
    id: String,
    /// What is known of it, by the keys of the facets.
    #[schema(value_type = Object)]
    facts: Values,
    /// `first`, `second` or `draw`.
    result: &'static str,
    /// Why it ended.
    termination: String,
    /// Its length.
    plies: usize,
    /// The ply at which it was in the position.
    ply: u32,
    /// The move that it played in the position, if it did not end there.
    next: Option<WrittenMove>,
}

/// The moves of a position by generation or by year.
#[derive(Serialize, ToSchema)]
struct Development {
    /// `generation` or `year`.
    axis: &'static str,
    /// The generations or years in order.
    points: Vec<DevelopmentPoint>,
}

/// The games of a generation or a year.
#[derive(Serialize, ToSchema)]
struct DevelopmentPoint {
    /// The generation or the year.
    at: i64,
    /// Games.
    games: u64,
    /// Games by the move in UCI.
    of: BTreeMap<String, u64>,
}

/// A game of the explorer.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExplorerGame {
    #[serde(flatten)]
    replay: Replay,
    /// What is known of it, by the keys of the facets.
    #[schema(value_type = Object)]
    facts: Values,
    /// Where it began, in FEN; absent for the variant's own start.
    fen: Option<String>,
    /// The setups of both players, where the variant has the choice.
    setups: Option<[&'static str; 2]>,
}

/// Where a line begins and its moves, as a caller names them.
#[derive(Default)]
pub(super) struct LineSpec {
    /// The position that it begins with, in FEN or a native format; empty for the start.
    pub fen: String,
    /// The setups of both players with a comma between, in place of a position; `any` stands for all setups of a player.
    pub setups: String,
    /// The moves with blanks between.
    pub moves: String,
}

/// A line of moves from a start position.
struct Line<V: Variant> {
    start: Position<V>,
    moves: Vec<Move>,
    written: Vec<WrittenMove>,
    position: Position<V>,
}

/// In place of a setup: all of them.
const ANY: &str = "any";

/// The start positions with these setups of the first and of the second player; of several the most played one first.
fn starts_with<V: Variant>(index: &GameIndex<V>, wanted: [&str; 2]) -> Result<Vec<Position<V>>, ApiError> {
    if !wanted.contains(&ANY) {
        return Ok(vec![Position::start_with(wanted).map_err(ApiError::wrong)?]);
    }
    let fits = |wanted: &str, setup: &Setup| wanted == ANY || wanted == setup.name;
    let named = |wanted| V::SETUPS.iter().filter(move |setup| fits(wanted, setup)).map(|setup| setup.name);
    let [first, second] = wanted;
    let pairs = named(first).flat_map(|one| named(second).map(move |other| [one, other]));
    let mut starts = pairs.map(Position::start_with).collect::<Result<Vec<_>, _>>().map_err(ApiError::wrong)?;
    starts.sort_by_key(|start| index.starts.iter().position(|played| played == start).unwrap_or(usize::MAX));
    if starts.is_empty() {
        return Err(ApiError::Wrong(format!("{} has no setups {first},{second}", V::ID)));
    }
    Ok(starts)
}

impl LineSpec {
    /// Reads it, from each start that it may begin with and that allows its moves; there is at least one.
    fn lines<V: Variant>(&self, index: &GameIndex<V>) -> Result<(Line<V>, Vec<Line<V>>), ApiError> {
        let starts = match (self.fen.as_str(), self.setups.split_once(',')) {
            ("", None) => vec![Position::start()],
            ("", Some((first, second))) => starts_with(index, [first, second])?,
            (fen, _) => vec![Position::from_text(fen).map_err(ApiError::wrong)?],
        };
        let mut lines = starts.into_iter().map(|start| self.line(start));
        let (mut first, mut others) = (lines.next().unwrap_or_else(|| self.line(Position::start())), Vec::new());
        for line in lines.flatten() {
            if first.is_err() {
                first = Ok(line);
            } else {
                others.push(line);
            }
        }
        Ok((first?, others))
    }

    /// Reads its moves. A move may be one that only another rule set allows: a line does not say by which its games were
    /// played.
    fn line<V: Variant>(&self, start: Position<V>) -> Result<Line<V>, ApiError> {
        let mut line = Line { position: start.clone(), start, moves: Vec::new(), written: Vec::new() };
        let mut reader = MoveReader::new(&Notation::UCI);
        for (at, text) in self.moves.split_whitespace().enumerate() {
            if at >= MOST_MOVES {
                return Err(ApiError::Wrong(format!("a line of more than {MOST_MOVES} moves is not looked at")));
            }
            let read = read_move(&line.position, text)
                .or_else(|_| reader.read(&line.position, text).map(|mv| (line.position.clone(), mv)));
            let (before, mv) = read.map_err(|error| ApiError::Wrong(format!("move {}: {error}", at + 1)))?;
            line.written.push(WrittenMove::of(&before, mv));
            line.moves.push(mv);
            line.position = before;
            line.position.play(mv);
        }
        Ok(line)
    }
}

impl Overview {
    /// What an index holds, with the games that meet conditions.
    pub fn of<V: Variant>(index: &GameIndex<V>, chosen: &[bool]) -> Overview {
        let start = |(position, [games, first, draws, second]): (&Position<V>, [u64; 4])| StartAnswer {
            setups: position.setups().map(|setups| setups.map(|setup| setup.name)),
            titles: position.setups().map(|setups| setups.map(|setup| setup.title)),
            counts: Counts { games, first, draws, second },
        };
        Overview {
            board: Board::of::<V>(Notation::<V>::native()),
            facets: index.facets.iter().filter(|facet| facet.is_varied()).map(Facet::about).collect(),
            games: chosen.iter().filter(|&&chosen| chosen).count() as u64,
            of: index.games.len() as u64,
            all: index.all,
            doubled: index.doubled,
            starts: index.starts.iter().zip(index.start_counts(chosen)).map(start).collect(),
        }
    }
}

impl Explored {
    /// The position after a line, with the games that meet conditions.
    ///
    /// # Errors
    /// The line cannot be read.
    pub fn of<V: Variant>(index: &GameIndex<V>, chosen: &[bool], spec: &LineSpec) -> Result<Explored, ApiError> {
        let (line, others) = spec.lines(index)?;
        let position = &line.position;
        let mut positions = vec![position];
        for other in &others {
            if !positions.contains(&&other.position) {
                positions.push(&other.position);
            }
        }
        let mut arrivals: Vec<Arrival> = positions.iter().flat_map(|at| index.arrivals(at, chosen)).collect();
        // A game counts once, in the first of the positions that it reached.
        arrivals.sort_by_key(|arrival| arrival.game); // stable
        arrivals.dedup_by_key(|arrival| arrival.game);
        let (mut counts, mut by_move) = (Counts::default(), HashMap::<Move, Counts>::new());
        for arrival in &arrivals {
            let result = index.games[arrival.game].outcome.result;
            counts.add(result);
            if let Some(mv) = arrival.mv {
                by_move.entry(mv).or_default().add(result);
            }
        }
        let mut moves: Vec<ExploredMove> =
            by_move.into_iter().map(|it| explored(&positions, counts.games, it)).collect();
        moves.sort_by(|a, b| (Reverse(a.counts.games), &a.mv.uci).cmp(&(Reverse(b.counts.games), &b.mv.uci)));
        // The board shows the move that led here.
        let last = line.written.last().map(|mv| mv.uci.clone());
        let names = if spec.fen.is_empty() { eval::openings::names(&line.start, &line.moves) } else { [None; 2] };
        let titles: Vec<String> = names.into_iter().flatten().map(OpeningNames::title).collect();
        Ok(Explored {
            fen: position.fen(),
            view: View::of(position, last),
            setups: line.start.setups().map(|setups| setups.map(|setup| setup.name)),
            titles: line.start.setups().map(|setups| setups.map(|setup| setup.title)),
            name: (!titles.is_empty()).then(|| titles.join(", ")),
            ended: arrivals.iter().filter(|arrival| arrival.mv.is_none()).count() as u64,
            samples: evenly(&arrivals).map(|arrival| sample(index, &positions, arrival)).collect(),
            development: Development::of(index, position, &arrivals),
            line: line.written,
            counts,
            moves,
        })
    }
}

fn explored<V: Variant>(positions: &[&Position<V>], games: u64, (mv, counts): (Move, Counts)) -> ExploredMove {
    let won = if positions[0].side() == Side::First { counts.first } else { counts.second };
    let score = (won as f64 + counts.draws as f64 / 2.0) / counts.games as f64;
    let (low, high) = data::wilson(score, counts.games);
    let share = counts.games as f64 / games as f64;
    ExploredMove { mv: written(positions, mv), counts, share, score: [score, low, high] }
}

/// A move that was played in one of these positions, perhaps under another rule set.
fn written<V: Variant>(positions: &[&Position<V>], mv: Move) -> WrittenMove {
    let read = |position: &&Position<V>| read_move(position, &position.format_move(mv)).ok();
    let read = positions.iter().find_map(read);
    read.map_or_else(|| WrittenMove::unread(positions[0], mv), |(position, mv)| WrittenMove::of(&position, mv))
}

/// At most [`SAMPLES`] of these, evenly spread, the last one first.
fn evenly(arrivals: &[Arrival]) -> impl Iterator<Item = Arrival> {
    let shown = arrivals.len().min(SAMPLES);
    (1..=shown).rev().map(move |place| arrivals[place * arrivals.len() / shown - 1])
}

fn facts_of<V: Variant>(index: &GameIndex<V>, game: usize) -> Values {
    index.facets.iter().map(|facet| (facet.key, facet.values(game))).collect()
}

fn sample<V: Variant>(index: &GameIndex<V>, positions: &[&Position<V>], arrival: Arrival) -> SampleAnswer {
    let Arrival { game, ply, mv } = arrival;
    let outcome = index.games[game].outcome;
    SampleAnswer {
        id: index.name_of(game),
        facts: facts_of(index, game),
        result: data::result_name(outcome.result),
        termination: outcome.termination.name().replace('_', " "),
        plies: index.plies(game),
        ply,
        next: mv.map(|mv| written(positions, mv)),
    }
}

impl Development {
    fn of<V: Variant>(index: &GameIndex<V>, position: &Position<V>, arrivals: &[Arrival]) -> Option<Development> {
        let facet = |key| index.facets.iter().find(|facet| facet.key == key && facet.is_varied());
        let (axis, facet) = match facet("generation") {
            Some(facet) => ("generation", facet),
            None => ("year", facet("date")?),
        };
        let mut points: BTreeMap<i64, (u64, HashMap<Move, u64>)> = BTreeMap::new();
        for arrival in arrivals {
            let Some(at) = facet.time(arrival.game) else { continue };
            let (games, of) = points.entry(at).or_default();
            *games += 1;
            if let Some(mv) = arrival.mv {
                *of.entry(mv).or_default() += 1;
            }
        }
        let point = |(at, (games, of)): (i64, (u64, HashMap<Move, u64>))| DevelopmentPoint {
            at,
            games,
            of: of.into_iter().map(|(mv, games)| (position.format_move(mv), games)).collect(),
        };
        (points.len() > 1).then(|| Development { axis, points: points.into_iter().map(point).collect() })
    }
}

impl ExplorerGame {
    /// The game that is asked for by this text.
    ///
    /// # Errors
    /// There is none, it cannot be read, or a move is not legal.
    pub fn of<V: Variant>(index: &GameIndex<V>, id: &str) -> Result<ExplorerGame, ApiError> {
        let (game, ReadGame { record, chances }) = index.read(id)?;
        let begins = record.sheet.start.side();
        let of_first = |ply: usize| {
            let chance = *chances.get(&(ply as u32))?;
            let is_first = ply.is_multiple_of(2) == (begins == Side::First);
            Some(if is_first { chance } else { 1.0 - chance })
        };
        let replay = Replay::of(id.to_owned(), &record.sheet, of_first)?;
        let setups = record.sheet.start.setups().map(|setups| setups.map(|setup| setup.name));
        Ok(ExplorerGame { replay, facts: facts_of(index, game), fen: record.sheet.start.start_fen(), setups })
    }
}
