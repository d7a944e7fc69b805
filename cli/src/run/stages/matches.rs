//! The match stage: two networks of the run against each other.

use crate::run::events::{self, Stage};
use crate::run::session::{Ended, Session};
use eval::{Contender, Match, MatchReport};
use rules::{Variant, VariantId};
use selfplay::{EvaluationError, Evaluator};
use train::{DeviceChoice, EvaluatorConfig, NetworkFile, TorchEvaluator};

/// Plays the games that the match's log lacks.
pub fn play<V: Variant>(session: &mut Session<V>, network: u32, opponent: u32, pairs: u32) -> anyhow::Result<Ended> {
    let config = session.config.evaluation.match_config(&session.config, pairs);
    let contender = |generation: u32| -> anyhow::Result<Contender> {
        let path = session.folder.network(generation);
        let file = NetworkFile::read(&path)?;
        file.require::<V>(&path)?;
        let search = selfplay::SearchConfig { visits: config.visits, ..session.config.search.clone() };
        Ok(network_player(format!("gen-{generation:04}"), file, &search, &session.config.evaluator, pairs))
    };
    let players = [contender(network)?, contender(opponent)?];
    let title = format!("network {network} against {opponent}");
    let meter = session.progress.stage(&title, 2 * u64::from(pairs));
    let report = Match {
        variant: V::ID.parse::<VariantId>()?,
        config: &config,
        players: [&players[0], &players[1]],
        log: &session.folder.match_log(network, opponent),
    }
    .play(&session.stop, |now| {
        now.notes.iter().for_each(|note| session.progress.line(&format!("warning: {note}")));
        meter.update(now.games, || now.to_string());
    })?;
    drop(meter);
    if report.missing_games > 0 {
        return Ok(Ended::Stopped);
    }
    let stage = figures(&report, network, opponent);
    session.progress.line(&format!("{title}: {}", one_line(&report)));
    for warning in &report.warnings {
        session.progress.line(&format!("warning: {warning}"));
    }
    Ok(Ended::Done(Stage::Match(stage)))
}

/// A network as a player of a match of `pairs` pairs, with evaluators of the given settings.
pub fn network_player(
    name: String,
    file: NetworkFile,
    search: &selfplay::SearchConfig,
    evaluator: &EvaluatorConfig,
    pairs: u32,
) -> Contender {
    let evaluator = EvaluatorConfig { batch: batch_for(pairs, evaluator), ..evaluator.clone() };
    let identity = file.id().to_owned();
    Contender::network(name, identity, search, move || {
        TorchEvaluator::new(&file, &evaluator)
            .map(|evaluator| Box::new(evaluator) as Box<dyn Evaluator>)
            .map_err(|error| EvaluationError::Network(error.to_string()))
    })
}

/// Batches of a match. They are padded to their full size, and a match has few games to fill them with, fewer towards
/// its end; a CPU is near its best from 16 (measured). The size decides the last bits of an evaluation, so it does not
/// depend on the number of threads.
fn batch_for(pairs: u32, evaluator: &EvaluatorConfig) -> usize {
    if evaluator.device == DeviceChoice::Cuda {
        return evaluator.batch;
    }
    evaluator.batch.min(if pairs < 32 { 8 } else { 16 })
}

fn figures(report: &MatchReport, network: u32, opponent: u32) -> events::Match {
    let strength = &report.strength;
    events::Match {
        network,
        opponent,
        pairs: report.results.games() / 2,
        wins: report.results.wins,
        draws: report.results.draws,
        losses: report.results.losses,
        score: strength.score.unwrap_or_default(),
        score_low: strength.score_low.unwrap_or_default(),
        score_high: strength.score_high.unwrap_or(1.0),
        elo: strength.elo,
        elo_error: strength.elo_error,
    }
}

/// `62.5 % (95 %: 51.0 to 73.1), Elo +89 ± 60, 24 won, 2 drawn, 14 lost`.
fn one_line(report: &MatchReport) -> String {
    let percent = |share: Option<f64>| share.map_or_else(|| "n/a".to_owned(), |share| format!("{:.1}", 100.0 * share));
    let strength = &report.strength;
    let elo = match (strength.elo, strength.elo_error) {
        (Some(elo), Some(error)) => format!("Elo {elo:+.0} ± {error:.0}"),
        _ => "Elo n/a".to_owned(),
    };
    format!(
        "{} % (95 %: {} to {}), {elo}, {} won, {} drawn, {} lost",
        percent(strength.score),
        percent(strength.score_low),
        percent(strength.score_high),
        report.results.wins,
        report.results.draws,
        report.results.losses,
    )
}
