//! An engine that was started, configured and checked: what a match needs to start it again.

use super::config::{DEFAULT_HANDSHAKE_MS, EngineConfig, ProtocolChoice};
use super::definition::variant_definition;
use super::error::EngineError;
use super::fault::EngineFailure;
use super::process::Process;
use super::program;
use super::rules_check::{self, RulesCheckError};
use super::session::{self, Engine, Handshake, LaunchSettings};
use crate::limit::Limit;
use crate::protocol::{Dialect, EngineOption, GameNotation, GuiCommand, Protocol};
use rules::{Variant, VariantId};
use settings::Complaints;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempPath;

/// How long each of several protocols is tried, unless the configuration gives an engine more time than the default.
const PROTOCOL_TRIAL: Duration = Duration::from_secs(3);

/// Names of the option that selects the variant.
const VARIANT_OPTIONS: [&str; 3] = ["UCI_Variant", "USI_Variant", "UCCI_Variant"];

/// Name of the option for a file of further variants (Fairy-Stockfish).
const VARIANT_PATH: &str = "VariantPath";

/// What to do about an engine that plays another game.
const FIX: &str = "use an engine that plays by these rules, for Fairy-Stockfish a current one with large boards and all \
                   variants (for example built from the sources of pyffish 0.0.90), or name its variant (variant=…)";

/// An engine that can take part in matches of one variant: its legal moves agree with our rules.
#[derive(Debug)]
pub struct EngineProfile {
    pub(super) launch: LaunchSettings,
    config: EngineConfig,
    variant: VariantId,
    limit: Limit,
    version: String,
    rules_check: String,
    identity: String,
    /// The file with the variant's definition; dropping it removes the file.
    _definition: Option<TempPath>,
}

impl EngineProfile {
    /// Starts the engine, configures it for the variant, and compares its legal moves with ours. `limit` is that of the
    /// match, for an engine that has none of its own. Returns early once `halt` returns true.
    ///
    /// # Errors
    /// The engine cannot be started, does not answer, or plays by other rules; the message says what to do.
    pub fn prepare(
        config: &EngineConfig,
        variant: VariantId,
        limit: Limit,
        halt: &dyn Fn() -> bool,
    ) -> Result<EngineProfile, EngineError> {
        rules::dispatch!(variant, V => ProbedEngine { config, engine: config.title(), halt }.prepare::<V>(variant, limit))
    }

    /// The settings it was started with.
    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// The variant it was configured for.
    pub fn variant(&self) -> VariantId {
        self.variant
    }

    /// The protocol it speaks.
    pub fn protocol(&self) -> Protocol {
        self.launch.dialect.protocol
    }

    /// How long it may think about a move.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Its own name and version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// How its legal moves were compared with ours, in words.
    pub fn rules_check(&self) -> &str {
        &self.rules_check
    }

    /// BLAKE3 of its program, 16 hex digits.
    pub fn identity(&self) -> &str {
        &self.identity
    }
}

/// An engine that is being tried.
struct ProbedEngine<'a> {
    config: &'a EngineConfig,
    engine: String,
    halt: &'a dyn Fn() -> bool,
}

/// The result of setting the variant.
struct VariantSetup {
    /// The commands that set it.
    commands: Vec<GuiCommand>,
    /// The engine's options after that.
    options: Vec<EngineOption>,
    /// The file that defines the variant, if one was needed.
    definition: Option<TempPath>,
}

