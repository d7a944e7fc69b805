//! Names of openings and castles: what people call the way a side has placed its pieces.
//!
//! The names are in `names.toml`, which says how they are written. A name belongs to a side and is found on the board, not in
//! the moves, so it does not depend on their order or on what the opponent does meanwhile.

use rules::{Position, Side, Square, Variant, VariantId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What an opening is called, in each language in which it has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningNames {
    /// Chinese.
    pub zh: String,
    /// Japanese.
    pub ja: String,
    /// Korean.
    pub ko: String,
    /// English.
    pub en: String,
    /// The one of these in which the players of the variant name their openings.
    #[serde(skip_deserializing)]
    pub native: String,
}

impl OpeningNames {
    /// The native name and the English one: `中炮 Central Cannon`.
    pub fn title(&self) -> String {
        format!("{} {}", self.native, self.en)
    }
}

/// A pattern in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PatternEntry {
    variant: String,
    names: OpeningNames,
    side: Option<String>,
    #[serde(default)]
    pieces: String,
    #[serde(default)]
    against: String,
    #[serde(default)]
    hand: String,
    #[serde(default)]
    against_hand: String,
    within: u32,
    #[serde(default)]
    mirror: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Language of each variant.
    native: BTreeMap<String, String>,
    opening: Vec<PatternEntry>,
}

/// A pattern whose squares and kinds are known.
#[derive(Debug)]
struct OpeningPattern {
    variant: VariantId,
    names: OpeningNames,
    side: Option<Side>,
    /// Own kinds on squares, as the side sees them.
    pieces: Vec<(usize, Square)>,
    /// The opponent's, as the opponent sees them.
    against: Vec<(usize, Square)>,
    /// Own hand slots that are not empty.
    hand: Vec<usize>,
    against_hand: Vec<usize>,
    within: u32,
    mirror: bool,
}

static PATTERNS: LazyLock<Vec<OpeningPattern>> =
    LazyLock::new(|| read(include_str!("names.toml")).unwrap_or_else(|error| panic!("names.toml: {error}")));

