//! The board of 9 × 10 points that Xiangqi and Janggi share: lines, jumps over a screen, the steps of the
//! horse and the two palaces. Sets of points are `u128`, point `9 * rank + file`.
//!
//! A slide is found by arithmetic on the occupied points of a ray: towards larger indices `x ^ (x - 1)`
//! keeps everything up to the lowest bit of `x`, towards smaller ones the highest bit is looked up.

pub(crate) mod kinds;
pub(crate) mod sink;
pub(crate) mod validate;

/// Files of the board.
pub(crate) const FILES: usize = 9;
/// Ranks of the board.
pub(crate) const RANKS: usize = 10;
/// Points of the board.
pub(crate) const POINTS: usize = FILES * RANKS;

/// What Xiangqi and Janggi have in common, for their `impl Rulebook`: sizes, kinds of pieces, storage, and the hooks
/// that hand the moves of the module's own `generate::legal` to a list or to a counter.
macro_rules! shared_rules {
    ($variant:ty) => {
        const FILES: usize = crate::nine_by_ten::FILES;
        const RANKS: usize = crate::nine_by_ten::RANKS;
        const KINDS: usize = crate::nine_by_ten::kinds::CODES.len();

        crate::rulebook::storage!($variant, Set = u128);

        fn generate(position: &Position<Self>, moves: &mut MoveList) {
            let _ = generate::legal(position, moves);
        }

        fn is_legal(position: &Position<Self>, mv: Move, _scratch: &mut MoveList) -> bool {
            crate::nine_by_ten::sink::has(mv, |wanted| generate::legal(position, wanted))
        }

        fn count(position: &Position<Self>, _scratch: &mut MoveList) -> usize {
            crate::nine_by_ten::sink::count(|counter| generate::legal(position, counter))
        }
    };
}

pub(crate) use shared_rules;

/// A set for each point.
pub(crate) type PerPoint = [u128; POINTS];

/// The points reached by steps `(files, ranks)` from a point, those off the board left out.
pub(crate) const fn steps(point: usize, steps: &[(i32, i32)]) -> u128 {
    let mut set = 0;
    let mut i = 0;
    while i < steps.len() {
        if let Some(target) = step(point, steps[i]) {
            set |= 1 << target;
        }
        i += 1;
    }
    set
}

/// The point one step `(files, ranks)` away, if it is on the board.
pub(crate) const fn step(point: usize, (files, ranks): (i32, i32)) -> Option<usize> {
    let file = (point % FILES) as i32 + files;
    let rank = (point / FILES) as i32 + ranks;
    if file < 0 || file >= FILES as i32 || rank < 0 || rank >= RANKS as i32 {
        return None;
    }
    Some(rank as usize * FILES + file as usize)
}

/// `steps` for each point of `from`, kept to `within`; other points get the empty set.
pub(crate) const fn step_table(table: &[(i32, i32)], from: u128, within: u128) -> PerPoint {
    let mut sets = [0; POINTS];
    let mut point = 0;
    while point < POINTS {
        if from >> point & 1 != 0 {
            sets[point] = steps(point, table) & within;
        }
        point += 1;
    }
    sets
}

/// From where each point is reached: a table of steps read backwards.
pub(crate) const fn reversed(steps: &PerPoint) -> PerPoint {
    let mut sets = [0; POINTS];
    let mut from = 0;
    while from < POINTS {
        let mut to = 0;
        while to < POINTS {
            sets[to] |= (steps[from] >> to & 1) << from;
            to += 1;
        }
        from += 1;
    }
    sets
}

/// All points.
pub(crate) const BOARD: u128 = (1 << POINTS) - 1;
/// The palaces 九宮: d–f × 1–3 and d–f × 8–10, by side.
pub(crate) const PALACES: [u128; 2] = [PALACE, PALACE << (7 * FILES)];
const PALACE: u128 = 0b111 << 3 | 0b111 << 12 | 0b111 << 21;
/// The centres of the palaces, e2 and e9, by side.
pub(crate) const PALACE_CENTRES: [usize; 2] = [FILES + 4, 8 * FILES + 4];
/// One step along a line.
pub(crate) const ORTHOGONAL: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
/// One diagonal step.
pub(crate) const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// Points of each ray from a point, the point itself left out.
struct Rays {
    north: u128,
    east: u128,
    south: u128,
    west: u128,
}

const fn ray(point: usize, direction: (i32, i32)) -> u128 {
    let mut set = 0;
    let mut at = point;
    while let Some(next) = step(at, direction) {
        set |= 1 << next;
        at = next;
    }
    set
}

static RAYS: [Rays; POINTS] = {
    let mut rays = [const { Rays { north: 0, east: 0, south: 0, west: 0 } }; POINTS];
    let mut point = 0;
    while point < POINTS {
        rays[point] = Rays {
            north: ray(point, (0, 1)),
            east: ray(point, (1, 0)),
            south: ray(point, (0, -1)),
            west: ray(point, (-1, 0)),
        };
        point += 1;
    }
    rays
};

