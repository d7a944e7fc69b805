//! Whether a new network may be evaluated in the number format that was chosen for an earlier one.

use super::{COMPARED, POLICY_TOLERANCE, WDL_TOLERANCE, apart, difference};
use crate::error::Result;
use crate::inference::config::{EvaluatorConfig, Precision};
use network::{Agreement, NetworkFile};
use std::fmt;

/// How far a network's evaluations are from those in fp32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RoundingError {
    /// In bf16, on positions of random games.
    Bf16 {
        /// Largest difference in the probability of a win, draw or loss.
        wdl: f32,
        /// Largest difference in the probability of a move.
        policy: f32,
    },
    /// In int8, on positions of the network's own games.
    Int8(Agreement),
}

impl fmt::Display for RoundingError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoundingError::Bf16 { wdl, policy } => write!(
                out,
                "bf16 is off by up to {wdl:.3} in win, draw and loss and by up to {policy:.3} in the probability of a move"
            ),
            RoundingError::Int8(Agreement { policy_kl, q_rms, same_first_move, points_rms, .. }) => {
                write!(out, "int8 is off by a KL of {policy_kl:.4} in the policy, by {q_rms:.3} in q")?;
                if let Some(points) = points_rms {
                    write!(out, ", by {points:.3} in the points")?;
                }
                write!(out, ", with the same best move in {:.1} %", 100.0 * same_first_move)
            }
        }
    }
}

/// The settings for evaluating `file`: those given, unless they say int8 or bf16 and this network is too sharp for it. Then
/// they say fp32, and the error comes with them. The answer depends on the network alone, so a stage that is begun again
/// gets the same one.
///
/// # Errors
/// The network cannot be prepared, or libtorch fails.
pub fn trusted(file: &NetworkFile, config: &EvaluatorConfig) -> Result<(EvaluatorConfig, Option<RoundingError>)> {
    match config.precision {
        Precision::Int8 => {
            let agreement = file.calibration()?.agreement;
            Ok(settled(config, (!agreement.suffices()).then_some(RoundingError::Int8(agreement))))
        }
        Precision::Bf16 => within(file, config, [WDL_TOLERANCE, POLICY_TOLERANCE]),
        Precision::Auto | Precision::Fp32 => Ok((config.clone(), None)),
    }
}

fn within(
    file: &NetworkFile,
    config: &EvaluatorConfig,
    [wdl_tolerance, policy_tolerance]: [f32; 2],
) -> Result<(EvaluatorConfig, Option<RoundingError>)> {
    let rounded = EvaluatorConfig { batch: COMPARED, ..config.clone() };
    let exact = EvaluatorConfig { precision: Precision::Fp32, ..rounded.clone() };
    let [wdl, policy] = apart(|| difference(file, &exact, &rounded))?;
    // A NaN is not within anything.
    let is_within = wdl <= wdl_tolerance && policy <= policy_tolerance;
    Ok(settled(config, (!is_within).then_some(RoundingError::Bf16 { wdl, policy })))
}

/// These settings, in fp32 if the network is off by too much in theirs.
fn settled(config: &EvaluatorConfig, error: Option<RoundingError>) -> (EvaluatorConfig, Option<RoundingError>) {
    let precision = if error.is_some() { Precision::Fp32 } else { config.precision };
    (EvaluatorConfig { precision, ..config.clone() }, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blueprint, NetworkConfig};

    #[test]
    fn a_network_too_sharp_for_bf16_is_evaluated_in_fp32() {
        let size = NetworkConfig { blocks: 1, channels: 8, ..NetworkConfig::default() };
        let size = NetworkConfig { se_hidden: 4, policy_dim: 4, value_channels: 2, value_hidden: 8, ..size };
        let file = crate::untrained(Blueprint::of::<rules::Wangqi>(size), 1).unwrap();
        let bf16 = EvaluatorConfig { precision: Precision::Bf16, ..EvaluatorConfig::of_libtorch(4) };
        assert_eq!(trusted(&file, &bf16).unwrap(), (bf16.clone(), None), "untrained networks are not sharp");
        let (settings, error) = within(&file, &bf16, [0.0, 0.0]).unwrap();
        assert_eq!(settings, EvaluatorConfig { precision: Precision::Fp32, ..bf16 });
        let Some(RoundingError::Bf16 { wdl, policy }) = error else { panic!("bf16 rounds: {error:?}") };
        assert!(wdl > 0.0 && policy > 0.0 && policy < 0.03, "{wdl} {policy}");
        assert_eq!(trusted(&file, &settings).unwrap(), (settings, None), "fp32 needs no comparison");
    }

    #[test]
    fn a_network_off_in_the_points_alone_is_told_so() {
        let agreement =
            |points_rms| Agreement { positions: 1, policy_kl: 0.0, q_rms: 0.0, same_first_move: 1.0, points_rms };
        assert!(agreement(None).suffices() && !agreement(Some(0.035)).suffices());
        let told = RoundingError::Int8(agreement(Some(0.035))).to_string();
        assert!(told.contains("by 0.035 in the points"), "{told}");
        assert!(!RoundingError::Int8(agreement(None)).to_string().contains("points"));
    }
}
