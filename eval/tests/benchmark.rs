//! A ladder of known players, and the place of another one on it.

use eval::benchmark::{ANCHOR, EarlierPlayers, Meeting, PlacedPlayer, Placement, Playing, ReferenceLadder, Rung};
use eval::ratings::RatingRow;
use eval::{MatchConfig, MatchError, PlayerConfig};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const NAMES: [&str; 4] = ["random", "mcts:3", "mcts:12", "greedy"];

fn player_configs() -> Vec<PlayerConfig> {
    vec![PlayerConfig::random(), PlayerConfig::mcts(3), PlayerConfig::mcts(12), PlayerConfig::greedy()]
}

fn config(threads: u32) -> MatchConfig {
    MatchConfig { threads, ..MatchConfig::default() }
}

/// The ladder of most tests.
static LADDER: LazyLock<ReferenceLadder> = LazyLock::new(|| ladder(tempfile::tempdir().expect("a folder").path(), 0));

/// Plays the meetings of a small ladder, each player against the next two.
fn ladder(folder: &Path, threads: u32) -> ReferenceLadder {
    let rung =
        |name: &str| Rung { name: name.to_owned(), player: name.parse().unwrap(), version: String::new(), level: None };
    let rungs = NAMES.map(rung);
    let meeting = |a: usize, b: usize| Meeting { players: [a, b].map(|i| NAMES[i].to_owned()), pairs: 8, result: None };
    let plan = ReferenceLadder {
        variant: "wangqi".into(),
        ruleset: String::new(),
        max_plies: 0,
        opening_plies: 4,
        seed: 3,
        rungs: rungs.to_vec(),
        encounters: vec![meeting(0, 1), meeting(0, 2), meeting(1, 2), meeting(1, 3), meeting(2, 3)],
        earlier: EarlierPlayers::default(),
    };
    let players = player_configs();
    let of = |name: &String| players.iter().find(|player| player.name == *name).expect("a player of the ladder");
    let config = config(threads);
    let playing = Playing { config: &config, folder };
    let play = |meeting: &Meeting| {
        let [a, b] = &meeting.players;
        let played = plan.play_meeting(meeting, [of(a), of(b)], playing, &AtomicBool::new(false), |_| {});
        played.expect("a match").expect("it was not stopped")
    };
    ReferenceLadder { encounters: plan.encounters.iter().map(play).collect(), ..plan.clone() }
}

fn place(
    ladder: &ReferenceLadder,
    player: &PlayerConfig,
    folder: &Path,
    threads: u32,
    stop: &AtomicBool,
) -> Option<PlacedPlayer> {
    let (rungs, config) = (player_configs(), config(threads));
    let playing = Playing { config: &config, folder };
    Placement { ladder, rungs: &rungs, player, pairs: 16, playing }.play(stop, |_, _, _| {}).expect("matches")
}

/// The greedy player under another name.
fn newcomer() -> PlayerConfig {
    PlayerConfig { name: "newcomer".into(), ..PlayerConfig::greedy() }
}

#[test]
fn a_ladder_is_played_again_game_for_game() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let once = ladder(folders[0].path(), 1);
    assert_eq!(once, ladder(folders[1].path(), 3));
    // Nothing is left to play, and nothing changes.
    assert_eq!(once, ladder(folders[0].path(), 1));
    let text = serde_json::to_string(&[&once]).unwrap();
    assert_eq!(ReferenceLadder::read(&text).unwrap(), [once]);
}

#[test]
fn equal_players_have_equal_places() {
    let folder = tempfile::tempdir().unwrap();
    let placed = place(&LADDER, &newcomer(), folder.path(), 0, &AtomicBool::new(false)).unwrap();
    let difference = placed.ratings.difference("newcomer", "greedy").unwrap();
    assert!(difference.value.abs() < difference.error, "{difference:?}");
    let over_random = placed.ratings.difference("newcomer", "random").unwrap();
    assert!(over_random.value > over_random.error, "{over_random:?}");
    // Two rounds of two pairs against each of four, and the pairs of the bisection.
    assert!((32 + 2 * 4..=32 + 3 * 4).contains(&placed.games), "{}", placed.games);
    assert_eq!(placed.ratings.rows.len(), NAMES.len() + 1);
}

#[test]
fn what_was_stopped_goes_on_to_the_same_place() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let whole = place(&LADDER, &newcomer(), folders[0].path(), 2, &AtomicBool::new(false)).unwrap();
    let (rungs, config, player) = (player_configs(), config(1), newcomer());
    let playing = Playing { config: &config, folder: folders[1].path() };
    let mut stops = 0;
    let pieces = loop {
        let (stop, left) = (AtomicBool::new(false), AtomicU32::new(7));
        let placement = Placement { ladder: &LADDER, rungs: &rungs, player: &player, pairs: 16, playing };
        let placed = placement.play(&stop, |_, _, _| {
            if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                stop.store(true, Ordering::Relaxed);
            }
        });
        match placed.unwrap() {
            Some(placed) => break placed,
            None => stops += 1,
        }
        assert!(stops < 50, "it does not go on");
    };
    assert!(stops > 1, "it was never stopped");
    assert_eq!((pieces.encounters, pieces.ratings.rows), (whole.encounters, whole.ratings.rows));
}

