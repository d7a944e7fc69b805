//! Instruments of tests that more than one package uses. No package of the product depends on this one.
//!
//! [`fault`] makes a step that touches the disk fail, [`crash`] leaves what a power cut may leave, and [`SplitMix64`] draws
//! numbers where a test needs no better ones. [`oracle`] finds the programs that tests compare with, [`browser`] clicks
//! through pages, and [`http`] asks servers.

#![forbid(unsafe_code)]

pub mod browser;
pub mod crash;
pub mod fault;
pub mod http;
pub mod oracle;
mod split_mix;

pub use split_mix::SplitMix64;
