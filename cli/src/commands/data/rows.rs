//! Games as rows of text: the columns of the table `games`, but for the codes of the moves and the version of the schema.

use data::GameRecord;
use eval::standings::csv_field;
use rules::Variant;
use serde_json::Value;

/// The columns of a game with their values, in their order.
pub fn columns<V: Variant>(game: &GameRecord<V>) -> Vec<(&'static str, Value)> {
    let sheet = &game.sheet;
    let [first, second] = sheet.start.setups().map_or([None; 2], |both| both.map(|setup| Some(setup.name)));
    let points = |at: usize| sheet.outcome.points.map(|points| points[at]);
    vec![
        // More digits than some programs keep of a number.
        ("game_id", game.game_id.to_string().into()),
        ("run_id", game.run_id.as_str().into()),
        ("generation", game.generation.into()),
        ("variant", V::ID.into()),
        ("ruleset", sheet.rules.to_string().into()),
        ("worker", game.worker.as_str().into()),
        ("seed", game.seed.to_string().into()),
        ("net_first", game.net_first.as_str().into()),
        ("net_second", game.net_second.as_str().into()),
        ("start_fen", sheet.start.start_fen().into()),
        ("setup_first", first.into()),
        ("setup_second", second.into()),
        ("moves_text", game.moves_text.as_str().into()),
        ("plies", game.plies().into()),
        ("result", sheet.outcome.result.number().into()),
        ("termination", sheet.outcome.termination.name().into()),
        ("points_first", points(0).into()),
        ("points_second", points(1).into()),
        ("visits", game.visits.into()),
        ("resigned_playthrough", game.resigned_playthrough.into()),
        ("started_at", game.started_at.into()),
        ("wall_ms", game.wall_ms.into()),
        ("engine_version", game.engine_version.as_str().into()),
        ("event", game.event.as_deref().into()),
        ("site", game.site.as_deref().into()),
        ("round", game.round.as_deref().into()),
        ("opening", game.opening.as_deref().into()),
        ("opening_plies", game.opening_plies.into()),
        ("rating_first", game.rating_first.into()),
        ("rating_second", game.rating_second.into()),
    ]
}

/// A game as an object in a line.
pub fn json<V: Variant>(game: &GameRecord<V>) -> String {
    json_line(&columns(game))
}

/// Named values as an object in a line.
pub fn json_line<N: AsRef<str>>(columns: &[(N, Value)]) -> String {
    let members = columns.iter().map(|(name, value)| format!("{}:{value}", Value::from(name.as_ref())));
    format!("{{{}}}\n", members.collect::<Vec<_>>().join(","))
}

/// The names of the columns, as the first line of a CSV file.
pub fn csv_header<V: Variant>(game: &GameRecord<V>) -> String {
    columns(game).iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",") + "\n"
}

/// A game as a line of a CSV file. What is missing is empty.
pub fn csv<V: Variant>(game: &GameRecord<V>) -> String {
    csv_line(columns(game).iter().map(|(_, value)| value))
}

/// Values as a line of a CSV file.
pub fn csv_line<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let field = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(_) | Value::Array(_) => csv_field(&text(value)),
        other => other.to_string(),
    };
    values.map(field).collect::<Vec<_>>().join(",") + "\n"
}

/// A value without quotes; the numbers of a list between spaces.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}
