//! The 65 faces of the 34 kinds of stones: names, moves, what they turn into.

use crate::piece::Kind;
use Mover::{Cavalry, Double, Fog, Plain, Priest, Shooter, Sweep, Thunder};

/// What the moves of a face are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mover {
    /// One step, leap or slide.
    Plain,
    /// One slide, or one or two legs: the steps and leaps of the table are the legs.
    Double,
    /// One leap, or two in one orthogonal sense, or one and back (騎總).
    Cavalry,
    /// Up to [`THUNDER_STEPS`](super::rule::THUNDER_STEPS) steps, free to turn (霹靂).
    Thunder,
    /// Up to [`SWEEP_STEPS`](super::rule::SWEEP_STEPS) steps in a line (招搖).
    Sweep,
    /// To an empty point, then perhaps shots.
    Shooter,
    /// A leap, then perhaps a shot at a neighbour (高道, 神僧).
    Priest,
    /// One or two leaps to empty points, after each perhaps a shot at a neighbour (五里霧, 聖燈).
    Fog,
}

/// One line of the table of faces.
pub(super) struct Face {
    /// How it moves, in the notation that `rule.rs` reads.
    pub(super) moves: &'static str,
    /// What its moves are made of.
    pub(super) mover: Mover,
    /// The face on the back; itself for a face that never promotes.
    pub(super) promoted: Kind,
}

macro_rules! faces {
    ($($name:ident $code:literal $glyph:literal $moves:literal $mover:ident $(=> $promoted:ident)?;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)] // the constants below have these names
        enum Order { $($name),* }
        $(
            #[allow(dead_code)] // not every face has a rule of its own
            #[doc = concat!($glyph, ", FEN code `", $code, "`.")]
            pub(super) const $name: Kind = Order::$name as Kind;
        )*
        /// FEN codes.
        pub(super) const CODES: &[&str] = &[$($code),*];
        /// What a drawn board shows: two characters of the name, `+` before a promoted face.
        pub(super) const GLYPHS: &[[&str; 2]] = &[$([$glyph, $glyph]),*];
        /// Every face.
        pub(super) const FACES: [Face; CODES.len()] = [
            $(Face { moves: $moves, mover: $mover, promoted: promoted!($name $($promoted)?) }),*
        ];
    };
}

macro_rules! promoted {
    ($name:ident) => {
        $name
    };
    ($name:ident $promoted:ident) => {
        $promoted
    };
}

/// Number of faces.
pub(super) const KINDS: usize = CODES.len();

