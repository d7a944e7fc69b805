//! The Python with PyTorch that `scripts/oracles python` installs, for the tests of `kirin.net`.

use safetensors::tensor::{Dtype, TensorView};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use tch::{Kind, Tensor};
use testkit::oracle;

/// The Python, if it was installed from the current list of packages; otherwise it is missing.
pub fn python() -> Option<PathBuf> {
    let list = include_str!("../../../python/net_tests/requirements.txt");
    let folder = oracle::packages("python", list, "PyTorch for kirin.net is missing (scripts/oracles python)");
    folder.map(|folder| folder.join("python"))
}

/// Runs the unit tests in a folder of `python/net_tests`, which find the package, `more` packages, and our results in
/// `reference`.
pub fn unit_tests(python: &Path, tests: &str, more: &[PathBuf], reference: &Path) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python");
    // A package `kirin` with `net` alone: the rest needs the compiled module.
    let package = tempfile::tempdir().unwrap();
    std::fs::create_dir(package.path().join("kirin")).unwrap();
    let net = sources.join("kirin/net").canonicalize().unwrap();
    std::os::unix::fs::symlink(net, package.path().join("kirin/net")).unwrap();
    let paths = [&[package.path().to_owned()], more].concat();
    let output = Command::new(python)
        .args(["-m", "unittest", "discover", "--start-directory"])
        .arg(sources.join("net_tests").join(tests))
        .env("PYTHONPATH", std::env::join_paths(paths).unwrap())
        .env("KIRIN_REFERENCE", reference)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("OK") && !text.contains("skipped"), "{text}");
}

/// A safetensors file of fp32 tensors.
#[derive(Default)]
pub struct Tensors(BTreeMap<&'static str, (Vec<usize>, Vec<u8>)>);

impl Tensors {
    pub fn put(&mut self, name: &'static str, shape: &[usize], values: impl IntoIterator<Item = f32>) {
        let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
        self.0.insert(name, (shape.to_vec(), bytes));
    }

    pub fn put_tensor(&mut self, name: &'static str, tensor: &Tensor) {
        let shape: Vec<usize> = tensor.size().iter().map(|&n| n as usize).collect();
        let flat = tensor.to_kind(Kind::Float).contiguous().view(-1);
        self.put(name, &shape, Vec::<f32>::try_from(flat).unwrap());
    }

    pub fn write(&self, path: &Path) {
        let views = self
            .0
            .iter()
            .map(|(name, (shape, bytes))| (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()));
        std::fs::write(path, safetensors::serialize(views, None).unwrap()).unwrap();
    }
}
