//! Job files for SLURM: a script for each role and one that submits them.
//!
//! No file names its own folder, so the folder can be moved or copied to the cluster. It must be on a disk that all
//! nodes share.

use super::shell::quoted;
use super::{CONFIG_FILE, Deployment, Role, TextFile};
use settings::Complaints;

/// Settings of the job files in addition to each role's needs. Empty texts are left to the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Longest time of a job, in seconds.
    pub time: u64,
    /// Number of consecutive jobs, each with that time; 1 for a job that requeues itself.
    pub chain: u32,
    /// Most workers at the same time; 0 for all.
    pub at_once: u32,
    /// The program, as a path on the nodes.
    pub kirin: String,
    /// A shell file that each job reads before it starts the program, for modules and credentials.
    pub setup: String,
    /// The folder for shards that workers have not uploaded yet, with a subfolder for each worker. Empty: `spool` next
    /// to the job files, where a worker finds it again on any node.
    pub spool: String,
    /// Partition.
    pub partition: String,
    /// Account.
    pub account: String,
    /// Quality of service.
    pub qos: String,
    /// Features that a node must have.
    pub constraint: String,
}

/// Four hours; everything else is left to the cluster.
impl Default for Options {
    fn default() -> Options {
        let none = String::new;
        Options {
            time: 4 * 3600,
            chain: 1,
            at_once: 0,
            kirin: "kirin".to_owned(),
            setup: none(),
            spool: none(),
            partition: none(),
            account: none(),
            qos: none(),
            constraint: none(),
        }
    }
}

/// SLURM may send the signal this many seconds early (sbatch(1), `--signal`).
const SIGNAL_EARLY: u64 = 60;

/// Most tasks of an array under the default `MaxArraySize` of 1001: task numbers must be below it.
const USUAL_ARRAY: u32 = 1001;

/// A hint for the user before the deployment is submitted, if there is one.
pub fn hint(deployment: &Deployment) -> Option<String> {
    let workers = deployment.workers;
    (workers > USUAL_ARRAY).then(|| {
        format!(
            "{workers} workers are an array up to {}, and SLURM allows numbers below MaxArraySize, which is {USUAL_ARRAY} \
             unless it was set: `scontrol show config | grep MaxArraySize` shows it. Where it is too small, submit.sh ends \
             with \"Invalid job array specification\" and submits nothing; take at most that many workers, with more --cpus",
            workers - 1
        )
    })
}

/// The files: the configuration, a script for each role and `submit.sh`.
///
/// # Errors
/// What is wrong with the deployment and the options; each complaint names the flag of the program.
pub fn files(deployment: &Deployment, options: &Options) -> Result<Vec<TextFile>, Complaints> {
    deployment.checked(|complaints| options.check(deployment, complaints))?;
    let mut files = vec![TextFile { name: CONFIG_FILE.to_owned(), text: deployment.config.clone() }];
    for role in Role::ALL {
        files.push(TextFile { name: format!("{role}.sbatch"), text: job(deployment, options, role) });
    }
    files.push(TextFile { name: "submit.sh".to_owned(), text: submission(deployment, options) });
    Ok(files)
}

impl Options {
    fn check(&self, deployment: &Deployment, complaints: &mut Complaints) {
        let least = u64::from(deployment.grace) + 2 * SIGNAL_EARLY;
        if self.time < least {
            complaints.say(
                "--time",
                format_args!(
                    "{} s; at least {least} s: --grace, and two minutes in which something is done",
                    self.time
                ),
            );
        } else {
            complaints.within("--time", self.time, least, 366 * 86_400);
        }
        complaints.within("--chain", self.chain, 1, 1000);
        complaints.within("--at-once", self.at_once, 0, deployment.workers);
        let words = [("--partition", &self.partition), ("--account", &self.account), ("--qos", &self.qos)];
        for (flag, word) in words {
            check_word(flag, word, "-_.,", complaints);
        }
        // Features are joined with &, | and brackets.
        check_word("--constraint", &self.constraint, "-_.,&|[]()*", complaints);
        for (flag, path) in [("--kirin", &self.kirin), ("--setup", &self.setup), ("--spool", &self.spool)] {
            if path.contains(['\n', '\r', '\0']) {
                complaints.say(flag, format_args!("{path:?} has a line break"));
            }
        }
        for (flag, path) in [("--setup", &self.setup), ("--spool", &self.spool)] {
            if !path.is_empty() && !path.starts_with('/') {
                complaints
                    .say(flag, format_args!("{path:?} is relative, and jobs start elsewhere; give the whole path"));
            }
        }
        if self.kirin.is_empty() {
            complaints.say("--kirin", "no program");
        }
    }
}

fn check_word(flag: &str, word: &str, more: &str, complaints: &mut Complaints) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
    if let Some(odd) = word.chars().find(|&c| !is_plain(c)) {
        complaints
            .say(flag, format_args!("{word:?} has the character {odd:?}; letters, digits and {more} are allowed"));
    }
}

/// The script of a role.
fn job(deployment: &Deployment, options: &Options, role: Role) -> String {
    let needs = deployment.needs(role);
    let mut script = "#!/bin/bash\n# Written by `kirin cluster slurm`; submit.sh submits it.\n".to_owned();
    let mut ask = |option: &str, value: &dyn std::fmt::Display| script += &format!("#SBATCH --{option}={value}\n");
    ask("job-name", &deployment.job(role));
    if role == Role::Worker {
        let most = if options.at_once == 0 { String::new() } else { format!("%{}", options.at_once) };
        ask("array", &format!("0-{}{most}", deployment.workers - 1));
        ask("output", &"logs/worker-%a.log");
    } else {
        ask("output", &format!("logs/{role}.log"));
    }
    ask("open-mode", &"append");
    ask("time", &time(options.time));
    ask("signal", &format!("B:USR1@{}", deployment.grace));
    ask("ntasks", &1);
    ask("cpus-per-task", &needs.cpus);
    ask("mem", &format!("{}M", needs.memory.mebibytes()));
    if needs.gpus > 0 {
        ask("gres", &format!("gpu:{}", needs.gpus));
    }
    let words = [("partition", &options.partition), ("account", &options.account), ("qos", &options.qos)];
    for (option, word) in words.into_iter().chain([("constraint", &options.constraint)]) {
        if !word.is_empty() {
            ask(option, word);
        }
    }
    script += "#SBATCH --requeue\n\n";
    script += &body(deployment, options, role);
    script
}

