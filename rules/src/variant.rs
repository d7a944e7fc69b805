//! The contract of a variant.

use crate::encoded::Encoded;
use crate::notated::Notated;
use crate::rulebook::Rulebook;

/// A chess variant: its rules ([`Rulebook`]), how it is written and drawn ([`Notated`]), and what a network sees of it
/// ([`Encoded`]). Every type that implements the three is a variant. Everything outside this crate is generic over this
/// trait and names no variant.
///
/// A new variant is one folder that implements the three traits and one row in [`crate::variants`].
pub trait Variant: Rulebook + Notated + Encoded {}

impl<V: Rulebook + Notated + Encoded> Variant for V {}
