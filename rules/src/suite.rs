//! Perft suites: text files of lines `FEN ;D1 n ;D2 n …`, with `#` comments that give the source.

/// A line of a suite: a position and how many move sequences of some depths it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteLine<'a> {
    /// Number of the line in the file, from 1.
    pub line: usize,
    /// The position.
    pub fen: &'a str,
    /// Depth and expected count, in the order of the line.
    pub counts: Vec<(u32, u64)>,
}

/// A malformed line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}; expected FEN ;D1 n ;D2 n …")]
pub struct SuiteError {
    /// Number of the line in the file, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

/// Reads a suite. Empty lines and lines that begin with `#` are skipped.
///
/// ```
/// let suite = rules::read_suite("# the start\nstart ;D1 44 ;D2 1920\n")?;
/// assert_eq!((suite[0].line, suite[0].fen, suite[0].counts[1]), (2, "start", (2, 1920)));
/// # Ok::<(), rules::SuiteError>(())
/// ```
///
/// # Errors
/// The first malformed line.
pub fn read_suite(text: &str) -> Result<Vec<SuiteLine<'_>>, SuiteError> {
    let lines = text.lines().enumerate().map(|(at, content)| (at + 1, content.trim()));
    lines.filter(|(_, content)| !content.is_empty() && !content.starts_with('#')).map(read_line).collect()
}

fn read_line((line, content): (usize, &str)) -> Result<SuiteLine<'_>, SuiteError> {
    let fault = |problem: String| SuiteError { line, problem };
    let mut fields = content.split(';').map(str::trim);
    let fen = fields.next().unwrap_or_default();
    let counts = fields
        .map(|field| {
            let (depth, nodes) = field.strip_prefix('D').and_then(|rest| rest.split_once(' '))?;
            Some((depth.parse().ok()?, nodes.trim().parse().ok()?))
        })
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| fault("a count cannot be read".into()))?;
    if counts.is_empty() {
        return Err(fault("no counts".into()));
    }
    Ok(SuiteLine { line, fen, counts })
}
