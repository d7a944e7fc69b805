//! The published schemas of Kubernetes, which are independent of our writer, accept the manifests: PyPI's
//! `kubernetes-validate`, in strict mode, so that an unknown key is an error.
//!
//! `scripts/oracles` installs it. Where it is missing the test says so and passes; with `KIRIN_ORACLES=required` that
//! is a failure.

use distributed::deployment::{Deployment, Needs, Pace, kubernetes};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testkit::oracle;

/// The oldest version of Kubernetes that knows all features used here, and the newest with published schemas.
const VERSIONS: [&str; 2] = ["1.31", "1.37"];

/// Where `scripts/oracles` installs the validator.
fn validator() -> Option<PathBuf> {
    oracle::packages("kubernetes", include_str!("requirements.txt"), "kubernetes-validate is missing (scripts/oracles)")
}

fn manifests(gpus: u32, full: bool) -> Vec<distributed::deployment::TextFile> {
    let needs = Needs { cpus: 2, memory: "4G".parse().unwrap(), gpus };
    let text = |text: &str| if full { text.to_owned() } else { String::new() };
    let deployment = Deployment {
        name: "demo".to_owned(),
        store: "s3://bucket/demo".to_owned(),
        config: "# 王棋 and a \"quote\": {not} &yaml\n[run]\nvariant = \"wangqi\"\n\n[search]\nvisits = 16\n"
            .to_owned(),
        workers: 1000,
        worker: needs,
        trainer: needs,
        referee: needs,
        grace: 120,
        spool: "1G".parse().unwrap(),
        pace: Pace { shard_seconds: Some(300.0), shard_games: None, poll_seconds: Some(30.0) },
    };
    let options = kubernetes::Options {
        image: "registry.example/kirin:1".to_owned(),
        namespace: text("chess"),
        secret: "demo-store".to_owned(),
        service_account: text("player"),
        work: "20G".parse().unwrap(),
        back_off: 6,
    };
    kubernetes::files(&deployment, &options).unwrap()
}

fn validate(packages: &Path, version: &str, file: &Path) -> Output {
    let arguments = ["-m", "kubernetes_validate", "--strict", "-k", version];
    let mut command = Command::new("python3");
    command.args(arguments).arg(file).env("PYTHONPATH", packages);
    command.output().expect("python3 starts")
}

#[test]
fn manifests_are_valid_in_old_and_new_versions_of_kubernetes() {
    let Some(packages) = validator() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut checked = 0;
    for file in manifests(0, false).into_iter().chain(manifests(1, true)).filter(|file| file.name.ends_with(".yaml")) {
        let path = folder.path().join(&file.name);
        std::fs::write(&path, &file.text).unwrap();
        for version in VERSIONS {
            let output = validate(&packages, version, &path);
            let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{} for {version}: {told}\n{}", file.name, file.text);
            checked += 1;
        }
    }
    assert_eq!(checked, 16);
    // A check of the validator: an unknown key is an error.
    let path = folder.path().join("wrong.yaml");
    let wrong = manifests(0, false).into_iter().find(|file| file.name == "worker.yaml").unwrap();
    std::fs::write(&path, wrong.text.replace("backoffLimitPerIndex", "backOffLimitPerIndex")).unwrap();
    assert!(!validate(&packages, VERSIONS[0], &path).status.success());
}
