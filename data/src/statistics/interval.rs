//! An interval for a share that stays sensible for few games and for shares of 0 and 1.

/// The 95 % quantile of the normal distribution, two-sided.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's 95 % interval for a score between 0 and 1 over `games` games.
///
/// A draw counts as half a win. This assumes the largest spread of a game's score that its mean allows, so with draws the
/// interval is wider than need be, never narrower.
///
/// # Examples
/// ```
/// let (low, high) = data::wilson(1.0, 10);
/// assert!((low - 0.7225).abs() < 1e-4 && high > 0.9999);
/// assert_eq!(data::wilson(0.5, 0), (0.0, 1.0));
/// ```
pub fn wilson(score: f64, games: u64) -> (f64, f64) {
    if games == 0 {
        return (0.0, 1.0);
    }
    let n = games as f64;
    let scale = 1.0 + Z * Z / n;
    let centre = (score + Z * Z / (2.0 * n)) / scale;
    let half = Z * (score * (1.0 - score) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    ((centre - half).max(0.0), (centre + half).min(1.0))
}
