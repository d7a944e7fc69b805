//! How far integers are from fp32 for the networks that come with the program, on positions of their own games.
//!
//! `cargo run --release -p network --example accuracy`

#[path = "../tests/bundled.rs"]
mod bundled;

use network::{Agreement, Numbers};
use rules::{Variant, VariantId};
use search::Evaluations;
use std::error::Error;

fn report<V: Variant>(positions: usize) -> Result<(), Box<dyn Error>> {
    let file = bundled::network::<V>();
    let leaves = bundled::own_positions::<V>(&file, positions, 2);
    let [mut exact, mut integers] = [Evaluations::default(), Evaluations::default()];
    file.evaluator(Numbers::Fp32, 1)?.evaluate_leaves(&leaves, &mut exact)?;
    file.evaluator(Numbers::Int8, 1)?.evaluate_leaves(&leaves, &mut integers)?;
    let Agreement { policy_kl, q_rms, same_first_move, .. } = Agreement::of([(&leaves, &exact, &integers)]);
    let q = |wdl: &[f32; 3]| wdl[0] - wdl[2];
    let largest = exact.wdl.iter().zip(&integers.wdl).map(|(a, b)| (q(a) - q(b)).abs()).fold(0.0, f32::max);
    println!(
        "{:<8} {positions:>5} positions: mean KL {policy_kl:.5}, same first move {:.1} %, q: rms {q_rms:.4}, largest {largest:.3}",
        V::ID,
        100.0 * same_first_move
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    for &id in VariantId::ALL {
        let positions = if id == VariantId::Koshogi { 512 } else { 4096 };
        rules::dispatch!(id, V => report::<V>(positions))?;
    }
    Ok(())
}
