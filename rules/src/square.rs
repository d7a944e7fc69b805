//! Squares (points, on the boards played on intersections).

/// A square: `rank * FILES + file`, where file 0 is `a` (the first player's left) and rank 0 is the
/// first player's back rank (`1` in text).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(pub(crate) u16);

impl Square {
    /// The square with this index. The caller knows that it lies on the variant's board.
    #[inline(always)]
    pub const fn new(index: usize) -> Square {
        Square(index as u16)
    }

    /// Position in `0..FILES * RANKS`.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// File, counted from 0, on a board of `files` files.
    #[inline(always)]
    pub const fn file(self, files: usize) -> usize {
        self.index() % files
    }

    /// Rank, counted from 0, on a board of `files` files.
    #[inline(always)]
    pub const fn rank(self, files: usize) -> usize {
        self.index() / files
    }

    /// Text as in UCI: file letter and rank number from 1, for example `a10`.
    pub fn text(self, files: usize) -> String {
        let mut text = String::with_capacity(3);
        self.push_to(&mut text, files);
        text
    }

    /// Appends [`Square::text`]: moves are written by the million.
    pub(crate) fn push_to(self, text: &mut String, files: usize) {
        let (file, number) = (self.file(files) as u8, self.rank(files) as u8 + 1);
        text.push(char::from(b'a' + file));
        if number >= 10 {
            text.push(char::from(b'0' + number / 10));
        }
        text.push(char::from(b'0' + number % 10));
    }

    /// The square at the beginning of a text, as [`Square::text`] writes it, and what follows it. Reads greedily: `a10`
    /// before `a1`. `None` if no square of a board of `files` × `ranks` stands there.
    ///
    /// ```
    /// use rules::Square;
    /// assert_eq!(Square::read("b10c8", 9, 10), Some((Square::new(82), "c8")));
    /// assert_eq!(Square::read("b11", 9, 10), None);
    /// ```
    pub fn read(text: &str, files: usize, ranks: usize) -> Option<(Square, &str)> {
        let file = text.bytes().next()?.checked_sub(b'a').map(usize::from).filter(|&file| file < files)?;
        let digits = text[1..].bytes().take(2).take_while(u8::is_ascii_digit).count();
        let rank: usize = text[1..1 + digits].parse().ok().filter(|_| !text[1..].starts_with('0'))?;
        (1..=ranks).contains(&rank).then(|| (Square::new((rank - 1) * files + file), &text[1 + digits..]))
    }
}
