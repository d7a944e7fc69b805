//! A written game by the rules: its rule set, start, moves and result.

use rules::{
    FenError, Game, GameResult, MoveError, MoveList, Outcome, Position, Rules, Termination, Variant, VariantId,
};

use crate::pgn;
use crate::problem::{GameError, Reason};
use crate::record::TaggedGame;
use crate::san::MoveReading;
use crate::tags::Tags;
use crate::written::{WrittenGame, WrittenResult, WrittenStart, result_text, shown};

impl WrittenGame {
    /// The game by the rules. Its moves are in one of these notations of the variant; where there are none, in any that
    /// fits all of them. `own_start` is the variant's own start position, which takes long to set up for each game.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line: a fault in the record itself, another variant, an unknown rule set
    /// (where `rules` gives none), an impossible start position, no moves, a move that is not legal or cannot be read,
    /// or a result other than that of a final position without legal moves.
    pub fn verify<V: Variant>(
        self,
        notations: &[&str],
        rules: Option<Rules<V>>,
        own_start: &Position<V>,
    ) -> Result<TaggedGame<V>, GameError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let fault = |line, what, why| GameError { line, what, why };
        let named = self.variant.as_deref().map(|name| rules_of::<V>(name)).transpose();
        let named = named.map_err(|why| fault(self.line, Reason::OtherVariant, why))?.flatten();
        let written = self.rules.as_deref().map(str::parse::<Rules<V>>).transpose();
        // What the caller says of the rule set comes before what the record says.
        let rules = match rules {
            Some(rules) => rules,
            None => {
                let written = written.map_err(|error| fault(self.line, Reason::RuleSet, error.to_string()))?;
                written.or(named).unwrap_or_default()
            }
        };
        let start = position(&self.start.1, own_start);
        let start = start.map_err(|error| fault(self.start.0, Reason::Start, error))?;
        if self.moves.is_empty() {
            return Err(fault(self.line, Reason::NoMoves, "the game has no moves".to_owned()));
        }
        let game = self.play(notations, &Game::from_position(rules, start))?;
        let lost_by_last_move = game.moves().len() < self.moves.len();
        let outcome = match self.verdict {
            // The player that made the illegal move is still to move without it.
            WrittenResult::SideToMoveWins | WrittenResult::SideToMoveLoses if lost_by_last_move => {
                Some(Outcome::win(game.side().other(), self.termination.unwrap_or(Termination::Error)))
            }
            verdict => {
                let outcome = outcome(&game, verdict, self.termination);
                outcome.map_err(|why| fault(self.moves.last().map_or(self.line, |last| last.0), Reason::Result, why))?
            }
        };
        let opening_plies = self.tags.opening_plies.min(game.ply());
        Ok(TaggedGame { line: self.line, tags: Tags { opening_plies, ..self.tags }, game, outcome })
    }

    /// Plays the moves in the notation that reads all of them, else fails where the best one fails.
    fn play<V: Variant>(&self, notations: &[&str], start: &Game<V>) -> Result<Game<V>, GameError> {
        // The notation that the record names may be a wrong one, and so is only the first.
        let named = self.notation.as_deref().and_then(pgn::named_by_tag::<V>).map(MoveReading::Notation);
        // Of two that come equally far, the one that knows what was meant tells more.
        let mut farthest: Option<((usize, bool), GameError)> = None;
        for reading in named.into_iter().chain(MoveReading::<V>::all(notations)) {
            match self.play_in(reading, start.clone()) {
                Ok(game) => return Ok(game),
                Err((at, fault)) => {
                    let rank = (at, fault.what == Reason::IllegalMove);
                    if farthest.as_ref().is_none_or(|(best, _)| rank > *best) {
                        farthest = Some((rank, fault));
                    }
                }
            }
        }
        let nothing =
            || GameError { line: self.line, what: Reason::UnreadableMove, why: "no notation reads it".to_owned() };
        Err(farthest.map_or_else(nothing, |(_, fault)| fault))
    }

    /// Plays the moves in one notation. On a failure: the number of the move and what is wrong.
    fn play_in<V: Variant>(&self, reading: MoveReading<V>, mut game: Game<V>) -> Result<Game<V>, (usize, GameError)> {
        let mut legal = MoveList::new();
        game.reserve(self.moves.len());
        for (at, (line, text)) in self.moves.iter().enumerate() {
            match reading.read(game.position(), text, &mut legal) {
                Ok(mv) => game.play(mv),
                Err(_) if self.ends_illegally && at > 0 && at + 1 == self.moves.len() => return Ok(game),
                Err(error) => {
                    let what = match error {
                        MoveError::Illegal { .. } => Reason::IllegalMove,
                        _ => Reason::UnreadableMove,
                    };
                    return Err((at, GameError { line: *line, what, why: format!("move {}: {error}", at + 1) }));
                }
            }
        }
        Ok(game)
    }
}

