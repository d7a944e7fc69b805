use super::*;
use crate::deployment::tests::demo;
use std::process::Command;

fn text(options: &Options, name: &str) -> String {
    let files = files(&demo(), options).unwrap();
    files.into_iter().find(|file| file.name == name).unwrap().text
}

/// What was asked of SLURM, without `#SBATCH --`.
fn asked(script: &str) -> Vec<&str> {
    script.lines().filter_map(|line| line.strip_prefix("#SBATCH --")).collect()
}

#[test]
fn a_worker_is_a_task_of_an_array() {
    let worker =
        text(&Options { at_once: 2, partition: "cpu,short".to_owned(), ..Options::default() }, "worker.sbatch");
    let expected = [
        "job-name=demo-worker",
        "array=0-3%2",
        "output=logs/worker-%a.log",
        "open-mode=append",
        "time=4:00:00",
        "signal=B:USR1@120",
        "ntasks=1",
        "cpus-per-task=2",
        "mem=4096M",
        "partition=cpu,short",
        "requeue",
    ];
    assert_eq!(asked(&worker), expected);
    let command = "kirin worker config.toml --store s3://bucket/demo --spool-mb 1024 --index \
                   \"$SLURM_ARRAY_TASK_ID\" --spool spool/worker-\"$SLURM_ARRAY_TASK_ID\" &";
    assert!(worker.lines().any(|line| line == command), "{worker}");
}

#[test]
fn a_larger_array_than_slurm_usually_allows_is_told() {
    let mut deployment = demo();
    deployment.workers = 1001;
    assert_eq!(hint(&deployment), None);
    deployment.workers = 2000;
    let hint = hint(&deployment).unwrap();
    assert!(hint.contains("an array up to 1999") && hint.contains("MaxArraySize"), "{hint}");
}

#[test]
fn the_trainer_is_one_job() {
    let mut deployment = demo();
    deployment.trainer.gpus = 1;
    let files = files(&deployment, &Options::default()).unwrap();
    let trainer = &files.iter().find(|file| file.name == "trainer.sbatch").unwrap().text;
    assert!(asked(trainer).contains(&"gres=gpu:1"), "{trainer}");
    assert!(!trainer.contains("array"), "{trainer}");
    assert!(trainer.contains("kirin trainer config.toml --store s3://bucket/demo &\n"), "{trainer}");
}

#[test]
fn scripts_are_sound_shell_whatever_the_paths_are() {
    let odd = "/opt/it's here/$(touch owned)/kirin \"x\" `y`; z\\".to_owned();
    let options =
        Options { kirin: odd.clone(), setup: odd.clone(), spool: odd.clone(), chain: 3, ..Options::default() };
    for file in files(&demo(), &options).unwrap().iter().filter(|file| file.name != CONFIG_FILE) {
        let checked = Command::new("bash").args(["-n", "-c", &file.text]).output().unwrap();
        assert!(checked.status.success(), "{}: {}", file.name, String::from_utf8_lossy(&checked.stderr));
        if file.name != "submit.sh" {
            assert!(file.text.contains(&quoted(&odd)), "{}", file.text);
        }
    }
}

#[test]
fn a_submission_that_fails_cancels_what_it_has_submitted() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, text) in [
        ("submit.sh", text(&Options::default(), "submit.sh")),
        (
            "sbatch",
            "#!/bin/sh\ncase $*$refused in *worker*no) exit 1;; *trainer*) echo 101;; *) echo '102;there';; esac\n"
                .to_owned(),
        ),
        ("scancel", "#!/bin/sh\necho $* >>cancelled\n".to_owned()),
    ] {
        std::fs::write(path(name), text).unwrap();
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let programs = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let submit = |refused: &str| {
        Command::new("bash")
            .arg(path("submit.sh"))
            .envs([("PATH", programs.as_str()), ("refused", refused)])
            .output()
            .unwrap()
    };
    let done = submit("yes");
    assert!(done.status.success() && !path("cancelled").exists(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(submit("no").status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(path("cancelled")).unwrap(), "101 102\n");
}

/// Runs a job's script without SLURM: `program` replaces `kirin`, and `scontrol` says that the job is running and records
/// what else it is asked. Returns the exit code and these questions.
fn run(
    chain: u32,
    program: &str,
    restarts: &str,
    meanwhile: impl FnOnce(u32, &std::path::Path),
) -> (Option<i32>, String) {
    run_in_state("RUNNING", chain, program, restarts, meanwhile)
}

fn run_in_state(
    state: &str,
    chain: u32,
    program: &str,
    restarts: &str,
    meanwhile: impl FnOnce(u32, &std::path::Path),
) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let tool = |name: &str, script: &str| {
        std::fs::write(at(name), format!("#!/bin/bash\n{script}\n")).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(at(name)).status().unwrap().success());
    };
    tool("kirin", program);
    let shown = format!("JobId=77 JobState={state} Reason=None");
    tool("scontrol", &format!("if [ \"$2\" = show ]; then echo '{shown}'; else echo \"$*\" >> asked; fi"));
    let script = text(&Options { chain, ..Options::default() }, "worker.sbatch");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut job = Command::new("bash")
        .args(["-c", &script])
        .env("PATH", path)
        .env("SLURM_SUBMIT_DIR", folder.path())
        .env("SLURM_ARRAY_TASK_ID", "3")
        .env("SLURM_JOB_ID", "77")
        .env("SLURM_RESTART_COUNT", restarts)
        .spawn()
        .unwrap();
    meanwhile(job.id(), folder.path());
    let code = job.wait().unwrap().code();
    (code, std::fs::read_to_string(at("asked")).unwrap_or_default())
}

