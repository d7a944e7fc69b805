//! The subcommands, a file each.

pub mod analyse;
pub mod bench;
pub mod engine;
pub mod eval;
pub mod openings;
pub mod perft;
pub mod play;
pub mod report;
pub mod run;
pub mod selfplay;
pub mod show;
pub mod train;

use crate::failure::input;
use ::train::NetworkFile;
use anyhow::Context;
use rules::{Game, MoveError, Notation, Position, Rules, Variant, VariantId};
use std::path::Path;
use std::str::FromStr;

/// Parses a variant's name for clap, naming the nearest on a typo.
pub fn variant(text: &str) -> Result<VariantId, String> {
    VariantId::from_str(text).map_err(|error| {
        match crate::run::config::nearest(text, VariantId::ALL.iter().map(|id| id.id())) {
            Some(near) => format!("{error}; did you mean {near}?"),
            None => error.to_string(),
        }
    })
}

/// Reads a network and the variant it plays, which must be `variant` if that is given.
pub fn network(path: &Path, variant: Option<VariantId>) -> anyhow::Result<(NetworkFile, VariantId)> {
    let network = NetworkFile::read(path)?;
    let own = || network.blueprint().variant.parse().with_context(|| format!("network {}", path.display()));
    let variant = variant.map_or_else(own, Ok)?;
    rules::dispatch!(variant, V => network.require::<V>(path))?;
    Ok((network, variant))
}

/// The network of the option `--net`, if it is given, and the variant of `--variant` or else the network's.
pub fn subject(net: Option<&Path>, variant: Option<VariantId>) -> anyhow::Result<(Option<NetworkFile>, VariantId)> {
    match (net, variant) {
        (Some(path), variant) => network(path, variant).map(|(network, variant)| (Some(network), variant)),
        (None, Some(variant)) => Ok((None, variant)),
        (None, None) => Err(input("which variant? give --variant or --net")),
    }
}

/// A position from the option `--fen`, in any of the variant's formats; the start if it is not given.
pub fn position<V: Variant>(text: Option<&str>) -> anyhow::Result<Position<V>> {
    Ok(text.map_or_else(|| Ok(Position::start()), Position::from_text)?)
}

/// A game from the options `--fen`, `--ruleset`, `--moves` and `--notation`.
pub fn game<V: Variant>(
    fen: Option<&str>,
    ruleset: Option<&str>,
    moves: &str,
    notation: &Notation<V>,
) -> anyhow::Result<Game<V>> {
    let rules = ruleset.map_or(Ok(Rules::<V>::default()), Rules::named)?;
    let mut game = Game::from_position(rules, position(fen)?);
    for (at, text) in moves.split_whitespace().enumerate() {
        let read = notation.read(game.position(), text);
        let mv = read
            .map_err(|error| in_another(error, game.position(), text))
            .with_context(|| format!("move {}", at + 1))?;
        game.play(mv);
    }
    Ok(game)
}

/// The error for a move that is none in the notation asked for; it names the notation in which it is one.
fn in_another<V: Variant>(error: MoveError, position: &Position<V>, text: &str) -> anyhow::Error {
    match V::NOTATIONS.iter().find(|other| other.read(position, text).is_ok()) {
        Some(other) if matches!(error, MoveError::Malformed(..)) => {
            anyhow::Error::new(error).context(format!("{text} is in another notation: say --notation {}", other.name))
        }
        _ => error.into(),
    }
}
