use crate::chance;
use rules::{Position, Variant};
use std::collections::HashSet;

pub fn fen_round_trip<V: Variant>() {
    assert_eq!(Position::<V>::start().fen(), V::START, "{}", V::ID);
    chance::positions::<V>(6, |game, _| {
        let fen = game.position().fen();
        let read = Position::<V>::from_fen(&fen).unwrap_or_else(|error| panic!("{}: {fen}: {error}", V::ID));
        assert_eq!(read.fen(), fen);
        // Sets, mailbox, counters and key; a variant's own state may hold history, which a FEN does not.
        assert_eq!((read.key(), read.side()), (game.position().key(), game.position().side()));
        // Fields after the side may be left out.
        let short: Vec<&str> = fen.split_whitespace().take(2).collect();
        let short = Position::<V>::from_fen(&short.join(" ")).expect("a FEN of two fields");
        assert_eq!(short.key(), read.key());
    });
}

/// Columns a text takes: native characters are two columns wide.
fn columns(line: &str) -> usize {
    line.chars().map(|character| if character.is_ascii() { 1 } else { 2 }).sum()
}

/// Columns at which the native characters of a line begin, from some column on.
fn native_characters(line: &str, from: usize) -> Vec<usize> {
    let native = line.char_indices().filter(|(_, character)| !character.is_ascii());
    native.map(|(at, _)| columns(&line[..at])).filter(|&column| column >= from).collect()
}

/// Columns of a terminal that no drawing exceeds.
const WIDEST: usize = 80;
/// Columns of the labels to the left of the ranks.
const LEFT: usize = 3;

pub fn drawing_is_aligned<V: Variant>() {
    for notation in V::NOTATIONS {
        let labels = &notation.coordinates;
        let at = || format!("{} {}", V::ID, notation.name);
        for (list, len) in
            [(labels.above, V::FILES), (labels.below, V::FILES), (labels.left, V::RANKS), (labels.right, V::RANKS)]
        {
            let different: HashSet<&str> = list.iter().copied().collect();
            assert!(list.is_empty() || (list.len(), different.len()) == (len, len), "{}: {list:?}", at());
        }
        chance::positions::<V>(1, |game, _| {
            let drawn = notation.draw(game.position());
            assert!(drawn.lines().all(|line| columns(line) <= WIDEST), "{}:\n{drawn}", at());
            let board: Vec<&str> = drawn.lines().filter(|line| !line.contains("hand")).collect();
            let labelled = [labels.above, labels.below].map(|list| usize::from(!list.is_empty()));
            let ranks = &board[labelled[0]..board.len() - labelled[1]];
            assert!(ranks.len() / V::RANKS >= 1 && ranks.len().is_multiple_of(V::RANKS), "{}:\n{drawn}", at());
            // Every square has a character on the first line of its rank, and all lines keep to its columns.
            let from = if labels.left.is_empty() { 0 } else { LEFT };
            let squares = &native_characters(ranks[0], from)[..V::FILES];
            for line in ranks {
                let mut drawn = native_characters(line, from);
                drawn.retain(|&column| column <= squares[V::FILES - 1]);
                assert!(drawn.iter().all(|column| squares.contains(column)), "{}: {line:?}", at());
            }
        });
    }
}
