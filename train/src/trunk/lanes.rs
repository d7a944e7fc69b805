//! Sixteen numbers at a time in the registers of a processor, and the matrix product in which training spends its time.

#![allow(unsafe_code)]

/// Numbers that are computed side by side. The channels of a trunk are a multiple of it.
pub(super) const LANES: usize = 16;

/// Rows of a product that are computed together: with four groups of columns their sums fill the registers of AVX-512, with
/// one group those of AVX2.
const ROWS: usize = 6;

/// Sixteen numbers. Values exist only in a [`Work`] that runs, on a processor with the instructions.
pub(super) trait Lanes: Copy {
    /// Groups of sixteen columns that a product computes together.
    const GROUPS: usize;

    /// # Safety
    /// Sixteen numbers can be read from there, and the processor has the instructions.
    unsafe fn read(from: *const f32) -> Self;
    /// # Safety
    /// Sixteen numbers can be written there, and the processor has the instructions.
    unsafe fn write(self, to: *mut f32);
    fn all(value: f32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// `self · factor + sum`, rounded once.
    fn times_plus(self, factor: Self, sum: Self) -> Self;
    /// The larger of each number and 0; NaN stays.
    fn relu(self) -> Self;
    /// The numbers where `gate` is above 0, and 0 elsewhere.
    fn where_positive(self, gate: Self) -> Self;

    /// The first sixteen numbers of a slice.
    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        assert!(from.len() >= LANES);
        // SAFETY: the length was checked, and code with values of this type runs where the instructions are.
        unsafe { Self::read(from.as_ptr()) }
    }

    /// Writes to the first sixteen numbers of a slice.
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        assert!(to.len() >= LANES);
        // SAFETY: as above.
        unsafe { self.write(to.as_mut_ptr()) }
    }
}

/// Something to compute, which is compiled for each instruction set. All that it calls must be inlined into it.
pub(crate) trait Work {
    fn with<L: Lanes>(self);
}

/// A matrix inside a slice: rows and columns are this far apart.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub values: &'a [f32],
    pub row: usize,
    pub column: usize,
}

/// `out += a · b`, or `out = a · b`: `a` has `rows` rows and `inner` columns, `b` has `inner` rows of `columns` numbers
/// side by side, a multiple of [`LANES`], and so has `out`.
#[inline(always)]
pub(super) fn product<L: Lanes, const ADD: bool>(
    [rows, inner, columns]: [usize; 3],
    a: Matrix,
    b: Matrix,
    out: &mut [f32],
    out_row: usize,
) {
    if rows == 0 || inner == 0 {
        return;
    }
    assert!(columns.is_multiple_of(LANES) && b.column == 1);
    assert!((rows - 1) * a.row + (inner - 1) * a.column < a.values.len());
    assert!((inner - 1) * b.row + columns <= b.values.len());
    assert!((rows - 1) * out_row + columns <= out.len());
    let groups = columns / LANES;
    let mut group = 0;
    while group < groups {
        let width = L::GROUPS.min(groups - group);
        let mut row = 0;
        while row < rows {
            let height = ROWS.min(rows - row);
            // SAFETY: rows below `rows`, groups below `groups` and terms below `inner` lie inside the three slices, as was
            // checked above.
            unsafe {
                let a = Strided { values: a.values.as_ptr().add(row * a.row), row: a.row, column: a.column };
                let b = Strided { values: b.values.as_ptr().add(group * LANES), row: b.row, column: 1 };
                let out = out.as_mut_ptr().add(row * out_row + group * LANES);
                match (height, width) {
                    (6, 4) => tile::<L, 6, 4, ADD>(inner, a, b, out, out_row),
                    (6, 3) => tile::<L, 6, 3, ADD>(inner, a, b, out, out_row),
                    (6, 2) => tile::<L, 6, 2, ADD>(inner, a, b, out, out_row),
                    (6, _) => tile::<L, 6, 1, ADD>(inner, a, b, out, out_row),
                    (4, 4) => tile::<L, 4, 4, ADD>(inner, a, b, out, out_row),
                    (3, 4) => tile::<L, 3, 4, ADD>(inner, a, b, out, out_row),
                    (2, 4) => tile::<L, 2, 4, ADD>(inner, a, b, out, out_row),
                    (height, width) => {
                        for single in (0..height * width).map(|i| (i / width, i % width)) {
                            let a = Strided { values: a.values.add(single.0 * a.row), ..a };
                            let b = Strided { values: b.values.add(single.1 * LANES), ..b };
                            tile::<L, 1, 1, ADD>(inner, a, b, out.add(single.0 * out_row + single.1 * LANES), out_row);
                        }
                    }
                }
            }
            row += height;
        }
        group += width;
    }
}

/// Numbers of a matrix from a place on.
#[derive(Clone, Copy)]
struct Strided {
    values: *const f32,
    row: usize,
    column: usize,
}

/// A part of a product whose sums stay in registers.
///
/// # Safety
/// `R` rows and `inner` columns of `a`, `inner` rows and `G` groups of `b`, and `R` rows and `G` groups of `out` lie inside
/// their slices.
#[inline(always)]
unsafe fn tile<L: Lanes, const R: usize, const G: usize, const ADD: bool>(
    inner: usize,
    a: Strided,
    b: Strided,
    out: *mut f32,
    out_row: usize,
) {
    let mut sums = [[L::all(0.0); G]; R];
    for term in 0..inner {
        // SAFETY: the caller's.
        let right: [L; G] = std::array::from_fn(|g| unsafe { L::read(b.values.add(term * b.row + g * LANES)) });
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: the caller's.
            let left = L::all(unsafe { *a.values.add(r * a.row + term * a.column) });
            for (sum, &right) in sums.iter_mut().zip(&right) {
                *sum = left.times_plus(right, *sum);
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        for (g, &sum) in sums.iter().enumerate() {
            // SAFETY: the caller's.
            unsafe {
                let to = out.add(r * out_row + g * LANES);
                if ADD { sum.plus(L::read(to)).write(to) } else { sum.write(to) }
            }
        }
    }
}
