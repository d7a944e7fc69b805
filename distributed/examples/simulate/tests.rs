use super::limits::Part;
use super::outcome::PerSecond;
use super::*;

/// A worker with 100 rows a second whose requests take no time, and a trainer that is never busy for long.
fn ideal() -> Measurements {
    Measurements {
        rows_per_second: 100.0,
        evaluations_per_row: 16.0,
        rows_per_game: 50.0,
        bytes_per_row: 60.0,
        bytes_per_shard: 1000.0,
        shard_seconds: 60.0,
        shard_games: 1e6,
        poll_seconds: 10.0,
        generation_rows: 60_000.0,
        uses: 4.0,
        samples_per_second: 1e6,
        read_rows_per_second: 1e9,
        gets_at_once: 16.0,
        network_bytes: 1e6,
        checkpoint_bytes: 3e6,
        put_ms: 0.0,
        get_ms: 0.0,
        megabytes_per_second: 1e9,
        most_puts_per_second: 1e9,
        most_gets_per_second: 1e9,
    }
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found} instead of {expected}");
}

#[test]
fn without_waiting_everything_is_a_multiple_of_one_worker() {
    for workers in [1, 10, 1000] {
        let outcome = simulate(&ideal(), workers);
        let n = f64::from(workers);
        near(outcome.rows_per_second, 100.0 * n, 0.001);
        near(outcome.evaluations_per_second, 1600.0 * n, 0.001);
        near(outcome.games_per_hour, 7200.0 * n, 0.001);
        near(
            outcome.store.bytes_put,
            n * (100.0 * 60.0 + 1000.0 / 60.0) + outcome.networks_per_hour / 3600.0 * 4e6,
            0.02,
        );
        near(outcome.used_share, 1.0, 0.05);
        near(outcome.training_share, 100.0 * n * 4.0 / 1e6, 0.05);
        assert!(outcome.store_share < 1e-6, "{outcome:?}");
    }
}

#[test]
fn a_workers_time_in_the_store_is_that_of_its_requests() {
    let slow = Measurements { put_ms: 3000.0, get_ms: 1000.0, megabytes_per_second: 1e9, ..ideal() };
    let outcome = simulate(&slow, 7);
    // A worker looks for one second in eleven. A shard is closed 60 s after it was opened, and the upload takes three
    // more. A network takes two more seconds.
    let (looks, puts) = (1.0 / 11.0, 3.0 / 63.0);
    near(outcome.store_share, looks * (1.0 - puts) + puts + outcome.networks_per_hour * 2.0 / 3600.0, 0.03);
    near(outcome.rows_per_second, 700.0 * (1.0 - outcome.store_share), 0.01);
}

#[test]
fn a_saturated_trainer_uses_what_it_can() {
    let slow = Measurements { samples_per_second: 2000.0, ..ideal() };
    // 2,000 samples a second are 500 rows a second: five workers.
    near(Limits::of(&slow).training, 5.0, 1e-9);
    let few = simulate(&slow, 3);
    near(few.used_share, 1.0, 0.1);
    near(few.training_share, 0.6, 0.1);
    let many = simulate(&slow, 20);
    near(many.used_share, 0.25, 0.05);
    near(many.training_share, 1.0, 0.02);
    near(many.rows_per_second, 2000.0, 0.01);
}

#[test]
fn full_shards_are_closed_early() {
    let quick = Measurements { shard_games: 20.0, ..ideal() };
    near(quick.shard_period(), 10.0, 1e-9);
    let outcome = simulate(&quick, 5);
    // Uploads of shards and networks, and a listing for each look of the trainer.
    let generations = 500.0 / 60_000.0;
    let listings = outcome.store.puts - 0.5 - 3.0 * generations;
    assert!((0.05..=0.15).contains(&listings), "{listings}");
}

