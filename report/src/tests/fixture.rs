//! A run folder with made-up events and match logs, and real games of random moves.

use data::{DataStore, GameRecord, PositionRecord, Provenance, ShardEntry};
use eval::{GameEntry, MatchHeader, MatchLog};
use eval::{PlayerRecord, PlayerSettings};
use lab::Opponent;
use lab::events::{Ends, Event, Match, Selfplay, Stage, Train};
use rules::{Game, GameResult, MoveList, Rules, Side, Termination, Wangqi};
use std::fmt::Write;
use std::path::Path;
use testkit::SplitMix64;

/// A configuration, with characters that HTML must not see raw.
pub const CONFIG: &str =
    "[run]\nvariant = \"wangqi\"\nseed = 1 # a < b & \"c\"\ngenerations = 8\n\n[search]\nvisits = 32\n";

/// Makes a run of `generations` generations, each with so many games.
pub fn run_folder(folder: &Path, generations: u32, games: u64) {
    std::fs::create_dir_all(folder.join("matches")).unwrap();
    std::fs::write(folder.join("config.toml"), CONFIG).unwrap();
    let about =
        r#"{"kirin": "0.1.0", "git_revision": "0123abc", "machine": {"cores": 2, "cpu": "<script>alert(1)</script>"}}"#;
    std::fs::write(folder.join("run.json"), about).unwrap();
    let (store, _) = DataStore::open(&folder.join("data")).unwrap();
    let mut random = SplitMix64(7);
    let mut lines = String::new();
    for generation in 1..=generations {
        let records: Vec<GameRecord<Wangqi>> =
            (0..games).map(|id| game(u64::from(generation) << 32 | id, generation, &mut random)).collect();
        let shard = store.commit_shard(generation, "local", &records, &Provenance::default()).unwrap();
        for event in events(generation, &records, &shard) {
            if let Stage::Match(played) = &event.stage {
                // The last network alone plays the untrained one again.
                if played.opponent == Opponent::Network(0) && played.pairs == 100 && generation < generations {
                    continue;
                }
                log(&folder.join("matches"), played);
            }
            writeln!(lines, "{}", serde_json::to_string(&event).unwrap()).unwrap();
        }
    }
    std::fs::write(folder.join("events.jsonl"), lines + "{\"at_ms\": 17, \"torn").unwrap();
}

/// A game of random moves, the first listed ones more likely early on, ended at 120 plies.
fn game(game_id: u64, generation: u32, random: &mut SplitMix64) -> GameRecord<Wangqi> {
    let mut game = Game::<Wangqi>::start(Rules::default().with_max_plies(120));
    let mut legal = MoveList::new();
    let outcome = loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            break outcome;
        }
        let mut scratch = MoveList::new();
        let mv = game.position().win_in_one(&legal, &mut scratch).unwrap_or_else(|| {
            let share = if game.ply() < 8 { random.fraction().powi(4) } else { random.fraction() };
            legal[(share * legal.len() as f64) as usize]
        });
        game.play(mv);
    };
    GameRecord {
        game_id,
        run_id: "smoke".into(),
        generation,
        visits: 32 * game.ply(),
        positions: positions(&game, generation),
        ..GameRecord::of(&game, outcome)
    }
}

fn positions(game: &Game<Wangqi>, generation: u32) -> Vec<PositionRecord> {
    let played = game.moves().iter().zip(game.positions()).enumerate();
    played
        .map(|(ply, (mv, position))| PositionRecord {
            ply: ply as u16,
            side: position.side(),
            pos_key: position.key().to_bytes(),
            parent_key: ply.checked_sub(1).map(|before| game.positions()[before].key().to_bytes()),
            mv: *mv,
            policy_move: vec![*mv],
            policy_visits: vec![65_536],
            root_wdl: [0.25, 0.5, 0.25],
            visits: 32,
            full_search: true,
            target_weight: 1.0,
            generation,
            ..PositionRecord::default()
        })
        .collect()
}

fn events(generation: u32, games: &[GameRecord<Wangqi>], shard: &ShardEntry) -> Vec<Event> {
    let g = f64::from(generation);
    let with = |result| games.iter().filter(|game| game.sheet.outcome.result == result).count() as u64;
    let positions: u64 = games.iter().map(|game| game.plies() as u64).sum();
    let selfplay = Selfplay {
        games: games.len() as u64,
        positions,
        evaluations: positions * 27,
        batch_fill: 0.90 + 0.008 * g,
        mean_plies: positions as f64 / games.len().max(1) as f64,
        first_wins: with(GameResult::FirstWins),
        draws: with(GameResult::Draw),
        second_wins: with(GameResult::SecondWins),
        bytes: shard.games.bytes + shard.positions.bytes,
        searched: positions,
        ends: Some(Ends {
            capped: if generation == 3 { games.len() as u64 } else { 0 },
            searched: positions,
            proven: positions / 20,
            ..Ends::default()
        }),
        ..Selfplay::default()
    };
    let train = Train {
        steps: 180 + 20 * u64::from(generation),
        samples: 256 * (180 + 20 * u64::from(generation)),
        window: positions * u64::from(generation),
        policy_loss: 2.1 + 1.3 / g,
        value_loss: 0.72 + 0.35 / g,
        validation_policy_loss: (generation > 1).then_some(2.2 + 1.3 / g),
        trained_policy_loss: (generation > 2).then_some(2.1 + 1.3 / g),
        trained_value_loss: (generation > 2).then_some(0.75 + 0.34 / g),
        validation_value_loss: (generation > 1).then_some(0.79 + 0.34 / g),
        policy_entropy: Some(1.5),
        policy_divergence: (generation > 1).then_some(0.1),
        learning_rate: 0.002 / g,
        network: format!("{generation:016x}"),
        int8_agreement: None,
    };
    let before = figures(generation, generation - 1, 0.55 + 0.2 / g, 20);
    let untrained =
        Match { pairs: 100, score: 0.875, score_low: 0.832, score_high: 0.918, ..figures(generation, 0, 0.875, 100) };
    let at_ms = 1_790_000_000_000 + i64::from(generation) * 60_000;
    let event = |seconds, stage| Event { at_ms, generation, seconds, seconds_before: 0.0, stage };
    vec![
        event(21.0 + g, Stage::Selfplay(selfplay)),
        event(12.0 + 0.7 * g, Stage::Train(train)),
        event(4.2, Stage::Match(before)),
        event(9.5, Stage::Match(untrained)),
    ]
}

