//! Evaluations cached by position, so that the network is not asked again about a position that was reached by another
//! order of moves, in another search or in another game.
//!
//! The key covers the network's whole input ([`rules::encode::input_key`]): position, repetitions, counters. So a
//! cached value is what the network would return, and a cache changes only how often the network is asked. A cache
//! belongs to one network and one rule set.
//!
//! Memory is fixed when the cache is made: a table of slots, and a ring of logits in which new evaluations replace the
//! oldest.

/// A bounded cache of evaluations.
///
/// ```
/// let mut cache = search::EvaluationCache::new(1 << 20);
/// let wdl = [0.2, 0.5, 0.3];
/// cache.insert(7, &[0.5, -0.5], wdl);
/// assert_eq!(cache.get(7, 2), Some((&[0.5, -0.5][..], wdl)));
/// assert_eq!(cache.get(8, 2), None);
/// assert_eq!((cache.hits(), cache.lookups()), (1, 2));
/// assert!(cache.bytes() <= 1 << 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationCache {
    /// A power of two of them, in pairs: a key may be in either slot of its pair.
    slots: Vec<CacheSlot>,
    /// The ring.
    logits: Vec<f32>,
    /// Logits written since the beginning; the next one goes to this place modulo the ring's length.
    written: u64,
    hits: u64,
    lookups: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct CacheSlot {
    key: u128,
    /// Value of `written` at the first logit.
    at: u64,
    /// Number of logits; 0 in a slot never used.
    moves: u32,
    wdl: [f32; 3],
}

/// Moves of a typical position, by which memory is divided between slots and logits.
const TYPICAL_MOVES: usize = 48;

/// Bytes of the evaluation of a position with this many legal moves.
const fn entry_bytes(moves: usize) -> usize {
    size_of::<CacheSlot>() + moves * size_of::<f32>()
}

impl EvaluationCache {
    /// A cache that keeps nothing, for searches without one.
    pub const fn none() -> Self {
        EvaluationCache { slots: Vec::new(), logits: Vec::new(), written: 0, hits: 0, lookups: 0 }
    }

    /// Whether the cache can hold anything.
    #[inline]
    pub fn has_room(&self) -> bool {
        !self.slots.is_empty()
    }

    /// A cache that never takes more than `bytes`; below about 500 it keeps nothing.
    pub fn new(bytes: usize) -> Self {
        let entries = bytes / entry_bytes(TYPICAL_MOVES);
        if entries < 2 {
            return EvaluationCache::none();
        }
        let slots = 1 << entries.ilog2();
        let logits = (bytes - slots * size_of::<CacheSlot>()) / size_of::<f32>();
        EvaluationCache {
            slots: vec![CacheSlot::default(); slots],
            logits: vec![0.0; logits],
            ..EvaluationCache::none()
        }
    }

    /// The evaluation for `key`, if it is cached: a logit for each of the `moves` legal moves, in their order, and
    /// win, draw and loss for the side to move.
    #[inline]
    pub fn get(&mut self, key: u128, moves: usize) -> Option<(&[f32], [f32; 3])> {
        if !self.has_room() {
            return None;
        }
        self.lookups += 1;
        let pair = self.pair(key);
        let slot = *self.slots[pair..pair + 2].iter().find(|slot| slot.key == key && slot.moves as usize == moves)?;
        if !self.is_live(&slot) {
            return None;
        }
        self.hits += 1;
        let start = (slot.at % self.logits.len() as u64) as usize;
        Some((&self.logits[start..start + moves], slot.wdl))
    }

