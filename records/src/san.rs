//! Moves as texts: the notations of the variant, and what other programs derive from squares and letters of pieces.
//!
//! SAN is that of Fairy-Stockfish, which PyChess and others write: `Che3`, `Pxc6`, `P@e5`, `Bxh8=H` (promotes), `Ke2`
//! for a pass. Programs that write promotions as `+` and staying as `=` are read as well, and those that count ten
//! ranks from 0. The Western notations of Shogi (Hodges and Hosking) have squares of their own: `S-48`, `Bx2b+`,
//! `P*76`. ICCS is UCCI in capitals with a dash: `H2-E2`.

use rules::{Kind, Move, MoveError, MoveList, Notation, Position, Square, Variant};

/// A way to read moves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MoveReading<V: Variant> {
    /// A notation of the variant.
    Notation(&'static Notation<V>),
    /// Letter of the piece and square.
    Letters(SanStyle),
    /// `H2-E2`, by a notation with the same squares.
    Iccs(&'static Notation<V>),
}

/// How squares and promotions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SanStyle {
    /// UCI's squares, `=H`, and `+` or `#` for check and mate, which tell nothing.
    Equals,
    /// UCI's squares, `+` for promotion or check, `=` for staying.
    Plus,
    /// Like `Equals`, with ranks from 0, as WinBoard and BanksiaGUI write on ten ranks: `Che2 Hg7`.
    FromZero,
    /// Files from the right and ranks from the top, `+` and `=` for promotion and staying.
    Western,
}

impl SanStyle {
    /// The number of the lowest rank.
    fn lowest_rank(self) -> usize {
        if self == SanStyle::FromZero { 0 } else { 1 }
    }
}

impl<V: Variant> MoveReading<V> {
    /// The notations of these names which the variant has; without names all there are, UCI first.
    pub fn all(names: &[&str]) -> Vec<MoveReading<V>> {
        if !names.is_empty() {
            let found = names.iter().filter_map(|name| Notation::named(name).ok());
            return found.map(MoveReading::Notation).collect();
        }
        let from_zero = (V::RANKS == 10).then_some(MoveReading::Letters(SanStyle::FromZero));
        let iccs = Notation::named("ucci").ok().map(MoveReading::Iccs);
        let western = (V::HAND_KINDS > 0 && V::RANKS <= 9).then_some(MoveReading::Letters(SanStyle::Western));
        let (uci, others) =
            V::NOTATIONS.split_first().map_or((None, V::NOTATIONS), |(uci, others)| (Some(uci), others));
        uci.map(MoveReading::Notation)
            .into_iter()
            .chain([SanStyle::Equals, SanStyle::Plus].map(MoveReading::Letters))
            .chain(others.iter().map(MoveReading::Notation))
            .chain(from_zero)
            .chain(iccs)
            .chain(western)
            .collect()
    }

    /// The legal move that a text means. `legal` is overwritten.
    ///
    /// # Errors
    /// The text is not in the form of a move, or it fits no legal move or several.
    pub fn read(self, position: &Position<V>, text: &str, legal: &mut MoveList) -> Result<Move, MoveError> {
        match self {
            MoveReading::Notation(notation) if notation.name == Notation::<V>::UCI.name => {
                ordinary_uci(position, text, legal).map_or_else(|| read_signed(notation, position, text), Ok)
            }
            MoveReading::Notation(notation) => read_signed(notation, position, text),
            MoveReading::Iccs(notation) => {
                let squares = text.trim_end_matches(['+', '#', '!', '?']).replace('-', "");
                notation.read(position, &squares.to_ascii_lowercase())
            }
            MoveReading::Letters(style) => letters(position, text, style),
        }
    }
}

/// Reads a move in a notation, perhaps with signs of check and praise behind it.
fn read_signed<V: Variant>(notation: &Notation<V>, position: &Position<V>, text: &str) -> Result<Move, MoveError> {
    match notation.read(position, text) {
        Err(MoveError::Malformed(..)) => notation.read(position, text.trim_end_matches(['+', '#', '!', '?'])),
        read => read,
    }
}

