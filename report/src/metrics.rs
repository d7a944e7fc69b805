//! The figures of a run as a table for other programs: a row for each generation.

use data::{FigureColumn, Output, write_figures};
use lab::events::{Event, Match, Selfplay, Stage, Train};
use lab::health::{CHECKS, Health};
use std::collections::BTreeMap;

/// A column that comes from one figure of a stage: its name, and how the figure is read.
type Figure<S, T> = (&'static str, fn(&S) -> T);

/// What a generation did, each stage with its seconds.
#[derive(Default)]
struct Generation<'a> {
    number: u32,
    finished_at_ms: i64,
    selfplay: Option<(&'a Selfplay, f64)>,
    train: Option<(&'a Train, f64)>,
    /// The last match of its network.
    played: Option<(&'a Match, f64)>,
    health: Option<Health>,
}

/// Writes the table in Parquet; returns its rows.
///
/// # Errors
/// The file cannot be written.
pub fn write(out: &Output, events: &[Event]) -> Result<usize, data::DataError> {
    let generations = generations(events);
    write_figures(out, &columns(&generations))?;
    Ok(generations.len())
}

fn generations(events: &[Event]) -> Vec<Generation<'_>> {
    let mut all = BTreeMap::<u32, Generation<'_>>::new();
    for event in events {
        let generation = all.entry(event.generation).or_default();
        (generation.number, generation.finished_at_ms) = (event.generation, event.at_ms);
        match &event.stage {
            Stage::Selfplay(stage) => generation.selfplay = Some((stage, event.seconds)),
            Stage::Train(stage) => generation.train = Some((stage, event.seconds)),
            // A row has one match, against another network; those against fixed players are in the events.
            Stage::Match(stage) if stage.opponent.network().is_some() => {
                generation.played = Some((stage, event.seconds));
            }
            Stage::Match(_) | Stage::Untrained(_) | Stage::Repaired(_) => {}
        }
    }
    for health in Health::of(events) {
        if let Some(generation) = all.get_mut(&health.generation) {
            generation.health = Some(health);
        }
    }
    all.into_values().collect()
}

/// All columns in their order, with their names.
fn columns(rows: &[Generation<'_>]) -> Vec<(String, FigureColumn)> {
    let mut columns = Vec::new();
    let mut whole = |name: &str, get: &dyn Fn(&Generation<'_>) -> Option<u64>| {
        columns.push((name.to_owned(), FigureColumn::Whole(rows.iter().map(get).collect())));
    };
    whole("generation", &|row| Some(row.number.into()));
    whole("finished_at_ms", &|row| u64::try_from(row.finished_at_ms).ok());
    let selfplay: [Figure<Selfplay, u64>; 8] = [
        ("games", |stage| stage.games),
        ("positions", |stage| stage.positions),
        ("searched", |stage| stage.searched),
        ("evaluations", |stage| stage.evaluations),
        ("first_wins", |stage| stage.first_wins),
        ("draws", |stage| stage.draws),
        ("second_wins", |stage| stage.second_wins),
        ("data_bytes", |stage| stage.bytes),
    ];
    for (name, get) in selfplay {
        whole(name, &|row| Some(get(row.selfplay?.0)));
    }
    let train: [Figure<Train, u64>; 3] =
        [("steps", |stage| stage.steps), ("samples", |stage| stage.samples), ("window", |stage| stage.window)];
    for (name, get) in train {
        whole(name, &|row| Some(get(row.train?.0)));
    }
    whole("match_opponent", &|row| row.played?.0.opponent.network().map(u64::from));
    whole("match_pairs", &|row| Some(row.played?.0.pairs));

    let mut real = |name: &str, get: &dyn Fn(&Generation<'_>) -> Option<f64>| {
        columns.push((name.to_owned(), FigureColumn::Real(rows.iter().map(get).collect())));
    };
    real("mean_plies", &|row| row.selfplay.filter(|(stage, _)| stage.games > 0).map(|(stage, _)| stage.mean_plies));
    real("batch_fill", &|row| row.selfplay.map(|(stage, _)| stage.batch_fill).filter(|&fill| fill > 0.0));
    real("selfplay_seconds", &|row| Some(row.selfplay?.1));
    real("evaluations_per_second", &|row| rate(row.selfplay?.0.evaluations, row.selfplay?.1));
    let losses: [Figure<Train, Option<f64>>; 8] = [
        ("policy_loss", |stage| Some(stage.policy_loss)),
        ("value_loss", |stage| Some(stage.value_loss)),
        ("validation_policy_loss", |stage| stage.validation_policy_loss),
        ("validation_value_loss", |stage| stage.validation_value_loss),
        ("trained_policy_loss", |stage| stage.trained_policy_loss),
        ("trained_value_loss", |stage| stage.trained_value_loss),
        ("policy_entropy", |stage| stage.policy_entropy),
        ("learning_rate", |stage| Some(stage.learning_rate)),
    ];
    for (name, get) in losses {
        real(name, &|row| get(row.train?.0));
    }
    real("training_seconds", &|row| Some(row.train?.1));
    real("samples_per_second", &|row| rate(row.train?.0.samples, row.train?.1));
    let matches: [Figure<Match, Option<f64>>; 5] = [
        ("match_score", |stage| Some(stage.score)),
        ("match_score_low", |stage| Some(stage.score_low)),
        ("match_score_high", |stage| Some(stage.score_high)),
        ("match_elo", |stage| stage.elo),
        ("match_elo_error", |stage| stage.elo_error),
    ];
    for (name, get) in matches {
        real(name, &|row| get(row.played?.0));
    }
    real("match_seconds", &|row| Some(row.played?.1));
    for check in CHECKS {
        let name = format!("health_{}", check.name);
        real(&name, &|row| Some(row.health.as_ref()?.figure(check.name)?.value));
    }
    columns
}

fn rate(units: u64, seconds: f64) -> Option<f64> {
    crate::number::rate(units, seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_generation_is_a_row_and_what_it_lacks_is_a_gap() {
        let event = |generation, seconds, stage| Event { at_ms: 5, generation, seconds, seconds_before: 0.0, stage };
        let played = Selfplay { games: 4, evaluations: 600, mean_plies: 50.0, ..Selfplay::default() };
        let trained = Train { samples: 512, policy_loss: 2.5, policy_divergence: Some(0.125), ..Train::default() };
        let events = [
            event(1, 3.0, Stage::Selfplay(played)),
            event(1, 2.0, Stage::Train(trained)),
            event(2, 4.0, Stage::Selfplay(Selfplay::default())),
        ];
        let columns = columns(&generations(&events));
        let named = |name: &str| &columns.iter().find(|(other, _)| other == name).expect("a column").1;
        assert_eq!(named("generation"), &FigureColumn::Whole(vec![Some(1), Some(2)]));
        assert_eq!(named("games"), &FigureColumn::Whole(vec![Some(4), Some(0)]));
        assert_eq!(named("samples"), &FigureColumn::Whole(vec![Some(512), None]));
        assert_eq!(named("mean_plies"), &FigureColumn::Real(vec![Some(50.0), None]));
        assert_eq!(named("evaluations_per_second"), &FigureColumn::Real(vec![Some(200.0), None]));
        assert_eq!(named("policy_loss"), &FigureColumn::Real(vec![Some(2.5), None]));
        assert_eq!(named("health_policy_divergence"), &FigureColumn::Real(vec![Some(0.125), None]));
        assert_eq!(columns.iter().filter(|(name, _)| name.starts_with("health_")).count(), CHECKS.len());
        let names: std::collections::BTreeSet<&String> = columns.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), columns.len(), "no name comes twice");
    }
}
