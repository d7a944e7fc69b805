//! Whether a new network may be evaluated in the number format that was chosen for an earlier one.

use super::choice::COMPARED;
use super::{POLICY_TOLERANCE, WDL_TOLERANCE, apart, difference};
use crate::error::Result;
use crate::inference::config::{EvaluatorConfig, Precision};
use crate::network_file::NetworkFile;

/// How far a network's evaluations in bf16 are from those in fp32 on positions of random games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundingError {
    /// Largest difference in the probability of a win, draw or loss.
    pub wdl: f32,
    /// Largest difference in the probability of a move.
    pub policy: f32,
}

/// The settings for evaluating `file`: those given, unless they say bf16 and this network is too sharp for it. Then they
/// say fp32, and the error comes with them. The answer depends on the network alone, so a stage that is begun again gets
/// the same one.
///
/// # Errors
/// The network cannot be prepared, or libtorch fails.
pub fn trusted(file: &NetworkFile, config: &EvaluatorConfig) -> Result<(EvaluatorConfig, Option<RoundingError>)> {
    within(file, config, RoundingError { wdl: WDL_TOLERANCE, policy: POLICY_TOLERANCE })
}

fn within(
    file: &NetworkFile,
    config: &EvaluatorConfig,
    tolerance: RoundingError,
) -> Result<(EvaluatorConfig, Option<RoundingError>)> {
    if config.precision != Precision::Bf16 {
        return Ok((config.clone(), None));
    }
    let rounded = EvaluatorConfig { batch: COMPARED, ..config.clone() };
    let exact = EvaluatorConfig { precision: Precision::Fp32, ..rounded.clone() };
    let [wdl, policy] = apart(|| difference(file, &exact, &rounded))?;
    // A NaN is not within anything.
    if wdl <= tolerance.wdl && policy <= tolerance.policy {
        return Ok((config.clone(), None));
    }
    let exact = EvaluatorConfig { precision: Precision::Fp32, ..config.clone() };
    Ok((exact, Some(RoundingError { wdl, policy })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blueprint, DeviceChoice, Layout, NetworkConfig};

    #[test]
    fn a_network_too_sharp_for_bf16_is_evaluated_in_fp32() {
        let size = NetworkConfig { blocks: 1, channels: 8, ..NetworkConfig::default() };
        let size = NetworkConfig { se_hidden: 4, policy_dim: 4, value_channels: 2, value_hidden: 8, ..size };
        let file = NetworkFile::untrained(Blueprint::of::<rules::Wangqi>(size), 1).unwrap();
        let bf16 = EvaluatorConfig {
            device: DeviceChoice::Cpu,
            precision: Precision::Bf16,
            layout: Layout::ChannelsLast,
            batch: 4,
            threads: 1,
            callers: 1,
        };
        assert_eq!(trusted(&file, &bf16).unwrap(), (bf16.clone(), None), "untrained networks are not sharp");
        let none = RoundingError { wdl: 0.0, policy: 0.0 };
        let (settings, error) = within(&file, &bf16, none).unwrap();
        assert_eq!(settings, EvaluatorConfig { precision: Precision::Fp32, ..bf16 });
        let error = error.expect("bf16 rounds");
        assert!(error.wdl > 0.0 && error.policy > 0.0 && error.policy < 0.03, "{error:?}");
        assert_eq!(within(&file, &settings, none).unwrap(), (settings, None), "fp32 needs no comparison");
    }
}