/// Why the file cannot be read.
#[derive(Debug, thiserror::Error)]
enum NamesError {
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    #[error(transparent)]
    Variant(#[from] rules::UnknownVariant),
    #[error("{name}: {word:?} is not {wanted}")]
    Word { name: String, word: String, wanted: &'static str },
}

fn read(text: &str) -> Result<Vec<OpeningPattern>, NamesError> {
    let file: File = toml::from_str(text)?;
    let of_file = |mut written: PatternEntry| {
        let variant: VariantId = written.variant.parse()?;
        let names = &written.names;
        let language = file.native.get(&written.variant).map_or("", String::as_str);
        written.names.native = match language {
            "zh" => names.zh.clone(),
            "ja" => names.ja.clone(),
            "ko" => names.ko.clone(),
            _ => return Err(unknown(&written, language, "the native language of the variant: zh, ja or ko")),
        };
        rules::dispatch!(variant, V => pattern::<V>(variant, &written))
    };
    file.opening.into_iter().map(of_file).collect()
}

fn unknown(written: &PatternEntry, word: &str, wanted: &'static str) -> NamesError {
    NamesError::Word { name: written.names.en.clone(), word: word.to_owned(), wanted }
}

fn pattern<V: Variant>(variant: VariantId, written: &PatternEntry) -> Result<OpeningPattern, NamesError> {
    let unknown = |word: &str, wanted| unknown(written, word, wanted);
    let side = match written.side.as_deref() {
        None => None,
        Some(name) => {
            let found = Side::BOTH.into_iter().find(|side| side.name() == name);
            Some(found.ok_or_else(|| unknown(name, "first or second"))?)
        }
    };
    let kind = |code: &str| {
        V::CODES.iter().position(|known| *known == code).ok_or_else(|| unknown(code, "a piece of the variant"))
    };
    let stone = |text: &str| {
        let (code, square) = text.trim().split_once(' ').ok_or_else(|| unknown(text, "a piece and its square"))?;
        let found = (0..V::SQUARES).map(Square::new).find(|at| at.text(V::FILES) == square);
        Ok((kind(code)?, found.ok_or_else(|| unknown(square, "a square of the board"))?))
    };
    let stones = |list: &str| -> Result<Vec<_>, NamesError> {
        list.split(',').filter(|text| !text.trim().is_empty()).map(stone).collect()
    };
    let slots = |list: &str| -> Result<Vec<usize>, NamesError> {
        let slot = |code: &str| {
            let slot = kind(code)?.checked_sub(V::HAND_FIRST).filter(|&slot| slot < V::HAND_KINDS);
            slot.ok_or_else(|| unknown(code, "a piece that can be held"))
        };
        list.split(',').map(str::trim).filter(|text| !text.is_empty()).map(slot).collect()
    };
    Ok(OpeningPattern {
        variant,
        side,
        pieces: stones(&written.pieces)?,
        against: stones(&written.against)?,
        hand: slots(&written.hand)?,
        against_hand: slots(&written.against_hand)?,
        within: written.within,
        mirror: written.mirror,
        names: written.names.clone(),
    })
}

impl OpeningPattern {
    /// How much it asks for: the pattern that asks for more wins.
    fn detail(&self) -> usize {
        self.pieces.len() + self.against.len() + self.hand.len() + self.against_hand.len()
    }

    /// Whether `side` has it on the board, after so many moves of its own.
    fn is_on<V: Variant>(&self, position: &Position<V>, side: Side, moves: u32) -> bool {
        let stands = |of: Side, stones: &[(usize, Square)], mirrored: bool| {
            stones.iter().all(|&(kind, square)| {
                position.cell(board_square::<V>(of, square, mirrored)).piece() == Some((of, kind))
            })
        };
        let holds = |of: Side, slots: &[usize]| slots.iter().all(|&slot| position.hand(of)[slot] > 0);
        let has = |mirrored| stands(side, &self.pieces, mirrored) && stands(side.other(), &self.against, mirrored);
        moves > 0
            && moves <= self.within
            && self.side.is_none_or(|only| only == side)
            && holds(side, &self.hand)
            && holds(side.other(), &self.against_hand)
            && (has(false) || self.mirror && has(true))
    }
}

/// The square on the board of a square as `side` sees it.
fn board_square<V: Variant>(side: Side, square: Square, mirrored: bool) -> Square {
    let (file, rank) = (square.file(V::FILES), square.rank(V::FILES));
    let file = if mirrored { V::FILES - 1 - file } else { file };
    let index = rank * V::FILES + file;
    Square::new(if side == Side::First { index } else { V::SQUARES - 1 - index })
}

/// What the sides have played in the moves from `start` to the end of `line`: the name of the first player's opening and of
/// the second player's, where they have one. A name that was right at an earlier ply holds until a more detailed one, or
/// another as detailed, is right.
///
/// ```
/// use rules::{Position, Xiangqi};
///
/// let start = Position::<Xiangqi>::start();
/// let mut line = start.clone();
/// let moves = ["h3e3", "h10g8", "h1g3", "b10c8"].map(|text| {
///     let mv = line.parse_move(text).unwrap();
///     line.play(mv);
///     mv
/// });
/// let [first, second] = eval::openings::names(&start, &moves);
/// assert_eq!((first.unwrap().zh.as_str(), second.unwrap().en.as_str()), ("中炮", "Screen Horses"));
/// ```
pub fn names<V: Variant>(start: &Position<V>, line: &[rules::Move]) -> [Option<&'static OpeningNames>; 2] {
    let own: Vec<&OpeningPattern> = PATTERNS.iter().filter(|pattern| pattern.variant.id() == V::ID).collect();
    let (mut position, mut moves, mut best) = (start.clone(), [0u32; 2], [None::<&OpeningPattern>; 2]);
    if own.is_empty() {
        return [None; 2];
    }
    for &mv in line {
        let to_move = position.side();
        position.play(mv);
        moves[to_move.index()] += 1;
        for side in Side::BOTH {
            let on_board = own.iter().filter(|pattern| pattern.is_on(&position, side, moves[side.index()]));
            // The first in the file of those that ask for the most.
            let found = on_board.rev().max_by_key(|pattern| pattern.detail()).copied();
            let best = &mut best[side.index()];
            if found.map(OpeningPattern::detail) >= best.map(OpeningPattern::detail) {
                *best = found;
            }
        }
    }
    best.map(|pattern| pattern.map(|pattern| &pattern.names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Janggi, Move, Shogi, Xiangqi};

    fn line<V: Variant>(moves: &str) -> (Position<V>, Vec<Move>) {
        let start = Position::<V>::start();
        let mut position = start.clone();
        let play = |text: &str| {
            let mv = position.parse_move(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            position.play(mv);
            mv
        };
        (start, moves.split(' ').map(play).collect())
    }

    fn chinese(moves: &str) -> [&'static str; 2] {
        let (start, line) = line::<Xiangqi>(moves);
        names(&start, &line).map(|names| names.map_or("", |names| names.zh.as_str()))
    }

    fn japanese(moves: &str) -> [&'static str; 2] {
        let (start, line) = line::<Shogi>(moves);
        names(&start, &line).map(|names| names.map_or("", |names| names.ja.as_str()))
    }

    /// The first moves and the answers that the article lists.
    #[test]
    fn xiangqi_openings_have_the_names_of_the_list() {
        for (moves, name) in [
            ("h3e3", "中炮"),
            ("b3e3", "中炮"),
            ("h3d3", "過宮炮"),
            ("b3f3", "過宮炮"),
            ("h3f3", "士角炮"),
            ("b3d3", "士角炮"),
            ("h3h5", "巡河炮"),
            ("b3b5", "巡河炮"),
            ("h1g3", "起馬局"),
            ("b1c3", "起馬局"),
            ("h1i3", "邊馬局"),
            ("g1e3", "飛象局"),
            ("c1e3", "飛象局"),
            ("g4g5", "仙人指路"),
            ("c4c5", "仙人指路"),
            ("i4i5", "邊兵局"),
            ("a4a5", "邊兵局"),
        ] {
            assert_eq!(chinese(moves), [name, ""], "{moves}");
        }
        for (moves, name) in [
            ("h3e3 h10g8 h1g3 b10c8", "屏風馬"),
            ("h3e3 b10c8 h1g3 h8f8 i1h1 h10g8", "反宮馬"),
            ("h3e3 b10c8 h1g3 h10i8", "單提馬"),
            ("h3e3 h8e8", "順手炮"),
            ("b3e3 b8e8", "順手炮"),
            ("h3e3 b8e8", "列手炮"),
            ("g4g5 h8g8", "卒底炮"),
            ("g1e3 h8e8", "中炮"),
            ("g1e3 g10e8", "飛象"),
        ] {
            assert_eq!(chinese(moves)[1], name, "{moves}");
        }
        // A later, quiet move does not take the name away.
        assert_eq!(chinese("h3e3 h10g8 a4a5 a7a6 i4i5 i7i6 i5i6"), ["中炮", ""]);
    }

    #[test]
    fn shogi_openings_and_castles_are_seen_for_both_sides() {
        assert_eq!(japanese("g3g4 g7g6 h2d2"), ["四間飛車", ""]);
        assert_eq!(japanese("h3h4 c7c6 h4h5 b8f8"), ["居飛車", "四間飛車"]);
        assert_eq!(japanese("g3g4 c7c6 h2e2 b8e8"), ["中飛車", "中飛車"]);
        assert_eq!(japanese("c3c4 g7g6 b2h8+ g9h8"), ["角換わり", "角換わり"]);
        let mino = "g3g4 c7c6 h2d2 b7b6 e1f2 i7i6 f2g2 i6i5 g2h2 a7a6 g1g2 a6a5";
        assert_eq!(japanese(mino)[0], "片美濃囲い");
        assert_eq!(japanese(&format!("{mino} d1e2"))[0], "美濃囲い");
    }

    #[test]
    fn janggi_has_its_own_names() {
        // A cannon needs something to jump over.
        let (start, line) = line::<Janggi>("b1c3 i7h7 b3e3");
        assert_eq!(names(&start, &line).map(|names| names.map(|names| names.ko.as_str())), [Some("면포"), None]);
    }

    #[test]
    fn mistakes_in_the_file_are_named() {
        let text = |variant: &str, pieces: &str| {
            format!(
                "[native]\nxiangqi = \"zh\"\n[[opening]]\nvariant = {variant:?}\nnames = {{ zh = \"\", ja = \"\", ko = \"\", en = \"Name\" }}\npieces = \
                 {pieces:?}\nwithin = 1\n"
            )
        };
        assert_eq!(read(&text("xiangqi", "C e3")).unwrap().len(), 1);
        for (variant, pieces, complaint) in [
            ("xiangki", "C e3", "xiangki"),
            ("xiangqi", "Z e3", "\"Z\" is not a piece of the variant"),
            ("xiangqi", "C e11", "\"e11\" is not a square of the board"),
            ("xiangqi", "Ce3", "\"Ce3\" is not a piece and its square"),
        ] {
            let error = read(&text(variant, pieces)).unwrap_err().to_string();
            assert!(error.contains(complaint), "{error}");
        }
        assert!(
            read(&text("xiangqi", "C e3").replace("within", "whithin")).unwrap_err().to_string().contains("whithin")
        );
    }
}
