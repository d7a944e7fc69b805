//! The normal distribution.

/// Half width of a 95 % interval in standard deviations.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Φ: the probability that a standard normal variable is below `z`.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabulated_values() {
        assert_eq!(normal_cdf(0.0), 0.5);
        assert!((normal_cdf(Z95) - 0.975).abs() < 1e-12);
        assert!((normal_cdf(-1.0) - 0.158_655_253_931_457).abs() < 1e-12);
    }
}
