//! From a word on the command line to a player who is ready to play.

use crate::failure::input;
use crate::run::stages::matches::network_player;
use anyhow::Context as _;
use eval::{Contender, EngineConfig, EngineProfile, Limit, MatchConfig, PlayerSpec};
use rules::VariantId;
use selfplay::SearchConfig;
use serde::Deserialize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use train::{EvaluatorConfig, Load, NetworkFile};

/// A file of engines.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engines {
    #[serde(default)]
    engine: Vec<EngineConfig>,
}

impl Engines {
    /// Reads and checks a file; none is no engines.
    pub fn read(file: Option<&Path>) -> anyhow::Result<Engines> {
        let Some(file) = file else { return Ok(Engines::default()) };
        let name = file.display();
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read the engines in {name}"))?;
        let engines: Engines = toml::from_str(&text).map_err(|error| input(format!("{name}: {error}")))?;
        let mut complaints = Vec::new();
        for (number, engine) in engines.engine.iter().enumerate() {
            let at = format!("engine {}", number + 1);
            engine.complaints(&at, &mut complaints);
            if engine.name.is_empty() {
                complaints.push(format!("{at}.name: empty; a name by which to call it"));
            }
            if engines.engine[..number].iter().any(|other| other.name == engine.name) {
                complaints.push(format!("{at}.name: {:?} is the name of another engine too", engine.name));
            }
        }
        if complaints.is_empty() { Ok(engines) } else { Err(input(format!("{name}: {}", complaints.join("\n  ")))) }
    }

    /// The engine of a word: one of the file, or a program. A limit that the word changes shows in the name.
    fn find(&self, program: &str, settings: &str) -> anyhow::Result<EngineConfig> {
        let listed = self.engine.iter().find(|engine| engine.name == program).cloned();
        let known = listed.is_some();
        let engine = listed.unwrap_or_else(|| EngineConfig { command: program.to_owned(), ..EngineConfig::default() });
        let limit = engine.limit;
        let mut engine = engine.with_settings(settings).map_err(input)?;
        if known && engine.limit != limit && engine.name == program {
            engine.name = format!("{program} {}", engine.limit);
        }
        Ok(engine)
    }
}

/// What players of a match depend on.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub variant: VariantId,
    pub config: &'a MatchConfig,
    pub engines: &'a Engines,
    pub stop: &'a AtomicBool,
}

impl Context<'_> {
    /// The player of a word. A network is loaded and checked, an engine started and compared with our rules.
    pub fn contender(&self, spec: &PlayerSpec) -> anyhow::Result<Contender> {
        if let Some(contender) = Contender::of_word(spec) {
            return Ok(contender);
        }
        match spec {
            PlayerSpec::Engine { program, settings } => self.engine(program, settings),
            PlayerSpec::Network { path, visits } => self.network(spec, Path::new(path), *visits),
            _ => Err(input(format!("{spec} is no player"))),
        }
    }

    fn engine(&self, program: &str, settings: &str) -> anyhow::Result<Contender> {
        let config = self.engines.find(program, settings)?;
        let halt = || self.stop.load(Ordering::Relaxed);
        let profile = EngineProfile::prepare(&config, self.variant, self.config.limit, &halt)?;
        let (name, protocol) = (config.title(), profile.protocol());
        eprintln!("{name}: {} over {protocol}, {}; {}", profile.version(), profile.limit(), profile.tested());
        Ok(Contender::engine(profile))
    }

    fn network(&self, spec: &PlayerSpec, path: &Path, visits: u32) -> anyhow::Result<Contender> {
        if !path.exists() {
            return Err(input(format!(
                "{spec} is no player: neither random, greedy, mcts:PLAYOUTS or engine:PROGRAM nor a network file that \
                 exists"
            )));
        }
        let file = NetworkFile::read(path)?;
        rules::dispatch!(self.variant, V => file.require::<V>(path))?;
        let load = Load { threads: self.config.threads.max(1) as usize, leaves: 2 * self.config.pairs.max(1) as usize };
        let evaluator = EvaluatorConfig::default().resolve(&file, load)?;
        let own = if visits == 0 { Limit::Own } else { Limit::Nodes(visits.into()) };
        let visits = if visits == 0 { self.config.visits } else { visits };
        let search = SearchConfig { visits, ..SearchConfig::default() };
        Ok(network_player(spec.to_string(), file, &search, &evaluator, self.config.pairs).with_limit(own))
    }
}
