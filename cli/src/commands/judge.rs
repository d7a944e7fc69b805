//! `kirin judge`: who brought a repetition about, by which moves, and how each authority rules.

mod people;

use crate::commands::data::{FileGame, read_record_files};
use crate::failure::{input, must_exist};
use clap::Args;
use rules::{Attack, Authority, Conduct, Game, JudgedMove, Judgement, Notation, Position, Square, Variant, VariantId};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Explain a repetition: who offends, by which moves and rule.
///
/// The moves are those of a file of games, or they are given as text. Each time that the rule set ends the game by a
/// repetition, or in Janggi by two passes or by facing generals, the command names the cycle, what every move of it does,
/// what each side did, and the ruling with its rule. The rest of the game is judged as well, with an empty history.
///
/// For Xiangqi several authorities rule: `kirin`, the rule set of the game; `asian` (2003), `chinese` (2020) and `wxf`
/// (2018), the published rules of the federations. Without --authority all of them are compared. Over the board an arbiter
/// first asks the offender to change; here it loses.
///
/// If nothing is repeated often enough, the command says so.
#[derive(Args)]
pub struct Arguments {
    /// A file of games in a format that `kirin data import` reads, or moves in any notation of the variant.
    #[arg(value_name = "GAME|MOVES", required = true)]
    game: Vec<String>,
    /// The variant.
    #[arg(long, value_parser = super::variants())]
    variant: VariantId,
    /// Whose rules: `kirin`, and for Xiangqi `asian`, `chinese` or `wxf` [default: all].
    #[arg(long)]
    authority: Option<String>,
    /// The position in which the moves begin, in FEN or a native format (SFEN) [default: the start of the variant].
    #[arg(long)]
    fen: Option<String>,
    /// The rule set, which decides when a repetition ends the game [default: that of the variant, or of the games].
    #[arg(long)]
    ruleset: Option<String>,
    /// The notation in which moves are printed beside UCI, and that of the given moves where several could read them
    /// [default: the native one; UCI is read first].
    #[arg(long)]
    notation: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A game and what is said of it.
struct Judged<V: Variant> {
    /// Number of the game in its file, from 1.
    number: usize,
    /// The players, where the game has their names.
    players: Option<[String; 2]>,
    game: Game<V>,
    /// One entry for each repetition, with a judgement of each authority.
    rulings: Vec<Vec<Judgement>>,
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read, or a move, the position or a name is wrong.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    rules::dispatch!(arguments.variant, V => run::<V>(arguments))
}

fn run<V: Variant>(arguments: &Arguments) -> anyhow::Result<()> {
    let authorities: Vec<&'static Authority> = match &arguments.authority {
        Some(id) => vec![Authority::named::<V>(id).map_err(|error| input(error.to_string()))?],
        None => V::AUTHORITIES.iter().collect(),
    };
    let notation = match &arguments.notation {
        Some(name) => Notation::<V>::named(name)?,
        None => Notation::<V>::native().unwrap_or(const { &Notation::<V>::UCI }),
    };
    let judged: Vec<Judged<V>> = games::<V>(arguments)?
        .into_iter()
        .enumerate()
        .map(|(at, (players, game))| {
            let each: Vec<Vec<Judgement>> =
                authorities.iter().map(|authority| rules::judge(&game, authority)).collect();
            let repetitions = each.first().map_or(0, Vec::len);
            let rulings = (0..repetitions).map(|found| each.iter().map(|of| of[found].clone()).collect()).collect();
            Judged { number: at + 1, players, game, rulings }
        })
        .collect();
    if arguments.json {
        println!("{}", json(&judged, notation));
    } else {
        people::print(&judged, notation);
    }
    Ok(())
}

/// A game with the names of its players, where it has them.
type NamedGame<V> = (Option<[String; 2]>, Game<V>);

/// The games of the file, or the one of the moves.
fn games<V: Variant>(arguments: &Arguments) -> anyhow::Result<Vec<NamedGame<V>>> {
    let ruleset = arguments.ruleset.as_deref();
    if let [only] = &arguments.game[..]
        && (only == "-" || looks_like_a_file(only))
    {
        let file = PathBuf::from(only);
        if only != "-" {
            must_exist(&file)?;
        }
        if arguments.fen.is_some() {
            return Err(input(format!("--fen is for moves; the games of {only} have positions of their own")));
        }
        let records = read_record_files::<V>(&[file], ruleset, Path::new(""))?;
        if records.is_empty() {
            return Err(input(format!("no game of {only} could be read")));
        }
        let named = |FileGame { record, .. }: FileGame<V>| -> anyhow::Result<NamedGame<V>> {
            let players = [record.net_first.clone(), record.net_second.clone()];
            let players = (!players.iter().all(String::is_empty)).then_some(players);
            Ok((players, record.sheet.replay().finish()?))
        };
        return records.into_iter().map(named).collect();
    }
    let reading = Notation::<V>::named(arguments.notation.as_deref().unwrap_or("uci"))?;
    let moves = arguments.game.join(" ");
    Ok(vec![(None, super::game(arguments.fen.as_deref(), ruleset, &moves, reading)?)])
}

