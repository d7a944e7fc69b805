//! Pseudorandom numbers from a seed.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): equal seeds give equal
/// numbers on every machine.
#[derive(Clone, Debug, Default)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next number, of 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next_u64() % limit
    }

    /// A number from 0 to below 1.
    pub fn fraction(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn the_first_numbers_are_those_of_the_reference() {
        // Seed 1234567 in the authors' C program.
        let mut numbers = SplitMix64(1_234_567);
        assert_eq!([numbers.next_u64(), numbers.next_u64()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}
