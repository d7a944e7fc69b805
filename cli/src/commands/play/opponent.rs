//! The opponent: a search with or without a network.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rules::{Game, Move, Variant};
use search::{Algorithm, Evaluations, Evaluator, LeafBatch, Proof, Search, SearchConfig, Step, UniformEvaluator};
use train::{Backend, EvaluatorConfig, NetworkEvaluator, NetworkFile, Workload};

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
    /// A network on the CPU, since a GPU is no faster for one position at a time.
    ///
    /// # Errors
    /// The network cannot be evaluated.
    pub fn network(network: &NetworkFile, visits: u32) -> anyhow::Result<Opponent<V>> {
        let open = EvaluatorConfig { backend: Backend::Native, batch: 1, ..EvaluatorConfig::default() };
        let (config, _) = open.for_network(network, Workload::default())?;
        let evaluator = NetworkEvaluator::new(network, &config)?;
        let name = format!("network {} of generation {}", network.id(), network.generation());
        Ok(Opponent::new(name, Box::new(evaluator), SearchConfig::of_network(), visits))
    }

    /// A search without a network.
    pub fn without_network(visits: u32) -> Opponent<V> {
        let search = SearchConfig { algorithm: Algorithm::Puct, ..SearchConfig::default() };
        Opponent::new("a search without a network".to_owned(), Box::new(UniformEvaluator::new(1)), search, visits)
    }

    fn new(name: String, evaluator: Box<dyn Evaluator>, search: SearchConfig, visits: u32) -> Opponent<V> {
        Opponent {
            name,
            batch: LeafBatch::new(evaluator.features()),
            evaluator,
            search: Search::new(search.for_matches()),
            visits,
            // There is no noise in matches, so the seed only decides ties.
            rng: ChaCha8Rng::seed_from_u64(1),
            answers: Evaluations::default(),
        }
    }

    /// Searches the present position, which must have a legal move.
    ///
    /// # Errors
    /// The network fails, or its answer cannot be used.
    pub fn think(&mut self, game: &Game<V>) -> anyhow::Result<Thought> {
        self.search.begin(game, self.visits, &mut self.rng);
        self.batch.clear();
        while self.search.next_leaf(&mut self.batch) == Step::Pending {
            self.evaluator.evaluate(&self.batch, &mut self.answers)?;
            self.answers.check(&self.batch)?;
            self.search.supply(&mut self.batch, 0, &self.answers)?;
            self.batch.clear();
        }
        let line = self.search.principal_variation(LINE);
        let result = self.search.result();
        Ok(Thought { best: result.best, line, wdl: result.root_wdl, proven: result.proven, visits: result.visits })
    }
}
