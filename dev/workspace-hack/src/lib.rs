//! Nothing: this crate exists for the features in its manifest, which says why.

#![forbid(unsafe_code)]
