//! The header of KIF and KI2: names, the handicap, or the diagram of the start position.

use crate::diagram::{Diagram, SIZE, START};
use crate::problem::Reason;
use crate::tags;
use crate::written::{WrittenGame, WrittenStart};

/// The header of a game, line by line, and the game.
pub(crate) struct KifHeader {
    pub game: WrittenGame,
    diagram: Option<Diagram>,
    /// Ranks of the diagram that have been read.
    ranks: usize,
    /// Whether the player who gives the handicap is named: that player moves first.
    second_moves: Option<bool>,
    /// The line of an unknown handicap, and the message about it if no diagram shows the board.
    unknown_handicap: Option<(usize, String)>,
}

/// The first two ranks of the giver of each handicap, from the top, in SFEN.
const HANDICAPS: &[(&str, &str)] = &[
    ("香落ち", "lnsgkgsn1/1r5b1"),
    ("右香落ち", "1nsgkgsnl/1r5b1"),
    ("角落ち", "lnsgkgsnl/1r7"),
    ("飛車落ち", "lnsgkgsnl/7b1"),
    ("飛落ち", "lnsgkgsnl/7b1"),
    ("飛香落ち", "lnsgkgsn1/7b1"),
    ("二枚落ち", "lnsgkgsnl/9"),
    ("三枚落ち", "lnsgkgsn1/9"),
    ("四枚落ち", "1nsgkgsn1/9"),
    ("五枚落ち", "2sgkgsn1/9"),
    ("左五枚落ち", "1nsgkgs2/9"),
    ("六枚落ち", "2sgkgs2/9"),
    ("右七枚落ち", "3gkgs2/9"),
    ("左七枚落ち", "2sgkg3/9"),
    ("七枚落ち", "2sgkg3/9"),
    ("八枚落ち", "3gkg3/9"),
    ("十枚落ち", "4k4/9"),
];

/// Pieces in diagrams and their codes in SFEN. 龍 and 竜 are one piece, and so on.
const PIECES: &[(&str, &str)] = &[
    ("玉王", "K"),
    ("歩", "P"),
    ("香", "L"),
    ("桂", "N"),
    ("銀", "S"),
    ("金", "G"),
    ("角", "B"),
    ("飛", "R"),
    ("と", "+P"),
    ("杏", "+L"),
    ("圭", "+N"),
    ("全", "+S"),
    ("馬", "+B"),
    ("龍竜", "+R"),
];

/// The code of a piece.
fn code(character: char) -> Option<&'static str> {
    PIECES.iter().find(|(names, _)| names.contains(character)).map(|(_, code)| *code)
}

/// The piece of a code, as it is written.
pub(super) fn piece(code: &str) -> char {
    let found = PIECES.iter().find(|(_, known)| *known == code);
    found.and_then(|(names, _)| names.chars().next()).unwrap_or('・')
}

impl KifHeader {
    /// The header of a game that begins in this line.
    pub fn at(line: usize) -> KifHeader {
        KifHeader { game: WrittenGame::at(line), diagram: None, ranks: 0, second_moves: None, unknown_handicap: None }
    }

    /// Whether a line belongs to a header, so that one after moves begins another game.
    pub fn has(raw: &str, text: &str) -> bool {
        raw.contains(['：', ':'])
            || text.starts_with(['|', '+'])
            || ["後手番", "上手番", "盤面回転"].contains(&text)
            || hand_of(text).is_some()
    }

    /// Reads a line: as it is, and with ordinary letters and digits.
    pub fn read(&mut self, line: usize, raw: &str, text: &str) {
        if self.game.is_empty() && self.diagram.is_none() {
            self.game.line = line;
        }
        if let Some(cells) = text.strip_prefix('|') {
            return self.rank(line, cells);
        }
        match text {
            "後手番" | "上手番" => return self.second_moves = Some(true),
            "先手番" | "下手番" => return self.second_moves = Some(false),
            _ => {}
        }
        if let Some((side, held)) = hand_of(text) {
            return self.hand(line, side, held);
        }
        let Some((key, value)) = raw.split_once(['：', ':']) else {
            // The frame of a diagram, `盤面回転`, which turns the board on the screen, and titles.
            return;
        };
        let said = tags::value(value);
        match key.trim() {
            "先手" | "下手" => self.game.tags.first = said,
            "後手" | "上手" => self.game.tags.second = said,
            "棋戦" => self.game.tags.event = said,
            "場所" => self.game.tags.site = said,
            "戦型" => self.game.tags.opening = said,
            "開始日時" | "対局日" => self.game.tags.date = said,
            "手番" => self.second_moves = Some(value.contains("後手") || value.contains("上手")),
            "手合割" => self.handicap(line, value.trim()),
            _ => {} // programs add keys of their own
        }
    }

    fn handicap(&mut self, line: usize, name: &str) {
        match name {
            "平手" | "その他" | "" => {}
            _ => match HANDICAPS.iter().find(|(known, _)| *known == name) {
                Some((_, ranks)) => {
                    let others = START.splitn(3, '/').nth(2).unwrap_or_default();
                    self.game.start = (line, WrittenStart::Text(format!("{ranks}/{others} w - 1")));
                }
                None => {
                    let known: Vec<&str> = HANDICAPS.iter().map(|(name, _)| *name).collect();
                    let why = format!("the handicap {name:?} is not known; there are 平手, {}", known.join(", "));
                    self.unknown_handicap = Some((line, why));
                }
            },
        }
    }

