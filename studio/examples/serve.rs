//! A studio for work on its pages: builds in seconds, where the whole program takes minutes.
//!
//! ```sh
//! cargo run --release -p studio --example serve -- 7878 runs
//! ```

use std::sync::atomic::AtomicBool;
use studio::{Studio, StudioConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().ok_or("name a port")?.parse()?;
    let sources = arguments.map(Into::into).collect();
    let studio = Studio::open(&StudioConfig { sources, listen: ([127, 0, 0, 1], port).into(), searches: 0 })?;
    println!("{}", studio.address());
    Ok(studio.serve(&AtomicBool::new(false))?)
}
