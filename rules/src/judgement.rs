//! Judgements: who brought a repetition about, by which moves, and what a body of rules makes of it.
//!
//! [`judge`] finds every repetition in a game that the rule set of the game ends it by, and says of each what kind of
//! move every move was and how the authority rules. The outcome by [`Authority::RULE_SET`] is the one of the game
//! itself.
//!
//! ```
//! use rules::{Authority, Game, MoveKind, Position, Rules, Xiangqi};
//!
//! let start = Position::from_fen("3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1")?;
//! let cycle = "a9a10 d10d9 a10a9 d9d10";
//! let game = Game::<Xiangqi>::from_moves_text(Rules::default(), start, &format!("{cycle} {cycle}"))?;
//! let judgements = rules::judge(&game, &Authority::RULE_SET);
//! assert_eq!((judgements.len(), judgements[0].from, judgements[0].to), (1, 0, 8));
//! assert_eq!(judgements[0].moves[0].kind, MoveKind::Check);
//! assert_eq!(judgements[0].outcome.termination.name(), "perpetual_check");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::game::Game;
use crate::moves::Move;
use crate::outcome::{Outcome, Termination};
use crate::rulebook::Rulebook;
use crate::side::Side;
use crate::square::Square;
use std::fmt;

/// A body whose rules say what a repetition means. A variant lists those it knows ([`Rulebook::AUTHORITIES`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Authority {
    /// Name on the command line and in data.
    pub id: &'static str,
    /// Name for people, with the native one and the edition.
    pub title: &'static str,
    /// Where its rules are published.
    pub source: &'static str,
}

impl Authority {
    /// The rule set of the game: what Kirin plays by.
    pub const RULE_SET: Authority =
        Authority { id: "kirin", title: "the rule set of the game", source: "docs/reference/rules.md" };

    /// The authority of variant `V` with this id.
    ///
    /// # Errors
    /// The variant has none of that name; the error lists those it has.
    pub fn named<V: Rulebook>(id: &str) -> Result<&'static Authority, UnknownAuthority> {
        V::AUTHORITIES.iter().find(|authority| authority.id == id).ok_or_else(|| UnknownAuthority {
            variant: V::ID,
            id: id.to_owned(),
            known: V::AUTHORITIES.iter().map(|authority| authority.id).collect::<Vec<_>>().join(", "),
        })
    }
}

/// No authority of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variant} has no authority {id:?} on repetition; it has: {known}")]
pub struct UnknownAuthority {
    /// The variant asked.
    pub variant: &'static str,
    /// The name asked for.
    pub id: String,
    /// The names there are.
    pub known: String,
}

macro_rules! move_kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $native:literal,)*) => {
        /// What a move of a cycle does, as far as an authority tells it apart. The first that fits in the order of the
        /// authority.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum MoveKind { $($(#[$doc])* $kind,)* }

        impl MoveKind {
            /// Every kind.
            pub const ALL: &'static [MoveKind] = &[$(MoveKind::$kind),*];

            /// The name, for example `chase`.
            pub const fn name(self) -> &'static str {
                match self { $(MoveKind::$kind => $name,)* }
            }

            /// The native name, for example 捉.
            pub const fn native(self) -> &'static str {
                match self { $(MoveKind::$kind => $native,)* }
            }
        }
    };
}

move_kinds! {
    /// The general or king is attacked.
    Check = "check", "將",
    /// The side that moved would mate with its next move, or with a series of checks.
    Threat = "threat", "殺",
    /// A piece is attacked that could be taken with profit.
    Chase = "chase", "捉",
    /// An exchange is offered: two pieces attack each other.
    Exchange = "exchange", "兌",
    /// The piece that moved may be taken.
    Offer = "offer", "獻",
    /// The piece that moved stands between an enemy piece and what that attacked.
    Block = "block", "攔",
    /// A protected piece is attacked.
    Follow = "follow", "跟",
    /// Nothing of all this.
    Idle = "idle", "閑",
    /// No piece moved (한수쉼 虛手).
    Pass = "pass", "虛手",
    /// The generals face each other (빅장 照面).
    Facing = "facing", "照面",
}

