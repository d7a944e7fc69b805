//! The program as its users call it: what it prints, refuses, survives and leaves on the disk.

mod ablate;
mod analyse;
mod bounds;
mod browser;
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
mod folders;
mod kill;
mod kills;
mod kirin;
mod lab;
mod large_files;
mod leftovers;
mod match_kill;
mod matches;
mod pages;
mod positions;
mod queries;
mod repair;
mod roles;
mod run;
#[path = "../../distributed/tests/faults/s3.rs"]
mod s3;
mod slurm;
mod tensorboard;
mod verify;
mod version;
mod watch;
