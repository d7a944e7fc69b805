//! Judgements on a cycle: the kind of every move, and the ruling of each authority.

use super::Preset;
use super::Xiangqi;
use super::chase::{Pair, may_capture};
use super::cycle::{Cycle, Deed, Offence, offence};
use super::law::{self, Chase, Law};
use super::moves::{GENERAL, SOLDIER, attacks};
use super::repetition::outcome;
use super::rule::rule;
use super::safety::{checkers, general};
use crate::game::Game;
use crate::judgement::{self, Attack, Authority, Conduct, JudgedMove, Judgement, MoveKind, Rule, kinds_of};
use crate::outcome::Outcome;
use crate::position::Position;
use crate::side::Side;
use crate::square::Square;
use crate::square_set::SquareSet;

/// What the Chinese rules leave to the judgement of an arbiter.
const OPEN_IN_GAIN: &str = "whether a move threatens to win material is looked at ten plies deep (captures, four \
    checks by the side that threatens and three by the other); deeper combinations and quiet moves in between are not \
    told apart";

/// What the ruling would be if attacks on unprotected and on more valuable pieces were the only chases: first player
/// loses, second player loses, draw.
const BY_ROOTS: [&str; 3] = [
    "by the kinds of the pieces and their protection alone, the first player would lose",
    "by the kinds of the pieces and their protection alone, the second player would lose",
    "by the kinds of the pieces and their protection alone, it would be a draw",
];

/// What the authority makes of the moves from ply `first` on.
pub(super) fn judge(game: &Game<Xiangqi>, first: usize, authority: &'static Authority) -> Judgement {
    let is_own = authority.id == Authority::RULE_SET.id;
    if is_own && game.rules().preset() == Preset::Simple {
        return judgement::by_rule_set(game, first);
    }
    let law = law::of(authority);
    let cycle = Cycle::new(game, first);
    let (deeds, offences) = examine(&cycle, law);
    let moves: Vec<JudgedMove> = (0..cycle.len())
        .map(|ply| {
            let (kind, attacks) = shown(&cycle, ply, &deeds[ply], law);
            let side = cycle.positions[ply].side;
            JudgedMove { ply: (first + ply) as u32, side, mv: game.moves()[first + ply], kind, attacks }
        })
        .collect();
    let conduct = Side::BOTH.map(|side| conduct(side, &moves, offences[side.index()].as_ref(), &cycle, &deeds));
    let outcome = outcome(offences, law);
    let rule = match offences {
        [Some(red), Some(black)] if is_own && red.checks_only == black.checks_only && outcome.winner().is_some() => {
            Rule { number: "", text: "of two sides that offend, the one of which more pieces do loses" }
        }
        _ if is_own => judgement::rule_of(&outcome),
        _ => rule(authority, &offences, &conduct, &outcome),
    };
    let reservations = reservations(&cycle, law, &conduct, &outcome);
    Judgement {
        authority,
        from: first as u32,
        to: game.moves().len() as u32,
        occurrences: game.repetitions() + 1,
        moves,
        conduct,
        outcome,
        rule,
        reservations,
    }
}

/// What every move does and what each side's moves amount to.
fn examine(cycle: &Cycle, law: &Law) -> (Vec<Deed>, [Option<Offence>; 2]) {
    let deeds: Vec<Deed> = (0..cycle.len()).map(|ply| cycle.deed(ply, law)).collect();
    let offences = Side::BOTH.map(|side| {
        let mut offence = offence(cycle.plies_of(side).map(|ply| deeds[ply].clone()), law)?;
        offence.new_attacks = cycle.all_attacks_are_new(side, offence.victims, &deeds);
        Some(offence)
    });
    (deeds, offences)
}

/// What is left open where chases are judged by gain, unless a side loses for its checks.
fn reservations(cycle: &Cycle, law: &Law, conduct: &[Conduct; 2], ruled: &Outcome) -> Vec<&'static str> {
    let only_checks = |conduct: &Conduct| conduct.is_offence && conduct.kinds == [MoveKind::Check];
    if law.chase != Chase::Gain || conduct.iter().any(only_checks) {
        return Vec::new();
    }
    let by_roots = Law { chase: Chase::Roots, ..*law };
    let plain = outcome(examine(cycle, &by_roots).1, &by_roots);
    let differs = plain.winner() != ruled.winner();
    let other = BY_ROOTS[plain.winner().map_or(2, |winner| winner.other().index())];
    std::iter::once(OPEN_IN_GAIN).chain(differs.then_some(other)).collect()
}

