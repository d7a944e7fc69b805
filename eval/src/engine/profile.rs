//! An engine that was started, asked and compared: what a match needs to start it again.

use super::config::EngineConfig;
use super::dialect::Dialect;
use super::error::EngineError;
use super::fault::Trouble;
use super::fitness::{self, Unfit};
use super::options::{self, EngineOption};
use super::process::Process;
use super::program;
use super::protocol::Protocol;
use super::session::{self, Engine, Introduction, Setup};
use crate::limit::Limit;
use rules::{Variant, VariantId};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempPath;

/// How long one protocol is tried when it has to be found out.
const TRIAL: Duration = Duration::from_secs(3);

/// What the option that chooses the variant is called.
const CHOOSERS: [&str; 3] = ["UCI_Variant", "USI_Variant", "UCCI_Variant"];

/// What the option that names a file of further variants is called (Fairy-Stockfish).
const VARIANT_PATH: &str = "VariantPath";

/// What to do about an engine that plays another game.
const FIX: &str = "use an engine that plays by these rules, for Fairy-Stockfish a current one with large boards and all \
                   variants (for example built from the sources of pyffish 0.0.90), or name its variant (variant=…)";

/// An engine that can take part in matches of one variant: it was found to play by its rules.
#[derive(Debug)]
pub struct EngineProfile {
    pub(super) setup: Setup,
    config: EngineConfig,
    variant: VariantId,
    limit: Limit,
    version: String,
    tested: String,
    identity: String,
    /// The file with the variant's definition, which is removed with this.
    _definition: Option<TempPath>,
}

impl EngineProfile {
    /// Starts the engine, sets it up for the variant, and compares its moves with ours. `limit` is that of the match,
    /// for an engine without its own. Ends early when `halt` says so.
    ///
    /// # Errors
    /// It cannot be started, does not speak, or does not play this game; the message says what to do.
    pub fn prepare(
        config: &EngineConfig,
        variant: VariantId,
        limit: Limit,
        halt: &dyn Fn() -> bool,
    ) -> Result<EngineProfile, EngineError> {
        rules::dispatch!(variant, V => Candidate { config, engine: config.title(), halt }.prepare::<V>(variant, limit))
    }

    /// Its settings.
    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// The variant it was set up for.
    pub fn variant(&self) -> VariantId {
        self.variant
    }

    /// The protocol it is talked to in.
    pub fn protocol(&self) -> Protocol {
        self.setup.protocol
    }

    /// How long it may think.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// What it calls itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// How its moves were compared with ours.
    pub fn tested(&self) -> &str {
        &self.tested
    }

    /// Digest of its program, 16 hex digits.
    pub fn identity(&self) -> &str {
        &self.identity
    }
}

/// An engine that is being tried.
struct Candidate<'a> {
    config: &'a EngineConfig,
    engine: String,
    halt: &'a dyn Fn() -> bool,
}

