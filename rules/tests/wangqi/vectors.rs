//! The probes of `vectors.txt`.

use rules::{Game, MoveList, Position, Rules, Wangqi};

/// `a (b c)2` → `a b c b c`.
fn unrolled(moves: &str) -> Vec<String> {
    let Some((before, rest)) = moves.split_once('(') else {
        return moves.split_whitespace().map(str::to_owned).collect();
    };
    let (cycle, rest) = rest.split_once(')').expect("a closing bracket");
    let (times, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let cycle: Vec<&str> = cycle.split_whitespace().collect();
    let cycles = cycle.repeat(times.parse().expect("how often"));
    before.split_whitespace().chain(cycles).map(str::to_owned).chain(unrolled(after)).collect()
}

fn check(line: &str) {
    let fields: Vec<&str> = line.split(';').map(str::trim).collect();
    let [_, fen, moves, expectations] = fields[..] else { panic!("four fields: {line}") };
    let position = Position::<Wangqi>::from_fen(fen).unwrap_or_else(|error| panic!("{line}: {error}"));
    let mut game = Game::from_position(Rules::default(), position);
    let mut legal = MoveList::new();
    for text in unrolled(moves) {
        game.legal_moves(&mut legal);
        assert_eq!(game.outcome(&legal), None, "{line}: ended before {text}, ply {}", game.ply());
        let mv = game.position().parse_move(&text).unwrap_or_else(|error| panic!("{line}: {error}"));
        game.play(mv);
    }
    game.legal_moves(&mut legal);
    let end = game.outcome(&legal).map(|outcome| {
        let winner = outcome.winner().map_or("draw".to_owned(), |side| side.to_string());
        format!("{} {winner} {}", game.ply(), outcome.termination)
    });
    if let Some(expected) = expectations.strip_prefix("ends=") {
        return assert_eq!(end.as_deref(), Some(expected), "{line}");
    }
    assert_eq!(end, None, "{line}");
    if let Some(expected) = expectations.strip_prefix("fen=") {
        return assert!(
            game.position().fen().starts_with(&format!("{expected} - - ")),
            "{line}: {}",
            game.position().fen()
        );
    }
    if let Some(expected) = expectations.strip_prefix("counters=") {
        return assert!(
            game.position().fen().ends_with(&format!(" - - {expected}")),
            "{line}: {}",
            game.position().fen()
        );
    }
    for expectation in expectations.split_whitespace().filter(|_| expectations != "goes on") {
        let position = game.position();
        match expectation.split_at(1) {
            ("+", text) => assert!(position.parse_move(text).is_ok(), "{line}: {text}\n{}", position.draw()),
            ("-", text) => assert!(position.parse_move(text).is_err(), "{line}: {text}\n{}", position.draw()),
            _ => assert_eq!(expectation, format!("legal={}", legal.len()), "{line}"),
        }
    }
}

#[test]
fn probes() {
    let lines = include_str!("vectors.txt").lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).for_each(check);
}

/// Copied at every node of a search; four cache lines of 64 bytes hold it.
#[test]
fn size_of_a_position() {
    assert_eq!(size_of::<Position<Wangqi>>(), 240);
}

#[test]
fn impossible_set_ups_are_refused() {
    for (fen, said) in [
        ("8/8/8/8/8/8/8/4K3[] w - - 0 1", "the second player has 0 kings"),
        ("4k3/8/8/8/8/8/8/3KK3[] w - - 0 1", "the first player has 2 kings"),
        ("4k3/4R3/8/8/8/8/8/4K3[] w - - 0 1", "could take the king"),
        ("P3k3/8/8/8/8/8/8/4K3[] b - - 0 1", "P on a8 could never move"),
        ("4k3/8/8/8/8/8/n7/4K3[] b - - 0 1", "N on a2 could never move"),
        ("4k3/8/8/P7/P7/8/8/4K3[] b - - 0 1", "two unpromoted pawns"),
        ("4k3/8/8/8/8/8/8/4K3[K] w - - 0 1", "cannot be in hand"),
        ("4k3/8/8/8/8/8/8/4K3[+P] w - - 0 1", "cannot be in hand"),
        ("4k3/8/8/8/8/8/8/4K2G[] w - - 0 1", "unknown piece \"G\""),
        ("4k3/8/8/8/8/8/8/4K3[ w - - 0 1", "closing ]"),
        ("4k3/8/8/8/8/8/44/4K3[] w - - 0 1", "unknown piece \"44\""),
    ] {
        let error = Position::<Wangqi>::from_fen(fen).expect_err(fen).to_string();
        assert!(error.contains(said), "{fen}: {error}");
    }
}
