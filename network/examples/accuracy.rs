//! How far integers are from fp32 for the networks that come with the program, on positions of their own games.
//!
//! `cargo run --release -p network --example accuracy`

#[path = "../tests/bundled.rs"]
mod bundled;

use network::Agreement;
use rules::VariantId;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    for &id in VariantId::ALL {
        let batches = if id == VariantId::Koshogi { 8 } else { 64 };
        let (found, largest) = rules::dispatch!(id, V => bundled::agreement::<V>(batches))?;
        let Agreement { positions, policy_kl, q_rms, same_first_move, .. } = found;
        println!(
            "{id:<8} {positions:>5} positions: mean KL {policy_kl:.5}, same first move {:.1} %, q: rms {q_rms:.4}, largest {largest:.3}",
            100.0 * same_first_move
        );
    }
    Ok(())
}
