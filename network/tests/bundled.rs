//! The networks that come with the program, positions of their own games, and how far integers are from fp32 on them.

use half::bf16;
use network::{
    Description, Kernel, Mixing, NativeEvaluator, Network, Peaks, PlayNetwork, QuantisedNetwork, Tensor, Tensors,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::encode::{Features, Shape};
use rules::{Game, MoveList, Rules, Variant};
use safetensors::SafeTensors;
use search::{Evaluations, LeafBatch};
use std::error::Error;
use std::path::Path;

/// The network of a variant, which is stored in bf16.
pub fn network<V: Variant>() -> Result<Network, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../train/networks/{}.safetensors", V::ID));
    let bytes = std::fs::read(path)?;
    let (_, metadata) = SafeTensors::read_metadata(&bytes)?;
    let text = metadata.metadata().as_ref().and_then(|entries| entries.get("kirin")).ok_or("no description")?;
    let header: serde_json::Value = serde_json::from_str(text)?;
    let description: serde_json::Value = serde_json::from_str(header["description"].as_str().ok_or("no text")?)?;
    let config = &description["blueprint"]["config"];
    let size = |key: &str| config[key].as_u64().map(|size| size as usize).ok_or_else(|| format!("{key} is missing"));
    let features = Features { attacks: config["features"]["attacks"].as_bool().unwrap_or_default() };
    let description = Description {
        shape: Shape::of::<V>(features),
        features,
        blocks: size("blocks")?,
        channels: size("channels")?,
        mixing: Mixing::Se,
        se_hidden: size("se_hidden")?,
        policy_dim: size("policy_dim")?,
        value_channels: size("value_channels")?,
        value_hidden: size("value_hidden")?,
    };
    let mut tensors = Tensors::new();
    for (name, view) in SafeTensors::deserialize(&bytes)?.tensors() {
        let values = view.data().chunks_exact(2).map(|two| bf16::from_le_bytes([two[0], two[1]]).to_f32()).collect();
        tensors.insert(name.clone(), Tensor { shape: view.shape().to_vec(), values });
    }
    Ok(Network::new(description, tensors)?)
}

/// Positions of games in which the network's policy chooses the moves, one in seven plies.
pub fn own_positions<V: Variant>(network: &Network, count: usize, seed: u64) -> Result<LeafBatch, Box<dyn Error>> {
    let features = network.description().features;
    let mut evaluator = NativeEvaluator::new(&PlayNetwork::fp32(network)?, Kernel::chosen()?, 1)?;
    let (mut rng, mut legal) = (ChaCha8Rng::seed_from_u64(seed), MoveList::new());
    let (mut found, mut one, mut out) = (LeafBatch::new(features), LeafBatch::new(features), Evaluations::default());
    while found.len() < count {
        let mut game = Game::<V>::start(Rules::default());
        let first = rng.random_range(0..7);
        for ply in 0..200 {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() || found.len() == count {
                break;
            }
            one.clear();
            one.push(&game, &legal);
            evaluator.evaluate_leaves(&one, &mut out)?;
            if ply % 7 == first {
                found.push(&game, &legal);
            }
            let mut left = rng.random_range(0.0..1.0);
            let chosen = softmax(&out.logits).into_iter().position(|share| {
                left -= share;
                left < 0.0
            });
            game.play(legal[chosen.unwrap_or_default()]);
        }
    }
    Ok(found)
}

/// The integers of a network, calibrated on positions of its own games, and further such positions.
pub fn calibrated<V: Variant>(
    network: &Network,
    calibration: usize,
    positions: usize,
) -> Result<(QuantisedNetwork, LeafBatch), Box<dyn Error>> {
    let peaks = Peaks::measured(network, Kernel::chosen()?, &own_positions::<V>(network, calibration, 1)?)?;
    Ok((QuantisedNetwork::new(network, &peaks)?, own_positions::<V>(network, positions, 2)?))
}

/// All leaves, evaluated by the fastest kernel.
pub fn evaluated(network: &PlayNetwork, leaves: &LeafBatch) -> network::Result<Evaluations> {
    let mut out = Evaluations::default();
    NativeEvaluator::new(network, Kernel::chosen()?, 1)?.evaluate_leaves(leaves, &mut out)?;
    Ok(out)
}

/// How far answers are from the exact ones.
#[derive(Debug)]
pub struct Difference {
    /// Mean KL divergence of the policy.
    pub kl: f64,
    /// Share of positions with the same most likely move.
    pub first_move: f64,
    /// Root mean square difference of q, and the largest one.
    pub q: f64,
    pub largest_q: f64,
    /// Largest difference of all numbers.
    pub largest: f64,
}

impl Difference {
    /// Of answers to the same leaves.
    pub fn of(leaves: &LeafBatch, exact: &Evaluations, other: &Evaluations) -> Difference {
        let (mut kl, mut q, mut same, mut largest_q) = (0.0, 0.0, 0.0, 0f64);
        let count = leaves.len() as f64;
        for leaf in 0..leaves.len() {
            let ((right, right_wdl), (found, found_wdl)) = (exact.of(leaves, leaf), other.of(leaves, leaf));
            let (p, o) = (softmax(right), softmax(found));
            kl += p.iter().zip(&o).map(|(p, o)| p * (p / o).ln()).sum::<f64>();
            let q_of = |[win, _, loss]: [f32; 3]| f64::from(win - loss);
            let difference = (q_of(right_wdl) - q_of(found_wdl)).abs();
            q += difference.powi(2);
            largest_q = largest_q.max(difference);
            same += f64::from(u8::from(best(right) == best(found)));
        }
        let pairs = exact.logits.iter().zip(&other.logits);
        let all = pairs.chain(exact.wdl.iter().flatten().zip(other.wdl.iter().flatten()));
        let largest = all.map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max);
        Difference { kl: kl / count, first_move: same / count, q: (q / count).sqrt(), largest_q, largest }
    }
}

fn softmax(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exps: Vec<f64> = logits.iter().map(|&logit| f64::from(logit - most).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.iter().map(|exp| exp / sum).collect()
}

fn best(logits: &[f32]) -> usize {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap_or_default()
}
