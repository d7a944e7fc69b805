//! `kirin play`: a person against the network, in the terminal.

mod opponent;
mod table;

use clap::Args;
use opponent::Opponent;
use rules::{Notation, Side, Variant, VariantId};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use table::Table;

/// Play against a network: the board is drawn, moves are typed in UCI or in --notation; `help` lists the other words.
///
/// Without --net the opponent knows the rules and searches, but has no opinion about positions. Moves may come
/// from a pipe; the game ends politely where the input does.
#[derive(Args)]
pub struct Arguments {
    /// The variant; that of the network if not given.
    #[arg(long, value_parser = super::variant, required_unless_present = "net")]
    variant: Option<VariantId>,
    /// The network's file (nets/gen-NNNN.safetensors of a run).
    #[arg(long)]
    net: Option<PathBuf>,
    /// Your side; `first` moves first.
    #[arg(long, default_value = "first", value_parser = side)]
    side: Side,
    /// Simulations of the opponent's search for each of its moves.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    visits: u32,
    /// The position to begin with, in FEN or a native format (SFEN); the variant's start if not given.
    #[arg(long)]
    fen: Option<String>,
    /// The notation of the moves that are typed and shown; UCI is understood as well.
    #[arg(long, default_value = "uci")]
    notation: String,
    /// The rule-set preset, which decides repetition and other ends.
    #[arg(long)]
    ruleset: Option<String>,
}

fn side(text: &str) -> Result<Side, String> {
    Side::BOTH
        .into_iter()
        .find(|side| side.to_string() == text)
        .ok_or_else(|| format!("{text:?} is no side; first or second"))
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let (network, variant) = super::subject(arguments.net.as_deref(), arguments.variant)?;
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
    Table { game, opponent, person: arguments.side, notation, prompt }.play(io::stdin().lock(), io::stdout().lock())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Game, Rules, Wangqi};
    use train::{Blueprint, NetworkConfig, NetworkFile};

    #[test]
    fn a_network_answers_through_a_pipe() {
        let size = NetworkConfig { blocks: 1, channels: 16, ..NetworkConfig::default() };
        let network = NetworkFile::untrained(Blueprint::of::<Wangqi>(size), 1).unwrap();
        let opponent = Opponent::network(&network, 8).unwrap();
        let mut out = Vec::new();
        let game = Game::<Wangqi>::start(Rules::default());
        let mut table = Table { game, opponent, person: Side::Second, notation: &Notation::UCI, prompt: false };
        table.play(&b"moves\nhint\nresign\n"[..], &mut out).unwrap();
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