// The promoted moves are absent from the Chinese Wikipedia text that the rest follows; they are those on which
// English Wikipedia and the implementations built on it (Dagaz, QBoard) agree. 虎翼: QBoard's reading, a slide or
// a double step, which is the pattern of 龍驤 and 鷹揚.
faces! {
    GENERAL "G" "將軍" "K" Plain;
    CLERK "CL" "記室" "F D" Plain => STRATEGIST;
    STAFF_OFFICER "SO" "參謀" "W A" Plain => BANNER_AND_DRUM;
    AIDE_DE_CAMP "AC" "親兵" "F fW sW" Plain => AIDE_DE_CAMP_PROMOTED;
    WRESTLER "WR" "力士" "K" Double;
    AIDE "A" "舍人" "W fF" Plain => CHILIARCH;
    STAFF "S" "舍餘" "F fW" Plain => CENTURION;
    CHIEF_OF_STAFF "CS" "軍吏" "F fW bW" Plain => VICE_COMMISSIONER;
    ENGINEER "EN" "軍匠" "fF fW bW" Plain => FLAME;
    PRIEST "TP" "高道" "D A" Priest => FOG;
    MONK "SM" "神僧" "D A" Priest => LAMP;
    ADVANCE_GUARD "AG" "前衛" "fR bW" Plain => SKY_NET;
    REAR_GUARD "RG" "後衛" "bR fW" Plain => EARTH_NET;
    MIDDLE_ARMY "MT" "中軍" "K" Plain => MARSHAL;
    DRUM "D" "鼓" "F sW" Plain => THUNDER;
    BANNER "B" "旗" "F sW" Plain => SWEEPER;
    SENTRY "SN" "護兵" "F sW bW" Plain => SENTRY_PROMOTED;
    MILLENARY "M" "千總" "Q" Plain => DRAGON;
    QUARTERMASTER "Q" "把總" "R F" Plain => TIGER;
    CENTURIA "CR" "百總" "B W" Plain => HAWK;
    FRANKISH_CANNON "FC" "狼機" "F" Shooter => DIVINE_CARRIAGE;
    ELEPHANT "E" "象" "B" Plain;
    LONGBOW "LB" "弓" "F" Shooter => LONGBOW_RIDER;
    CROSSBOW "XB" "弩" "F" Shooter => CROSSBOW_RIDER;
    CANNON "C" "砲" "F" Shooter => CANNON_CARRIAGE;
    HORSEMAN "HS" "馬兵" "N" Plain => HORSEMAN_PROMOTED;
    CAVALRY "CA" "騎總" "N" Cavalry => SKY_HORSE;
    FOOT_SOLDIER "P" "步兵" "W" Plain => FOOT_SOLDIER_PROMOTED;
    PATROL "PU" "步總" "fR bR sW" Plain => COMMISSIONER;
    SHIELD "SH" "牌" "F" Plain => SHIELD_PROMOTED;
    SHIELD_UNIT "SU" "牌總" "sR F" Plain => RAMPART;
    CHARIOT "CH" "車" "R5" Plain => CHARIOT_PROMOTED;
    CHARIOT_UNIT "CU" "車總" "R" Plain => CHARIOT_UNIT_PROMOTED;
    VANGUARD "V" "先鋒" "fR5" Plain => VANGUARD_PROMOTED;

    STRATEGIST "+CL" "+軍師" "F D" Double;
    BANNER_AND_DRUM "+SO" "+旗鼓" "W A" Double;
    AIDE_DE_CAMP_PROMOTED "+AC" "+把總" "R F" Plain;
    CHILIARCH "+A" "+千戶" "fR bR F sW" Plain;
    CENTURION "+S" "+百戶" "sR F fW bW" Plain;
    VICE_COMMISSIONER "+CS" "+副司" "B fR" Plain;
    FLAME "+EN" "+毒火" "fF fW bW" Plain;
    FOG "+TP" "+里霧" "D A" Fog;
    LAMP "+SM" "+聖燈" "D A" Fog;
    SKY_NET "+AG" "+天網" "sR fB bW" Plain;
    EARTH_NET "+RG" "+地網" "sR bB fW" Plain;
    MARSHAL "+MT" "+帥" "K" Plain;
    THUNDER "+D" "+霹靂" "W" Thunder;
    SWEEPER "+B" "+招搖" "W" Sweep;
    SENTRY_PROMOTED "+SN" "+百總" "B W" Plain;
    DRAGON "+M" "+龍驤" "Q K" Double;
    TIGER "+Q" "+虎翼" "R F" Double;
    HAWK "+CR" "+鷹揚" "B W" Double;
    DIVINE_CARRIAGE "+FC" "+神機" "R5" Shooter;
    LONGBOW_RIDER "+LB" "+廣弓" "N" Shooter;
    CROSSBOW_RIDER "+XB" "+弩騎" "N" Shooter;
    CANNON_CARRIAGE "+C" "+砲車" "R5" Shooter;
    HORSEMAN_PROMOTED "+HS" "+騎總" "N" Cavalry;
    SKY_HORSE "+CA" "+天馬" "N" Double;
    FOOT_SOLDIER_PROMOTED "+P" "+步總" "fR bR sW" Plain;
    COMMISSIONER "+PU" "+都司" "B fR bR" Plain;
    SHIELD_PROMOTED "+SH" "+牌總" "sR F" Plain;
    RAMPART "+SU" "+天壘" "sR B" Plain;
    CHARIOT_PROMOTED "+CH" "+車總" "R" Plain;
    CHARIOT_UNIT_PROMOTED "+CU" "+千總" "Q" Plain;
    VANGUARD_PROMOTED "+V" "+都司" "B fR bR" Plain;
}

/// A set of faces.
pub(super) type Kinds = u128;

/// The set of some faces.
pub(super) const fn kinds(list: &[Kind]) -> Kinds {
    let mut set = 0;
    let mut i = 0;
    while i < list.len() {
        set |= 1 << list[i];
        i += 1;
    }
    set
}

/// Whether a face is in a set.
#[inline(always)]
pub(super) const fn among(kind: Kind, set: Kinds) -> bool {
    set >> kind & 1 != 0
}
