//! Networks on the command line: a network file, or a run folder for the newest network of that run.

use crate::failure::{input, must_exist};
use ::train::{EvaluatorConfig, NetworkEvaluator, NetworkFile, Workload};
use anyhow::Context;
use lab::RunFolder;
use rules::VariantId;
use std::path::{Path, PathBuf};

/// [`find`], and for a folder a line on standard error that names the file.
///
/// # Errors
/// As [`find`].
pub fn file(path: &Path) -> anyhow::Result<PathBuf> {
    let file = find(path)?;
    if path.is_dir() {
        eprintln!("{}: the newest network of {}", file.display(), path.display());
    }
    Ok(file)
}

/// The network file that `path` stands for: the file itself, or the newest network in a run folder (or in its folder
/// `nets`).
///
/// # Errors
/// There is nothing at `path`, or the folder holds no network.
pub fn find(path: &Path) -> anyhow::Result<PathBuf> {
    must_exist(path)?;
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let nets = RunFolder::new(path).networks();
    let folder = if nets.is_dir() { nets } else { path.to_owned() };
    let (_, file) = lab::newest_network(&folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .ok_or_else(|| input(format!("{} holds no network (nets/gen-NNNN.safetensors)", path.display())))?;
    Ok(file)
}

/// Positions of one search in a call of libtorch.
const TORCH_BATCH: usize = 16;

/// An evaluator for one search, which collects `batch` leaves for each call; 0 means one, and 16 for libtorch.
///
/// # Errors
/// The network cannot be evaluated, or there is a GPU and libtorch fails.
pub fn evaluator(network: &NetworkFile, batch: u32) -> anyhow::Result<NetworkEvaluator> {
    let open = EvaluatorConfig::default();
    let batch = match batch {
        0 if open.needs_libtorch()? => TORCH_BATCH,
        given => given.max(1) as usize,
    };
    let (config, _) = EvaluatorConfig { batch, ..open }.for_network(network, Workload::default())?;
    Ok(NetworkEvaluator::new(network, &config)?)
}

/// Reads the network that `path` stands for (see [`file()`]) and the variant it plays, which must be `variant` if that is
/// given.
///
/// # Errors
/// As [`file()`]; or the file is damaged, or its network plays another variant.
pub fn read(path: &Path, variant: Option<VariantId>) -> anyhow::Result<(NetworkFile, VariantId)> {
    let path = &file(path)?;
    let network = NetworkFile::read(path)?;
    let variant = variant.map_or_else(|| variant_of(&network, path), Ok)?;
    rules::dispatch!(variant, V => network.require::<V>(path))?;
    Ok((network, variant))
}

/// The variant that the network of the file `path` plays.
///
/// # Errors
/// This version of Kirin does not know the variant.
pub fn variant_of(network: &NetworkFile, path: &Path) -> anyhow::Result<VariantId> {
    network.blueprint().variant.parse().with_context(|| format!("network {}", path.display()))
}

/// The value of `--net` for a search without a network.
const NO_NETWORK: &str = "none";

/// Whether the option `--net` asks for a search without a network.
pub fn is_none(path: &Path) -> bool {
    path == Path::new(NO_NETWORK)
}

/// The network of the option `--net`, and the variant: that of `--variant`, or else the network's. Without `--net` it is the
/// network that comes with Kirin, which a line on standard error reports.
///
/// # Errors
/// As [`read`]; or the options name no variant.
pub fn with_variant(
    net: Option<&Path>,
    variant: Option<VariantId>,
) -> anyhow::Result<(Option<NetworkFile>, VariantId)> {
    match (net.filter(|path| !is_none(path)), variant) {
        (Some(path), variant) => read(path, variant).map(|(network, variant)| (Some(network), variant)),
        (None, Some(variant)) if net.is_some() => Ok((None, variant)),
        (None, Some(variant)) => {
            let network = ::train::builtin(variant)?;
            match &network {
                Some(_) => eprintln!(
                    "using the network that comes with Kirin; --net FILE uses another, and --net {NO_NETWORK} uses none"
                ),
                None => {
                    eprintln!("no network of {variant} comes with Kirin, so the search uses none; --net FILE names one")
                }
            }
            Ok((network, variant))
        }
        (None, None) => Err(input("no variant is given; add --variant, or --net with a network file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_folder_stands_for_its_newest_network() {
        let run = tempfile::tempdir().unwrap();
        let nets = run.path().join("nets");
        std::fs::create_dir(&nets).unwrap();
        let error = file(run.path()).unwrap_err().to_string();
        assert!(error.contains("holds no network") && error.contains(&run.path().display().to_string()), "{error}");
        for name in ["gen-0002", "gen-0010", "gen-0009"] {
            std::fs::write(nets.join(name).with_extension("safetensors"), "").unwrap();
        }
        for name in [".gen-0011.safetensors.tmp-7-0", "gen-0012.json", "best.safetensors"] {
            std::fs::write(nets.join(name), "").unwrap();
        }
        let newest = nets.join("gen-0010.safetensors");
        assert_eq!(file(run.path()).unwrap(), newest);
        assert_eq!(file(&nets).unwrap(), newest);
        let oldest = nets.join("gen-0002.safetensors");
        assert_eq!(file(&oldest).unwrap(), oldest, "a file stands for itself");
    }

    #[test]
    fn a_path_that_is_not_there_is_named() {
        let error = format!("{:#}", file(Path::new("no/such/run")).unwrap_err());
        assert!(error.starts_with("cannot read no/such/run: "), "{error}");
    }
}
