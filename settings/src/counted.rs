//! Counts with the noun they count.

/// A count with its noun, thousands separated: `1 game`, `1,234 games`.
///
/// ```
/// assert_eq!([0, 1, 1_234].map(|n| settings::counted(n, "game", "games")), ["0 games", "1 game", "1,234 games"]);
/// ```
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

/// A count with its thousands separated: `12,345`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
