//! Settings of one tree search. Every field states meaning, unit, range and the source of its default; `check` reports
//! all errors together.

use serde::{Deserialize, Serialize};
use settings::Complaints;

/// The default of `q_range_floor` in earlier versions. Players are the same whichever version wrote their log, so
/// identities still count from it.
pub const Q_RANGE_FLOOR_AT_FIRST: f32 = 0.0;

/// How moves are chosen in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Gumbel AlphaZero (Danihelka et al. 2022): sequential halving at the root, and below it the policy
    /// improved by completed Q-values. Good from 8 visits up.
    #[default]
    Gumbel,
    /// AlphaZero's PUCT with KataGo's additions. Needs hundreds of visits.
    Puct,
}

settings::named!(Algorithm { Gumbel = "gumbel", Puct = "puct" });

impl Algorithm {
    /// Whether further leaves may be chosen while others wait for their evaluation.
    pub(crate) fn allows_pending_leaves(self) -> bool {
        match self {
            Algorithm::Gumbel => false,
            Algorithm::Puct => true,
        }
    }

    /// Whether the policy target is the moves' visits.
    pub fn counts_visits(self) -> bool {
        match self {
            Algorithm::Gumbel => false,
            Algorithm::Puct => true,
        }
    }

    /// Whether a search without noise considers the same few root moves each time.
    pub fn needs_noise(self) -> bool {
        match self {
            Algorithm::Gumbel => true,
            Algorithm::Puct => false,
        }
    }
}

/// What is kept of the last tree after further moves of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reuse {
    /// Nothing.
    None,
    /// The subtree of the present position if it is proven, so that a forced win once found is played to its end.
    #[default]
    Proofs,
    /// The subtree of the present position.
    Subtree,
}

/// Keys that searches once had, with the values at which they are now fixed. Those that steered noise come first: they
/// changed no move of a search without noise, so no player's identity depends on them, whatever value a match log has.
pub const RETIRED: [(&str, &str); 12] = [
    ("noise_total", "10.83"),
    ("noise_shaped", "0.5"),
    ("root_temperature_halflife", "9.0"),
    ("root_temperature_end", "1.1"),
    ("c_visit", "50.0"),
    ("cpuct_deviation", "0.4"),
    ("cpuct_base", "500.0"),
    ("cpuct_log", "0.0"),
    ("win_in_one", "true"),
    ("ends_in_one", "true"),
    ("root_fpu_reduction", "0.0"),
    ("points_utility", "0.0"),
];

/// Number of keys in [`RETIRED`] that steered noise.
pub const RETIRED_OF_NOISE: usize = 4;

/// `cpuct_deviation_share` of networks in matches, play, engine and analysis (KataGo's; measured:
/// `docs/research/2026-11-26-deviation-term.md`). A search without a network has 0, because it misses mates with more: where
/// values hardly differ the term explores too little, and a proof needs exactly that.
pub const DEVIATION_SHARE: f32 = 0.85;

