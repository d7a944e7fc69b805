//! Kirin Studio: runs, openings, games, analysis and matches in the browser.
//!
//! [`Studio`] is a web server for one machine. Its pages (`web/`) are scripts without a framework, compiled into the
//! program; what they show they ask of the routes under `/api`, which notebooks can use as well
//! (`/api/openapi.json` describes them).
//!
//! The server keeps no games: a page sends the start position and the moves with each question, so that it may be
//! reloaded, taken back and opened twice. Only what is expensive is kept: networks that are ready, what is read of
//! runs, and the positions of the games that were explored last. `guard.rs` decides who may ask at all.
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//! use studio::{Studio, StudioConfig};
//!
//! let listen = "127.0.0.1:7878".parse().expect("an address");
//! let studio = Studio::open(&StudioConfig { sources: vec!["runs".into()], listen, searches: 0 })?;
//! println!("{}", studio.address());
//! studio.serve(&AtomicBool::new(false))?;
//! # Ok::<(), studio::StudioError>(())
//! ```

#![forbid(unsafe_code)]
#![allow(unused_qualifications, reason = "what utoipa writes for the parameters of a route")]

mod analysis;
mod api;
mod assets;
mod error;
mod explorer;
mod export;
mod guard;
mod history;
mod live;
mod matches;
mod metrics;
mod networks;
mod pages;
mod position;
mod reading;
mod replay;
mod reply;
mod review;
mod run_game;
mod runs;
mod searches;
mod sources;
mod standings;

pub use error::StudioError;

use explorer::Openings;
use guard::Guard;
use live::Live;
use matches::Matches;
use networks::Networks;
use runs::Runs;
use searches::Searches;
use sources::Sources;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// What a studio shows, and where it listens.
#[derive(Clone, Debug)]
pub struct StudioConfig {
    /// Folders of runs, of data or of match logs, or single match logs. Nothing else is read.
    pub sources: Vec<PathBuf>,
    /// The address to listen on; port 0 is one that the system chooses. Beyond this machine, callers need a token.
    pub listen: SocketAddr,
    /// Searches at once, of those with one answer and of those whose answer is a stream; 0 is one for each core. There
    /// are fewer if the free memory has no room for them.
    pub searches: usize,
}

/// A studio that listens and has not begun to answer.
pub struct Studio {
    runtime: Runtime,
    listener: TcpListener,
    app: Arc<App>,
    address: String,
}

/// What all routes share.
struct App {
    guard: Guard,
    sources: Sources,
    networks: Networks,
    searches: Searches,
    runs: Runs,
    matches: Matches,
    openings: Openings,
    live: Live,
}

/// Time between two looks at whether to stop.
const ASK_EVERY: Duration = Duration::from_millis(50);
/// Time that answers in progress have to end.
const GRACE: Duration = Duration::from_millis(500);

impl Studio {
    /// Listens on the address.
    ///
    /// # Errors
    /// A source cannot be read, or the address cannot be had.
    pub fn open(config: &StudioConfig) -> Result<Studio, StudioError> {
        let sources = Sources::open(&config.sources)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("studio")
            .enable_all()
            .build()
            .map_err(StudioError::System)?;
        let refused = |source| StudioError::Listen { address: config.listen, source };
        let listener = runtime.block_on(TcpListener::bind(config.listen)).map_err(refused)?;
        let local = listener.local_addr().map_err(refused)?;
        let guard = Guard::of(local);
        let address = guard.link(local);
        let searches = Searches::new(config.searches);
        let app = Arc::new(App {
            guard,
            sources,
            networks: Networks::default(),
            searches,
            runs: Runs::default(),
            matches: Matches::default(),
            openings: Openings::default(),
            live: Live::default(),
        });
        Ok(Studio { runtime, listener, app, address })
    }

    /// The link to open, with the token where one is needed.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Answers until `stop` is set. Searches end at once, and answers in progress are lost.
    ///
    /// # Errors
    /// The system does not let it accept callers any more.
    pub fn serve(self, stop: &AtomicBool) -> Result<(), StudioError> {
        let Studio { runtime, listener, app, .. } = self;
        // As a make service the routes are shared; a bare router would be copied for each connection.
        let routes = api::router(Arc::clone(&app)).into_make_service();
        let served = runtime.block_on(async {
            let stopped = async {
                while !stop.load(Ordering::Relaxed) {
                    tokio::time::sleep(ASK_EVERY).await;
                }
            };
            tokio::select! {
                served = axum::serve(listener, routes) => served,
                () = stopped => Ok(()),
            }
        });
        app.searches.stop();
        runtime.shutdown_timeout(GRACE);
        served.map_err(StudioError::System)
    }
}
