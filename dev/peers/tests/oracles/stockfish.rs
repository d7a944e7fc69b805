//! Perft against Debian's Fairy-Stockfish, move by move: the positions of the suites, and random positions.

use crate::play;
use peers::{Engine, PeerError, or_skip};
use rules::{Janggi, Position, Rules, Shogi, Variant, Xiangqi, read_suite};
use std::collections::BTreeMap;
use std::path::Path;

/// Counts of a suite above this are left to the bench.
const MOST_NODES: u64 = 1_100_000;

/// Compares perft of a position. Where `drop_mates`, the engine may count pawn drops that mate, which are not legal
/// moves here: its surplus is followed down to each of them. Returns how many it found.
fn compare<V: Variant>(
    engine: &mut Engine,
    position: &Position<V>,
    depth: u32,
    drop_mates: bool,
) -> Result<u64, PeerError> {
    let fen = position.fen();
    let theirs = engine.perft(&fen, depth)?;
    let divide = position.perft_divide(depth);
    let ours: BTreeMap<String, u64> = divide.iter().map(|&(mv, nodes)| (position.format_move(mv), nodes)).collect();
    assert_eq!(theirs.nodes, theirs.moves.values().sum::<u64>(), "{} cannot add", engine.name());
    if ours == theirs.moves {
        return Ok(0);
    }
    assert!(drop_mates, "perft {depth} of {fen}\nours {ours:?}\ntheirs {:?}", theirs.moves);
    let mut found = 0;
    for (text, &nodes) in &theirs.moves {
        if !ours.contains_key(text) {
            let replies = engine.perft_after(&fen, std::slice::from_ref(text), 1)?.nodes;
            assert!(text.starts_with("P@") && replies == 0, "{text} of {fen} is no mate by a dropped pawn");
            found += nodes;
        }
    }
    for &(mv, nodes) in &divide {
        let text = position.format_move(mv);
        let surplus = theirs.moves.get(&text).map(|&theirs| theirs.checked_sub(nodes));
        match surplus.flatten() {
            Some(0) => {}
            Some(surplus) if depth > 1 => {
                let mut next = position.clone();
                next.play(mv);
                let below = compare(engine, &next, depth - 1, drop_mates)?;
                assert_eq!(below, surplus, "perft {depth} of {fen}, below {text}");
                found += below;
            }
            _ => panic!("perft {depth} of {fen}: {text} {nodes}, theirs {:?}", theirs.moves.get(&text)),
        }
    }
    Ok(found)
}

fn compare_all<V: Variant>(drop_mates: bool) {
    let Some(mut engine) = or_skip(Engine::debian(V::ID)) else { return };
    let mut check = |position: &Position<V>, depth| {
        compare(&mut engine, position, depth, drop_mates).unwrap_or_else(|error| panic!("{error}"))
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../rules/tests/perft/{}.perft", V::ID));
    let suite = std::fs::read_to_string(&path).expect("every variant has a perft suite");
    let (mut in_suite, mut by_chance, mut found) = (0, Vec::new(), 0);
    for line in read_suite(&suite).expect("the suite can be read") {
        let position = Position::from_fen(line.fen).expect("the suite's positions are valid");
        let Some(&(depth, _)) = line.counts.iter().rfind(|(_, nodes)| *nodes <= MOST_NODES) else { continue };
        found += check(&position, depth);
        in_suite += 1;
    }
    play::games::<V>(Rules::default(), |game, _, _, seed| {
        if game.ply() % 8 == seed as u32 % 8 {
            by_chance.push(game.position().clone());
        }
    });
    let by_chance = play::sample(by_chance, 200);
    found += by_chance.iter().map(|position| check(position, 2)).sum::<u64>();
    assert!(in_suite > 0 && by_chance.len() >= 200, "{}: {in_suite} of the suite, {} random", V::ID, by_chance.len());
    println!("{}: {in_suite} positions of the suite, {} random, {found} drop mates", V::ID, by_chance.len());
}

#[test]
fn janggi() {
    compare_all::<Janggi>(false);
}

#[test]
fn shogi() {
    compare_all::<Shogi>(true);
}

#[test]
fn xiangqi() {
    compare_all::<Xiangqi>(false);
}