/// Points strictly between two points of one rank or file, and the centre of a palace between two opposite
/// corners of it; empty for others.
pub(crate) static BETWEEN: [PerPoint; POINTS] = {
    let mut between = [[0; POINTS]; POINTS];
    let mut from = 0;
    while from < POINTS {
        let mut d = 0;
        while d < ORTHOGONAL.len() {
            let mut passed = 0;
            let mut at = from;
            while let Some(next) = step(at, ORTHOGONAL[d]) {
                between[from][next] = passed;
                passed |= 1 << next;
                at = next;
            }
            d += 1;
        }
        from += 1;
    }
    let mut side = 0;
    while side < PALACE_CENTRES.len() {
        let mut d = 0;
        while d < DIAGONAL.len() {
            let (f, r) = DIAGONAL[d];
            let centre = PALACE_CENTRES[side];
            if let (Some(corner), Some(opposite)) = (step(centre, (f, r)), step(centre, (-f, -r))) {
                between[corner][opposite] = 1 << centre;
            }
            d += 1;
        }
        side += 1;
    }
    between
};

/// All points on the rank and the file of a point, without the point.
#[inline(always)]
pub(crate) fn lines(point: usize) -> u128 {
    let rays = &RAYS[point];
    rays.north | rays.east | rays.south | rays.west
}

/// All points on the file of a point, without the point.
#[inline(always)]
pub(crate) fn file_of(point: usize) -> u128 {
    RAYS[point].north | RAYS[point].south
}

/// What slides from a point meet: `reach` up to and including the first piece of each ray, `jump` behind
/// it up to and including the second.
#[derive(Clone, Copy)]
pub(crate) struct Slides {
    /// Empty points and the first piece of each ray: the chariot's moves and captures.
    pub(crate) reach: u128,
    /// Points behind the screen, up to and including the next piece.
    pub(crate) jump: u128,
}

/// Everything up to and including the lowest point of `pieces`; everything if there is none.
#[inline(always)]
const fn up_to_lowest(pieces: u128) -> u128 {
    pieces ^ pieces.wrapping_sub(1)
}

/// Everything down to and including the highest point of `pieces`; everything if there is none.
#[inline(always)]
const fn down_to_highest(pieces: u128) -> u128 {
    u128::MAX << (127 - (pieces | 1).leading_zeros())
}

/// The chariot's slide: empty points and the first piece of each ray.
#[inline(always)]
pub(crate) fn reach(point: usize, occupied: u128) -> u128 {
    let rays = &RAYS[point];
    rays.north & up_to_lowest(rays.north & occupied)
        | rays.east & up_to_lowest(rays.east & occupied)
        | rays.south & down_to_highest(rays.south & occupied)
        | rays.west & down_to_highest(rays.west & occupied)
}

/// Slide and jump together, as the cannon needs them. No piece of `barred` is jumped: the ray ends there.
#[inline(always)]
pub(crate) fn slides(point: usize, occupied: u128, barred: u128) -> Slides {
    let rays = &RAYS[point];
    let mut slides = Slides { reach: 0, jump: 0 };
    for ray in [rays.north, rays.east] {
        let pieces = ray & occupied;
        let reach = ray & up_to_lowest(pieces);
        let behind = if reach & barred == 0 { ray & !reach } else { 0 };
        slides.reach |= reach;
        slides.jump |= behind & up_to_lowest(pieces & behind);
    }
    for ray in [rays.south, rays.west] {
        let pieces = ray & occupied;
        let reach = ray & down_to_highest(pieces);
        let behind = if reach & barred == 0 { ray & !reach } else { 0 };
        slides.reach |= reach;
        slides.jump |= behind & down_to_highest(pieces & behind);
    }
    slides
}

/// A leaper's targets from a point (or the points from which it attacks one), with the points that can block
/// it: the horse's legs 馬腿, the two points an elephant of Janggi passes.
#[derive(Clone, Copy)]
pub(crate) struct Leaps<const N: usize> {
    /// Targets on a board without blocking pieces.
    pub(crate) all: u128,
    /// Points that must be free and the targets behind them; both empty off the board.
    pub(crate) ways: [(u128, u128); N],
}

impl<const N: usize> Leaps<N> {
    /// No targets.
    pub(crate) const NONE: Leaps<N> = Leaps { all: 0, ways: [(0, 0); N] };

    /// Targets to which the way is free.
    #[inline(always)]
    pub(crate) fn free(&self, occupied: u128) -> u128 {
        let mut targets = 0;
        for (way, behind) in self.ways {
            targets |= if way & occupied == 0 { behind } else { 0 };
        }
        targets
    }
}

/// From a point: the horse's moves, each leg with the two targets behind it.
pub(crate) static HORSE: [Leaps<4>; POINTS] = horses(false);
/// To a point: where a horse that attacks it may stand, with the leg on the horse's side.
pub(crate) static HORSE_TO: [Leaps<4>; POINTS] = horses(true);

const fn horses(reversed: bool) -> [Leaps<4>; POINTS] {
    let mut table = [Leaps::NONE; POINTS];
    let mut point = 0;
    while point < POINTS {
        let mut d = 0;
        while d < 4 {
            // One orthogonal step, then one diagonal step outward. Seen from the target, the leg is a
            // diagonal neighbour and the horse one orthogonal step further.
            let first = if reversed { DIAGONAL[d] } else { ORTHOGONAL[d] };
            if let Some(leg) = step(point, first) {
                let (f, r) = first;
                let targets = if reversed {
                    steps(leg, &[(f, 0), (0, r)])
                } else if f == 0 {
                    steps(leg, &[(1, r), (-1, r)])
                } else {
                    steps(leg, &[(f, 1), (f, -1)])
                };
                table[point].ways[d] = (1 << leg, targets);
                table[point].all |= targets;
            }
            d += 1;
        }
        point += 1;
    }
    table
}