/// Figures of a match with about this score.
fn figures(network: u32, opponent: u32, score: f64, pairs: u64) -> Match {
    let wins = (2.0 * pairs as f64 * score) as u64;
    let (low, high) = (score - 0.12, score + 0.12);
    Match {
        network,
        opponent: opponent.into(),
        pairs,
        wins,
        draws: 2,
        losses: 2 * pairs - 2 - wins,
        score,
        score_low: low,
        score_high: high.min(1.0),
        elo: Some(400.0 * (score / (1.0 - score)).log10()),
        elo_error: Some(88.0),
        ..Match::default()
    }
}

fn header(openings: &str, players: [PlayerRecord; 2]) -> MatchHeader {
    MatchHeader {
        kirin_match: MatchHeader::FORMAT,
        variant: "wangqi".into(),
        ruleset: "standard".into(),
        max_plies: 300,
        seed: 1,
        openings: openings.into(),
        limit: engine::Limit::Own,
        adjudication: eval::Adjudication::default(),
        players,
    }
}

/// The log that goes with the figures.
fn log(folder: &Path, played: &Match) {
    // As in a run, a long match has larger batches than a short one, which makes no other players.
    let batch = if played.opponent == Opponent::Network(0) { 16 } else { 8 };
    let settings = format!(r#"{{ "visits": 64, "evaluation": {{ "batch": {batch}, "threads": 1 }} }}"#);
    let player = |generation: u32| PlayerRecord {
        name: format!("gen-{generation:04}"),
        identity: format!("{generation:016x}"),
        settings: serde_json::from_str(&settings).unwrap(),
    };
    let opponent = played.opponent.network().unwrap();
    let players = [player(played.network), player(opponent)];
    let header = header("random 4 plies", players);
    let path = folder.join(format!("gen-{:04}-vs-gen-{:04}.jsonl", played.network, opponent));
    let games = (0..2 * played.pairs).map(|number| {
        // Spread over both sides, with some advantage for the first player.
        let place = (number * 7 + number % 2) % (2 * played.pairs);
        let result = if place < played.wins {
            1
        } else if place < played.wins + played.draws {
            0
        } else {
            -1
        };
        entry((number / 2) as u32, number % 2 == 0, result, number)
    });
    MatchLog::open(&path, header).unwrap().append(games.collect()).unwrap();
}

/// The log of a match of two players: so many games won, drawn and lost by the first named, an even number in all,
/// from so many openings.
pub fn match_log(folder: &Path, names: [&str; 2], [wins, draws, losses]: [u64; 3], openings: u64) {
    let players = names.map(|name| PlayerRecord {
        name: name.to_owned(),
        identity: name.to_owned(),
        settings: PlayerSettings::BuiltIn,
    });
    let header = header("random, 1 plies", players);
    let mut start = MoveList::new();
    rules::Position::<Wangqi>::start().legal_moves(&mut start);
    let results = [(1, wins), (0, draws), (-1, losses)].into_iter();
    let results = results.flat_map(|(result, games)| std::iter::repeat_n(result, games as usize));
    let games = (0u64..).zip(results).map(|(number, result)| {
        let first_named_first = number % 2 == 0;
        let pair = (number / 2) as u32;
        let opening = start[(u64::from(pair) % openings) as usize];
        GameEntry {
            opening_plies: 1,
            moves: rules::Position::<Wangqi>::start().format_move(opening),
            plies: 1,
            ..entry(pair, first_named_first, result, number)
        }
    });
    let path = folder.join(format!("{}.jsonl", blake3::hash(names.concat().as_bytes()).to_hex()));
    MatchLog::open(&path, header).unwrap().append(games.collect()).unwrap();
}

/// A game without moves; `result` is that of the first named player.
fn entry(pair: u32, first_named_first: bool, result: i8, elapsed_ms: u64) -> GameEntry {
    let side = if first_named_first { Side::First } else { Side::Second };
    GameEntry {
        pair,
        side_of_first_named: side,
        start_fen: None,
        opening_plies: 0,
        moves: String::new(),
        plies: 0,
        result: match result {
            1 => GameResult::win(side),
            0 => GameResult::Draw,
            _ => GameResult::win(side.other()),
        },
        termination: Termination::Checkmate,
        reason: String::new(),
        spent_ms: Vec::new(),
        scores: Vec::new(),
        session: 1,
        elapsed_ms,
        finished_at: None,
    }
}
