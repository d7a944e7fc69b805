//! Replies: the move that a level or a network plays, and what it thinks of the position.

use crate::App;
use crate::analysis::{EVERY, Proven};
use crate::error::ApiError;
use crate::networks::{BUILTIN, NONE};
use crate::position::{GameSpec, WrittenMove};
use crate::searches::{Events, Length, tree_bytes};
use axum::Json;
use axum::extract::{Query, State};
use eval::benchmark::ReferenceLadder;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rules::{MoveList, Variant, VariantId};
use search::{Algorithm, Evaluations, Evaluator, LeafBatch, Search, SearchConfig, Step};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use utoipa::{IntoParams, ToSchema};

/// Visits of a search for which the caller sets no limit.
const VISITS: u32 = 400;
/// Most visits.
const MOST_VISITS: u32 = 200_000;
/// Longest search, in milliseconds.
const MOST_MILLISECONDS: u64 = 60_000;
/// Moves of the expected line.
const LINE: usize = 8;

/// A position to reply to, and who replies.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ReplyQuestion {
    /// The game so far.
    #[serde(flatten)]
    game: GameSpec,
    #[serde(flatten)]
    replier: Replier,
}

/// Who replies: a level, or a network with a limit of visits, of time, or of both.
#[derive(Debug, Deserialize, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Replier {
    /// A level of the network that comes with Kirin. It has its own number of visits.
    #[serde(default)]
    level: Option<u32>,
    /// A network: `builtin`, `none` or the id of a run [default: `builtin` where the variant has one, or else `none`].
    #[serde(default)]
    network: Option<String>,
    /// Visits, 1 to 200,000 [default: 400, or without a limit of visits where there is one of time]. Fewer are made if
    /// the tree has filled the memory that it may take.
    #[serde(default)]
    visits: Option<u32>,
    /// Time in milliseconds, 1 to 60,000.
    #[serde(default)]
    milliseconds: Option<u64>,
    /// Seed of the draw of a level's moves [default: 1].
    #[serde(default)]
    seed: Option<u64>,
}

/// How far the search for a reply is.
#[derive(Debug, Serialize)]
struct Searching {
    /// Visits so far.
    visits: u32,
}

/// A reply.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reply {
    /// The move.
    best: WrittenMove,
    /// Chances of a win, a draw and a loss for the side to move, which sum to 1.
    wdl: [f32; 3],
    /// The proven result, if there is one.
    proven: Option<Proven>,
    /// The line that is expected.
    line: Vec<WrittenMove>,
    /// Visits made.
    visits: u32,
    /// Time of the search, in milliseconds.
    milliseconds: u64,
}

impl Replier {
    /// The network that is asked.
    fn network(&self, variant: VariantId) -> &str {
        let default = if train::has_builtin(variant) { BUILTIN } else { NONE };
        match (&self.network, self.level) {
            (Some(id), None) => id,
            (_, Some(_)) => BUILTIN,
            (None, None) => default,
        }
    }

    /// The settings of the search.
    ///
    /// # Errors
    /// There is no such level, or a limit is out of range.
    fn search(&self, variant: VariantId) -> Result<SearchConfig, ApiError> {
        if let Some(number) = self.level {
            return Ok(ReferenceLadder::level(variant, number).map_err(ApiError::wrong)?.search());
        }
        let unlimited = if self.milliseconds.is_some() { MOST_VISITS } else { VISITS };
        let visits = self.visits.unwrap_or(unlimited);
        if !(1..=MOST_VISITS).contains(&visits) {
            return Err(ApiError::Wrong(format!("visits must be 1 to {MOST_VISITS}")));
        }
        if self.milliseconds.is_some_and(|time| !(1..=MOST_MILLISECONDS).contains(&time)) {
            return Err(ApiError::Wrong(format!("milliseconds must be 1 to {MOST_MILLISECONDS}")));
        }
        let settings = match self.network(variant) {
            NONE => SearchConfig { algorithm: Algorithm::Puct, ..SearchConfig::default() },
            _ => SearchConfig::of_network(),
        };
        Ok(SearchConfig { visits, ..settings }.for_matches())
    }

