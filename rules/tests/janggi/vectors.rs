//! The vectors of the rule text, read from text files.

use crate::vectors_of_text as vectors;
use rules::{Game, Janggi, MoveList, Outcome, Position, Rules, Side, Termination};

/// 256 bytes: 90 cells, nine sets of 16 bytes, key, counters. Copied at every node.
const _: () = assert!(size_of::<Position<Janggi>>() == 256);

/// A preset by name.
pub fn rules(preset: &str) -> Rules<Janggi> {
    Rules::named(preset).expect("a preset")
}

#[test]
fn moves_of_single_pieces() {
    vectors::moves_of_single_pieces::<Janggi>(include_str!("moves.txt"));
}

#[test]
fn ends_of_games() {
    vectors::ends_of_games::<Janggi>(include_str!("ends.txt"));
}

#[test]
fn points_at_the_limit_of_plies() {
    let outcome_of = |preset: &str| {
        let mut game = Game::<Janggi>::start(rules(preset).with_max_plies(1));
        game.play(game.position().parse_move("a1a2").expect("a move"));
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        game.outcome(&legal)
    };
    let kja = Outcome { points: Some([72.0, 73.5]), ..Outcome::win(Side::Second, Termination::Points) };
    assert_eq!(outcome_of("kja"), Some(kja));
    assert_eq!(outcome_of("traditional"), Some(Outcome::draw(Termination::MaxPlies)));
}

#[test]
fn two_hundred_plies_end_a_game_online() {
    // Both sides walk in circles of different lengths, so that no position stands for the third time.
    let mut game = Game::<Janggi>::start(rules("kakao"));
    let mut legal = MoveList::new();
    let mut seen = std::collections::HashMap::from([(game.position().key(), 1)]);
    let end = loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            break outcome;
        }
        let quiet = legal.iter().copied().find(|&mv| {
            let mut next = game.position().clone();
            next.play(mv);
            next.quiet_plies() > 0
                && !mv.is_pass()
                && !next.is_check()
                && seen.get(&next.key()).is_none_or(|&times| times < 2)
        });
        game.play(quiet.expect("a quiet move"));
        *seen.entry(game.position().key()).or_insert(0) += 1;
    };
    assert_eq!((game.ply(), end.termination, end.points), (200, Termination::Points, Some([72.0, 73.5])));
    assert_eq!(end.winner(), Some(Side::Second));
}

#[test]
fn facing_generals_restrict_no_moves_where_they_mean_nothing() {
    let position = Position::<Janggi>::from_fen("4k4/9/9/9/R8/9/9/9/4K4/9 w - - 0 1").expect("a position");
    let count = |preset: &str| {
        let game = Game::from_position(rules(preset), position.clone());
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        assert_eq!((game.position(), game.start_position()), (&position, &position), "{preset}");
        legal.len()
    };
    // The chariot's 17 moves, the general's eight and the pass; with the rule only those that break the facing, and the
    // pass.
    assert_eq!(["kja", "traditional", "kakao", "casual"].map(count), [8, 8, 26, 26]);
}

/// Counts of Fairy-Stockfish 11.1 (`go perft`, variant janggicasual).
#[test]
fn perft_where_facing_generals_mean_nothing() {
    for (fen, counts) in [
        ("rnba1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RNBA1ABNR w - - 0 1", [32, 1024, 33316]),
        ("2b2abn1/3a5/4k2c1/9/9/2P1p1p2/1r5n1/9/4AN3/4K1c2 w - - 0 35", [15, 851, 12272]),
        ("4k4/9/9/9/R8/9/9/9/4K4/9 w - - 0 1", [26, 96, 2286]),
        ("3ck4/4a4/9/p1p3p1p/4N4/2P6/P5P1P/1C7/4K4/R3A4 b - - 0 1", [23, 733, 15865]),
    ] {
        let position = Position::<Janggi>::from_fen(fen).expect("a position").under(&rules("casual"));
        assert_eq!([1, 2, 3].map(|depth| position.perft(depth)), counts, "{fen}");
    }
}

#[test]
fn start_positions() {
    let fen = |cho, han| Position::<Janggi>::start_with([cho, han]).expect("two setups").fen();
    // Left and right are each player's own, so Han's is seen the other way round.
    let (left, right) = (fen("left", "right"), fen("right", "left"));
    assert_eq!(left, "rbna1abnr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RBNA1ABNR w - - 0 1");
    assert_eq!(right, "rnba1anbr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/RNBA1ANBR w - - 0 1");
    let fifth = fen("fifth", "outer");
    assert_eq!(fifth, "rbna1anbr/4k4/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4K4/BNRA1ARNB w - - 0 1");
}

#[test]
fn boards_that_cannot_be() {
    vectors::boards_that_cannot_be::<Janggi>(&[
        ("9/9/9/9/9/9/9/9/9/4K4 w", "0 generals of the second player"),
        ("3k1k3/9/9/9/9/9/9/9/9/4K4 w", "2 generals of the second player"),
        ("3k5/9/9/9/9/9/9/9/9/2K6 w", "the first player's general on c1 stands outside its palace"),
        ("3k5/9/9/3a5/9/9/9/9/9/4K4 w", "the second player's guard on d7 stands outside its palace"),
    ]);
}
