use super::*;
use crate::deployment::tests::demo;

fn options() -> Options {
    Options {
        image: "registry.example/kirin:1".to_owned(),
        namespace: String::new(),
        secret: "demo-store".to_owned(),
        service_account: String::new(),
        work: "20G".parse().unwrap(),
        back_off: 6,
    }
}

#[test]
fn workers_are_indexed_and_exit_codes_decide() {
    let job = job(&demo(), &options(), Role::Worker);
    let spec = &job["spec"];
    assert_eq!((spec["completionMode"].as_str(), spec["completions"].as_u64()), (Some("Indexed"), Some(4)));
    assert_eq!(spec["backoffLimitPerIndex"], 6);
    let rules = spec["podFailurePolicy"]["rules"].as_array().unwrap();
    let found: Vec<(&str, Vec<u64>)> = rules
        .iter()
        .map(|rule| {
            let codes = rule["onExitCodes"]["values"].as_array();
            (
                rule["action"].as_str().unwrap(),
                codes.map_or(vec![], |codes| codes.iter().filter_map(Value::as_u64).collect()),
            )
        })
        .collect();
    assert_eq!(found, [("Ignore", vec![]), ("Ignore", vec![75]), ("FailJob", vec![2, 78])]);
    let container = &spec["template"]["spec"]["containers"][0];
    let arguments: Vec<&str> = container["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let expected = "worker /config/config.toml --store s3://bucket/demo --spool-mb 1024 --index $(KIRIN_INDEX) \
                    --spool /work/spool";
    assert_eq!(arguments.join(" "), expected);
}

#[test]
fn no_process_is_root_or_writes_into_the_image() {
    for role in Role::ALL {
        let job = job(&demo(), &options(), role);
        let pod = &job["spec"]["template"]["spec"];
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        assert_eq!(pod["automountServiceAccountToken"], false);
        assert_eq!(pod["restartPolicy"], "Never", "exit-code rules need it");
        let container = &pod["containers"][0];
        assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
        assert_eq!(container["securityContext"]["capabilities"]["drop"], json!(["ALL"]));
        assert_eq!(container["resources"]["requests"], container["resources"]["limits"]);
        assert_eq!(container["resources"]["limits"]["memory"], mebibytes(demo().needs(role).memory));
        assert_eq!(container["envFrom"], json!([{ "secretRef": { "name": "demo-store" } }]));
        assert!(containerfile::TEXT.contains(&format!("USER {USER}:{USER}")));
    }
}

#[test]
fn what_is_empty_is_left_out() {
    let written =
        |options: &Options| files(&demo(), options).unwrap().into_iter().map(|file| file.text).collect::<String>();
    let plain = written(&options());
    for key in ["namespace", "serviceAccountName", "nvidia.com/gpu"] {
        assert!(!plain.contains(key), "{key}");
    }
    let full = Options {
        namespace: "chess".to_owned(),
        secret: String::new(),
        service_account: "player".to_owned(),
        ..options()
    };
    let full = written(&full);
    assert_eq!(full.matches("namespace: chess\n").count(), 4);
    assert_eq!(full.matches("serviceAccountName: player\n").count(), 3);
    assert!(!full.contains("secretRef"));
}

#[test]
fn the_configuration_stands_in_the_map_as_it_is() {
    let files = files(&demo(), &options()).unwrap();
    let map = &files[0];
    let expected = "\
# Written by `kirin cluster kubernetes`; kubectl apply -f of this folder begins the run.
apiVersion: v1
data:
  config.toml: |
    # A run.
    [run]
    variant = \"wangqi\"
immutable: true
kind: ConfigMap
metadata:
  labels:
    app.kubernetes.io/instance: demo
    app.kubernetes.io/name: kirin
  name: demo-config
";
    assert_eq!((map.name.as_str(), map.text.as_str()), ("config.yaml", expected));
}

#[test]
fn complaints_name_the_flag() {
    let mut deployment = demo();
    deployment.store = "file:///shared/run".to_owned();
    let wrong = Options {
        image: "kirin".to_owned(),
        namespace: "A".to_owned(),
        secret: String::new(),
        back_off: 101,
        ..options()
    };
    let all = files(&deployment, &wrong).unwrap_err().to_string();
    let flags: Vec<&str> = all.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(flags, ["--store", "--image", "--namespace", "--secret", "--back-off"], "{all}");
    for image in ["", "a b:1", "-x:1", "kirin:latest", "host:5000/kirin", "kirin:", "a:1\n"] {
        assert!(image_problem(image).is_some(), "{image:?}");
    }
    for image in ["kirin:1", "host:5000/a/kirin:v1.2", "host/kirin@sha256:0123"] {
        assert_eq!(image_problem(image), None, "{image:?}");
    }
}
