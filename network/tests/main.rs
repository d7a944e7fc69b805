//! All tests of evaluations.

mod arbitrary;
mod bits;
mod bundled;
mod hostile;
mod precision;
mod random;
