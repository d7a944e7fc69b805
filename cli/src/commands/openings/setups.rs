//! The option `--setup`.

use rules::{Setup, UnknownSetup, Variant};

/// Which setups to count, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupChoice {
    /// All, in one sum.
    Sum,
    /// All, each apart.
    Each,
    /// Those of the first and of the second player; `None` is any.
    Only([Option<String>; 2]),
}

impl SetupChoice {
    /// What the option says: `each`, or the setup of the first player, perhaps with that of the second after a comma.
    ///
    /// # Errors
    /// The variant has no such setup.
    pub fn new<V: Variant>(text: Option<&str>) -> Result<SetupChoice, UnknownSetup> {
        let Some(text) = text else { return Ok(SetupChoice::Sum) };
        if text == "each" {
            return Ok(SetupChoice::Each);
        }
        let named = |name: &str| match name.trim() {
            "any" => Ok(None),
            name if V::SETUPS.iter().any(|setup| setup.name == name) => Ok(Some(name.to_owned())),
            name => Err(UnknownSetup {
                variant: V::ID,
                name: name.to_owned(),
                known: V::SETUPS.iter().map(|setup| setup.name).collect::<Vec<_>>().join(", "),
            }),
        };
        let (first, second) = text.split_once(',').unwrap_or((text, "any"));
        Ok(SetupChoice::Only([named(first)?, named(second)?]))
    }

    /// These setups alone.
    pub fn of(setups: [Setup; 2]) -> SetupChoice {
        SetupChoice::Only(setups.map(|setup| Some(setup.name.to_owned())))
    }

    /// The setups of the first and of the second player that games are counted from; `None` is any.
    pub fn of_players(&self) -> [Option<String>; 2] {
        match self {
            SetupChoice::Only(only) => only.clone(),
            SetupChoice::Sum | SetupChoice::Each => [None, None],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Janggi, Wangqi};

    #[test]
    fn one_or_both_setups_are_named() {
        let choice = |text| SetupChoice::new::<Janggi>(Some(text));
        let only = |first: Option<&str>, second: Option<&str>| {
            Ok(SetupChoice::Only([first.map(str::to_owned), second.map(str::to_owned)]))
        };
        assert_eq!(choice("inner"), only(Some("inner"), None));
        assert_eq!(choice("any,left"), only(None, Some("left")));
        assert_eq!(choice("inner, left"), only(Some("inner"), Some("left")));
        assert_eq!(choice("each"), Ok(SetupChoice::Each));
        assert!(choice("inner,").is_err() && choice("iner").unwrap_err().to_string().contains("inner, outer"));
        assert!(SetupChoice::new::<Wangqi>(Some("inner")).unwrap_err().to_string().contains("it has: none"));
    }
}
