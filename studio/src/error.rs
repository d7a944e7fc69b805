//! Why the studio cannot run, and how a route refuses.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use settings::ExitKind;
use std::net::SocketAddr;
use std::path::PathBuf;
use utoipa::ToSchema;

/// Why the studio cannot run.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// The address cannot be had.
    #[error("cannot listen on {address}: {source}; another program may use it: choose another with --port")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A named file is no match log.
    #[error(
        "{} is no folder and no match log (NAME.jsonl): name a run, data, a match log, or a folder of these; \
         `kirin data import` makes data of games in other files",
        path.display()
    )]
    NoSource {
        /// The path.
        path: PathBuf,
    },
    /// A named file cannot be read as a match log.
    #[error("not readable as a match log: {0}")]
    Log(#[from] eval::MatchError),
    /// A named folder or file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The system refuses threads or sockets.
    #[error("the server cannot continue: {0}")]
    System(std::io::Error),
}

impl StudioError {
    /// What it asks the user for.
    pub fn exit_kind(&self) -> ExitKind {
        match self {
            StudioError::Listen { .. } | StudioError::NoSource { .. } => ExitKind::Input,
            StudioError::Log(error) => error.exit_kind().unwrap_or(ExitKind::Machine),
            StudioError::Unreadable { .. } | StudioError::System(_) => ExitKind::Machine,
        }
    }
}

/// How a route refuses. The page shows the text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// The question cannot be understood, or the move is not legal.
    #[error("{0}")]
    Wrong(String),
    /// There is no such thing.
    #[error("{0}")]
    Unknown(String),
    /// Too many others are being answered.
    #[error("{0}")]
    Busy(String),
    /// What is asked for cannot be read or computed.
    #[error("{0}")]
    Failed(String),
}

/// The body of a refusal.
#[derive(Serialize, ToSchema)]
pub(crate) struct Refusal {
    /// What is wrong, as a sentence for people.
    error: String,
}

impl ApiError {
    /// A wrong question, for this reason.
    pub fn wrong(reason: impl ToString) -> ApiError {
        ApiError::Wrong(reason.to_string())
    }

    /// What could not be read or computed, for this reason.
    pub fn failed(reason: impl ToString) -> ApiError {
        ApiError::Failed(reason.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = match self {
            ApiError::Wrong(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ApiError::Unknown(_) => StatusCode::NOT_FOUND,
            ApiError::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(Refusal { error: self.to_string() })).into_response()
    }
}

/// Does work that may wait for the disk, or computes for a while, on a thread of its own.
///
/// # Errors
/// Those of the work; it panics.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(ApiError::failed)?
}
