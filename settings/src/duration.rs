//! Durations as people write them.

use std::time::Duration;

/// A text that is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a duration; write 250ms, 90s, 30m or 1h30m")]
pub struct NotADuration(String);

/// Longest text that a message quotes.
const LONGEST_QUOTE: usize = 80;

/// Reads a duration: whole numbers with units, `ms`, `s`, `m` or `h`, added up. It may be zero (`0s`).
///
/// ```
/// use settings::parse_duration;
/// use std::time::Duration;
///
/// assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5400)));
/// assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
/// assert!(parse_duration("30").is_err());
/// ```
///
/// # Errors
/// The text is not a duration, or is longer than can be counted in milliseconds.
pub fn parse_duration(text: &str) -> Result<Duration, NotADuration> {
    milliseconds(text.trim())
        .map(Duration::from_millis)
        .ok_or_else(|| NotADuration(text.chars().take(LONGEST_QUOTE).collect()))
}

fn milliseconds(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        let (unit, after) = after.split_at(after.bytes().take_while(u8::is_ascii_alphabetic).count());
        let scale = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        sum = sum.checked_add(number.parse::<u64>().ok()?.checked_mul(scale)?)?;
        rest = after;
    }
    (!text.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_added_up_and_nothing_is_guessed() {
        for (text, ms) in [("30m", 1_800_000), ("1h30m", 5_400_000), (" 90s ", 90_000), ("1s500ms", 1_500), ("0s", 0)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for wrong in ["", " ", "30", "m", "5 apples", "1h 30m", "1.5s", "-1s", "é", "5sé", "99999999999999999999h"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
