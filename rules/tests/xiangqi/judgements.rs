//! What the authorities make of published diagrams, and the kinds of moves.

use crate::vectors_of_text::{lines, position, unrolled};
use rules::{Authority, Game, Judgement, Move, MoveKind, MoveList, Rules, Side, Square, Xiangqi};

const WXF: &str = include_str!("diagrams_wxf.txt");
const CHINESE: &str = include_str!("diagrams_chinese.txt");
const ENGINE: &str = include_str!("diagrams_engine.txt");

/// A line of the files above.
struct Diagram<'a> {
    line: &'a str,
    game: Game<Xiangqi>,
    /// Who wins by the published ruling.
    published: Option<Side>,
    /// Who wins by ours.
    ours: Option<Side>,
    /// The published kinds of the moves of the first cycle; empty where there are none.
    kinds: Vec<char>,
    /// Moves before the first cycle.
    moves_before: usize,
}

fn winner(text: &str) -> Option<Side> {
    match text {
        "first" => Some(Side::First),
        "second" => Some(Side::Second),
        "draw" => None,
        other => panic!("{other} is no winner"),
    }
}

fn diagrams(text: &str) -> Vec<Diagram<'_>> {
    let read = |line| {
        let fields: Vec<&str> = str::split(line, ';').map(str::trim).collect();
        let game = Game::from_moves_text(Rules::default(), position(fields[1]), &unrolled(fields[2]).join(" "));
        let (published, ours) = fields[3].split_once(" ≠ ").unwrap_or((fields[3], fields[3]));
        Diagram {
            line,
            game: game.unwrap_or_else(|error| panic!("{line}: {error}")),
            published: winner(published),
            ours: winner(ours),
            kinds: fields.get(4).unwrap_or(&"").chars().collect(),
            moves_before: fields[2].split('(').next().map_or(0, |moves| moves.split_whitespace().count()),
        }
    };
    lines(text).map(read).collect()
}

fn authority(id: &str) -> &'static Authority {
    Authority::named::<Xiangqi>(id).expect("an authority of the variant")
}

/// The first judgement on the game.
fn judged(game: &Game<Xiangqi>, id: &str) -> Judgement {
    rules::judge(game, authority(id))
        .into_iter()
        .next()
        .unwrap_or_else(|| panic!("nothing judged: {}", game.moves_text()))
}

fn game(fen: &str, moves: &str) -> Game<Xiangqi> {
    Game::from_moves_text(Rules::default(), position(fen), &unrolled(moves).join(" ")).expect("legal moves")
}

/// Every diagram is ruled as its file says; returns how many there are, and how many are ruled as published.
fn rule_all(text: &str, id: &str) -> (usize, usize) {
    let diagrams = diagrams(text);
    for diagram in &diagrams {
        let judgement = judged(&diagram.game, id);
        assert_eq!(judgement.outcome.winner(), diagram.ours, "{id}: {}\n{judgement:?}", diagram.line);
        assert_eq!(judgement.authority, authority(id));
        assert!(!judgement.rule.number.is_empty() || id == "wxf" && judgement.loser().is_none(), "{}", diagram.line);
    }
    (diagrams.len(), diagrams.iter().filter(|diagram| diagram.ours == diagram.published).count())
}

/// The numbers are in docs/reference/rules/xiangqi.md.
#[test]
fn the_diagrams_of_the_asian_and_the_world_rules() {
    assert_eq!(rule_all(WXF, "asian"), (122, 122));
    assert_eq!(rule_all(WXF, "wxf"), (122, 122));
}

/// The numbers are in docs/reference/rules/xiangqi.md.
#[test]
fn the_diagrams_of_the_chinese_rules() {
    assert_eq!(rule_all(CHINESE, "chinese"), (81, 80));
    let differ = diagrams(CHINESE).into_iter().filter(|diagram| diagram.ours != diagram.published);
    let labels: Vec<&str> = differ.filter_map(|diagram| diagram.line.split(" ;").next()).collect();
    // The head of the file has the reason.
    assert_eq!(labels, ["chapter 8, 9"]);
}

/// A diagram with files from right to left, or with ranks upside down and the sides exchanged, is ruled alike.
#[test]
fn mirrored_diagrams_are_ruled_alike() {
    for diagram in diagrams(CHINESE) {
        for exchanges_sides in [false, true] {
            let mirrored = judged(&mirrored(&diagram.game, exchanges_sides), "chinese").outcome.winner();
            let expected = diagram.ours.map(|side| if exchanges_sides { side.other() } else { side });
            assert_eq!(mirrored, expected, "sides exchanged: {exchanges_sides}, {}", diagram.line);
        }
    }
}

