//! The networks that come with Kirin, so that there is somebody to play with before anything is trained. Each was made by
//! `kirin run` with a configuration in `configs/`, from nothing; `docs/results` says how strong it is.

use crate::error::Result;
use crate::files::network_file::NetworkFile;
use rules::VariantId;
use std::path::Path;

/// The networks, with the files that they are in.
const NETWORKS: &[(VariantId, &str, &[u8])] =
    &[(VariantId::Wangqi, "train/networks/wangqi.safetensors", include_bytes!("../networks/wangqi.safetensors"))];

/// The network of a variant that comes with Kirin; `None` if there is none.
///
/// ```
/// let network = train::builtin(rules::VariantId::Wangqi)?.expect("there is one");
/// assert_eq!(network.blueprint().variant, "wangqi");
/// # Ok::<(), train::TrainError>(())
/// ```
///
/// # Errors
/// It cannot be read, which is a defect of this program, or of libtorch.
pub fn builtin(variant: VariantId) -> Result<Option<NetworkFile>> {
    let found = NETWORKS.iter().find(|(of, ..)| *of == variant);
    found.map(|(_, name, bytes)| NetworkFile::of_bytes(Path::new(name), bytes)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_plays_its_variant_and_is_small() {
        for (variant, name, bytes) in NETWORKS {
            let network = builtin(*variant).unwrap().unwrap();
            rules::dispatch!(*variant, V => network.require::<V>(Path::new(name)).unwrap());
            assert!(network.generation() > 0 && bytes.len() <= 1 << 20, "{name}: {} bytes", bytes.len());
            assert_eq!(network.in_bf16().unwrap().id(), network.id(), "{name} is in bf16");
        }
    }
}
