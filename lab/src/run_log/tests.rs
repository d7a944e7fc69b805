use super::matches::speed_of_matches;
use super::*;
use crate::events::{Selfplay, Train, Untrained};
use crate::scale::{opponents, places};
use eval::benchmark::FixedScale;
use rules::VariantId;

/// A run log in a folder that is removed with it.
struct Books {
    run_log: RunLog,
    config: EvaluationConfig,
    _folder: tempfile::TempDir,
}

impl Books {
    fn new(matches: u32, pairs: u32, final_pairs: u32) -> Books {
        let folder = tempfile::tempdir().expect("a folder");
        let entrants = Entrants { first: false, builtin: true, visits: 16, scale: None };
        let run_log = RunLog::open(&RunFolder::new(folder.path()), entrants).expect("a run log");
        let config = EvaluationConfig { matches, pairs, final_pairs, ..EvaluationConfig::default() };
        Books { run_log, config, _folder: folder }
    }

    fn record(&mut self, generation: u32, stage: Stage) {
        let event = Event { at_ms: 0, generation, seconds: 1.0, seconds_before: 0.0, stage };
        self.run_log.add(event).expect("recorded");
    }

    /// One of `of` generations of the same length.
    fn generation(&mut self, generation: u32, of: u32, trained: bool) {
        let share = |done: u32| f64::from(done) / f64::from(of);
        let plan = Plan {
            generation,
            plies_per_slot: 1,
            rules_games: 0,
            steps: 1,
            progress_from: share(generation - 1),
            progress_to: share(generation),
            last: generation == of,
            match_pairs: None,
            final_pairs: None,
            budget_seconds: None,
        };
        self.planned(plan, trained);
    }

    fn planned(&mut self, plan: Plan, trained: bool) {
        let generation = plan.generation;
        self.run_log.plan(plan).expect("planned");
        self.record(generation, Stage::Selfplay(Selfplay::default()));
        let trained = if trained { Stage::Train(Train::default()) } else { Stage::Untrained(Untrained::default()) };
        self.record(generation, trained);
    }

    fn played(&mut self, played: Match) {
        self.record(played.network, Stage::Match(played));
    }

    /// A match as recorded by programs without fixed players.
    fn played_before(&mut self, network: u32, opponent: u32, pairs: u64) {
        self.played(Match { network, opponent: opponent.into(), pairs, ..Match::default() });
    }

    /// Plays all matches that are due, without results; returns them as network, opponent and pairs.
    fn matches(&mut self) -> Vec<Wanted> {
        self.matches_with(|_, _, _| [0, 0])
    }

    /// The matches that become due, one after the other, with results: how often the network wins and loses.
    fn matches_with(&mut self, results: impl Fn(u32, Opponent, u64) -> [u64; 2]) -> Vec<Wanted> {
        let mut all = Vec::new();
        while let Some((_, Task::Match { network, opponent, pairs })) =
            self.run_log.record().due_with_matches(&self.config)
        {
            let [wins, losses] = results(network, opponent, 2 * u64::from(pairs));
            let settings = self.config.match_settings();
            let pairs_played = pairs.into();
            let opponent_id =
                self.run_log.record().entrants.scale.map_or_else(String::new, |scale| id(scale, opponent));
            let played = Match { network, opponent, pairs: pairs_played, wins, losses, settings, ..Match::default() };
            self.played(Match { opponent_id, ..played });
            all.push((network, opponent, pairs));
        }
        all
    }

    /// A whole run of generations of the same length, whose players have these strengths in Elo; returns its matches.
    fn run(&mut self, generations: u32, elo: impl Fn(Opponent) -> f64) -> Vec<Wanted> {
        let results = |network: u32, opponent: Opponent, games: u64| {
            let score = eval::ratings::score_of_elo(elo(Network(network)) - elo(opponent));
            let wins = (score * games as f64).round() as u64;
            [wins, games - wins]
        };
        let mut all = Vec::new();
        for generation in 1..=generations {
            self.generation(generation, generations, true);
            all.extend(self.matches_with(results));
        }
        all
    }
}

use Opponent::{Builtin, Greedy, Network};

