//! How Wangqi is written: FEN and UCI.

use super::Wangqi;
use crate::notated::Notated;

impl Notated for Wangqi {
    const TITLE: &'static str = "Wangqi 王棋";
    const CODES: &'static [&'static str] =
        &["K", "P", "L", "N", "S", "B", "R", "I", "+P", "+L", "+N", "+S", "+B", "+R", "+I"];
    const GLYPHS: &'static [[&'static str; 2]] = &[
        ["玉", "王"],
        ["歩", "歩"],
        ["香", "香"],
        ["桂", "桂"],
        ["銀", "銀"],
        ["角", "角"],
        ["飛", "飛"],
        ["姫", "姫"],
        ["と", "と"],
        ["杏", "杏"],
        ["圭", "圭"],
        ["全", "全"],
        ["馬", "馬"],
        ["龍", "龍"],
        ["神", "神"],
    ];
    /// N L P I S R B.
    const HAND_ORDER: &'static [usize] = &[2, 1, 0, 6, 3, 5, 4];
}
