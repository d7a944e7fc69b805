//! Amounts of memory as people write them.

use std::fmt;
use std::str::FromStr;

/// An amount of memory: whole mebibytes, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Memory {
    mebibytes: u64,
}

/// A text that is not an amount of memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no amount of memory; write 512M, 4G or 1T (powers of 1024)")]
pub struct NotMemory(String);

/// Longest text that a message quotes.
const LONGEST_QUOTE: usize = 80;

/// Most mebibytes: a tebibyte times 1024.
const MOST: u64 = 1 << 30;

impl Memory {
    /// In mebibytes (2^20 bytes).
    pub fn mebibytes(self) -> u64 {
        self.mebibytes
    }
}

/// Reads `512M`, `4G` or `1T`: mebibytes, gibibytes, tebibytes.
impl FromStr for Memory {
    type Err = NotMemory;

    fn from_str(text: &str) -> Result<Memory, NotMemory> {
        let amount = || {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            let scale = match text.get(digits..)? {
                "M" => 1,
                "G" => 1 << 10,
                "T" => 1 << 20,
                _ => return None,
            };
            let mebibytes = text.get(..digits)?.parse::<u64>().ok()?.checked_mul(scale)?;
            (1..=MOST).contains(&mebibytes).then_some(Memory { mebibytes })
        };
        amount().ok_or_else(|| NotMemory(text.chars().take(LONGEST_QUOTE).collect()))
    }
}

/// In the largest unit in which it is a whole number, so that it can be read back.
impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (amount, unit) = match self.mebibytes {
            m if m.is_multiple_of(1 << 20) => (m >> 20, "T"),
            m if m.is_multiple_of(1 << 10) => (m >> 10, "G"),
            m => (m, "M"),
        };
        write!(f, "{amount}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_written_alike() {
        for (text, mebibytes) in [("512M", 512), ("4G", 4096), ("1T", 1 << 20), ("1M", 1), ("1536M", 1536)] {
            let memory: Memory = text.parse().unwrap();
            assert_eq!((memory.mebibytes(), memory.to_string().as_str()), (mebibytes, text));
        }
        assert_eq!("1024M".parse::<Memory>().unwrap().to_string(), "1G");
    }

    #[test]
    fn nothing_is_guessed() {
        for wrong in ["", "4", "0G", "4g", "4 G", "4GiB", "-1G", "1.5G", "é", "4é", "99999999999999999999T", "1025T"]
        {
            assert!(wrong.parse::<Memory>().is_err(), "{wrong}");
        }
        let message = "4".parse::<Memory>().unwrap_err().to_string();
        assert_eq!(message, "\"4\" is no amount of memory; write 512M, 4G or 1T (powers of 1024)");
    }
}
