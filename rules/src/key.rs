//! Position keys (Zobrist hashing), documented and stable: they are stored in data.

use crate::rulebook::Rulebook;

/// A position key of 96 bits: board with faces, hands and side to move, mixed with the variant.
/// Counters are not in it. Equal positions of one variant have equal keys in every version of Kirin;
/// `tests/keys.rs` holds a table of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub(crate) u128);

impl Key {
    /// Big-endian bytes, as stored in Parquet.
    pub fn to_bytes(self) -> [u8; 12] {
        let bytes = self.0.to_be_bytes();
        bytes[4..].try_into().expect("16 - 4 = 12 bytes")
    }

    /// The low 64 bits, for hash tables that check the whole key elsewhere or can live with 2⁻⁶⁴.
    #[inline(always)]
    pub const fn low64(self) -> u64 {
        self.0 as u64
    }
}

const MASK: u128 = (1 << 96) - 1;

/// The table of a variant's keys: entry `i` is made of outputs `2i` and `2i + 1` of SplitMix64
/// (Steele, Lea and Flood 2014) seeded with the FNV-1a hash of the variant's id.
pub(crate) const fn table<const N: usize>(id: &str) -> [u128; N] {
    let mut state = fnv1a(id);
    let mut keys = [0; N];
    let mut i = 0;
    while i < N {
        let (high, s) = splitmix(state);
        let (low, s) = splitmix(s);
        state = s;
        keys[i] = ((high as u128) << 64 | low as u128) & MASK;
        i += 1;
    }
    keys
}

/// Number of keys a variant needs: pieces on squares, hand counts (0 to 18 of each), side to move.
pub(crate) const fn table_len<V: Rulebook>() -> usize {
    V::SQUARES * V::KINDS * 2 + 2 * V::HAND_KINDS * (MAX_IN_HAND + 1) + 1
}

/// Most pieces of one kind a hand can hold: the 18 pawns of Shogi.
pub(crate) const MAX_IN_HAND: usize = 18;

const fn fnv1a(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash
}

const fn splitmix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31), state)
}
