use crate::chance::{self, Style};
use rules::{Game, GameResult, MoveList, Outcome, Position, Rules, Scoresheet, Side, Termination, Variant};

/// Whole games of every preset, from the start, from chosen setups and from a position in the middle of a game.
fn games<V: Variant>() -> Vec<(Game<V>, Outcome)> {
    let mut starts = vec![Position::<V>::start()];
    if let [.., last] = V::SETUPS {
        starts.push(Position::start_with([last.name, V::SETUPS[0].name]).expect("the variant's own names"));
    }
    // After 25 plies, or before the last one of a shorter game.
    let mut middle = None;
    chance::play(Rules::default(), Style::Lively, 5, |game: &Game<V>, legal| {
        if (1..=25).contains(&game.ply()) && game.outcome(legal).is_none() {
            middle = Some(game.position().fen());
        }
    });
    starts.push(Position::from_fen(&middle.expect("a game of several plies")).expect("its own FEN"));
    let mut games = Vec::new();
    for (preset, _) in V::PRESETS {
        let rules = Rules::<V>::named(preset).expect("the variant's own name");
        for (seed, start) in starts.iter().enumerate() {
            for rules in [rules, rules.with_max_plies(60)] {
                let mut last = None;
                let begin = Game::from_position(rules, start.clone());
                chance::play_on(begin, Style::Lively, seed as u64, |game, legal| {
                    last = game.outcome(legal).map(|outcome| (game.clone(), outcome));
                });
                games.push(last.expect("every game ends"));
            }
        }
    }
    games
}

/// From the table to a file and back, as codes and as text, nothing is lost.
pub fn record_round_trip<V: Variant>() {
    let mut seen = Vec::new();
    for (game, outcome) in games::<V>() {
        let sheet = Scoresheet::of(&game, outcome);
        let line = serde_json::to_string(&sheet).expect("a sheet is JSON");
        let read: Scoresheet<V> = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(read, sheet);
        assert_eq!(read.replay().finish().expect("a legal game"), game);
        assert_eq!(read.replay_unchecked(game.moves().len()), game);

        let text = sheet.moves_text().expect("a legal game");
        assert_eq!(text, game.moves_text());
        assert_eq!(text.split(' ').filter(|word| !word.is_empty()).count(), sheet.plies());
        let again = Game::from_moves_text(sheet.rules, sheet.start.clone(), &text);
        assert_eq!(again.unwrap_or_else(|error| panic!("{}: {error}", V::ID)), game);
        seen.push(sheet.start.start_fen().is_some());
    }
    assert!(seen.contains(&true) && seen.contains(&false), "{}: starts of both kinds", V::ID);
}

/// Each ply shows the game before its move; an illegal move is named by its place and stops the replay there.
pub fn replay_checks_every_move<V: Variant>() {
    let (game, outcome) = games::<V>().swap_remove(0);
    let sheet = Scoresheet::of(&game, outcome);
    let (mut replay, mut legal, mut plies) = (sheet.replay(), MoveList::new(), 0);
    while let Some(ply) = replay.step().expect("a legal game") {
        assert_eq!(ply.game.position(), &game.positions()[plies]);
        ply.game.legal_moves(&mut legal);
        assert_eq!((ply.legal, ply.mv), (&legal[..], game.moves()[plies]));
        plies += 1;
    }
    assert_eq!(plies, game.moves().len());
    assert!(replay.step().expect("the end again").is_none());

    for at in [0, plies / 2, plies - 1] {
        let mut spoilt = sheet.clone();
        // A drop from a hand slot that no variant has.
        spoilt.moves[at] = rules::Move::drop(100, rules::Square::new(0));
        let error = spoilt.replay().finish().expect_err("an illegal move");
        assert_eq!((error.ply as usize, error.mv), (at, spoilt.moves[at]));
        assert_eq!(error.fen, game.positions()[at].fen());
        assert_eq!(spoilt.moves_text(), Err(error.clone()));
        assert!(error.to_string().starts_with(&format!("move {}, code", at + 1)), "{error}");

        let text = game.moves_text();
        let mut words: Vec<&str> = text.split(' ').collect();
        words[at] = "z99z98";
        let error = Game::from_moves_text(sheet.rules, sheet.start.clone(), &words.join(" ")).expect_err("no move");
        assert_eq!(error.ply as usize, at);
    }
}

/// A file that says something else than a game of this variant is refused, with the reason.
pub fn foreign_records_are_refused<V: Variant>() {
    let (game, outcome) = games::<V>().swap_remove(0);
    let line = serde_json::to_string(&Scoresheet::of(&game, outcome)).expect("a sheet is JSON");
    let refused = |from: String, to: &str, reason: &str| {
        assert!(line.contains(&from), "{line}");
        let error = serde_json::from_str::<Scoresheet<V>>(&line.replacen(&from, to, 1)).expect_err("nonsense");
        assert!(error.to_string().contains(reason), "{error}");
    };
    let text = |key: &str, value: &str| format!("\"{key}\":\"{value}\"");
    refused(text("variant", V::ID), &text("variant", "go"), &format!("a game of go, not of {}", V::ID));
    refused(text("ruleset", V::PRESETS[0].0), &text("ruleset", "house"), "has no rule set \"house\"");
    refused(
        text("ruleset", V::PRESETS[0].0),
        &text("ruleset", &format!("{} komi=7", V::PRESETS[0].0)),
        "\"komi=7\", which is not understood",
    );
    refused("\"start_fen\":null".into(), &text("start_fen", "8/8 w"), "start position: FEN");
    refused(text("termination", outcome.termination.name()), &text("termination", "boredom"), "\"boredom\"");
    refused(format!("\"result\":{}", outcome.result.number()), "\"result\":2", "2 is not 1, 0 or -1");
}

/// The text of a rule set is the preset's name, and the ply limit if it differs.
pub fn rules_text_round_trip<V: Variant>() {
    for (preset, _) in V::PRESETS {
        let rules = Rules::<V>::named(preset).expect("the variant's own name");
        assert_eq!(rules.to_string(), *preset);
        assert_eq!(rules.with_max_plies(7).to_string(), format!("{preset} max-plies=7"));
        for rules in [rules, rules.with_max_plies(7)] {
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
        for text in ["", "house", &format!("{preset} max-plies=many"), &format!("{preset} max-plies")] {
            assert!(text.parse::<Rules<V>>().is_err(), "{text:?}");
        }
    }
}

#[test]
fn names_are_read_as_written() {
    for &termination in Termination::ALL {
        assert_eq!(termination.name().parse(), Ok(termination));
        let json = serde_json::to_string(&termination).expect("a text");
        assert_eq!(serde_json::from_str::<Termination>(&json).expect("its own text"), termination);
    }
    for side in Side::BOTH {
        assert_eq!(side.name().parse(), Ok(side));
        assert_eq!(serde_json::to_string(&side).expect("a number"), side.index().to_string());
        assert_eq!(Side::try_from(side.index() as u32), Ok(side));
    }
    assert!(Side::try_from(2).is_err() && "third".parse::<Side>().is_err());
    for result in GameResult::ALL {
        let json = serde_json::to_string(&result).expect("a number");
        assert_eq!(json, result.number().to_string());
        assert_eq!(serde_json::from_str::<GameResult>(&json).expect("its own number"), result);
    }
    assert!(serde_json::from_str::<GameResult>("2").is_err());
}
