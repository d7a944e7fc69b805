//! Package `network`, which evaluates networks without libtorch, computes what libtorch computes.

use crate::evaluator::difference;
use crate::synthetic::{leaves, network};
use ::network::Numbers;
use rules::encode::Features;
use rules::{Variant, VariantId};
use search::{Evaluations, Evaluator};
use train::{
    Backend, DeviceChoice, EvaluatorConfig, Layout, Mixing, NetworkConfig, NetworkEvaluator, Precision, RoundingError,
    Workload,
};

fn compare<V: Variant>() {
    let small = |mixing, features| NetworkConfig {
        blocks: 2,
        channels: 24,
        mixing,
        policy_dim: 12,
        features,
        // Networks of variants that count points say them.
        points: features == Features::ALL,
        ..NetworkConfig::default()
    };
    for config in
        [small(Mixing::None, Features::FIRST), small(Mixing::Pool, Features::FIRST), small(Mixing::Se, Features::ALL)]
    {
        let leaves = leaves::<V>(5, config.features);
        let (mixing, config_says_points) = (config.mixing, config.points);
        let trained = network::<V>(config);
        let reference = trained.reference(&leaves).unwrap();
        let says_points = config_says_points && V::POINTS_UNIT > 0.0;
        assert_eq!(reference.points.len(), if says_points { leaves.len() } else { 0 });
        let spread = reference.logits.iter().fold(1f32, |most, logit| most.max(logit.abs()));
        let ours = trained.file(0, 0).unwrap();
        let mut evaluator = ours.evaluator(Numbers::Fp32, 1).unwrap();
        let mut fast = Evaluations::default();
        evaluator.evaluate_leaves(&leaves, &mut fast).unwrap();
        for (name, found) in [("reference", ours.weights().reference(&leaves).unwrap()), ("fast", fast)] {
            // Folding and the order of additions.
            let (wdl, logit) = difference(&reference, &found);
            assert!(wdl < 1e-4 && logit < 1e-4 * spread, "{} {mixing:?} {name}: {wdl} {logit}", V::ID);
        }
    }
}

#[test]
fn it_agrees_with_libtorch_for_every_variant_and_kind_of_mixing() {
    for &id in VariantId::ALL {
        rules::dispatch!(id, V => compare::<V>());
    }
}

#[test]
fn libtorch_is_needed_where_it_is_asked_for_and_nowhere_else() {
    let open = EvaluatorConfig { device: DeviceChoice::Cpu, ..EvaluatorConfig::default() };
    let needs = |config: EvaluatorConfig| config.needs_libtorch().unwrap();
    assert!(!needs(open.clone()));
    assert!(!needs(EvaluatorConfig { precision: Precision::Fp32, ..open.clone() }));
    assert!(!needs(EvaluatorConfig { precision: Precision::Int8, device: DeviceChoice::Auto, ..open.clone() }));
    assert!(!needs(EvaluatorConfig { backend: Backend::Native, layout: Layout::Contiguous, ..open.clone() }));
    assert!(needs(EvaluatorConfig { backend: Backend::Torch, ..open.clone() }));
    assert!(needs(EvaluatorConfig { precision: Precision::Bf16, ..open.clone() }));
    // Settings that a run or match of an earlier version has measured: the layout shows that libtorch was chosen.
    let earlier = r#"{"device":"cpu","precision":"fp32","layout":"contiguous","batch":16,"threads":1,"callers":0}"#;
    assert!(needs(serde_json::from_str(earlier).unwrap()));

    let file = train::builtin(VariantId::Wangqi).unwrap().unwrap();
    let (chosen, error) = open.for_network(&file, Workload { threads: 2, leaves: 1000 }).unwrap();
    assert!(error.is_none());
    let chosen = (chosen.backend, chosen.device, chosen.precision, chosen.batch, chosen.threads);
    assert_eq!(chosen, (Backend::Native, DeviceChoice::Cpu, Precision::Int8, 32, 1));
    let few = open.resolve(&file, Workload { threads: 2, leaves: 9 }).unwrap();
    assert_eq!(few.batch, 4, "a batch that two threads can fill");
}

#[test]
fn a_network_whose_integers_are_too_far_from_fp32_is_evaluated_in_fp32() {
    let file = train::builtin(VariantId::Wangqi).unwrap().unwrap();
    let leaves = |seed| search::random_leaves::<rules::Wangqi>(32, seed, file.blueprint().config.features);
    // Calibrated on empty boards, it cuts off what real positions need.
    let mut empty = leaves(1);
    empty.planes.fill(0.0);
    let file = file.clone().calibrated(&[empty, leaves(2), leaves(3)]).unwrap();
    let native = EvaluatorConfig { backend: Backend::Native, ..EvaluatorConfig::default() };
    let (chosen, error) = native.for_network(&file, Workload::default()).unwrap();
    assert_eq!(chosen.precision, Precision::Fp32);
    let Some(RoundingError::Int8(agreement)) = error else { panic!("{error:?}") };
    assert!(!agreement.suffices() && agreement.positions == 64, "{agreement:?}");
    let mut out = Evaluations::default();
    NetworkEvaluator::new(&file, &chosen).unwrap().evaluate(&leaves(4), &mut out).unwrap();
    let mut exact = Evaluations::default();
    file.evaluator(Numbers::Fp32, 1).unwrap().evaluate(&leaves(4), &mut exact).unwrap();
    assert_eq!(out, exact);
}

#[test]
fn settings_that_exclude_each_other_are_refused() {
    let complaints = |config: EvaluatorConfig| {
        let mut complaints = settings::Complaints::default();
        complaints.section("evaluator", |complaints| config.check(complaints));
        complaints.to_string()
    };
    let open = EvaluatorConfig::default;
    let native_bf16 = EvaluatorConfig { backend: Backend::Native, precision: Precision::Bf16, ..open() };
    assert!(complaints(native_bf16).starts_with("evaluator.precision: bf16 needs libtorch"));
    let torch_int8 = EvaluatorConfig { backend: Backend::Torch, precision: Precision::Int8, ..open() };
    assert!(complaints(torch_int8).starts_with("evaluator.precision: libtorch has no int8"));
    let gpu_int8 = EvaluatorConfig { device: DeviceChoice::Cuda, precision: Precision::Int8, ..open() };
    assert!(complaints(gpu_int8).starts_with("evaluator.device: a GPU is used by libtorch alone"));
    assert_eq!(complaints(open()), "");
}
