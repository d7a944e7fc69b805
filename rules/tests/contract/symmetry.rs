use crate::chance;
use crate::encoding::all_features;
use rules::encode::{self, Features, MoveTokens, Shape};
use rules::{Game, MoveList, Position, Rules, Variant};

/// Splits a rank of a FEN into stones and runs.
fn items<V: Variant>(rank: &str) -> Vec<String> {
    if V::COMMAS {
        return rank.split(',').map(str::to_owned).collect();
    }
    let mut items: Vec<String> = Vec::new();
    for character in rank.chars() {
        match items.last_mut() {
            Some(last) if last == "+" => last.push(character),
            _ => items.push(character.to_string()),
        }
    }
    items
}

fn reversed<V: Variant>(rank: &str) -> String {
    let mut items = items::<V>(rank);
    items.reverse();
    items.join(if V::COMMAS { "," } else { "" })
}

fn swap_case(text: &str) -> String {
    let swap = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    text.chars().map(swap).collect()
}

/// Board, hands (brackets included, or nothing) and the rest of a FEN.
fn parts(fen: &str) -> (&str, &str, &str) {
    let (placement, rest) = fen.split_once(' ').expect("a FEN has fields");
    let (board, hands) = placement.split_at(placement.find('[').unwrap_or(placement.len()));
    (board, hands, rest)
}

fn mirror_fen<V: Variant>(fen: &str) -> String {
    let (board, hands, rest) = parts(fen);
    let ranks: Vec<String> = board.split('/').map(reversed::<V>).collect();
    format!("{}{hands} {rest}", ranks.join("/"))
}

fn turn_fen<V: Variant>(fen: &str) -> String {
    let (board, hands, rest) = parts(fen);
    let ranks: Vec<String> = board.split('/').rev().map(reversed::<V>).collect();
    let (side, rest) = rest.split_once(' ').expect("counters follow the side");
    let side = if side == "w" { "b" } else { "w" };
    format!("{}{} {side} {rest}", swap_case(&ranks.join("/")), swap_case(hands))
}

/// What a set of moves says, in an order that does not depend on the generator.
fn sorted(tokens: impl Iterator<Item = MoveTokens>) -> Vec<(u16, u16, bool, Vec<u16>)> {
    let mut all: Vec<_> = tokens
        .map(|t| {
            let mut via = t.via[..t.via_len as usize].to_vec();
            via.sort_unstable();
            (t.source, t.target, t.promotes, via)
        })
        .collect();
    all.sort_unstable();
    all
}

struct Seen {
    /// For each of [`all_features`].
    planes: Vec<Vec<f32>>,
    material: Vec<f32>,
    tokens: Vec<MoveTokens>,
    check: bool,
}

fn see<V: Variant>(fen: &str) -> Seen {
    let position = Position::<V>::from_fen(fen).unwrap_or_else(|error| panic!("{}: {fen}: {error}", V::ID));
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let mut material = vec![0.0; Shape::of::<V>(Features::default()).material];
    encode::material(&position, &mut material);
    let tokens = legal.iter().map(|&mv| encode::tokens(&position, mv)).collect();
    let check = position.is_check();
    let game = Game::from_position(Rules::default(), position);
    let planes = all_features().map(|features| {
        let mut planes = vec![0.0; Shape::of::<V>(features).input_len()];
        encode::planes(&game, features, &mut planes);
        planes
    });
    let planes = planes.collect();
    Seen { planes, material, tokens, check }
}

pub fn mirrored<V: Variant>() {
    let shape = Shape::of::<V>(Features::default());
    chance::positions::<V>(3, |game, _| {
        let fen = game.position().fen();
        let (here, there) = (see::<V>(&fen), see::<V>(&mirror_fen::<V>(&fen)));
        let mirrored = sorted(here.tokens.iter().map(|&tokens| shape.mirror(tokens)));
        assert_eq!(mirrored, sorted(there.tokens.iter().copied()), "{}: {fen}", V::ID);
        assert!(here.tokens.iter().all(|&tokens| shape.mirror(shape.mirror(tokens)) == tokens));
        assert_eq!((here.check, here.material), (there.check, there.material), "{}: {fen}", V::ID);
        for (here, there) in here.planes.iter().zip(&there.planes) {
            let planes: Vec<f32> = here.chunks(V::FILES).flat_map(|row| row.iter().rev()).copied().collect();
            assert!(planes == *there, "{}: planes of {fen}", V::ID);
        }
    });
}

pub fn turned<V: Variant>() {
    // The only thing that tells the players apart is the plane of the side to move.
    let mover = 2 * V::KINDS + 2 * V::HAND_KINDS;
    chance::positions::<V>(3, |game, _| {
        let fen = game.position().fen();
        let (here, mut there) = (see::<V>(&fen), see::<V>(&turn_fen::<V>(&fen)));
        assert_eq!(sorted(here.tokens.into_iter()), sorted(there.tokens.into_iter()), "{}: {fen}", V::ID);
        assert_eq!((here.check, here.material), (there.check, there.material), "{}: {fen}", V::ID);
        for planes in &mut there.planes {
            planes[mover * V::SQUARES..][..V::SQUARES].iter_mut().for_each(|value| *value = 1.0 - *value);
        }
        assert!(here.planes == there.planes, "{}: planes of {fen}", V::ID);
    });
}
