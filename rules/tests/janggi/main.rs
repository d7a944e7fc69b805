//! Janggi against the vectors of its rule text and against a slow reference.

#[path = "../against/mod.rs"]
mod against;
mod against_reference;
mod reference;
mod vectors;
#[path = "../vectors/mod.rs"]
mod vectors_of_text;
