//! The rule of each face, worked out at compile time from the table of faces: targets near by and along lines,
//! what it may not take, whose death promotes it, how it shoots.

use super::board::{Near, SIZE};
use super::kinds::*;
use crate::piece::Kind;
use crate::side::Side;

/// 霹靂 goes 1 to 5 steps and may come back to points it has left. Sources agree on five steps and free turns;
/// that it may stop earlier and revisit points is a guess (Dagaz wants exactly five and no revisits).
pub(super) const THUNDER_STEPS: usize = 5;
/// 招搖 goes 1 to 5 steps in one line.
pub(super) const SWEEP_STEPS: u32 = 5;
/// A second leap of 騎總 may lead straight back: English Wikipedia's wording says so, code written after it does not.
const CAVALRY_MAY_RETURN: bool = true;

/// How a shooter shoots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gun {
    /// Farthest distance; a neighbour is at 1.
    pub(super) range: u32,
    /// Shots after one move, at most.
    pub(super) shots: u32,
    /// Whether stones in between do not matter.
    pub(super) over_stones: bool,
    /// Faces it cannot kill.
    pub(super) spares: Kinds,
    /// The distance from which on it can kill a 五里霧.
    pub(super) fog_from: u32,
}

/// 牌總, also as the face of a promoted 牌.
const SHIELD_UNITS: Kinds = kinds(&[SHIELD_UNIT, SHIELD_PROMOTED]);
/// 車 and 車總, also as the face of a promoted 車.
const CHARIOTS: Kinds = kinds(&[CHARIOT, CHARIOT_UNIT, CHARIOT_PROMOTED]);
/// What 弓 and 弩 cannot kill.
const PROOF_AGAINST_BOWS: Kinds = kinds(&[RAMPART, FOG, SHIELD, CANNON_CARRIAGE]) | SHIELD_UNITS | CHARIOTS;

const BOW: Gun = Gun { range: 3, shots: 1, over_stones: false, spares: PROOF_AGAINST_BOWS, fog_from: 0 };

/// The gun of a face; that of a face that does not shoot means nothing. 廣弓騎 and 弩騎 have no immune targets: the
/// table of the Chinese text says so, though the implementations keep the bows' limits.
const fn gun(kind: Kind) -> Gun {
    match kind {
        LONGBOW_RIDER => Gun { spares: 0, ..BOW },
        CROSSBOW => Gun { range: 5, ..BOW },
        CROSSBOW_RIDER => Gun { range: 5, spares: 0, ..BOW },
        CANNON => Gun { range: 5, over_stones: true, spares: kinds(&[RAMPART, FOG]) | SHIELD_UNITS, ..BOW },
        CANNON_CARRIAGE => Gun { range: 5, over_stones: true, spares: kinds(&[RAMPART]), ..BOW },
        FRANKISH_CANNON => Gun { range: 7, shots: 2, spares: kinds(&[RAMPART]) | SHIELD_UNITS, fog_from: 6, ..BOW },
        DIVINE_CARRIAGE => Gun { range: 7, shots: 2, spares: kinds(&[RAMPART]), ..BOW },
        _ => BOW,
    }
}

/// Whose death promotes any face that can promote. 帥 (added by English Wikipedia), 招搖 and 鼓 (added by Japanese
/// Wikipedia) are not in the Chinese text's list, which names promoted faces where it means them.
const GREAT: Kinds = kinds(&[GENERAL, MIDDLE_ARMY, BANNER]);
/// Whose death promotes a stone of short steps too.
const STRONG: Kinds = kinds(&[WRESTLER, DRAGON, SWEEPER, THUNDER]);
/// Stones of short steps 碎步.
const SHORT_STEPS: Kinds = kinds(&[
    AIDE_DE_CAMP,
    AIDE,
    STAFF,
    CHIEF_OF_STAFF,
    ENGINEER,
    MIDDLE_ARMY,
    DRUM,
    SENTRY,
    FRANKISH_CANNON,
    LONGBOW,
    CROSSBOW,
    CANNON,
    FOOT_SOLDIER,
    SHIELD,
    BANNER,
]);

/// Everything the generator asks about a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Steps and leaps: points of the window around the stone ([`Near`]).
    pub(super) near: u32,
    /// The points of the window that a move may begin with: steps, leaps, first points of slides.
    pub(super) first_points: u32,
    /// Slides along the four lines ([`super::board::Point::lines`]), around bit 32.
    slides: [u64; 4],
    /// What its moves are made of.
    pub(super) mover: Mover,
    /// The face on the back; itself if it never promotes.
    pub(super) promoted: Kind,
    /// Faces whose death promotes it.
    pub(super) promoted_by: Kinds,
    /// Faces it cannot take by displacement.
    pub(super) spares: Kinds,
    /// How it shoots.
    pub(super) gun: Gun,
}

impl Rule {
    /// The bits of line `line` that the stone can slide to from bit `at`, were the board empty.
    #[inline(always)]
    pub(super) const fn slide(&self, line: usize, at: u32) -> u32 {
        (self.slides[line] >> (32 - at)) as u32
    }

    /// Whether the stone slides on a line.
    #[inline(always)]
    pub(super) const fn slides(&self, line: usize) -> bool {
        self.slides[line] != 0
    }

    /// Whether the stone slides at all.
    #[inline(always)]
    pub(super) const fn is_slider(&self) -> bool {
        self.near != self.first_points
    }
}

