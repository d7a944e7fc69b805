//! A program that pip installed: its library lies in the Python package `kirin`, and libtorch in the package `torch` of the
//! same environment.
//!
//! ```text
//! ENVIRONMENT/bin/kirin                                                   the program
//! ENVIRONMENT/lib/python3.12/site-packages/kirin/lib/libkirin_torch.so    finds libtorch by $ORIGIN/../../torch/lib
//! ENVIRONMENT/lib/python3.12/site-packages/torch/lib/libtorch_cpu.so
//! ```

use super::LibraryError;
use std::fs;
use std::path::{Path, PathBuf};

/// What to do where a library is not whole, or cannot be opened.
pub(super) const REPAIR: &str = "install it again with its PyTorch: pip install --force-reinstall \"kirin-….whl[train]\", with the wheel's own name";

/// Largest file with the version of PyTorch. It has about 300 bytes.
const MOST_VERSION_BYTES: u64 = 64 << 10;

/// The folders that the library may have been installed into, as seen from the program.
pub(super) fn folders(program: &Path) -> Vec<PathBuf> {
    let Some(environment) = program.parent().and_then(Path::parent) else { return Vec::new() };
    let mut found = Vec::new();
    for libraries in ["lib", "lib64"].map(|name| environment.join(name)) {
        // What cannot be listed holds nothing.
        let pythons = fs::read_dir(libraries).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut pythons: Vec<PathBuf> = pythons.filter(|path| named(path, "python3")).collect();
        pythons.sort();
        // Debian's own Python calls the folder dist-packages.
        found
            .extend(pythons.iter().flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.join(name))));
    }
    found.push(environment.to_owned()); // `pip install --target`
    found.into_iter().map(|packages| packages.join("kirin/lib")).filter(|folder| folder.is_dir()).collect()
}

fn named(path: &Path, begin: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin))
}

/// The folder of libtorch for a library in such a folder.
///
/// # Errors
/// PyTorch is not installed, or in another version than the library was built for.
pub(super) fn libtorch(folder: &Path) -> Result<PathBuf, LibraryError> {
    // The parent of `kirin/lib`.
    let packages = folder.ancestors().nth(2).unwrap_or(folder);
    let torch = packages.join("torch");
    let none = || LibraryError::NotInstalled { packages: packages.to_owned(), version: VERSION };
    let text = data::bounded::read_ordinary(&torch.join("version.py"), MOST_VERSION_BYTES).map_err(|_| none())?;
    let text = String::from_utf8_lossy(&text);
    let found = version(&text).ok_or_else(none)?;
    // The last number changes neither the functions nor their meaning.
    let same = VERSION.rsplit_once('.').is_some_and(|(release, _)| found.starts_with(&format!("{release}.")));
    if !same {
        return Err(LibraryError::OtherVersion { torch, found: found.to_owned(), version: VERSION });
    }
    Ok(torch.join("lib"))
}

/// The version that `scripts/libtorch` installs and the wheel asks for.
const VERSION: &str = "2.11.0";

/// The version in PyTorch's `version.py`: `__version__ = '2.11.0+cpu'`.
fn version(text: &str) -> Option<&str> {
    let value = text.lines().find_map(|line| line.strip_prefix("__version__")?.split_once('='))?.1.trim();
    Some(value.trim_matches(['\'', '"'])).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An environment with the program and the packages of two versions of Python.
    fn environment() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for path in ["bin", "lib/python3.10/site-packages/kirin/lib", "lib/python3.12/site-packages", "lib/share"] {
            fs::create_dir_all(folder.path().join(path)).expect("a folder");
        }
        folder
    }

    #[test]
    fn the_package_is_found_from_the_program() {
        let folder = environment();
        let wanted = folder.path().join("lib/python3.10/site-packages/kirin/lib");
        assert_eq!(folders(&folder.path().join("bin/kirin")), [wanted]);
        fs::create_dir_all(folder.path().join("kirin/lib")).expect("a folder");
        let found = folders(&folder.path().join("bin/kirin"));
        assert_eq!(found.last(), Some(&folder.path().join("kirin/lib")), "pip install --target");
        assert!(folders(Path::new("kirin")).is_empty());
    }

    #[test]
    fn pytorch_must_be_there_and_of_this_version() {
        let folder = environment();
        let packages = folder.path().join("lib/python3.10/site-packages");
        let error = libtorch(&packages.join("kirin/lib")).expect_err("no PyTorch").to_string();
        assert!(error.contains("pip install torch==2.11.0") && error.contains("site-packages"), "{error}");
        fs::create_dir(packages.join("torch")).expect("a folder");
        let told = |text: &str| {
            fs::write(packages.join("torch/version.py"), text).expect("written");
            libtorch(&packages.join("kirin/lib")).map_err(|error| error.to_string())
        };
        let head = "from typing import Optional\n__all__ = ['__version__']\n";
        for right in ["2.11.0", "2.11.0+cpu", "2.11.1"] {
            assert_eq!(told(&format!("{head}__version__ = '{right}'\n")), Ok(packages.join("torch/lib")));
        }
        for wrong in ["2.1.1", "2.12.0+cu130", "12.11.0"] {
            let error = told(&format!("{head}__version__ = '{wrong}'\n")).expect_err("another version");
            assert!(error.contains(wrong) && error.contains("pip install torch==2.11.0"), "{error}");
        }
        assert!(told("debug = False\n").is_err_and(|error| error.contains("not installed")));
    }
}
