//! Solving with a symmetric positive definite matrix: as many rows as there are players or kinds of piece, so a dense one.

/// A symmetric positive definite matrix, factorised as L·Lᵀ.
pub struct Cholesky {
    size: usize,
    /// Row-major; the upper triangle is not used.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factorises a row-major matrix; `None` if it is not positive definite.
    pub fn new(size: usize, mut matrix: Vec<f64>) -> Option<Cholesky> {
        for row in 0..size {
            for column in 0..=row {
                let dot: f64 = (0..column).map(|k| matrix[row * size + k] * matrix[column * size + k]).sum();
                let rest = matrix[row * size + column] - dot;
                matrix[row * size + column] = if row > column {
                    rest / matrix[column * size + column]
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(Cholesky { size, lower: matrix })
    }

    /// The solution x of A·x = `right`, in place.
    pub fn solve(&self, right: &mut [f64]) {
        let at = |row: usize, column: usize| self.lower[row * self.size + column];
        for row in 0..self.size {
            let dot: f64 = (0..row).map(|k| at(row, k) * right[k]).sum();
            right[row] = (right[row] - dot) / at(row, row);
        }
        for row in (0..self.size).rev() {
            let dot: f64 = (row + 1..self.size).map(|k| at(k, row) * right[k]).sum();
            right[row] = (right[row] - dot) / at(row, row);
        }
    }

    /// The inverse, row-major.
    pub fn inverse(&self) -> Vec<f64> {
        let mut inverse = vec![0.0; self.size * self.size];
        for (i, column) in inverse.chunks_exact_mut(self.size.max(1)).enumerate() {
            column[i] = 1.0;
            self.solve(column);
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_times_matrix_is_one() {
        let a = [4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0];
        let inverse = Cholesky::new(3, a.to_vec()).unwrap().inverse();
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| a[i * 3 + k] * inverse[k * 3 + j]).sum();
                assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-12);
            }
        }
        assert!(Cholesky::new(2, vec![1.0, 2.0, 2.0, 1.0]).is_none());
    }
}
