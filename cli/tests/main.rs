//! The program as its users call it: what it prints, refuses, survives and leaves on the disk.

mod ablate;
mod analyse;
mod bounds;
mod bucket;
mod cluster;
mod config;
mod damage;
mod data;
mod deploy;
mod engine;
mod eval;
mod exit_codes;
mod explorer;
mod explorer_sources;
mod folders;
mod formats;
mod judge;
mod kill;
mod kills;
mod kirin;
mod lab;
mod large_files;
mod leftovers;
mod match_kill;
mod matches;
mod newcomer;
mod openings;
mod pages;
mod positions;
#[path = "../../distributed/tests/faults/proxy.rs"]
mod proxy;
mod queries;
mod repair;
mod review;
mod roles;
mod run;
#[path = "../../distributed/tests/faults/s3.rs"]
mod s3;
mod slurm;
mod store_checks;
mod studio;
mod tensorboard;
mod verify;
mod version;
mod watch;
