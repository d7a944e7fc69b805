//! Our Gumbel search against DeepMind's `mctx` on equal inputs: `tests/mctx/searches.json`, recorded by
//! `tests/mctx/record.py`, which also describes the game.

use super::{Step, TreeSearch};
use crate::config::{Reuse, SearchConfig};
use crate::evaluator::{Evaluations, LeafBatch};
use crate::state::GameState;
use crate::tree::{ROOT, q_of};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::encode::MoveTokens;
use rules::{Move, MoveList};
use serde::Deserialize;

#[derive(Deserialize)]
struct MctxSetting {
    actions: usize,
    simulations: u32,
    max_considered: u32,
    c_visit: f32,
    c_scale: f32,
    logit_table: Vec<f32>,
    value_table: Vec<f32>,
    searches: Vec<MctxSearch>,
}

#[derive(Deserialize)]
struct MctxSearch {
    root: u32,
    gumbel: Vec<f32>,
    action: usize,
    policy: Vec<f32>,
    value: f32,
    visits: Vec<u32>,
    qvalues: Vec<f32>,
}

/// The endless tree of hashes. A leaf's "planes" are the two halves of its state.
#[derive(Clone)]
struct HashTree {
    actions: usize,
    states: Vec<u32>,
    moves: Vec<Move>,
}

impl GameState for HashTree {
    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        moves.extend((0..self.actions as u32).map(Move::from_raw));
    }

    fn final_score(&self, _: &[Move]) -> Option<f32> {
        None
    }

    fn win_in_one(&self, _: &[Move], _: &mut MoveList) -> Option<Move> {
        None
    }

    fn play(&mut self, mv: Move) {
        let state = self.states[self.states.len() - 1];
        let step = (mv.raw() + 1).wrapping_mul(1_013_904_223);
        self.states.push(state.wrapping_mul(1_664_525).wrapping_add(step));
        self.moves.push(mv);
    }

    fn undo(&mut self) {
        self.states.pop();
        self.moves.pop();
    }

    fn moves(&self) -> &[Move] {
        &self.moves
    }

    fn same_start(&self, other: &Self) -> bool {
        self.states[0] == other.states[0]
    }

    fn push_to(&self, legal: &[Move], batch: &mut LeafBatch) {
        let state = self.states[self.states.len() - 1];
        batch.planes.extend([(state >> 16) as f32, (state & 0xffff) as f32]);
        batch.push_moves(legal.iter().map(|_| MoveTokens::default()));
    }
}

impl MctxSetting {
    fn evaluate(&self, batch: &LeafBatch) -> Evaluations {
        let planes = batch.planes_of(0);
        let state = (planes[0] as u32) << 16 | planes[1] as u32;
        let logits =
            (0..self.actions).map(|a| self.logit_table[((state >> 7) as usize).wrapping_add(31 * a) & 255]).collect();
        let value = self.value_table[(state >> 11) as usize & 255];
        Evaluations { logits, wdl: vec![[(1.0 + value) / 2.0, 0.0, (1.0 - value) / 2.0]], ..Evaluations::default() }
    }
}

#[test]
fn root_policy_and_value_equal_those_of_mctx() {
    let text = include_str!("../../tests/mctx/searches.json");
    let settings: Vec<MctxSetting> = serde_json::from_str(text).expect("the fixture is JSON");
    let mut compared = 0;
    for setting in &settings {
        let config = SearchConfig {
            max_considered: setting.max_considered,
            considered_share: 1.0,
            c_visit: setting.c_visit,
            c_scale: setting.c_scale,
            reuse: Reuse::None,
            q_range_floor: 0.0,
            ..SearchConfig::default()
        };
        let mut search = TreeSearch::new(config);
        for recorded in &setting.searches {
            let game = HashTree { actions: setting.actions, states: vec![recorded.root], moves: vec![] };
            search.begin(&game, setting.simulations, &mut ChaCha8Rng::from_seed([0; 32]));
            let mut batch = LeafBatch::default();
            let mut first = true;
            while search.next_leaf(&mut batch) == Step::Pending {
                let answers = setting.evaluate(&batch);
                search.supply(&mut batch, 0, &answers).expect("the tables are finite");
                batch.clear();
                if std::mem::take(&mut first) {
                    for (planned, gumbel) in search.root.moves.iter_mut().zip(&recorded.gumbel) {
                        planned.gumbel = *gumbel;
                    }
                }
            }
            // mctx calls the mean of the simulations the value; what we store is the value of the improved policy.
            let value = q_of(search.tree().node(ROOT).wdl);
            let result = search.result();
            let at =
                format!("{} actions, {} simulations, root {}", setting.actions, setting.simulations, recorded.root);
            let visits: Vec<u32> = result.moves.iter().map(|mv| mv.visits).collect();
            assert_eq!(visits, recorded.visits, "{at}: visits");
            assert_eq!(result.best.raw() as usize, recorded.action, "{at}: action");
            assert!((value - recorded.value).abs() < 1e-5, "{at}: value {value}");
            for (i, mv) in result.moves.iter().enumerate() {
                assert!((mv.share - recorded.policy[i]).abs() < 1e-5, "{at}: policy of move {i}: {}", mv.share);
                let q = if mv.visits > 0 { recorded.qvalues[i] } else { mv.q };
                assert!((mv.q - q).abs() < 1e-5, "{at}: Q-value of move {i}: {} for {q}", mv.q);
            }
            compared += 1;
        }
    }
    assert!(compared >= 50, "only {compared} searches compared");
}