#[test]
fn a_match_comes_with_each_part_of_the_run_whatever_the_generations() {
    let mut books = Books::new(5, 30, 100);
    let mut all = Vec::new();
    for generation in 1..=20 {
        books.generation(generation, 20, true);
        all.extend(books.matches());
    }
    let expected = [
        (4, Greedy, 30),
        (8, Greedy, 15),
        (8, Network(4), 15),
        (12, Greedy, 15),
        (12, Network(8), 15),
        (16, Greedy, 15),
        (16, Network(12), 15),
        (20, Greedy, 15),
        (20, Network(16), 15),
        (20, Greedy, 17),
        (20, Builtin(1), 17),
        (20, Network(16), 17),
    ];
    assert_eq!(all, expected, "against a fixed player and the network of the match before");

    // Postponed matches are the same.
    let mut books = Books::new(5, 30, 100);
    (1..=20).for_each(|generation| books.generation(generation, 20, true));
    assert_eq!(books.matches(), expected);
    let asked: Vec<_> =
        (1..=20).flat_map(|generation| books.run_log.record().asked_in(generation, &books.config)).collect();
    assert_eq!(asked, expected, "others are asked for the same");
    books.config.pairs = 40;
    assert_eq!(books.matches(), [(20, Greedy, 20), (20, Network(16), 20)], "more pairs lengthen the newest");
}

#[test]
fn a_generation_without_a_network_leaves_its_match_to_the_next() {
    let mut books = Books::new(4, 30, 0);
    (1..=8).for_each(|generation| books.generation(generation, 8, ![1, 2, 6].contains(&generation)));
    let own: Vec<_> = books.matches().into_iter().filter(|(_, opponent, _)| *opponent != Greedy).collect();
    assert_eq!(own, [(4, Network(3), 15), (7, Network(4), 15), (8, Network(7), 15)]);
}

#[test]
fn the_clock_has_the_last_word_on_pairs() {
    let mut books = Books::new(2, 30, 100);
    let plan = |generation: u32, match_pairs, final_pairs| Plan {
        generation,
        plies_per_slot: 1,
        rules_games: 0,
        steps: 1,
        progress_from: f64::from(generation - 1) / 4.0,
        progress_to: f64::from(generation) / 4.0,
        last: generation == 4,
        match_pairs: Some(match_pairs),
        final_pairs,
        budget_seconds: Some(60.0),
    };
    for (generation, pairs, final_pairs) in [(1, 0, None), (2, 0, None), (3, 0, None), (4, 12, Some(17))] {
        books.planned(plan(generation, pairs, final_pairs), true);
    }
    let expected = [(4, Greedy, 12), (4, Builtin(1), 8)];
    assert_eq!(books.matches(), expected, "greedy is met once, and no network has played before");
}

#[test]
fn neighbours_in_the_ratings_of_a_run_are_told_apart() {
    let elo = |player: Opponent| match player {
        Network(generation) => 80.0 * f64::from(generation) - 900.0,
        Opponent::Random => -900.0,
        Opponent::Mcts(_) => -500.0,
        Greedy | Opponent::Level(_) => -300.0,
        Builtin(visits) => 100.0 * f64::from(visits).log2(),
    };
    let mut books = Books::new(4, 20, 120);
    let all = books.run(12, elo);
    let record = books.run_log.record();
    let matches: Vec<&Match> = record.matches(|_| true).collect();
    let (players, table) = record.entrants.ratings(&matches).expect("ratings");
    let met: BTreeSet<Opponent> = all.iter().flat_map(|&(network, opponent, _)| [Network(network), opponent]).collect();
    assert_eq!(met, players.into_iter().collect(), "all are connected");
    for row in &table.rows {
        assert!(row.over_next.is_none_or(|over| over.error < 200.0), "{table:#?}");
    }
    let last = |opponent: Opponent| all.iter().any(|&(network, other, _)| (network, other) == (12, opponent));
    assert!(
        last(Greedy) && last(Network(9)) && all.iter().any(|match_| matches!(match_, (12, Builtin(_), _))),
        "{all:?}"
    );
}

