//! The crate's shogi and the reference's are one game.

use crate::against::{self, compare_wins, ranks};
use crate::reference::Board;
use crate::reference_ends::{self, End};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Outcome, Position, Rules, Shogi, Side, SquareSet, Termination};
use std::collections::BTreeMap;

const MAX_PLIES: u32 = 200;

fn compare(position: &Position<Shogi>) {
    let board = Board::read(&position.fen());
    let after = board.moves().into_iter().map(|(mv, next)| (mv, next.text()));
    against::compare(position, &board.text(), board.check(), after);
}

fn expected(outcome: Outcome) -> End {
    let by = match outcome.termination {
        Termination::Checkmate => "checkmate",
        Termination::Stalemate => "stalemate",
        Termination::PerpetualCheck => "perpetual_check",
        Termination::Repetition => "repetition",
        Termination::Impasse => "impasse",
        Termination::Declaration => "declaration",
        Termination::MaxPlies => "max_plies",
        other => panic!("no game ends by {other}"),
    };
    outcome.winner().map_or(End::Draw { by }, |winner| End::Wins { sente: winner == Side::First, by })
}

/// How the players choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Often a move that captures or drops.
    Lively,
    /// Mostly the last move taken back.
    Shuttling,
    /// No captures, mostly; the king stays where it is.
    Peaceful,
}

fn choose(game: &Game<Shogi>, legal: &[Move], rng: &mut ChaCha8Rng, style: Style) -> Move {
    let position = game.position();
    let captures = |mv: Move| !position.cell(mv.destination()).is_empty();
    let back = game.moves().len().checked_sub(2).map(|at| game.moves()[at]);
    let back = back.and_then(|last| Some(Move::board(last.destination(), last.source_square()?)));
    let moves_king = |mv: Move| mv.source_square().is_some_and(|from| position.pieces_of(position.side(), 0).has(from));
    let wanted = |mv: Move| match style {
        Style::Lively => mv.source_square().is_none() || captures(mv),
        Style::Shuttling => Some(mv) == back,
        Style::Peaceful => !captures(mv) && !moves_king(mv),
    };
    let pool: Vec<Move> = legal.iter().copied().filter(|&mv| wanted(mv)).collect();
    let strict = rng.random_range(0..if style == Style::Peaceful { 24 } else { 3 }) > 0;
    let pool = if !pool.is_empty() && strict { &pool } else { legal };
    pool[rng.random_range(0..pool.len())]
}

/// Plays a random game on both engines and returns how it ended. `compare_every`: plies between two
/// comparisons of all moves.
fn play(
    rules: Rules<Shogi>,
    start: Position<Shogi>,
    style: Style,
    seed: u64,
    compare_every: u32,
) -> (u32, &'static str) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::from_position(rules, start);
    let mut boards = vec![Board::read(&game.position().fen())];
    let mut legal = MoveList::new();
    loop {
        if game.ply().is_multiple_of(compare_every) {
            compare(game.position());
        }
        game.legal_moves(&mut legal);
        let outcome = game.outcome(&legal);
        let end = reference_ends::end(&boards, rules.name() == "declare27", rules.max_plies() as usize);
        assert_eq!(outcome.map(expected), end, "seed {seed} ply {}\n{}", game.ply(), game.position().fen());
        if let Some(outcome) = outcome {
            return (game.ply(), outcome.termination.name());
        }
        let mv = choose(&game, &legal, &mut rng, style);
        game.play(mv);
        boards.push(Board::read(&game.position().fen()));
    }
}

fn named(preset: &str) -> Rules<Shogi> {
    Rules::named(preset).expect("a preset").with_max_plies(MAX_PLIES)
}

#[test]
fn moves_and_results_of_games() {
    let mut ends: BTreeMap<&str, u32> = BTreeMap::new();
    let mut positions = 0;
    for seed in 0..32 {
        let style = if seed % 4 == 3 { Style::Shuttling } else { Style::Lively };
        let (plies, end) = play(named("points24"), Position::start(), style, seed, 2);
        positions += plies / 2;
        *ends.entry(end).or_default() += 1;
    }
    println!("{positions} positions, ends: {ends:?}");
    assert!(positions >= 2_000 && ends.contains_key("checkmate") && ends.contains_key("repetition"), "{ends:?}");
}