/// Hours, minutes and seconds.
fn time(seconds: u64) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// What a job does.
fn body(deployment: &Deployment, options: &Options, role: Role) -> String {
    let mut command = vec![quoted(&options.kirin)];
    command.extend(deployment.arguments(role, CONFIG_FILE).iter().map(|word| quoted(word)));
    if role == Role::Worker {
        let spool = if options.spool.is_empty() { "spool".to_owned() } else { quoted(&options.spool) };
        let index = "\"$SLURM_ARRAY_TASK_ID\"";
        command.push(format!("--index {index} --spool {spool}/worker-{index}"));
    }
    let setup = if options.setup.is_empty() {
        String::new()
    } else {
        format!("# Modules and credentials.\nsetup={}\n{SETUP}", quoted(&options.setup))
    };
    let again = if options.chain == 1 { REQUEUE } else { NEXT_LINK };
    format!(
        "{setup}cd \"$SLURM_SUBMIT_DIR\" || exit 74\n\n{SUPERVISION_BEGIN}{} &\n{SUPERVISION_END}{again}exit \
         \"$code\"\n",
        command.join(" ")
    )
}

/// How the user's shell file is read. Unset variables and failures in it are ignored; only a missing file ends the job.
const SETUP: &str = r#"[ -r "$setup" ] || { printf 'cannot read %s (--setup)\n' "$setup" >&2; exit 78; }
. "$setup"
"#;

/// Signals are forwarded, and the program is started in the background so that the shell receives them.
const SUPERVISION_BEGIN: &str = r#"# SLURM sends USR1 to this shell before the time is over. The program then uploads its work and ends with 75.
# TERM comes with scancel and when the node is wanted for another job.
child='' asked='' cancelled=''
drain() { asked=yes; if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null; fi; }
trap drain USR1
trap 'cancelled=yes; drain' TERM
"#;

/// A signal interrupts `wait`, which then gives a code that is not the program's.
const SUPERVISION_END: &str = r#"child=$!
if [ -n "$asked" ]; then kill -TERM "$child" 2>/dev/null; fi
while :; do
    asked=''
    wait "$child"
    code=$?
    if [ "$code" -le 128 ] || [ -z "$asked" ]; then break; fi
done
again=''
# 75: it was asked to stop and has kept everything.
if [ "$code" = 75 ]; then again=yes; fi
# 74: the store could not be reached for minutes, or a lost node still holds the files; SLURM waits two minutes before it
# starts a job again. What fails at once time after time is a fault.
if [ "$code" = 74 ] && { [ "$SECONDS" -gt 300 ] || [ "${SLURM_RESTART_COUNT:-0}" -lt 20 ]; }; then again=yes; fi
"#;

/// After a program that is to continue: the same job again.
const REQUEUE: &str = r#"if [ "$again" ] && [ -z "$cancelled" ]; then
    # scancel signals the program too, which on a busy node may end before TERM is here.
    case $(scontrol -o show job "$SLURM_JOB_ID") in
        *JobState=CANCELLED* | *JobState=COMPLETING*) ;;
        *) scontrol requeue "$SLURM_JOB_ID" ;;
    esac
fi
"#;

/// After a program that is to continue in a chain: the next link, which begins only after a success.
const NEXT_LINK: &str = r#"if [ "$again" ] && [ -z "$cancelled" ]; then exit 0; fi
"#;

/// The script that submits all jobs, or none.
fn submission(deployment: &Deployment, options: &Options) -> String {
    let chain = options.chain;
    let (trainer, worker, referee) =
        (deployment.job(Role::Trainer), deployment.job(Role::Worker), deployment.job(Role::Referee));
    format!(
        r#"#!/bin/bash
# Written by `kirin cluster slurm`: submits the trainer, the referee and the workers; all of them or none.
set -euo pipefail
cd "$(dirname "${{BASH_SOURCE[0]}}")"
mkdir -p logs

jobs=()
trap '[ "${{#jobs[@]}}" = 0 ] || scancel "${{jobs[@]}}"' EXIT
# With several clusters the answer is JOB;CLUSTER.
submit() {{
    local answer
    answer=$(sbatch --parsable "$@")
    job=${{answer%%;*}}
    jobs+=("$job")
}}

submit trainer.sbatch; trainer=$job
submit referee.sbatch; referee=$job
submit worker.sbatch; worker=$job
# Each further link of the chain begins when the link before it has succeeded; a worker when its own task has.
for _ in $(seq 2 {chain}); do
    submit --dependency=afterok:"$trainer" trainer.sbatch; trainer=$job
    submit --dependency=afterok:"$referee" referee.sbatch; referee=$job
    submit --dependency=aftercorr:"$worker" worker.sbatch; worker=$job
done
trap - EXIT
printf 'submitted: %s\n' "${{jobs[*]}}"
printf 'to look: squeue --name {trainer},{referee},{worker}; to cancel: scancel %s\n' "${{jobs[*]}}"
"#
    )
}

#[cfg(test)]
mod tests;
