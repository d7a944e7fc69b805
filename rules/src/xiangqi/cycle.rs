//! A cycle of moves between the first and the last occurrence of a position: what each side did in it.

use super::Xiangqi;
use super::chase::{Pair, pairs};
use super::law::{Chase, Law};
use super::mate::{has_mating_move, mates_by_checks};
use super::moves::{GENERAL, attacks};
use super::safety::checkers;
use crate::game::Game;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;

/// What a side did in a cycle in which none of its moves was idle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offence {
    /// Every move gave check (長將).
    pub(super) checks_only: bool,
    /// Every move gave check or threatened mate (長殺, 一將一要殺).
    pub(super) no_chase: bool,
    /// Every move was a chase (長捉).
    pub(super) chases_only: bool,
    /// The pieces that offended.
    pub(super) offenders: u128,
    /// The pieces that every chase attacked; all of them where there was none.
    pub(super) victims: u128,
    /// Every chase is a new attack; none of them only takes away what protects a piece that is attacked already.
    pub(super) new_attacks: bool,
    /// A chase needs a second piece (聯合捉).
    pub(super) joint: bool,
    /// A chase is one of a protected piece that is no chariot (少根, 假根).
    pub(super) rooted: bool,
}

impl Offence {
    /// How many different pieces offended.
    pub(super) fn pieces(&self) -> u32 {
        self.offenders.count_ones()
    }
}

/// What a move does, with the pieces that offend by it. Pieces are named by the point on which they
/// stood at the beginning of the cycle: nothing is captured in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// 將: these pieces attack the general.
    Check(u128),
    /// 殺: this piece was moved to threaten mate.
    Threat(usize),
    /// 捉: new attacks.
    Chase {
        /// Attackers and victims.
        pairs: Vec<Pair>,
        /// All of them need a second piece (聯合捉).
        joint: bool,
        /// All victims are protected and no chariots (少根, 假根).
        rooted: bool,
    },
    /// Anything else.
    Idle,
}

impl Deed {
    /// The pairs of a chase.
    pub(super) fn pairs(&self) -> Option<&[Pair]> {
        match self {
            Deed::Chase { pairs, .. } => Some(pairs),
            _ => None,
        }
    }
}

/// The positions from one occurrence to a later one, with the pieces' identities followed through them.
pub(super) struct Cycle<'a> {
    pub(super) positions: &'a [Position<Xiangqi>],
    /// For each position: which piece stands on each point.
    pub(super) names: Vec<[u8; 90]>,
    moved: Vec<usize>,
}

impl<'a> Cycle<'a> {
    /// The cycle from ply `first` of the game to the present position.
    pub(super) fn new(game: &'a Game<Xiangqi>, first: usize) -> Cycle<'a> {
        let mut now: [u8; 90] = std::array::from_fn(|point| point as u8);
        let mut names = vec![now];
        let mut moved = Vec::new();
        for mv in &game.moves()[first..] {
            let (from, to) = (mv.source_square().map_or(0, |from| from.index()), mv.destination().index());
            now.swap(from, to);
            names.push(now);
            moved.push(usize::from(now[to]));
        }
        Cycle { positions: &game.positions()[first..], names, moved }
    }

    /// The plies of the cycle in which `side` moved.
    pub(super) fn plies_of(&self, side: Side) -> impl Iterator<Item = usize> + '_ {
        (0..self.moved.len()).filter(move |&ply| self.positions[ply].side == side)
    }

    /// What `side` did, by this law: `None` if it did not offend.
    pub(super) fn offence(&self, side: Side, law: &Law) -> Option<Offence> {
        offence(self.plies_of(side).map(|ply| self.deed(ply, law)), law)
    }

    /// What move number `ply` of the cycle does. A check is nothing else; of a threat and a chase the one counts that
    /// offends, and if both do, the threat.
    pub(super) fn deed(&self, ply: usize, law: &Law) -> Deed {
        let (before, after) = (&self.positions[ply], &self.positions[ply + 1]);
        let checkers = checkers(after, after.side);
        if checkers != 0 {
            let names = &self.names[ply + 1];
            return Deed::Check(checkers.squares().fold(0, |named, at| named | 1 << names[at.index()]));
        }
        // What the general does on its way out of a check is no deed of its own.
        if law.chase == Chase::Gain && before.is_check() && self.moved_general(ply) {
            return Deed::Idle;
        }
        if law.threats_and_mixtures && self.threatens(ply, law) {
            return Deed::Threat(self.moved[ply]);
        }
        let chase = match law.chase {
            Chase::Roots => self.chase_by_roots(ply),
            Chase::Gain => self.chase_by_gain(ply),
        };
        if let Some(chase) = chase {
            return chase;
        }
        if !law.threats_and_mixtures && self.threatens(ply, law) {
            return Deed::Threat(self.moved[ply]);
        }
        Deed::Idle
    }

