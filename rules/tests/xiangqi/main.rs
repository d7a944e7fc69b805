//! Xiangqi against the vectors of its rule text and against a slow reference.

#[path = "../against/mod.rs"]
mod against;
mod against_reference;
mod judgements;
mod notation;
mod reference;
mod reference_repetition;
mod vectors;
#[path = "../vectors/mod.rs"]
mod vectors_of_text;
