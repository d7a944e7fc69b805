//! Matches, tournaments, ratings and what logs say of them.

mod benchmark;
mod engines;
mod matches;
mod played;
mod published_ratings;
mod rating_graph;
mod simulated_ratings;
mod tournament;
mod verify;
