//! A run: its configuration, its folder, its plan, and the stages it goes through.

pub mod config;
pub mod events;
pub mod folder;
pub mod plan;
pub mod progress;
pub mod resolve;
pub mod session;
pub mod stages;
