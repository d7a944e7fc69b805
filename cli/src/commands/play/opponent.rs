//! The opponent: a search with or without a network.

use eval::benchmark::Level;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rules::{Game, Move, Variant};
use search::{Algorithm, Evaluations, Evaluator, LeafBatch, Proof, Search, SearchConfig, UniformEvaluator};
use train::{EvaluatorConfig, NetworkEvaluator, NetworkFile};

/// Moves of the expected line that are shown.
const LINE: usize = 6;

/// The player on the other side of the board.
pub struct Opponent<V: Variant> {
    /// The name of the opponent.
    pub name: String,
    evaluator: Box<dyn Evaluator>,
    search: Search<V>,
    visits: u32,
    rng: ChaCha8Rng,
    batch: LeafBatch,
    answers: Evaluations,
}

/// The opponent's evaluation of a position.
pub struct Thought {
    /// The move it would play.
    pub best: Move,
    /// The line it expects, that move first.
    pub line: Vec<Move>,
    /// Win, draw and loss for the side to move, 0–1.
    pub wdl: [f32; 3],
    /// The proven outcome for the side to move, if there is one, and within how many plies the game ends.
    pub proven: Option<(Proof, u16)>,
    /// Visits made.
    pub visits: u32,
}

impl<V: Variant> Opponent<V> {
    /// A network on the CPU.
    ///
    /// # Errors
    /// The network cannot be evaluated.
    pub fn network(network: &NetworkFile, visits: u32) -> anyhow::Result<Opponent<V>> {
        let name = format!("network {} of generation {}", network.id(), network.generation());
        // There is no noise in matches, so the seed only decides ties.
        Ok(Opponent::new(
            name,
            Box::new(evaluator(network)?),
            SearchConfig { visits, ..SearchConfig::of_network() }.for_matches(),
            1,
        ))
    }

    /// A level of the network that comes with Kirin, whose moves are drawn with this seed.
    ///
    /// # Errors
    /// The network cannot be evaluated.
    pub fn level(network: &NetworkFile, level: &Level, seed: u64) -> anyhow::Result<Opponent<V>> {
        let name = format!("level {}, {:.0} Elo above the random player", level.number, level.elo.value);
        Ok(Opponent::new(name, Box::new(evaluator(network)?), level.search(), seed))
    }

    /// A search without a network.
    pub fn without_network(visits: u32) -> Opponent<V> {
        Opponent::new(
            "a search without a network".to_owned(),
            Box::new(UniformEvaluator::new(1)),
            SearchConfig { algorithm: Algorithm::Puct, visits, ..SearchConfig::default() }.for_matches(),
            1,
        )
    }

    fn new(name: String, evaluator: Box<dyn Evaluator>, search: SearchConfig, seed: u64) -> Opponent<V> {
        Opponent {
            name,
            batch: LeafBatch::new(evaluator.features()),
            evaluator,
            visits: search.visits,
            search: Search::new(search),
            rng: ChaCha8Rng::seed_from_u64(seed),
            answers: Evaluations::default(),
        }
    }

    /// Searches the present position, which must have a legal move.
    ///
    /// # Errors
    /// The network fails, or its answer cannot be used.
    pub fn think(&mut self, game: &Game<V>) -> anyhow::Result<Thought> {
        self.search.begin(game, self.visits, &mut self.rng);
        self.search.run_alone(&mut *self.evaluator, &mut self.batch, &mut self.answers, || true)?;
        let line = self.search.principal_variation(LINE);
        let result = self.search.result();
        Ok(Thought { best: result.best, line, wdl: result.root_wdl, proven: result.proven, visits: result.visits })
    }
}

fn evaluator(network: &NetworkFile) -> anyhow::Result<NetworkEvaluator> {
    Ok(NetworkEvaluator::new(network, &EvaluatorConfig::alone(network)?)?)
}
