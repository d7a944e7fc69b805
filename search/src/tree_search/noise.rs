//! Noise at the root: Gumbel's draws, and PUCT's softened and noisy policy.

use crate::config::SearchConfig;
use crate::tree::Edge;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma};

/// Sum of the Dirichlet parameters over all legal moves (KataGo 10.83, which is AlphaZero's rule of thumb of 10 moves' worth).
const NOISE_TOTAL: f32 = 10.83;

/// Share of the Dirichlet parameters' sum that goes to moves with a policy above the geometric mean; the rest is spread
/// evenly (KataGo 0.5).
const NOISE_SHAPED: f64 = 0.5;

/// Part of the root temperature's difference from 1 that is left late in the game (KataGo: of 1.25, 1.1 is left).
const ROOT_TEMPERATURE_LATE: f32 = 0.4;

/// Plies in which the other part halves (KataGo: the board's side; this
/// is that of Xiangqi and Shogi).
const ROOT_TEMPERATURE_HALFLIFE: f32 = 9.0;

/// A draw from the standard Gumbel distribution, −ln(−ln U).
pub(super) fn gumbel(rng: &mut impl Rng) -> f32 {
    // U = 0 would give −∞ and U = 1 +∞: the middle of one of 2⁵³ equal steps avoids both.
    let u = (rng.random_range(0..1u64 << 53) as f64 + 0.5) / (1u64 << 53) as f64;
    -(-u.ln()).ln() as f32
}

/// PUCT's root policy: softened by a temperature that falls with the ply, then mixed with Dirichlet noise.
pub(super) fn soften_and_stir(
    edges: &mut [Edge],
    ply: usize,
    config: &SearchConfig,
    draws: &mut Vec<f64>,
    rng: &mut impl Rng,
) {
    let temperature = root_temperature(config.root_temperature, ply);
    if temperature != 1.0 {
        let mut sum = 0.0;
        for edge in edges.iter_mut() {
            edge.prior = edge.prior.powf(1.0 / temperature);
            sum += edge.prior;
        }
        edges.iter_mut().for_each(|edge| edge.prior /= sum);
    }
    if config.noise_fraction > 0.0 {
        dirichlet(edges, draws, rng);
        for (edge, noise) in edges.iter_mut().zip(draws) {
            edge.prior += config.noise_fraction * (*noise as f32 - edge.prior);
        }
    }
}

/// The temperature of the root policy at this ply, if it is `early` at ply 0.
fn root_temperature(early: f32, ply: usize) -> f32 {
    let late = 1.0 + ROOT_TEMPERATURE_LATE * (early - 1.0);
    late + (early - late) * (-(ply as f32) / ROOT_TEMPERATURE_HALFLIFE).exp2()
}

