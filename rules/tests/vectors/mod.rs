//! Vectors of a rule text, read from text files: moves of single pieces, ends of games, boards that cannot be.

use rules::{Game, MoveList, Outcome, Position, Rules, Variant};

/// The lines that are neither empty nor comments.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

pub fn position<V: Variant>(fen: &str) -> Position<V> {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Lines `FEN ; square n ; all ; +legal -illegal …`.
pub fn moves_of_single_pieces<V: Variant>(text: &str) {
    for line in lines(text) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let position = position::<V>(fields[0]);
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
pub fn unrolled(moves: &str) -> Vec<&str> {
    let Some((before, rest)) = moves.split_once('(') else { return moves.split_whitespace().collect() };
    let (cycle, times) = rest.split_once(')').expect("a closing bracket");
    let times = times.trim().parse().expect("how often");
    let cycle: Vec<&str> = cycle.split_whitespace().collect();
    before.split_whitespace().chain(cycle.repeat(times)).collect()
}

fn described(ply: u32, outcome: Outcome) -> String {
    let winner = outcome.winner().map_or("draw".to_owned(), |side| side.to_string());
    let points = outcome.points.map_or(String::new(), |[first, second]| format!(" {first} : {second}"));
    format!("{ply} {winner} {}{points}", outcome.termination)
}

/// Lines `name ; FEN ; moves ; preset: ply winner reason points ; …`; `rules` finds the presets by name.
pub fn ends_of_games<V: Variant>(text: &str, rules: impl Fn(&str) -> Rules<V>) {
    for line in lines(text) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        assert!(fields.len() > 3, "{line}: no verdict");
        for verdict in &fields[3..] {
            let (preset, expected) = verdict.split_once(": ").expect("preset and verdict");
            let mut game = Game::from_position(rules(preset), position(fields[1]));
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

/// Each board is refused, with these words.
pub fn boards_that_cannot_be<V: Variant>(boards: &[(&str, &str)]) {
    for (board, problem) in boards {
        let error = Position::<V>::from_fen(&format!("{board} w - - 0 1")).expect_err(board).to_string();
        assert!(error.contains(problem), "{board}: {error}");
    }
}
