use crate::chance::{self, Style};
use rules::{Game, Move, MoveList, Outcome, Rules, Side, SquareSet, Termination, Variant, VariantId};

pub fn every_game_ends<V: Variant>() {
    for (preset, _) in V::PRESETS {
        let rules = Rules::<V>::named(preset).expect("a listed preset exists");
        assert_eq!(rules.name(), *preset);
        for seed in 0..8 {
            let style = [Style::Any, Style::Lively, Style::Shuttling][seed as usize % 3];
            let mut last = None;
            chance::play(rules, style, seed, |game, legal| {
                let outcome = game.outcome(legal);
                assert!(game.ply() <= rules.max_plies(), "{} {preset}: {} plies", V::ID, game.ply());
                if legal.is_empty() {
                    assert!(outcome.is_some_and(|outcome| outcome.winner().is_some()), "{}: no move, no loser", V::ID);
                }
                if let Some(outcome) = outcome {
                    check_outcome::<V>(outcome, legal.is_empty(), game.position().is_check());
                }
                last = Some(outcome);
            });
            assert!(matches!(last, Some(Some(_))), "{} {preset}: game {seed} did not end", V::ID);
        }
        // The limit is a limit, also the shortest.
        chance::play(rules.with_max_plies(3), Style::Any, 0, |game, _| assert!(game.ply() <= 3));
        without_progress_games_are_cut_off(rules.with_max_quiet_plies(7));
    }
}

/// Such a game ends as at the ply limit.
fn without_progress_games_are_cut_off<V: Variant>(rules: Rules<V>) {
    assert_eq!(rules.to_string().parse(), Ok(rules));
    chance::play(rules, Style::Shuttling, 1, |game, legal| {
        let quiet = game.position().quiet_plies();
        assert!(quiet <= 7, "{}: {quiet} plies without progress", V::ID);
        let unlimited = Game::from_moves(
            Rules::named(rules.name()).expect("a preset"),
            game.start_position().clone(),
            game.moves(),
        );
        let by_rule = unlimited.expect("legal moves").outcome(legal);
        let expected = by_rule.or_else(|| (quiet == 7).then(|| V::at_ply_limit(game)));
        assert_eq!(game.outcome(legal), expected, "{}", V::ID);
    });
}

fn check_outcome<V: Variant>(outcome: Outcome, no_moves: bool, check: bool) {
    let scores = Side::BOTH.map(|side| outcome.score(side));
    assert_eq!(scores[0], -scores[1]);
    assert_eq!(outcome.winner().is_none(), scores == [0.0, 0.0]);
    match outcome.termination {
        Termination::Checkmate => assert!(no_moves && check, "{}: {outcome:?}", V::ID),
        Termination::Stalemate => assert!(no_moves && !check, "{}: {outcome:?}", V::ID),
        Termination::KingCapture => assert!(no_moves, "{}: {outcome:?}", V::ID),
        Termination::Resign | Termination::Adjudicated | Termination::Error => {
            panic!("{}: {outcome:?} is no end by rule", V::ID);
        }
        _ => assert!(!no_moves, "{}: {outcome:?} though there is no move", V::ID),
    }
}

pub fn repetitions_are_counted<V: Variant>() {
    let mut repeated = 0;
    for seed in 0..12 {
        let mut texts: Vec<String> = Vec::new();
        chance::play(Rules::<V>::default(), Style::Shuttling, seed, |game, _| {
            let text: String = game.position().fen().split_whitespace().take(2).collect();
            let earlier: Vec<usize> = (0..texts.len()).rev().filter(|&ply| texts[ply] == text).collect();
            assert_eq!(game.earlier_occurrences().collect::<Vec<_>>(), earlier, "{}: {text}", V::ID);
            assert_eq!(game.repetitions() as usize, earlier.len());
            repeated += earlier.len();
            texts.push(text);
        });
    }
    assert!(repeated > 0, "{}: nothing was repeated", V::ID);
}

/// Whether a game has such an end because of its last move, whatever else is on the board.
fn is_in_one(termination: Termination) -> bool {
    use Termination::{Bikjang, MutualPass, PerpetualChase, PerpetualCheck, Repetition};
    [Repetition, PerpetualCheck, PerpetualChase, Bikjang, MutualPass].contains(&termination)
}

pub fn ends_in_one_are_brute_force<V: Variant>() {
    let (mut replies, mut repetitions) = (MoveList::new(), 0);
    for seed in 0..12 {
        let style = [Style::Shuttling, Style::Shuttling, Style::Any][seed as usize % 3];
        chance::play(Rules::<V>::default(), style, seed, |game, legal| {
            if game.outcome(legal).is_some() {
                return;
            }
            let mut game = game.clone();
            let mut wanted: Vec<(Move, Outcome)> = Vec::new();
            for &mv in legal {
                game.play(mv);
                game.legal_moves(&mut replies);
                let outcome = game.outcome(&replies).filter(|outcome| is_in_one(outcome.termination));
                wanted.extend(outcome.map(|outcome| (mv, outcome)));
                game.undo();
            }
            repetitions += wanted.iter().filter(|(_, outcome)| outcome.termination == Termination::Repetition).count();
            let (before, mut found) = (game.clone(), Vec::new());
            game.ends_in_one(legal, &mut replies, |mv, outcome| found.push((mv, outcome)));
            assert_eq!(game, before);
            // A position that stood twice may also be an end of another kind, of which there are no others here.
            found.retain(|(_, outcome)| is_in_one(outcome.termination));
            assert_eq!(found, wanted, "{}: {}", V::ID, game.moves_text());
        });
    }
    assert!(repetitions > 0, "{}: no position returned for the last time", V::ID);
}

pub fn constants_fit<V: Variant>() {
    assert_eq!(V::ID.parse::<VariantId>().map(VariantId::id), Ok(V::ID));
    assert_eq!(
        (V::CODES.len(), V::GLYPHS.len(), V::HAND_ORDER.len()),
        (V::KINDS, V::KINDS, V::HAND_KINDS),
        "{}",
        V::ID
    );
    assert_eq!(V::SQUARES, V::FILES * V::RANKS);
    assert_eq!(Rules::<V>::default().name(), V::PRESETS[0].0, "{}: the default preset is the first", V::ID);
    assert!(V::MARKED_SQUARES.squares().all(|square| square.index() < V::SQUARES));
    assert!(V::ALIASES.iter().all(|(alias, code)| V::CODES.contains(code) && !V::CODES.contains(alias)));
    for kind in 0..V::KINDS {
        let promoted = V::promoted(kind);
        assert_eq!(V::promoted(promoted), promoted, "{}: a promoted face promotes no more", V::ID);
        if V::HAND_KINDS > 0 && kind != 0 {
            assert_eq!(V::captured_slot(kind), V::captured_slot(promoted), "{}", V::ID);
        }
    }
    // A position is copied at every node: a few hundred bytes, whatever the board.
    let size = size_of::<rules::Position<V>>();
    assert!(size <= 4 * V::SQUARES + 48 * V::KINDS * V::SQUARES.div_ceil(64) / 4 + 128, "{}: {size} bytes", V::ID);
}
