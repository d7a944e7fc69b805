//! Games as callers name them, and what a board shows of a position.

use crate::App;
use crate::error::{ApiError, off_thread};
use crate::networks::{Choice, Networks};
use axum::Json;
use axum::extract::State;
use eval::benchmark::ReferenceLadder;
use report::explorer::View;
use report::explorer::board::Board;
use rules::{Game, Move, MoveList, MoveReader, Notation, Outcome, Position, Rules, Variant, VariantId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Most moves of a game that a caller may name.
const MOST_MOVES: usize = 20_000;

/// A game: where it began, and what was played.
#[derive(Clone, Debug, Default, Deserialize, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct GameSpec {
    /// The variant.
    pub variant: String,
    /// The rule set, perhaps with limits, as in `full max-plies=200` [default: the variant's own].
    #[serde(default)]
    pub ruleset: Option<String>,
    /// The position it began from, in FEN or a native format [default: the variant's start].
    #[serde(default)]
    pub fen: Option<String>,
    /// The setups of the first and the second player, with a comma between, in place of a position.
    #[serde(default)]
    pub setups: Option<String>,
    /// The moves, with blanks between, in any notation of the variant.
    #[serde(default)]
    pub moves: String,
}

impl GameSpec {
    /// The variant.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn variant(&self) -> Result<VariantId, ApiError> {
        self.variant.parse().map_err(ApiError::wrong)
    }

    /// The game.
    ///
    /// # Errors
    /// The rule set, the position or a move is wrong; of a move the error says which.
    pub fn game<V: Variant>(&self) -> Result<Game<V>, ApiError> {
        let rules: Rules<V> = rules_of(self.ruleset.as_deref())?;
        let start = match (self.fen.as_deref(), self.setups.as_deref()) {
            (Some(fen), _) if !fen.is_empty() => Position::from_text(fen).map_err(ApiError::wrong)?,
            (_, Some(setups)) if !setups.is_empty() => {
                let (first, second) = setups.split_once(',').unwrap_or((setups, setups));
                Position::start_with([first, second]).map_err(ApiError::wrong)?
            }
            _ => Position::start(),
        };
        let mut game = Game::from_position(rules, start);
        let mut reader = MoveReader::new(&Notation::UCI);
        for (at, text) in self.moves.split_whitespace().enumerate() {
            if at >= MOST_MOVES {
                return Err(ApiError::Wrong(format!("a game of more than {MOST_MOVES} moves is not looked at")));
            }
            let read = reader.read(game.position(), text);
            game.play(read.map_err(|error| ApiError::Wrong(format!("move {}: {error}", at + 1)))?);
        }
        Ok(game)
    }
}

/// The rule set of this name, perhaps with limits; the variant's own if there is none.
///
/// # Errors
/// The variant has no such rule set.
pub(crate) fn rules_of<V: Variant>(name: Option<&str>) -> Result<Rules<V>, ApiError> {
    name.filter(|name| !name.is_empty())
        .map_or_else(|| Ok(Rules::default()), |name| name.parse().map_err(ApiError::wrong))
}

/// A move.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WrittenMove {
    /// In UCI.
    pub uci: String,
    /// As players of the variant write it, if they do not write UCI.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl WrittenMove {
    /// A move that no rule set allows in this position any more.
    pub fn unread<V: Variant>(position: &Position<V>, mv: Move) -> WrittenMove {
        WrittenMove { uci: position.format_move(mv), text: None }
    }

    /// A legal move of a position.
    pub fn of<V: Variant>(position: &Position<V>, mv: Move) -> WrittenMove {
        let text = Notation::<V>::native().map(|notation| notation.write(position, mv));
        WrittenMove { uci: position.format_move(mv), text }
    }

    /// A line of moves from a position on.
    pub fn line<V: Variant>(position: &Position<V>, moves: &[Move]) -> Vec<WrittenMove> {
        let mut position = position.clone();
        let mut line = Vec::with_capacity(moves.len());
        for &mv in moves {
            line.push(WrittenMove::of(&position, mv));
            position.play(mv);
        }
        line
    }
}

/// How a game ended.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ended {
    /// `first`, `second` or `draw`.
    result: &'static str,
    /// Why.
    termination: String,
    /// Points of the first and the second player, where the rule set counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<[f32; 2]>,
}

impl Ended {
    /// An outcome.
    pub fn of(outcome: Outcome) -> Ended {
        Ended {
            result: data::result_name(outcome.result),
            termination: outcome.termination.name().replace('_', " "),
            points: outcome.points,
        }
    }
}