/// Games that are played together share the calls of the network.
#[test]
fn a_short_match_takes_nearly_as_long_as_a_longer_one() {
    let (each, pair) = speed_of_matches(&[(3.0, 2.2), (15.0, 2.8)]);
    assert!((each - 2.05).abs() < 1e-9 && (pair - 0.05).abs() < 1e-9, "{each} {pair}");
    for alike in [&[(10.0, 5.0)][..], &[(10.0, 6.0), (20.0, 9.0), (10.0, 4.0)]] {
        let (each, pair) = speed_of_matches(alike);
        let (pairs, seconds) = alike.iter().fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
        let told = each * alike.len() as f64 + pair * pairs;
        assert!((told - seconds).abs() < 1e-9 && each >= 0.0 && pair > 0.0, "{each} {pair}");
    }
    assert!(speed_of_matches(&[]).1 > 0.0);
}

/// The first network that plays may be far stronger than greedy, and games between them say nothing.
#[test]
fn a_network_between_is_found_where_neighbours_are_far_apart() {
    let elo = |player: Opponent| match player {
        Network(generation) => {
            let first = [-950.0, -550.0, -300.0, -64.0];
            first.get(generation as usize - 1).copied().unwrap_or(10.0 * f64::from(generation))
        }
        Opponent::Random | Opponent::Mcts(_) => -1400.0,
        Greedy | Opponent::Level(_) => -950.0,
        Builtin(visits) => 100.0 * f64::from(visits).log2(),
    };
    let mut books = Books::new(4, 20, 300);
    let all = books.run(16, elo);
    let before_4 = |all: &[Wanted]| {
        all.iter().copied().find(|(_, opponent, _)| opponent.network().is_some_and(|network| network < 4))
    };
    let mut without = Books::new(4, 20, 300);
    without.run_log.record.missing = [1, 2, 3].into();
    assert_eq!(before_4(&without.run(16, elo)), None, "a network that is missing is not asked for");
    let fresh = before_4(&all);
    assert_eq!(fresh.map(|(network, opponent, _)| (network, opponent)), Some((4, Network(2))), "{all:?}");
    let record = books.run_log.record();
    let matches: Vec<&Match> = record.matches(|_| true).collect();
    let (_, table) = record.entrants.ratings(&matches).expect("ratings");
    for row in &table.rows {
        assert!(row.over_next.is_none_or(|over| over.error < 200.0), "{table:#?}");
    }
    let pairs: u64 = all.iter().map(|&(.., pairs)| u64::from(pairs)).sum();
    assert!(pairs < 500, "{pairs} pairs: {all:?}");
}

/// Earlier programs played a match for every network, against the one before it.
#[test]
fn matches_of_an_older_program_stay_as_they_are() {
    let mut books = Books::new(4, 30, 100);
    for generation in 1..=3 {
        books.generation(generation, 8, true);
        books.played_before(generation, generation - 1, 12);
    }
    assert_eq!(books.matches(), []);
    (4..=8).for_each(|generation| books.generation(generation, 8, true));
    let expected = [
        (4, Greedy, 15),
        (4, Network(3), 15),
        (6, Greedy, 15),
        (6, Network(4), 15),
        (8, Greedy, 15),
        (8, Network(6), 15),
        (8, Greedy, 17),
        (8, Builtin(1), 17),
        (8, Network(6), 17),
    ];
    assert_eq!(books.matches(), expected);
}

#[test]
fn a_run_that_an_older_program_finished_is_finished() {
    let mut books = Books::new(4, 30, 100);
    (1..=8).for_each(|generation| books.generation(generation, 8, true));
    for (network, opponent, pairs) in [(2, 0, 30), (4, 2, 30), (6, 4, 30), (8, 6, 30), (8, 0, 100)] {
        books.played_before(network, opponent, pairs);
    }
    assert_eq!(books.matches(), []);
}

/// The fixed scale of Wangqi, and the Elo of its players.
fn scale() -> (&'static FixedScale, impl Fn(Opponent) -> f64) {
    let scale = FixedScale::of(VariantId::Wangqi).expect("a scale");
    let elo = |opponent| opponents(scale).find(|(other, _)| *other == opponent).map_or(0.0, |(_, player)| player.elo);
    (scale, elo)
}

fn id(scale: &'static FixedScale, opponent: Opponent) -> String {
    let known = opponents(scale).find(|(other, _)| *other == opponent);
    known.map_or_else(|| "network".to_owned(), |(_, player)| player.id.to_string())
}