impl fmt::Display for MoveKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An attack of one piece on another, by where they stand after the move that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attack {
    /// The attacker.
    pub attacker: Square,
    /// What it attacks.
    pub victim: Square,
}

/// A move of the cycle and what it did.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedMove {
    /// Plies of the game before it.
    pub ply: u32,
    /// Who moved.
    pub side: Side,
    /// The move.
    pub mv: Move,
    /// What it did.
    pub kind: MoveKind,
    /// The attacks that make it a check, a chase, an exchange or a follow. Of an offer, the enemy's on the piece that
    /// moved; of a threat, the piece that moved and the general.
    pub attacks: Vec<Attack>,
}

/// What a side did in the whole cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conduct {
    /// The side.
    pub side: Side,
    /// The kinds of its moves, each once, in the order of [`MoveKind`].
    pub kinds: Vec<MoveKind>,
    /// Whether it is forbidden.
    pub is_offence: bool,
    /// The pieces that offend, by where they stood when the cycle began; empty where nothing offends.
    pub offenders: Vec<Square>,
    /// The pieces that were chased by all its chases, by where they stood when the cycle began.
    pub victims: Vec<Square>,
}

impl Conduct {
    /// What the field calls it: `perpetual check 長將`, `check and chase in turn 一將一捉`.
    pub fn name(&self) -> String {
        let names: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        match &self.kinds[..] {
            [] => "no move".to_owned(),
            [MoveKind::Chase] if self.victims.is_empty() => "chases of different pieces in turn 分捉".to_owned(),
            [MoveKind::Idle] => "idle moves 閑".to_owned(),
            [kind] if *kind > MoveKind::Idle => format!("{} {}", kind.name(), kind.native()),
            [kind] => format!("perpetual {} 長{}", kind.name(), kind.native()),
            kinds => {
                let native: String = kinds.iter().map(|kind| format!("一{}", kind.native())).collect();
                let (last, others) = names.split_last().unwrap_or((&"", &[]));
                format!("{} and {last} in turn {native}", others.join(", "))
            }
        }
    }
}

/// The rule by which an authority decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its number in the authority's text; empty where there is none.
    pub number: &'static str,
    /// What it says, in our words.
    pub text: &'static str,
}

/// What an authority makes of a repetition, or of another end that the last moves brought about.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Who judges.
    pub authority: &'static Authority,
    /// Plies of the game at the first of the equal positions.
    pub from: u32,
    /// Plies of the game at the last of them.
    pub to: u32,
    /// How often the position stood.
    pub occurrences: u32,
    /// The moves from [`from`](Self::from) to [`to`](Self::to).
    pub moves: Vec<JudgedMove>,
    /// What each side did, the first player first.
    pub conduct: [Conduct; 2],
    /// The ruling. Bodies for people over the board ask the offender to change first; it loses if it does not.
    pub outcome: Outcome,
    /// The rule that decides.
    pub rule: Rule,
    /// What a program does not tell apart and the ruling may depend on; empty where nothing is left open.
    pub reservations: Vec<&'static str>,
}

impl Judgement {
    /// The side that loses; `None` for a draw.
    pub fn loser(&self) -> Option<Side> {
        self.outcome.winner().map(Side::other)
    }
}

