//! The pairings of a run's matches. They depend only on the matches on record, so a resumed run chooses the same ones.
//!
//! Networks that play only each other are rated relative to each other, and where one of them wins every game the
//! rating says little. So each network also plays a fixed player of about its own strength, and at the end of the run
//! the neighbours in the table of ratings with the most uncertain difference play each other.

use crate::config::Config;
use crate::events::Match;
use crate::opponent::Opponent;
use crate::scale::{self, fixed_scale, opponents, places};
use eval::benchmark::FixedScale;
use eval::ratings::{Encounter, RatingTable, Wdl, rate, score_of_elo};

/// The players of a run's matches other than its trained networks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entrants {
    /// Whether network 0 is trained: it came from another run. An untrained one loses every game and cannot be rated.
    pub first: bool,
    /// Whether a network of the variant comes with Kirin.
    pub builtin: bool,
    /// Visits a move in matches.
    pub visits: u32,
    /// The fixed scale, from which the fixed players are taken; `None` if the run has none, or was begun by a program that
    /// chose other players.
    pub scale: Option<&'static FixedScale>,
}

impl Entrants {
    /// The players of a run of a variant; `begins_untrained` is false for a run that began with a network of another run.
    pub fn of(config: &Config, begins_untrained: bool) -> Entrants {
        let builtin = config.variant().is_ok_and(train::has_builtin);
        let visits = config.evaluation.visits;
        Entrants { first: !begins_untrained, builtin, visits, scale: fixed_scale(config) }
    }

    /// These players in a run with these matches: one that earlier programs began keeps the players that it had.
    pub fn after(self, matches: &[&Match]) -> Entrants {
        let is_older = matches.iter().any(|played| games(played) > 0 && played.opponent_id.is_empty());
        Entrants { scale: self.scale.filter(|_| !is_older), ..self }
    }
}

/// Playouts of the weakest player that searches.
const PLAYOUTS: u32 = 20;

/// Score from which a network meets the next stronger fixed player; below 1 minus this score it meets the next weaker
/// one.
const STEP: f64 = 0.75;

/// Half the 95 % interval of the difference between neighbours in the table, in Elo, above which more games are played.
/// The table should stay below 200: it also estimates the value of moving first, which is ignored here.
const WIDEST: f64 = 190.0;

/// Fewest pairs of a match, where as many may be played: games played in parallel share the calls of the network, so
/// three pairs take nearly as long as fifteen.
pub(crate) const FEWEST_PAIRS: u32 = 10;

/// Most pairs of a match that brings two neighbours closer, before ratings are computed again.
const MOST_PAIRS: u32 = 20;

/// A network halfway between two distant neighbours plays only if games between the two need at least this many times
/// as many pairs as games with it: it is not known beforehand whether the network is halfway.
const WORTH_A_PLAYER: f64 = 1.5;

/// With `error` half the 95 % interval in Elo, one game of expected score `p` adds `p (1 − p)` times this number to
/// `1 / error²` (the logistic curve of Elo; draws are ignored). A game between equals adds `1 / 4` of it.
const PER_GAME: f64 = 1.0 / (340.5 * 340.5);

impl Entrants {
    /// The fixed players of a run without a fixed scale, weakest first: the order of a round robin of 6 pairs in Wangqi,
    /// Xiangqi, Janggi and Shogi. In Kō shogi, with games of 160 plies, nearly all of greedy and the network are drawn.
    fn fixed(self) -> Vec<Opponent> {
        let mut players = vec![Opponent::Random, Opponent::Mcts(PLAYOUTS), Opponent::Greedy];
        if self.builtin {
            let visits = [1, 4].into_iter().filter(|&few| few < self.visits);
            players.extend(visits.chain([self.visits]).map(Opponent::Builtin));
        }
        players
    }

