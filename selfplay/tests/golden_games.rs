//! The games of a small run, with random evaluations, are those in `tests/games`. `UPDATE_EXPECT=1 cargo test` updates them
//! after a change of the generator, the search or the record that changes games on purpose.
//!
//! A line is a ply: the move played, the visits of its search, and the policy target's largest weights. (Floating-point
//! figures are left out, because they may differ in the last bit between mathematical libraries.)

use crate::scratch_run::ScratchRun;
use expect_test::expect_file;
use rules::{Variant, VariantId};
use search::HashEvaluator;
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::Path;

/// Weights that are shown for each ply.
const SHOWN: usize = 4;

fn played<V: Variant>() -> String {
    let run = ScratchRun::new(2);
    for generation in 0..2 {
        let evaluators = |_| Ok(HashEvaluator::new(6, u64::from(generation)));
        run.generate::<V, _>(generation, evaluators).expect("a generation");
    }
    let mut text = String::new();
    for game in run.games::<V>() {
        let sheet = &game.sheet;
        let start = sheet.start.start_fen().unwrap_or_else(|| "the start position".to_owned());
        let (result, termination) = (sheet.outcome.result, sheet.outcome.termination);
        writeln!(text, "{:016x}: {result} by {termination}, {}, from {start}", game.game_id, sheet.rules)
            .expect("text");
        writeln!(text, "{}", game.moves_text).expect("text");
        let replayed = sheet.replay_unchecked(sheet.plies());
        for at in &game.positions {
            let position = &replayed.positions()[usize::from(at.ply)];
            assert_eq!(at.pos_key, position.key().to_bytes(), "{} at ply {}", V::ID, at.ply);
            let mut target: Vec<_> = at.policy_move.iter().zip(&at.policy_visits).collect();
            target.sort_by_key(|&(_, weight)| Reverse(*weight));
            write!(text, "{:3} {:6} {:2} visits:", at.ply, position.format_move(at.mv), at.visits).expect("text");
            for (mv, weight) in target.iter().take(SHOWN) {
                write!(text, "  {} {weight}", position.format_move(**mv)).expect("text");
            }
            writeln!(text, "  (of {})", target.len()).expect("text");
        }
        text.push('\n');
    }
    text
}

#[test]
fn games_are_what_they_were() {
    for &id in VariantId::ALL {
        let file = format!("games/{}.txt", id.id());
        // A variant without a file is not compared.
        if Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(&file).exists() {
            expect_file![file].assert_eq(&rules::dispatch!(id, V => played::<V>()));
        }
    }
}
