//! Games of matches as rows, for other programs.

use crate::error::EntryError;
use crate::identity::{PlayerId, PlayerRecord, Roster};
use crate::log::{FinishedGames, GameEntry, LoggedGames, MatchHeader};
use crate::pgn::{MATCH_EVENT, round};
use crate::standings::{csv_field, match_name};
use data::{GameRecord, LATEST_MS, MATCHES, MatchGame, PositionRecord};
use engine::Score;
use rules::{Side, Variant};
use serde_json::Value;
use std::collections::BTreeMap;

/// The games of logs. A player has one name in all of them, even where the logs have different names for it.
pub fn rows_of_logs(logs: &[LoggedGames]) -> Vec<MatchGame> {
    let names = Roster::of(logs.iter().flat_map(|logged| &logged.header.players)).names();
    let names: BTreeMap<String, String> = names.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    let rows = logs.iter().flat_map(|logged| rows(&match_name(&logged.log), &logged.header, &logged.games));
    let named = |row: MatchGame| MatchGame {
        first: names[&row.first_player].clone(),
        second: names[&row.second_player].clone(),
        ..row
    };
    rows.map(named).collect()
}

/// The games of a match, by pair and side. `match_name` is the name of its log without the extension.
pub fn rows(match_name: &str, header: &MatchHeader, games: &FinishedGames) -> Vec<MatchGame> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let settings = |player: &PlayerRecord| player.settings.to_json();
    let [a, b] = &header.players;
    let ids = [a, b].map(PlayerId::of);
    let names = header.names();
    let row = |game: &GameEntry| {
        let moves_first = game.side_of_first_named == Side::First;
        let (first, second) = if moves_first { (a, b) } else { (b, a) };
        let [i, j] = if moves_first { [0, 1] } else { [1, 0] };
        MatchGame {
            match_name: match_name.to_owned(),
            variant: header.variant.clone(),
            ruleset: header.ruleset.clone(),
            max_plies: header.max_plies,
            openings: header.openings.clone(),
            seed: header.seed,
            time_limit: header.limit.to_string(),
            pair: game.pair,
            first_named_first: game.side_of_first_named == Side::First,
            first: names[i].clone(),
            second: names[j].clone(),
            first_player: ids[i].to_string(),
            second_player: ids[j].to_string(),
            first_identity: first.identity.clone(),
            second_identity: second.identity.clone(),
            first_settings: settings(first),
            second_settings: settings(second),
            start_fen: game.start_fen.clone(),
            opening_plies: game.opening_plies,
            moves_text: game.moves.clone(),
            plies: game.plies,
            result: game.result,
            termination: game.termination,
            reason: text(&game.reason),
            spent_ms: (!game.spent_ms.is_empty()).then(|| game.spent_ms.clone()),
            scores: (!game.scores.is_empty())
                .then(|| game.scores.iter().map(|score| score.map(Score::centipawns)).collect()),
            session: game.session,
            elapsed_ms: game.elapsed_ms,
        }
    };
    games.values().map(row).collect()
}

/// The games of a match as rows of a data folder, so that they can be counted together with those of other folders. The
/// players' names stand for networks.
///
/// A position has a row with its key if a player was to move in it, as nothing else is known of the search. So opening
/// statistics leave out the games whose first moves came from the match's openings, and know where the others went.
///
/// # Errors
/// A game does not follow the rules of the match.
pub fn records<V: Variant>(header: &MatchHeader, games: &FinishedGames) -> Result<Vec<GameRecord<V>>, EntryError> {
    let [a, b] = header.players.each_ref().map(PlayerId::of);
    let names = header.names();
    let record = |entry: &GameEntry| {
        let [first, second] = if entry.side_of_first_named == Side::First { [0, 1] } else { [1, 0] };
        let sheet = entry.scoresheet::<V>(header)?;
        let game = sheet.replay_unchecked(sheet.plies());
        let position = |ply: usize| PositionRecord {
            ply: ply as u16,
            side: game.positions()[ply].side(),
            pos_key: game.positions()[ply].key().to_bytes(),
            mv: game.moves()[ply],
            policy_move: vec![game.moves()[ply]],
            policy_visits: vec![1],
            root_wdl: [0.0, 1.0, 0.0],
            ..PositionRecord::default()
        };
        let numbers = [header.seed, entry.pair.into(), entry.side_of_first_named.index() as u64];
        let mut hasher = blake3::Hasher::new();
        for number in numbers {
            hasher.update(&number.to_le_bytes());
        }
        for part in [a.as_str(), b.as_str(), &entry.moves] {
            hasher.update(part.as_bytes()).update(b"\n");
        }
        let digest = hasher.finalize();
        Ok(GameRecord {
            game_id: u64::from_le_bytes(std::array::from_fn(|byte| digest.as_bytes()[byte])),
            run_id: MATCHES.to_owned(),
            net_first: names[first].clone(),
            net_second: names[second].clone(),
            started_at: began(entry),
            event: Some(MATCH_EVENT.to_owned()),
            round: Some(round(entry)),
            positions: (entry.opening_plies as usize..game.moves().len()).map(position).collect(),
            ..GameRecord::of(&game, sheet.outcome)
        })
    };
    games.values().map(record).collect()
}

/// When a game began, in milliseconds since 1970: as long before its end as its moves took; 0 where its end is not known.
fn began(entry: &GameEntry) -> i64 {
    let ended =
        entry.finished_at.and_then(|seconds| i64::try_from(seconds).ok()).filter(|&ended| ended <= LATEST_MS / 1000);
    ended.map_or(0, |ended| ended * 1000 - entry.spent_ms.iter().map(|&spent| i64::from(spent)).sum::<i64>())
}

/// Rows as CSV with a line of column names. Lists are separated by spaces. A missing value is empty, or `-` in a list.
pub fn csv(rows: &[MatchGame]) -> String {
    let mut out = MatchGame::columns().collect::<Vec<_>>().join(",");
    out.push('\n');
    for row in rows {
        // The columns are the fields; plain data always becomes JSON.
        let value = serde_json::to_value(row).unwrap_or_default();
        let fields: Vec<String> = MatchGame::columns().map(|name| csv_field(&plain(&value[name], ""))).collect();
        out += &fields.join(",");
        out.push('\n');
    }
    out
}

/// A value without the syntax of JSON.
fn plain(value: &Value, missing: &str) -> String {
    match value {
        Value::Null => missing.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(|value| plain(value, "-")).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Rows as a JSON array of objects, each on a line.
pub fn json(rows: &[MatchGame]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| serde_json::to_string(row).unwrap_or_default()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}