/// Judges every repetition of a game that its rule set ends it by, and every other end that the last moves bring about
/// (a second pass in turn, facing accepted). After each the history is emptied, as if the players had played on.
pub fn judge<V: Rulebook>(game: &Game<V>, authority: &'static Authority) -> Vec<Judgement> {
    let mut found = Vec::new();
    let mut history = Game::from_position(*game.rules(), game.start_position().clone());
    let mut before = 0;
    for (ply, &mv) in game.moves().iter().enumerate() {
        history.play(mv);
        let Some(outcome) = V::special_end(&history).filter(|outcome| is_judged(outcome.termination)) else { continue };
        let first = match outcome.termination {
            Termination::Bikjang | Termination::MutualPass => history.moves().len().saturating_sub(2),
            _ => history.earlier_occurrences().last().unwrap_or(0),
        };
        let mut judgement = V::judge(&history, first, authority);
        judgement.from += before;
        judgement.to += before;
        judgement.moves.iter_mut().for_each(|judged| judged.ply += before);
        found.push(judgement);
        history = Game::from_position(*game.rules(), history.position().clone());
        before = ply as u32 + 1;
    }
    found
}

/// Whether an end is one of those that the moves before it are judged for.
fn is_judged(termination: Termination) -> bool {
    use Termination::{Bikjang, MutualPass, PerpetualChase, PerpetualCheck, PerpetualThreat, Repetition};
    matches!(termination, Bikjang | MutualPass | PerpetualChase | PerpetualCheck | PerpetualThreat | Repetition)
}

/// The judgement where checks and passes alone are told apart: the rule set of the game rules. `first` is the ply of
/// the first of the equal positions, the present one the last.
pub(crate) fn by_rule_set<V: Rulebook>(game: &Game<V>, first: usize) -> Judgement {
    let outcome = V::special_end(game).unwrap_or(Outcome::draw(Termination::Repetition));
    let moves: Vec<JudgedMove> = (first..game.moves().len())
        .map(|ply| {
            let (mv, after) = (game.moves()[ply], &game.positions()[ply + 1]);
            let is_last = ply + 1 == game.moves().len();
            let kind = match outcome.termination {
                Termination::Bikjang if !is_last => MoveKind::Facing,
                _ if mv.is_pass() => MoveKind::Pass,
                _ if after.is_check() => MoveKind::Check,
                _ => MoveKind::Idle,
            };
            JudgedMove { ply: ply as u32, side: after.side().other(), mv, kind, attacks: Vec::new() }
        })
        .collect();
    let loser = outcome.winner().map(Side::other);
    let conduct = Side::BOTH.map(|side| Conduct {
        side,
        kinds: kinds_of(&moves, side),
        is_offence: loser == Some(side) && outcome.points.is_none(),
        offenders: Vec::new(),
        victims: Vec::new(),
    });
    Judgement {
        authority: &Authority::RULE_SET,
        from: first as u32,
        to: game.moves().len() as u32,
        occurrences: game.repetitions() + 1,
        moves,
        conduct,
        outcome,
        rule: rule_of(&outcome),
        reservations: Vec::new(),
    }
}

/// The kinds of a side's moves, each once.
pub(crate) fn kinds_of(moves: &[JudgedMove], side: Side) -> Vec<MoveKind> {
    let mut kinds: Vec<MoveKind> = moves.iter().filter(|mv| mv.side == side).map(|mv| mv.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// What the rule set says.
pub(crate) fn rule_of(outcome: &Outcome) -> Rule {
    let by_points = outcome.points.is_some();
    let text = match outcome.termination {
        Termination::PerpetualCheck => "a side that gives check with every move of a repetition loses",
        Termination::PerpetualThreat => "a side that checks or threatens mate with every move of a repetition loses",
        Termination::PerpetualChase => {
            "a side that chases, checks or threatens mate with every move of a repetition loses"
        }
        Termination::Bikjang if by_points => "facing generals that the opponent accepts end the game; points decide",
        Termination::Bikjang => "facing generals that the opponent accepts end the game with a draw",
        Termination::MutualPass if by_points => "two passes in turn end the game; points decide",
        Termination::MutualPass => "two passes in turn end the game with a draw",
        _ if by_points => "a repetition ends the game; points decide",
        _ if outcome.winner().is_some() => "the side that brings the repetition about loses",
        _ => "a repetition in which no side alone offends is a draw",
    };
    Rule { number: "", text }
}
