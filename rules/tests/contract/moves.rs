use crate::chance::{self, Style};
use rules::{Game, Move, MoveList, Rules, Square, Variant};
use std::collections::{HashMap, HashSet};

pub fn legal_is_accepted<V: Variant>() {
    let mut seen = 0;
    chance::positions::<V>(4, |game, legal| {
        seen += 1;
        if seen % 40 != 0 {
            return;
        }
        let position = game.position();
        let listed: HashSet<Move> = legal.iter().copied().collect();
        assert_eq!(listed.len(), legal.len(), "{}: a move is listed twice in {}", V::ID, position.fen());
        for &mv in legal {
            assert!(position.is_legal(mv), "{}: {mv:?} in {}", V::ID, position.fen());
            assert_eq!(position.parse_move(&position.format_move(mv)), Ok(mv));
            assert_eq!(Move::from_raw(mv.raw()), mv);
        }
        let squares = || (0..V::SQUARES).map(Square::new);
        let steps = squares().flat_map(|from| squares().map(move |to| Move::board(from, to)));
        let drops = (0..=V::HAND_KINDS).flat_map(|slot| squares().map(move |to| Move::drop(slot, to)));
        // Every code that means something, or a sample of them on the largest board.
        for mv in steps.chain(drops).step_by(if V::SQUARES > 100 { 97 } else { 1 }) {
            for mv in [mv, mv.promoting(), mv.with_via(1)] {
                assert_eq!(position.is_legal(mv), listed.contains(&mv), "{}: {mv:?} in {}", V::ID, position.fen());
            }
        }
    });
}

pub fn play_then_undo_changes_nothing<V: Variant>() {
    let mut all: Option<Game<V>> = None;
    chance::positions::<V>(2, |game, legal| {
        if game.ply() % 8 == 0 {
            let before = game.clone();
            let mut game = game.clone();
            for &mv in legal {
                game.play(mv);
                assert_eq!((game.ply(), game.side()), (before.ply() + 1, before.side().other()));
                assert_eq!(game.undo(), Some(mv));
                assert_eq!(game.position(), before.position(), "{}: {mv:?}", V::ID);
            }
            assert_eq!(game, before);
        }
        all = Some(game.clone());
    });
    let mut game = all.expect("a game was played");
    while game.undo().is_some() {}
    assert_eq!(game, Game::start(Rules::default()));
}

pub fn incremental_key_is_fresh_key<V: Variant>() {
    let mut texts: HashMap<[u8; 12], String> = HashMap::new();
    chance::positions::<V>(10, |game, _| {
        let position = game.position();
        assert_eq!(position.key(), position.fresh_key(), "{}: {}", V::ID, position.fen());
        let text: String = position.fen().split_whitespace().take(2).collect();
        let known = texts.entry(position.key().to_bytes()).or_insert_with(|| text.clone());
        assert_eq!(*known, text, "{}: one key, two positions", V::ID);
    });
}

pub fn count_is_length<V: Variant>() {
    chance::positions::<V>(10, |game, legal| {
        assert_eq!(game.position().perft(1), legal.len() as u64, "{}: {}", V::ID, game.position().fen());
    });
}

pub fn win_in_one_is_brute_force<V: Variant>() {
    let mut scratch = MoveList::new();
    let mut wins = 0;
    // Random games seldom end in mate where passes and the like end most of them: then more are played.
    for seed in 0..400 {
        if seed >= 24 && wins > 0 {
            break;
        }
        chance::play(Rules::<V>::default(), Style::Lively, seed, |game, legal| {
            let position = game.position();
            let winning: Vec<Move> = legal
                .iter()
                .copied()
                .filter(|&mv| {
                    let mut next = position.clone();
                    next.play(mv);
                    let next = Game::from_position(*game.rules(), next);
                    next.position().legal_moves(&mut scratch);
                    scratch.is_empty()
                        && next.outcome(&scratch).is_some_and(|outcome| outcome.winner() == Some(position.side()))
                })
                .collect();
            let found = position.win_in_one(legal, &mut MoveList::new());
            wins += usize::from(found.is_some());
            assert_eq!(found.is_some(), !winning.is_empty(), "{}: {winning:?} in {}", V::ID, position.fen());
            // Each is found by itself too, so that no kind of win hides behind another.
            for &mv in &winning {
                let alone = position.win_in_one(&[mv], &mut MoveList::new());
                assert_eq!(alone, Some(mv), "{}: {}", V::ID, position.fen());
            }
            assert!(found.is_none_or(|mv| winning.contains(&mv)), "{}: {found:?} in {}", V::ID, position.fen());
        });
    }
    assert!(wins > 0, "{}: no game came near its end", V::ID);
}