#[test]
fn more_pairs_may_be_asked_for_later() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (rungs, config, player) =
        (player_configs(), config(0), PlayerConfig { name: "mcts".into(), ..PlayerConfig::mcts(6) });
    let place = |folder: &Path, pairs: u32| {
        let playing = Playing { config: &config, folder };
        let placement = Placement { ladder: &LADDER, rungs: &rungs, player: &player, pairs, playing };
        placement.play(&AtomicBool::new(false), |_, _, _| {}).unwrap().unwrap()
    };
    let at_once = place(folders[0].path(), 24);
    assert_eq!(place(folders[0].path(), 8), place(folders[1].path(), 8));
    assert_eq!(place(folders[1].path(), 24), at_once);
}

#[test]
fn a_name_of_the_ladder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (rungs, config, player) = (player_configs(), config(1), PlayerConfig::greedy());
    let playing = Playing { config: &config, folder: folder.path() };
    let placed = Placement { ladder: &LADDER, rungs: &rungs, player: &player, pairs: 4, playing }
        .play(&AtomicBool::new(false), |_, _, _| {});
    assert!(matches!(&placed, Err(MatchError::Config(reasons)) if reasons[0].contains("greedy is the name")));
}

/// The table in docs/results has a column for each ladder and a row for each of its players, with the ratings that the
/// games give. `UPDATE_EXPECT=1` writes it.
#[test]
fn the_document_has_the_ratings_of_every_ladder() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results/README.md");
    let page = std::fs::read_to_string(&file).expect("docs/results/README.md");
    let (before, text) = page.split_once("\n## Ladders\n").expect("a section on ladders");
    let is_row = |line: &&str| line.starts_with('|');
    let table: Vec<&str> = text.lines().filter(is_row).collect();
    let head: Vec<&str> = table.first().expect("a table").trim_matches('|').split('|').map(str::trim).collect();
    let ladders = ReferenceLadder::own().unwrap();
    let column = |title: &str| {
        ladders.iter().find(|ladder| ladder.variant.parse::<rules::VariantId>().unwrap().title().starts_with(title))
    };
    let columns: Vec<_> = head.iter().filter(|title| !title.is_empty()).filter_map(|title| column(title)).collect();
    assert_eq!(columns.len(), ladders.len(), "a column for each ladder: {head:?}");
    let ratings: Vec<_> = columns.iter().map(|ladder| ladder.ratings().unwrap().rows).collect();
    let cell = |rated: &[RatingRow], name: &str| match rated.iter().find(|row| row.player == name) {
        None => "–".to_owned(),
        Some(row) if row.player == ANCHOR => "0".to_owned(),
        Some(row) => format!("{:.0} ± {:.0}", row.elo, row.error),
    };
    let row = |name: &str| {
        let cells: Vec<String> = ratings.iter().map(|rated| cell(rated, name)).collect();
        format!("| {name} | {} |", cells.join(" | "))
    };
    let mut names: Vec<&str> = Vec::new();
    // In the order of the longest ladder.
    let longest = columns.iter().max_by_key(|ladder| ladder.rungs.len()).expect("a ladder");
    for rung in longest.rungs.iter().chain(columns.iter().flat_map(|ladder| &ladder.rungs)) {
        if !names.contains(&rung.name.as_str()) {
            names.push(&rung.name);
        }
    }
    // `scripts/ladder` writes the places of the networks into their results.
    for (ladder, rated) in columns.iter().zip(&ratings) {
        let result = file.with_file_name(format!("{}.json", ladder.variant));
        let result: serde_json::Value = serde_json::from_slice(&std::fs::read(&result).unwrap()).unwrap();
        let network = rated.iter().find(|row| row.player == "network of Kirin, 64 visits").expect("a network");
        let place = ["elo", "error"].map(|key| result["place"][key].as_f64());
        assert_eq!(place, [Some(network.elo.round()), Some(network.error.round())], "{}", ladder.variant);
    }
    let expected: Vec<String> = names.into_iter().map(row).collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let (lead, rest) = text.split_once(table[0]).expect("the table");
        let after: Vec<&str> = rest.lines().skip(1).skip_while(|line| is_row(line)).collect();
        let table = format!("{}\n{}\n{}", table[0], table[1], expected.join("\n"));
        let page = format!("{before}\n## Ladders\n{lead}{table}\n{}\n", after.join("\n"));
        std::fs::write(&file, page).expect("docs/results/README.md");
        return;
    }
    assert_eq!(table[2..], expected, "UPDATE_EXPECT=1 writes them");
}