/// Games in which both kings stand in the enemy camps, or are about to.
#[test]
fn entering_kings() {
    let mut ends: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut counted_anew = 0;
    for seed in 0..80 {
        let preset = ["points24", "declare27"][seed as usize % 2];
        let fen = [
            "1K7/2B6/9/9/9/9/2+p6/+p+p1rb4/1k1r5[GGGSSSNNNLLPPPPPPPgsnllppppppp] w - - 0 1",
            "1K7/2B6/9/9/9/9/2+p6/+p+p1rb4/1k1r5[GGGSSSNNNLLPPPPPPPPgsnllpppppp] w - - 0 1",
            "1K2+P4/+PRB1+P1+P1+P/+P+P4+P1+P/9/9/9/2+p2+p1+p1/+p+p1rb4/1k2+p4[GGSSNNLLggssnnll] w - - 0 1",
            "1K2+P4/+PRB1+P1+P1+P/+P+P7/9/9/9/2+p2+p1+p1/+p+p1rb4/1k2+p4[GGSSNNLLPPPggssnnl] b - - 0 1",
        ][seed as usize / 2 % 4];
        let start = Position::from_fen(fen).expect(fen);
        // Every other game is lively: captures and checks set the counter back, kings are mated.
        let style = if seed % 8 < 4 { Style::Peaceful } else { Style::Lively };
        let (plies, end) = play(named(preset).with_max_plies(90), start, style, seed, 16);
        counted_anew += u32::from(end == "impasse" && plies > 20);
        *ends.entry((preset, end)).or_default() += 1;
    }
    println!("{counted_anew} counted anew, {ends:?}");
    assert!(counted_anew > 3, "{counted_anew}");
    assert!(
        ends.contains_key(&("points24", "impasse")) && ends.contains_key(&("declare27", "declaration")),
        "{ends:?}"
    );
}

/// A board with stones strewn at random: pins, double checks and full hands that play seldom shows.
fn strewn(rng: &mut ChaCha8Rng) -> Option<Position<Shogi>> {
    let stones = rng.random_range(2..36);
    let in_hand = rng.random_range(1..5);
    let mut squares = vec![String::new(); 81];
    let mut hands = String::new();
    let mut codes: Vec<String> = vec!["K".into(), "k".into()];
    for _ in 0..stones {
        let letter = ["P", "P", "P", "L", "N", "S", "G", "B", "R"][rng.random_range(0..9)];
        let letter = if rng.random_range(0..2) == 0 { letter.to_owned() } else { letter.to_ascii_lowercase() };
        match rng.random_range(0..8) {
            held if held < in_hand => hands += &letter,
            5 | 6 if !letter.eq_ignore_ascii_case("G") => codes.push(format!("+{letter}")),
            _ => codes.push(letter),
        }
    }
    for code in codes {
        let square = rng.random_range(0..81);
        if squares[square].is_empty() {
            squares[square] = code;
        }
    }
    let side = if rng.random_range(0..2) == 0 { "w" } else { "b" };
    Position::from_fen(&format!("{}[{hands}] {side}", ranks(&squares, 9))).ok()
}

#[test]
fn strewn_stones() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let positions: Vec<_> = std::iter::repeat_with(|| strewn(&mut rng)).flatten().take(2_000).collect();
    let count =
        |wanted: &dyn Fn(&Position<Shogi>) -> bool| positions.iter().filter(|position| wanted(position)).count();
    let checks = count(&|position| position.is_check());
    let many_drops = count(&|position| position.hand(position.side()).iter().filter(|&&held| held > 0).count() > 2);
    let over = count(&|position| position.perft(1) == 0);
    println!("{checks} checks, {many_drops} with three kinds in hand, {over} without a move");
    assert!(checks > 300 && many_drops > 400 && over > 2, "{checks} checks, {many_drops} drops, {over} over");
    positions.iter().for_each(compare);
}

/// A king in a corner and a pawn to drop before it: whether that mates, in all sorts of company.
#[test]
fn dropped_pawns_at_the_king() {
    let mut rng = ChaCha8Rng::seed_from_u64(81);
    let mut mates = 0;
    for _ in 0..6_000 {
        let mut squares = [""; 81];
        // From the top: a king on rank 9 or 8, others around it.
        let king = [8, 7, 0, 4, 17][rng.random_range(0..5)];
        squares[king] = "k";
        squares[76] = "K";
        for code in ["n", "l", "s", "g", "p", "G", "G", "S", "R", "B", "L", "r"] {
            let square = if rng.random_range(0..3) > 0 { rng.random_range(0..36) } else { rng.random_range(0..81) };
            if squares[square].is_empty() && square != king + 9 && rng.random_range(0..3) > 0 {
                squares[square] = code;
            }
        }
        let Ok(position) = Position::<Shogi>::from_fen(&format!("{}[P] w", ranks(&squares, 9))) else { continue };
        let file = (b'a' + (king % 9) as u8) as char;
        let drop = format!("P@{file}{}", 9 - king / 9 - 1);
        let board = Board::read(&position.fen());
        let listed = position.parse_move(&drop).is_ok();
        assert_eq!(listed, board.moves().contains_key(&drop), "{drop}\n{}", position.draw());
        if !listed && !position.is_check() {
            mates += 1;
            compare(&position);
        }
    }
    println!("{mates} positions without the drop");
    assert!(mates > 50, "{mates}");
}

/// Many more strewn boards for the wins in one alone: mates by the line a move opens are rare.
#[test]
fn wins_on_strewn_boards() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let mut legal = MoveList::new();
    let mut mates = 0;
    for position in std::iter::repeat_with(|| strewn(&mut rng)).flatten().take(9_000) {
        position.legal_moves(&mut legal);
        mates += compare_wins(&position, &legal).0;
    }
    println!("{mates} mates");
    assert!(mates > 250, "{mates}");
}
