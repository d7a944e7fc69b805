//! Evaluations per second of a network size on this machine, by precision, batch and threads.
//!
//! `cargo run --release -p train --example speed -- wangqi 4 64`

use rules::VariantId;
use std::time::Duration;
use train::{Blueprint, DeviceChoice, EvaluatorConfig, NetworkConfig, NetworkFile, Precision, measure};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let variant: VariantId = arguments.next().as_deref().unwrap_or("wangqi").parse()?;
    let mut number = |default: usize| arguments.next().map_or(Ok(default), |text| text.parse());
    let config = NetworkConfig { blocks: number(4)?, channels: number(64)?, ..NetworkConfig::default() };
    let blueprint = rules::dispatch!(variant, V => Blueprint::of::<V>(config));
    let network = NetworkFile::untrained(blueprint, 1)?;
    println!("precision  batch  threads  evaluations/s");
    for precision in [Precision::Fp32, Precision::Bf16] {
        for batch in [16, 32, 64, 128] {
            for threads in [1, 2] {
                let config = EvaluatorConfig { device: DeviceChoice::Cpu, precision, batch };
                let speed = measure(&network, &config, threads, Duration::from_millis(700))?;
                println!("{precision:<9?}  {batch:>5}  {threads:>7}  {:>13.0}", speed.evaluations_per_second);
            }
        }
    }
    Ok(())
}
