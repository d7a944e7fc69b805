//! One game between two rated players: probabilities of win, draw and loss, and their derivatives.
//!
//! Two statements define the model. The expected score is logistic in the difference x (in natural units,
//! 400/ln 10 Elo), E = 1/(1 + e⁻ˣ), so that ratings mean the same Elo as a match between two players; and draws
//! follow Davidson (1970): d = ν·√(w·l). With w = E − d/2 and l = 1 − E − d/2 that is a quadratic equation for d,
//! with a solution between 0 and 2·min(E, 1 − E) for every ν. Davidson's own model differs in that there the score
//! flattens with more draws, and a rating difference means less the more players draw.

/// Probabilities of a game and the derivatives of their logarithms, each as [win, draw, loss].
pub(super) struct GameProbabilities {
    pub p: [f64; 3],
    /// ∂ ln p / ∂x.
    pub by_difference: [f64; 3],
    /// ∂ ln p / ∂ ln ν.
    pub by_draws: [f64; 3],
}

/// A game at difference `x` with draw parameter ν = exp(`ln_nu`).
pub(super) fn game(x: f64, ln_nu: f64) -> GameProbabilities {
    // 1 − E from −x, because 1 − E rounds to 0 for great x.
    let (e, not_e) = (1.0 / (1.0 + (-x).exp()), 1.0 / (1.0 + x.exp()));
    let nu2 = (2.0 * ln_nu).exp();
    let slope = e * not_e;
    let d = 4.0 * slope / (1.0 + ((e - not_e).powi(2) + 16.0 * slope / nu2).sqrt());
    // The smaller of w and l would cancel in a subtraction; w·l = d²/ν² gives it.
    let (w, l) = if x >= 0.0 {
        let w = e - d / 2.0;
        (w, d * d / (nu2 * w))
    } else {
        let l = not_e - d / 2.0;
        (d * d / (nu2 * l), l)
    };
    let common = 2.0 * w * l + d * (w + l) / 2.0;
    GameProbabilities {
        p: [w, d, l],
        by_difference: [2.0 * slope * not_e, slope * (l - w), -2.0 * slope * e].map(|n| n / common),
        by_draws: [-l * d, 2.0 * w * l, -w * d].map(|n| n / common),
    }
}

/// Share of draws between players of equal strength, d = ν/(2 + ν).
pub(super) fn even_draws(ln_nu: f64) -> f64 {
    1.0 / (1.0 + 2.0 * (-ln_nu).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_statements_hold() {
        for x in [-9.0, -2.0, -0.1, 0.0, 0.7, 5.0, 30.0] {
            for ln_nu in [-6.0, 0.0, 0.7, 4.0, 8.0] {
                let GameProbabilities { p: [w, d, l], .. } = game(x, ln_nu);
                assert!((w + d + l - 1.0).abs() < 1e-12 && w > 0.0 && d > 0.0 && l > 0.0, "{x} {ln_nu}");
                assert!((w + d / 2.0 - 1.0 / (1.0 + (-x).exp())).abs() < 1e-12, "score at {x} {ln_nu}");
                assert!((d.ln() - ln_nu - 0.5 * (w * l).ln()).abs() < 1e-6, "draws at {x} {ln_nu}");
            }
        }
    }

    #[test]
    fn derivatives_match_differences() {
        let h = 1e-6;
        for (x, ln_nu) in [(0.3, 0.2), (-2.0, 1.5), (4.0, -1.0), (0.0, 3.0)] {
            let g = game(x, ln_nu);
            let (left, right) = (game(x - h, ln_nu), game(x + h, ln_nu));
            let (fewer, more) = (game(x, ln_nu - h), game(x, ln_nu + h));
            for k in 0..3 {
                let dx = (right.p[k].ln() - left.p[k].ln()) / (2.0 * h);
                let dn = (more.p[k].ln() - fewer.p[k].ln()) / (2.0 * h);
                assert!((dx - g.by_difference[k]).abs() < 1e-6, "∂x {k} at {x} {ln_nu}");
                assert!((dn - g.by_draws[k]).abs() < 1e-6, "∂ν {k} at {x} {ln_nu}");
            }
        }
    }
}
