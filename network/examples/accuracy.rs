//! How far integers are from fp32 for the networks that come with the program, on positions of their own games.
//!
//! `cargo run --release -p network --example accuracy`

#[path = "../tests/bundled.rs"]
mod bundled;

use bundled::{Difference, calibrated, evaluated};
use network::PlayNetwork;
use rules::{Janggi, Koshogi, Shogi, Variant, Wangqi, Xiangqi};
use std::error::Error;

fn report<V: Variant>(calibration: usize, positions: usize) -> Result<(), Box<dyn Error>> {
    let network = bundled::network::<V>()?;
    let (quantised, leaves) = calibrated::<V>(&network, calibration, positions)?;
    let exact = evaluated(&PlayNetwork::fp32(&network)?, &leaves)?;
    let Difference { kl, first_move, q, largest_q, largest } =
        Difference::of(&leaves, &exact, &evaluated(&PlayNetwork::int8(&quantised), &leaves)?);
    println!(
        "{:<8} {positions:>5} positions: mean KL {kl:.5}, same first move {:.1} %, q: rms {q:.4}, largest {largest_q:.3}; largest \
         difference of a logit {largest:.3}",
        V::ID,
        100.0 * first_move
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    report::<Xiangqi>(512, 4096)?;
    report::<Shogi>(512, 4096)?;
    report::<Janggi>(512, 4096)?;
    report::<Wangqi>(512, 4096)?;
    report::<Koshogi>(128, 512)
}
