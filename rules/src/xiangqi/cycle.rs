//! A cycle of moves between the first and the third occurrence of a position: what each side did in it.

use super::Xiangqi;
use super::chase::{Pair, pairs};
use super::mate::has_mating_move;
use super::safety::checkers;
use crate::game::Game;
use crate::position::Position;
use crate::side::Side;
use crate::square_set::SquareSet;

/// Whether chases offend only if one piece is the victim of all of them, as the AXF rules have it; the CXA
/// rules also forbid chasing different pieces in turn.
const SAME_VICTIM: bool = true;

/// What a side did in a cycle in which none of its moves was idle.
pub(super) struct Offence {
    /// Every move gave check (長將).
    pub(super) checks_only: bool,
    /// Every move gave check or threatened mate (長殺, 一將一要殺).
    pub(super) no_chase: bool,
    /// How many different pieces offended.
    pub(super) pieces: u32,
}

/// The kind of a move, with the pieces that offend by it. Pieces are named by the point on which they
/// stood at the beginning of the cycle: nothing is captured in it.
enum MoveKind {
    /// 將: these pieces attack the general.
    Check(u128),
    /// 殺: this piece was moved to threaten mate.
    Threat(usize),
    /// 捉: new attacks of these pairs of attacker and victim.
    Chase(Vec<Pair>),
    /// 閑: anything else.
    Idle,
}

/// The positions from one occurrence to a later one, with the pieces' identities followed through them.
pub(super) struct Cycle<'a> {
    positions: &'a [Position<Xiangqi>],
    /// For each position: which piece stands on each point.
    names: Vec<[u8; 90]>,
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

    /// What `side` did: `None` if one of its moves was idle or if its chases have no victim in common.
    pub(super) fn offence(&self, side: Side) -> Option<Offence> {
        let mut offence = Offence { checks_only: true, no_chase: true, pieces: 0 };
        let mut offenders = 0u128;
        let mut chases = Vec::new();
        let mut common_victims = u128::MAX;
        for ply in (0..self.moved.len()).filter(|&ply| self.positions[ply].side == side) {
            match self.kind_of(ply) {
                MoveKind::Check(checkers) => offenders |= checkers,
                MoveKind::Threat(piece) => {
                    offence.checks_only = false;
                    offenders |= 1 << piece;
                }
                MoveKind::Chase(new) => {
                    offence.checks_only = false;
                    offence.no_chase = false;
                    if SAME_VICTIM {
                        common_victims &= new.iter().fold(0, |victims, pair| victims | 1 << pair.victim);
                    }
                    chases.extend(new);
                }
                MoveKind::Idle => return None,
            }
        }
        if common_victims == 0 {
            return None;
        }
        let chasers = chases.iter().filter(|pair| common_victims >> pair.victim & 1 != 0);
        offenders |= chasers.fold(0, |pieces, pair| pieces | 1 << pair.attacker);
        offence.pieces = offenders.count_ones();
        Some(offence)
    }

    /// The kind of move number `ply` of the cycle: the first that fits of check, threat, chase, idle.
    fn kind_of(&self, ply: usize) -> MoveKind {
        let (before, after) = (&self.positions[ply], &self.positions[ply + 1]);
        let (us, them) = (before.side, after.side);
        let checkers = checkers(after, them);
        if checkers != 0 {
            let names = &self.names[ply + 1];
            return MoveKind::Check(checkers.squares().fold(0, |named, at| named | 1 << names[at.index()]));
        }
        // A threat counts when it is new: a standing one would count for ever.
        let mut again = after.clone();
        again.side = us;
        if has_mating_move(&again) && !has_mating_move(before) {
            return MoveKind::Threat(self.moved[ply]);
        }
        let mut new = self.named(ply + 1, pairs(after, us, true));
        if !new.is_empty() {
            let old = self.named(ply, pairs(before, us, false));
            new.retain(|pair| !old.contains(pair));
        }
        if new.is_empty() { MoveKind::Idle } else { MoveKind::Chase(new) }
    }

    /// Pairs of points turned into pairs of pieces.
    fn named(&self, ply: usize, mut pairs: Vec<Pair>) -> Vec<Pair> {
        let names = &self.names[ply];
        for pair in &mut pairs {
            *pair = Pair { attacker: names[usize::from(pair.attacker)], victim: names[usize::from(pair.victim)] };
        }
        pairs
    }
}
