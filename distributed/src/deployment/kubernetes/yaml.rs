//! JSON values as YAML, for people to read and change.

use serde_json::Value;

/// A value as a YAML document, without `---`. Keys keep their order only if the map does.
///
/// A text is written plain where no reader can mistake it for something else, as a block if it has several lines, and
/// otherwise as JSON, which is also valid YAML.
pub fn document(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

/// Writes a value, each of whose lines begins with so many spaces.
fn block(value: &Value, indent: usize, out: &mut String) {
    let margin = " ".repeat(indent);
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                *out += &format!("{margin}{}:", scalar(key));
                after_key(value, indent, out);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for value in list {
                let mut item = String::new();
                block(value, indent + 2, &mut item);
                *out += &format!("{margin}- {}", item.trim_start_matches(' '));
            }
        }
        _ => *out += &format!("{margin}{}\n", plain(value)),
    }
}

/// Writes what follows `key:`.
fn after_key(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            block(value, indent + 2, out);
        }
        Value::Array(list) if !list.is_empty() => {
            out.push('\n');
            block(value, indent + 2, out);
        }
        Value::String(text) if is_literal(text) => {
            *out += " |\n";
            for line in text.lines() {
                let margin = if line.is_empty() { String::new() } else { " ".repeat(indent + 2) };
                *out += &format!("{margin}{line}\n");
            }
        }
        _ => *out += &format!(" {}\n", plain(value)),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        other => other.to_string(),
    }
}

/// Whether a text of several lines can be written as a literal block unchanged.
fn is_literal(text: &str) -> bool {
    let is_printable = |c: char| c == '\n' || c == '\t' || (!c.is_control() && !"\u{feff}\u{2028}\u{2029}".contains(c));
    text.ends_with('\n')
        && !text.ends_with("\n\n")
        && !text.starts_with([' ', '\t', '\n'])
        && text.chars().all(is_printable)
}

/// A text on one line.
fn scalar(text: &str) -> String {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    // A text that begins with a letter is no number; these few words are not texts to every reader.
    let is_word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_inside) && !is_word {
        return text.to_owned();
    }
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents_are_readable() {
        let value = json!({
            "a": {"list": ["x", "1", {"k": 1, "l": ["z"]}], "empty": {}, "none": [], "flag": true},
            "text": "[run]\nvariant = \"wangqi\"\n\n# 王棋: \t#\n",
            "yes": "on",
        });
        let expected = "\
a:
  empty: {}
  flag: true
  list:
    - x
    - \"1\"
    - k: 1
      l:
        - z
  none: []
text: |
  [run]
  variant = \"wangqi\"

  # 王棋: \t#
\"yes\": \"on\"
";
        assert_eq!(document(&value), expected);
    }

    #[test]
    fn a_text_that_could_be_something_else_is_quoted() {
        for text in
            ["", "1", "0x1", "1e3", "~", "- a", "a: b", "a #b", "&a", "*a", "!a", "NO", "null", " a", "a\nb", "%a", "é"]
        {
            assert_eq!(scalar(text), serde_json::to_string(text).unwrap());
        }
        for text in ["a", "kirin/config.toml", "batch", "ReadWriteOnce", "v1.2"] {
            assert_eq!(scalar(text), text);
        }
        for text in ["a\n\n", " a\n", "a\u{1}\n", "a\r\n", "a"] {
            assert!(!is_literal(text), "{text:?}");
        }
    }
}