/// What a side did in the whole cycle.
fn conduct(side: Side, moves: &[JudgedMove], offence: Option<&Offence>, cycle: &Cycle, deeds: &[Deed]) -> Conduct {
    let chased = cycle.plies_of(side).filter_map(|ply| deeds[ply].pairs()).flatten();
    let chased = chased.fold(0u128, |victims, pair| victims | 1 << pair.victim);
    let squares = |set: u128| set.squares().collect::<Vec<Square>>();
    Conduct {
        side,
        kinds: kinds_of(moves, side),
        is_offence: offence.is_some(),
        offenders: squares(offence.map_or(0, |offence| offence.offenders)),
        victims: squares(offence.map_or(0, |offence| offence.victims & chased)),
    }
}

/// The kind of a move for people, and the attacks that make it one.
fn shown(cycle: &Cycle, ply: usize, deed: &Deed, law: &Law) -> (MoveKind, Vec<Attack>) {
    let after = &cycle.positions[ply + 1];
    let (us, them) = (after.side.other(), after.side);
    let at = |name: u8| Square::new(cycle.point_of(ply + 1, name));
    let target = Square::new(general(after, them));
    match deed {
        Deed::Check(_) => {
            let attack = |attacker| Attack { attacker, victim: target };
            (MoveKind::Check, checkers(after, them).squares().map(attack).collect())
        }
        Deed::Threat(piece) => (MoveKind::Threat, vec![Attack { attacker: at(*piece as u8), victim: target }]),
        Deed::Chase { pairs, .. } => {
            let attack = |pair: &Pair| Attack { attacker: at(pair.attacker), victim: at(pair.victim) };
            (MoveKind::Chase, pairs.iter().map(attack).collect())
        }
        Deed::Idle => harmless(cycle, ply, us, law),
    }
}

/// The kind of a move that offends nowhere: the first that fits of exchange, offer, block, follow and idle.
fn harmless(cycle: &Cycle, ply: usize, us: Side, law: &Law) -> (MoveKind, Vec<Attack>) {
    let (before, after) = (&cycle.positions[ply], &cycle.positions[ply + 1]);
    let moved = cycle.moved(ply);
    let to = Square::new(cycle.point_of(ply + 1, moved));
    let from = Square::new(cycle.point_of(ply, moved));
    let new = new_attacks(cycle, ply, us);
    let kind_of = |at: Square| after.cell(at).kind();
    let exchanges: Vec<Attack> = new
        .iter()
        .copied()
        .filter(|attack| kind_of(attack.attacker) == kind_of(attack.victim))
        .filter(|attack| may_capture(after, attack.victim, attack.attacker))
        .collect();
    if !exchanges.is_empty() {
        return (MoveKind::Exchange, exchanges);
    }
    let takers = |position: &Position<Xiangqi>, at: Square| -> Vec<Attack> {
        let enemies = position.pieces(us.other()).squares();
        enemies
            .filter(|&enemy| may_capture(position, enemy, at))
            .map(|attacker| Attack { attacker, victim: at })
            .collect()
    };
    let offers = takers(after, to);
    if !offers.is_empty() && takers(before, from).is_empty() {
        return (MoveKind::Offer, offers);
    }
    if blocks(before, after, to, us) {
        return (MoveKind::Block, Vec::new());
    }
    if law.tells_follow && !new.is_empty() {
        return (MoveKind::Follow, new);
    }
    (MoveKind::Idle, Vec::new())
}

/// The attacks on enemy pieces that a move brings about, those of the general and of soldiers left out.
fn new_attacks(cycle: &Cycle, ply: usize, us: Side) -> Vec<Attack> {
    let after = &cycle.positions[ply + 1];
    let names = &cycle.names[ply + 1];
    let victims = after.pieces(us.other()) & !after.kinds[GENERAL];
    let attackers = after.pieces(us) & !(after.kinds[GENERAL] | after.kinds[SOLDIER]);
    let all = attackers.squares().flat_map(|attacker| {
        (attacks(after, attacker) & victims).squares().map(move |victim| Attack { attacker, victim })
    });
    all.filter(|attack| may_capture(after, attack.attacker, attack.victim))
        .filter(|attack| !cycle.attacked(ply, names[attack.attacker.index()], names[attack.victim.index()]))
        .collect()
}

/// Whether the piece that moved to `to` stands between an enemy piece and one of ours that it attacked before the move.
fn blocks(before: &Position<Xiangqi>, after: &Position<Xiangqi>, to: Square, us: Side) -> bool {
    let own = after.pieces(us) & !(1 << to.index());
    after.pieces(us.other()).squares().any(|enemy| {
        let lost = attacks(before, enemy) & !attacks(after, enemy) & own & before.pieces(us);
        // Without the piece that moved the attack would still be there.
        lost != 0 && {
            let mut without = after.clone();
            without.take(to);
            attacks(&without, enemy) & lost != 0
        }
    })
}
