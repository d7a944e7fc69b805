//! What ARCHITECTURE.md says is absent from the source, read from the source: unsafe code outside a few files, names of
//! variants outside a variant's own folder, circles of modules in `train` and `python`, and tests that never run.

use rules::VariantId;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The files that may contain unsafe code, and what they buy with it.
const MAY_BE_UNSAFE: &[(&str, &str)] = &[
    ("engine/src/client/sys/unix.rs", "the system calls around a child process that the standard library lacks"),
    ("engine/src/client/sys/windows.rs", "jobs of Windows, by which a process ends with all that it has started"),
    ("network/src/kernels/avx2.rs", "products and sums of vectors of 256 bits"),
    ("network/src/kernels/avx512vnni.rs", "products and sums of vectors of 512 bits"),
    ("network/src/kernels/avxvnni.rs", "four products of integers in one lane of such a vector"),
    ("network/src/kernels/neon.rs", "products and sums of vectors of 128 bits on aarch64"),
    ("network/tests/allocation.rs", "an allocator that counts"),
    ("rules/src/popcnt.rs", "the instruction POPCNT where the processor has it"),
    ("search/tests/allocation.rs", "an allocator that counts"),
    ("train/src/inference/stream.rs", "CUDA streams, which the bindings of libtorch lack"),
    ("train/src/libtorch/functions.rs", "a jump to each of those functions"),
    ("train/src/libtorch/linked.rs", "opening libtorch's GPU part where libtorch is linked"),
    ("train/src/libtorch/memory.rs", "settings of the C library's allocator"),
    ("train/src/libtorch/shared.rs", "opening that shared library when it is needed"),
    ("train/src/staging.rs", "planes written into a tensor without a copy"),
    ("train/src/trunk/lanes.rs", "products of matrices without a check of each index"),
    ("train/src/trunk/x86.rs", "products and sums of vectors in training"),
    ("train/torch/src/lib.rs", "the functions of libtorch in a table, across the border of a shared library"),
];

/// Where variants have their names, apart from tests, benches and examples: their own folders, the table, and what the
/// crate shows of itself. `peers` holds other people's engines, which play certain games.
fn may_name_variants(path: &str) -> bool {
    let own_folder = |id: &VariantId| path.starts_with(&format!("rules/src/{id}/"));
    VariantId::ALL.iter().any(own_folder)
        || ["rules/src/variants.rs", "rules/src/lib.rs"].contains(&path)
        || path.starts_with("dev/peers/")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The members of the workspace.
fn members() -> Vec<String> {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("the manifest is TOML");
    let members = manifest["workspace"]["members"].as_array().expect("members is a list");
    members.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// Every Rust file below some folders, as a path from the root with `/` between its parts.
fn rust_files(folders: &[String]) -> Vec<String> {
    let mut files = Vec::new();
    let mut left = folders.to_vec();
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap_or_else(|error| panic!("{folder}: {error}")) {
            let entry = entry.expect("a readable folder");
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                left.push(path);
            } else if path.ends_with(".rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.dedup(); // a package may lie in another one
    files
}

/// Whether a file is part of a library or program: not a test, bench or example.
fn is_source(path: &str) -> bool {
    path.contains("/src/") && !["/tests/", "/benches/", "/examples/"].iter().any(|other| path.contains(other))
}

/// The words of a source text, comments left out.
fn words(text: &str) -> BTreeSet<&str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split(" // ").next().unwrap_or_default().split(is_between_words)).collect()
}

fn is_between_words(character: char) -> bool {
    !character.is_alphanumeric() && character != '_'
}

/// The lines of a source text, each `#[cfg(test)] mod …` made one item of two lines.
fn items(text: &str) -> Vec<(&str, Option<&str>)> {
    let mut items = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let module = lines.next_if(|next| line == "#[cfg(test)]" && next.contains("mod "));
        items.push((line, module));
        if module.is_some_and(|module| module.ends_with('{')) {
            // A module in the file ends with its brace.
            lines.find(|&line| line == "}");
        }
    }
    items
}

