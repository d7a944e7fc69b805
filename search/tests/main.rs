//! Trees and what is found in them: against golden trees, exhaustive searches and a perfect evaluator.

mod ends_in_the_tree;
mod exhaustive;
mod golden_trees;
mod mates;
mod toy;
