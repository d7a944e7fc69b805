//! Words of a shell.

/// A word as a POSIX shell reads it back, whatever characters it has. Words of plain characters stay as they are.
pub fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        assert_eq!(quoted("s3://bucket/a-b_c"), "s3://bucket/a-b_c");
        for word in ["", "a b", "it's", "$(date) `date` $HOME", "a\"b\\c", "*?[~#;&|<>", "line\nline", "王棋"] {
            let output = Command::new("sh").args(["-c", &format!("printf %s {}", quoted(word))]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word, "{word}");
        }
    }
}