/// A source text without its `#[cfg(test)] mod …`.
fn without_tests(text: &str) -> String {
    items(text).iter().filter(|(_, module)| module.is_none()).map(|(line, _)| format!("{line}\n")).collect()
}

/// Where the modules lie that a file compiles for tests alone: paths without `.rs`.
fn test_modules(path: &str, text: &str) -> Vec<String> {
    let stem = path.trim_end_matches(".rs");
    let folder = match stem.rsplit_once('/') {
        Some((folder, "mod" | "lib" | "main")) => folder,
        _ => stem,
    };
    let names = items(text).into_iter().filter_map(|(_, module)| module?.strip_suffix(';')?.split("mod ").last());
    names.map(|name| format!("{folder}/{name}")).collect()
}

#[test]
fn only_these_files_are_unsafe() {
    // This file speaks of it only, and the lints of its crate deny it.
    let others = rust_files(&members()).into_iter().filter(|path| path != "rules/tests/absences.rs");
    // The policy of a web page has a word of its own for scripts that stand in the page.
    let text = |path: &str| read(path).replace("'unsafe-inline'", "");
    let found: Vec<String> = others.filter(|path| words(&text(path)).contains("unsafe")).collect();
    let listed: Vec<&str> = MAY_BE_UNSAFE.iter().map(|(path, _)| *path).collect();
    assert_eq!(found, listed, "unsafe code stands in other files than MAY_BE_UNSAFE lists");
    for path in listed {
        assert!(read(path).contains("SAFETY:"), "{path} does not say why it is sound");
    }
}

#[test]
fn crates_without_unsafe_code_forbid_it() {
    for member in members() {
        let roots = ["lib.rs", "main.rs"].map(|file| format!("{member}/src/{file}"));
        let forbids = roots.iter().filter(|path| root().join(path).exists()).all(|path| {
            let text = read(path);
            text.lines().any(|line| line == "#![forbid(unsafe_code)]")
        });
        let needs_it = MAY_BE_UNSAFE.iter().any(|(path, _)| path.starts_with(&format!("{member}/src/")));
        assert_eq!(forbids, !needs_it, "{member}: #![forbid(unsafe_code)] and MAY_BE_UNSAFE disagree");
    }
}

#[test]
fn every_crate_has_the_lints_of_the_workspace() {
    for member in members() {
        let manifest: toml::Table = read(&format!("{member}/Cargo.toml")).parse().expect("the manifest is TOML");
        let inherited = manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool());
        assert_eq!(inherited, Some(true), "{member}/Cargo.toml: [lints] workspace = true is missing");
    }
}

#[test]
fn the_modules_of_these_packages_need_each_other_in_one_direction() {
    for package in ["train", "python"] {
        let source = format!("{package}/src/");
        let root = format!("{source}lib.rs");
        let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in rust_files(&[format!("{package}/src")]).iter().filter(|path| **path != root) {
            let module = path[source.len()..].split(['/', '.']).next().expect("a first part").to_owned();
            let text = without_tests(&read(path));
            assert!(!text.contains("crate::{"), "{path}: this test reads `crate::NAME` only");
            let named = text.split("crate::").skip(1).filter_map(|rest| rest.split(is_between_words).next());
            let others = named.filter(|&name| name != module).map(str::to_owned).collect::<Vec<_>>();
            needs.entry(module).or_default().extend(others);
        }
        assert!(needs.len() > 5, "the modules of {package} are elsewhere");
        // What needs nothing that is left is in no circle.
        while let Some(free) = needs.iter().find(|(_, of)| of.iter().all(|name| !needs.contains_key(name))) {
            let free = free.0.clone();
            needs.remove(&free);
        }
        assert!(needs.is_empty(), "these modules of {package} need each other in a circle: {needs:?}");
    }
}

