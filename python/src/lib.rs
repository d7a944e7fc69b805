//! The Python module `kirin`: rules, environments of many games at once, networks, search, self-play and
//! ratings.
//!
//! `kirin/` next to this folder is the Python package, which shows what is public; this crate is its module
//! `kirin._native`. Examples stand in the docstrings of the classes; `docs/how-to/python-rules.md` is the guide.
//!
//! ```python
//! import kirin
//!
//! game = kirin.Position("xiangqi")
//! game.push("h3e3")
//! print(game, game.outcome())
//! ```
//!
//! Bad input raises `ValueError` or `TypeError` with Kirin's message, and an integer of more than 64 bits, or a negative one
//! where none can be, Python's `OverflowError`. A panic would be a bug of Kirin; PyO3 turns it into an exception of its own
//! (`PanicException`), which says what to report (`panics.rs`), and the process continues.

#![forbid(unsafe_code)]

mod analysis;
mod any_game;
mod batch;
mod callable;
mod files;
mod game;
mod network;
mod outcome;
mod panics;
mod position;
mod refusal;
mod search_order;
mod selfplay;
mod statistics;
mod svg;
mod tables;
mod vector_env;

use pyo3::prelude::*;

/// A laboratory for East-Asian chess variants.
#[pymodule]
#[pyo3(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::analysis::search_position;
    #[pymodule_export]
    use crate::files::{_write_matches, parquet_files};
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::network::{Evaluation, Network};
    #[pymodule_export]
    use crate::outcome::Outcome;
    #[pymodule_export]
    use crate::panics::_panic;
    #[pymodule_export]
    use crate::position::{_restore, Position};
    #[pymodule_export]
    use crate::search_order::{Line, SearchResult};
    #[pymodule_export]
    use crate::selfplay::{SelfplayReport, selfplay_games};
    #[pymodule_export]
    use crate::statistics::{Elo, Rating, Ratings, SequentialTest, elo, ratings, sprt};
    #[pymodule_export]
    use crate::tables::{action_count, action_squares, divide, notations, perft, planes_shape, position_formats};
    #[pymodule_export]
    use crate::tables::{rulesets, setups};
    #[pymodule_export]
    use crate::vector_env::VectorEnv;

    use pyo3::prelude::*;
    use rules::{Termination, VariantId};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let variants: Vec<&str> = VariantId::ALL.iter().map(|id| id.id()).collect();
        let reasons: Vec<&str> = Termination::ALL.iter().map(|reason| reason.name()).collect();
        module.add("VARIANTS", pyo3::types::PyTuple::new(module.py(), variants)?)?;
        module.add("REASONS", pyo3::types::PyTuple::new(module.py(), reasons)?)?;
        crate::panics::explain(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
