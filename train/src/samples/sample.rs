//! Recorded positions as a batch of samples: what goes into the network and what should come out.

use crate::error::Result;
use crate::heads::{HEADS, PerHead, Sample, SampleWeight};
use crate::network::policy::MoveTable;
use crate::samples::config::{DataConfig, MATERIAL_AHEAD};
use crate::samples::recorded::{RecordedGame, Row};
use crate::samples::targets::{PolicyTargets, Targets};
use crate::staging;
use network::{Blueprint, NetworkConfig};
use rules::encode::{self, Features, Shape};
use rules::{Move, MoveList, Position, Side, Variant};
use search::LeafBatch;
use tch::{Device, Tensor};

/// How the rows of a batch are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Plies ahead at which the pieces are counted.
    pub material_ahead: usize,
    /// Share of the search in the value target.
    pub search_share: f32,
    /// Share of material in the value target of games that were cut off.
    pub material_share: f32,
    /// What the network is shown.
    pub features: Features,
    /// Whether it says the points, if the variant counts them.
    pub points: bool,
}

impl Reading {
    /// What a network needs of a row when `progress` of the run (0 to 1) is over.
    pub fn new(config: &DataConfig, progress: f64, blueprint: &Blueprint) -> Reading {
        let NetworkConfig { features, points, .. } = blueprint.config;
        Reading {
            material_ahead: MATERIAL_AHEAD,
            search_share: config.search_share(progress),
            material_share: config.material_share as f32,
            features,
            points,
        }
    }
}

/// Samples in the program's own memory, all values from the point of view of the side to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Batch {
    /// Planes and the tokens of all legal moves.
    pub leaves: LeafBatch,
    /// Target probability of each legal move, parallel to `leaves.tokens`.
    pub policy: Vec<f32>,
    pub policy_weight: Vec<f32>,
    /// The targets of each head of the value branch: as many numbers a sample as it is wide.
    pub heads: PerHead<Vec<f32>>,
    /// In the order of [`SampleWeight::ALL`].
    pub weights: [Vec<f32>; SampleWeight::ALL.len()],
}

/// What is known of a row, whose player to move is `side`.
fn known<'a, V: Variant>(
    game: &RecordedGame<V>,
    row: &Row,
    reading: Reading,
    side: Side,
    material: &'a [f32],
) -> Sample<'a> {
    let is_undecided = game.is_undecided();
    let search = match is_undecided {
        // A proven value holds however the game ended.
        _ if row.proven => 1.0,
        true => 1.0 - reading.material_share,
        false => reading.search_share,
    };
    let first_ahead = game.points.unwrap_or(0.0);
    Sample {
        wdl: [0, 1, 2].map(|i| row.result_wdl[i] + search * (row.root_wdl[i] - row.result_wdl[i])),
        short_wdl: row.short_wdl,
        plies_left: f32::from(row.plies_left),
        material,
        points: if side == Side::First { first_ahead } else { -first_ahead },
        value_weight: row.value_weight,
        // Where the game was cut off, its full length is unknown.
        plies_weight: if is_undecided { 0.0 } else { 1.0 },
        points_weight: if game.points.is_some() { 1.0 } else { 0.0 },
    }
}

/// The pieces on the board and in hand, counted from the point of view of `side`.
fn material<V: Variant>(position: &Position<V>, side: Side, counts: &mut [f32]) {
    encode::material(position, counts);
    if position.side() != side {
        // The halves of the two sides change places.
        let (board, hands) = counts.split_at_mut(2 * V::KINDS);
        board.rotate_left(V::KINDS);
        hands.rotate_left(V::HAND_KINDS);
    }
}

impl Batch {
    /// An empty batch.
    pub fn new(reading: Reading) -> Batch {
        Batch { leaves: LeafBatch::new(reading.features), ..Batch::default() }
    }

