//! The vectors of the rule text, read from text files.

use rules::{Game, MoveList, Outcome, Position, Rules, Xiangqi};

/// 256 bytes: 90 cells, nine sets of 16 bytes, key, counters. Copied at every node.
const _: () = assert!(size_of::<Position<Xiangqi>>() == 256);

/// The lines that say something.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn position(fen: &str) -> Position<Xiangqi> {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

#[test]
fn moves_of_single_pieces() {
    for line in lines(include_str!("moves.txt")) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let position = position(fields[0]);
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let texts: Vec<String> = legal.iter().map(|&mv| position.format_move(mv)).collect();
        let (square, of_piece) = fields[1].split_once(' ').expect("square and number");
        // The second square begins with a letter, so `e1` is not found in `e10e9`.
        let from_square = |text: &str| text.strip_prefix(square).is_some_and(|to| !to.starts_with(char::is_numeric));
        let found = texts.iter().filter(|text| from_square(text)).count();
        assert_eq!(found.to_string(), of_piece, "{line}: moves of {square} in {texts:?}");
        assert_eq!(texts.len().to_string(), fields[2], "{line}: all moves {texts:?}");
        for wanted in fields.get(3).unwrap_or(&"").split_whitespace() {
            let (sign, mv) = wanted.split_at(1);
            assert_eq!(texts.iter().any(|text| text == mv), sign == "+", "{line}: {wanted} in {texts:?}");
        }
    }
}

/// `a (b c)2` → `a b c b c`.
fn unrolled(moves: &str) -> Vec<&str> {
    let Some((before, rest)) = moves.split_once('(') else { return moves.split_whitespace().collect() };
    let (cycle, times) = rest.split_once(')').expect("a closing bracket");
    let times = times.trim().parse().expect("how often");
    let cycle: Vec<&str> = cycle.split_whitespace().collect();
    before.split_whitespace().chain(cycle.repeat(times)).collect()
}

fn described(ply: u32, outcome: Outcome) -> String {
    let winner = outcome.winner.map_or("draw".to_owned(), |side| side.to_string());
    format!("{ply} {winner} {}", outcome.termination)
}

#[test]
fn ends_of_games() {
    for line in lines(include_str!("ends.txt")) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        for verdict in &fields[3..] {
            let (preset, expected) = verdict.split_once(": ").expect("preset and verdict");
            let rules = Rules::<Xiangqi>::named(preset).expect("a preset");
            let mut game = Game::from_position(rules, position(fields[1]));
            let mut moves = unrolled(fields[2]).into_iter();
            let mut legal = MoveList::new();
            let found = loop {
                game.legal_moves(&mut legal);
                if let Some(outcome) = game.outcome(&legal) {
                    break described(game.ply(), outcome);
                }
                let Some(mv) = moves.next() else { break "none".to_owned() };
                game.play(game.position().parse_move(mv).unwrap_or_else(|error| panic!("{line}: {error}")));
            };
            assert_eq!(found, expected, "{line}\npreset {preset}\n{}", game.position().draw());
        }
    }
}

#[test]
fn boards_that_cannot_be() {
    for (board, problem) in [
        ("9/9/9/9/9/9/9/9/9/4K4", "0 generals of the second player"),
        ("3k1k3/9/9/9/9/9/9/9/9/4K4", "2 generals of the second player"),
        ("3k5/9/9/9/9/9/9/9/9/2K6", "the first player's general on c1 stands outside its palace"),
        ("3k5/9/9/3a5/9/9/9/9/9/4K4", "the second player's guard on d7 stands outside its palace"),
        ("3k5/9/9/9/2B6/9/9/9/9/4K4", "the first player's elephant on c6 stands over the river"),
        ("4k4/9/9/9/9/9/9/9/9/4K4", "the second player's general can be captured at once"),
        ("3k5/9/9/9/3R5/9/9/9/9/4K4", "the second player's general can be captured at once"),
    ] {
        let error = Position::<Xiangqi>::from_fen(&format!("{board} w - - 0 1")).expect_err(board).to_string();
        assert!(error.contains(problem), "{board}: {error}");
    }
}