/// A game as it stands.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Standing {
    /// The rule set.
    ruleset: String,
    /// FEN of the position that the game began from.
    start_fen: String,
    /// FEN of the present position.
    fen: String,
    /// The side to move: 0 for the first player, 1 for the second.
    side: usize,
    /// Whether it is in check.
    check: bool,
    /// How often the position stood before.
    repetitions: u32,
    /// What the board shows: pieces by square, hands, side to move, last move.
    #[schema(value_type = Object)]
    view: View,
    /// The moves that were played.
    played: Vec<WrittenMove>,
    /// The legal moves; none once the game is over.
    moves: Vec<WrittenMove>,
    /// How it ended, if it is over.
    outcome: Option<Ended>,
}

impl Standing {
    /// A game as it stands.
    pub fn of<V: Variant>(game: &Game<V>) -> Standing {
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        let outcome = game.outcome(&legal);
        let (position, start) = (game.position(), game.start_position());
        let written = |&mv: &Move| WrittenMove::of(position, mv);
        let last = game.moves().last().map(|&mv| game.positions()[game.moves().len() - 1].format_move(mv));
        Standing {
            ruleset: game.rules().to_string(),
            start_fen: start.fen(),
            fen: position.fen(),
            side: position.side().index(),
            check: position.is_check(),
            repetitions: game.repetitions(),
            view: View::of(position, last),
            played: WrittenMove::line(start, game.moves()),
            moves: if outcome.is_some() { Vec::new() } else { legal.iter().map(written).collect() },
            outcome: outcome.map(Ended::of),
        }
    }
}

/// A game as it stands.
#[utoipa::path(post, path = "/api/position", request_body = GameSpec, responses((status = 200, body = Standing)))]
pub(crate) async fn position(Json(spec): Json<GameSpec>) -> Result<Json<Standing>, ApiError> {
    let variant = spec.variant()?;
    let standing = off_thread(move || rules::dispatch!(variant, V => spec.game::<V>().map(|game| Standing::of(&game))));
    Ok(Json(standing.await?))
}

/// A name with what it means.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Named {
    name: &'static str,
    title: &'static str,
}

/// A notation of moves.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NotationChoice {
    #[serde(flatten)]
    named: Named,
    /// Whether PGN can have moves in it.
    pgn: bool,
}

impl NotationChoice {
    fn of<V: Variant>(notation: &Notation<V>) -> NotationChoice {
        let named = Named { name: notation.name, title: notation.about };
        NotationChoice { named, pgn: records::pgn::notation_named::<V>(notation.name).is_ok() }
    }
}

/// A level of play.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LevelChoice {
    number: u32,
    /// Elo above the random player.
    elo: f64,
}

/// What can be played and shown of a variant.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantAbout {
    id: &'static str,
    title: &'static str,
    /// Its board and pieces, as the scripts draw them.
    #[schema(value_type = Object)]
    board: Board,
    /// Its start position as FEN.
    fen: String,
    /// Its rule sets, the default first.
    rulesets: Vec<&'static str>,
    /// Its notations of moves, UCI first.
    notations: Vec<NotationChoice>,
    /// What each player may choose before the game; empty in most variants.
    setups: Vec<Named>,
    /// Levels of the network that comes with Kirin, weakest first.
    levels: Vec<LevelChoice>,
    /// Networks to choose.
    networks: Vec<Choice>,
}

impl VariantAbout {
    fn of<V: Variant>(app: &App, id: VariantId) -> Result<VariantAbout, ApiError> {
        let levels = ReferenceLadder::levels_of(id).map_err(ApiError::failed)?;
        Ok(VariantAbout {
            id: V::ID,
            title: V::TITLE,
            board: Board::of::<V>(Notation::<V>::native()),
            fen: Position::<V>::start().fen(),
            rulesets: V::PRESETS.iter().map(|(name, _)| *name).collect(),
            notations: V::NOTATIONS.iter().map(NotationChoice::of).collect(),
            setups: V::SETUPS.iter().map(|it| Named { name: it.name, title: it.title }).collect(),
            levels: levels.iter().map(|level| LevelChoice { number: level.number, elo: level.elo.value }).collect(),
            networks: Networks::of(&app.sources, id),
        })
    }
}

/// All variants, with what a board, a choice of rules and a choice of players need.
#[utoipa::path(get, path = "/api/variants", responses((status = 200, body = Vec<VariantAbout>)))]
pub(crate) async fn variants(State(app): State<Arc<App>>) -> Result<Json<Vec<VariantAbout>>, ApiError> {
    let about = |app: &App, id: VariantId| rules::dispatch!(id, V => VariantAbout::of::<V>(app, id));
    let all =
        off_thread(move || VariantId::ALL.iter().map(|&id| about(&app, id)).collect::<Result<Vec<_>, ApiError>>());
    Ok(Json(all.await?))
}
