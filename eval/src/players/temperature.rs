//! The temperature of a player that is weakened on purpose.

use search::{Algorithm, SearchConfig};
use std::fmt;
use std::str::FromStr;

/// The temperature at which a weakened player draws its moves, 0.01 to 10, in steps of 0.01. With one visit a move is
/// drawn from the network's policy, each with a probability proportional to its share to the power of one over the
/// temperature: 1 is the policy itself, and high temperatures are near random play. With more visits the moves that the
/// search compares are drawn in this way.
///
/// ```
/// use eval::players::Temperature;
///
/// let temperature: Temperature = "0.5".parse()?;
/// assert_eq!((temperature.value(), temperature.to_string()), (0.5, "0.5".to_owned()));
/// # Ok::<(), eval::players::TemperatureError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Temperature(u16);

/// A text that is no temperature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a temperature; give 0.01 to 10, with at most two decimals")]
pub struct TemperatureError(pub String);

/// Steps of a temperature of 1.
const STEPS: u16 = 100;
/// The highest temperature.
const HIGHEST: u16 = 10;

impl Temperature {
    /// The temperature as a number.
    pub fn value(self) -> f32 {
        f32::from(self.0) / f32::from(STEPS)
    }

    /// Makes a search play at this temperature: Gumbel search draws the root moves that it considers, and the scale of its
    /// noise is the temperature of the draw. The search must be one for matches ([`SearchConfig::for_matches`]).
    #[must_use]
    pub fn weaken(self, search: &SearchConfig) -> SearchConfig {
        let search = SearchConfig { algorithm: Algorithm::Gumbel, ..search.clone() }.for_matches();
        SearchConfig { gumbel_scale: self.value(), ..search }
    }
}

impl fmt::Display for Temperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl FromStr for Temperature {
    type Err = TemperatureError;

    fn from_str(text: &str) -> Result<Self, TemperatureError> {
        let error = || TemperatureError(text.to_owned());
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            return Err(error());
        }
        let steps = text.parse::<f64>().map_err(|_| error())? * f64::from(STEPS);
        let whole = steps.round();
        let is_step = (steps - whole).abs() < 1e-6 && (1.0..=f64::from(HIGHEST * STEPS)).contains(&whole);
        if is_step { Ok(Temperature(whole as u16)) } else { Err(error()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_are_hundredths() {
        for text in ["0.01", "0.35", "1", "2.5", "10"] {
            assert_eq!(text.parse::<Temperature>().unwrap().to_string(), text);
        }
        for bad in ["", "0", "0.001", "0.015", "10.01", "-1", "1e0", "inf", "nan", ".", "warm"] {
            assert!(bad.parse::<Temperature>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_weakened_search_draws_its_moves() {
        let weak = "2.5".parse::<Temperature>().unwrap().weaken(&SearchConfig::default());
        assert_eq!((weak.algorithm, weak.gumbel_scale, weak.visits), (Algorithm::Gumbel, 2.5, 32));
        assert_ne!(weak.deciding(), SearchConfig::default().for_matches().deciding());
    }
}