/// Whether a word names a file: one that is there, or one that can be nothing else.
fn looks_like_a_file(word: &str) -> bool {
    let path = Path::new(word);
    let has_a_name = path.extension().is_some_and(|end| end.len() > 2 && end.to_str().is_some_and(is_a_word));
    path.exists() || !word.contains(char::is_whitespace) && (word.contains('/') || has_a_name)
}

fn is_a_word(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii_alphabetic())
}

/// A piece by its native character and its square: `俥 d1`.
fn piece<V: Variant>(position: &Position<V>, square: Square) -> String {
    let at = square.text(V::FILES);
    match position.cell(square).piece() {
        Some((side, kind)) => format!("{} {at}", V::GLYPHS[kind][side.index()]),
        None => at,
    }
}

/// The positions of the cycle of a judgement: the one it begins with first.
fn position_at<V: Variant>(game: &Game<V>, ply: u32) -> &Position<V> {
    &game.positions()[ply as usize]
}

fn json<V: Variant>(judged: &[Judged<V>], notation: &Notation<V>) -> Value {
    let games: Vec<Value> = judged
        .iter()
        .map(|judged| {
            let repetitions: Vec<Value> =
                judged.rulings.iter().map(|rulings| repetition_json(&judged.game, rulings, notation)).collect();
            let [first, second] = judged.players.clone().map_or([None, None], |players| players.map(Some));
            json!({
                "game": judged.number,
                "first": first,
                "second": second,
                "ruleset": judged.game.rules().to_string(),
                "plies": judged.game.ply(),
                "repetitions": repetitions,
            })
        })
        .collect();
    json!({ "variant": V::ID, "games": games })
}

fn repetition_json<V: Variant>(game: &Game<V>, rulings: &[Judgement], notation: &Notation<V>) -> Value {
    let Some(any) = rulings.first() else { return Value::Null };
    let moves: Vec<Value> = any
        .moves
        .iter()
        .map(|judged| {
            let before = position_at(game, judged.ply);
            json!({
                "ply": judged.ply + 1,
                "side": judged.side.to_string(),
                "uci": before.format_move(judged.mv),
                "native": notation.write(before, judged.mv),
            })
        })
        .collect();
    let of = |judgement: &Judgement| ruling_json(game, judgement);
    json!({
        "from": any.from,
        "to": any.to,
        "occurrences": any.occurrences,
        "fen": position_at(game, any.from).fen(),
        "moves": moves,
        "authorities": rulings.iter().map(of).collect::<Vec<Value>>(),
    })
}

fn ruling_json<V: Variant>(game: &Game<V>, judgement: &Judgement) -> Value {
    let start = position_at(game, judgement.from);
    let kind = |judged: &JudgedMove| {
        let after = position_at(game, judged.ply + 1);
        let attack = |attack: &Attack| json!({ "attacker": piece(after, attack.attacker), "victim": piece(after, attack.victim) });
        let attacks: Vec<Value> = judged.attacks.iter().map(attack).collect();
        json!({ "ply": judged.ply + 1, "kind": judged.kind.name(), "native": judged.kind.native(), "attacks": attacks })
    };
    let pieces = |squares: &[Square]| squares.iter().map(|&square| piece(start, square)).collect::<Vec<String>>();
    let side = |conduct: &Conduct| {
        json!({
            "conduct": conduct.name(),
            "kinds": conduct.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
            "offence": conduct.is_offence,
            "offenders": pieces(&conduct.offenders),
            "victims": pieces(&conduct.victims),
        })
    };
    let [first, second] = &judgement.conduct;
    json!({
        "authority": judgement.authority.id,
        "title": judgement.authority.title,
        "source": judgement.authority.source,
        "moves": judgement.moves.iter().map(kind).collect::<Vec<Value>>(),
        "first": side(first),
        "second": side(second),
        "loser": judgement.loser().map(|side| side.to_string()),
        "termination": judgement.outcome.termination.name(),
        "points": judgement.outcome.points,
        "rule": { "number": judgement.rule.number, "text": judgement.rule.text },
        "reservations": judgement.reservations,
    })
}
