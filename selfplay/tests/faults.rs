//! Errors are named, and finished work is kept.

use crate::scratch_run::ScratchRun;
use data::Journal;
use rules::{Game, Position, Rules, Wangqi, Xiangqi};
use search::{EvaluationError, HashEvaluator, NotFiniteEvaluator, UniformEvaluator};
use selfplay::{GenerateError, SelfplayConfig};

#[test]
fn a_nan_names_the_position_and_keeps_the_finished_games() {
    // Of several threads one may be stopped by another before it has finished a game.
    let run = ScratchRun::new(1);
    let evaluators = |_| Ok(NotFiniteEvaluator::new(HashEvaluator::new(6, 0), 640));
    let error = run.generate::<Wangqi, _>(0, evaluators).expect_err("a NaN");
    let GenerateError::Evaluation { fen, moves, source } = &error else { panic!("{error}") };
    assert!(matches!(source, EvaluationError::NotFinite { .. }), "{source}");
    let mut game = Game::<Wangqi>::start(Rules::default());
    for text in moves.split_ascii_whitespace() {
        let mv = game.position().parse_move(text).expect("a legal move");
        game.play(mv);
    }
    assert_eq!(game.position().fen(), *fen);
    assert!(error.to_string().contains("NaN as win for the position"), "{error}");

    let journal = run.data().join("journal/variant=wangqi/gen=0000.jsonl");
    let (_, kept) = Journal::<Wangqi>::open(&journal).expect("a journal");
    assert!(!kept.games.is_empty());
    assert!(kept.games.iter().flat_map(|game| &game.positions).all(|position| position.root_q.is_finite()));
}

#[test]
fn an_evaluator_that_cannot_be_made_stops_the_run() {
    let run = ScratchRun::new(2);
    let evaluators = |thread| match thread {
        0 => Ok(UniformEvaluator::new(4)),
        _ => Err(EvaluationError::network("no such file")),
    };
    let error = run.generate::<Xiangqi, _>(0, evaluators).expect_err("no network");
    assert_eq!(error.to_string(), "the network failed: no such file");
}

/// The slots as the first versions wrote them: in one line, without a checksum.
fn in_one_line(text: &str) -> String {
    let checksum_length = "{\"blake3\":\"0123456789abcdef\",\"snapshot\":".len();
    let mut entries = text.lines().map(|line| &line[checksum_length..line.len() - 1]);
    let part = |entry: &'static str, line: &str| {
        let inner = line.strip_prefix(&format!("{{\"{entry}\":")).and_then(|rest| rest.strip_suffix('}'));
        inner.expect("a line of the file").to_owned()
    };
    let head = part("head", entries.next().expect("the first line"));
    let (head, _) = head.rsplit_once("\"slots\":").expect("how many slots there are");
    let slots: Vec<String> = entries.map(|line| part("slot", line)).collect();
    format!("{}\"slots\":[{}]}}\n", head.replace("\"format\":3", "\"format\":2"), slots.join(","))
}

#[test]
fn a_damaged_or_foreign_slots_file_is_refused_with_its_name() {
    let run = ScratchRun::new(1);
    let refused = |generation, words: &str| {
        let played = run.generate::<Wangqi, _>(generation, |_| Ok(UniformEvaluator::new(4)));
        let error = played.expect_err("a refusal").to_string();
        assert!(error.contains("slots.json") && error.contains(words), "{error}");
    };
    run.generate::<Xiangqi, _>(0, |_| Ok(UniformEvaluator::new(4))).expect("a generation");
    refused(1, "holds games of xiangqi, not of wangqi");
    let text = std::fs::read_to_string(run.slots_file()).expect("the slots' file");
    // Every changed bit is noticed, even in a digit of a number.
    for place in (0..text.len() - 1).step_by(text.len() / 40) {
        let mut bytes = text.clone().into_bytes();
        bytes[place] ^= 1;
        std::fs::write(run.slots_file(), bytes).expect("written");
        refused(1, "is not a file of slots");
    }
    // Files of earlier versions had no checksum; their errors are found in another way.
    let as_wangqi = in_one_line(&text).replace("\"xiangqi\"", "\"wangqi\"");
    std::fs::write(run.slots_file(), &as_wangqi).expect("written");
    refused(1, "is not legal");
    refused(3, "is in generation 1, the job is generation 3");
    std::fs::write(run.slots_file(), as_wangqi.replace("\"run_seed\":5", "\"run_seed\":6")).expect("written");
    refused(1, "belongs to a run with seed 6, not 5");
    std::fs::write(run.slots_file(), &text[..text.len() / 2]).expect("written");
    refused(1, "is not a file of slots");
    std::fs::remove_file(run.slots_file()).expect("removed");
    run.generate::<Wangqi, _>(1, |_| Ok(UniformEvaluator::new(4))).expect("new games");
}

#[test]
fn slots_of_before_they_had_checksums_are_continued() {
    let play = |run: &ScratchRun, generation| {
        run.generate::<Wangqi, _>(generation, |_| Ok(HashEvaluator::new(4, 0))).expect("a generation")
    };
    let (checked, unchecked) = (ScratchRun::new(1), ScratchRun::new(1));
    for run in [&checked, &unchecked] {
        play(run, 0);
    }
    let text = std::fs::read_to_string(unchecked.slots_file()).expect("the slots' file");
    std::fs::write(unchecked.slots_file(), in_one_line(&text)).expect("written");
    for run in [&checked, &unchecked] {
        play(run, 1);
    }
    assert_eq!(checked.digests::<Wangqi>(), unchecked.digests::<Wangqi>());
    let games = selfplay::generator::check_slots::<Wangqi>(&checked.slots_file(), 5, Rules::default());
    assert!(games.expect("sound").is_some_and(|games| games > 0));
}

#[test]
fn a_job_done_already_is_not_done_twice() {
    let run = ScratchRun::new(1);
    let first = run.generate::<Wangqi, _>(0, |_| Ok(HashEvaluator::new(4, 0))).expect("a generation");
    let again = run.generate::<Wangqi, _>(0, |_| Ok(HashEvaluator::new(4, 0))).expect("the same generation");
    assert!(again.complete && again.counts.positions == 0);
    assert_eq!((again.shard.clone(), first.shard.is_some()), (first.shard, true));
}

#[test]
fn games_at_the_limit_weigh_less() {
    let mut run = ScratchRun::new(2);
    run.search.visits = 2;
    run.selfplay = SelfplayConfig {
        slots: 48,
        plies_per_generation: 80,
        max_plies: 80,
        stagger_plies: 60,
        ..SelfplayConfig::default()
    };
    for generation in 0..3 {
        run.generate::<Xiangqi, _>(generation, |_| Ok(HashEvaluator::new(6, 0))).expect("a generation");
    }
    let games = run.games::<Xiangqi>();
    let (limited, others): (Vec<_>, Vec<_>) = games.iter().partition(|game| game.sheet.outcome.is_cut_off());
    assert!(!limited.is_empty() && !others.is_empty());
    let weighs =
        |weight| move |game: &&data::GameRecord<Xiangqi>| game.positions.iter().all(|p| p.target_weight == weight);
    assert!(limited.iter().all(weighs(0.2)) && others.iter().all(weighs(1.0)));
    assert!(limited.iter().all(|game| game.plies() == 80 && game.sheet.rules.max_plies() == 80));
    for game in games.iter().filter(|game| game.sheet.start == Position::start()) {
        let start = Position::<Xiangqi>::start().key().to_bytes();
        let first = &game.positions[0];
        assert!(first.ply > 0 || (first.pos_key == start && first.parent_key.is_none()));
    }
}