    /// The fixed player for a network after these matches of earlier ones. `progress` is the part of the run that is done.
    ///
    /// On the fixed scale it is the nearest to the newest network that has a place there. Where matches are played
    /// elsewhere and their results are not known, the players from greedy to the highest level follow one another as the run
    /// progresses.
    ///
    /// Without a scale it is that of the match before, or its neighbour in strength where the score was far from one half.
    /// Greedy where no result is known.
    pub fn fixed_player(self, earlier: &[&Match], progress: f64) -> Opponent {
        let Some(scale) = self.scale else { return self.by_score(earlier) };
        let fixed: Vec<(Opponent, f64)> = opponents(scale).map(|(opponent, player)| (opponent, player.elo)).collect();
        if !earlier.is_empty() && earlier.iter().all(|played| games(played) == 0) {
            let from = fixed.iter().position(|&(opponent, _)| opponent == Opponent::Greedy).unwrap_or(0);
            // The strongest is the bundled network, which the last network meets in any case.
            let further = fixed.len().saturating_sub(2 + from) as f64 * progress.clamp(0.0, 1.0);
            return fixed[from + further.round() as usize].0;
        }
        let places = places(scale, earlier);
        let Some((_, place)) = places.iter().max_by_key(|(network, _)| *network) else { return Opponent::Greedy };
        let distance = |&&(_, elo): &&(Opponent, f64)| (elo - place.elo).abs();
        let nearest = fixed.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map_or(Opponent::Greedy, |&(opponent, _)| opponent)
    }

    fn by_score(self, earlier: &[&Match]) -> Opponent {
        let fixed = self.fixed();
        let place = |opponent: Opponent| fixed.iter().position(|&player| player == opponent);
        let last = earlier.iter().filter(|played| games(played) > 0 && place(played.opponent).is_some());
        // The first match of the newest network: its others belong to the end of a run.
        let newest = last.clone().map(|played| played.network).max();
        let Some(played) = last.clone().find(|played| Some(played.network) == newest) else { return Opponent::Greedy };
        let at = place(played.opponent).unwrap_or_default();
        let score = score(played);
        let next = if score > STEP {
            (at + 1).min(fixed.len() - 1)
        } else if score < 1.0 - STEP {
            at.saturating_sub(1)
        } else {
            at
        };
        fixed[next]
    }

    /// The opponents of the last network: a fixed player of its strength, the network that comes with Kirin, and the
    /// strongest earlier network. Without a fixed scale greedy takes the place of the fixed player.
    pub fn last_opponents(self, network: u32, earlier: &[&Match]) -> Vec<Opponent> {
        let mut opponents = match self.scale {
            Some(scale) => {
                let mut opponents = vec![self.fixed_player(earlier, 1.0)];
                opponents.extend(self.bundled(scale).filter(|bundled| !opponents.contains(bundled)));
                opponents
            }
            None => {
                // Its number of visits is chosen so that it has about the same strength.
                let builtin = self.builtin.then(|| match self.by_score(earlier) {
                    Opponent::Builtin(visits) => Opponent::Builtin(visits),
                    _ => Opponent::Builtin(1),
                });
                [Opponent::Greedy].into_iter().chain(builtin).collect()
            }
        };
        opponents.extend(self.strongest_before(network, earlier).map(Opponent::Network));
        opponents
    }

    /// The network that comes with Kirin as it is on the scale: with as many visits as the run's networks have, or the next
    /// smaller number there.
    fn bundled(self, scale: &'static FixedScale) -> Option<Opponent> {
        let visits = opponents(scale).filter_map(|(opponent, _)| match opponent {
            Opponent::Builtin(visits) => Some(visits),
            _ => None,
        });
        let (few, many): (Vec<u32>, Vec<u32>) = visits.partition(|&visits| visits <= self.visits);
        few.into_iter().max().or(many.into_iter().min()).map(Opponent::Builtin)
    }

