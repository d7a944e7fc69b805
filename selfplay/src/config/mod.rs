//! What can be set: the search, and the self-play around it.
//!
//! Every field states meaning, unit, range and where its default comes from. `check` tells all that
//! is wrong with a configuration at once.

mod search;
mod selfplay;

pub use search::{Algorithm, Reuse, SearchConfig};
pub use selfplay::SelfplayConfig;

#[cfg(test)]
mod tests {
    use super::*;
    use settings::Complaints;

    fn complaints(search: &SearchConfig, selfplay: &SelfplayConfig) -> Vec<String> {
        let mut complaints = Complaints::default();
        complaints.section("search", |complaints| search.check(complaints));
        complaints.section("selfplay", |complaints| selfplay.check(search, complaints));
        complaints.list().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_defaults_give_no_cause_for_complaint() {
        let search = SearchConfig::default();
        assert_eq!(complaints(&search, &SelfplayConfig::default()), [""; 0]);
        assert_eq!(complaints(&search.for_matches(), &SelfplayConfig::default()), [""; 0]);
        let puct = SearchConfig { algorithm: Algorithm::Puct, ..search };
        assert_eq!(complaints(&puct.for_matches(), &SelfplayConfig::default()), [""; 0]);
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let search = SearchConfig { visits: 0, cpuct: f32::NAN, reuse: Reuse::Subtree, ..SearchConfig::default() };
        let selfplay = SelfplayConfig {
            slots: 0,
            fast_share: 0.5,
            fast_visits: 40,
            max_plies: 50,
            stagger_plies: 60,
            ..SelfplayConfig::default()
        };
        assert_eq!(
            complaints(&search, &selfplay),
            [
                "search.visits: 0 is out of range; 1 to 10000000",
                "search.cpuct: NaN is out of range; 0 to 100",
                "search.reuse: subtree goes with puct; gumbel counts on root moves starting even, use proofs",
                "selfplay.slots: 0 is out of range; 1 to 65536",
                "selfplay.fast_visits: 40 is not fewer than the 0 of a full search",
                "selfplay.stagger_plies: 60 random moves reach the limit of 50",
            ]
        );
    }

    #[test]
    fn simulations_double_where_they_should() {
        let search = SearchConfig { visits: 64, double_visits_at: vec![0.25, 0.7], ..SearchConfig::default() };
        let visits = [0.0, 0.2499, 0.25, 0.6, 0.7, 1.0].map(|progress| search.visits_at(progress));
        assert_eq!(visits, [16, 16, 32, 32, 64, 64]);
        assert_eq!(SearchConfig::default().visits_at(0.0), 32);
        assert_eq!(search.for_matches().visits_at(0.0), 64);
        let selfplay = SelfplayConfig { fast_share: 0.5, fast_visits: 16, ..SelfplayConfig::default() };
        assert_eq!(
            complaints(&search, &selfplay),
            ["selfplay.fast_visits: 16 is not fewer than the 16 of a full search"]
        );
        let wrong = SearchConfig { double_visits_at: vec![0.7, 0.25], ..search.clone() };
        let told = complaints(&wrong, &SelfplayConfig::default());
        assert_eq!(told, ["search.double_visits_at: [0.7, 0.25] are not ascending parts of the run, 0 to 1"]);
        let wrong = SearchConfig { visits: 3, ..search };
        let told = complaints(&wrong, &SelfplayConfig::default());
        assert_eq!(told, ["search.double_visits_at: 3 visits cannot be halved 2 times"]);
    }

    #[test]
    fn the_weight_of_games_drawn_by_the_limit_grows() {
        let config = SelfplayConfig::default();
        for (progress, weight) in [(0.0, 0.2), (0.2, 0.35), (0.4, 0.5), (1.0, 0.5)] {
            assert!((config.limit_weight_at(progress) - weight).abs() < 1e-6, "{progress}");
        }
        let at_once = SelfplayConfig { limit_weight_until: 0.0, ..config };
        assert_eq!(at_once.limit_weight_at(0.0), 0.5);
    }

    #[test]
    fn unknown_keys_are_refused() {
        let error = serde_json::from_str::<SearchConfig>(r#"{"vists": 3}"#).expect_err("a typo");
        assert!(error.to_string().starts_with("unknown field `vists`"), "{error}");
        let config: SearchConfig = serde_json::from_str(r#"{"algorithm": "puct", "reuse": "subtree"}"#).expect("known");
        assert_eq!((config.algorithm, config.reuse, config.visits), (Algorithm::Puct, Reuse::Subtree, 32));
    }

    #[test]
    fn the_temperature_falls_and_then_the_best_is_played() {
        let config = SelfplayConfig {
            temperature: 0.75,
            temperature_end: 0.15,
            temperature_halflife: 10.0,
            sample_plies: 30,
            ..SelfplayConfig::default()
        };
        assert_eq!(config.temperature_at(0), Some(0.75));
        assert!((config.temperature_at(10).expect("still drawn") - 0.45).abs() < 1e-6);
        assert_eq!(config.temperature_at(30), None);
    }
}
