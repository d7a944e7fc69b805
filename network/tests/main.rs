//! All tests of evaluations.

mod arbitrary;
mod bits;
mod hostile;
mod precision;
mod random;
