//! The table of variants. A new variant is one row here and one folder.

use std::fmt;
use std::str::FromStr;

macro_rules! variants {
    ($d:tt $($(#[$doc:meta])* $name:ident = $path:path,)*) => {
        /// A variant chosen at run time. [`dispatch!`](crate::dispatch) turns it into a type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum VariantId { $($(#[$doc])* $name,)* }

        $(pub use $path as $name;)*

        impl VariantId {
            /// Every variant.
            pub const ALL: &'static [VariantId] = &[$(VariantId::$name),*];

            /// The name in configs, data and on the command line.
            pub const fn id(self) -> &'static str {
                match self { $(VariantId::$name => <$name as crate::Rulebook>::ID,)* }
            }

            /// The name for people.
            pub const fn title(self) -> &'static str {
                match self { $(VariantId::$name => <$name as crate::Notated>::TITLE,)* }
            }
        }

        /// Runs an expression with the type of a run-time variant:
        ///
        /// ```
        /// use rules::{Position, VariantId};
        /// let moves = |id: VariantId| rules::dispatch!(id, V => Position::<V>::start().perft(1));
        /// assert_eq!(moves(VariantId::Xiangqi), 44);
        /// ```
        #[macro_export]
        macro_rules! dispatch {
            ($d id:expr, $d V:ident => $d body:expr) => {
                match $d id {
                    $($crate::VariantId::$name => {
                        type $d V = $crate::variants::$name;
                        $d body
                    })*
                }
            };
        }
    };
}

variants! { $
    /// Janggi 장기 將棋, 9 × 10, the palaces with diagonals.
    Janggi = crate::janggi::Janggi,
    /// Xiangqi 象棋, 9 × 10.
    Xiangqi = crate::xiangqi::Xiangqi,
    /// Shogi 将棋, 9 × 9 with drops.
    Shogi = crate::shogi::Shogi,
    /// Wangqi 王棋 (Ōgi), 8 × 8 with drops.
    Wangqi = crate::wangqi::Wangqi,
    /// Kō shogi 廣將棋, 19 × 19.
    Koshogi = crate::koshogi::Koshogi,
}

impl VariantId {
    /// The variant of measurements over many games where no variant is named.
    pub const OF_MANY_GAMES: VariantId = VariantId::Xiangqi;
}

impl fmt::Display for VariantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// A word that names no variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no variant is called {name:?}; there are: {known}")]
pub struct UnknownVariant {
    /// The word.
    pub name: String,
    /// The names there are.
    pub known: String,
}

impl FromStr for VariantId {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        VariantId::ALL.iter().copied().find(|id| id.id() == text).ok_or_else(|| UnknownVariant {
            name: text.to_owned(),
            known: VariantId::ALL.iter().map(|id| id.id()).collect::<Vec<_>>().join(", "),
        })
    }
}
