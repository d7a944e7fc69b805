//! An empty crate: it exists for the features in its manifest, which says why.

#![forbid(unsafe_code)]
