//! `kirin play`: a person against the network, in the terminal.

mod dialogue;
mod opponent;

use crate::failure::input;
use clap::Args;
use dialogue::Dialogue;
use eval::benchmark::{LevelError, ReferenceLadder};
use opponent::Opponent;
use rules::{Notation, Side, Variant, VariantId};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// Play a game against a network in the terminal.
///
/// Type your moves in any notation of the variant; `help` lists the other commands.
///
/// Without --net the opponent is the network that comes with Kirin. With --net none the opponent's search only knows the
/// rules. --level makes the network that comes with Kirin weaker, in steps of about 150 Elo; level 1 loses to a beginner
/// who takes what hangs. The highest number differs between variants. The moves may come from a pipe. If the input ends,
/// the game stays unfinished.
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
    /// The opponent's level, from 1, the weakest: the network that comes with Kirin with fewer visits, or with moves drawn at
    /// random from those that it finds good [default: full strength, with --visits].
    #[arg(long, conflicts_with_all = ["net", "visits"], value_parser = clap::value_parser!(u32).range(1..))]
    level: Option<u32>,
    /// Seed of the moves that a level draws [default: another one for each game].
    #[arg(long, requires = "level")]
    seed: Option<u64>,
    /// Visits of the opponent's search for each of its moves.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    visits: u32,
    /// The position to begin with, in FEN or a native format (SFEN) [default: the start of the variant].
    #[arg(long)]
    fen: Option<String>,
    /// The notation of the moves that you see. You may type moves in any; if several could read one, it is in this
    /// notation.
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
    if let (None, Some(_)) = (&network, arguments.level) {
        return Err(input(LevelError::None { variant }.to_string()));
    }
    rules::dispatch!(variant, V => run::<V>(arguments, network.as_ref()))
}

fn run<V: Variant>(arguments: &Arguments, network: Option<&train::NetworkFile>) -> anyhow::Result<()> {
    let notation = Notation::<V>::named(&arguments.notation)?;
    let game = super::game(arguments.fen.as_deref(), arguments.ruleset.as_deref(), "", notation)?;
    let opponent = match (network, arguments.level) {
        (Some(network), Some(number)) => {
            let level = ReferenceLadder::level(V::ID.parse()?, number).map_err(|error| input(error.to_string()))?;
            Opponent::level(network, &level, arguments.seed.unwrap_or_else(super::fresh_seed))?
        }
        (Some(network), None) => Opponent::network(network, arguments.visits)?,
        (None, _) => Opponent::without_network(arguments.visits),
    };
    let prompt = io::stdin().is_terminal();
    let mut dialogue = Dialogue::new(game, opponent, arguments.side, notation, prompt);
    dialogue.play(io::stdin().lock(), io::stdout().lock())
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
        let mut dialogue = Dialogue::new(game, opponent, Side::Second, &Notation::UCI, false);
        dialogue.play(&b"moves\nhint\nresign\n"[..], &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("of generation 0") && out.contains("The opponent plays "), "{out}");
        assert!(out.contains("hint: ") && out.contains("The opponent wins: resign."), "{out}");
    }

    #[test]
    fn a_level_is_the_network_that_comes_with_kirin_with_its_own_search() {
        let network = train::builtin(VariantId::Wangqi).unwrap().unwrap();
        let levels = ReferenceLadder::levels_of(VariantId::Wangqi).unwrap();
        let mut replies = Vec::new();
        for seed in 0..6 {
            let mut opponent = Opponent::<Wangqi>::level(&network, &levels[0], seed).unwrap();
            assert!(opponent.name.starts_with("level 1, "), "{}", opponent.name);
            let thought = opponent.think(&Game::start(Rules::default())).unwrap();
            assert_eq!(thought.visits, levels[0].visits);
            replies.push(thought.best);
        }
        replies.dedup();
        assert!(replies.len() > 1, "level 1 draws its moves");
    }

    #[test]
    fn sides_have_two_names() {
        assert_eq!(side("second"), Ok(Side::Second));
        assert!(side("white").unwrap_err().contains("first or second"));
    }
}
