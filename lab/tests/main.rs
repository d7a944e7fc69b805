//! Whole runs: played, trained, interrupted, damaged, repaired and compared.

mod ablation;
mod branch;
mod checkpoints;
mod faults;
mod fit;
mod forecast;
mod health;
mod loops;
mod repair;
mod repair_kill;
mod settings;
mod sweep;
mod tiny;
mod upgrade;
mod verify;
