//! Manifests for Kubernetes, and a Containerfile for the image that they run.
//!
//! A Job for the trainer, one for the referee and an Indexed Job for the workers, with a ConfigMap that holds the
//! configuration. Exit codes decide what happens to a failed pod, which needs Kubernetes 1.31; a limit of failures for
//! each index needs 1.29.

mod containerfile;
mod yaml;

use super::memory::Memory;
use super::{CONFIG_FILE, Deployment, Role, TextFile, label_problem};
use serde_json::{Value, json};
use settings::Complaints;

/// Settings of the manifests in addition to each role's needs. Empty texts are omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The image, as the cluster pulls it.
    pub image: String,
    /// The namespace; that of the user's context if it is empty.
    pub namespace: String,
    /// The Secret whose entries become the environment of every process: credentials of the store.
    pub secret: String,
    /// The service account of the pods, where it gives access to the store.
    pub service_account: String,
    /// Room on a node's disk for the trainer's and the referee's folders.
    pub work: Memory,
    /// Failures of one pod after which a new pod is started.
    pub back_off: u32,
}

/// The user id of all processes: one that no node uses.
const USER: u32 = 10_001;

/// Mebibytes of a worker's volume in addition to its spool.
const BESIDE_SPOOL: u64 = 512;

/// Where the volumes are in a container.
const CONFIG_AT: &str = "/config";
const WORK_AT: &str = "/work";

/// Exit codes of `kirin` after which a retry is useless: invalid command line, wrong input.
const HOPELESS: [u8; 2] = [2, 78];

/// Exit code of `kirin` when it was asked to stop and has saved everything.
const DRAINED: u8 = 75;

/// Longest name of a Secret, a namespace or a service account.
const LONGEST_NAME: usize = 63;

/// The files: the ConfigMap, a manifest for each role, and the Containerfile.
///
/// # Errors
/// What is wrong with the deployment and the options; each complaint names the flag of the program.
pub fn files(deployment: &Deployment, options: &Options) -> Result<Vec<TextFile>, Complaints> {
    deployment.checked(|complaints| options.check(deployment, complaints))?;
    let mut files = vec![TextFile { name: "config.yaml".to_owned(), text: written(&config_map(deployment, options)) }];
    for role in Role::ALL {
        let text = written(&job(deployment, options, role));
        files.push(TextFile { name: format!("{role}.yaml"), text });
    }
    files.push(TextFile { name: "Containerfile".to_owned(), text: containerfile::TEXT.to_owned() });
    Ok(files)
}

fn written(manifest: &Value) -> String {
    format!(
        "# Written by `kirin cluster kubernetes`; kubectl apply -f of this folder begins the run.\n{}",
        yaml::document(manifest)
    )
}

impl Options {
    fn check(&self, deployment: &Deployment, complaints: &mut Complaints) {
        if deployment.store.starts_with("file://") {
            complaints.say("--store", "pods share no disk; use s3://, gs:// or az://");
        }
        if let Some(problem) = image_problem(&self.image) {
            complaints.say("--image", problem);
        }
        let names = [
            ("--namespace", &self.namespace),
            ("--secret", &self.secret),
            ("--service-account", &self.service_account),
        ];
        for (flag, name) in names.into_iter().filter(|(_, name)| !name.is_empty()) {
            if let Some(problem) = label_problem(name, LONGEST_NAME) {
                complaints.say(flag, problem);
            }
        }
        if self.secret.is_empty() && self.service_account.is_empty() {
            complaints.say("--secret", "nothing gives access to the store; name a Secret, or a --service-account");
        }
        complaints.within("--back-off", self.back_off, 0, 100);
        // A ConfigMap holds a mebibyte (Kubernetes: Concepts, ConfigMaps).
        complaints.within("CONFIG (bytes)", deployment.config.len(), 1, 1 << 20);
    }
}

fn image_problem(image: &str) -> Option<String> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    if !image.starts_with(|c: char| c.is_ascii_alphanumeric()) || !image.chars().all(is_inside) {
        return Some(format!("{image:?} is no image; write REGISTRY/NAME:TAG"));
    }
    let last = image.rsplit('/').next().unwrap_or_default();
    let is_fixed =
        last.contains('@') || last.split_once(':').is_some_and(|(_, tag)| !tag.is_empty() && tag != "latest");
    let why = "all pods must run the same program; give a tag other than latest, or a digest";
    (!is_fixed).then(|| format!("{image:?} may mean another image tomorrow; {why}"))
}

fn metadata(deployment: &Deployment, options: &Options, name: String, role: Option<Role>) -> Value {
    let mut metadata = json!({ "name": name, "labels": labels(deployment, role) });
    if !options.namespace.is_empty() {
        metadata["namespace"] = options.namespace.as_str().into();
    }
    metadata
}