    /// Whether the opponent of a match is a network of the run, or a fixed player as this program has it. Another version
    /// may bring another network, and other levels.
    pub fn is_present(self, played: &Match) -> bool {
        let Some(scale) = self.scale.filter(|_| played.opponent.network().is_none()) else { return true };
        opponents(scale)
            .any(|(opponent, player)| opponent == played.opponent && player.id.as_str() == played.opponent_id)
    }

    /// The newest network before this one that has played; if none has, network 0, where it may play.
    pub fn newest_before(self, network: u32, earlier: &[&Match]) -> Option<u32> {
        let played = earlier.iter().map(|played| played.network).filter(|&played| played < network);
        played.max().or((self.first && network > 0).then_some(0))
    }

    fn strongest_before(self, network: u32, earlier: &[&Match]) -> Option<u32> {
        let rated = self.ratings(earlier);
        let rows = rated.iter().flat_map(|(players, table)| players.iter().zip(&table.rows));
        // Best first.
        let best = rows.filter_map(|(player, _)| player.network()).find(|&other| other < network);
        best.or_else(|| self.newest_before(network, earlier))
    }

    /// The match that brings neighbours in the table of ratings closer whose difference is too uncertain, with its
    /// number of pairs, if there is one. Of several candidates, the one that takes the fewest pairs. `networks` are the
    /// generations of the run that made a network.
    pub fn closing_match(
        self,
        all: &[&Match],
        networks: &[u32],
        may_be_played: impl Fn(u32, Opponent) -> bool,
    ) -> Option<(u32, Opponent, u32)> {
        let (players, table) = self.ratings(all)?;
        // On the fixed scale the ladder's games tell players apart, too.
        let on_scale = self.scale.and_then(|scale| Some((scale, scale::table(scale, all)?)));
        let is_known = |pair: &[Opponent]| {
            on_scale.as_ref().is_some_and(|(scale, table)| {
                let [better, worse] = [pair[0], pair[1]].map(|player| scale::name(scale, player));
                table.difference(&better, &worse).is_some_and(|difference| difference.error <= WIDEST)
            })
        };
        let gaps = players.windows(2).zip(&table.rows).enumerate().filter_map(|(at, (pair, row))| {
            let over = row.over_next.filter(|over| over.error > WIDEST)?;
            if is_known(pair) {
                return None;
            }
            let (network, opponent, distance) = closing(pair[0], pair[1], over.value, &players, &table)?;
            let direct = pairs_for(distance, over.error);
            // Where games between the two would say too little, a player between them: two steps of half the distance.
            let halfway = pairs_for(over.value / 2.0, f64::INFINITY);
            if WORTH_A_PLAYER * 2.0 * halfway < direct
                && let Some((better, between)) = network_between(at, &players, networks)
            {
                return Some((halfway, better, Opponent::Network(between)));
            }
            may_be_played(network, opponent).then_some((direct, network, opponent))
        });
        let (pairs, network, opponent) = gaps.min_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
        Some((network, opponent, (pairs.ceil() as u32).clamp(FEWEST_PAIRS, MOST_PAIRS)))
    }