/// A program that drains when it is asked to.
const DRAINS: &str = "trap 'exit 75' TERM; touch ready; for _ in $(seq 300); do sleep 0.1; done; exit 1";

/// Sends the shell a signal when the program is ready.
fn signal(name: &'static str) -> impl FnOnce(u32, &std::path::Path) {
    move |id, folder| {
        while !folder.join("ready").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(Command::new("kill").args([&format!("-{name}"), &id.to_string()]).status().unwrap().success());
    }
}

#[test]
fn a_job_whose_time_is_over_drains_and_goes_back_into_the_queue() {
    assert_eq!(run(1, DRAINS, "0", signal("USR1")), (Some(75), "requeue 77\n".to_owned()));
}

#[test]
fn a_cancelled_job_drains_and_does_not_come_back() {
    assert_eq!(run(1, DRAINS, "0", signal("TERM")), (Some(75), String::new()));
    assert_eq!(run(3, DRAINS, "0", signal("TERM")), (Some(75), String::new()));
}

#[test]
fn a_job_that_slurm_ends_does_not_come_back_before_its_shell_knows() {
    for state in ["CANCELLED", "COMPLETING"] {
        assert_eq!(run_in_state(state, 1, "exit 75", "0", |_, _| ()), (Some(75), String::new()));
    }
}

#[test]
fn a_drained_link_of_a_chain_counts_as_a_success() {
    assert_eq!(run(3, DRAINS, "0", signal("USR1")), (Some(0), String::new()));
}

#[test]
fn what_cannot_be_mended_by_trying_again_fails() {
    for code in [0, 70, 78] {
        assert_eq!(run(1, &format!("exit {code}"), "0", |_, _| ()), (Some(code), String::new()));
        assert_eq!(run(3, &format!("exit {code}"), "0", |_, _| ()), (Some(code), String::new()));
    }
}

#[test]
fn a_store_that_is_away_is_tried_again_but_not_for_ever() {
    assert_eq!(run(1, "exit 74", "19", |_, _| ()), (Some(74), "requeue 77\n".to_owned()));
    assert_eq!(run(1, "exit 74", "20", |_, _| ()), (Some(74), String::new()));
    assert_eq!(run(2, "exit 74", "0", |_, _| ()), (Some(0), String::new()));
}

#[test]
fn the_program_gets_its_arguments() {
    let (code, _) = run(
        1,
        r#"[ "$*" = "worker config.toml --store s3://bucket/demo --spool-mb 1024 --index 3 --spool spool/worker-3" ]"#,
        "0",
        |_, _| (),
    );
    assert_eq!(code, Some(0));
}

#[test]
fn complaints_name_the_flag() {
    let wrong = Options {
        time: 100,
        chain: 0,
        at_once: 5,
        kirin: String::new(),
        setup: "modules.sh".to_owned(),
        spool: "/a\nb".to_owned(),
        partition: "a b".to_owned(),
        account: "$x".to_owned(),
        qos: "'".to_owned(),
        constraint: "a\n#SBATCH --uid=0".to_owned(),
    };
    let all = files(&demo(), &wrong).unwrap_err().to_string();
    let flags: Vec<&str> = all.lines().map(|line| line.split(": ").next().unwrap()).collect();
    let expected = [
        "--time",
        "--chain",
        "--at-once",
        "--partition",
        "--account",
        "--qos",
        "--constraint",
        "--spool",
        "--setup",
        "--kirin",
    ];
    assert_eq!(flags, expected, "{all}");
}