    /// Stores the evaluation of the position with this key: logits of its legal moves in their order, and win,
    /// draw and loss for the side to move. Where there is no room, the oldest evaluations are replaced.
    pub fn insert(&mut self, key: u128, logits: &[f32], wdl: [f32; 3]) {
        let ring = self.logits.len() as u64;
        if logits.is_empty() || logits.len() as u64 > ring {
            return;
        }
        // The logits of an entry are contiguous: those that would cross the end of the ring go to its beginning.
        let place = self.written % ring;
        if place + logits.len() as u64 > ring {
            self.written += ring - place;
        }
        let pair = self.pair(key);
        let (first, second) = (&self.slots[pair], &self.slots[pair + 1]);
        let chosen = if first.key == key || (second.key != key && first.at <= second.at) { pair } else { pair + 1 };
        self.slots[chosen] = CacheSlot { key, at: self.written, moves: logits.len() as u32, wdl };
        let start = (self.written % ring) as usize;
        self.logits[start..start + logits.len()].copy_from_slice(logits);
        self.written += logits.len() as u64;
    }

    /// Forgets all evaluations, as is necessary when the network changes. Memory and counters stay.
    pub fn clear(&mut self) {
        self.slots.fill(CacheSlot::default());
        self.written = 0;
    }

    /// Lookups that found an evaluation.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Lookups.
    pub fn lookups(&self) -> u64 {
        self.lookups
    }

    /// Bytes of memory, which do not change.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.slots[..]) + size_of_val(&self.logits[..])
    }

    fn pair(&self, key: u128) -> usize {
        // Position keys are random already; the counters in the low bits are not.
        let mixed = ((key >> 64) as u64 ^ key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.slots.len() - 2)
    }

    /// Whether the logits of this slot have not been overwritten.
    fn is_live(&self, slot: &CacheSlot) -> bool {
        self.written - slot.at <= self.logits.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Answers as a function of the key, so that a wrong one is noticed.
    fn answer(key: u128) -> (Vec<f32>, [f32; 3]) {
        let moves = 1 + (key * 37 % 90) as usize;
        ((0..moves).map(|i| (key * 1000 + i as u128) as f32).collect(), [key as f32, 0.0, 1.0])
    }

    #[test]
    fn what_is_found_is_right_and_memory_is_bounded() {
        let mut cache = EvaluationCache::new(100_000);
        let mut newest = HashMap::new();
        for step in 0..20_000u128 {
            let key = step * step * 48_271 % 3001;
            let (logits, wdl) = answer(key);
            match cache.get(key, logits.len()) {
                Some(found) => assert_eq!(found, (&logits[..], wdl)),
                None => cache.insert(key, &logits, wdl),
            }
            newest.insert(key, step);
            assert_eq!(cache.get(key, logits.len()), Some((&logits[..], wdl)), "it was just put there");
        }
        assert!(newest.len() > 1000, "more positions than fit");
        assert!((90_000..=100_000).contains(&cache.bytes()), "{} bytes", cache.bytes());
        assert!(cache.hits() > 20_000 && cache.hits() < cache.lookups());
        let (logits, _) = answer(1);
        cache.clear();
        assert_eq!(cache.get(1, logits.len()), None);
    }

    #[test]
    fn overwritten_logits_are_not_given() {
        let mut cache = EvaluationCache::new(2 * entry_bytes(TYPICAL_MOVES));
        cache.insert(2, &[1.0; 60], [1.0, 0.0, 0.0]);
        cache.insert(4, &[2.0; 60], [0.0, 1.0, 0.0]);
        assert_eq!(cache.get(2, 60), None, "96 logits of room do not hold both");
        assert_eq!(cache.get(4, 60), Some((&[2.0; 60][..], [0.0, 1.0, 0.0])));
        assert_eq!(cache.get(4, 59), None, "another number of moves is another position");
        cache.insert(6, &[3.0; 97], [0.0, 0.0, 1.0]);
        assert_eq!(cache.get(6, 97), None, "more than the whole ring");
    }

    #[test]
    fn without_memory_nothing_is_kept() {
        let mut cache = EvaluationCache::new(0);
        cache.insert(1, &[0.0], [0.0, 1.0, 0.0]);
        assert_eq!(cache.get(1, 1), None);
        assert_eq!((cache.lookups(), cache.bytes()), (0, 0));
    }
}
