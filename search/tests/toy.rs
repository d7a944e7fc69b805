//! Noughts and crosses, solved: a search with a perfect evaluator plays it perfectly, and one that knows
//! nothing proves it.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::encode::MoveTokens;
use rules::{Move, MoveList};
use search::{Algorithm, Evaluations, GameState, LeafBatch, Proof, SearchConfig, Step, TreeSearch};
use std::collections::{BTreeSet, HashMap};

/// Marks of the player who began and of the other, nine bits each.
#[derive(Clone, Default)]
struct Noughts {
    marks: [u16; 2],
    moves: Vec<Move>,
}

const LINES: [u16; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

impl Noughts {
    fn to_move(&self) -> usize {
        self.moves.len() % 2
    }

    fn key(&self) -> usize {
        usize::from(self.marks[0]) << 9 | usize::from(self.marks[1])
    }

    fn score(&self) -> Option<f32> {
        let last = self.marks[1 - self.to_move()];
        if LINES.iter().any(|line| last & line == *line) {
            return Some(-1.0);
        }
        (self.moves.len() == 9).then_some(0.0)
    }

    fn free(&self) -> Vec<Move> {
        let taken = self.marks[0] | self.marks[1];
        (0..9).filter(|i| taken >> i & 1 == 0).map(Move::from_raw).collect()
    }
}

impl GameState for Noughts {
    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        moves.extend(self.free());
    }

    fn final_score(&self, _: &[Move]) -> Option<f32> {
        self.score()
    }

    fn win_in_one(&self, _: &[Move], _: &mut MoveList) -> Option<Move> {
        None
    }

    fn play(&mut self, mv: Move) {
        self.marks[self.to_move()] |= 1 << mv.raw();
        self.moves.push(mv);
    }

    fn undo(&mut self) {
        if let Some(mv) = self.moves.pop() {
            self.marks[self.to_move()] &= !(1 << mv.raw());
        }
    }

    fn moves(&self) -> &[Move] {
        &self.moves
    }

    fn same_start(&self, _: &Self) -> bool {
        true
    }

    fn push_to(&self, legal: &[Move], batch: &mut LeafBatch) {
        batch.planes.push(self.key() as f32);
        batch.push_moves(legal.iter().map(|_| MoveTokens::default()));
    }
}

/// Score of every position for the side to move, with best play.
fn solve(game: &mut Noughts, scores: &mut HashMap<usize, f32>) -> f32 {
    if let Some(&score) = scores.get(&game.key()) {
        return score;
    }
    let score = game.score().unwrap_or_else(|| {
        game.free().into_iter().fold(-1.0, |best: f32, mv| {
            game.play(mv);
            let score = -solve(game, scores);
            game.undo();
            best.max(score)
        })
    });
    scores.insert(game.key(), score);
    score
}

/// Every unfinished position, once, with a path to it.
fn positions(game: &mut Noughts, seen: &mut BTreeSet<usize>, found: &mut Vec<Noughts>) {
    if game.score().is_some() || !seen.insert(game.key()) {
        return;
    }
    found.push(game.clone());
    for mv in game.free() {
        game.play(mv);
        positions(game, seen, found);
        game.undo();
    }
}

/// Searches with an evaluator that knows the value of each position, and whose logits prefer the moves that
/// keep it by `preference`.
fn run(search: &mut TreeSearch<Noughts>, game: &Noughts, visits: u32, scores: &HashMap<usize, f32>, preference: f32) {
    let mut batch = LeafBatch::default();
    search.begin(game, visits, &mut ChaCha8Rng::seed_from_u64(game.key() as u64));
    while search.next_leaf(&mut batch) == Step::Pending {
        let key = batch.planes_of(0)[0] as usize;
        let value = scores.get(&key).copied().unwrap_or(0.0);
        let mut leaf = Noughts { marks: [(key >> 9) as u16, (key & 0o777) as u16], moves: vec![] };
        leaf.moves.resize((leaf.marks[0].count_ones() + leaf.marks[1].count_ones()) as usize, Move::from_raw(0));
        let keeps = |mv: Move| {
            let mut next = leaf.clone();
            next.play(mv);
            scores.get(&next.key()) == Some(&-value)
        };
        let logits: Vec<f32> = leaf.free().into_iter().map(|mv| if keeps(mv) { preference } else { 0.0 }).collect();
        let wdl = [value.max(0.0), 1.0 - value.abs(), (-value).max(0.0)];
        search
            .supply(&mut batch, 0, &Evaluations { logits, wdl: vec![wdl], ..Evaluations::default() })
            .expect("finite");
        batch.clear();
    }
}

fn plays_perfectly(algorithm: Algorithm, visits: u32, preference: f32) {
    let mut scores = HashMap::new();
    solve(&mut Noughts::default(), &mut scores);
    let mut all = Vec::new();
    positions(&mut Noughts::default(), &mut BTreeSet::new(), &mut all);
    assert_eq!(all.len(), 4520);
    let config = SearchConfig { algorithm, ..SearchConfig::default() }.for_matches();
    let mut search = TreeSearch::new(config);
    for game in &all {
        run(&mut search, game, visits, &scores, preference);
        let result = search.result();
        let mut next = game.clone();
        next.play(result.best);
        let (here, there) = (scores[&game.key()], -scores[&next.key()]);
        assert_eq!(there, here, "after {:?}: {:?}", game.moves, result.best);
    }
}

#[test]
fn a_perfect_evaluator_plays_perfectly() {
    plays_perfectly(Algorithm::Gumbel, 12, 2.0);
    plays_perfectly(Algorithm::Gumbel, 64, 2.0);
    plays_perfectly(Algorithm::Puct, 12, 2.0);
}

/// Gumbel search is not made for this: below the root it assumes that untried moves are as bad as the tried ones.
#[test]
fn puct_needs_no_policy() {
    plays_perfectly(Algorithm::Puct, 32, 0.0);
    plays_perfectly(Algorithm::Puct, 200, 0.0);
}

#[test]
fn a_search_that_knows_nothing_proves_the_draw() {
    let mut search = TreeSearch::new(SearchConfig { algorithm: Algorithm::Puct, ..SearchConfig::default() });
    run(&mut search, &Noughts::default(), 1_000_000, &HashMap::new(), 0.0);
    let result = search.result();
    assert!(matches!(result.proven, Some((Proof::Draw, _))), "{:?}", result.proven);
    assert_eq!(result.root_wdl, [0.0, 1.0, 0.0]);
    assert_eq!(result.policy.len(), 9, "all first moves draw");
}
