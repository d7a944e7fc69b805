//! All tests of evaluations.

mod bits;
mod hostile;
mod precision;
mod random;