    fn rank(&mut self, line: usize, text: &str) {
        let cells = text.split('|').next().unwrap_or_default();
        let mut codes = Vec::new();
        let (mut second, mut promoted) = (false, false);
        for character in cells.chars() {
            match character {
                'v' | 'V' => second = true,
                '成' => promoted = true,
                '・' => codes.push(String::new()),
                _ if character.is_whitespace() || character == '^' => {}
                _ => {
                    let Some(code) = code(character) else {
                        let why = format!("{character:?} in the diagram is no piece");
                        return self.game.refuse(line, Reason::Start, why);
                    };
                    let code = format!("{}{code}", if promoted { "+" } else { "" });
                    codes.push(if second { code.to_ascii_lowercase() } else { code });
                    (second, promoted) = (false, false);
                }
            }
        }
        let diagram = self.diagram.get_or_insert_with(Diagram::empty);
        match (<[String; SIZE]>::try_from(codes), diagram.cells.get_mut(self.ranks)) {
            (Ok(codes), Some(cells)) => *cells = codes,
            (Err(codes), Some(_)) => {
                let why = format!("a rank of the diagram has {} squares instead of {SIZE}", codes.len());
                self.game.refuse(line, Reason::Start, why);
            }
            (_, None) => self.game.refuse(line, Reason::Start, format!("the diagram has more than {SIZE} ranks")),
        }
        self.ranks += 1;
    }

    fn hand(&mut self, line: usize, side: usize, text: &str) {
        let text: String = crate::encoding::plain(text);
        if text.trim() == "なし" || text.trim().is_empty() {
            return;
        }
        let diagram = self.diagram.get_or_insert_with(Diagram::empty);
        for word in text.split_whitespace() {
            let mut characters = word.chars();
            let slot = characters.next().and_then(code).and_then(Diagram::slot);
            let count = number(characters.as_str());
            let (Some(slot), Some(count)) = (slot, count) else {
                let why = format!("{word:?} in a hand is not a piece with a number");
                return self.game.refuse(line, Reason::Start, why);
            };
            diagram.hands[side][slot] += count;
        }
    }

    /// The game, with its start position.
    pub fn finish(mut self) -> WrittenGame {
        let line = self.game.line;
        if let Some(mut diagram) = self.diagram {
            // The givers of handicaps write down that they hold nothing, and no diagram.
            if self.ranks == SIZE {
                let by_first_move = || side_of_first_move(&diagram, &self.game);
                let is_handicap = self.game.start.1 != WrittenStart::Own;
                diagram.second_moves = self.second_moves.or_else(by_first_move).unwrap_or(is_handicap);
                self.game.start = (line, WrittenStart::Text(diagram.sfen()));
            } else {
                let why = format!("the diagram has {} ranks instead of {SIZE}", self.ranks);
                self.game.refuse(line, Reason::Start, why);
            }
        } else if let Some((line, why)) = self.unknown_handicap {
            self.game.refuse(line, Reason::Start, why);
        } else if self.second_moves == Some(true) && self.game.start.1 == WrittenStart::Own {
            self.game.start = (line, WrittenStart::Text(format!("{START} w - 1")));
        }
        self.game
    }
}

/// The player of a line such as `下手の持駒：歩`, with or without the colon, and what is held.
fn hand_of(text: &str) -> Option<(usize, &str)> {
    let sides = [("先手", 0), ("下手", 0), ("後手", 1), ("上手", 1)];
    let (side, rest) = sides.iter().find_map(|&(name, side)| Some((side, text.strip_prefix(name)?)))?;
    let rest = rest.strip_prefix('の').unwrap_or(rest);
    let held = rest.strip_prefix("持駒").or_else(|| rest.strip_prefix("持ち駒"))?;
    Some((side, held.trim_start().trim_start_matches([':', '：'])))
}

/// Whether the second player makes the first move, where its source is written: `６二銀(71)`.
fn side_of_first_move(diagram: &Diagram, game: &WrittenGame) -> Option<bool> {
    let (_, source) = game.moves.first()?.1.split_once('(')?;
    let mut digits = source.chars().map(|digit| digit.to_digit(10));
    let (file, rank) = (digits.next()?? as usize, digits.next()?? as usize);
    let code = diagram.cells.get(rank.checked_sub(1)?)?.get(SIZE.checked_sub(file)?)?;
    (!code.is_empty()).then(|| code.contains(|letter: char| letter.is_ascii_lowercase()))
}

/// 1 to 99 in Chinese or in ordinary digits; nothing means 1.
fn number(text: &str) -> Option<usize> {
    const DIGITS: &str = "一二三四五六七八九";
    let digit = |character: char| DIGITS.chars().position(|known| known == character).map(|at| at + 1);
    if let Ok(number) = text.parse::<usize>() {
        return Some(number).filter(|&number| number < 100);
    }
    match text.chars().collect::<Vec<_>>()[..] {
        [] => Some(1),
        ['十'] => Some(10),
        [unit] => digit(unit),
        ['十', unit] => Some(10 + digit(unit)?),
        [ten, '十'] => Some(10 * digit(ten)?),
        [ten, '十', unit] => Some(10 * digit(ten)? + digit(unit)?),
        _ => None,
    }
}

/// A number up to 18 in Chinese; nothing for 1.
pub(super) fn number_text(number: usize) -> String {
    let digits: Vec<char> = "一二三四五六七八九".chars().collect();
    let unit = |number: usize| digits.get(number.wrapping_sub(1)).map(char::to_string).unwrap_or_default();
    match number {
        0 | 1 => String::new(),
        2..=9 => unit(number),
        _ => format!("{}十{}", if number < 20 { String::new() } else { unit(number / 10) }, unit(number % 10)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for count in 1..100 {
            assert_eq!(number(&number_text(count)), Some(count));
            assert_eq!(number(&count.to_string()), Some(count));
        }
        for junk in ["百", "十十十", "-1", "1000"] {
            assert_eq!(number(junk), None, "{junk}");
        }
    }
}