/// A move in UCI in which a piece goes from one square to another, which most moves of large files are. `None` if it is
/// not one, or not legal: then [`Notation::read`] says what it is. Only the text of the move that fits takes memory.
fn ordinary_uci<V: Variant>(position: &Position<V>, text: &str, legal: &mut MoveList) -> Option<Move> {
    let (source, rest) = Square::read(text, V::FILES, V::RANKS)?;
    let (destination, signs) = Square::read(rest, V::FILES, V::RANKS)?;
    let promotes = match signs {
        "" => false,
        "+" => true,
        _ => return None,
    };
    let mv = Move::board(source, destination);
    let mv = if promotes { mv.promoting() } else { mv };
    // Where pieces have more than one way to a square, the text of a move is more than its two squares.
    (position.is_legal_with(mv, legal) && position.format_move(mv) == text).then_some(mv)
}

/// What a text says.
struct SanText {
    /// Kinds that the letter may stand for.
    kinds: Vec<Kind>,
    drop: bool,
    file: Option<usize>,
    rank: Option<usize>,
    destination: Square,
    /// Whether the piece promotes, where the text says it clearly.
    promotes: Option<bool>,
    /// The signs behind the move.
    signs: String,
}

fn letters<V: Variant>(position: &Position<V>, text: &str, style: SanStyle) -> Result<Move, MoveError> {
    let shown = || text.chars().take(32).collect::<String>();
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let Some(said) = said::<V>(text, style) else {
        let example = legal.first().map_or_else(String::new, |&mv| position.format_move(mv));
        return Err(MoveError::Malformed(shown(), example));
    };
    let fits = |&&mv: &&Move| {
        let kind = match mv.source_square() {
            Some(source) => position.cell(source).piece().map(|(_, kind)| kind),
            None => mv.hand_slot().map(|slot| V::HAND_FIRST + slot),
        };
        kind.is_some_and(|kind| said.kinds.contains(&kind))
            && mv.destination() == said.destination
            && mv.hand_slot().is_some() == said.drop
            && said.promotes.is_none_or(|promotes| mv.promotes() == promotes)
            && mv.source_square().is_none_or(|source| {
                said.file.is_none_or(|file| source.file(V::FILES) == file)
                    && said.rank.is_none_or(|rank| source.rank(V::FILES) == rank)
            })
    };
    let fitting: Vec<Move> = legal.iter().filter(fits).copied().collect();
    // Signs of check and mate tell nothing: some programs never write them, and others wrongly. But where a move could
    // promote, + is the promotion in one style, so in the other it must be a check.
    let signed = |&&mv: &&Move| match style {
        SanStyle::Western | SanStyle::FromZero => true,
        SanStyle::Equals => said.signs.is_empty() || !has_choice(&legal, mv) || is_check(position, mv),
        SanStyle::Plus => {
            let rest = said.signs.strip_prefix(promotion(&fitting, mv));
            rest.is_some_and(|rest| rest.chars().all(|sign| sign != '='))
        }
    };
    let found: Vec<Move> = fitting.iter().filter(signed).copied().collect();
    match *found.as_slice() {
        [] => Err(MoveError::Illegal { text: shown(), fen: position.fen() }),
        [mv] => Ok(mv),
        _ => {
            let candidates: Vec<String> = found.iter().map(|&mv| position.format_move(mv)).collect();
            Err(MoveError::Ambiguous { text: shown(), candidates: candidates.join(", ") })
        }
    }
}

/// `+` for a move that promotes, `=` for one that could, of those with the same destination.
fn promotion(alike: &[Move], mv: Move) -> &'static str {
    match (mv.promotes(), has_choice(alike, mv)) {
        (true, _) => "+",
        (false, true) => "=",
        (false, false) => "",
    }
}

/// Whether the piece could promote with this move.
fn has_choice(moves: &[Move], mv: Move) -> bool {
    let is_same = |other: &Move| (other.source_square(), other.destination()) == (mv.source_square(), mv.destination());
    moves.iter().any(|other| other.promotes() && is_same(other))
}

