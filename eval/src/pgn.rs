//! Games of a log in PGN, for other programs. Moves are in UCI, which is exact in every variant, or in a notation that is
//! asked for. Every game has its start position, so any program that knows the variant can replay it.

use crate::error::EntryError;
use crate::identity::{PlayerRecord, PlayerSettings};
use crate::log::{FinishedGames, GameEntry, MatchHeader};
use engine::{GameClock, Limit, Score};
use records::{date, pgn};
use rules::{Notated, Notation, Rulebook, Side, Variant, VariantId};
use std::time::Duration;

/// The event of games of matches. Their round is the number of the pair and that of the game in it.
pub const MATCH_EVENT: &str = "kirin match";

/// The round of a game.
pub(crate) fn round(game: &GameEntry) -> String {
    format!("{}.{}", game.pair + 1, if game.side_of_first_named == Side::First { 1 } else { 2 })
}

/// The games in PGN. White is the first player. The games must be legal ([`crate::log::check_games`]).
///
/// The tags are the seven that PGN requires, in their order (`Date` is the day the game was finished, in UTC, and `Site`
/// is unknown), then `Variant`, `RuleSet`, `SetUp`, `FEN`, `TimeControl`, `OpeningPlies`, `PlyCount` and
/// `Termination`.
pub fn export(header: &MatchHeader, games: &FinishedGames) -> String {
    let mut out = String::new();
    games.values().for_each(|game| write(&mut out, header, game, &game.moves, None));
    out
}

/// The same with the moves in a notation, which the tag `Format` names. A game with a move that could not be read again in
/// it has all its moves in UCI, without the tag.
///
/// # Errors
/// A game is not legal.
pub fn export_in<V: Variant>(
    header: &MatchHeader,
    games: &FinishedGames,
    notation: &'static Notation<V>,
) -> Result<String, EntryError> {
    let mut out = String::new();
    for game in games.values() {
        let (moves, format) = pgn::moves_in(&game.game::<V>(header)?, notation);
        write(&mut out, header, game, &moves.join(" "), format);
    }
    Ok(out)
}

/// Writes a game with these moves and, where they are not in UCI, the tag that names their notation.
fn write(out: &mut String, header: &MatchHeader, game: &GameEntry, moves: &str, format: Option<(&str, &str)>) {
    let variant = header.variant.parse::<VariantId>();
    let (start, game_tag) = variant.map_or(("", None), |id| rules::dispatch!(id, V => (V::START, V::PGN_GAME)));
    // In logs without settings the limit of the match is all that is known.
    let unnamed = |player: &PlayerRecord| match player.settings {
        PlayerSettings::Unknown(_) => header.limit,
        _ => Limit::Own,
    };
    let limits = header.players.each_ref().map(|player| player.settings.limit().unwrap_or_else(|| unnamed(player)));
    let names = header.names();
    let [a, b] = names.each_ref().map(String::as_str);
    let moves_first = game.side_of_first_named == Side::First;
    let (white, black) = if moves_first { (a, b) } else { (b, a) };
    let result = pgn::result_text(game.result);
    let fen = game.start_fen.as_deref().unwrap_or(start);
    // As `records::pgn` has them where the moves are not in UCI.
    let native = game_tag.filter(|_| format.is_some());
    let first = if native.is_some() { "Red" } else { "White" };
    let mut tags: Vec<(&str, String)> = native.map(|game| ("Game", game.to_owned())).into_iter().collect();
    tags.extend([
        ("Event", MATCH_EVENT.to_owned()),
        ("Site", "?".to_owned()),
        ("Date", date::text(game.finished_at.and_then(|seconds| seconds.try_into().ok()))),
        ("Round", round(game)),
        (first, white.to_owned()),
        ("Black", black.to_owned()),
        ("Result", result.to_owned()),
        ("Variant", header.variant.clone()),
        ("RuleSet", header.ruleset.clone()),
    ]);
    if !fen.is_empty() {
        tags.push(("SetUp", "1".to_owned()));
        tags.push(("FEN", fen.to_owned()));
    }
    if header.limit != Limit::Own {
        tags.push(("TimeControl", header.limit.to_string()));
    }
    if game.opening_plies > 0 {
        tags.push((pgn::OPENING_PLIES, game.opening_plies.to_string()));
    }
    tags.push(("PlyCount", game.plies.to_string()));
    tags.push(("Termination", game.termination.name().to_owned()));
    tags.extend(format.map(|(name, value)| (name, value.to_owned())));
    let [a, b] = limits.map(|limit| GameClock::new(limit, Duration::ZERO));
    let clocks = if moves_first { [a, b] } else { [b, a] };
    // In FEN the first player is `w`; a game may begin with the second player's move.
    let black_begins = fen.split_whitespace().nth(1) == Some("b");
    let moves = commented(game, moves, black_begins, clocks);
    pgn::game(out, &pgn::PgnGame { tags: &tags, black_begins, moves: &moves, remark: &game.reason, result });
}

/// The moves with comments: where the opening ends, the players' scores, and their times. `clocks`: those of White and
/// Black at the start.
fn commented<'a>(
    game: &GameEntry,
    texts: &'a str,
    black_begins: bool,
    mut clocks: [GameClock; 2],
) -> Vec<(&'a str, Vec<String>)> {
    let mut moves = Vec::new();
    for (ply, mv) in texts.split_whitespace().enumerate() {
        let side = (ply + usize::from(black_begins)) % 2;
        let mut comments = Vec::new();
        if ply + 1 == game.opening_plies as usize {
            comments.push("opening".to_owned());
        }
        let mut said = Vec::new();
        if let Some(&Some(score)) = game.scores.get(ply) {
            said.push(evaluation(if side == 0 { score } else { score.reversed() }));
        }
        if let Some(&spent) = game.spent_ms.get(ply)
            && ply >= game.opening_plies as usize
        {
            said.push(time_comment(&mut clocks[side], Duration::from_millis(spent.into())));
        }
        if !said.is_empty() {
            comments.push(said.join(" "));
        }
        moves.push((mv, comments));
    }
    moves
}

/// White's evaluation (`%eval`), in pawns or moves to a mate.
fn evaluation(score: Score) -> String {
    match score.mate() {
        Some(moves) => format!("[%eval #{moves}]"),
        None => format!("[%eval {:.2}]", f64::from(score.centipawns()) / 100.0),
    }
}

/// The time left on the clock after the move (`%clk`); for players without a clock, the time that the move took (`%emt`).
fn time_comment(clock: &mut GameClock, spent: Duration) -> String {
    let (name, time) = match clock.limit {
        Limit::Clock { .. } | Limit::Byoyomi { .. } => {
            clock.spend(spent);
            ("clk", clock.left)
        }
        _ => ("emt", spent),
    };
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("[%{name} {hours}:{minutes:02}:{seconds:02}.{:03}]", time.subsec_millis())
}
