//! Games and logs on a disk: written, read, damaged, repaired, counted.

mod compact;
mod crash;
mod damage;
mod duckdb;
mod files;
mod filter;
mod folders;
mod hostile;
mod hostile_files;
mod kill;
mod line_chain;
mod line_log;
mod openings;
mod repair;
mod samples;
mod store;
mod synthetic;
mod verify;
