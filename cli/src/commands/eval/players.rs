//! From an argument of the command line to a player that is ready to play.

use crate::commands::network;
use crate::failure::input;
use anyhow::Context as _;
use clap::builder::{OsStringValueParser, TypedValueParser};
use engine::{EngineConfig, EngineProfile, Limit};
use eval::benchmark::ReferenceLadder;
use eval::players::{PlayerKind, Temperature};
use eval::{MatchConfig, PlayerConfig, PlayerId, PlayerSpec};
use lab::{EvaluatedBefore, match_evaluator, network_player};
use rules::VariantId;
use search::SearchConfig;
use serde::Deserialize;
use settings::Complaints;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use train::{EvaluatorConfig, NetworkFile, Workload};

/// Largest file of engines that is read, bytes.
const MOST_ENGINES_BYTES: u64 = 1 << 20;

/// Reads a player on the command line.
pub fn parser() -> impl TypedValueParser<Value = PlayerSpec> {
    OsStringValueParser::new().try_map(|text| PlayerSpec::of_argument(&text))
}

/// A file of engines.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engines {
    #[serde(default)]
    engine: Vec<EngineConfig>,
}

impl Engines {
    /// Reads and checks a file; without a file there are no engines.
    ///
    /// # Errors
    /// The file cannot be read or is not TOML, or [`Failure::Input`](crate::failure::Failure::Input) with every
    /// complaint.
    pub fn read(file: Option<&Path>) -> anyhow::Result<Engines> {
        let Some(file) = file else { return Ok(Engines::default()) };
        let name = file.display();
        let text = data::bounded::read_named_text(file, MOST_ENGINES_BYTES)
            .with_context(|| format!("cannot read the engines in {name}"))?;
        let engines: Engines = toml::from_str(&text)
            .map_err(|error| input(format!("{name}: {}", settings::in_words(&error.to_string()))))?;
        let mut complaints = Complaints::default();
        for (number, engine) in engines.engine.iter().enumerate() {
            complaints.section(&format!("engine {}", number + 1), |complaints| {
                engine.check(complaints);
                if engine.name.is_empty() {
                    complaints.say("name", "empty; give the engine a name");
                }
                if engines.engine[..number].iter().any(|other| other.name == engine.name) {
                    complaints.say("name", format!("another engine has the name {:?} too", engine.name));
                }
            });
        }
        let listed =
            |complaints: Complaints| input(format!("{name}: {}", complaints.to_string().replace('\n', "\n  ")));
        complaints.into_result().map(|()| engines).map_err(listed)
    }

    /// The engine of an argument: one of the file, or a program. If the argument changes its limit, the name shows it.
    fn find(&self, program: &str, settings: &str) -> anyhow::Result<EngineConfig> {
        let listed = self.engine.iter().find(|engine| engine.name == program).cloned();
        let is_listed = listed.is_some();
        let engine = listed.unwrap_or_else(|| EngineConfig { command: program.to_owned(), ..EngineConfig::default() });
        let limit = engine.limit;
        let mut engine = engine.with_settings(settings)?;
        if is_listed && engine.limit != limit && engine.name == program {
            engine.name = format!("{program} {}", engine.limit);
        }
        Ok(engine)
    }

    /// The name that the player of an argument will have in tables.
    fn title(&self, spec: &PlayerSpec) -> anyhow::Result<String> {
        match spec {
            PlayerSpec::Engine { program, settings } => Ok(self.find(program, settings)?.title()),
            other => Ok(other.to_string()),
        }
    }

    /// Checks that all players have names of their own, before any of them is loaded.
    ///
    /// # Errors
    /// Two players have the same name.
    pub fn require_distinct_names(&self, players: &[&PlayerSpec]) -> anyhow::Result<()> {
        let titles = players.iter().map(|player| self.title(player)).collect::<anyhow::Result<Vec<_>>>()?;
        for (number, title) in titles.iter().enumerate() {
            if titles[..number].contains(title) {
                let fix = match players[number] {
                    PlayerSpec::Engine { program, .. } => {
                        format!("give one of them another, for example engine:{program}?name=other")
                    }
                    _ => "each player can take part once".to_owned(),
                };
                return Err(input(format!("two players have the name {title:?}; {fix}")));
            }
        }
        Ok(())
    }
}