/// What a message calls damaged may be a person's only copy, or a sound file of another kind.
#[test]
fn no_message_advises_to_delete() {
    let mut found = Vec::new();
    for path in rust_files(&members()).into_iter().filter(|path| is_source(path)) {
        for line in without_tests(&read(&path)).lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            let line = line.to_lowercase();
            let advice = ["delete", "remove"].iter().flat_map(|verb| {
                ["it", "that", "this", "the file", "the folder", "the line", "the second", "its line"]
                    .map(|what| format!("{verb} {what}"))
            });
            if advice.into_iter().any(|words| line.contains(&format!(" {words}"))) {
                found.push(format!("{path}: {line}"));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_code_names_a_variant() {
    let names: BTreeSet<String> =
        VariantId::ALL.iter().flat_map(|id| [id.id().to_owned(), format!("{id:?}")]).collect();
    let is_source = |path: &String| is_source(path) || path.ends_with("build.rs");
    let sources: Vec<(String, String)> =
        rust_files(&members()).into_iter().filter(is_source).map(|path| (path.clone(), read(&path))).collect();
    let tests: BTreeSet<String> = sources.iter().flat_map(|(path, text)| test_modules(path, text)).collect();
    let is_test = |path: &str| {
        let stem = path.trim_end_matches(".rs").trim_end_matches("/mod");
        tests.iter().any(|module| stem == module || stem.starts_with(&format!("{module}/")))
    };
    let mut looked_at = 0;
    for (path, text) in sources.iter().filter(|(path, _)| !is_test(path) && !may_name_variants(path)) {
        let text = without_tests(text);
        let named: Vec<&str> = words(&text).into_iter().filter(|word| names.contains(*word)).collect();
        assert!(named.is_empty(), "{path} names {}", named.join(", "));
        looked_at += 1;
    }
    assert!(looked_at > 200, "only {looked_at} files were looked at");
}

#[test]
fn tests_are_cut_out_and_nothing_else() {
    let text = "mod a;\n#[cfg(test)]\nmod b;\nfn c() {}\n#[cfg(test)]\nmod tests {\n    fn d() {}\n}\nfn e() {}\n";
    assert_eq!(without_tests(text), "mod a;\nfn c() {}\nfn e() {}\n");
    assert_eq!(test_modules("eval/src/lib.rs", text), ["eval/src/b"]);
    assert_eq!(test_modules("eval/src/openings.rs", text), ["eval/src/openings/b"]);
}

/// Where test programs are named in the manifest (`autotests = false`), cargo passes over a file that none of them
/// names.
#[test]
fn no_file_of_tests_is_left_out() {
    let mut files_of_parts = 0;
    for member in members() {
        let text = read(&format!("{member}/Cargo.toml"));
        let manifest: toml::Table = text.parse().expect("the manifest is TOML");
        if manifest["package"].get("autotests").and_then(toml::Value::as_bool) != Some(false) {
            continue;
        }
        let programs: Vec<&str> = manifest["test"]
            .as_array()
            .expect("a list of programs")
            .iter()
            .filter_map(|test| test.get("path")?.as_str())
            .collect();
        let parts: String = programs.iter().map(|path| read(&format!("{member}/{path}"))).collect();
        let folder = format!("{member}/tests");
        for file in rust_files(std::slice::from_ref(&folder)) {
            let within = file.strip_prefix(&format!("{folder}/")).expect("a file of the folder");
            // A file in a folder is a part of what the folder's module says.
            let Some(part) = within.strip_suffix(".rs").filter(|part| !part.contains('/')) else { continue };
            let is_there = programs.contains(&format!("tests/{within}").as_str())
                || parts.lines().any(|line| line == format!("mod {part};"));
            assert!(is_there, "{file}: no test program has it");
            files_of_parts += 1;
        }
    }
    assert!(files_of_parts > 20, "{files_of_parts}");
}
