//! Kō shogi: the rule text's vectors, its conditional rules on drawn boards, and the crate against a slow and obvious
//! reference.

mod against_reference;
mod attacks;
mod both;
mod drawn;
mod reference;
mod strewn;
mod vectors;
#[path = "../vectors/mod.rs"]
mod vectors_of_text;
