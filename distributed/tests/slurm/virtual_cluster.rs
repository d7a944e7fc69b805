//! SLURM on this machine, started by `scripts/slurm-cluster`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::oracle;

/// Exit code of the script where there is no SLURM.
const NO_SLURM: i32 = 69;

/// Virtual nodes with a controller; they are stopped on drop.
pub struct VirtualCluster {
    folder: tempfile::TempDir,
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/slurm-cluster")
}

impl VirtualCluster {
    /// Starts nodes of two cores each. `None` if SLURM is not installed, which is printed.
    pub fn start(nodes: u32) -> Option<VirtualCluster> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let started = Command::new(script()).arg("start").arg(folder.path()).arg(nodes.to_string()).output();
        let output = started.expect("bash");
        let told = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(NO_SLURM) && told.contains("no SLURM") {
            return oracle::missing("SLURM is missing (scripts/oracles)");
        }
        assert!(output.status.success(), "{told}");
        Some(VirtualCluster { folder })
    }

    /// Runs a command of SLURM in a folder and gives what it prints.
    pub fn run(&self, folder: &Path, command: &[&str]) -> String {
        let line = ". \"$0\"/environment && \"$@\"";
        let mut shell = Command::new("bash");
        shell.args(["-c", line]).arg(self.folder.path()).args(command).current_dir(folder);
        let output = shell.output().expect("bash");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{command:?}\n{}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    }

    /// Releases jobs that SLURM holds back: two minutes for a requeued job. A job that was started on a node which had only
    /// just come back may be ended with it: by signal 15, or with 75 where the program had time to catch it. It is queued
    /// again. Whether there was any of these.
    pub fn hurry(&self, folder: &Path) -> bool {
        let jobs = |state: &str, ending: &str| -> Vec<String> {
            let listed = self.run(folder, &["squeue", "-h", "-r", "-t", state, "-o", "%A %r"]);
            let ids = listed.lines().filter(|line| line.ends_with(ending)).filter_map(|line| line.split(' ').next());
            ids.map(str::to_owned).collect()
        };
        let delayed = jobs("PENDING", " BeginTime");
        for job in &delayed {
            self.run(folder, &["scontrol", "update", &format!("JobId={job}"), "StartTime=now"]);
        }
        let ended_with_node = |job: &String| {
            let shown = self.run(folder, &["scontrol", "-o", "show", "job", job]);
            [" ExitCode=0:15 ", " ExitCode=75:0 "].iter().any(|code| shown.contains(code))
        };
        let ended: Vec<String> = jobs("FAILED", "").into_iter().filter(ended_with_node).collect();
        for job in &ended {
            self.run(folder, &["scontrol", "requeue", job]);
        }
        !(delayed.is_empty() && ended.is_empty())
    }

    /// Kills a node with everything that runs on it.
    pub fn lose(&self, node: &str) {
        self.tell("lose", node);
    }

    /// Restarts a node that died.
    pub fn bring_back(&self, node: &str) {
        self.tell("return", node);
    }

    fn tell(&self, verb: &str, node: &str) {
        let told = Command::new(script()).arg(verb).arg(self.folder.path()).arg(node).status();
        assert!(told.expect("bash").success(), "{verb} {node}");
    }
}

impl Drop for VirtualCluster {
    fn drop(&mut self) {
        let _ = Command::new(script()).arg("stop").arg(self.folder.path()).status();
    }
}

/// Longest time for any step, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(900);

/// The jobs that `submit.sh` says it submitted.
pub fn submitted(told: &str) -> Vec<String> {
    let line = told.lines().next().unwrap_or_default();
    let jobs = line.strip_prefix("submitted: ").unwrap_or_else(|| panic!("{told}"));
    jobs.split(' ').map(str::to_owned).collect()
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut is: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}