/// The variant of a match: the one that was given, or that of the first network among the players.
///
/// # Errors
/// There is neither, or the network cannot be read.
pub fn variant(given: Option<VariantId>, players: &[&PlayerSpec]) -> anyhow::Result<VariantId> {
    if let Some(variant) = given {
        return Ok(variant);
    }
    let networks = players.iter().find_map(|player| match player {
        PlayerSpec::Network { path, .. } => Some((*player, path)),
        _ => None,
    });
    match networks {
        Some((spec, path)) => {
            let path = network::find(existing(spec, path)?)?;
            network::variant_of(&NetworkFile::read(&path)?, &path)
        }
        None => Err(input("no variant is given; add --variant, or a network file as a player")),
    }
}

/// The path of a network player, if there is something.
fn existing<'a>(spec: &PlayerSpec, path: &'a Path) -> anyhow::Result<&'a Path> {
    if path.exists() {
        return Ok(path);
    }
    Err(input(format!(
        "{spec} is not a player: it is neither random, greedy, mcts:PLAYOUTS, builtin, level:NUMBER or engine:PROGRAM, nor a \
         network file or run folder that exists"
    )))
}

/// What the players of a match depend on.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The variant of the match.
    pub variant: VariantId,
    /// The settings of the match.
    pub config: &'a MatchConfig,
    /// The engines of the file that the command line names.
    pub engines: &'a Engines,
    /// Set when a signal asks to stop.
    pub stop: &'a AtomicBool,
}

/// How much a network thinks.
#[derive(Clone, Copy)]
struct Effort {
    /// Visits a move; 0 for the number of the match.
    visits: u32,
    /// The temperature of a weakened player.
    temperature: Option<Temperature>,
    /// Whether it is a player of the ladder, whose search is the same in all matches.
    is_fixed: bool,
}

impl Effort {
    fn of(visits: u32) -> Effort {
        Effort { visits, temperature: None, is_fixed: false }
    }
}

/// A player that is known, before it is known how its network is to be evaluated.
enum Entrant {
    Ready(PlayerConfig),
    Network { name: String, file: NetworkFile, effort: Effort },
}

