//! What is written about matches for other programs.

use super::{network, play};
use eval::ratings::Wdl;
use eval::{MatchConfig, OpeningsConfig, PlayerConfig, export, log, standings};
use rules::VariantId;

/// Three players in two matches, one with an awkward name, and two that no games connect with them.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = MatchConfig { pairs: 6, openings: OpeningsConfig::random(2), max_plies: 60, ..MatchConfig::default() };
    let named = |name: &str| PlayerConfig { name: name.into(), identity: name.into(), ..PlayerConfig::random() };
    let players =
        [PlayerConfig::greedy(), PlayerConfig::random(), network("net \"x\", y", 1, 4), named("p"), named("q")];
    for (i, j) in [(0, 1), (2, 0), (3, 4)] {
        let log = folder.path().join(format!("{i}-{j}.jsonl"));
        play(VariantId::Wangqi, &config, &players[i], &players[j], &log);
    }
    folder
}

#[test]
fn standings_add_up_to_the_games_of_the_logs() {
    let folder = folder();
    let all = standings(folder.path(), Some("random")).unwrap();
    assert_eq!(all.first.games(), 36);
    assert_eq!(all.terminations.values().sum::<u64>(), 36);
    assert_eq!(all.pairs.pairs(), 18);
    assert_eq!(all.pairs.0[..2], [0, 0], "told of whoever has more points");
    // Each opening is played in all three matches, by both sides.
    assert_eq!(all.openings.len(), 6);
    assert!(all.openings.iter().all(|opening| opening.results.games() == 6 && opening.moves.split(' ').count() == 2));
    let sum = all.openings.iter().fold(Wdl::default(), |sum, opening| sum + opening.results);
    assert_eq!(sum, all.first);
    let names: Vec<&str> = all.matches.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["0-1", "2-0", "3-4"]);
    assert_eq!(all.ladder.ratings.unrated, [["p", "q"]]);
    let rows = &all.ladder.ratings.rows;
    assert!(rows[..2].iter().all(|row| (0.0..=1.0).contains(&row.los_next.unwrap())) && rows[2].los_next.is_none());
}

#[test]
fn the_table_as_csv_has_a_row_and_a_column_for_each_player() {
    let folder = folder();
    let ladder = eval::ladder(folder.path(), Some("random")).unwrap();
    let csv = ladder.csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 6);
    assert!(lines[0].starts_with("place,player,elo,elo_error,games,wins,draws,losses,score,opponents,los_next,prior,"));
    assert!(lines[0].contains(",over_next,over_next_error,"), "{}", lines[0]);
    assert!(lines[0].contains(",\"against net \"\"x\"\", y\""), "{}", lines[0]);
    let random = lines.iter().find(|line| line.contains(",random,")).unwrap();
    assert!(random.contains(",random,0.0,0.0,12,"), "{random}");
    let Wdl { wins, draws, losses } = ladder.between("random", "greedy");
    assert_eq!(wins + draws + losses, 12);
    assert!(random.contains(&format!(",{wins}-{draws}-{losses}")), "{random}");
    let unrated = lines.iter().find(|line| line.starts_with(",p,,,12,")).unwrap();
    let fields = |line: &str| line.matches(',').count();
    assert_eq!(fields(unrated), fields(random));
}

#[test]
fn games_come_out_as_rows_of_csv_and_json() {
    let folder = folder();
    let path = folder.path().join("2-0.jsonl");
    let recorded = log::read(&path).unwrap();
    let header = recorded.header.clone().unwrap();
    let games = recorded.counted();
    let rows = export::rows("2-0", &header, &games);
    assert_eq!(rows.len(), 12);
    let (row, game) = (&rows[1], &games[&(0, rules::Side::Second)]);
    assert_eq!((row.first.as_str(), row.second.as_str()), ("greedy", "net \"x\", y"));
    assert_eq!((row.result, row.plies, &row.moves_text), (game.result, game.plies, &game.moves));
    assert!(row.second_settings.as_ref().unwrap().contains("\"visits\":4") && row.first_settings.is_none());

    let json: serde_json::Value = serde_json::from_str(&export::json(&rows)).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 12);
    assert_eq!(json[1]["moves_text"], game.moves.as_str());
    let csv = export::csv(&rows);
    assert_eq!(csv.lines().count(), 13);
    assert!(csv.starts_with("match_name,variant,ruleset,"));
    assert!(csv.lines().nth(2).unwrap().contains(",greedy,\"net \"\"x\"\", y\","), "{csv}");
}
