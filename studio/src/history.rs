//! What a run did, generation by generation, for its curves and tables.

use eval::benchmark::ScalePlace;
use lab::events::{Event, Match, Stage, Train};
use lab::health::Health;
use lab::{Opponent, RunFolder};
use report::StageTimes;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A run by generations.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct History {
    /// What each generation did, oldest first.
    generations: Vec<Generation>,
    /// Strength of the networks that have played matches, oldest first.
    ratings: Vec<RatedNetwork>,
    /// Why there are no ratings from match logs, if these cannot be read.
    ratings_problem: Option<String>,
    /// The newest value of each health figure.
    health: Vec<HealthFigure>,
    /// The matches, oldest first.
    matches: Vec<PlayedMatch>,
}

/// What a generation did.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Generation {
    /// Its number.
    generation: u32,
    /// Clock hours from the beginning of the run to the end of its last stage but matches.
    hours: f64,
    /// Positions of self-play from the beginning of the run on.
    positions: u64,
    /// Games that it finished.
    games: u64,
    /// Mean length of these games, plies.
    mean_plies: f64,
    /// Games won by the first player, drawn, won by the second player.
    results: [u64; 3],
    /// Losses of its network, nats; absent before its training ends.
    losses: Option<Losses>,
    /// Seconds of self-play, of training, of matches.
    seconds: [f64; 3],
    /// Evaluations by the network a second in self-play.
    evaluations_per_second: Option<f64>,
    /// Rows trained on a second.
    samples_per_second: Option<f64>,
    /// Share of the places in batches that were filled, 0 to 1.
    batch_fill: Option<f64>,
}

/// Losses of a network, nats.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Losses {
    /// Of the policy, on training games.
    policy: f64,
    /// Of the policy, on validation games.
    policy_validation: Option<f64>,
    /// Of the value, on training games.
    value: f64,
    /// Of the value, on validation games.
    value_validation: Option<f64>,
}

/// Strength of a network.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct RatedNetwork {
    /// Its generation.
    generation: u32,
    /// Clock hours of the run when it was made.
    hours: f64,
    /// Positions of self-play when it was made.
    positions: u64,
    /// Elo above the anchor of the run's own matches; absent where their logs are not there.
    elo: Option<f64>,
    /// Half the 95 % interval of that.
    error: Option<f64>,
    /// Games it played.
    games: u64,
    /// Whether it won or lost all games against some opponent, so that the rating is a cautious estimate.
    cautious: bool,
    /// Its place on the fixed scale.
    #[schema(value_type = Option<Object>)]
    scale: Option<ScalePlace>,
}

/// The newest value of a figure, as the report and `kirin watch` write it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HealthFigure {
    /// Its short name.
    name: &'static str,
    /// What it is.
    title: &'static str,
    /// The generation of the newest value.
    generation: u32,
    /// The value with its unit.
    value: String,
    /// The healthy range with its unit.
    range: String,
    /// Whether the newest value is in its range, or outside by no more than chance explains.
    healthy: bool,
    /// Generations in which it was outside.
    outside: Vec<u32>,
    /// What to do, by the last of them; keys of the configuration are between backticks.
    remedy: Option<String>,
}

/// A match of a network.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayedMatch {
    /// The network, by its generation.
    network: u32,
    /// The opponent, as match logs call it.
    opponent: String,
    /// Pairs of games.
    pairs: u64,
    /// Games won, drawn, lost by the network.
    results: [u64; 3],
    /// Mean score of the network, 0 to 1.
    score: f64,
    /// The 95 % interval of the score.
    interval: [f64; 2],
    /// Elo difference; absent where the score is 0 or 1.
    elo: Option<f64>,
    /// Half the 95 % interval of the difference.
    elo_error: Option<f64>,
    /// Name of its log in the folder of matches, without the extension.
    log: String,
}

