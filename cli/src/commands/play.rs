//! `kirin play`: a person against the network, in the terminal.

mod dialogue;
mod opponent;

use clap::Args;
use dialogue::Dialogue;
use opponent::Opponent;
use rules::{Notation, Side, Variant, VariantId};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// Play a game against a network in the terminal.
///
/// Type your moves in UCI or in --notation; `help` lists the other commands.
///
/// Without --net the opponent is the network that comes with Kirin. With --net none the opponent's search only knows the
/// rules. The moves may come from a pipe. If the input ends, the game stays unfinished.
#[derive(Args)]
pub struct Arguments {
    /// The variant; needed only without a network of your own, since a network knows its variant.
    #[arg(long, value_parser = super::variants())]
    variant: Option<VariantId>,
    /// A network file, or a run folder for its newest network; `none` for a search without one [default: the network
    /// that comes with Kirin].
    #[arg(long, value_name = "PATH")]
    net: Option<PathBuf>,
    /// Your side: first or second.
    #[arg(long, default_value = "first", value_parser = side)]
    side: Side,
    /// Visits of the opponent's search for each of its moves.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    visits: u32,
    /// The position to begin with, in FEN or a native format (SFEN) [default: the start of the variant].
    #[arg(long)]
    fen: Option<String>,
    /// The notation of the moves that you type and see. Moves in UCI are understood as well.
    #[arg(long, default_value = "uci")]
    notation: String,
    /// The rule set, which decides on repetition and other ends of the game [default: that of the variant].
    #[arg(long)]
    ruleset: Option<String>,
}

fn side(text: &str) -> Result<Side, String> {
    Side::BOTH
        .into_iter()
        .find(|side| side.to_string() == text)
        .ok_or_else(|| format!("{text:?} is not a side; write first or second"))
}

/// Runs the command.
///
/// # Errors
/// The network cannot be used, the position or a name is wrong, or the game breaks off ([`Dialogue::play`]).
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (network, variant) = super::network::with_variant(arguments.net.as_deref(), arguments.variant)?;
    rules::dispatch!(variant, V => run::<V>(arguments, network.as_ref()))
}

fn run<V: Variant>(arguments: &Arguments, network: Option<&train::NetworkFile>) -> anyhow::Result<()> {
    let notation = Notation::<V>::named(&arguments.notation)?;
    let game = super::game(arguments.fen.as_deref(), arguments.ruleset.as_deref(), "", notation)?;
    let opponent = match network {
        Some(network) => Opponent::network(network, arguments.visits)?,
        None => Opponent::without_network(arguments.visits),
    };
    let prompt = io::stdin().is_terminal();
    Dialogue { game, opponent, person: arguments.side, notation, prompt }.play(io::stdin().lock(), io::stdout().lock())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Game, Rules, Wangqi};
    use train::{Blueprint, NetworkConfig};

    #[test]
    fn a_network_answers_through_a_pipe() {
        let size = NetworkConfig { blocks: 1, channels: 16, ..NetworkConfig::default() };
        let network = train::untrained(Blueprint::of::<Wangqi>(size), 1).unwrap();
        let opponent = Opponent::network(&network, 8).unwrap();
        let mut out = Vec::new();
        let game = Game::<Wangqi>::start(Rules::default());
        let mut dialogue = Dialogue { game, opponent, person: Side::Second, notation: &Notation::UCI, prompt: false };
        dialogue.play(&b"moves\nhint\nresign\n"[..], &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("of generation 0") && out.contains("The opponent plays "), "{out}");
        assert!(out.contains("hint: ") && out.contains("The opponent wins: resign."), "{out}");
    }

    #[test]
    fn sides_have_two_names() {
        assert_eq!(side("second"), Ok(Side::Second));
        assert!(side("white").unwrap_err().contains("first or second"));
    }
}
