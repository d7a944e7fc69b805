use super::*;
use crate::fakes::{HashEvaluator, NotFiniteEvaluator, UniformEvaluator};
use crate::tree::{Proof, ROOT};
use crate::tree_search::Search;
use crate::tree_search::invariants_tests::check_node;
use rand::RngExt;
use rules::encode::{Features, MoveTokens};
use rules::{Game, Move, Position, Rules, Variant, Wangqi, Xiangqi};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn request(simulations: u32) -> AnalysisRequest {
    AnalysisRequest { simulations, ..AnalysisRequest::default() }
}

fn analysis<V: Variant>(batch: usize) -> Analysis<Game<V>> {
    Analysis::new(AnalysisConfig { batch, cache_bytes: 1 << 20, ..AnalysisConfig::default() })
}

/// A position of a random game, with hanging pieces and exposed kings.
fn midgame<V: Variant>(seed: u64, plies: u32) -> Game<V> {
    let (mut rng, mut legal) = (ChaCha8Rng::seed_from_u64(seed), MoveList::new());
    let mut game = Game::<V>::start(Rules::default());
    while game.ply() < plies {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game = Game::start(Rules::default());
            continue;
        }
        game.play(legal[rng.random_range(0..legal.len())]);
    }
    game.legal_moves(&mut legal);
    if game.outcome(&legal).is_some() { midgame(seed + 1000, plies) } else { game }
}

/// With one leaf at a time, an analysis equals a search: the same visits, the same values to the last bit.
fn equals_the_plain_search<V: Variant>() {
    for seed in 0..6 {
        let game = midgame::<V>(seed, 40);
        let mut analysis = analysis::<V>(1);
        let mut network = HashEvaluator::new(1, seed);
        let (_, report) = analysis.run(&game, &mut network, &request(300), &GO_ON, |_| {}).expect("a report");
        let mut search = Search::new(analysis.search.config().clone());
        let (mut batch, mut answers) = (LeafBatch::default(), Evaluations::default());
        search.begin(&game, 300, &mut ChaCha8Rng::seed_from_u64(1));
        search.run_alone(&mut network, &mut batch, &mut answers, || true).expect("answers");
        assert_eq!(analysis.search.result(), search.result(), "{} seed {seed}", V::ID);
        assert_eq!(report.simulations, u64::from(search.result().visits));
        assert_eq!(report.lines[0].moves, search.principal_variation(32));
    }
}

/// An analysis gives each network its own input features, and forgets the outputs of another one.
#[test]
fn networks_may_be_shown_different_things() {
    let game = midgame::<Wangqi>(3, 40);
    let run = |analysis: &mut Analysis<Game<Wangqi>>, features| {
        let mut network = HashEvaluator::new(8, 1).shown(features);
        analysis.forget();
        analysis.run(&game, &mut network, &request(200), &GO_ON, |_| {}).expect("a report").1.lines
    };
    let mut both = analysis::<Wangqi>(8);
    let in_turn = [Features::FIRST, Features::ALL, Features::FIRST].map(|features| run(&mut both, features));
    assert_eq!(in_turn[0], in_turn[2]);
    assert_eq!(in_turn[1], run(&mut analysis::<Wangqi>(8), Features::ALL));
}

#[test]
fn with_a_batch_of_one_it_is_the_plain_search() {
    equals_the_plain_search::<Xiangqi>();
    equals_the_plain_search::<Wangqi>();
}

/// With many leaves in flight, every mean and every proof in the tree agrees with its children, all simulations are
/// counted once, and no virtual loss remains.
fn leaves_nothing_behind<V: Variant>(batch: usize) {
    let mut proven = 0;
    for seed in 0..8 {
        let game = midgame::<V>(seed, 60);
        let mut analysis = analysis::<V>(batch);
        let mut network = HashEvaluator::new(64, seed);
        let (finish, report) = analysis.run(&game, &mut network, &request(700), &GO_ON, |_| {}).expect("a report");
        assert_eq!(analysis.search.virtual_losses(), 0);
        match finish {
            Finish::Proven => proven += 1,
            other => assert_eq!((other, report.simulations, report.visits), (Finish::Simulations, 700, 701)),
        }
        if report.simulations > 0 {
            check_node(analysis.search.tree(), ROOT);
        }
        // The root is evaluated too, and ends of the game need no evaluation.
        assert!(report.evaluations + report.cache_hits <= report.simulations + 1, "{report:?}");
        assert!(report.seldepth as f32 >= report.depth);
    }
    assert!(proven < 6, "positions that are not proven are the test");
}

#[test]
fn no_virtual_loss_remains() {
    for batch in [2, 16, 64] {
        leaves_nothing_behind::<Xiangqi>(batch);
        leaves_nothing_behind::<Wangqi>(batch);
    }
}