impl History {
    /// The history of a run, by its events and the logs of its matches.
    pub fn of(folder: &RunFolder, events: &[Event]) -> History {
        let generations = generations(events);
        let mut rated: BTreeMap<u32, RatedNetwork> = BTreeMap::new();
        let mut problem = None;
        match report::ratings(folder, events) {
            // Of a network that played by two settings the one with the most games comes first.
            Ok(ratings) => ratings.networks.into_iter().for_each(|rating| {
                let report::Rating { generation, elo, error, games, cautious, place, .. } = rating;
                let (elo, scale) = (Some(elo), place);
                let known = rated.entry(generation);
                known.or_insert(RatedNetwork {
                    generation,
                    elo,
                    error,
                    games,
                    cautious,
                    scale,
                    ..RatedNetwork::default()
                });
            }),
            Err(error) => problem = Some(error.to_string()),
        }
        // The events know the place of a network even where the logs of its matches are gone.
        for played in matches(events) {
            let rating = rated.entry(played.network).or_default();
            rating.generation = played.network;
            rating.games = rating.games.max(2 * played.pairs);
            if let (None, Some(place)) = (&rating.scale, &played.place) {
                rating.scale = Some((**place).clone());
            }
        }
        let mut ratings: Vec<RatedNetwork> = rated.into_values().collect();
        ratings.retain(|rating| rating.elo.is_some() || rating.scale.is_some());
        for rating in &mut ratings {
            let made = generations.iter().rev().find(|it| it.generation <= rating.generation && it.losses.is_some());
            (rating.hours, rating.positions) = made.map_or((0.0, 0), |it| (it.hours, it.positions));
        }
        let matches = matches(events).map(PlayedMatch::of).collect();
        History { generations, ratings, ratings_problem: problem, health: health(events), matches }
    }
}

impl History {
    /// The newest network with a place on the fixed scale, by its generation, and the place.
    pub fn newest_place(&self) -> Option<(u32, &ScalePlace)> {
        self.ratings.iter().rev().find_map(|rating| Some((rating.generation, rating.scale.as_ref()?)))
    }
}

fn matches(events: &[Event]) -> impl Iterator<Item = &Match> {
    events.iter().filter_map(|event| match &event.stage {
        Stage::Match(played) => Some(played),
        _ => None,
    })
}

fn generations(events: &[Event]) -> Vec<Generation> {
    let mut all: BTreeMap<u32, Generation> = BTreeMap::new();
    let (mut seconds, mut positions) = (0.0, 0);
    for event in events {
        let generation = all.entry(event.generation).or_default();
        generation.generation = event.generation;
        seconds += event.seconds + event.seconds_before;
        match &event.stage {
            Stage::Selfplay(stage) => {
                positions += stage.positions;
                generation.games += stage.games;
                generation.mean_plies = stage.mean_plies;
                generation.results = [stage.first_wins, stage.draws, stage.second_wins];
            }
            Stage::Train(stage) => generation.losses = Some(Losses::of(stage)),
            Stage::Untrained(_) | Stage::Repaired(_) => {}
            Stage::Match(_) => continue,
        }
        (generation.hours, generation.positions) = (seconds / 3600.0, positions);
    }
    for times in StageTimes::of(events) {
        let generation = all.entry(times.generation).or_default();
        generation.seconds = [times.selfplay, times.training, times.matches];
        generation.evaluations_per_second = times.evaluations_a_second;
        generation.samples_per_second = times.samples_a_second;
        generation.batch_fill = times.batch_fill;
    }
    all.into_values().collect()
}

impl Losses {
    fn of(stage: &Train) -> Losses {
        Losses {
            policy: stage.trained_policy_loss.unwrap_or(stage.policy_loss),
            policy_validation: stage.validation_policy_loss,
            value: stage.trained_value_loss.unwrap_or(stage.value_loss),
            value_validation: stage.validation_value_loss,
        }
    }
}

fn health(events: &[Event]) -> Vec<HealthFigure> {
    let all = Health::of(events);
    let figure = |newest: lab::health::Newest| {
        let figure = newest.figure;
        let ills =
            all.iter().filter_map(|health| Some((health.generation, health.figure(figure.name)?.remedy.clone()?)));
        let (outside, remedies): (Vec<u32>, Vec<String>) = ills.unzip();
        HealthFigure {
            name: figure.name,
            title: figure.title,
            generation: newest.generation,
            value: report::health::value(&figure),
            range: report::health::range(&figure),
            healthy: figure.is_healthy(),
            outside,
            remedy: remedies.into_iter().next_back(),
        }
    };
    lab::health::newest(&all).into_iter().map(figure).collect()
}

impl PlayedMatch {
    fn of(played: &Match) -> PlayedMatch {
        let [network, opponent] = [Opponent::Network(played.network), played.opponent].map(Opponent::file_name);
        PlayedMatch {
            network: played.network,
            opponent: opponent.clone(),
            pairs: played.pairs,
            results: [played.wins, played.draws, played.losses],
            score: played.score,
            interval: [played.score_low, played.score_high],
            elo: played.elo,
            elo_error: played.elo_error,
            log: format!("{network}-vs-{opponent}"),
        }
    }
}