#[test]
fn a_store_takes_no_more_than_it_can() {
    let narrow = Measurements { most_gets_per_second: 20.0, ..ideal() };
    // 1,000 workers would look 100 times a second.
    let outcome = simulate(&narrow, 1000);
    assert!(outcome.store_share > 0.5, "{outcome:?}");
    assert_eq!(Limits::of(&narrow).first().0, Part::Gets);
}

#[test]
fn limits_are_where_the_simulation_saturates() {
    let measured = Measurements {
        samples_per_second: 40_000.0,
        read_rows_per_second: 20_000.0,
        get_ms: 20.0,
        gets_at_once: 4.0,
        generation_rows: 600_000.0,
        ..ideal()
    };
    let (part, workers) = Limits::of(&measured).first();
    assert_eq!(part, Part::Training);
    let below = simulate(&measured, (workers * 0.85) as u32);
    let above = simulate(&measured, (workers * 1.15) as u32);
    near(below.used_share, 1.0, 0.06);
    near(above.used_share, 1.0 / 1.15, 0.06);
    near(above.training_share + above.reading_share, 1.0, 0.03);
}

#[test]
fn the_same_measurements_give_the_same_outcome() {
    let measured = Measurements { put_ms: 40.0, get_ms: 15.0, megabytes_per_second: 50.0, ..ideal() };
    assert_eq!(simulate(&measured, 123), simulate(&measured, 123));
}

#[test]
fn money_is_for_a_day() {
    let outcome = Outcome {
        workers: 10,
        evaluations_per_second: 0.0,
        games_per_hour: 0.0,
        rows_per_second: 0.0,
        store_share: 0.0,
        training_share: 0.0,
        reading_share: 0.0,
        used_share: 1.0,
        networks_per_hour: 0.0,
        store: PerSecond { puts: 1.0, gets: 10.0, bytes_put: 1e6, bytes_got: 1e5 },
    };
    let prices = Prices {
        worker_hour: 0.5,
        trainer_hour: 2.0,
        thousand_puts: 0.005,
        thousand_gets: 0.0004,
        gigabyte_month: 0.02,
        gigabyte_read: 0.1,
    };
    let money = outcome.money(&prices);
    near(money.workers, 120.0, 1e-9);
    near(money.trainer, 48.0, 1e-9);
    near(money.requests, 86.4 * 0.009, 1e-9);
    near(money.reading, 0.864, 1e-9);
    near(money.keeping, 1.728, 1e-9);
    near(money.sum(), 120.0 + 48.0 + 0.7776 + 0.864 + 1.728, 1e-9);
}

#[test]
fn measurements_are_checked() {
    let mut complaints = Complaints::default();
    ideal().check(&mut complaints);
    Prices::default().check(&mut complaints);
    assert!(complaints.is_empty(), "{complaints}");
    let wrong = Measurements { rows_per_second: 0.0, put_ms: f64::NAN, poll_seconds: 0.1, ..ideal() };
    wrong.check(&mut complaints);
    Prices { worker_hour: -1.0, ..Prices::default() }.check(&mut complaints);
    let mut keys: Vec<&str> = complaints.list().iter().map(|complaint| complaint.key.as_str()).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["poll_seconds", "put_ms", "rows_per_second", "worker_hour"], "{complaints}");
}

#[test]
fn arguments_are_workers_and_numbers() {
    let of = |words: &str| run(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let table = of("1 4 put_ms=55 worker_hour=0.5").expect("a table");
    assert!(table.contains("\n| 4 | ") && table.contains(" 48.00 |"), "{table}");
    assert!(table.contains("Bottleneck: the trainer's arithmetic, from 1.3 workers."), "{table}");
    for (words, message) in [
        ("putms=5", "no measurement and no price is called putms"),
        ("put_ms=soon", "expected KEY=NUMBER"),
        ("put_ms=-1", "put_ms: -1 is out of range"),
        ("0", "expected a number of workers"),
    ] {
        let problem = of(words).expect_err(words);
        assert!(problem.contains(message), "{words}: {problem}");
    }
}
