//! Rule sets: named presets of a variant, and the limit of plies.

use crate::variant::Variant;

/// The rule set a game is played by: a named preset and the limit of plies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules<V: Variant> {
    preset: V::Preset,
    max_plies: u32,
}

impl<V: Variant> Default for Rules<V> {
    fn default() -> Self {
        Rules { preset: V::presets()[0].1, max_plies: V::MAX_PLIES }
    }
}

impl<V: Variant> Rules<V> {
    /// The preset with this name.
    ///
    /// # Errors
    /// The variant has no preset of that name; the error lists those it has.
    pub fn named(name: &str) -> Result<Self, UnknownPreset> {
        V::presets()
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, preset)| Rules { preset, max_plies: V::MAX_PLIES })
            .ok_or_else(|| UnknownPreset { variant: V::ID, name: name.to_owned(), known: V::PRESETS.join(", ") })
    }

    /// The same rules with another limit of plies, counted from the start position of the game.
    #[must_use]
    pub fn with_max_plies(self, max_plies: u32) -> Self {
        Rules { max_plies, ..self }
    }

    /// The same rules with another preset, for one with a rule or a number changed. Games with other programs
    /// may need that, where those have a rule of their own.
    #[must_use]
    pub fn with_preset(self, preset: V::Preset) -> Self {
        Rules { preset, ..self }
    }

    /// The preset's name; `custom` for one that is not in the variant's list.
    pub fn name(&self) -> &'static str {
        V::presets().iter().find(|(_, preset)| *preset == self.preset).map_or("custom", |(name, _)| name)
    }

    /// The preset.
    #[inline(always)]
    pub fn preset(&self) -> V::Preset {
        self.preset
    }

    /// The limit of plies.
    #[inline(always)]
    pub fn max_plies(&self) -> u32 {
        self.max_plies
    }
}

/// No preset of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variant} has no rule set {name:?}; it has: {known}")]
pub struct UnknownPreset {
    /// The variant asked.
    pub variant: &'static str,
    /// The name asked for.
    pub name: String,
    /// The names there are.
    pub known: String,
}