    /// Searches for the reply until it is found, its time is over, its memory is full, or `stop` is set. `tell` is
    /// called with the visits when the search begins, and every [`EVERY`].
    ///
    /// # Errors
    /// The question is wrong, the game is over, or the network cannot be evaluated.
    fn answer<V: Variant>(
        &self,
        app: &App,
        game: &GameSpec,
        variant: VariantId,
        stop: &AtomicBool,
        tell: impl Fn(u32),
    ) -> Result<Reply, ApiError> {
        let config = self.search(variant)?;
        let game = game.game::<V>()?;
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            return Err(ApiError::Wrong("the game is over, so there is no reply".to_owned()));
        }
        let began = Instant::now();
        let deadline =
            self.milliseconds.filter(|_| self.level.is_none()).map(|time| began + Duration::from_millis(time));
        let goes_on = || !stop.load(Ordering::Relaxed) && deadline.is_none_or(|deadline| Instant::now() < deadline);
        let mut random = ChaCha8Rng::seed_from_u64(self.seed.unwrap_or(1));
        let visits = config.visits;
        let mut search = Search::<V>::new(config);
        search.begin(&game, visits, &mut random);
        let most_bytes = tree_bytes();
        tell(0);
        let mut told = Instant::now();
        let run = |evaluator: &mut dyn Evaluator| {
            let (mut batch, mut answers) = (LeafBatch::new(evaluator.features()), Evaluations::default());
            while search.next_leaf(&mut batch) == Step::Pending {
                let answered = evaluator.evaluate(&batch, &mut answers).and_then(|()| answers.check(&batch));
                answered.map_err(ApiError::failed)?;
                search.supply(&mut batch, 0, &answers).map_err(ApiError::failed)?;
                batch.clear();
                if told.elapsed() >= EVERY {
                    tell(search.simulations());
                    told = Instant::now();
                }
                if !goes_on() || search.tree().bytes_used() >= most_bytes {
                    break;
                }
            }
            Ok(())
        };
        app.networks.with::<V, _>(&app.sources, self.network(variant), run)?;
        let line = WrittenMove::line(game.position(), &search.principal_variation(LINE));
        let result = search.result();
        Ok(Reply {
            best: WrittenMove::of(game.position(), result.best),
            wdl: result.root_wdl,
            proven: Proven::of(result.proven),
            line,
            visits: result.visits,
            milliseconds: began.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        })
    }
}

/// The move that a level or a network plays, with what it thinks of the position.
#[utoipa::path(post, path = "/api/reply", request_body = ReplyQuestion, responses((status = 200, body = Reply)))]
pub(crate) async fn reply(
    State(app): State<Arc<App>>,
    Json(question): Json<ReplyQuestion>,
) -> Result<Json<Reply>, ApiError> {
    let variant = question.game.variant()?;
    let asked = Arc::clone(&app);
    let ReplyQuestion { game, replier } = question;
    let answer = move |stop: &AtomicBool| {
        rules::dispatch!(variant, V => {
            replier.answer::<V>(&asked, &game, variant, stop, |_| ())
        })
    };
    Ok(Json(app.searches.run(answer).await?))
}

/// Like `/api/reply`, as server-sent events: while all `places` are taken, `waiting` with the `place` in the queue;
/// `searching` with the visits so far when the search begins and every quarter of a second; `reply` last; `refused`
/// with the reason if the question is wrong. A caller that goes away ends the search.
#[utoipa::path(
    get, path = "/api/reply/live", params(GameSpec, Replier),
    responses((status = 200, content_type = "text/event-stream", body = Reply)),
)]
pub(crate) async fn live(
    State(app): State<Arc<App>>,
    Query(game): Query<GameSpec>,
    Query(replier): Query<Replier>,
) -> Result<Events, ApiError> {
    let variant = game.variant()?;
    let shared = Arc::clone(&app);
    Ok(app.searches.stream(Length::Short, move |stop, teller| {
        let searching = |visits| teller.tell("searching", &Searching { visits });
        let answer = rules::dispatch!(variant, V => replier.answer::<V>(&shared, &game, variant, stop, searching));
        answer.map(|reply| teller.tell("reply", &reply))
    }))
}