/// The rules of all faces, by side.
pub(super) static RULES: [[Rule; KINDS]; 2] = [rules(Side::First), rules(Side::Second)];

const fn rules(side: Side) -> [Rule; KINDS] {
    let mut table = [rule(side, 0); KINDS];
    let mut kind = 1;
    while kind < KINDS {
        table[kind] = rule(side, kind);
        kind += 1;
    }
    table
}

const fn rule(side: Side, kind: Kind) -> Rule {
    let Face { moves, mover, promoted } = FACES[kind];
    let Moves { near, slides, first_points, ambiguous } = Moves::read(side, moves);
    assert!(!ambiguous || matches!(mover, Mover::Double), "a step and a slide lead to the same point");
    let mut promoted_by = 0;
    if promoted != kind {
        promoted_by |= GREAT;
        if among(kind, SHORT_STEPS) {
            promoted_by |= STRONG;
        }
        if kind == HORSEMAN {
            promoted_by |= kinds(&[FRANKISH_CANNON]);
        }
    }
    let spares = match mover {
        Mover::Priest => !kinds(&[PRIEST, MONK]),
        _ if among(kind, CHARIOTS) => kinds(&[RAMPART]),
        _ => 0,
    };
    Rule { near, first_points, slides, mover, promoted, promoted_by, spares, gun: gun(kind) }
}

/// Moves read from a text like `fR bW K`: `W` one step along a line, `F` one diagonal step, `K` either; `D`, `A`, `N`
/// leaps to the second point along a line, along a diagonal, and of the chess knight; `R`, `B`, `Q` slides, a number
/// their longest; `f`, `b`, `s` before one: only forward, backward, sideways.
struct Moves {
    near: u32,
    first_points: u32,
    slides: [u64; 4],
    /// Whether a step and the beginning of a slide are the same.
    ambiguous: bool,
}

impl Moves {
    const fn read(side: Side, text: &str) -> Moves {
        let forward = if matches!(side, Side::First) { 1 } else { -1 };
        let bytes = text.as_bytes();
        let mut moves = Moves { near: 0, first_points: 0, slides: [0; 4], ambiguous: false };
        let mut sense = 0;
        let mut i = 0;
        while i < bytes.len() {
            let limit = if i + 1 < bytes.len() && bytes[i + 1].is_ascii_digit() { bytes[i + 1] - b'0' } else { 0 };
            match bytes[i] {
                b'f' | b'b' | b's' => sense = bytes[i],
                b' ' | b'0'..=b'9' => {}
                atom => {
                    moves.add(atom, sense, forward, limit);
                    sense = 0;
                }
            }
            i += 1;
        }
        moves
    }

    const fn add(&mut self, atom: u8, sense: u8, forward: i32, limit: u8) {
        let mut bit = 0;
        while bit < Near::BITS as u32 {
            let (files, ranks) = Near::offset(bit);
            let wanted = match sense {
                b'f' => ranks * forward > 0,
                b'b' => ranks * forward < 0,
                b's' => ranks == 0,
                _ => true,
            };
            let (near, far) = {
                let (a, b) = (files.abs(), ranks.abs());
                if a < b { (a, b) } else { (b, a) }
            };
            let fits = match atom {
                b'W' | b'R' => near == 0 && far == 1,
                b'F' | b'B' => near == 1 && far == 1,
                b'K' | b'Q' => far == 1,
                b'D' => near == 0 && far == 2,
                b'A' => near == 2 && far == 2,
                b'N' => near == 1 && far == 2,
                _ => panic!("an unknown letter in the table of faces"),
            };
            if wanted && fits {
                self.ambiguous |= self.first_points >> bit & 1 != 0;
                self.first_points |= 1 << bit;
                match atom {
                    b'R' | b'B' | b'Q' => self.slide(files, ranks, limit),
                    _ => self.near |= 1 << bit,
                }
            }
            bit += 1;
        }
    }

    const fn slide(&mut self, files: i32, ranks: i32, limit: u8) {
        let line = match (files, ranks) {
            (_, 0) => 0,
            (0, _) => 1,
            _ if files == ranks => 2,
            _ => 3,
        };
        let up = if ranks == 0 { files } else { ranks };
        let farthest = if limit == 0 { SIZE as i32 - 1 } else { limit as i32 };
        let mut distance = 1;
        while distance <= farthest {
            self.slides[line] |= 1 << (32 + up * distance);
            distance += 1;
        }
    }
}

/// The second leaps of 騎總 after its first leap to a bit of the window ([`Near`]): those in the same orthogonal
/// sense, and straight back.
pub(super) static CAVALRY_SECOND: [u32; Near::BITS] = {
    let mut table = [0; Near::BITS];
    let mut bit = 0;
    while bit < Near::BITS as u32 {
        let (files, ranks) = Near::offset(bit);
        table[bit as usize] = match (files.abs(), ranks.abs()) {
            (1, 2) => 1 << Near::bit(1, ranks) | 1 << Near::bit(-1, ranks) | back(files, ranks),
            (2, 1) => 1 << Near::bit(files, 1) | 1 << Near::bit(files, -1) | back(files, ranks),
            _ => 0,
        };
        bit += 1;
    }
    table
};

const fn back(files: i32, ranks: i32) -> u32 {
    if CAVALRY_MAY_RETURN { 1 << Near::bit(-files, -ranks) } else { 0 }
}
