//! What is written from the declaration: `UPDATE_EXPECT=1 cargo test --release -p train --lib heads`.

use super::*;
use std::fmt::Write as _;
use std::path::Path;

/// A file of this repository is `wanted`, made of what it is now; `UPDATE_EXPECT=1` makes it so.
fn recorded(path: &str, wanted: impl FnOnce(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let found = std::fs::read_to_string(&path).unwrap();
    let wanted = wanted(&found);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, wanted).unwrap();
    } else {
        assert!(found == wanted, "{} is not what the heads say: UPDATE_EXPECT=1 rewrites it", path.display());
    }
}

/// A page whose block of this name is a table of these rows.
fn with_table(page: &str, name: &str, header: &str, rows: &str) -> String {
    let begin = format!("<!-- {name}: written from the code by `UPDATE_EXPECT=1 cargo test` -->\n");
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("the page lacks {begin}"));
    let (_, after) = rest.split_once("<!-- end -->").expect("the end of the table");
    format!("{before}{begin}\n{header}\n|---|---|---|\n{rows}\n<!-- end -->{after}")
}

/// The sizes of a head's output after those that all outputs have, as people write them.
fn sizes(head: &Head) -> String {
    match head.width {
        Width::Number => String::new(),
        Width::Numbers(count) => format!(", {count}"),
        Width::OfShape { field, .. } => format!(", {field}"),
    }
}

#[test]
fn the_page_of_the_data_lists_the_targets() {
    let mut rows = String::new();
    for column in columns() {
        let (name, kind, meaning) = match column {
            Column::Head(Head { name, width: Width::Number, target_meaning, .. }) => (*name, "f32", *target_meaning),
            Column::Head(head) => (head.name, "list of f32", head.target_meaning),
            Column::Weight(weight) => (weight.name(), "f32", weight.meaning()),
        };
        writeln!(rows, "| `{name}` | {kind} | {meaning} |").unwrap();
    }
    recorded("docs/reference/files.md", |page| {
        with_table(page, "columns of targets", "| column | type | meaning |", &rows)
    });
}

#[test]
fn the_page_of_the_python_package_lists_the_outputs() {
    let mut rows = "| `planes` (input) | batch, planes, ranks, files | the position |\n\
                    | `tokens` | batch, tokens, 2 × `policy_dim` + 5 | squares, hand slots and pass: query, key and five \
                    numbers of each |\n"
        .to_owned();
    for head in HEADS.iter() {
        writeln!(rows, "| `{}` | batch{} | {} |", head.name, sizes(head), head.output).unwrap();
    }
    recorded("docs/how-to/python-onnx.md", |page| with_table(page, "outputs", "| name | shape | meaning |", &rows));
}

const PYTHON: &str = r#""""The heads of the network, written from train/src/heads.rs by `UPDATE_EXPECT=1 cargo test --release -p train --lib heads`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from .head import Head
from .policy import PolicyTargets

"#;

/// Examples in the docstrings; python/net_tests/test_docs.py runs them.
const EXAMPLE_OF_OUTPUTS: &str = r#"
    >>> import torch
    >>> import kirin.net
    >>> network = kirin.net.read_network("train/networks/wangqi.safetensors").network
    >>> shape = network.blueprint.shape
    >>> outputs = network(torch.zeros(1, shape.planes, shape.ranks, shape.files))
    >>> round(float(outputs.wdl.softmax(1).sum()), 3), outputs.plies_left.shape
    (1.0, torch.Size([1]))
    "#;

const EXAMPLE_OF_WEIGHTS: &str = r#"
    >>> import kirin.net
    >>> kirin.net.LossWeights(value=1.0).value
    1.0
    "#;

const EXAMPLE_OF_TARGETS: &str = r#"
    >>> import kirin.net
    >>> planes, targets = kirin.net.read_samples("wangqi.samples")[0]
    >>> targets.wdl.tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    "#;

#[test]
fn the_python_package_has_the_heads() {
    let mut text = PYTHON.to_owned();
    text += "# The heads of the value branch, in the order of their outputs.\nHEADS = (\n";
    for Head { name, width, loss, key, counts, .. } in HEADS.iter() {
        let width = match width {
            Width::Number => "None".to_owned(),
            Width::Numbers(count) => count.to_string(),
            Width::OfShape { field, .. } => format!("\"{field}\""),
        };
        let loss = match loss {
            Loss::CrossEntropy => "cross_entropy",
            Loss::Huber => "huber",
        };
        let counts = counts.map_or("None".to_owned(), |weight| format!("\"{}\"", weight.name()));
        writeln!(text, "    Head(\"{name}\", {width}, \"{loss}\", \"{key}\", {counts}),").unwrap();
    }
    text += ")\n\n# The weights of samples in their losses.\nSAMPLE_WEIGHTS = (\n";
    SampleWeight::ALL.iter().for_each(|weight| writeln!(text, "    \"{}\",", weight.name()).unwrap());
    text += ")\n\n\nclass Outputs(NamedTuple):\n    \
             \"\"\"A network's outputs for a batch, all in fp32 and from the point of view of the side to move.\n";
    text += EXAMPLE_OF_OUTPUTS;
    text += "\"\"\"\n\n    \
             # [batch, tokens, 2 × policy_dim + 5]: what the logits of moves are computed from, see `policy.logits`.\n    \
             tokens: Tensor\n";
    for head in HEADS.iter() {
        writeln!(text, "    # [batch{}]: {}.\n    {}: Tensor", sizes(head), head.output, head.name).unwrap();
    }
    let weights = LossConfig::default();
    text += "\n\n@dataclass(frozen=True)\nclass LossWeights:\n    \
             \"\"\"Weights of the losses in their sum: Kirin's defaults.\n";
    text += EXAMPLE_OF_WEIGHTS;
    text += "\"\"\"\n\n";
    writeln!(text, "    policy: float = {:?}", weights.policy).unwrap();
    for (head, weight) in HEADS.as_ref().zip(weights.of_heads()) {
        writeln!(text, "    {}: float = {weight:?}", head.key).unwrap();
    }
    text += "\n\n@dataclass(frozen=True)\nclass Targets:\n    \
             \"\"\"What a network should have answered, with one row for each sample.\n";
    text += EXAMPLE_OF_TARGETS;
    text += "\"\"\"\n\n    policy: PolicyTargets\n";
    for column in columns() {
        let (name, sizes, meaning) = match column {
            Column::Head(head) => (head.name, sizes(head), head.target_meaning),
            Column::Weight(weight) => (weight.name(), String::new(), weight.meaning()),
        };
        writeln!(text, "    # [batch{sizes}]: {meaning}.\n    {name}: Tensor").unwrap();
    }
    recorded("python/kirin/net/heads.py", |_| text);
}

/// Networks, logs and configurations depend on it.
#[test]
fn the_outputs_of_a_network_are_in_their_old_order() {
    let all = columns();
    let weights = all.iter().filter(|column| matches!(column, Column::Weight(_))).count();
    assert_eq!(weights, SampleWeight::ALL.len(), "each counts for a head");
    let shape = rules::encode::Shape::of::<rules::Wangqi>(rules::encode::Features::FIRST);
    let found: Vec<_> = HEADS.as_ref().zip(places(shape)).into_iter().map(|(head, place)| (head.name, place)).collect();
    let wanted = [("wdl", 0..3), ("short_wdl", 3..6), ("plies_left", 6..7), ("material", 7..7 + shape.material)];
    assert_eq!(found[..4], wanted);
    assert_eq!(found.last().map(|(_, place)| place.end), Some(values(shape)));
}
