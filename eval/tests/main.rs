//! Matches, tournaments, ratings and what logs say of them.

mod benchmark;
mod engines;
mod game_statistics;
mod matches;
mod published_ratings;
mod rating_graph;
mod simulated_ratings;
mod tournament;
mod verify;
