//! `Dataset::write_features`: what it writes is what Kirin sees, and PyTorch learns from it by `kirin.net.features`.
//!
//! `scripts/oracles` installs PyTorch and pyarrow. Where they are missing the test says so and passes; with
//! `KIRIN_ORACLES=required` that is a failure.

use crate::pytorch::{self, Tensors};
use crate::synthetic;
use data::DataStore;
use rules::encode::Features;
use rules::{Game, Janggi, MoveList, Variant, Wangqi, Xiangqi};
use search::LeafBatch;
use std::path::Path;
use tch::Tensor;
use testkit::oracle;
use train::{Blueprint, DataConfig, Dataset, NetworkConfig};

/// Every recorded position of a data folder as a network sees it, without the code that exports them.
fn leaves<V: Variant>(store: &DataStore, features: Features) -> LeafBatch {
    let (mut batch, mut legal) = (LeafBatch::new(features), MoveList::new());
    for shard in store.shards(V::ID).unwrap() {
        for record in store.read_shard::<V>(&shard).unwrap() {
            let mut game = Game::<V>::start(record.sheet.rules);
            for position in &record.positions {
                assert_eq!(game.ply(), u32::from(position.ply), "every position is a row");
                game.legal_moves(&mut legal);
                batch.push(&game, &legal);
                game.play(position.mv);
            }
        }
    }
    batch
}

fn dataset<V: Variant>(store: &DataStore, validation_share: f64) -> Dataset<V> {
    let mut dataset = Dataset::new(DataConfig { validation_share, ..DataConfig::default() }, 5);
    dataset.refresh(store).unwrap();
    dataset
}

/// Writes the features of some games, a network, what it says of the positions, and the same games in two splits.
fn write<V: Variant>(folder: &Path, name: &str, config: NetworkConfig) {
    let data = tempfile::tempdir().unwrap();
    let store = synthetic::store::<V>(data.path(), 2, 6, 24);
    let folder = folder.join(name);
    std::fs::create_dir(&folder).unwrap();
    let network = synthetic::network::<V>(config.clone());
    network.file(7, 1234).unwrap().write(&folder.join("network.safetensors")).unwrap();
    let blueprint = Blueprint::of::<V>(config.clone());
    let made = dataset::<V>(&store, 0.0).write_features(&folder.join("all"), &blueprint, 1.0).unwrap();
    let split = dataset::<V>(&store, 0.4).write_features(&folder.join("split"), &blueprint, 1.0).unwrap();
    assert!(split.training.rows > 0 && split.validation.rows > 0, "{split:?}");
    assert_eq!((split.training.rows + split.validation.rows, made.validation.rows), (made.training.rows, 0));

    let leaves = leaves::<V>(&store, config.features);
    assert_eq!(made.training.rows, leaves.len() as u64);
    let shape = blueprint.shape;
    let sizes = [leaves.len(), shape.planes, shape.ranks, shape.files].map(|n| n as i64);
    let planes = Tensor::from_slice(&leaves.planes).reshape(sizes);
    let logits = network.reference(&leaves).unwrap().logits;
    let mut tensors = Tensors::default();
    tensors.put_tensor("planes", &planes);
    tensors.put("logits", &[logits.len()], logits);
    network.evaluate(&planes).unwrap().named().for_each(|(name, output)| tensors.put_tensor(name, output));
    tensors.write(&folder.join("expected.safetensors"));
}

#[test]
fn pytorch_sees_and_learns_what_kirin_does() {
    let Some(python) = pytorch::python() else { return };
    let Some(arrow) = oracle::folder().map(|folder| folder.join("dataframes")).filter(|folder| folder.is_dir()) else {
        let _: Option<()> = oracle::missing("pyarrow is missing (scripts/oracles)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let small = NetworkConfig { blocks: 1, channels: 16, policy_dim: 8, ..NetworkConfig::default() };
    let all = NetworkConfig { features: Features::ALL, ..small.clone() };
    write::<Wangqi>(folder.path(), "wangqi", all);
    write::<Xiangqi>(folder.path(), "xiangqi", small.clone());
    write::<Janggi>(folder.path(), "janggi", NetworkConfig { points: true, ..small });

    pytorch::unit_tests(&python, "features", &[arrow], folder.path());
}

/// A folder that holds something is left as it is.
#[test]
fn nothing_is_written_over() {
    let data = tempfile::tempdir().unwrap();
    let store = synthetic::store::<Wangqi>(data.path(), 1, 2, 8);
    let out = tempfile::tempdir().unwrap();
    std::fs::write(out.path().join("mine"), "").unwrap();
    let blueprint = Blueprint::of::<Wangqi>(NetworkConfig::default());
    let error = dataset::<Wangqi>(&store, 0.0).write_features(out.path(), &blueprint, 1.0).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot write into {}: ", out.path().display())), "{error}");
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 1);
    let nothing = Dataset::<Wangqi>::new(DataConfig::default(), 1);
    let error = nothing.write_features(&out.path().join("new"), &blueprint, 1.0).unwrap_err().to_string();
    assert!(error.contains("no position of wangqi"), "{error}");
}