    /// Appends one recorded position, mirrored left to right if asked.
    pub fn push<V: Variant>(
        &mut self,
        game: &RecordedGame<V>,
        row: &Row,
        mirrored: bool,
        reading: Reading,
        legal: &mut MoveList,
    ) {
        let shape = Shape::of::<V>(reading.features).with_points::<V>(reading.points);
        let mut replay = game.at(usize::from(row.ply));
        replay.legal_moves(legal);
        let position = replay.position();
        let side = position.side();
        let begin = self.leaves.planes.len();
        self.leaves.planes.resize(begin + shape.input_len(), 0.0);
        encode::planes(&replay, reading.features, &mut self.leaves.planes[begin..]);
        let tokens = |mv: &Move| {
            let tokens = encode::tokens(position, *mv);
            if mirrored { shape.mirror(tokens) } else { tokens }
        };
        self.leaves.push_moves(legal.iter().map(tokens));
        if mirrored {
            self.leaves.planes[begin..].chunks_exact_mut(shape.files).for_each(<[f32]>::reverse);
        }

        self.policy.extend(legal.iter().map(game.shares(row)));
        self.policy_weight.push(row.policy_weight);

        let from = usize::from(row.ply);
        let to = game.sheet.plies().min(from + reading.material_ahead);
        game.sheet.moves[from..to].iter().for_each(|&mv| replay.play(mv));
        let mut counts = vec![0.0; shape.material];
        material(replay.position(), side, &mut counts);
        let sample = known(game, row, reading, side, &counts);
        for (head, targets) in HEADS.iter().zip(self.heads.iter_mut()) {
            let begin = targets.len();
            targets.resize(begin + head.width.of(shape), 0.0);
            (head.target)(&sample, &mut targets[begin..]);
        }
        for (weight, values) in SampleWeight::ALL.iter().zip(&mut self.weights) {
            values.push(weight.of(&sample));
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// The network's input and the targets as tensors. A copy to a GPU may still be in progress on return; later work on
    /// the GPU, by any thread, waits for it.
    ///
    /// # Errors
    /// libtorch cannot make the tensors (memory, device).
    pub fn tensors(&self, shape: Shape, device: Device) -> Result<(Tensor, Targets)> {
        let rows = self.len() as i64;
        let put = |values: &[f32], sizes: &[i64]| staging::sent(Tensor::f_from_slice(values)?.f_view(sizes)?, device);
        let [planes, ranks, files] = [shape.planes, shape.ranks, shape.files].map(|n| n as i64);
        let LeafBatch { tokens, first_move, .. } = &self.leaves;
        let moves = MoveTable::new(tokens, first_move, self.len(), shape.tokens(), device)?;
        let mut padded = vec![0f32; self.len() * moves.width];
        for (leaf, row) in padded.chunks_exact_mut(moves.width).enumerate() {
            let shares = &self.policy[self.leaves.range_of(leaf)];
            row[..shares.len()].copy_from_slice(shares);
        }
        let shares = put(&padded, &[rows, moves.width as i64])?;
        let input = put(&self.leaves.planes, &[rows, planes, ranks, files])?;
        let targets = Targets {
            policy: PolicyTargets { moves, shares, weight: put(&self.policy_weight, &[rows])? },
            heads: HEADS.as_ref().zip(self.heads.as_ref()).try_map(|(head, values)| {
                let sizes = head.width.sizes(shape).into_iter().map(|size| size as i64);
                put(values, &std::iter::once(rows).chain(sizes).collect::<Vec<_>>())
            })?,
            weights: self.weights.iter().map(|values| put(values, &[rows])).collect::<Result<_>>()?,
        };
        Ok((input, targets))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use data::{GameRecord, PositionRecord};
    use rules::{Game, Janggi, Outcome, Rulebook, Rules, Termination, VariantId, Wangqi, Xiangqi, dispatch};

    const READING: Reading =
        Reading { material_ahead: 3, search_share: 0.25, material_share: 0.0, features: Features::ALL, points: true };

    /// Values are learned from results alone.
    fn of_results() -> DataConfig {
        DataConfig { value_plies: 0.0, ..DataConfig::default() }
    }

    fn game<V: Variant>(plies: usize, termination: Termination) -> RecordedGame<V> {
        RecordedGame::check(&record(plies, Outcome::draw(termination)), &of_results()).unwrap()
    }

    /// A game of so many moves, in which every position is a row whose search saw two moves.
    pub fn record<V: Variant>(plies: usize, outcome: Outcome) -> GameRecord<V> {
        let mut game = Game::<V>::start(Rules::default());
        let mut legal = MoveList::new();
        let mut positions = Vec::new();
        for ply in 0..plies {
            game.legal_moves(&mut legal);
            let mv = legal[(ply * 7 + 3) % legal.len()];
            positions.push(PositionRecord {
                ply: ply as u16,
                side: game.side(),
                mv,
                policy_move: vec![mv, legal[0]],
                policy_visits: vec![30, 10],
                root_wdl: [0.5, 0.25, 0.25],
                full_search: true,
                target_weight: 0.5,
                ..PositionRecord::default()
            });
            game.play(mv);
        }
        GameRecord { game_id: 1, positions, ..GameRecord::of(&game, outcome) }
    }

    fn batch<V: Variant>(game: &RecordedGame<V>, mirrored: bool) -> Batch {
        let mut batch = Batch::new(READING);
        for row in &game.rows {
            batch.push(game, row, mirrored, READING, &mut MoveList::new());
        }
        batch
    }

    fn mirrors<V: Variant>() {
        let shape = Shape::of::<V>(Features::ALL);
        let game = game::<V>(30, Termination::Repetition);
        let (plain, mirrored) = (batch(&game, false), batch(&game, true));
        for (plain, mirrored) in plain.leaves.planes.chunks(shape.files).zip(mirrored.leaves.planes.chunks(shape.files))
        {
            assert!(plain.iter().eq(mirrored.iter().rev()));
        }
        for (&plain, &mirrored) in plain.leaves.tokens.iter().zip(&mirrored.leaves.tokens) {
            assert_eq!(shape.mirror(plain), mirrored);
            assert_eq!(shape.mirror(mirrored), plain);
        }
        // All that is not on the board stays.
        let targets = |batch: &Batch| (batch.policy.clone(), batch.heads.clone());
        assert_eq!(targets(&plain), targets(&mirrored));
    }

    #[test]
    fn a_mirrored_sample_has_mirrored_planes_and_tokens() {
        for &id in VariantId::ALL {
            dispatch!(id, V => mirrors::<V>());
        }
    }

    #[test]
    fn targets_are_those_of_the_record() {
        let recorded = game::<Xiangqi>(9, Termination::Repetition);
        let samples = batch(&recorded, false);
        for row in 0..samples.len() {
            let policy = &samples.policy[samples.leaves.range_of(row)];
            assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            assert!(policy.contains(&0.75) || policy.contains(&1.0));
        }
        // Three quarters of the result, a draw, and a quarter of the search.
        assert_eq!(samples.heads.wdl[..3], [0.125, 0.8125, 0.0625]);
        let [value_weight, plies_weight, _] = &samples.weights;
        assert_eq!((samples.policy_weight[0], value_weight[0], plies_weight[0]), (0.5, 0.5, 1.0));
        assert_eq!(samples.heads.plies_left[0], 10f32.ln());

        let undecided = batch(&game::<Xiangqi>(9, Termination::MaxPlies), false);
        assert_eq!(undecided.heads.wdl[..3], [0.5, 0.25, 0.25], "the search knows more than the ply limit");
        let [value_weight, plies_weight, _] = &undecided.weights;
        assert_eq!((undecided.policy_weight[0], value_weight[0], plies_weight[0]), (1.0, 0.5, 0.0));
    }

    /// A proven value is certain: neither the result nor the ply limit changes it.
    #[test]
    fn a_proven_value_is_the_target_with_full_weight() {
        for termination in [Termination::Repetition, Termination::MaxPlies] {
            let mut record = record::<Xiangqi>(9, Outcome::draw(termination));
            (record.positions[4].proven, record.positions[4].root_wdl) = (true, [0.0, 0.0, 1.0]);
            let samples = batch(&RecordedGame::check(&record, &of_results()).unwrap(), false);
            let [value_weight, ..] = &samples.weights;
            assert_eq!((&samples.heads.wdl[12..15], value_weight[4]), ([0.0, 0.0, 1.0].as_slice(), 1.0));
            assert_eq!(value_weight[3], 0.5, "the others as before");
        }
    }

    #[test]
    fn points_are_seen_by_the_player_to_move_and_are_absent_where_the_network_lacks_them() {
        let recorded = game::<Janggi>(9, Termination::Repetition);
        let points = recorded.points.expect("the association's rules count them");
        assert!(points != 0.0);
        let samples = batch(&recorded, false);
        assert_eq!(samples.heads.points[..3], [points, -points, points]);
        let [.., weight] = &samples.weights;
        assert_eq!(weight[0], 1.0);
        let without = Reading { points: false, ..READING };
        let mut batch = Batch::new(without);
        batch.push(&recorded, &recorded.rows[0], false, without, &mut MoveList::new());
        assert!(batch.heads.points.is_empty() && batch.heads.material.len() == samples.heads.material.len() / 9);
    }

    /// The pieces three plies on, seen by the player who is to move now.
    #[test]
    fn material_is_counted_ahead_from_the_movers_view() {
        let recorded = game::<Wangqi>(40, Termination::Repetition);
        let samples = batch(&recorded, false);
        let width = Shape::of::<Wangqi>(Features::ALL).material;
        let count = |ply: usize| {
            let mut counts = vec![0.0; width];
            encode::material(recorded.at(ply).position(), &mut counts);
            counts
        };
        for (ply, counts) in samples.heads.material.chunks_exact(width).enumerate() {
            let later = count(40.min(ply + 3));
            let kinds = Wangqi::KINDS;
            let swapped = (40.min(ply + 3) - ply) % 2 == 1;
            let own = if swapped { &later[kinds..2 * kinds] } else { &later[..kinds] };
            assert_eq!(&counts[..kinds], own, "ply {ply}");
        }
    }
}
