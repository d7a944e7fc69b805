//! The options for openings that matches and tournaments share.

use clap::Args;
use eval::{OpeningOrder, OpeningSource, OpeningsConfig};

/// Which openings are played.
#[derive(Args)]
pub struct OpeningArguments {
    /// Where openings come from: random (random moves), balanced (random moves after which neither side is much better,
    /// by the search of the first network, or by random playouts if there is no network), book:FILE (a FEN, an EPD or a
    /// line of moves on each line, a book of YaneuraOu or an .obk book), statistics:FOLDER (lines played in the games of a
    /// run or a data folder).
    #[arg(long, default_value = "random", value_name = "SOURCE")]
    openings: OpeningSource,
    /// Length of the openings in plies. Lines of a book have their own length.
    #[arg(long, default_value_t = 6, value_name = "PLIES")]
    opening_plies: u32,
    /// Order of a book or of statistics: sequence (as in the book; most played first) or shuffled (by the seed; lines of
    /// statistics that were played more often tend to come earlier).
    #[arg(long, default_value = "sequence", value_name = "ORDER")]
    opening_order: OpeningOrder,
    /// For balanced openings: the greatest difference between the winning chances of the two sides, 0.01 to 1.
    #[arg(long, default_value_t = 0.2, value_name = "Q")]
    opening_balance: f64,
    /// For statistics: the least number of games that a line must have.
    #[arg(long, default_value_t = 2, value_name = "GAMES")]
    opening_min_games: u64,
    /// For random and balanced openings of janggi: the setups from which each player draws one, with commas between.
    /// Without it, all that there are.
    #[arg(long, value_delimiter = ',', value_name = "SETUPS")]
    opening_setups: Vec<String>,
}

impl OpeningArguments {
    /// The settings of openings.
    pub fn config(&self) -> OpeningsConfig {
        OpeningsConfig {
            source: self.openings.clone(),
            plies: self.opening_plies,
            order: self.opening_order,
            balance: self.opening_balance,
            min_games: self.opening_min_games,
            setups: self.opening_setups.clone(),
        }
    }
}
