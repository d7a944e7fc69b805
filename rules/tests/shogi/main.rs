//! Shogi: the rule text's vectors, and the fast code against a slow and obvious one.

mod against_reference;
mod notation;
mod reference;
mod reference_ends;
mod vectors;
