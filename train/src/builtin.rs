//! The networks that come with Kirin, so that there is an opponent before anything is trained. Each was made by
//! `kirin run` with a configuration in `configs/`, from nothing or from the network of such a run; `docs/results` says
//! how strong it is.

use crate::error::Result;
use network::NetworkFile;
use rules::VariantId;
use std::path::PathBuf;

/// The files in `networks/`, each with the variant that it is named after (`build.rs`).
const NETWORKS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/networks.rs"));

/// Whether a network of a variant comes with Kirin.
pub fn has_builtin(variant: VariantId) -> bool {
    NETWORKS.iter().any(|(of, _)| *of == variant.id())
}

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
    let found = NETWORKS.iter().find(|(of, _)| *of == variant.id());
    let path = || PathBuf::from(format!("train/networks/{variant}.safetensors"));
    Ok(found.map(|(_, bytes)| NetworkFile::of_bytes(&path(), bytes)).transpose()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_network_plays_its_variant_and_is_small() {
        assert!(!NETWORKS.is_empty());
        for &(name, bytes) in NETWORKS {
            let variant: VariantId = name.parse().unwrap();
            let network = builtin(variant).unwrap().unwrap();
            rules::dispatch!(variant, V => network.require::<V>(Path::new(name)).unwrap());
            assert!(network.generation() > 0 && bytes.len() <= 1 << 20, "{name}: {} bytes", bytes.len());
            assert_eq!(network.in_bf16().unwrap().id(), network.id(), "{name} is in bf16");
        }
    }
}