/// A batch holds different leaves, so a network with large batches is called less often.
#[test]
fn batches_are_filled() {
    struct CallCounter(HashEvaluator, u32);
    impl Evaluator for CallCounter {
        fn batch_size(&self) -> usize {
            64
        }
        fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
            self.1 += 1;
            self.0.evaluate(batch, out)
        }
    }
    let game = Game::<Xiangqi>::start(Rules::default());
    let mut network = CallCounter(HashEvaluator::new(64, 3), 0);
    let (_, report) =
        analysis::<Xiangqi>(32).run(&game, &mut network, &request(3200), &GO_ON, |_| {}).expect("a report");
    let fill = report.evaluations as f64 / f64::from(network.1) / 32.0;
    assert!(fill > 0.9, "{fill}");
}

/// A rook checks on the tenth rank, the general has one move, and a horse mates.
#[test]
fn a_mate_is_proven_and_shown() {
    let position = Position::from_fen("5k3/4a4/3a5/5N1N1/9/4p4/6R2/9/p3A4/4KAB2 w - - 11 132").expect("a FEN");
    let game = Game::<Xiangqi>::from_position(Rules::default(), position);
    let (finish, report) = analysis::<Xiangqi>(16)
        .run(&game, &mut UniformEvaluator::new(16), &request(5000), &GO_ON, |_| {})
        .expect("a report");
    assert_eq!((finish, report.proven, report.wdl), (Finish::Proven, Some((Proof::Win, 3)), [1.0, 0.0, 0.0]));
    let line: Vec<String> = report.lines[0]
        .moves
        .iter()
        .scan(game.position().clone(), |position, &mv| {
            let text = position.format_move(mv);
            position.play(mv);
            Some(text)
        })
        .collect();
    assert_eq!((line.len(), line[0].as_str()), (3, "g4g10"), "{line:?}");
}

#[test]
fn lines_are_ranked_and_tell_shares() {
    let game = midgame::<Wangqi>(3, 20);
    let ask = AnalysisRequest { lines: 5, ..request(600) };
    let (_, report) =
        analysis::<Wangqi>(8).run(&game, &mut HashEvaluator::new(8, 1), &ask, &GO_ON, |_| {}).expect("a report");
    assert_eq!(report.lines.len(), 5);
    assert!(report.lines.windows(2).all(|pair| pair[0].visits >= pair[1].visits), "{:?}", report.lines);
    assert!(report.lines.iter().map(|line| line.share).sum::<f32>() <= 1.0 + 1e-6);
    assert!(report.lines.iter().all(|line| (line.wdl.iter().sum::<f32>() - 1.0).abs() < 1e-4 && line.q().abs() <= 1.0));
}

#[test]
fn it_goes_on_where_it_was() {
    let mut game = midgame::<Xiangqi>(2, 10);
    let (mut analysis, mut network) = (analysis::<Xiangqi>(8), HashEvaluator::new(8, 1));
    let (_, first) = analysis.run(&game, &mut network, &request(400), &GO_ON, |_| {}).expect("a report");
    let (_, second) = analysis.run(&game, &mut network, &request(400), &GO_ON, |_| {}).expect("a report");
    assert_eq!((first.visits, second.visits, second.simulations), (401, 801, 400));
    let best = &second.lines[0];
    game.play(best.moves[0]);
    let (_, third) = analysis.run(&game, &mut network, &request(100), &GO_ON, |_| {}).expect("a report");
    assert_eq!(third.visits, best.visits + 100, "the subtree was kept");
    check_node(analysis.search.tree(), ROOT);
    analysis.forget();
    let (_, fourth) = analysis.run(&game, &mut network, &request(100), &GO_ON, |_| {}).expect("a report");
    assert_eq!((fourth.visits, fourth.cache_hits <= 100), (101, true));
}

#[test]
fn it_stops_when_told_and_has_a_move() {
    let game = Game::<Xiangqi>::start(Rules::default());
    let mut analysis = analysis::<Xiangqi>(8);
    let mut network = UniformEvaluator::new(8);
    let (finish, report) = analysis
        .run(&game, &mut network, &AnalysisRequest::default(), &AtomicBool::new(true), |_| {})
        .expect("a report");
    assert_eq!((finish, report.simulations, report.lines.len()), (Finish::Stopped, 0, 1));
    let ask =
        AnalysisRequest { time: Some(Duration::from_millis(20)), every: Duration::ZERO, ..AnalysisRequest::default() };
    let mut reports = Vec::new();
    let (finish, last) =
        analysis.run(&game, &mut network, &ask, &GO_ON, |report| reports.push(report.simulations)).expect("a report");
    assert!(finish == Finish::Time && last.elapsed >= Duration::from_millis(20));
    assert!(reports.len() > 1 && reports.is_sorted() && reports[reports.len() - 1] < last.simulations);
    let stop = AtomicBool::new(false);
    let ask = AnalysisRequest { every: Duration::ZERO, ..AnalysisRequest::default() };
    let stopping = |report: &AnalysisReport| stop.store(report.simulations > 1000, Ordering::Relaxed);
    let (finish, _) = analysis.run(&game, &mut network, &ask, &stop, stopping).expect("a report");
    assert_eq!(finish, Finish::Stopped);
    let mut small = Analysis::new(AnalysisConfig { tree_bytes: 100_000, ..AnalysisConfig::default() });
    let (finish, report) =
        small.run(&game, &mut network, &AnalysisRequest::default(), &GO_ON, |_| {}).expect("a report");
    assert!(finish == Finish::Memory && (100_000..120_000).contains(&report.tree_bytes), "{report:?}");
}

