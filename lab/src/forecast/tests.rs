//! Forecasts for machines of given speed.

use super::*;

fn config(budget: &str) -> Config {
    let mut config = Config::default();
    config.run.variant = "wangqi".to_owned();
    (config.run.generations, config.run.budget, config.run.uses) = (4, budget.to_owned(), 4.0);
    (config.selfplay.slots, config.selfplay.plies_per_generation) = (100, 40);
    config.selfplay.ending_share = 0.0;
    config.search.visits = 16;
    config.training.batch = 256;
    (config.evaluation.matches, config.evaluation.pairs, config.evaluation.final_pairs) = (4, 10, 20);
    config.evaluation.visits = 16;
    config
}

fn measured() -> Measured {
    Measured {
        opening_seconds: 3.0,
        rules_games_per_second: 500.0,
        rows_per_rules_game: 6.0,
        simulations_per_second: 8000.0,
        selfplay_overhead_seconds: 0.5,
        samples_per_second: 2000.0,
        training_overhead_seconds: 1.0,
        match_simulations_per_second: Some(4000.0),
        positions_per_game: 80.0,
        plies_per_game: 80.0,
        longest_game: 300.0,
        bytes_per_row: 100.0,
        unfinished_bytes: 700,
        network_bytes: 1000,
        checkpoint_bytes: 4000,
        memory_bytes: Some(1_000_000),
        ..Measured::default()
    }
}

/// Every figure of a run by count can be computed by hand.
#[test]
fn a_run_by_count_is_added_up() {
    let forecast = Forecast::of(&config("none"), &measured());
    assert_eq!((forecast.generations, forecast.networks, forecast.searched), (4, 4, 16_000));
    // 40 plies in each of 100 slots are 4000 positions of 16 simulations: 8 s and half a second.
    assert!((forecast.selfplay_seconds - 4.0 * 8.5).abs() < 1e-6, "{forecast:?}");
    // Games of 80 plies, begun at random points: 160 plies of a slot end two of them and leave half a game open.
    assert_eq!((forecast.games, forecast.rows, forecast.games_between), (200, 12_000, [100, 280]));
    // In the first generation 100 · 40² / 160 positions are of finished games, then 3000, then 4000, then the whole
    // window: 16, 47, 63 and 74 (with the tail of 4 %) steps of 256.
    assert_eq!(forecast.steps, 16 + 47 + 63 + 74);
    let training = 200.0 * 256.0 / 2000.0 + 4.0;
    assert!((forecast.training_seconds - training).abs() < 1e-6, "{forecast:?}");
    // Four times 10 pairs: 2 · 40 games of 80 plies of 16 simulations. On Wangqi's ladder the fixed player of the last part is
    // the bundled network with 13 visits, which the last network meets in any case, so no pair is added.
    // Matches that bring neighbours in the ratings closer depend on results, which are not known.
    assert!((forecast.match_seconds - 80.0 * 80.0 * 16.0 / 4000.0).abs() < 1e-6, "{forecast:?}");
    let together = 3.0 + forecast.selfplay_seconds + forecast.training_seconds + forecast.match_seconds;
    assert!((forecast.seconds - together).abs() < 1e-6);
    assert_eq!(forecast.seconds_to_first_network, Some(3.0 + 8.5 + 16.0 * 256.0 / 2000.0 + 1.0));
    assert_eq!(forecast.disk_bytes, 12_000 * 100 + 700 + 5 * 1000 + 2 * 4000);
    assert_eq!(forecast.memory_bytes, Some(1_000_000 + 12_000 * 300));
}

#[test]
fn a_budget_is_kept_and_a_faster_machine_makes_more_of_it() {
    let slow = Forecast::of(&config("10m"), &measured());
    let fast = Measured { simulations_per_second: 24_000.0, samples_per_second: 6000.0, ..measured() };
    let fast = Forecast::of(&config("10m"), &fast);
    for forecast in [&slow, &fast] {
        assert!((570.0..630.0).contains(&forecast.seconds), "{forecast:?}");
        assert!(forecast.seconds_to_first_match.is_some_and(|seconds| seconds < 600.0), "{forecast:?}");
    }
    assert!((2.2..3.2).contains(&(fast.rows as f64 / slow.rows as f64)), "{slow:?} {fast:?}");
}

#[test]
fn random_play_games_are_counted() {
    let mut config = config("none");
    config.selfplay.rules_games = 1000;
    let by_rules = Forecast::of(&config, &measured());
    assert_eq!((by_rules.rows, by_rules.searched), (6000 + 3 * 4000 - 4000, 3 * 4000));
    assert!((by_rules.selfplay_seconds - (2.0 + 3.0 * 8.5)).abs() < 1e-6, "{by_rules:?}");
}

#[test]
fn nothing_is_trained_while_no_game_ends() {
    let endless = Measured { positions_per_game: 1e9, plies_per_game: 1e9, longest_game: 1e9, ..measured() };
    let forecast = Forecast::of(&config("none"), &endless);
    assert_eq!((forecast.networks, forecast.seconds_to_first_network), (0, None));
    assert_eq!(forecast.generations, 4);
}

/// Games begun near an ending are shorter, and occur only in one part of the run.
#[test]
fn games_begun_near_an_ending_are_shorter_while_there_are_any() {
    let mut config = config("none");
    (config.selfplay.ending_share, config.selfplay.ending_until) = (0.5, 0.5);
    // From 4 plies before the end on: 20 on average.
    config.selfplay.ending_plies_max = 36;
    let mixed = Measured { positions_per_game: 40.0, ..measured() };
    // The others have 60 positions. The share falls to nothing at half of the run, so a game has 40 positions in the first
    // generation, 50 in the second and 60 in the last two.
    let games = Forecast::of(&config, &mixed).games;
    assert_eq!(games, 100 + 80 + 67 + 67);
    let capped = Measured { longest_game: 40.0, ..mixed };
    assert!(Forecast::of(&config, &capped).games > games, "no game is longer than the limit");
}