impl Context<'_> {
    /// The players of these arguments, each with a short name of its own. A network is loaded and checked; an engine is
    /// started and its moves are compared with our rules. `before` is told who the players are, and says how networks were
    /// evaluated if the match is resumed.
    ///
    /// # Errors
    /// Two arguments mean the same player, or one of the players cannot be had.
    pub fn players(
        &self,
        specs: &[&PlayerSpec],
        before: impl FnOnce(&[PlayerConfig]) -> EvaluatedBefore,
    ) -> anyhow::Result<Vec<PlayerConfig>> {
        let entrants = specs.iter().map(|spec| self.entrant(spec)).collect::<anyhow::Result<Vec<_>>>()?;
        let sketches = entrants.iter().map(|entrant| self.sketch(entrant)).collect();
        let sketches = PlayerConfig::told_apart(sketches, self.config.limit);
        let ids: Vec<PlayerId> = sketches.iter().map(|player| player.id(self.config.limit)).collect();
        for (number, id) in ids.iter().enumerate() {
            // Engines may be named twice, and then have names of their own.
            if let (Some(other), Entrant::Network { .. }) =
                (ids[..number].iter().position(|other| other == id), &entrants[number])
            {
                return Err(input(format!(
                    "{} and {} are the same player; each player can take part once",
                    specs[other], specs[number]
                )));
            }
        }
        let before = before(&sketches);
        let named = |(entrant, sketch): (Entrant, &PlayerConfig)| {
            let player_config = self.finish(entrant, &before)?;
            let name = match player_config.kind {
                PlayerKind::Network { .. } => sketch.name.clone(),
                _ => player_config.name.clone(),
            };
            Ok(PlayerConfig { name, ..player_config })
        };
        entrants.into_iter().zip(&sketches).map(named).collect()
    }

    /// The player of an argument alone.
    ///
    /// # Errors
    /// As [`players`](Self::players).
    pub fn player_config(&self, spec: &PlayerSpec, before: &EvaluatedBefore) -> anyhow::Result<PlayerConfig> {
        self.finish(self.entrant(spec)?, before)
    }

    fn entrant(&self, spec: &PlayerSpec) -> anyhow::Result<Entrant> {
        match spec {
            PlayerSpec::Engine { program, settings } => self.engine(program, settings).map(Entrant::Ready),
            PlayerSpec::Network { path, visits } => {
                let path = network::file(existing(spec, path)?)?;
                let (file, _) = network::read(&path, Some(self.variant))?;
                // Named by its file, because a run folder stands for another network later; however the path is spelt.
                let path = std::fs::canonicalize(&path).unwrap_or(path);
                let name = eval::network_name(&path.to_string_lossy());
                Ok(Entrant::Network { name, file, effort: Effort::of(*visits) })
            }
            PlayerSpec::Builtin { visits, temperature } => {
                let effort = Effort { temperature: *temperature, ..Effort::of(*visits) };
                self.builtin("builtin".to_owned(), effort)
            }
            PlayerSpec::Level { number } => {
                let level = ReferenceLadder::level(self.variant, *number).map_err(|error| input(error.to_string()))?;
                let effort = Effort { visits: level.visits, temperature: level.temperature, is_fixed: true };
                self.builtin(format!("level {number}"), effort)
            }
            PlayerSpec::Random => Ok(Entrant::Ready(PlayerConfig::random())),
            PlayerSpec::Greedy => Ok(Entrant::Ready(PlayerConfig::greedy())),
            PlayerSpec::Mcts { playouts } => Ok(Entrant::Ready(PlayerConfig::mcts(*playouts))),
        }
    }

    fn builtin(&self, name: String, effort: Effort) -> anyhow::Result<Entrant> {
        let file = train::builtin(self.variant)?;
        let file = file.ok_or_else(|| input(format!("no network of {} comes with Kirin", self.variant)))?;
        Ok(Entrant::Network { name, file, effort })
    }

    fn engine(&self, program: &str, settings: &str) -> anyhow::Result<PlayerConfig> {
        let config = self.engines.find(program, settings)?;
        let halt = || self.stop.load(Ordering::Relaxed);
        let profile = EngineProfile::prepare(&config, self.variant, self.config.limit, &halt)?;
        let (name, protocol) = (config.title(), profile.protocol());
        eprintln!("{name}: {} over {protocol}, {}; {}", profile.version(), profile.limit(), profile.rules_check());
        Ok(PlayerConfig::engine(profile))
    }

    /// Who the player is; a network cannot play yet.
    fn sketch(&self, entrant: &Entrant) -> PlayerConfig {
        match entrant {
            Entrant::Ready(player_config) => player_config.clone(),
            Entrant::Network { name, file, effort } => {
                self.network(name.clone(), file.clone(), *effort, &EvaluatorConfig::default())
            }
        }
    }

    fn finish(&self, entrant: Entrant, before: &EvaluatedBefore) -> anyhow::Result<PlayerConfig> {
        let (name, file, effort) = match entrant {
            Entrant::Ready(player_config) => return Ok(player_config),
            Entrant::Network { name, file, effort } => (name, file, effort),
        };
        let load =
            Workload { threads: self.config.threads.max(1) as usize, leaves: 2 * self.config.pairs.max(1) as usize };
        let evaluator = match before.of(&file) {
            Some(evaluator) => evaluator.clone(),
            None => match_evaluator(self.config.pairs, &EvaluatorConfig::default().for_network(&file, load)?.0),
        };
        Ok(self.network(name, file, effort, &evaluator))
    }

    fn network(&self, name: String, file: NetworkFile, effort: Effort, evaluator: &EvaluatorConfig) -> PlayerConfig {
        let Effort { visits, temperature, is_fixed } = effort;
        let own = if visits == 0 { Limit::Own } else { Limit::Nodes(visits.into()) };
        let defaults = MatchConfig::default();
        let config = if is_fixed { &defaults } else { self.config };
        let visits = if visits == 0 { self.config.visits } else { visits };
        let search = SearchConfig { visits, ..config.search(&SearchConfig::default()) };
        let player = network_player(name, file, &search, evaluator).with_limit(own);
        temperature.map_or(player.clone(), |temperature| player.at(temperature))
    }
}
