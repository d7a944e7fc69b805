//! Games with something to see in them, made in seconds: self-play by a search that counts material.
//!
//! The games of a young network say little about eyes, because its searches see little. A piece is worth the mean number
//! of its moves in random games, as for the player `greedy` of `eval`, and mates are found by the rules.

use data::{DataStore, Provenance};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::encode::{Features, Shape};
use rules::{Rules, SquareSet, Variant};
use selfplay::{
    EvaluationError, Evaluations, Evaluator, GenerationProgress, Job, LeafBatch, Origin, SearchConfig, SelfplayConfig,
    generate, random_games,
};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Random games from which the values come.
const GAMES: usize = 600;
/// The difference of material, in moves, at which the winning chance is about 88 %.
const DECISIVE: f32 = 12.0;
/// Simulations a move, and moves among which they are shared: many, because the policy before is flat.
const VISITS: u32 = 96;
const CONSIDERED: u32 = 48;

/// Judges a position by the material that its planes show.
#[derive(Clone)]
struct Teacher {
    /// Value of each plane of one side: kinds, then hand slots times eight, because planes of hands hold count / 8.
    board: Arc<[f32]>,
    hand: Arc<[f32]>,
    squares: usize,
}

impl Teacher {
    fn new<V: Variant>() -> Teacher {
        let (mut moves, mut pieces) = (vec![1u32; V::KINDS], vec![1u32; V::KINDS]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for mut game in random_games::<V>(GAMES, 1) {
            let mut legal = rules::MoveList::new();
            for _ in 0..2 {
                game.legal_moves(&mut legal);
                if legal.is_empty() {
                    break;
                }
                let position = game.position();
                for (kind, pieces) in pieces.iter_mut().enumerate() {
                    *pieces += position.pieces_of(position.side(), kind).len() as u32;
                }
                for source in legal.iter().filter_map(|mv| mv.source_square()) {
                    if let Some((_, kind)) = position.cell(source).piece() {
                        moves[kind] += 1;
                    }
                }
                game.play(legal[rng.random_range(0..legal.len())]);
            }
        }
        let board: Arc<[f32]> = moves.iter().zip(&pieces).map(|(&m, &p)| m as f32 / p as f32).collect();
        let hand = board[V::HAND_FIRST..][..V::HAND_KINDS].iter().map(|value| 8.0 * value).collect();
        Teacher { board, hand, squares: Shape::of::<V>(Features::FIRST).squares() }
    }

    /// The mover's material less the opponent's.
    fn balance(&self, planes: &[f32]) -> f32 {
        let mut planes = planes.chunks_exact(self.squares);
        let mut worth = |values: &[f32], count: fn(&[f32]) -> f32| {
            values.iter().zip(&mut planes).map(|(value, plane)| value * count(plane)).sum::<f32>()
        };
        let all = |plane: &[f32]| plane.iter().sum();
        let first = |plane: &[f32]| plane[0];
        let [ours, theirs] = [(); 2].map(|()| worth(&self.board, all));
        let [held, theirs_held] = [(); 2].map(|()| worth(&self.hand, first));
        ours - theirs + held - theirs_held
    }
}

impl Evaluator for Teacher {
    fn batch_size(&self) -> usize {
        64
    }

    fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
        out.clear();
        out.logits.resize(batch.tokens.len(), 0.0);
        for leaf in 0..batch.len() {
            let win = 1.0 / (1.0 + (-2.0 * self.balance(batch.planes_of(leaf)) / DECISIVE).exp());
            out.wdl.push([win, 0.0, 1.0 - win]);
        }
        Ok(())
    }
}

/// Plays `positions` or a few more into an empty folder.
pub fn play<V: Variant>(folder: &Path, positions: u32) -> Result<(), Box<dyn Error>> {
    let (store, _) = DataStore::open(folder)?;
    let search = SearchConfig { visits: VISITS, max_considered: CONSIDERED, ..SearchConfig::default() };
    let slots = 64;
    let selfplay = SelfplayConfig {
        slots,
        // Games that are not over when the quota is reached are lost; a quarter is enough for those.
        plies_per_generation: positions.div_ceil(slots) * 5 / 4,
        sample_plies: 30,
        max_plies: 300,
        ..SelfplayConfig::default()
    };
    let job = Job {
        rules: Rules::<V>::default(),
        search: &search,
        selfplay: &selfplay,
        origin: Origin {
            run_id: "teacher".into(),
            generation: 1,
            network: "material".into(),
            worker: "local".into(),
            engine_version: env!("CARGO_PKG_VERSION").into(),
        },
        provenance: Provenance::default(),
        progress: 0.0,
        untrained: false,
        seed: 1,
        threads: settings::threads(0),
        store: &store,
        slots_file: &folder.join("slots.json"),
    };
    let teacher = Teacher::new::<V>();
    println!("values of the kinds: {:.1?}", teacher.board);
    let report = generate(&job, |_| Ok(teacher.clone()), &GenerationProgress::default(), &AtomicBool::new(false))?;
    println!("{:?}", report.counts);
    Ok(())
}
