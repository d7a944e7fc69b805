//! The crate's Kō shogi and the reference's are one game: in whole games, and on strewn boards.
//!
//! Some 16,000 positions. All moves of each are compared, and the positions after some of them, those that take on the
//! way, shoot or promote first. The reference takes two milliseconds or more for a full board, so most boards hold few
//! stones: 40 seconds of one core altogether.

use crate::both::told;
use crate::reference::{self, Board, End};
use crate::strewn;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Koshogi, Move, MoveList, Position, Rulebook, Rules, Side, Termination};
use std::collections::{BTreeMap, BTreeSet};

/// At most so many moves of a position are played out.
const PLAYED_OUT: usize = 24;

/// What was compared, so that the tests can say it was enough.
#[derive(Debug, Default)]
struct Seen {
    positions: usize,
    moves: usize,
    played_out: usize,
    /// Of those played out: taking on the way or by shot, promoting, with more stones gone than taken, with a stone
    /// turned back, ending the game.
    taking: usize,
    promoting: usize,
    burning: usize,
    turning_back: usize,
    ending: usize,
    /// Side and kind of every stone that moved.
    movers: BTreeSet<(usize, usize)>,
    ends: BTreeMap<&'static str, usize>,
}

impl Seen {
    /// `taken`: stones taken by displacement or shot.
    fn count(&mut self, text: &str, taken: usize, before: &Board, after: &Board) {
        let gone = before.stones() - after.stones();
        let promoted = usize::from(text.ends_with('+'));
        self.played_out += 1;
        self.taking += usize::from(text.contains('x'));
        self.promoting += promoted;
        self.burning += usize::from(gone > taken);
        self.turning_back += usize::from(gone == 0 && after.turned() < before.turned() + promoted);
        self.ending += usize::from(after.winner().is_some());
    }
}

/// Compares the moves of a position, and some of the positions after them. Returns the reference's answer.
fn compare(position: &Position<Koshogi>, rng: &mut ChaCha8Rng, seen: &mut Seen) -> BTreeMap<String, Board> {
    let fen = position.fen();
    let board = Board::read(&fen);
    assert_eq!(board.fen(), fen);
    let expected = board.moves();
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let texts: BTreeMap<String, Move> = legal.iter().map(|&mv| (position.format_move(mv), mv)).collect();
    let missing: Vec<&String> = expected.keys().filter(|text| !texts.contains_key(*text)).collect();
    let surplus: Vec<&String> = texts.keys().filter(|text| !expected.contains_key(*text)).collect();
    let drawn = || position.draw();
    assert!(missing.is_empty() && surplus.is_empty(), "{fen}\nmissing {missing:?}\nsurplus {surplus:?}\n{}", drawn());
    assert_eq!((legal.len(), position.perft(1)), (expected.len(), expected.len() as u64), "{fen}");
    seen.positions += 1;
    seen.moves += legal.len();
    for mover in legal.iter().filter_map(|mv| position.cell(mv.source_square()?).piece()) {
        seen.movers.insert((mover.0.index(), mover.1));
    }

    let (mut lively, quiet): (Vec<&String>, Vec<&String>) = texts.keys().partition(|text| text.contains(['x', '+']));
    while lively.len() > PLAYED_OUT * 2 / 3 {
        lively.swap_remove(rng.random_range(0..lively.len()));
    }
    let some_quiet = (0..PLAYED_OUT / 3).filter_map(|_| quiet.get(rng.random_range(0..quiet.len().max(1))));
    for &text in lively.iter().chain(some_quiet) {
        let mut next = position.clone();
        next.play(texts[text]);
        assert_eq!(next.fen(), expected[text].fen(), "{text} in {fen}\n{}", drawn());
        assert_eq!(ended(&next), expected[text].winner(), "{text} in {fen}\n{}", drawn());
        let taken = text.matches('x').count() + usize::from(takes_on_last_point(position, texts[text]));
        seen.count(text, taken, &board, &expected[text]);
    }
    expected
}

fn takes_on_last_point(position: &Position<Koshogi>, mv: Move) -> bool {
    mv.source_square() != Some(mv.destination()) && !position.cell(mv.destination()).is_empty()
}

