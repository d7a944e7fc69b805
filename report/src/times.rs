//! How long the stages took, and how fast they were.

use crate::number::rate;
use lab::events::{Event, Stage};
use std::collections::BTreeMap;

/// Seconds of each kind of stage in a generation, and speeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// The generation.
    pub generation: u32,
    /// Seconds of self-play.
    pub selfplay: f64,
    /// Seconds of training.
    pub training: f64,
    /// Seconds of matches.
    pub matches: f64,
    /// Network evaluations per second in self-play.
    pub evaluations_a_second: Option<f64>,
    /// Share of the places in batches that were filled, 0–1.
    pub batch_fill: Option<f64>,
    /// Rows trained on per second.
    pub samples_a_second: Option<f64>,
    /// Rows trained on.
    pub samples: u64,
    evaluations: u64,
    /// Places in the batches: evaluations divided by the share that was filled.
    places: f64,
}

impl StageTimes {
    /// The sums by generation.
    pub fn of(events: &[Event]) -> Vec<StageTimes> {
        let mut times = BTreeMap::<u32, StageTimes>::new();
        for event in events {
            let generation = event.generation;
            times.entry(generation).or_insert_with(|| StageTimes { generation, ..StageTimes::default() }).count(event);
        }
        let mut times: Vec<StageTimes> = times.into_values().collect();
        times.iter_mut().for_each(StageTimes::finish);
        times
    }

    /// Seconds of all stages.
    pub fn together(&self) -> f64 {
        self.selfplay + self.training + self.matches
    }

    /// Shares of self-play, training and matches in all of that, 0–1; `None` where no time has passed.
    pub fn shares(&self) -> Option<[f64; 3]> {
        let all = self.together();
        (all > 0.0).then(|| [self.selfplay, self.training, self.matches].map(|part| part / all))
    }

    /// The sum over generations, with mean speeds.
    pub fn total(times: &[StageTimes]) -> StageTimes {
        let mut total = StageTimes::default();
        for one in times {
            total.selfplay += one.selfplay;
            total.training += one.training;
            total.matches += one.matches;
            total.evaluations += one.evaluations;
            total.samples += one.samples;
            total.places += one.places;
        }
        total.finish();
        total
    }

    fn count(&mut self, event: &Event) {
        match &event.stage {
            Stage::Selfplay(stage) => {
                self.selfplay += event.seconds;
                self.evaluations += stage.evaluations;
                if stage.batch_fill > 0.0 {
                    self.places += stage.evaluations as f64 / stage.batch_fill;
                }
            }
            Stage::Train(stage) => {
                self.training += event.seconds;
                self.samples += stage.samples;
            }
            Stage::Match(_) => self.matches += event.seconds,
            Stage::Repaired(_) => self.training += event.seconds,
            Stage::Untrained(_) => {}
        }
    }

    fn finish(&mut self) {
        self.evaluations_a_second = rate(self.evaluations, self.selfplay);
        self.samples_a_second = rate(self.samples, self.training);
        self.batch_fill = (self.places > 0.0).then(|| self.evaluations as f64 / self.places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::events::{Match, Selfplay, Train};

    #[test]
    fn stages_of_a_generation_add_up() {
        let selfplay = Selfplay { evaluations: 300, batch_fill: 0.75, ..Selfplay::default() };
        let train = Train { samples: 500, ..Train::default() };
        let event = |generation, seconds, stage| Event { at_ms: 0, generation, seconds, seconds_before: 0.0, stage };
        let times = StageTimes::of(&[
            event(1, 10.0, Stage::Selfplay(selfplay.clone())),
            event(1, 5.0, Stage::Train(train)),
            event(2, 20.0, Stage::Selfplay(Selfplay { batch_fill: 0.0, ..selfplay })),
            event(2, 5.0, Stage::Match(Match::default())),
        ]);
        assert_eq!(
            (times[0].together(), times[0].evaluations_a_second, times[0].samples_a_second),
            (15.0, Some(30.0), Some(100.0))
        );
        assert_eq!((times[1].batch_fill, times[1].samples_a_second), (None, None));
        let total = StageTimes::total(&times);
        assert_eq!((total.selfplay, total.evaluations_a_second), (30.0, Some(20.0)));
        assert_eq!(total.shares(), Some([0.75, 0.125, 0.125]));
        assert_eq!(StageTimes::default().shares(), None);
    }
}