    /// The ratings by these matches: the players, best first, and their table. `None` where no result is known.
    pub fn ratings(self, matches: &[&Match]) -> Option<(Vec<Opponent>, RatingTable)> {
        // A match that was extended is on record again, with all of its games.
        let is_last = |at: usize| {
            let same = |other: &&Match| (other.network, other.opponent) == (matches[at].network, matches[at].opponent);
            !matches[at + 1..].iter().any(same)
        };
        let counts = |played: &Match| games(played) > 0 && (self.first || played.opponent != Opponent::Network(0));
        let last = (0..matches.len()).filter(|&at| is_last(at) && counts(matches[at])).map(|at| matches[at]);
        let last: Vec<&Match> = last.collect();
        // Each player begins half of the games, and the record does not separate their results.
        let both_orders = |played: &&Match| {
            let [network, opponent] = [Opponent::Network(played.network), played.opponent].map(|it| it.to_string());
            let [wins, draws, losses] = [played.wins, played.draws, played.losses];
            let begun = Wdl::new(wins.div_ceil(2), draws.div_ceil(2), losses.div_ceil(2));
            let answered = Wdl::new(losses / 2, draws / 2, wins / 2);
            [
                Encounter { first: network.clone(), second: opponent.clone(), results: begun },
                Encounter { first: opponent, second: network, results: answered },
            ]
        };
        let encounters: Vec<Encounter> = last.iter().flat_map(both_orders).collect();
        let table = rate(&encounters, None).ok()?;
        let all = last.iter().flat_map(|played| [Opponent::Network(played.network), played.opponent]);
        let named: Vec<(String, Opponent)> = all.map(|player| (player.to_string(), player)).collect();
        let player = |name: &str| named.iter().find(|(other, _)| other == name).map(|&(_, player)| player);
        let players: Option<Vec<Opponent>> = table.rows.iter().map(|row| player(&row.player)).collect();
        Some((players?, table))
    }
}

/// Pairs between players at this distance in Elo that bring half the 95 % interval of their difference from `error` to
/// [`WIDEST`].
fn pairs_for(distance: f64, error: f64) -> f64 {
    let lacking = 1.0 / (WIDEST * WIDEST) - 1.0 / (error * error);
    let p = score_of_elo(distance);
    lacking / (2.0 * PER_GAME * p * (1.0 - p))
}

/// A network that has not played yet, halfway between the networks on both sides of a gap in the table, with the
/// network above the gap as its opponent. Networks of a run become stronger, most quickly in its first generations.
fn network_between(at: usize, players: &[Opponent], networks: &[u32]) -> Option<(u32, u32)> {
    let better = players[..=at].iter().rev().find_map(|player| player.network())?;
    let worse = players[at + 1..].iter().find_map(|player| player.network()).unwrap_or(0);
    let fresh =
        |network: &u32| worse < *network && *network < better && !players.contains(&Opponent::Network(*network));
    let off_centre = |network: &u32| (2 * network).abs_diff(worse + better);
    let between = networks.iter().copied().filter(fresh).min_by_key(off_centre)?;
    Some((better, between))
}

/// The match that separates two neighbours, with the distance of its players in Elo. If both are fixed players, the
/// network nearest to both plays the one of them from which its difference is more uncertain.
fn closing(
    better: Opponent,
    worse: Opponent,
    distance: f64,
    players: &[Opponent],
    table: &RatingTable,
) -> Option<(u32, Opponent, f64)> {
    match (better.network(), worse.network()) {
        (Some(a), Some(b)) => Some((a.max(b), Opponent::Network(a.min(b)), distance)),
        (Some(network), None) => Some((network, worse, distance)),
        (None, Some(network)) => Some((network, better, distance)),
        (None, None) => {
            let difference = |a: Opponent, b: Opponent| table.difference(&a.to_string(), &b.to_string());
            let far = |network: Opponent| {
                let sides = [better, worse].map(|fixed| difference(network, fixed));
                sides.into_iter().map(|side| side.map_or(f64::INFINITY, |side| side.value.abs())).fold(0.0, f64::max)
            };
            let networks = players.iter().copied().filter(|player| player.network().is_some());
            let nearest = networks.min_by(|&a, &b| far(a).total_cmp(&far(b)))?;
            let error = |fixed: Opponent| difference(nearest, fixed).map_or(0.0, |side| side.error);
            let fixed = if error(better) > error(worse) { better } else { worse };
            Some((nearest.network()?, fixed, difference(nearest, fixed)?.value))
        }
    }
}

/// Games of a match.
pub(crate) fn games(played: &Match) -> u64 {
    played.wins + played.draws + played.losses
}

/// Mean score of the network, 0 to 1.
fn score(played: &Match) -> f64 {
    (played.wins as f64 + played.draws as f64 / 2.0) / games(played).max(1) as f64
}