/// Whether the commanders have ended the game, and Black has won.
fn ended(position: &Position<Koshogi>) -> Option<bool> {
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let outcome = Game::from_position(Rules::default(), position.clone()).outcome(&legal)?;
    let by_commanders = outcome.termination == Termination::KingCapture;
    outcome.winner().filter(|_| by_commanders).map(|side| side == Side::First)
}

/// How the moves of a game are chosen.
#[derive(Clone, Copy)]
enum Style {
    /// Often a move that takes, shoots or promotes.
    Lively,
    /// Often the last move taken back.
    Shuttling,
}

fn choose(game: &Game<Koshogi>, legal: &[Move], rng: &mut ChaCha8Rng, style: Style) -> Move {
    let position = game.position();
    let own_last = game.moves().len().checked_sub(2).map(|at| game.moves()[at]);
    let wanted = |mv: Move| match style {
        Style::Lively => takes_on_last_point(position, mv) || position.format_move(mv).contains(['x', '+']),
        Style::Shuttling => own_last.is_some_and(|last| {
            last.source_square() == Some(mv.destination()) && mv.source_square() == Some(last.destination())
        }),
    };
    let preferred: Vec<Move> = legal.iter().copied().filter(|&mv| wanted(mv)).collect();
    let pool = if !preferred.is_empty() && rng.random_range(0..4) > 0 { &preferred } else { legal };
    pool[rng.random_range(0..pool.len())]
}

/// Plays a game on both sides and compares every position, and the result.
fn play(start: Position<Koshogi>, max_plies: u32, style: Style, rng: &mut ChaCha8Rng, seen: &mut Seen) {
    let mut boards = vec![Board::read(&start.fen())];
    let mut game = Game::from_position(Rules::default().with_max_plies(max_plies), start);
    let mut legal = MoveList::new();
    loop {
        let mut expected = compare(game.position(), rng, seen);
        game.legal_moves(&mut legal);
        let outcome = game.outcome(&legal);
        let end: Option<End> = reference::end(&boards, !expected.is_empty(), max_plies as usize);
        assert_eq!(outcome.map(told), end, "ply {}: {}", game.ply(), game.position().fen());
        if let Some(end) = end {
            *seen.ends.entry(end.by).or_default() += 1;
            return;
        }
        let mv = choose(&game, &legal, rng, style);
        boards.extend(expected.remove(&game.position().format_move(mv)));
        game.play(mv);
    }
}

/// Whole games from the start, to their ends.
#[test]
fn games_from_the_start() {
    let mut seen = Seen::default();
    for seed in 0..4 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        play(Position::start(), Koshogi::MAX_PLIES, Style::Lively, &mut rng, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.positions >= 3_000, "{seen:?}");
    assert_eq!(seen.ends, [("king_capture", 4)].into());
}

/// Short games from strewn boards: all ways to end.
#[test]
fn games_from_strewn_boards() {
    let mut seen = Seen::default();
    for (seed, start) in strewn::boards(20, 12, 200).into_iter().enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
        let style = if seed % 2 == 0 { Style::Shuttling } else { Style::Lively };
        play(start, 60, style, &mut rng, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.positions >= 3_000, "{seen:?}");
    for by in ["king_capture", "repetition", "no_progress", "max_plies"] {
        assert!(seen.ends.get(by).is_some_and(|&games| games >= 5), "{by}: {seen:?}");
    }
}

fn compare_strewn(seed: u64, most: usize, number: usize) {
    let mut seen = Seen::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for position in strewn::boards(seed, most, number) {
        compare(&position, &mut rng, &mut seen);
    }
    println!("{seen:?}");
    assert_eq!(seen.positions, number);
    assert_eq!(seen.movers.len(), 2 * Koshogi::KINDS, "every face of both sides moves: {seen:?}");
    for rare in [seen.taking, seen.promoting, seen.burning, seen.turning_back, seen.ending] {
        assert!(rare >= number / 10, "{seen:?}");
    }
}

#[test]
fn sparse_boards() {
    compare_strewn(21, 16, 5_000);
}

#[test]
fn crowded_boards() {
    compare_strewn(22, 60, 1_800);
}