    /// Whether a general was moved.
    fn moved_general(&self, ply: usize) -> bool {
        self.positions[ply].cell(Square::new(self.point_of(ply, self.moved(ply)))).kind() == GENERAL
    }

    /// The new attacks of a move that are chases by the kinds of the pieces and by what protects the victim.
    fn chase_by_roots(&self, ply: usize) -> Option<Deed> {
        let (before, after) = (&self.positions[ply], &self.positions[ply + 1]);
        let us = before.side;
        let mut new = self.named(ply + 1, pairs(after, us, true));
        if !new.is_empty() {
            let old = self.named(ply, pairs(before, us, false));
            new.retain(|pair| !old.contains(pair));
        }
        (!new.is_empty()).then_some(Deed::Chase { pairs: new, joint: false, rooted: false })
    }

    /// Whether every chase of a side is a new attack on one of these victims: not only its protection was taken away.
    pub(super) fn all_attacks_are_new(&self, side: Side, victims: u128, deeds: &[Deed]) -> bool {
        self.plies_of(side).all(|ply| match &deeds[ply] {
            Deed::Chase { pairs, .. } => pairs
                .iter()
                .any(|pair| victims >> pair.victim & 1 != 0 && !self.attacked(ply, pair.attacker, pair.victim)),
            _ => true,
        })
    }

    /// Whether one piece attacks another before move number `ply`, by its move rule alone.
    pub(super) fn attacked(&self, ply: usize, attacker: u8, victim: u8) -> bool {
        let at = |name: u8| Square::new(self.point_of(ply, name));
        attacks(&self.positions[ply], at(attacker)).has(at(victim))
    }

    /// Where a piece stands before move number `ply`.
    pub(super) fn point_of(&self, ply: usize, name: u8) -> usize {
        self.names[ply].iter().position(|&other| other == name).unwrap_or_default()
    }

    /// The piece that move number `ply` moves.
    pub(super) fn moved(&self, ply: usize) -> u8 {
        self.moved[ply] as u8
    }

    /// The number of moves.
    pub(super) fn len(&self) -> usize {
        self.moved.len()
    }

    /// Whether a move that gives no check threatens mate and its side did not before: a standing threat would count for
    /// ever.
    fn threatens(&self, ply: usize, law: &Law) -> bool {
        if law.chase == Chase::Gain {
            return self.threatens_by_gain(ply);
        }
        let (before, after) = (&self.positions[ply], &self.positions[ply + 1]);
        let mut again = after.clone();
        again.side = before.side;
        let mates =
            |position: &Position<Xiangqi>| has_mating_move(position) || !law.mate_in_one && mates_by_checks(position);
        mates(&again) && !mates(before)
    }

    /// Pairs of points turned into pairs of pieces.
    pub(super) fn named(&self, ply: usize, mut pairs: Vec<Pair>) -> Vec<Pair> {
        let names = &self.names[ply];
        for pair in &mut pairs {
            *pair = Pair { attacker: names[usize::from(pair.attacker)], victim: names[usize::from(pair.victim)] };
        }
        pairs
    }
}

/// What the moves of a side amount to, by this law: `None` if it did not offend. One idle move is enough for that.
pub(super) fn offence(deeds: impl Iterator<Item = Deed>, law: &Law) -> Option<Offence> {
    let mut offence = Offence {
        checks_only: true,
        no_chase: true,
        chases_only: true,
        offenders: 0,
        victims: u128::MAX,
        new_attacks: true,
        joint: false,
        rooted: false,
    };
    let mut chases = Vec::new();
    let mut checks = false;
    for deed in deeds {
        offence.chases_only &= matches!(deed, Deed::Chase { .. });
        match deed {
            Deed::Check(checkers) => {
                checks = true;
                offence.offenders |= checkers;
            }
            Deed::Threat(piece) if law.threats_and_mixtures => {
                offence.checks_only = false;
                offence.offenders |= 1 << piece;
            }
            Deed::Chase { pairs: new, joint, rooted } => {
                offence.joint |= joint;
                offence.rooted |= rooted;
                offence.checks_only = false;
                offence.no_chase = false;
                if law.same_victim {
                    offence.victims &= new.iter().fold(0, |victims, pair| victims | 1 << pair.victim);
                }
                chases.extend(new);
            }
            Deed::Threat(_) | Deed::Idle => return None,
        }
        if checks && !offence.checks_only && !law.threats_and_mixtures {
            return None;
        }
    }
    if offence.victims == 0 {
        return None;
    }
    let chasers = chases.iter().filter(|pair| offence.victims >> pair.victim & 1 != 0);
    offence.offenders |= chasers.fold(0, |pieces, pair| pieces | 1 << pair.attacker);
    Some(offence)
}