#[test]
fn networks_meet_the_player_of_the_scale_that_is_nearest() {
    let (scale, elo) = scale();
    let strength = |opponent: Opponent| match opponent {
        Network(generation) => 1000.0 + 100.0 * f64::from(generation),
        fixed => elo(fixed),
    };
    let mut books = Books::new(6, 40, 120);
    books.run_log.record.entrants = Entrants { visits: 64, scale: Some(scale), ..books.run_log.record.entrants };
    books.config.visits = 64;
    let all = books.run(12, strength);
    let fixed: Vec<&Wanted> = all.iter().filter(|(_, opponent, _)| opponent.network().is_none()).collect();
    assert_eq!(fixed.first().map(|first| first.1), Some(Greedy), "nothing is known of the first: {all:?}");
    let nearest: Vec<f64> = opponents(scale).map(|(_, player)| player.elo).collect();
    let mut met = BTreeSet::new();
    // A network may play others at the end of the run.
    for &&(network, opponent, _) in fixed.iter().skip(1).filter(|(network, ..)| *network < 12 && met.insert(*network)) {
        // The network before was weaker by 200.
        let known = strength(Network(network)) - 200.0;
        let least = nearest.iter().map(|elo| (elo - known).abs()).fold(f64::INFINITY, f64::min);
        assert!((elo(opponent) - known).abs() <= least + 60.0, "network {network} at {known} met {opponent}: {all:?}");
    }
    let last = |opponent: Opponent| all.iter().any(|&(network, other, _)| (network, other) == (12, opponent));
    assert!(last(Builtin(64)) && last(Network(10)) && !last(Network(0)), "{all:?}");
    let record = books.run_log.record();
    let matches: Vec<&Match> = record.matches(|_| true).collect();
    let places = places(scale, &matches);
    for (network, place) in &places {
        let off = (place.elo - strength(Network(*network))).abs();
        assert!(off < 60.0 && place.above_error < place.error, "network {network}: {place:?}");
    }
    assert_eq!(places.last().map(|(network, _)| *network), Some(12));
}

#[test]
fn where_results_are_not_known_the_fixed_players_follow_one_another() {
    let (scale, elo) = scale();
    let mut books = Books::new(4, 40, 120);
    books.run_log.record.entrants = Entrants { visits: 64, scale: Some(scale), ..books.run_log.record.entrants };
    (1..=8).for_each(|generation| books.generation(generation, 8, true));
    let asked: Vec<Wanted> =
        (1..=8).flat_map(|generation| books.run_log.record().asked_in(generation, &books.config)).collect();
    let met: Vec<f64> = asked
        .iter()
        .filter(|(_, opponent, _)| opponent.network().is_none())
        .map(|&(_, opponent, _)| elo(opponent))
        .collect();
    assert!(met.len() >= 4 && met[0] < met[3] && met.is_sorted(), "{asked:?}");
}

#[test]
fn a_run_keeps_the_fixed_players_with_which_it_began() {
    let (scale, _) = scale();
    let with_scale = |books: &mut Books| {
        books.run_log.record.entrants = Entrants { scale: Some(scale), ..books.run_log.record.entrants };
    };
    let strength = |opponent: Opponent| match opponent {
        Network(generation) => 100.0 * f64::from(generation),
        _ => 0.0,
    };
    // Begun and finished by a program that did not write who the opponents are.
    let mut books = Books::new(4, 30, 100);
    let met = books.run(8, strength);
    with_scale(&mut books);
    assert!(met.iter().any(|(_, opponent, _)| matches!(opponent, Builtin(1))), "{met:?}");
    assert_eq!(books.matches(), [], "it is finished");
    books.generation(9, 9, true);
    let next = books.matches();
    assert!(next.iter().all(|(_, opponent, _)| !matches!(opponent, Opponent::Level(_) | Builtin(64))), "{next:?}");

    // Finished by a program with other levels.
    let mut books = Books::new(4, 30, 100);
    with_scale(&mut books);
    books.run(8, strength);
    let played = books.run_log.record.events.iter_mut().filter_map(|event| match &mut event.stage {
        Stage::Match(played) if played.opponent.network().is_none() => Some(played),
        _ => None,
    });
    played.for_each(|played| played.opponent_id = "another network".to_owned());
    assert_eq!(books.matches(), [], "it is finished");
}
