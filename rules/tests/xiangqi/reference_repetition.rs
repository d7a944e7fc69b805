//! The repetition rules of the preset `full` once more, word by word after the rule text.

use crate::reference::{Board, Point, at_home, is_red};
use std::collections::BTreeSet;

/// (attacker, victim): points, or names of pieces.
type Pair<T> = (T, T);

/// Pairs(position) of the rule text.
fn pairs(board: &Board, red: bool, strict: bool) -> BTreeSet<Pair<Point>> {
    let kind = |at: Point| board.pieces[&at].to_ascii_uppercase();
    let mut found = BTreeSet::new();
    for a in board.of_side(red).into_iter().filter(|&a| !"KP".contains(kind(a))) {
        for v in board.of_side(!red) {
            let is_victim = kind(v) != 'K' && !(kind(v) == 'P' && at_home(!red, v));
            if !is_victim || !board.attacks(a, v) {
                continue;
            }
            let taken = board.after(a, v);
            if strict && taken.exposed(red) {
                continue;
            }
            if kind(a) == kind(v) && board.attacks(v, a) && !board.after(v, a).exposed(!red) {
                continue;
            }
            let dearer = matches!((kind(a), kind(v)), ('N' | 'C', 'R') | ('A' | 'B', 'R' | 'N' | 'C'));
            let rooted =
                taken.of_side(!red).into_iter().any(|e| taken.attacks(e, v) && !taken.after(e, v).exposed(!red));
            if dearer || !rooted {
                found.insert((a, v));
            }
        }
    }
    found
}

/// Whether `red` could checkmate in one move, were it its turn.
fn could_mate(board: &Board, red: bool) -> bool {
    let mut board = board.clone();
    board.red_to_move = red;
    board.moves().values().any(|next| next.check() && next.moves().is_empty())
}

/// Kinds of moves: `c`heck, `t`hreat, `h`unt (chase), `i`dle.
struct Deed {
    kind: char,
    /// Names of the checkers or of the piece that threatens.
    pieces: BTreeSet<usize>,
    chase: BTreeSet<Pair<usize>>,
}

/// A side's part in a cycle.
struct Account {
    kinds: Vec<char>,
    offends: bool,
    pieces: usize,
}

fn account(deeds: &[Deed]) -> Account {
    let kinds: Vec<char> = deeds.iter().map(|deed| deed.kind).collect();
    let chases: Vec<&Deed> = deeds.iter().filter(|deed| deed.kind == 'h').collect();
    let victims = |deed: &Deed| deed.chase.iter().map(|&(_, v)| v).collect::<BTreeSet<_>>();
    let common = chases.iter().map(|deed| victims(deed)).reduce(|a, b| &a & &b);
    let offends = !kinds.contains(&'i') && common.as_ref().is_none_or(|common| !common.is_empty());
    let mut pieces: BTreeSet<usize> = deeds.iter().flat_map(|deed| deed.pieces.iter().copied()).collect();
    for deed in chases {
        let chasers = deed.chase.iter().filter(|(_, v)| common.as_ref().is_some_and(|common| common.contains(v)));
        pieces.extend(chasers.map(|&(a, _)| a));
    }
    Account { kinds, offends, pieces: pieces.len() }
}

/// The verdict on a cycle (its positions and the moves between them), and how many sides offended.
pub fn verdict(boards: &[Board], moves: &[(Point, Point)]) -> (String, usize) {
    // Names: the pieces of the first board by number, followed through the moves.
    let mut names: Vec<Point> = boards[0].pieces.keys().copied().collect();
    let mut deeds: [Vec<Deed>; 2] = [Vec::new(), Vec::new()];
    for (number, &(from, to)) in moves.iter().enumerate() {
        let (before, after) = (&boards[number], &boards[number + 1]);
        let red = is_red(before.pieces[&from]);
        let named = |names: &[Point], at: Point| names.iter().position(|&place| place == at).expect("a named piece");
        let old: BTreeSet<Pair<usize>> =
            pairs(before, red, false).into_iter().map(|(a, v)| (named(&names, a), named(&names, v))).collect();
        let mover = named(&names, from);
        names[mover] = to;
        let new: BTreeSet<Pair<usize>> =
            pairs(after, red, true).into_iter().map(|(a, v)| (named(&names, a), named(&names, v))).collect();
        let chase = &new - &old;
        let checkers: BTreeSet<usize> = after.checkers(!red).into_iter().map(|at| named(&names, at)).collect();
        let deed = if !checkers.is_empty() {
            Deed { kind: 'c', pieces: checkers, chase: BTreeSet::new() }
        } else if could_mate(after, red) && !could_mate(before, red) {
            Deed { kind: 't', pieces: BTreeSet::from([mover]), chase: BTreeSet::new() }
        } else if !chase.is_empty() {
            Deed { kind: 'h', pieces: BTreeSet::new(), chase }
        } else {
            Deed { kind: 'i', pieces: BTreeSet::new(), chase }
        };
        deeds[usize::from(!red)].push(deed);
    }
    let [red, black] = deeds.map(|deeds| account(&deeds));
    let loss = |winner: &str, loser: &Account| {
        let only = |kinds: &str| loser.kinds.iter().all(|&kind| kinds.contains(kind));
        let reason = if only("c") {
            "check"
        } else if only("ct") {
            "threat"
        } else {
            "chase"
        };
        format!("{winner} perpetual_{reason}")
    };
    let offenders = usize::from(red.offends) + usize::from(black.offends);
    let verdict = match (red.offends, black.offends) {
        (true, false) => loss("second", &red),
        (false, true) => loss("first", &black),
        (true, true) if red.pieces > black.pieces => loss("second", &red),
        (true, true) if red.pieces < black.pieces => loss("first", &black),
        _ => "draw repetition".to_owned(),
    };
    (verdict, offenders)
}
