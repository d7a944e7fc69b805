//! Ratings of odd graphs: sweeps, islands, a single game.

use eval::ratings::{Encounter, RatingError, Strength, Wdl, rate};

fn games(first: &str, second: &str, wins: u64, draws: u64, losses: u64) -> Encounter {
    Encounter { first: first.into(), second: second.into(), results: Wdl::new(wins, draws, losses) }
}

#[test]
fn two_players_get_the_elo_of_their_match() {
    let table = rate(&[games("a", "b", 40, 30, 10), games("b", "a", 15, 25, 40)], Some("b")).unwrap();
    let direct = Strength::of_games(Wdl::new(80, 55, 25));
    assert!((table.rows[0].elo - direct.elo.unwrap()).abs() < 2.0, "{table:?} against {direct:?}");
    assert!((table.rows[0].error - direct.elo_error.unwrap()).abs() < 4.0);
    assert_eq!((table.rows[1].player.as_str(), table.rows[1].elo, table.rows[1].error), ("b", 0.0, 0.0));
}

#[test]
fn the_anchor_moves_everything_alike() {
    let played = [games("a", "b", 12, 3, 9), games("b", "c", 8, 8, 8), games("c", "a", 4, 10, 6)];
    let [by_a, by_c] = ["a", "c"].map(|anchor| rate(&played, Some(anchor)).unwrap());
    for (x, y) in [("a", "b"), ("b", "c"), ("a", "c")] {
        let (one, other) = (by_a.difference(x, y).unwrap(), by_c.difference(x, y).unwrap());
        assert!((one.value - other.value).abs() < 1e-6 && (one.error - other.error).abs() < 1e-6);
        let chance = by_a.superiority(x, y).unwrap() + by_a.superiority(y, x).unwrap();
        assert!((chance - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_clean_sweep_is_rated_with_the_prior_and_marked() {
    let table = rate(
        &[games("best", "middle", 20, 0, 0), games("middle", "best", 0, 0, 20), games("middle", "low", 6, 2, 5)],
        Some("low"),
    )
    .unwrap();
    let row = |name: &str| table.rows.iter().find(|row| row.player == name).unwrap();
    assert!(row("best").prior && row("middle").prior && !row("low").prior);
    assert!(row("best").elo > 300.0 && row("best").elo < 1_200.0, "{table:?}");
    assert!(row("best").error > 100.0);
}

#[test]
fn islands_are_named_and_not_rated() {
    let played = [games("a", "b", 3, 1, 2), games("b", "c", 2, 2, 2), games("x", "y", 5, 0, 1)];
    let table = rate(&played, None).unwrap();
    assert_eq!(table.anchor, "a");
    assert_eq!(table.unrated, [["x", "y"]]);
    assert_eq!(table.difference("a", "x"), None);
    let other = rate(&played, Some("y")).unwrap();
    assert_eq!((other.rows.len(), other.unrated.len()), (2, 1));
}

#[test]
fn every_tiny_sample_is_finite() {
    for code in 0..3usize.pow(6) {
        let count = |i: u32| (code / 3usize.pow(i) % 3) as u64;
        let played = [games("a", "b", count(0), count(1), count(2)), games("b", "a", count(3), count(4), count(5))];
        match rate(&played, None) {
            Err(error) => assert_eq!((code, error), (0, RatingError::NoGames)),
            Ok(table) => {
                let numbers = table.rows.iter().flat_map(|row| [row.elo, row.error, row.score]);
                let more =
                    [table.first_advantage.value, table.first_advantage.error, table.draws.value, table.draws.error];
                assert!(numbers.chain(more).all(f64::is_finite), "{played:?}: {table:?}");
            }
        }
    }
}

#[test]
fn a_small_tournament_with_draws_has_ratings() {
    // Of `kirin eval tournament --variant wangqi --pairs 2 --max-plies 40 --seed 5 greedy mcts:10 random`.
    let played = [
        games("greedy", "mcts:10", 2, 0, 0),
        games("mcts:10", "greedy", 0, 0, 2),
        games("greedy", "random", 1, 1, 0),
        games("random", "greedy", 0, 2, 0),
        games("mcts:10", "random", 0, 2, 0),
        games("random", "mcts:10", 0, 1, 1),
    ];
    let table = rate(&played, None).unwrap();
    let places: Vec<_> = table.rows.iter().map(|row| row.player.as_str()).collect();
    assert_eq!(places, ["greedy", "mcts:10", "random"]);
    assert!(table.rows.iter().all(|row| row.elo.is_finite() && row.error.is_finite()), "{table:?}");
}

#[test]
fn an_unknown_anchor_is_refused() {
    let error = rate(&[games("a", "b", 1, 0, 0)], Some("z")).unwrap_err();
    assert_eq!(error.to_string(), "the anchor \"z\" is not among the players");
}

#[test]
fn a_long_ladder_converges() {
    let name = |i: usize| format!("gen-{i:04}");
    let played: Vec<Encounter> =
        (1..150).map(|i| games(&name(i), &name(i - 1), 12 + (i as u64 * 7) % 5, 3, 5 + (i as u64 * 3) % 4)).collect();
    let table = rate(&played, Some(&name(0))).unwrap();
    assert_eq!((table.rows.len(), table.unrated.len()), (150, 0));
    assert!(table.rows.last().is_some_and(|row| row.player == name(0) || row.elo <= 0.0));
}

#[test]
fn what_moving_first_is_worth_is_told_by_the_games_of_all_groups() {
    // a and b played few games. x and y, which no games connect with them, played many, and moving first won most.
    let few = [games("a", "b", 3, 2, 5), games("b", "a", 4, 2, 4)];
    let many = [games("x", "y", 90, 30, 30), games("y", "x", 90, 30, 30)];
    let alone = rate(&few, Some("a")).unwrap();
    let all = rate(&[&few[..], &many].concat(), Some("a")).unwrap();
    assert_eq!((alone.games, all.games, all.unrated.len()), (20, 320, 1));
    assert_eq!(
        all.rows.iter().map(|row| row.elo).collect::<Vec<_>>(),
        alone.rows.iter().map(|row| row.elo).collect::<Vec<_>>()
    );
    let of_many = rate(&many, None).unwrap().first_advantage;
    assert!(all.first_advantage.error < of_many.error && of_many.error < alone.first_advantage.error, "{all:?}");
    assert!(all.first_advantage.value > 100.0 && alone.first_advantage.value < 50.0, "{all:?}");
    assert!(all.first_advantage_text().starts_with("Moving first is worth +1"), "{}", all.first_advantage_text());
    let unknown = alone.first_advantage_text();
    assert!(
        unknown.starts_with("Moving first is worth an unknown number of Elo: 20 games are too few (± "),
        "{unknown}"
    );
}

#[test]
fn each_row_has_the_error_of_its_distance_from_the_next_one() {
    // The distance from the anchor adds up over the chain; that from the neighbour does not.
    let played: Vec<Encounter> = (1..8)
        .flat_map(|i| {
            let (new, old) = (format!("p{i}"), format!("p{}", i - 1));
            [games(&new, &old, 13, 2, 5), games(&old, &new, 6, 2, 12)]
        })
        .collect();
    let table = rate(&played, Some("p0")).unwrap();
    let [best, .., last] = table.rows.as_slice() else { panic!("{table:?}") };
    let over = best.over_next.unwrap();
    assert_eq!((best.player.as_str(), last.over_next), ("p7", None));
    assert_eq!(table.difference("p7", "p6"), Some(over));
    assert!(2.0 * over.error < best.error, "{over:?} of the neighbour, {} of the anchor", best.error);
}