impl Candidate<'_> {
    fn prepare<V: Variant>(&self, variant: VariantId, limit: Limit) -> Result<EngineProfile, EngineError> {
        let mut complaints = Vec::new();
        self.config.complaints(&format!("engine {}", self.engine), &mut complaints);
        if !complaints.is_empty() {
            return Err(EngineError::Config(complaints.join("\n")));
        }
        let limit = if self.config.limit == Limit::Own { limit } else { self.config.limit };
        if limit == Limit::Own {
            return Err(EngineError::NoLimit { engine: self.engine.clone() });
        }
        let program = program::locate(&self.config.command).map_err(|fix| EngineError::Missing {
            engine: self.engine.clone(),
            command: self.config.command.clone(),
            fix,
        })?;
        let identity = program::digest(&program).map_err(|source| EngineError::File {
            engine: self.engine.clone(),
            path: program.clone(),
            source,
        })?;
        let (mut process, introduction, protocol) = self.introduce::<V>(&program)?;
        let version = if introduction.name.is_empty() { self.engine.clone() } else { introduction.name.clone() };
        let broken = |trouble: Trouble| self.broken(&version, &program, trouble);
        let mut commands = Vec::new();
        let (listed, definition) =
            self.choose_variant::<V>(&mut process, introduction, protocol, &version, &mut commands, &broken)?;
        for (name, value) in &self.config.options {
            commands.push(self.option(protocol, &listed, name, value)?);
        }
        let milliseconds = options::find(&listed, "usemillisec").is_some();
        if protocol == Protocol::Ucci && milliseconds {
            commands.push(protocol.set_option("usemillisec", "true"));
        }
        let setup = Setup {
            program: program.clone(),
            arguments: self.config.args.clone(),
            protocol,
            commands,
            new_game: protocol.new_game(options::find(&listed, "newgame").is_some()),
            milliseconds,
            handshake: Duration::from_millis(self.config.handshake_ms.into()),
            timeout: Duration::from_millis(self.config.timeout_ms.into()),
        };
        let mut engine = Engine::set_up(process, &setup, self.halt).map_err(broken)?;
        let dialect = Dialect::<V>::of(protocol).unwrap_or_default();
        let tested = fitness::check::<V>(&mut engine, dialect, self.halt).map_err(|unfit| match unfit {
            Unfit::Trouble(trouble) => self.broken(&version, &program, trouble),
            Unfit::Differs(difference) => EngineError::OtherGame {
                engine: self.engine.clone(),
                version: version.clone(),
                variant: V::ID,
                difference,
                fix: FIX,
            },
        })?;
        Ok(EngineProfile {
            setup,
            config: self.config.clone(),
            variant,
            limit,
            version,
            tested,
            identity,
            _definition: definition,
        })
    }

    /// Starts it in the first protocol that it answers.
    fn introduce<V: Variant>(&self, program: &Path) -> Result<(Process, Introduction, Protocol), EngineError> {
        let all = [Protocol::Uci, Protocol::Usi, Protocol::Ucci];
        let writable: Vec<Protocol> =
            all.into_iter().filter(|&protocol| Dialect::<V>::of(protocol).is_some()).collect();
        let named = |protocols: &[Protocol]| {
            protocols.iter().map(|protocol| protocol.to_string()).collect::<Vec<_>>().join(", ")
        };
        let mut allowed = Duration::from_millis(self.config.handshake_ms.into());
        let tried = match self.config.protocol {
            Protocol::Auto => {
                allowed = allowed.min(TRIAL);
                writable
            }
            protocol if writable.contains(&protocol) => vec![protocol],
            protocol => {
                return Err(EngineError::Protocol {
                    engine: self.engine.clone(),
                    variant: V::ID,
                    protocol: protocol.to_string(),
                    others: named(&writable),
                });
            }
        };
        let mut last = None;
        for &protocol in &tried {
            match session::introduce(program, &self.config.args, protocol, allowed, self.halt) {
                Ok((process, introduction)) => return Ok((process, introduction, protocol)),
                Err(Trouble::Fault(fault)) => last = Some(fault),
                Err(trouble) => return Err(self.broken("", program, trouble)),
            }
        }
        match last {
            Some(fault) => Err(EngineError::Handshake { engine: self.engine.clone(), tried: named(&tried), fault }),
            None => Err(EngineError::Stopped),
        }
    }

    /// Finds the commands that set the variant. One that the engine does not know is defined for it, if we have a
    /// definition. An engine that offers no choice has one game, and which that is shows in its moves.
    fn choose_variant<V: Variant>(
        &self,
        process: &mut Process,
        introduction: Introduction,
        protocol: Protocol,
        version: &str,
        commands: &mut Vec<String>,
        broken: &dyn Fn(Trouble) -> EngineError,
    ) -> Result<(Vec<EngineOption>, Option<TempPath>), EngineError> {
        let unknown = |variant: &str, hint: String| EngineError::UnknownVariant {
            engine: self.engine.clone(),
            version: version.to_owned(),
            variant: variant.to_owned(),
            hint,
        };
        let chooser = |options: &[EngineOption]| CHOOSERS.iter().find_map(|name| options::find(options, name)).cloned();
        let wanted = if self.config.variant.is_empty() { V::ID } else { &self.config.variant };
        let mut listed = introduction.options;
        let Some(mut option) = chooser(&listed) else {
            return match self.config.variant.as_str() {
                "" => Ok((listed, None)),
                _ => Err(unknown(wanted, "; it has no option UCI_Variant: leave `variant` out".to_owned())),
            };
        };
        let knows = |option: &EngineOption| option.choices.iter().any(|choice| choice == wanted);
        let mut definition = None;
        let own_path = self.config.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(VARIANT_PATH));
        let path_option = options::find(&listed, VARIANT_PATH).map(|option| option.name.clone());
        let path = match (path_option, own_path, V::FAIRY_STOCKFISH) {
            (Some(name), Some((_, path)), _) => Some((name, path.clone())),
            (Some(name), None, Some(text)) if !knows(&option) && wanted == V::ID => {
                let file = self.write_definition(V::ID, text)?;
                let path = file.display().to_string();
                definition = Some(file);
                Some((name, path))
            }
            _ => None,
        };
        if let Some((name, path)) = path {
            let command = protocol.set_option(&name, &path);
            let allowed = Duration::from_millis(self.config.handshake_ms.into());
            let again = session::ask_again(process, &command, protocol, allowed, self.halt).map_err(broken)?;
            commands.push(command);
            listed = again.options;
            option = chooser(&listed).unwrap_or(option);
        }
        if !knows(&option) {
            let hint = match (path_is_missing(&listed), V::FAIRY_STOCKFISH) {
                (true, Some(_)) => "; with an option VariantPath (Fairy-Stockfish) it could be taught".to_owned(),
                _ => {
                    let near: Vec<&str> =
                        option.choices.iter().map(String::as_str).filter(|choice| choice.contains(wanted)).collect();
                    let list = if near.is_empty() { option.choices.iter().map(String::as_str).collect() } else { near };
                    format!("; name one that it has (variant=…): {}", list[..list.len().min(200)].join(", "))
                }
            };
            return Err(unknown(wanted, hint));
        }
        commands.push(protocol.set_option(&option.name, wanted));
        Ok((listed, definition))
    }

    fn write_definition(&self, id: &str, text: &str) -> Result<TempPath, EngineError> {
        let fault = |source| EngineError::File { engine: self.engine.clone(), path: std::env::temp_dir(), source };
        let prefix = format!("kirin-{id}-");
        let mut file = tempfile::Builder::new().prefix(&prefix).suffix(".ini").tempfile().map_err(fault)?;
        file.write_all(text.as_bytes()).map_err(fault)?;
        Ok(file.into_temp_path())
    }

    /// The command that sets one of its own options.
    fn option(
        &self,
        protocol: Protocol,
        listed: &[EngineOption],
        name: &str,
        value: &str,
    ) -> Result<String, EngineError> {
        let refused = |reason| EngineError::Option { engine: self.engine.clone(), option: name.to_owned(), reason };
        let Some(option) = options::find(listed, name) else {
            let names: Vec<&str> = listed.iter().map(|option| option.name.as_str()).take(100).collect();
            return Err(refused(format!("it has none of this name; it has: {}", names.join(", "))));
        };
        option.check(value).map_err(|fitting| refused(format!("{value:?} is no value for it; {fitting}")))?;
        Ok(protocol.set_option(&option.name, value))
    }

    fn broken(&self, version: &str, program: &Path, trouble: Trouble) -> EngineError {
        let engine = self.engine.clone();
        match trouble {
            Trouble::Halted => EngineError::Stopped,
            Trouble::Refused(source) => EngineError::Start { engine, program: PathBuf::from(program), source },
            Trouble::Fault(fault) => EngineError::Broken { engine, version: version.to_owned(), fault },
        }
    }
}

fn path_is_missing(listed: &[EngineOption]) -> bool {
    options::find(listed, VARIANT_PATH).is_none()
}