/// Rule sets that other programs write behind the name of a variant, and what they are called here. `modern` is that of
/// Fairy-Stockfish for the game as it is played online in Korea.
const PRESETS: [(&str, &str); 1] = [("modern", "kakao")];

/// The rule set that the name of a variant implies, `None` for the default one: other programs write a rule set behind
/// the name, as in `janggitraditional`, and [`PRESETS`].
fn rules_of<V: Variant>(name: &str) -> Result<Option<Rules<V>>, String> {
    let plain = name.trim().to_lowercase();
    let is_named =
        |id: &str, title: &str| plain == id || title.split_whitespace().any(|word| word.to_lowercase() == plain);
    if is_named(V::ID, V::TITLE) {
        return Ok(None);
    }
    let preset = plain.strip_prefix(V::ID).map(|preset| preset.trim_start_matches(['-', '_', ' ']));
    let preset = preset.map(|name| PRESETS.iter().find(|(other, _)| *other == name).map_or(name, |&(_, ours)| ours));
    if let Some(rules) = preset.and_then(|preset| Rules::named(preset).ok()) {
        return Ok(Some(rules));
    }
    let other = VariantId::ALL.iter().find(|id| is_named(id.id(), id.title()));
    Err(match other {
        Some(other) => format!("a game of {other}, not of {}", V::ID),
        None => format!("the variant {:?} is not {}", shown(name), V::ID),
    })
}

fn position<V: Variant>(start: &WrittenStart, own: &Position<V>) -> Result<Position<V>, String> {
    match start {
        WrittenStart::Own => Ok(own.clone()),
        WrittenStart::Text(text) => Position::from_text(text).map_err(|error: FenError| error.to_string()),
        WrittenStart::Setups(names) => Position::start_with(*names).map_err(|error| error.to_string()),
    }
}

/// How the game ended. The rules decide, unless the record names another winner: then the game was played by other
/// rules. `None` if neither says anything.
///
/// # Errors
/// The side to move has no legal move, and the record names another result than that: no rule set judges this
/// otherwise.
fn outcome<V: Variant>(
    game: &Game<V>,
    verdict: WrittenResult,
    termination: Option<Termination>,
) -> Result<Option<Outcome>, String> {
    let to_move = game.side();
    let written = match verdict {
        WrittenResult::Unknown => None,
        WrittenResult::Result(result) => Some(result),
        WrittenResult::SideToMoveWins => Some(GameResult::win(to_move)),
        WrittenResult::SideToMoveLoses => Some(GameResult::win(to_move.other())),
    };
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let by_rules = game.outcome(&legal);
    // Our ply limit is not that of the players: it ends no game of which the record does not say that it ended.
    let is_limit = |outcome: &Outcome| matches!(outcome.termination, Termination::MaxPlies | Termination::Points);
    if let (true, Some(outcome), Some(written)) = (legal.is_empty(), by_rules, written)
        && outcome.result != written
    {
        let (written, result) = (result_text(written), result_text(outcome.result));
        return Err(format!("the record says {written}, but the last move ends it {result} ({})", outcome.termination));
    }
    Ok(match (by_rules, written) {
        (Some(outcome), Some(result)) if outcome.result == result => {
            let agreed = termination.is_none_or(|written| written == outcome.termination) || !is_limit(&outcome);
            agreed.then_some(outcome).or(termination.map(|termination| Outcome { result, termination, points: None }))
        }
        (_, Some(result)) => {
            let unnamed = if result == GameResult::Draw { Termination::Adjudicated } else { Termination::Resign };
            Some(Outcome { result, termination: termination.unwrap_or(unnamed), points: None })
        }
        (Some(outcome), None) => (!is_limit(&outcome)).then_some(outcome),
        (None, None) => None,
    })
}
