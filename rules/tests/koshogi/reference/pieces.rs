//! The tables of the rule text: stones and their faces, plain moves, which faces may shoot and take which, and what
//! promotes by killing.

/// A stone's two faces.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    pub code: &'static str,
    pub front: &'static str,
    /// `None`: the stone never promotes.
    pub back: Option<&'static str>,
}

const fn piece(code: &'static str, front: &'static str, back: &'static str) -> Piece {
    Piece { code, front, back: Some(back) }
}

const fn one_faced(code: &'static str, front: &'static str) -> Piece {
    Piece { code, front, back: None }
}

/// The 34 stones.
pub const PIECES: [Piece; 34] = [
    one_faced("G", "將軍"),
    piece("CL", "記室", "軍師"),
    piece("SO", "參謀", "旗鼓"),
    piece("AC", "親兵", "把總"),
    one_faced("WR", "力士"),
    piece("A", "舍人", "千戶"),
    piece("S", "舍餘", "百戶"),
    piece("CS", "軍吏", "副司"),
    piece("EN", "軍匠", "毒火"),
    piece("TP", "高道", "五里霧"),
    piece("SM", "神僧", "聖燈"),
    piece("AG", "前衛", "天網"),
    piece("RG", "後衛", "地網"),
    piece("MT", "中軍", "帥"),
    piece("D", "鼓", "霹靂"),
    piece("B", "旗", "招搖"),
    piece("SN", "護兵", "百總"),
    piece("M", "千總", "龍驤"),
    piece("Q", "把總", "虎翼"),
    piece("CR", "百總", "鷹揚"),
    piece("FC", "佛狼機", "神機車"),
    one_faced("E", "象"),
    piece("LB", "弓", "廣弓騎"),
    piece("XB", "弩", "弩騎"),
    piece("C", "砲", "砲車"),
    piece("HS", "馬兵", "騎總"),
    piece("CA", "騎總", "天馬"),
    piece("P", "步兵", "步總"),
    piece("PU", "步總", "都司"),
    piece("SH", "牌", "牌總"),
    piece("SU", "牌總", "天壘"),
    piece("CH", "車", "車總"),
    piece("CU", "車總", "千總"),
    piece("V", "先鋒", "都司"),
];

/// The move of a face that makes one plain move, in the notation of [`legs`]. The foot soldier's is that of a
/// side whose drum lives.
pub fn plain_move(face: &str) -> &'static str {
    match face {
        "將軍" | "中軍" | "帥" => "K",
        "記室" => "F D",
        "參謀" => "W A",
        "親兵" => "F fW sW",
        "護兵" => "F bW sW",
        "舍人" => "W fF",
        "舍餘" => "F fW",
        "軍吏" => "F fW bW",
        "軍匠" | "毒火" => "fF fW bW",
        "前衛" => "fR bW",
        "後衛" => "bR fW",
        "天網" => "sR fB bW",
        "地網" => "sR bB fW",
        "鼓" | "旗" => "F sW",
        "千戶" => "fR bR K",
        "百戶" => "sR K",
        "副司" => "B fR",
        "千總" => "Q",
        "把總" => "R F",
        "百總" => "B W",
        "象" => "B",
        "馬兵" => "N",
        "步兵" => "W",
        "步總" => "fR bR sW",
        "都司" => "B fR bR",
        "牌" => "F",
        "牌總" => "sR F",
        "天壘" => "sR B",
        "車" => "R5",
        "車總" => "R",
        "先鋒" => "fR5",
        other => panic!("{other} has no plain move"),
    }
}

/// Directions of a notation for Black, each with the most times it can be gone in one leg.
///
/// W one step orthogonally, F diagonally, K both; D and A leap to the second point orthogonally and
/// diagonally; N is the knight; R, B, Q slide, R5 at most five points. f, b, s keep the part that goes forward,
/// backward or straight sideways.
pub fn legs(notation: &str) -> Vec<((i32, i32), i32)> {
    let orthogonal = [(0, 1), (0, -1), (-1, 0), (1, 0)];
    let diagonal = [(-1, 1), (1, 1), (-1, -1), (1, -1)];
    let twice = |directions: [(i32, i32); 4]| directions.map(|(dx, dy)| (2 * dx, 2 * dy)).to_vec();
    let mut legs = Vec::new();
    for word in notation.split_whitespace() {
        let letters = word.trim_start_matches(['f', 'b', 's']);
        let (directions, most) = match letters {
            "W" => (orthogonal.to_vec(), 1),
            "F" => (diagonal.to_vec(), 1),
            "K" => ([orthogonal, diagonal].concat(), 1),
            "D" => (twice(orthogonal), 1),
            "A" => (twice(diagonal), 1),
            "N" => (KNIGHT.to_vec(), 1),
            "R" => (orthogonal.to_vec(), 18),
            "R5" => (orthogonal.to_vec(), 5),
            "B" => (diagonal.to_vec(), 18),
            "Q" => ([orthogonal, diagonal].concat(), 18),
            other => panic!("{other} is no move"),
        };
        for direction in directions {
            let wanted = match word.chars().next() {
                Some('f') => direction.1 > 0,
                Some('b') => direction.1 < 0,
                Some('s') => direction.1 == 0,
                _ => true,
            };
            if wanted {
                legs.push((direction, most));
            }
        }
    }
    legs
}

pub const KNIGHT: [(i32, i32); 8] = [(1, 2), (-1, 2), (1, -2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1)];

pub const EIGHT: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// The table of shooting: which face may shoot which, at which distance.
pub fn may_shoot(shooter: &str, target: &str, distance: i32) -> bool {
    match shooter {
        "弓" | "弩" => !matches!(target, "天壘" | "牌總" | "五里霧" | "牌" | "車" | "車總" | "砲車"),
        "砲" => !matches!(target, "天壘" | "牌總" | "五里霧"),
        "佛狼機" => match target {
            "天壘" | "牌總" => false,
            "五里霧" => distance >= 6,
            _ => true,
        },
        "神機車" | "砲車" => target != "天壘",
        "高道" | "神僧" | "五里霧" | "聖燈" | "廣弓騎" | "弩騎" => true,
        other => panic!("{other} does not shoot"),
    }
}

/// The table of capture by displacement.
pub fn may_take(mover: &str, target: &str) -> bool {
    match mover {
        "弓" | "弩" | "砲" | "佛狼機" | "廣弓騎" | "弩騎" | "砲車" | "神機車" => false,
        "五里霧" | "聖燈" => false,
        "高道" | "神僧" => matches!(target, "高道" | "神僧"),
        "車" | "車總" => target != "天壘",
        _ => true,
    }
}

/// Whether killing `victim` lets `killer` promote, wherever it stands.
pub fn promotes_by_killing(killer: &str, victim: &str) -> bool {
    let short_step = matches!(
        killer,
        "親兵"
            | "舍人"
            | "舍餘"
            | "軍吏"
            | "軍匠"
            | "中軍"
            | "鼓"
            | "護兵"
            | "佛狼機"
            | "弓"
            | "弩"
            | "砲"
            | "步兵"
            | "牌"
            | "旗"
    );
    match victim {
        "將軍" | "中軍" | "旗" => true,
        "力士" | "龍驤" | "招搖" | "霹靂" => short_step,
        "佛狼機" => killer == "馬兵",
        _ => false,
    }
}
