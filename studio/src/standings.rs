//! Standings: the players of a folder of matches, rated, and who beat whom.

use crate::App;
use crate::error::{ApiError, off_thread};
use crate::matches::MatchQuery;
use axum::Json;
use axum::extract::{Query, State};
use eval::Standings;
use eval::log;
use eval::ratings::{Encounter, RatingRow};
use rules::VariantId;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// Players of one variant, rated by all logs of a folder.
#[derive(Serialize, ToSchema)]
pub(crate) struct FolderStandings {
    /// The variant.
    variant: String,
    /// Its title.
    title: String,
    /// The player at 0 Elo.
    anchor: String,
    /// The rated players, best first.
    #[schema(value_type = Vec<Object>)]
    rows: Vec<RatingRow>,
    /// Groups of players that no chain of games connects with the anchor.
    unrated: Vec<Vec<String>>,
    /// The cross-table: results of each two players, those of the one who moved first.
    #[schema(value_type = Vec<Object>)]
    encounters: Vec<Encounter>,
    /// What moving first is worth, as a sentence.
    first_advantage: String,
    /// Games of all matches won by the player who moved first, drawn, lost.
    first: [u64; 3],
    /// Logs.
    matches: usize,
}

/// The ratings and the cross-table of a folder of matches, variant by variant.
#[utoipa::path(
    get, path = "/api/standings", params(MatchQuery),
    responses((status = 200, body = Vec<FolderStandings>)),
)]
pub(crate) async fn standings(
    State(app): State<Arc<App>>,
    Query(query): Query<MatchQuery>,
) -> Result<Json<Vec<FolderStandings>>, ApiError> {
    let read = off_thread(move || {
        let folder = app.sources.match_folders().into_iter().find(|folder| folder.id == query.id);
        let none = || ApiError::Unknown(format!("there is no folder of matches {:?} here (any more)", query.id));
        let folder = folder.ok_or_else(none)?;
        let logs = log::read_folder(&folder.path).map_err(ApiError::failed)?;
        let mut of_variants: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for log in logs {
            of_variants.entry(log.1.variant.clone()).or_default().push(log);
        }
        of_variants.retain(|_, logs| logs.iter().any(|(_, _, games)| !games.is_empty()));
        let of = |(name, logs): (String, Vec<_>)| {
            let variant: VariantId = name.parse().map_err(ApiError::failed)?;
            let standings = eval::standings::standings_in(logs, None).map_err(ApiError::failed)?;
            Ok(FolderStandings::of(variant, standings))
        };
        of_variants.into_iter().map(of).collect::<Result<Vec<_>, ApiError>>()
    });
    Ok(Json(read.await?))
}

impl FolderStandings {
    fn of(variant: VariantId, standings: Standings) -> FolderStandings {
        let Standings { ladder, first, matches, .. } = standings;
        FolderStandings {
            variant: variant.id().to_owned(),
            title: variant.title().to_owned(),
            anchor: ladder.ratings.anchor.clone(),
            first_advantage: ladder.ratings.first_advantage_text(),
            rows: ladder.ratings.rows,
            unrated: ladder.ratings.unrated,
            encounters: ladder.encounters,
            first: [first.wins, first.draws, first.losses],
            matches: matches.len(),
        }
    }
}
