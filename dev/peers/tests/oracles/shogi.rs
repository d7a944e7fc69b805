//! Shogi against the crates `haitaka` and `rsshogi`, which leave out mates by a dropped pawn as we do.

use crate::play;
use peers::shogi::{self, Library};
use rules::{Notation, Position, Rules, Shogi, read_suite};
use std::collections::BTreeSet;

/// Counts of the suite above this are left to the bench.
const MOST_NODES: u64 = 3_000_000;

fn position_of(library: Library, position: &Position<Shogi>) -> shogi::Position {
    library.position(position).unwrap_or_else(|error| panic!("{error}"))
}

/// Moves of `haitaka` 0.3.2 that are not legal: it takes some mates by a dropped pawn for escapable. One of them:
/// `P*2f` in `1B1s+N3+P/l5s2/p3g1n2/1rp6/1P3p1kl/NpPppg3/L1SGP1pKp/3P1PRP1/LNBS4G w 3p 1`.
fn missed_drop_mates(ours: &BTreeSet<String>, theirs: &BTreeSet<String>, position: &Position<Shogi>) -> usize {
    let fen = position.fen();
    assert!(ours.is_subset(theirs), "{ours:?}, haitaka {theirs:?}: {fen}");
    for text in theirs.difference(ours) {
        let replies = position_of(Library::Rsshogi, position).after(text).expect("a move in USI").perft(1);
        assert!(text.starts_with("P*") && replies == 0, "haitaka alone lists {text}, which does not mate: {fen}");
    }
    theirs.len() - ours.len()
}

#[test]
fn the_same_moves_at_every_ply_of_whole_games() {
    let usi = Notation::named("usi").expect("shogi has USI");
    let (mut games, mut lists, mut missed) = (0, 0, 0);
    play::games::<Shogi>(Rules::default(), |game, legal, _, seed| {
        let position = game.position();
        let ours = || -> BTreeSet<String> { legal.iter().map(|&mv| usi.write(position, mv)).collect() };
        for library in Library::ALL {
            let theirs = position_of(library, position);
            let equal = theirs.perft(1) == legal.len() as u64;
            // Texts take most of the time, so where the numbers are equal they are made for some plies only.
            if !equal || game.ply() % 8 == seed as u32 % 8 || legal.is_empty() {
                match library {
                    Library::Haitaka => missed += missed_drop_mates(&ours(), &theirs.moves(), position),
                    Library::Rsshogi => assert_eq!(theirs.moves(), ours(), "{}", position.fen()),
                }
                lists += 1;
            }
        }
        games += u64::from(game.outcome(legal).is_some());
    });
    assert!(games == play::GAMES && lists >= 2_000, "{games} games, {lists} lists of moves");
    println!("{games} games, {lists} lists of moves, {missed} drop mates in haitaka's");
}

#[test]
fn the_same_perft() {
    let suite = include_str!("../../../../rules/tests/perft/shogi.perft");
    let mut compared = 0;
    for line in read_suite(suite).expect("the suite can be read") {
        let position = Position::from_fen(line.fen).expect("the suite's positions are valid");
        for &(depth, nodes) in line.counts.iter().filter(|(_, nodes)| *nodes <= MOST_NODES) {
            for library in Library::ALL {
                let theirs = position_of(library, &position);
                assert_eq!(theirs.perft(depth as u8), nodes, "{}, perft {depth} of {}", library.name(), line.fen);
                compared += 1;
            }
        }
    }
    assert!(compared >= 20, "{compared} counts");
}
