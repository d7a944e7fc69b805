//! Wangqi: the rule text's vectors, and the fast code against a slow and obvious one.

#[path = "../against/mod.rs"]
mod against;
mod against_reference;
mod reference;
mod vectors;
#[path = "../vectors/mod.rs"]
mod vectors_of_text;
