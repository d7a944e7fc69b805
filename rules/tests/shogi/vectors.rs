//! The probes of `vectors.txt` and the ends of `entering.txt`.

use rules::{Game, MoveList, Outcome, Position, Rules, Shogi};

/// Copied at every node of a search; six cache lines of 64 bytes hold it.
const _: () = assert!(size_of::<Position<Shogi>>() == 384);

/// The lines that are neither empty nor comments, as fields.
fn rows(text: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| (line, line.split(';').map(str::trim).collect()))
}

/// `a (b c)2 d` → `a b c b c d`.
fn unrolled(moves: &str) -> Vec<&str> {
    let Some((before, rest)) = moves.split_once('(') else { return moves.split_whitespace().collect() };
    let (cycle, rest) = rest.split_once(')').expect("a closing bracket");
    let (times, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let cycle: Vec<&str> = cycle.split_whitespace().collect();
    let times = times.parse().expect("how often");
    before.split_whitespace().chain(cycle.repeat(times)).chain(after.split_whitespace()).collect()
}

fn described(ply: u32, outcome: Outcome) -> String {
    let winner = outcome.winner().map_or("draw".to_owned(), |side| side.to_string());
    let points = outcome.points.map_or(String::new(), |[first, second]| format!(" {first} : {second}"));
    format!("{ply} {winner} {}{points}", outcome.termination)
}

/// Plays the moves and returns the game with its end, which may not come before the last of them.
fn played(line: &str, rules: Rules<Shogi>, fen: &str, moves: &str) -> (Game<Shogi>, Option<String>) {
    let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{line}: {error}"));
    let mut game = Game::from_position(rules, position);
    let mut legal = MoveList::new();
    for text in unrolled(moves) {
        game.legal_moves(&mut legal);
        assert_eq!(game.outcome(&legal), None, "{line}: ended before {text}, ply {}", game.ply());
        game.play(game.position().parse_move(text).unwrap_or_else(|error| panic!("{line}: {error}")));
    }
    game.legal_moves(&mut legal);
    let end = game.outcome(&legal).map(|outcome| described(game.ply(), outcome));
    (game, end)
}

fn check(line: &str, fields: &[&str]) {
    let [_, fen, moves, expectations] = fields[..] else { panic!("four fields: {line}") };
    let (game, end) = played(line, Rules::default(), fen, moves);
    if let Some(expected) = expectations.strip_prefix("ends=") {
        return assert_eq!(end.as_deref(), Some(expected), "{line}");
    }
    assert_eq!(end, None, "{line}");
    let position = game.position();
    if let Some(expected) = expectations.strip_prefix("fen=") {
        return assert!(position.fen().starts_with(&format!("{expected} - - ")), "{line}: {}", position.fen());
    }
    if let Some(expected) = expectations.strip_prefix("counters=") {
        return assert!(position.fen().ends_with(&format!(" - - {expected}")), "{line}: {}", position.fen());
    }
    for expectation in expectations.split_whitespace().filter(|_| expectations != "goes on") {
        match expectation.split_at(1) {
            ("+", text) => assert!(position.parse_move(text).is_ok(), "{line}: {text}\n{}", position.draw()),
            ("-", text) => assert!(position.parse_move(text).is_err(), "{line}: {text}\n{}", position.draw()),
            _ => assert_eq!(expectation, format!("legal={}", position.perft(1)), "{line}"),
        }
    }
}

#[test]
fn probes() {
    rows(include_str!("vectors.txt")).for_each(|(line, fields)| check(line, &fields));
}

#[test]
fn kings_in_the_enemy_camps() {
    for (line, fields) in rows(include_str!("entering.txt")) {
        for verdict in &fields[3..] {
            let (preset, expected) = verdict.split_once(": ").expect("preset and verdict");
            let rules = Rules::named(preset).expect("a preset");
            let (_, end) = played(line, rules, fields[1], fields[2]);
            assert_eq!(end.as_deref().unwrap_or("none"), expected, "{line}\npreset {preset}");
        }
    }
}

#[test]
fn impossible_set_ups_are_refused() {
    for (fen, said) in [
        ("9/9/9/9/9/9/9/9/4K4[] w", "the second player has 0 kings"),
        ("4k4/9/9/9/9/9/9/9/3KK4[] w", "the first player has 2 kings"),
        ("4k4/4R4/9/9/9/9/9/9/4K4[] w", "could take the king"),
        ("4k4/3+P5/9/9/9/9/9/9/4K4[] w", "could take the king"),
        ("P3k4/9/9/9/9/9/9/9/4K4[] b", "P on a9 could never move"),
        ("L3k4/9/9/9/9/9/9/9/4K4[] b", "L on a9 could never move"),
        ("4k4/9/9/9/9/9/9/n8/4K4[] b", "N on a2 could never move"),
        ("4k4/9/9/9/P8/9/P8/9/4K4[] b", "two unpromoted pawns"),
        ("4k4/9/9/9/9/9/9/9/4K4[K] w", "cannot be in hand"),
        ("4k4/9/9/9/9/9/9/9/4K4[+P] w", "cannot be in hand"),
        ("4k4/9/9/9/9/9/9/9/4K3+G[] w", "unknown piece \"+G\""),
        ("4k4/9/9/9/9/9/9/9/4K4[ w", "closing ]"),
        ("4k4/9/9/9/9/9/9/54/4K4[] w", "unknown piece \"54\""),
        ("4k4/9/9/9/9/9/9/9/4K4[] w 5 - 1", "third field"),
    ] {
        let error = Position::<Shogi>::from_fen(fen).expect_err(fen).to_string();
        assert!(error.contains(said), "{fen}: {error}");
    }
}
