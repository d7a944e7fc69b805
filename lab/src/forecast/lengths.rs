//! How long games are, and how that changes while a network learns.
//!
//! At first games are as long as those measured, and in the end as long as
//! [`Variant::LEARNED_PLIES`](rules::Variant::LEARNED_PLIES) says. The difference fades evenly with the simulations of
//! self-play, since each brings the network the same step ahead. Games begun near the end of another one are shorter
//! from the start; their share is in the configuration.

use super::Measured;
use crate::config::Config;
use selfplay::SelfplayConfig;

/// Simulations of self-play after which the difference from learned games is 1/e of what it was. Fitted to the seven
/// whole runs in the tests of [`forecast`](super), of 4.5 to 58 minutes, with 16 and 32 simulations a move: from the
/// positions searched, the games of each come within 7 % of those played. With half or twice of it, six of them come
/// within 11 %, and the run of Kō shogi, whose games become four times as long, within 31 %.
const LEARNING: f64 = 1.5e6;

/// The length of games over a run, in positions searched.
pub(super) struct Lengths<'a> {
    selfplay: &'a SelfplayConfig,
    /// A game from its start, at first.
    first: f64,
    /// A game from its start, in the end.
    learned: f64,
    /// Simulations in which the difference comes to 1/e.
    learning: f64,
}

impl<'a> Lengths<'a> {
    /// The lengths where a network learns so many times as fast as ours did.
    pub fn new(config: &'a Config, measured: &Measured, pace: f64) -> Lengths<'a> {
        let selfplay = &config.selfplay;
        let share = f64::from(selfplay.ending_share_at(0.0));
        let first = without_endings(measured.positions_per_game, share, ending(selfplay));
        let learned = measured.learned_plies.map_or(first, |plies| f64::from(plies).min(measured.longest_game));
        Lengths { selfplay, first: first.min(measured.longest_game), learned, learning: LEARNING / pace }
    }

    /// A game from its start, after so many simulations of self-play.
    pub fn of_a_whole_game(&self, simulations: f64) -> f64 {
        self.learned + (self.first - self.learned) * (-simulations / self.learning).exp()
    }

    /// The mean of all games, those begun near an ending included, when so much of the run is done.
    pub fn of_all(&self, simulations: f64, progress: f64) -> f64 {
        let share = f64::from(self.selfplay.ending_share_at(progress as f32));
        with_endings(self.of_a_whole_game(simulations), share, ending(self.selfplay))
    }
}

/// The mean length of what is played of games begun near an ending.
fn ending(selfplay: &SelfplayConfig) -> f64 {
    f64::from(selfplay.ending_plies_min + selfplay.ending_plies_max) / 2.0
}

/// The mean length, where a share of the games is as short as endings are, and the others are `full`.
fn with_endings(full: f64, share: f64, ending: f64) -> f64 {
    (1.0 - share) * full + share * ending.min(full)
}

/// The length of the others, where the mean is known.
fn without_endings(mean: f64, share: f64, ending: f64) -> f64 {
    if mean <= ending || share >= 1.0 { mean } else { (mean - share * ending) / (1.0 - share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_taken_out_of_a_mean_and_put_back() {
        for mean in [5.0, 22.0, 30.0, 400.0] {
            for share in [0.0, 0.25, 0.9, 1.0] {
                let back = with_endings(without_endings(mean, share, 22.0), share, 22.0);
                let expected = if share == 1.0 { mean.min(22.0) } else { mean };
                assert!((back - expected).abs() < 1e-9, "{back} in place of {expected}, share {share}");
            }
        }
    }

    #[test]
    fn games_go_from_the_measured_length_to_the_learned_one() {
        let mut config = Config::default();
        (config.selfplay.ending_share, config.selfplay.ending_until) = (0.5, 0.5);
        (config.selfplay.ending_plies_min, config.selfplay.ending_plies_max) = (10, 30);
        let measured =
            Measured { positions_per_game: 30.0, learned_plies: Some(80), longest_game: 70.0, ..Measured::default() };
        let lengths = Lengths::new(&config, &measured, 1.0);
        // Half of the games have 20 positions, so the other half has 40.
        assert_eq!((lengths.of_a_whole_game(0.0), lengths.of_all(0.0, 0.0)), (40.0, 30.0));
        let learnt = lengths.of_all(1e9, 1.0);
        assert!((learnt - 70.0).abs() < 1e-6, "no game is longer than the limit: {learnt}");
        assert!((lengths.of_a_whole_game(LEARNING) - (70.0 - 30.0 / 1f64.exp())).abs() < 1e-6);
        let fast = Lengths::new(&config, &measured, 2.0);
        assert_eq!(fast.of_a_whole_game(LEARNING), lengths.of_a_whole_game(2.0 * LEARNING));
        let unknown = Lengths::new(&config, &Measured { learned_plies: None, ..measured }, 1.0);
        assert_eq!(unknown.of_a_whole_game(1e9), 40.0, "where nobody has measured, games stay as they are");
    }
}
