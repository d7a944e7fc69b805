//! Numbers as people read them. What is absent or not finite becomes a dash, never `NaN`.

/// Stands where there is no number.
pub const ABSENT: &str = "–";

pub use settings::{counted, thousands as count};

/// A number with so many digits after the point, thousands separated.
pub fn fixed(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return ABSENT.to_owned();
    }
    let text = format!("{:.digits$}", x.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), count);
    // "-0.0" is a zero that rounding left a sign on.
    let negative = x < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    format!("{}{whole}{rest}", if negative { "−" } else { "" })
}

/// A number if there is one.
pub fn optional(x: Option<f64>, digits: usize) -> String {
    x.map_or_else(|| ABSENT.to_owned(), |x| fixed(x, digits))
}

/// A share, 0–1, in per cent: `62.5 %`.
pub fn percent(share: f64, digits: usize) -> String {
    if share.is_finite() { format!("{} %", fixed(100.0 * share, digits)) } else { ABSENT.to_owned() }
}

/// A part of a whole in per cent; a dash where the whole is nothing.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 { ABSENT.to_owned() } else { percent(part as f64 / whole as f64, 1) }
}

/// A difference with its sign: `+12`, `−3`, `0`.
pub fn signed(x: f64) -> String {
    let text = fixed(x, 0);
    if x > 0.0 && text != "0" && text != ABSENT { format!("+{text}") } else { text }
}

/// A value with the half width of its interval: `+120 ± 34`.
pub fn plus_minus(x: Option<f64>, error: Option<f64>) -> String {
    match (x, error) {
        (Some(x), Some(error)) if x.is_finite() && error.is_finite() => format!("{} ± {}", signed(x), fixed(error, 0)),
        (Some(x), _) => signed(x),
        (None, _) => ABSENT.to_owned(),
    }
}

/// A time: `8.4 s`, `3 min 05 s`, `2 h 07 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return ABSENT.to_owned();
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    if whole < 3600 {
        return format!("{} min {:02} s", whole / 60, whole % 60);
    }
    let minutes = (seconds / 60.0).round() as u64;
    format!("{} h {:02} min", minutes / 60, minutes % 60)
}

/// A moment, given in milliseconds since 1970: `2026-11-21 12:39 UTC`.
pub fn date(at_ms: i64) -> String {
    let time = chrono::DateTime::from_timestamp_millis(at_ms);
    time.map_or_else(|| ABSENT.to_owned(), |time| time.format("%Y-%m-%d %H:%M UTC").to_string())
}

/// A size in decimal units: `640 B`, `12.3 kB`, `4.56 MB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut size = n as f64;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    let digits = if unit == 0 || size >= 99.95 { 0 } else { 1 };
    format!("{size:.digits$} {}", UNITS[unit])
}

/// A rate: units over seconds; `None` where no time passed or nothing was measured.
pub fn rate(units: u64, seconds: f64) -> Option<f64> {
    (seconds > 0.0 && units > 0).then(|| units as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 133_312_995].map(count), ["0", "999", "1,000", "133,312,995"]);
        assert_eq!([0, 1, 1000].map(|n| counted(n, "ply", "plies")), ["0 plies", "1 ply", "1,000 plies"]);
        assert_eq!([-0.04, 1234.56, -7.25].map(|x| fixed(x, 1)), ["0.0", "1,234.6", "−7.2"]);
        assert_eq!([0.2, -11.6, 40.0].map(signed), ["0", "−12", "+40"]);
        assert_eq!([8.44, 59.97, 185.0, 7620.0].map(duration), ["8.4 s", "1 min 00 s", "3 min 05 s", "2 h 07 min"]);
        assert_eq!([640, 12_345, 123_456, 4_560_000].map(bytes), ["640 B", "12.3 kB", "123 kB", "4.6 MB"]);
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_399_999), "2000-02-28 23:59 UTC");
        assert_eq!(date(951_782_400_000), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_795_264_756_000), "2026-11-21 12:39 UTC");
        assert_eq!(date(-1), "1969-12-31 23:59 UTC");
    }

    #[test]
    fn what_is_no_number_is_a_dash() {
        for text in [fixed(f64::NAN, 1), percent(f64::INFINITY, 1), duration(f64::NAN), share(0, 0), optional(None, 2)]
        {
            assert_eq!(text, ABSENT);
        }
        assert_eq!(plus_minus(Some(3.0), None), "+3");
        assert_eq!(rate(5, 0.0), None);
    }
}