/// Settings of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SearchConfig {
    /// How moves are chosen: `gumbel` or `puct`.
    pub algorithm: Algorithm,
    /// Visits a move, 1 to 10,000,000. Gumbel search improves a policy even with few visits (Danihelka et al.
    /// 2022), so 32 suit a small machine. PUCT needs 400 and more (KataGo begins with 600).
    pub visits: u32,
    /// Parts of the run, ascending and between 0 and 1, at which the visits double until they are `visits`: with
    /// `visits = 64`, [0.25, 0.7] gives 16, 32, 64. Empty: `visits` from the beginning. Early networks know less, so
    /// more and shorter searches teach more in the same time (progressive simulation: MiniZero, Wu et al. 2023).
    pub double_visits_at: Vec<f32>,
    /// Gumbel: most root moves that are considered, 1 to 65,535 (mctx: 16).
    pub max_considered: u32,
    /// Gumbel: most considered root moves per visit, 0 to 1. At 0.5 each move gets two visits, so that sequential
    /// halving has an effect; 1 is mctx's rule.
    pub considered_share: f32,
    /// Gumbel: visits added to the most visited move's in the weight of Q-values (mctx: 50). With some dozens of visits it
    /// scales Q-values as `c_scale` does, so it is no key of a configuration; comparisons with mctx change it.
    #[serde(skip)]
    pub c_visit: f32,
    /// Gumbel: weight of a Q-value, rescaled to 0–1, against a logit, per visit, 0 to 100 (mctx: 0.1). MiniZero's
    /// scale of 1 on Q-values from −1 to 1 is ten to twenty times sharper.
    pub c_scale: f32,
    /// Gumbel: in the policy target, the least difference between the highest and the lowest Q-value that is
    /// stretched to 0–1, 0 to 2, in units of q (win − loss). At 0 (mctx) the Q-values of every root are stretched to
    /// the whole of 0–1, so that differences that are only noise are learned as if they were mates. At 2 nothing is
    /// stretched, as in the paper's board games. Moves are chosen with stretched values in any case. The default is
    /// measured (`docs/research/2026-11-22-search-targets.md`).
    pub q_range_floor: f32,
    /// Gumbel: factor on the root's Gumbel noise, 0 to 10: 1 samples without bias (self-play), 0 plays the
    /// best (matches).
    pub gumbel_scale: f32,
    /// PUCT: exploration constant, 0 to 100 (KataGo 1.1 early and 1.05 later; AlphaZero 1.25).
    pub cpuct: f32,
    /// PUCT: growth of the constant with the logarithm of the visits over 500, 0 to 100 (KataGo 0 early and 0.28 later;
    /// AlphaZero 1, over 19,652). Analysis, whose searches are long, has 0.28; it is no key of a configuration.
    #[serde(skip)]
    pub cpuct_log: f32,
    /// PUCT: part of the constant that follows the standard deviation of the values below a node, 0 to 1 (KataGo 0.85).
    /// It is multiplied by that deviation over the expected one. In self-play it was not measured and is off by default;
    /// matches have `evaluation.cpuct_deviation_share`.
    pub cpuct_deviation_share: f32,
    /// PUCT: an untried move is valued like its parent less this times √(policy share of the tried moves),
    /// 0 to 2 in units of q (KataGo 0.2). At the root it is valued like its parent (KataGo).
    pub fpu_reduction: f32,
    /// PUCT: share of Dirichlet noise in the root policy, 0 to 1 (KataGo, AlphaZero 0.25).
    pub noise_fraction: f32,
    /// PUCT: in searches with noise a root move that was tried once gets at least √(this · prior · visits of all moves)
    /// visits, which are removed again from the policy target, 0 to 100; 0 is off (KataGo 2).
    pub forced_playouts: f32,
    /// PUCT: softmax temperature of the root policy at ply 0, 0.1 to 10 (KataGo 1.25). Its difference from 1 falls to two
    /// fifths late in the game (KataGo: 1.1).
    pub root_temperature: f32,
    /// Whether every new node is searched for a win in one, which needs no network. Only programs that measure its effect
    /// switch it off: it is no key of a configuration.
    #[serde(skip)]
    pub win_in_one: bool,
    /// Whether every new node is searched for moves that end the game otherwise than by mate: by a final repetition, or
    /// by a pass in Janggi. Such a move then has its exact value before it is tried. Only programs that measure its effect
    /// switch it off: it is no key of a configuration.
    #[serde(skip)]
    pub ends_in_one: bool,
    /// What is kept of the last tree: `none`, `proofs` or `subtree`.
    pub reuse: Reuse,
}

impl Default for SearchConfig {
    fn default() -> Self {
        SearchConfig {
            algorithm: Algorithm::Gumbel,
            visits: 32,
            double_visits_at: Vec::new(),
            max_considered: 16,
            considered_share: 0.5,
            c_visit: 50.0,
            c_scale: 0.1,
            q_range_floor: 0.5,
            gumbel_scale: 1.0,
            cpuct: 1.1,
            cpuct_log: 0.0,
            cpuct_deviation_share: 0.0,
            fpu_reduction: 0.2,
            noise_fraction: 0.25,
            forced_playouts: 2.0,
            root_temperature: 1.25,
            win_in_one: true,
            ends_in_one: true,
            reuse: Reuse::Proofs,
        }
    }
}

impl SearchConfig {
    /// PUCT as networks search outside of self-play.
    pub fn of_network() -> SearchConfig {
        SearchConfig { algorithm: Algorithm::Puct, cpuct_deviation_share: DEVIATION_SHARE, ..SearchConfig::default() }
    }

    /// These settings without exploration for training: no Gumbel or Dirichlet noise, no forced playouts, no softened
    /// root policy. The tree is kept between moves.
    #[must_use]
    pub fn for_matches(&self) -> SearchConfig {
        SearchConfig {
            double_visits_at: Vec::new(),
            gumbel_scale: 0.0,
            noise_fraction: 0.0,
            forced_playouts: 0.0,
            root_temperature: 1.0,
            reuse: match self.algorithm {
                // Sequential halving requires its moves to start with equal visits.
                Algorithm::Gumbel => Reuse::Proofs,
                Algorithm::Puct => Reuse::Subtree,
            },
            ..self.clone()
        }
    }

