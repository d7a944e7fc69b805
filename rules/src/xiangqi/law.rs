//! What the bodies that rule on repetition differ in, as values.

use crate::judgement::Authority;

/// Rules on repetition: what offends, and who loses where both do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    /// Threats of mate offend (長殺), and so do mixtures of check, threat and chase (一將一殺, 一將一捉, 一殺一捉).
    /// Otherwise a side offends by checks alone or by chases alone.
    pub(super) threats_and_mixtures: bool,
    /// Chases offend only if one piece is the victim of all of them. Otherwise it is forbidden to chase different
    /// pieces in turn as well.
    pub(super) same_victim: bool,
    /// A side that checks with every move loses against an offender that does not.
    pub(super) check_outranks: bool,
    /// What decides if both sides offend and neither checks with every move, or both do.
    pub(super) both: Both,
    /// A threat of mate is one with a single move, not with a series of checks.
    pub(super) mate_in_one: bool,
    /// What makes an attack a chase.
    pub(super) chase: Chase,
    /// Whether a new attack on a protected piece has a name of its own (跟). Nothing depends on it.
    pub(super) tells_follow: bool,
}

/// What makes an attack a chase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chase {
    /// The kinds of the pieces, and whether the victim is protected ([`super::chase`]).
    Roots,
    /// The attack would win material, in an exchange or by checks ([`super::gain`]), and more than before the move.
    Gain,
}

/// Who loses if both sides offend alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Both {
    /// The side of which more pieces offend (一打還一打 and 二打還二打 draw).
    MorePieces,
    /// The side all of whose chases are new attacks, if the other only takes away what protects a piece that it attacks
    /// already; otherwise it is a draw.
    NewAttacks,
    /// The side that chases only chariots and unprotected pieces, if the other chases protected ones too (少根). Then,
    /// if both chase with every move, the side that needs no second piece for it, if the other does (聯合捉). Otherwise
    /// it is a draw.
    Joint,
}

/// What Kirin plays by in the preset `full`: the Chinese rule text that `docs/reference/rules/xiangqi.md` describes.
pub(super) const KIRIN: Law = Law {
    threats_and_mixtures: true,
    same_victim: true,
    check_outranks: false,
    both: Both::MorePieces,
    mate_in_one: true,
    chase: Chase::Roots,
    tells_follow: true,
};

/// The Asian rules, and the World Xiangqi Rules, which took their chapter on repetition over.
pub(super) const ASIAN: Law = Law {
    threats_and_mixtures: false,
    same_victim: true,
    check_outranks: true,
    both: Both::NewAttacks,
    mate_in_one: false,
    chase: Chase::Roots,
    tells_follow: false,
};

/// The rules of the Chinese Xiangqi Association.
pub(super) const CHINESE: Law = Law {
    threats_and_mixtures: true,
    same_victim: false,
    check_outranks: true,
    both: Both::Joint,
    mate_in_one: false,
    chase: Chase::Gain,
    tells_follow: true,
};

/// The law of an authority.
pub(super) fn of(authority: &Authority) -> &'static Law {
    match authority.id {
        "asian" | "wxf" => &ASIAN,
        "chinese" => &CHINESE,
        _ => &KIRIN,
    }
}

/// The authorities, the rule set of the game first.
pub(super) const AUTHORITIES: &[Authority] = &[
    Authority::RULE_SET,
    Authority {
        id: "asian",
        title: "Asian Xiangqi Federation 亞洲象棋聯合會, rules of 2003",
        source: "asianxiangqi.org/English/AXF_rules_Eng.pdf",
    },
    Authority {
        id: "chinese",
        title: "Chinese Xiangqi Association 中國象棋協會, rules of 2020",
        source: "cnchess.net/rules/rules2020.html",
    },
    Authority {
        id: "wxf",
        title: "World Xiangqi Federation 世界象棋聯合會, rules of 2018",
        source: "wxf-xiangqi.org/images/wxf-rules/2018_World_XiangQi_Rules_English2018.pdf",
    },
];
