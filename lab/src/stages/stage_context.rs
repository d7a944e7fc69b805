//! The context of every stage of a run.

use crate::about::Ancestor;
use crate::config::Config;
use crate::error::Result;
use crate::folder::RunFolder;
use crate::host::Host;
use crate::observer::Notice;
use data::{DataStore, Provenance};
use rules::{Rules, Variant};
use train::{EvaluatorConfig, NetworkFile};

/// An open run without its plan and record: what stages need and do not change.
pub struct StageContext<V: Variant> {
    /// The program.
    pub host: Host,
    /// Where the files are.
    pub folder: RunFolder,
    /// The configuration, with every open setting chosen.
    pub config: Config,
    /// The rule set.
    pub rules: Rules<V>,
    /// Games and positions.
    pub store: DataStore,
    /// What shards say of the program and the settings that made them.
    pub provenance: Provenance,
    /// The name of the run in its data.
    pub run_id: String,
    /// The run that this one began from; `None` if its network 0 is untrained.
    pub ancestor: Option<Ancestor>,
    /// Evaluations a second that were measured when the run began ([`About`](crate::about::About)).
    pub measured_rate: Option<f64>,
}

impl<V: Variant> StageContext<V> {
    /// Threads to work with.
    pub fn threads(&self) -> usize {
        settings::threads(self.config.run.threads)
    }

    /// The settings for evaluating a network of the run. It checks again whether int8 or bf16 is precise enough for this network.
    ///
    /// # Errors
    /// The network cannot be prepared.
    pub fn evaluator(&self, network: u32, file: &NetworkFile) -> Result<EvaluatorConfig> {
        let (evaluator, error) = train::trusted(file, &self.config.evaluator)?;
        if let Some(error) = error {
            self.host.observer.notice(&Notice::EvaluatedInFp32 { network, error });
        }
        Ok(evaluator)
    }
}