#[test]
fn what_cannot_be_analysed_is_said() {
    // The commander has been mated.
    let position = Position::from_fen("R2k5/1R7/9/9/9/9/9/9/9/5K3 b - - 0 1").expect("a FEN");
    let over = Game::<Xiangqi>::from_position(Rules::default(), position);
    let mut analysis = analysis::<Xiangqi>(8);
    let mut healthy = HashEvaluator::new(8, 1);
    let error = analysis.run(&over, &mut healthy, &request(10), &GO_ON, |_| {}).expect_err("over");
    assert!(matches!(error, AnalysisError::GameOver), "{error}");
    let game = Game::<Xiangqi>::start(Rules::default());
    let mut broken = NotFiniteEvaluator::new(healthy.clone(), 3);
    let error = analysis.run(&game, &mut broken, &request(100), &GO_ON, |_| {}).expect_err("a NaN");
    assert!(matches!(error, AnalysisError::Evaluation(EvaluationError::NotFinite { .. })), "{error}");
    let (_, report) = analysis.run(&game, &mut healthy, &request(100), &GO_ON, |_| {}).expect("begun anew");
    assert_eq!((report.visits, analysis.search.virtual_losses()), (101, 0));
    check_node(analysis.search.tree(), ROOT);
}

/// A draw at once, or a move that the network thinks bad, after which the game has no end.
#[derive(Clone, Default)]
struct DrawOrNothing(Vec<Move>);

impl GameState for DrawOrNothing {
    fn legal_moves(&self, moves: &mut MoveList) {
        moves.clear();
        moves.extend((0..2u32).skip(usize::from(!self.0.is_empty())).map(Move::from_raw));
    }

    fn final_score(&self, _: &[Move]) -> Option<f32> {
        (self.0.first() == Some(&Move::from_raw(0))).then_some(0.0)
    }

    fn win_in_one(&self, _: &[Move], _: &mut MoveList) -> Option<Move> {
        None
    }

    fn play(&mut self, mv: Move) {
        self.0.push(mv);
    }

    fn undo(&mut self) {
        self.0.pop();
    }

    fn moves(&self) -> &[Move] {
        &self.0
    }

    fn same_start(&self, _: &Self) -> bool {
        true
    }

    fn push_to(&self, legal: &[Move], batch: &mut LeafBatch) {
        batch.planes.push(self.0.len() as f32);
        batch.push_moves(legal.iter().map(|_| MoveTokens::default()));
    }
}

/// Millions of simulations may end at a known result before one needs the network; the flag is heard meanwhile.
#[test]
fn it_stops_while_simulations_end_at_known_results() {
    struct Averse;
    impl Evaluator for Averse {
        fn batch_size(&self) -> usize {
            16
        }
        fn evaluate(&mut self, batch: &LeafBatch, out: &mut Evaluations) -> Result<(), EvaluationError> {
            out.clear();
            for leaf in 0..batch.len() {
                let is_root = batch.moves_of(leaf).len() == 2;
                out.logits.extend(if is_root { &[0.0, -14.0][..] } else { &[0.0] });
                out.wdl.push(if is_root { [0.3, 0.4, 0.3] } else { [0.98, 0.0, 0.02] });
            }
            Ok(())
        }
    }
    let mut analysis = Analysis::new(AnalysisConfig::default());
    let (stop, request) = (AtomicBool::new(false), AnalysisRequest { every: Duration::ZERO, ..request(u32::MAX) });
    let raise = |_: &AnalysisReport| stop.store(true, Ordering::Relaxed);
    let (finish, report) =
        analysis.run(&DrawOrNothing::default(), &mut Averse, &request, &stop, raise).expect("a report");
    assert_eq!(finish, Finish::Stopped);
    assert!(report.simulations <= SIMULATIONS_AT_ONCE.into(), "{}", report.simulations);
    assert_eq!(report.lines[0].moves, [Move::from_raw(0)]);
}