    /// These settings, with all that do not affect the moves at their defaults: those of the other algorithm,
    /// and those of noise if there is none. Two searches choose the same moves if these are equal.
    ///
    /// ```
    /// use search::{Algorithm, SearchConfig};
    ///
    /// let puct = SearchConfig { algorithm: Algorithm::Puct, ..SearchConfig::default() };
    /// assert_eq!(SearchConfig { c_scale: 0.3, ..puct.clone() }.deciding(), puct.deciding());
    /// assert_ne!(SearchConfig { cpuct: 2.0, ..puct.clone() }.deciding(), puct.deciding());
    /// ```
    #[must_use]
    pub fn deciding(&self) -> SearchConfig {
        let defaults = SearchConfig::default();
        let mut search = SearchConfig { double_visits_at: Vec::new(), ..self.clone() };
        match self.algorithm {
            Algorithm::Gumbel => {
                search = SearchConfig {
                    cpuct: defaults.cpuct,
                    cpuct_log: defaults.cpuct_log,
                    cpuct_deviation_share: defaults.cpuct_deviation_share,
                    fpu_reduction: defaults.fpu_reduction,
                    noise_fraction: defaults.noise_fraction,
                    forced_playouts: defaults.forced_playouts,
                    root_temperature: defaults.root_temperature,
                    ..search
                };
            }
            Algorithm::Puct => {
                search = SearchConfig {
                    max_considered: defaults.max_considered,
                    considered_share: defaults.considered_share,
                    c_visit: defaults.c_visit,
                    c_scale: defaults.c_scale,
                    q_range_floor: Q_RANGE_FLOOR_AT_FIRST,
                    gumbel_scale: defaults.gumbel_scale,
                    ..search
                };
            }
        }
        search
    }

    /// Visits a move when this part of the run (0 to 1) is done: `visits`, halved for each later doubling.
    pub fn visits_at(&self, progress: f32) -> u32 {
        let to_come = self.double_visits_at.iter().filter(|&&at| progress < at).count() as u32;
        self.visits.checked_shr(to_come).unwrap_or(0)
    }

    /// Reports each value that is out of range or contradicts another.
    pub fn check(&self, c: &mut Complaints) {
        c.within("visits", self.visits, 1, 10_000_000);
        let doublings = &self.double_visits_at;
        if !doublings.iter().all(|at| (0.0..1.0).contains(at)) || !doublings.is_sorted_by(|a, b| a < b) {
            c.say("double_visits_at", format!("{doublings:?} are not ascending parts of the run, 0 to 1"));
        } else if !doublings.is_empty() && self.visits.checked_shr(doublings.len() as u32).unwrap_or(0) == 0 {
            let (visits, times) = (self.visits, doublings.len());
            c.say("double_visits_at", format!("{visits} visits cannot be halved {times} times"));
        }
        c.within("max_considered", self.max_considered, 1, 65_535);
        c.within("considered_share", self.considered_share, 0.0, 1.0);
        c.within("c_scale", self.c_scale, 0.0, 100.0);
        c.within("q_range_floor", self.q_range_floor, 0.0, 2.0);
        c.within("gumbel_scale", self.gumbel_scale, 0.0, 10.0);
        c.within("cpuct", self.cpuct, 0.0, 100.0);
        c.within("cpuct_log", self.cpuct_log, 0.0, 100.0);
        c.within("cpuct_deviation_share", self.cpuct_deviation_share, 0.0, 1.0);
        c.within("fpu_reduction", self.fpu_reduction, 0.0, 2.0);
        c.within("noise_fraction", self.noise_fraction, 0.0, 1.0);
        c.within("forced_playouts", self.forced_playouts, 0.0, 100.0);
        c.within("root_temperature", self.root_temperature, 0.1, 10.0);
        if self.algorithm == Algorithm::Gumbel && self.reuse == Reuse::Subtree {
            c.say("reuse", "subtree goes with puct; gumbel counts on root moves starting even, use proofs");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_are_refused() {
        let error = serde_json::from_str::<SearchConfig>(r#"{"vists": 3}"#).expect_err("a typo");
        assert!(error.to_string().starts_with("unknown field `vists`"), "{error}");
        let config: SearchConfig = serde_json::from_str(r#"{"algorithm": "puct", "reuse": "subtree"}"#).expect("known");
        assert_eq!((config.algorithm, config.reuse, config.visits), (Algorithm::Puct, Reuse::Subtree, 32));
    }
}
