//! Settings with named values, written alike in configurations, on the command line and in tables.

/// A name that the setting does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not known here; use one of {}", known.join(", "))]
pub struct UnknownSetting {
    /// The name that was given.
    pub found: String,
    /// The names that the setting has.
    pub known: &'static [&'static str],
}

/// Gives an enum its names: `NAMES`, `Display` and `FromStr`. Serde's names are derived on the enum itself, because
/// then a complaint about an unknown name says where in the file it is; a test should check that both agree.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Mode {
///     Fast,
///     Careful,
/// }
///
/// settings::named!(Mode { Fast = "fast", Careful = "careful" });
///
/// assert_eq!((Mode::Fast.to_string(), "careful".parse()), ("fast".to_owned(), Ok(Mode::Careful)));
/// assert_eq!("slow".parse::<Mode>().unwrap_err().to_string(), "\"slow\" is not known here; use one of fast, careful");
/// ```
#[macro_export]
macro_rules! named {
    ($setting:ident { $($value:ident = $name:literal),+ $(,)? }) => {
        impl $setting {
            /// The names of all values, in their order.
            pub const NAMES: &[&str] = &[$($name),+];
        }

        /// The name in configurations.
        impl std::fmt::Display for $setting {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(match self {
                    $($setting::$value => $name),+
                })
            }
        }

        impl std::str::FromStr for $setting {
            type Err = $crate::UnknownSetting;

            fn from_str(name: &str) -> std::result::Result<Self, Self::Err> {
                match name {
                    $($name => Ok($setting::$value),)+
                    _ => Err($crate::UnknownSetting { found: name.to_owned(), known: Self::NAMES }),
                }
            }
        }
    };
}
