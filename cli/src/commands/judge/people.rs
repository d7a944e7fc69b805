//! What `kirin judge` prints for people.

use super::{Judged, piece, position_at};
use crate::{table, terminal};
use report::number::counted;
use rules::{Attack, Conduct, Game, JudgedMove, Judgement, MoveKind, Notation, Side, Square, Termination, Variant};

/// Prints every game that has a repetition, and how many have none.
pub fn print<V: Variant>(judged: &[Judged<V>], notation: &Notation<V>) {
    let one = judged.len() == 1;
    for judged in judged.iter().filter(|judged| one || !judged.rulings.is_empty()) {
        if !one {
            println!("game {}{}", judged.number, players(judged));
        }
        if judged.rulings.is_empty() {
            println!("{}", nothing(&judged.game));
        }
        for rulings in &judged.rulings {
            repetition(&judged.game, rulings, notation);
        }
    }
    if !one {
        let with = judged.iter().filter(|judged| !judged.rulings.is_empty()).count();
        let all = counted(judged.len() as u64, "game", "games");
        println!("{with} of {all} with a repetition that is judged");
    }
}

fn players<V: Variant>(judged: &Judged<V>) -> String {
    judged.players.as_ref().map_or_else(String::new, |[first, second]| format!(": {first} – {second}"))
}

/// What there is to say where nothing is judged: how often a position stood at most.
fn nothing<V: Variant>(game: &Game<V>) -> String {
    let mut replay = Game::from_position(*game.rules(), game.start_position().clone());
    let mut most = (1, 0);
    for &mv in game.moves() {
        replay.play(mv);
        most = most.max((replay.repetitions() + 1, replay.ply()));
    }
    let ruleset = game.rules().name();
    match most {
        (1, _) => format!("nothing is repeated: no position stood twice in {}", plies(game.ply())),
        (times, ply) => format!(
            "no repetition that the rule set {ruleset} judges: the position after ply {ply} stood {times} times, and none \
             more often"
        ),
    }
}

fn plies(plies: u32) -> String {
    counted(u64::from(plies), "ply", "plies")
}

/// Prints the cycle, its moves and the rulings.
fn repetition<V: Variant>(game: &Game<V>, rulings: &[Judgement], notation: &Notation<V>) {
    let Some(any) = rulings.first() else { return };
    println!("{}\n{}", V::TITLE, notation.draw(position_at(game, any.from)));
    let (from, to) = (any.from, any.to);
    if matches!(any.outcome.termination, Termination::Bikjang | Termination::MutualPass) {
        println!("plies {} to {to} end the game\n", from + 1);
    } else {
        println!("this position stood {} times: first after ply {from}, last after ply {to}\n", any.occurrences);
    }
    moves(game, rulings, notation);
    println!();
    if let [only] = rulings {
        explain(game, only);
    } else {
        compare(rulings);
    }
    println!();
}

/// The table of the moves: what each does, for every authority; for a single one also by which pieces.
fn moves<V: Variant>(game: &Game<V>, rulings: &[Judgement], notation: &Notation<V>) {
    let is_uci = notation.name == "uci";
    let single = rulings.len() == 1;
    let mut header = vec![">ply", "side", "uci"];
    if !is_uci {
        header.push("move");
    }
    header.extend(rulings.iter().map(|judgement| judgement.authority.id));
    if single {
        header.push("attacks");
    }
    let rows: Vec<Vec<String>> = (0..rulings[0].moves.len())
        .map(|at| {
            let judged = &rulings[0].moves[at];
            let before = position_at(game, judged.ply);
            let mut row = vec![(judged.ply + 1).to_string(), judged.side.to_string(), before.format_move(judged.mv)];
            if !is_uci {
                row.push(notation.words(before, judged.mv));
            }
            row.extend(rulings.iter().map(|judgement| kind(judgement.moves[at].kind)));
            if single {
                row.push(attacks(game, judged));
            }
            row
        })
        .collect();
    table::print(&header, &rows, &[]);
}

fn kind(kind: MoveKind) -> String {
    format!("{} {}", kind.native(), kind.name())
}

/// Who attacks what after a move: `俥 c1 → 砲 c5`.
fn attacks<V: Variant>(game: &Game<V>, judged: &JudgedMove) -> String {
    let after = position_at(game, judged.ply + 1);
    let text = |attack: &Attack| format!("{} → {}", piece(after, attack.attacker), piece(after, attack.victim));
    judged.attacks.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// The ruling of one authority in sentences.
fn explain<V: Variant>(game: &Game<V>, judgement: &Judgement) {
    let fold = |text: &str| println!("{}", terminal::fold(text, 2, terminal::width()));
    for conduct in &judgement.conduct {
        let start = position_at(game, judgement.from);
        let list =
            |squares: &[Square]| squares.iter().map(|&square| piece(start, square)).collect::<Vec<_>>().join(", ");
        let mut text = format!("{} player: {}", conduct.side, conduct.name());
        text += if conduct.is_offence { ", forbidden" } else { ", allowed" };
        if !conduct.offenders.is_empty() {
            text += &format!("; by {}", list(&conduct.offenders));
        }
        if !conduct.victims.is_empty() {
            text += &format!(" against {}", list(&conduct.victims));
        }
        fold(&text);
    }
    fold(&format!("ruling: {} ({})", ruling(judgement), judgement.outcome.termination));
    fold(&format!("rule: {}", rule(judgement)));
    judgement.reservations.iter().for_each(|text| fold(&format!("not told apart: {text}")));
    fold(&format!("{}: {}", judgement.authority.id, judgement.authority.title));
}

/// The rulings of all authorities as a table, and the rules below it.
fn compare(rulings: &[Judgement]) {
    let header = ["authority", "first player", "second player", "ruling", "rule"];
    let row = |judgement: &Judgement| {
        let [first, second] = judgement.conduct.each_ref().map(short);
        let ruling = judgement.loser().map_or_else(|| "draw".to_owned(), |side| format!("{side} loses"));
        let (id, number) = (judgement.authority.id.to_owned(), judgement.rule.number.to_owned());
        vec![id, first, second, ruling, number]
    };
    table::print(&header, &rulings.iter().map(row).collect::<Vec<_>>(), &[]);
    println!();
    let fold = |text: &str| println!("{}", terminal::fold(text, 2, terminal::width()));
    for judgement in rulings {
        fold(&format!("{}: {}", judgement.authority.id, rule(judgement)));
        judgement.reservations.iter().for_each(|text| fold(&format!("  not told apart: {text}")));
    }
}

/// The conduct of a side in a cell of a table: its native name, and whether it is forbidden.
fn short(conduct: &Conduct) -> String {
    let name = conduct.name();
    let native = name.rsplit(' ').next().unwrap_or_default();
    format!("{native}{}", if conduct.is_offence { " forbidden" } else { "" })
}

fn ruling(judgement: &Judgement) -> String {
    match judgement.loser() {
        Some(Side::First) => "first player loses".to_owned(),
        Some(Side::Second) => "second player loses".to_owned(),
        None => "draw".to_owned(),
    }
}

fn rule(judgement: &Judgement) -> String {
    match judgement.rule.number {
        "" => judgement.rule.text.to_owned(),
        number => format!("{number}: {}", judgement.rule.text),
    }
}
