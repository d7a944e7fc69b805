//! The options for openings that matches and tournaments share.

use clap::Args;
use eval::{OpeningOrder, OpeningSource, OpeningsConfig};

/// Which openings are played.
#[derive(Args)]
pub struct OpeningArguments {
    /// Where openings come from: random (moves), balanced (random moves after which neither side is much better, as the
    /// first network's search judges, or random playouts where there is none), book:FILE (a FEN, an EPD or a line of
    /// moves on each line), statistics:FOLDER (lines that the games of a run or a data folder were played by).
    #[arg(long, default_value = "random", value_name = "SOURCE")]
    openings: OpeningSource,
    /// Plies of the openings; those of a book have their own length.
    #[arg(long, default_value_t = 6, value_name = "PLIES")]
    pub opening_plies: u32,
    /// Of books and statistics: sequence (as in the book; the most played first) or shuffled (by the seed; of
    /// statistics, lines played more often tend to come earlier).
    #[arg(long, default_value = "sequence", value_name = "ORDER")]
    opening_order: OpeningOrder,
    /// Of balanced openings: the most that the winning chances of the two sides may differ, 0.01 to 1.
    #[arg(long, default_value_t = 0.2, value_name = "Q")]
    opening_balance: f64,
    /// Of statistics: games that a line must have, at least.
    #[arg(long, default_value_t = 2, value_name = "GAMES")]
    opening_min_games: u64,
}

impl OpeningArguments {
    /// The same as settings of a match; the plies are a setting of their own.
    pub fn config(&self) -> OpeningsConfig {
        OpeningsConfig {
            source: self.openings.clone(),
            order: self.opening_order,
            balance: self.opening_balance,
            min_games: self.opening_min_games,
        }
    }
}