fn labels(deployment: &Deployment, role: Option<Role>) -> Value {
    let mut labels = json!({ "app.kubernetes.io/name": "kirin", "app.kubernetes.io/instance": deployment.name });
    if let Some(role) = role {
        labels["app.kubernetes.io/component"] = role.to_string().into();
    }
    labels
}

fn config_name(deployment: &Deployment) -> String {
    format!("{}-config", deployment.name)
}

/// The configuration. It is immutable, since a run has only one.
fn config_map(deployment: &Deployment, options: &Options) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(deployment, options, config_name(deployment), None),
        "immutable": true,
        "data": { CONFIG_FILE: deployment.config },
    })
}

fn job(deployment: &Deployment, options: &Options, role: Role) -> Value {
    let mut spec = json!({
        "podFailurePolicy": { "rules": failure_rules(role) },
        // A new pod starts only when the old one has ended: an index never plays twice at the same time.
        "podReplacementPolicy": "Failed",
        "template": {
            "metadata": { "labels": labels(deployment, Some(role)) },
            "spec": pod(deployment, options, role),
        },
    });
    if role == Role::Worker {
        spec["completionMode"] = "Indexed".into();
        spec["completions"] = deployment.workers.into();
        spec["parallelism"] = deployment.workers.into();
        spec["backoffLimitPerIndex"] = options.back_off.into();
        // A worker that fails for good does not stop the others.
        spec["maxFailedIndexes"] = deployment.workers.into();
    } else {
        spec["backoffLimit"] = options.back_off.into();
    }
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(deployment, options, deployment.job(role), Some(role)),
        "spec": spec,
    })
}

/// What a failed pod means, by the first rule that fits: nothing if it was evicted or has drained; the end of the job
/// if no other pod could do better. Every other failure counts against the limit.
fn failure_rules(role: Role) -> Value {
    let exit = |codes: &[u8]| json!({ "containerName": role.to_string(), "operator": "In", "values": codes });
    json!([
        { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }] },
        { "action": "Ignore", "onExitCodes": exit(&[DRAINED]) },
        { "action": "FailJob", "onExitCodes": exit(&HOPELESS) },
    ])
}

fn pod(deployment: &Deployment, options: &Options, role: Role) -> Value {
    // Room for the waiting shards and for the shard being written.
    let room = match role {
        Role::Worker => format!("{}Mi", deployment.spool.mebibytes() + BESIDE_SPOOL),
        Role::Trainer | Role::Referee => mebibytes(options.work),
    };
    let mut pod = json!({
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": deployment.grace,
        "automountServiceAccountToken": false,
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "containers": [container(deployment, options, role)],
        "volumes": [
            { "name": "config", "configMap": { "name": config_name(deployment) } },
            { "name": "work", "emptyDir": { "sizeLimit": room } },
            { "name": "tmp", "emptyDir": { "sizeLimit": "256Mi" } },
        ],
    });
    if !options.service_account.is_empty() {
        pod["serviceAccountName"] = options.service_account.as_str().into();
    }
    pod
}

fn container(deployment: &Deployment, options: &Options, role: Role) -> Value {
    let mut arguments = deployment.arguments(role, &format!("{CONFIG_AT}/{CONFIG_FILE}"));
    let mut environment = vec![json!({ "name": "HOME", "value": WORK_AT })];
    if role == Role::Worker {
        let annotation = "metadata.annotations['batch.kubernetes.io/job-completion-index']";
        environment.push(json!({ "name": "KIRIN_INDEX", "valueFrom": { "fieldRef": { "fieldPath": annotation } } }));
        arguments.extend(["--index", "$(KIRIN_INDEX)", "--spool"].map(str::to_owned));
        arguments.push(format!("{WORK_AT}/spool"));
    }
    let needs = deployment.needs(role);
    let mut resources = json!({ "cpu": needs.cpus.to_string(), "memory": mebibytes(needs.memory) });
    if needs.gpus > 0 {
        resources["nvidia.com/gpu"] = needs.gpus.to_string().into();
    }
    let mut container = json!({
        "name": role.to_string(),
        "image": options.image,
        "args": arguments,
        "env": environment,
        "workingDir": WORK_AT,
        "resources": { "requests": resources, "limits": resources },
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": { "drop": ["ALL"] },
        },
        "volumeMounts": [
            { "name": "config", "mountPath": CONFIG_AT, "readOnly": true },
            { "name": "work", "mountPath": WORK_AT },
            { "name": "tmp", "mountPath": "/tmp" },
        ],
    });
    if !options.secret.is_empty() {
        container["envFrom"] = json!([{ "secretRef": { "name": options.secret } }]);
    }
    container
}

/// As Kubernetes writes an amount of memory.
fn mebibytes(memory: Memory) -> String {
    format!("{}Mi", memory.mebibytes())
}

#[cfg(test)]
mod tests;