fn mirrored(game: &Game<Xiangqi>, exchanges_sides: bool) -> Game<Xiangqi> {
    let fen = game.start_position().fen();
    let (board, turn) = fen.split_once(' ').expect("a board and a side");
    let rows = board.split('/').map(|row| row.chars());
    let other_case = |piece: char| {
        if piece.is_ascii_lowercase() { piece.to_ascii_uppercase() } else { piece.to_ascii_lowercase() }
    };
    let rows: Vec<String> = if exchanges_sides {
        rows.rev().map(|row| row.map(other_case).collect()).collect()
    } else {
        rows.map(|row| row.rev().collect()).collect()
    };
    let first_moves = turn.starts_with('w') != exchanges_sides;
    let start = position(&format!("{} {}", rows.join("/"), if first_moves { "w" } else { "b" }));
    let mirrored = |square: Square| {
        let (file, rank) = (square.index() % 9, square.index() / 9);
        Square::new(if exchanges_sides { (9 - rank) * 9 + file } else { rank * 9 + 8 - file })
    };
    let mut game_of_mirror = Game::from_position(Rules::default(), start);
    for mv in game.moves() {
        let from = mv.source_square().expect("a board move");
        game_of_mirror.play(Move::board(mirrored(from), mirrored(mv.destination())));
    }
    game_of_mirror
}

/// Where ours is not the published ruling, the judgement says what it does not tell apart.
#[test]
fn a_ruling_that_may_be_another_has_a_reservation() {
    for diagram in diagrams(CHINESE).iter().filter(|diagram| diagram.ours != diagram.published) {
        let judgement = judged(&diagram.game, "chinese");
        assert!(judgement.reservations.iter().any(|text| text.contains("not told apart")), "{}", diagram.line);
    }
    let checks = game("3k5/R8/9/9/9/9/9/9/9/4K4 w", "(a9a10 d10d9 a10a9 d9d10)2");
    for authority in ["kirin", "asian", "chinese", "wxf"] {
        assert!(judged(&checks, authority).reservations.is_empty(), "{authority}");
    }
}

#[test]
fn the_positions_of_an_engine() {
    assert_eq!(rule_all(ENGINE, "asian"), (31, 29));
}

/// How many moves are a check, a threat of mate, a chase or anything else as published. The numbers are in
/// docs/reference/rules/xiangqi.md.
#[test]
fn the_kinds_of_the_chinese_diagrams() {
    let class = |kind: char| "將殺捉".find(kind);
    let (mut all, mut same) = (0, 0);
    for diagram in diagrams(CHINESE) {
        let judgement = judged(&diagram.game, "chinese");
        assert_eq!(judgement.moves.len() % diagram.kinds.len(), 0, "{}", diagram.line);
        for judged in &judgement.moves[..diagram.kinds.len()] {
            let at = judged.ply as usize + diagram.kinds.len() - diagram.moves_before % diagram.kinds.len();
            let published = diagram.kinds[at % diagram.kinds.len()];
            let ours = judged.kind.native().chars().next().expect("a character");
            all += 1;
            same += usize::from(class(ours) == class(published));
        }
    }
    assert_eq!((same, all), (320, 328));
}

/// What the authority says is what is played by, at the ply at which the game ends.
#[test]
fn the_rule_set_rules_as_it_plays() {
    for preset in ["full", "simple"] {
        let rules = Rules::named(preset).expect("a preset");
        for diagram in [WXF, CHINESE, ENGINE].into_iter().flat_map(diagrams) {
            let mut played = Game::from_position(rules, diagram.game.start_position().clone());
            let mut legal = MoveList::new();
            let mut moves = diagram.game.moves().iter();
            let end = loop {
                played.legal_moves(&mut legal);
                if let Some(outcome) = played.outcome(&legal) {
                    break outcome;
                }
                played.play(*moves.next().unwrap_or_else(|| panic!("no end: {}", diagram.line)));
            };
            let judgement = judged(&played, "kirin");
            assert_eq!((judgement.to, judgement.outcome), (played.ply(), end), "{preset}: {}", diagram.line);
            let loser = end.winner().map(Side::other);
            for conduct in judgement.conduct.iter().filter(|conduct| preset == "simple" && conduct.is_offence) {
                assert_eq!(Some(conduct.side), loser, "perpetual check alone loses: {}", diagram.line);
            }
        }
    }
}

fn square(text: &str) -> Square {
    Square::read(text, 9, 10).expect("a square").0
}

