use rules::{MoveList, Position, Variant};
use std::collections::HashSet;

pub fn setups_make_start_positions<V: Variant>() {
    let start = Position::<V>::start();
    let names: Vec<&str> = V::SETUPS.iter().map(|setup| setup.name).collect();
    let mut seen = HashSet::new();
    for &first in &names {
        for &second in &names {
            let position = Position::<V>::start_with([first, second]).expect("both names are listed");
            assert!(seen.insert(position.fen()), "{}: {first} and {second} begin like others", V::ID);
            let read = Position::<V>::from_fen(&position.fen()).expect("a valid FEN");
            let found = read.setups().map(|setups| setups.map(|setup| setup.name));
            assert_eq!(found, Some([first, second]), "{}", V::ID);
            // After a move it is a start position no more.
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            let mut next = position.clone();
            next.play(legal[0]);
            assert_eq!(next.setups(), None, "{}", V::ID);
        }
    }
    match names.first() {
        Some(&default) => assert_eq!(Position::<V>::start_with([default; 2]), Ok(start), "{}", V::ID),
        None => assert_eq!(start.setups(), None, "{}", V::ID),
    }
    let unknown = Position::<V>::start_with(["sideways", "inner"]).expect_err("no such setup").to_string();
    assert!(unknown.contains(V::ID) && unknown.contains("sideways"), "{unknown}");
    assert!(names.iter().all(|name| unknown.contains(name)), "{unknown}");
}
