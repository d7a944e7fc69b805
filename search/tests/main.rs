//! Trees and search results, compared with golden trees, exhaustive searches and a perfect evaluator.

mod ends_in_the_tree;
mod exhaustive;
mod golden_trees;
mod mates;
mod toy;
