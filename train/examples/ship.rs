//! Makes a network ready to come with Kirin: `cargo run --release -p train --example ship -- NETWORK FILE`.
//!
//! The weights are rounded to bf16, so that FILE is half as large. Results are to be measured with FILE, which is another
//! network by its contents.

use std::error::Error;
use std::path::Path;
use train::NetworkFile;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [network, file] = arguments.as_slice() else {
        return Err("NETWORK and FILE are needed".into());
    };
    let rounded = NetworkFile::read(Path::new(network))?.in_bf16()?;
    // Measured on games of its own, so that play in integers begins at once.
    let agreement = rounded.calibration()?.agreement;
    rounded.write(Path::new(file))?;
    println!("{file}: network {} of generation {}, {agreement:?}", rounded.id(), rounded.generation());
    Ok(())
}
