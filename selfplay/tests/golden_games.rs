//! The games of a small run, with random evaluations, have the digests recorded here. A change of the generator, the
//! search or the record that changes games on purpose must update them.

use crate::scratch_run::ScratchRun;
use rules::{Variant, VariantId};
use search::HashEvaluator;
use std::fmt::Write as _;

/// Digests of all discrete data in the games of two generations: ids, starts, moves, ends and policies. (Floating-point
/// figures may differ in the last bit between mathematical libraries.) A variant without a row is not compared.
const GAMES: &[(&str, &str)] = &[
    ("janggi", "b9987a50195eff9a"),
    ("xiangqi", "25fb2702d25f9c9e"),
    ("shogi", "021eae0d02a39cd0"),
    ("wangqi", "a1f036b2c5664cfb"),
    ("koshogi", "267cc60e4c141a43"),
];

fn played<V: Variant>() -> String {
    let run = ScratchRun::new(2);
    for generation in 0..2 {
        let evaluators = |_| Ok(HashEvaluator::new(6, u64::from(generation)));
        run.generate::<V, _>(generation, evaluators).expect("a generation");
    }
    let mut text = String::new();
    for game in run.games::<V>() {
        let sheet = &game.sheet;
        let start = sheet.start.start_fen().unwrap_or_else(|| "-".to_owned());
        let (result, termination) = (sheet.outcome.result.number(), sheet.outcome.termination);
        let _ = writeln!(text, "{:016x} {} {start} {result} {termination}", game.game_id, sheet.rules);
        let _ = writeln!(text, "{}", game.moves_text);
        for at in &game.positions {
            let key: String = at.pos_key.iter().map(|byte| format!("{byte:02x}")).collect();
            let moves: Vec<u32> = at.policy_move.iter().map(|mv| mv.raw()).collect();
            let _ = writeln!(text, "{} {} {key} {moves:?} {:?} {}", at.ply, at.mv.raw(), at.policy_visits, at.visits);
        }
    }
    text
}

/// FNV-1a.
fn digest(text: &str) -> String {
    let digest =
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{digest:016x}")
}

#[test]
fn games_are_what_they_were() {
    let digest_now = |id: &str| {
        let variant: VariantId = id.parse().expect("a variant");
        digest(&rules::dispatch!(variant, V => played::<V>()))
    };
    let now: Vec<(&str, String)> = GAMES.iter().map(|&(id, _)| (id, digest_now(id))).collect();
    let now: Vec<(&str, &str)> = now.iter().map(|(id, digest)| (*id, digest.as_str())).collect();
    assert_eq!(now, GAMES);
}