/// Whether a move gives check or leaves the opponent without a move.
fn is_check<V: Variant>(position: &Position<V>, mv: Move) -> bool {
    let mut next = position.clone();
    next.play(mv);
    let mut replies = MoveList::new();
    next.legal_moves(&mut replies);
    next.is_check() || replies.is_empty()
}

fn said<V: Variant>(text: &str, style: SanStyle) -> Option<SanText> {
    let body = text.trim_end_matches(['+', '#', '=', '!', '?']);
    let signs = text[body.len()..].replace(['!', '?'], "");
    let (body, promotes) = match style {
        SanStyle::Plus => (body, None),
        SanStyle::Western => (body, Some(signs == "+")),
        SanStyle::Equals | SanStyle::FromZero => match body.rsplit_once('=') {
            Some((body, _)) => (body, Some(true)),
            None => (body, Some(false)),
        },
    };
    let (before, destination) = square_at_end::<V>(body, style)?;
    let said = SanText { kinds: Vec::new(), drop: false, file: None, rank: None, destination, promotes, signs };
    if let Some(code) = before.strip_suffix(['@', '*', '\'']) {
        return Some(SanText { kinds: kinds::<V>(code)?, drop: true, ..said });
    }
    let before = before.strip_suffix(['x', '-', ':']).unwrap_or(before);
    if let Some((code, source)) = square_at_end::<V>(before, style) {
        let (file, rank) = (Some(source.file(V::FILES)), Some(source.rank(V::FILES)));
        return Some(SanText { kinds: kinds::<V>(code)?, file, rank, ..said });
    }
    let letters = before.trim_end_matches(|character: char| character.is_ascii_digit());
    let rank = match &before[letters.len()..] {
        "" => None,
        digits => Some(digits.parse::<usize>().ok()?.checked_sub(style.lowest_rank())?),
    };
    let (code, file) = match letters.char_indices().next_back() {
        Some((at, file @ 'a'..='z')) => (&letters[..at], Some(file as usize - 'a' as usize)),
        _ => (letters, None),
    };
    Some(SanText { kinds: kinds::<V>(code)?, file, rank, ..said })
}

/// Letters of Fairy-Stockfish for promoted faces. Those that move like a gold general share its letter.
const PROMOTED: [(&str, &str); 6] = [("G", "+P"), ("G", "+L"), ("G", "+N"), ("G", "+S"), ("H", "+B"), ("D", "+R")];

/// The kinds of this code; without one, pawns.
fn kinds<V: Variant>(code: &str) -> Option<Vec<Kind>> {
    let code = if code.is_empty() { "P" } else { code };
    let aliases = V::ALIASES.iter().filter(|(alias, _)| *alias == code).map(|(_, code)| *code);
    let promoted = PROMOTED.iter().filter(|(letter, _)| *letter == code).map(|(_, code)| *code);
    let kind = |code: &str| V::CODES.iter().position(|&known| known == code);
    let kinds: Vec<Kind> = aliases.chain(promoted).chain([code]).filter_map(kind).collect();
    (!kinds.is_empty()).then_some(kinds)
}

/// The square at the end of a text, and what stands before it.
fn square_at_end<V: Variant>(text: &str, style: SanStyle) -> Option<(&str, Square)> {
    let on_board =
        |file: usize, rank: usize| (file < V::FILES && rank < V::RANKS).then(|| Square::new(rank * V::FILES + file));
    if style == SanStyle::Western {
        let (at, rank) = text.char_indices().next_back()?;
        let (before, file) = text[..at].char_indices().next_back()?;
        let rank =
            if rank.is_ascii_lowercase() { rank as usize - 'a' as usize + 1 } else { rank.to_digit(10)? as usize };
        let file = V::FILES.checked_sub(file.to_digit(10)? as usize)?;
        return Some((&text[..before], on_board(file, V::RANKS.checked_sub(rank)?)?));
    }
    let letters = text.trim_end_matches(|character: char| character.is_ascii_digit());
    let rank = text[letters.len()..].parse::<usize>().ok()?.checked_sub(style.lowest_rank())?;
    let (at, file) = letters.char_indices().next_back()?;
    let file = (file as usize).checked_sub('a' as usize)?;
    Some((&text[..at], on_board(file, rank)?))
}