/// Dirichlet noise over the moves (KataGo): one part of the parameters is spread evenly, the other over the
/// moves whose log prior (cut at a prior of 0.01) is above the mean, in proportion to the excess.
fn dirichlet(edges: &[Edge], draws: &mut Vec<f64>, rng: &mut impl Rng) {
    let moves = edges.len() as f64;
    let log_prior = |edge: &Edge| f64::from(edge.prior.min(0.01)).max(1e-20).ln();
    let mean = edges.iter().map(log_prior).sum::<f64>() / moves;
    let excess = |edge: &Edge| (log_prior(edge) - mean).max(0.0);
    let all_excess: f64 = edges.iter().map(excess).sum();
    draws.clear();
    draws.extend(edges.iter().map(|edge| {
        let by_prior = if all_excess > 1e-9 { excess(edge) / all_excess } else { 1.0 / moves };
        let alpha = f64::from(NOISE_TOTAL) * ((1.0 - NOISE_SHAPED) / moves + NOISE_SHAPED * by_prior);
        Gamma::new(alpha.max(1e-6), 1.0).map_or(0.0, |gamma| gamma.sample(rng))
    }));
    let sum: f64 = draws.iter().sum();
    if sum > 0.0 {
        draws.iter_mut().for_each(|draw| *draw /= sum);
    } else {
        draws.fill(1.0 / moves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::NO_NODE;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rules::Move;

    fn edges(priors: &[f32]) -> Vec<Edge> {
        priors.iter().map(|&prior| Edge { mv: Move::from_raw(0), prior, child: NO_NODE }).collect()
    }

    /// Gumbel-top-k draws without replacement from the softmax: the first place is a draw from the policy, and
    /// the second a draw from the rest (Kool, van Hoof and Welling 2019).
    #[test]
    fn gumbel_top_two_are_draws_without_replacement() {
        let priors = [0.5f32, 0.25, 0.15, 0.1];
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut counts = [[0u32; 4]; 4];
        let draws = 200_000;
        for _ in 0..draws {
            let mut scores: Vec<(f32, usize)> =
                priors.iter().enumerate().map(|(i, p)| (p.ln() + gumbel(&mut rng), i)).collect();
            scores.sort_by(|a, b| b.0.total_cmp(&a.0));
            counts[scores[0].1][scores[1].1] += 1;
        }
        for (i, p) in priors.iter().enumerate() {
            for (j, q) in priors.iter().enumerate().filter(|&(j, _)| j != i) {
                let expected = f64::from(p * q / (1.0 - p));
                let deviation = (expected * (1.0 - expected) / f64::from(draws)).sqrt();
                let seen = f64::from(counts[i][j]) / f64::from(draws);
                assert!((seen - expected).abs() < 4.0 * deviation, "{i}{j}: {seen} for {expected}");
            }
        }
    }

    #[test]
    fn dirichlet_noise_sums_to_one_and_scales_with_the_number_of_moves() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for moves in [1, 5, 40, 300] {
            let edges = edges(&vec![1.0 / moves as f32; moves]);
            let rounds = 2000;
            let mut square = 0.0;
            let mut draw = Vec::new();
            for _ in 0..rounds {
                dirichlet(&edges, &mut draw, &mut rng);
                assert!((draw.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                square += draw.iter().map(|x| x * x).sum::<f64>() / (moves as f64 * f64::from(rounds));
            }
            // Second moment of one component of a symmetric Dirichlet whose parameters sum to A.
            let (n, a) = (moves as f64, f64::from(NOISE_TOTAL));
            let expected = (a / n + 1.0) / (n * (a + 1.0));
            assert!((square - expected).abs() < 0.05 * expected, "{moves}: {square} for {expected}");
        }
    }

    #[test]
    fn half_of_the_noise_goes_to_moves_above_the_geometric_mean() {
        let start = edges(&[0.005, 0.005, 0.49, 0.5]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut mean = [0.0; 4];
        let mut draw = Vec::new();
        for _ in 0..5000 {
            dirichlet(&start, &mut draw, &mut rng);
            draw.iter().zip(&mut mean).for_each(|(x, m)| *m += x / 5000.0);
        }
        assert!((mean[0] - 0.125).abs() < 0.01 && (mean[3] - 0.375).abs() < 0.01, "{mean:?}");
    }

    /// P^(1/T): at ply 0 with T = 2 the priors 0.64 and 0.36 become 0.8 : 0.6; after a half-life T is 1.7, and at last 1.4.
    #[test]
    fn the_root_policy_is_softened_by_ply() {
        let config = SearchConfig { root_temperature: 2.0, noise_fraction: 0.0, ..SearchConfig::default() };
        let softened = |ply| {
            let mut edges = edges(&[0.64, 0.36]);
            soften_and_stir(&mut edges, ply, &config, &mut Vec::new(), &mut ChaCha8Rng::seed_from_u64(1));
            edges[0].prior
        };
        assert!((softened(0) - 0.8 / 1.4).abs() < 1e-6);
        for (ply, temperature) in [(9, 1.7), (900, 1.4)] {
            let (a, b) = (0.64f32.powf(1.0 / temperature), 0.36f32.powf(1.0 / temperature));
            assert!((softened(ply) - a / (a + b)).abs() < 1e-6, "{ply}");
        }
    }

    /// The second temperature was a key once: its default is what follows from the default of the first, to the last bit.
    #[test]
    fn the_late_temperature_is_that_of_earlier_versions() {
        for ply in 0..300 {
            let before = 1.1 + (1.25 - 1.1) * (-(ply as f32) / ROOT_TEMPERATURE_HALFLIFE).exp2();
            assert_eq!(root_temperature(SearchConfig::default().root_temperature, ply), before, "{ply}");
            assert_eq!(root_temperature(1.0, ply), 1.0, "a match softens nothing");
        }
    }

    /// Dirichlet noise has the mean of its parameters: with an even policy and a noise share of one quarter, no move
    /// gains or loses on average, and the spread matches the quarter.
    #[test]
    fn a_quarter_of_the_policy_is_noise() {
        let config = SearchConfig { root_temperature: 1.0, noise_fraction: 0.25, ..SearchConfig::default() };
        let (mut rng, mut draws, rounds) = (ChaCha8Rng::seed_from_u64(3), Vec::new(), 20_000);
        let (mut mean, mut square) = (0.0, 0.0);
        for _ in 0..rounds {
            let mut edges = edges(&[0.1; 10]);
            soften_and_stir(&mut edges, 0, &config, &mut draws, &mut rng);
            assert!((edges.iter().map(|edge| edge.prior).sum::<f32>() - 1.0).abs() < 1e-5);
            let prior = f64::from(edges[0].prior);
            mean += prior / f64::from(rounds);
            square += (prior - 0.1).powi(2) / f64::from(rounds);
        }
        // Variance of a component of a symmetric Dirichlet over 10 moves: 0.1 · 0.9 / (A + 1).
        let expected = 0.25f64.powi(2) * 0.09 / (f64::from(NOISE_TOTAL) + 1.0);
        assert!((mean - 0.1).abs() < 4.0 * (expected / f64::from(rounds)).sqrt(), "{mean}");
        assert!((square / expected - 1.0).abs() < 0.05, "{square} for {expected}");
    }
}
