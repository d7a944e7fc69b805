//! Days and times of day in records.

use chrono::{DateTime, NaiveDate, NaiveTime};

/// `YYYY.MM.DD` in UTC, with question marks for a time that is not known. `seconds` count from 1970 and may be
/// negative.
///
/// ```
/// assert_eq!(records::date::text(Some(951_782_400)), "2000.02.29");
/// assert_eq!(records::date::text(None), "????.??.??");
/// ```
pub fn text(seconds: Option<i64>) -> String {
    let time = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.map_or_else(|| "????.??.??".to_owned(), |time| time.format("%Y.%m.%d").to_string())
}

/// As [`text`], with the time of day unless it is midnight, which is what a day without a time means.
///
/// ```
/// use records::date::text_with_time;
/// assert_eq!(text_with_time(951_782_400 + 3_723), "2000.02.29 01:02:03");
/// assert_eq!(text_with_time(951_782_400), "2000.02.29");
/// ```
pub fn text_with_time(seconds: i64) -> String {
    let time = DateTime::from_timestamp(seconds, 0).map(|time| time.time()).filter(|&time| time != NaiveTime::MIN);
    text(Some(seconds)) + &time.map_or_else(String::new, |time| time.format(" %H:%M:%S").to_string())
}

/// A moment, in seconds from 1970; negative before 1970, and `None` for a text that names no day. The day is the first
/// three numbers, the year before month and day: `2024.05.01`, `2024/5/1 10:30`, `2024年5月1日`, `20240501`. Without a
/// time of day it is the beginning of the day. Zones are not known: every time is taken as UTC.
///
/// ```
/// use records::date::{seconds, text};
/// assert_eq!(text(seconds("2024年5月1日(水)")), "2024.05.01");
/// assert_eq!(seconds("2024/5/1 10:30"), seconds("2024.05.01").map(|day| day + 10 * 3600 + 30 * 60));
/// assert_eq!(seconds("2024.05.??"), None);
/// ```
pub fn seconds(text: &str) -> Option<i64> {
    let mut numbers = numbers(without_time(text));
    let first = numbers.next()?;
    let (year, month, day) = match first.len() {
        4 => (first, numbers.next()?, numbers.next()?),
        8 => (&first[..4], &first[4..6], &first[6..]),
        _ => return None,
    };
    let year = year.parse().ok().filter(|&year| year > 0)?;
    let day = NaiveDate::from_ymd_opt(year, month.parse().ok()?, day.parse().ok()?)?;
    let time = time_of_day(text).unwrap_or(NaiveTime::MIN);
    Some(day.and_time(time).and_utc().timestamp())
}

/// The numbers in a text.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_digit()).filter(|digits| !digits.is_empty())
}

/// What stands before a time of day, whose numbers are not those of a day that is not known.
fn without_time(text: &str) -> &str {
    let day = text.find(':').and_then(|colon| text[..colon].rfind(char::is_whitespace));
    day.map_or(text, |end| &text[..end])
}

/// The first word of a text that is a time of day: `10:30` or `10:30:15`, perhaps with parts of a second.
fn time_of_day(text: &str) -> Option<NaiveTime> {
    text.split_whitespace().find_map(|word| {
        let mut parts = word.split(':');
        let mut next = || parts.next().filter(|part| part.len() <= 2)?.parse::<u32>().ok();
        let (hour, minute) = (next()?, next()?);
        let second = parts.next().map_or(Some(0), |part| part.split('.').next()?.parse().ok())?;
        NaiveTime::from_hms_opt(hour, minute, second)
    })
}

/// A day with a time of day, if the text is one.
pub(crate) fn with_time(day: String, time: &str) -> String {
    time_of_day(time).map_or(day.clone(), |time| format!("{day} {}", time.format("%H:%M:%S")))
}

/// A day, and a time if the text has one, as a format writes it: `2024/05/01 10:30:00` or `2024.05.01 10:30:00`. A text
/// in which no whole day stands first stays as it is.
///
/// ```
/// use records::date::with_separator;
/// assert_eq!(with_separator("2024.5.1 10:30", '/'), "2024/05/01 10:30");
/// assert_eq!(with_separator("2024年5月1日", '.'), "2024.05.01");
/// assert_eq!(with_separator("2024.??.??", '/'), "2024.??.??");
/// ```
pub fn with_separator(text: &str, separator: char) -> String {
    let mut numbers = numbers(without_time(text));
    let mut next = |longest: usize| numbers.next().filter(|digits| digits.len() <= longest)?.parse::<u32>().ok();
    let day = next(4).zip(next(2)).zip(next(2));
    let Some(((year, month), day)) =
        day.filter(|((year, month), day)| *year >= 100 && (1..=12).contains(month) && (1..=31).contains(day))
    else {
        return text.to_owned();
    };
    let time = text.split_whitespace().find(|word| word.contains(':'));
    let time = time.map(|time| format!(" {time}")).unwrap_or_default();
    format!("{year:04}{separator}{month:02}{separator}{day:02}{time}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (time, day) in [
            (0, "1970.01.01"),
            (-1, "1969.12.31"),
            (-315_619_200, "1960.01.01"),
            (-11_644_473_600, "1601.01.01"),
            (951_782_400, "2000.02.29"),
            (951_868_799, "2000.02.29"),
            (951_868_800, "2000.03.01"),
            (1_735_689_599, "2024.12.31"),
            (1_795_305_600, "2026.11.22"),
            (4_107_542_400, "2100.03.01"),
        ] {
            assert_eq!(text(Some(time)), day);
            assert_eq!(seconds(day), Some(time - time.rem_euclid(86_400)));
        }
        assert_eq!(text(None), "????.??.??");
    }

    #[test]
    fn what_is_no_day_has_no_time() {
        for junk in [
            "",
            "????.??.??",
            "2024",
            "2024.13.01",
            "2024.00.10",
            "2023.02.29",
            "0000.01.01",
            "1.5.2024",
            "99999999999999",
        ] {
            assert_eq!(seconds(junk), None, "{junk}");
        }
        assert_eq!(seconds("20240501"), seconds("2024/5/1 00:00:00"));
        for partly in ["2024.05.?? 21:05:00", "2024.??.?? 10:20:00", "2024 10:20"] {
            assert_eq!(seconds(partly), None, "{partly}");
            assert_eq!(with_separator(partly, '/'), partly);
        }
        for junk in ["2024/5/1 25:00", "2024/5/1 10:61", "2024/5/1 :", "2024/5/1 10", "2024/5/1 a:b"] {
            assert_eq!(seconds(junk), seconds("20240501"), "{junk}");
        }
    }
}