impl ProbedEngine<'_> {
    fn prepare<V: Variant>(&self, variant: VariantId, limit: Limit) -> Result<EngineProfile, EngineError> {
        let mut complaints = Complaints::default();
        complaints.section(&format!("engine {}", self.engine), |complaints| self.config.check(complaints));
        complaints.into_result()?;
        let limit = if self.config.limit == Limit::Own { limit } else { self.config.limit };
        if limit == Limit::Own {
            return Err(EngineError::NoLimit { engine: self.engine.clone() });
        }
        let program = program::locate(&self.config.command).map_err(|missing| EngineError::Missing {
            engine: self.engine.clone(),
            command: self.config.command.clone(),
            fix: missing.fix,
            source: missing.source,
        })?;
        let identity = program::digest(&program).map_err(|source| EngineError::File {
            engine: self.engine.clone(),
            path: program.clone(),
            source,
        })?;
        let (mut process, handshake, protocol) = self.start::<V>(&program)?;
        let version = if handshake.name.is_empty() { self.engine.clone() } else { handshake.name.clone() };
        let failed = |failure: EngineFailure| self.failed(&version, &program, failure);
        let dialect = Dialect::new(protocol);
        let VariantSetup { mut commands, options, definition } =
            self.select_variant(variant, &mut process, handshake, dialect, &version, &failed)?;
        for (name, value) in &self.config.options {
            commands.push(self.option(&options, name, value)?);
        }
        let has = |name: &str| find(&options, name).is_some();
        let in_milliseconds = protocol == Protocol::Ucci && has("usemillisec");
        if in_milliseconds {
            commands.push(GuiCommand::SetOption { name: "usemillisec".to_owned(), value: "true".to_owned() });
        }
        let new_game = if protocol == Protocol::Ucci && has("newgame") {
            GuiCommand::SetOption { name: "newgame".to_owned(), value: String::new() }
        } else {
            GuiCommand::NewGame
        };
        let launch = LaunchSettings {
            program: program.clone(),
            arguments: self.config.args.clone(),
            dialect: if in_milliseconds { dialect.with_milliseconds() } else { dialect },
            commands,
            new_game,
            handshake: Duration::from_millis(self.config.handshake_ms.into()),
            timeout: Duration::from_millis(self.config.timeout_ms.into()),
        };
        let engine = Engine::configure(process, &launch, self.halt).map_err(failed)?;
        let notation = GameNotation::<V>::of(protocol).unwrap_or_default();
        let rules_check = rules_check::check::<V>(engine, notation, self.halt).map_err(|error| match error {
            RulesCheckError::Failure(failure) => self.failed(&version, &program, failure),
            RulesCheckError::Differs(difference) => EngineError::OtherGame {
                engine: self.engine.clone(),
                version: version.clone(),
                variant: V::ID,
                difference,
                fix: FIX,
            },
        })?;
        Ok(EngineProfile {
            launch,
            config: self.config.clone(),
            variant,
            limit,
            version,
            rules_check,
            identity,
            _definition: definition,
        })
    }

    /// Starts it in the first protocol that it answers.
    fn start<V: Variant>(&self, program: &Path) -> Result<(Process, Handshake, Protocol), EngineError> {
        let possible: Vec<Protocol> =
            Protocol::ALL.into_iter().filter(|&protocol| GameNotation::<V>::of(protocol).is_some()).collect();
        let mut allowed = Duration::from_millis(self.config.handshake_ms.into());
        let tried = match self.config.protocol {
            ProtocolChoice::Auto => {
                if possible.len() > 1 && self.config.handshake_ms <= DEFAULT_HANDSHAKE_MS {
                    allowed = allowed.min(PROTOCOL_TRIAL);
                }
                possible
            }
            ProtocolChoice::Fixed(protocol) if possible.contains(&protocol) => vec![protocol],
            ProtocolChoice::Fixed(protocol) => {
                return Err(EngineError::Protocol {
                    engine: self.engine.clone(),
                    variant: V::ID,
                    protocol,
                    others: possible,
                });
            }
        };
        let mut last = None;
        for &protocol in &tried {
            let dialect = Dialect::new(protocol);
            match session::start(program, &self.config.args, dialect, allowed, self.halt) {
                Ok((process, handshake)) => return Ok((process, handshake, protocol)),
                Err(EngineFailure::Fault(fault)) => last = Some(fault),
                Err(failure) => return Err(self.failed("", program, failure)),
            }
        }
        match last {
            Some(source) => Err(EngineError::Handshake { engine: self.engine.clone(), tried, source }),
            None => Err(EngineError::Stopped),
        }
    }

    /// Finds the commands that set the variant. A variant that the engine does not know is defined for it, if we have a
    /// definition. An engine without a choice of variants has one game, and the check of its moves shows which.
    fn select_variant(
        &self,
        variant: VariantId,
        process: &mut Process,
        handshake: Handshake,
        dialect: Dialect,
        version: &str,
        failed: &dyn Fn(EngineFailure) -> EngineError,
    ) -> Result<VariantSetup, EngineError> {
        let unknown = |variant: &str, fix: String| EngineError::UnknownVariant {
            engine: self.engine.clone(),
            version: version.to_owned(),
            variant: variant.to_owned(),
            fix,
        };
        let variant_option =
            |options: &[EngineOption]| VARIANT_OPTIONS.iter().find_map(|name| find(options, name)).cloned();
        let wanted = if self.config.variant.is_empty() { variant.id() } else { &self.config.variant };
        let mut options = handshake.options;
        let mut commands = Vec::new();
        let Some(mut option) = variant_option(&options) else {
            return match self.config.variant.as_str() {
                "" => Ok(VariantSetup { commands, options, definition: None }),
                _ => Err(unknown(wanted, "it has no option UCI_Variant: leave `variant` out".to_owned())),
            };
        };
        let knows = |option: &EngineOption| option.choices().iter().any(|choice| choice == wanted);
        let known_definition = variant_definition(variant);
        let mut definition = None;
        let own_path = self.config.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(VARIANT_PATH));
        let path_option = find(&options, VARIANT_PATH).map(|option| option.name.clone());
        let path = match (path_option, own_path, known_definition) {
            (Some(name), Some((_, path)), _) => Some((name, path.clone())),
            (Some(name), None, Some(text)) if !knows(&option) && wanted == variant.id() => {
                let file = self.write_definition(variant.id(), text)?;
                let path = file.display().to_string();
                definition = Some(file);
                Some((name, path))
            }
            _ => None,
        };
        if let Some((name, value)) = path {
            let command = GuiCommand::SetOption { name, value };
            let allowed = Duration::from_millis(self.config.handshake_ms.into());
            let again = session::set_and_list_again(process, &command, dialect, allowed, self.halt).map_err(failed)?;
            commands.push(command);
            options = again.options;
            option = variant_option(&options).unwrap_or(option);
        }
        if !knows(&option) {
            let fix = match (find(&options, VARIANT_PATH), known_definition) {
                (None, Some(_)) => {
                    "an engine with the option VariantPath (Fairy-Stockfish) could be given a definition".to_owned()
                }
                _ => {
                    let all: Vec<&str> = option.choices().iter().map(String::as_str).collect();
                    let near: Vec<&str> = all.iter().copied().filter(|choice| choice.contains(wanted)).collect();
                    let list = if near.is_empty() { all } else { near };
                    format!("choose one that it has (variant=…): {}", list[..list.len().min(200)].join(", "))
                }
            };
            return Err(unknown(wanted, fix));
        }
        commands.push(GuiCommand::SetOption { name: option.name, value: wanted.to_owned() });
        Ok(VariantSetup { commands, options, definition })
    }

    fn write_definition(&self, id: &str, text: &str) -> Result<TempPath, EngineError> {
        let fault = |source| EngineError::File { engine: self.engine.clone(), path: std::env::temp_dir(), source };
        let prefix = format!("kirin-{id}-");
        let mut file = tempfile::Builder::new().prefix(&prefix).suffix(".ini").tempfile().map_err(fault)?;
        file.write_all(text.as_bytes()).map_err(fault)?;
        Ok(file.into_temp_path())
    }

    /// The command that sets one of its own options.
    fn option(&self, options: &[EngineOption], name: &str, value: &str) -> Result<GuiCommand, EngineError> {
        let refused = |reason| EngineError::Option { engine: self.engine.clone(), option: name.to_owned(), reason };
        let Some(option) = find(options, name) else {
            let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).take(100).collect();
            return Err(refused(format!("the engine has no such option; it has {}", names.join(", "))));
        };
        option.check(value).map_err(|values| refused(format!("{value:?} is not a value of it; give {values}")))?;
        Ok(GuiCommand::SetOption { name: option.name.clone(), value: value.to_owned() })
    }

    fn failed(&self, version: &str, program: &Path, failure: EngineFailure) -> EngineError {
        let engine = self.engine.clone();
        match failure {
            EngineFailure::Halted => EngineError::Stopped,
            EngineFailure::Refused(source) => EngineError::Start { engine, program: PathBuf::from(program), source },
            EngineFailure::Fault(source) => EngineError::Failed { engine, version: version.to_owned(), source },
        }
    }
}

/// The option of that name, whatever its case.
fn find<'a>(options: &'a [EngineOption], name: &str) -> Option<&'a EngineOption> {
    options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
}