/// Who attacks whom, who offends against whom.
#[test]
fn attackers_and_victims_are_named() {
    let game = game("4k4/9/9/9/9/2c6/9/9/5K3/3R5 w", "(d1c1 c5d5 c1d1 d5c5)2");
    let judgement = judged(&game, "asian");
    let chase = &judgement.moves[0];
    assert_eq!((chase.kind, chase.ply, chase.side), (MoveKind::Chase, 0, Side::First));
    let attacks: Vec<[Square; 2]> = chase.attacks.iter().map(|attack| [attack.attacker, attack.victim]).collect();
    assert_eq!(attacks, [[square("c1"), square("c5")]]);
    let [red, black] = &judgement.conduct;
    assert_eq!((red.name().as_str(), red.is_offence), ("perpetual chase 長捉", true));
    assert_eq!((&red.offenders[..], &red.victims[..]), (&[square("d1")][..], &[square("c5")][..]));
    assert!(!black.is_offence && black.offenders.is_empty() && black.victims.is_empty());
    assert_eq!((judgement.loser(), judgement.rule.number), (Some(Side::First), "3.3"));
    let numbers = ["kirin", "chinese", "wxf"].map(|id| judged(&game, id).rule.number);
    assert_eq!(numbers, ["", "25.3", "20.3"]);
}

/// What the authorities agree and differ in, by vectors of ends.txt; the conduct is that by the rule set of the game.
#[test]
fn authorities_differ() {
    // Conduct of the first player, FEN, moves, winners by kirin, asian, chinese and wxf.
    let cases: &[(&str, &str, &str, [&str; 4])] = &[
        (
            "perpetual check 長將",
            "3k5/R8/9/9/9/9/9/9/9/4K4 w",
            "(a9a10 d10d9 a10a9 d9d10)2",
            ["second", "second", "second", "second"],
        ),
        (
            "check and idle in turn 一將一閑",
            "3k5/R8/9/9/9/9/9/9/9/4K4 w",
            "a9a10 d10d9 (a10a8 d9d10 a8a10 d10d9)2",
            ["draw", "draw", "draw", "draw"],
        ),
        (
            "chases of different pieces in turn 分捉",
            "4k3P/9/9/9/7n1/9/R8/9/3K5/2p6 w",
            "(a4a1 h6g4 a1a4 g4h6)2",
            ["draw", "draw", "second", "draw"],
        ),
        (
            "perpetual threat 長殺",
            "9/4a4/5k3/6R2/9/5r3/9/4R4/9/3K5 w",
            "(g7g5 f5c5 g5g7 c5f5)2",
            ["second", "draw", "second", "draw"],
        ),
        (
            "check and threat in turn 一將一殺",
            "9/9/3k5/4c4/6C2/9/9/4K4/7R1/9 w",
            "(h2h8 e7e8 h8h2 e8e7)2",
            ["second", "draw", "second", "draw"],
        ),
        (
            "check and chase in turn 一將一捉",
            "9/1R4c2/5k3/P8/9/9/9/9/1n1K5/7c1 w",
            "(b9f9 f8e8 f9b9 e8f8)2",
            ["second", "draw", "second", "draw"],
        ),
        (
            "perpetual check 長將",
            "5k3/4r4/5c3/9/9/9/5N3/9/4KC3/9 w",
            "(f4e6 f8e8 e6f4 e8f8)2",
            ["first", "draw", "draw", "draw"],
        ),
        (
            "perpetual check 長將",
            "9/3k5/9/9/9/9/5c3/5N3/9/1r1C1K3 w",
            "(f3d2 f4d4 d2f3 d4f4)2",
            ["draw", "second", "second", "second"],
        ),
        (
            "threat and chase in turn 一殺一捉",
            "9/9/3k5/9/3C5/1n2N4/9/9/c8/4K1n2 w",
            "(d6d1 b5c3 d1d6 c3b5)2",
            ["draw", "first", "draw", "first"],
        ),
    ];
    for (conduct, fen, moves, winners) in cases {
        let game = game(fen, moves);
        for (id, expected) in ["kirin", "asian", "chinese", "wxf"].into_iter().zip(winners) {
            assert_eq!(judged(&game, id).outcome.winner(), winner(expected), "{id}: {conduct}");
        }
        let own = judged(&game, "kirin");
        assert_eq!(own.conduct[0].name(), *conduct);
        let both = own.conduct.iter().all(|conduct| conduct.is_offence);
        assert_eq!(own.rule.text.contains("more pieces"), both && own.outcome.winner().is_some(), "{conduct}");
    }
}

/// After a repetition the rest of the game is judged with an empty history.
#[test]
fn every_repetition_of_a_game_is_judged() {
    let fen = "3k5/R8/9/9/9/9/9/9/9/4K4 w";
    let game = game(fen, "(a9a10 d10d9 a10a9 d9d10)5");
    let found: Vec<[u32; 3]> = rules::judge(&game, authority("asian"))
        .iter()
        .map(|judgement| [judgement.from, judgement.to, judgement.occurrences])
        .collect();
    assert_eq!(found, [[0, 8, 3], [8, 16, 3]]);
}
