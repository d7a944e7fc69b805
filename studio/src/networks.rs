//! The networks that callers may choose: the one that comes with Kirin, those of the runs that are shown, and none.

use crate::error::ApiError;
use crate::sources::{Kind, Sources};
use lab::RunFolder;
use rules::{Variant, VariantId};
use search::{Evaluator, UniformEvaluator};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use train::{EvaluatorConfig, NetworkEvaluator, NetworkFile};
use utoipa::ToSchema;

/// By which the network that comes with Kirin is asked for.
pub(crate) const BUILTIN: &str = "builtin";
/// By which a search without a network is asked for.
pub(crate) const NONE: &str = "none";
/// Evaluators kept ready.
const MOST_IDLE: usize = 4;

/// A network to choose.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Choice {
    /// By which it is asked for.
    pub id: String,
    /// Its name for people.
    pub title: String,
}

/// Evaluators that are ready.
#[derive(Default)]
pub(crate) struct Networks {
    /// Each with what identifies its file.
    idle: Mutex<Vec<(String, NetworkEvaluator)>>,
}

impl Networks {
    /// The networks of a variant, the one that comes with Kirin first, then the newest of each run.
    pub fn of(sources: &Sources, variant: VariantId) -> Vec<Choice> {
        let mut choices = Vec::new();
        if train::has_builtin(variant) {
            choices.push(Choice { id: BUILTIN.to_owned(), title: "the network that comes with Kirin".to_owned() });
        }
        for source in sources.all().into_iter().filter(|source| source.kind == Kind::Run) {
            let Some((generation, path)) = newest(&source.path) else { continue };
            let is_own = NetworkFile::read(&path).is_ok_and(|network| network.blueprint().variant == variant.id());
            if is_own {
                let title = format!("{}, network {generation}", source.id);
                choices.push(Choice { id: source.id, title });
            }
        }
        choices.push(Choice { id: NONE.to_owned(), title: "no network, only the rules".to_owned() });
        choices
    }

    /// Does `work` with the evaluator of a network: `builtin`, `none`, or the id of a run for its newest one.
    ///
    /// # Errors
    /// There is no such network, it plays another variant, or `work` fails.
    pub fn with<V: Variant, T>(
        &self,
        sources: &Sources,
        id: &str,
        work: impl FnOnce(&mut dyn Evaluator) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let variant: VariantId = V::ID.parse().map_err(ApiError::failed)?;
        if id == NONE {
            return work(&mut UniformEvaluator::new(1));
        }
        let (file, path) = match id {
            BUILTIN => {
                let network = train::builtin(variant).map_err(ApiError::failed)?;
                let none = || ApiError::Unknown(format!("no network of {variant} comes with Kirin"));
                (network.ok_or_else(none)?, PathBuf::from(BUILTIN))
            }
            run => {
                let source = sources.find(run, &[Kind::Run])?;
                let none = || ApiError::Unknown(format!("the run {run} has no network yet"));
                let (_, path) = newest(&source.path).ok_or_else(none)?;
                (NetworkFile::read(&path).map_err(ApiError::failed)?, path)
            }
        };
        file.require::<V>(&path).map_err(ApiError::wrong)?;
        let name = file.id().to_owned();
        let mut evaluator = match self.take(&name) {
            Some(evaluator) => evaluator,
            None => EvaluatorConfig::alone(&file)
                .and_then(|config| NetworkEvaluator::new(&file, &config))
                .map_err(ApiError::failed)?,
        };
        let done = work(&mut evaluator)?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((name, evaluator));
        if idle.len() > MOST_IDLE {
            idle.remove(0);
        }
        Ok(done)
    }

    fn take(&self, name: &str) -> Option<NetworkEvaluator> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle.iter().position(|(other, _)| other == name)?;
        Some(idle.remove(place).1)
    }
}

/// The newest network of a run and its generation.
fn newest(run: &Path) -> Option<(u32, PathBuf)> {
    lab::newest_network(&RunFolder::new(run).networks()).ok().flatten()
}
