//! A thousand random games of each variant through every format that is written and read, and through PGN in every
//! notation that it can have. What does not come back is what the table in `docs/reference/formats.md` says, and no
//! more.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use crate::round_trips::played;
use records::training::{HCPE, PSV};
use records::{ReadOptions, TaggedGame, Tags, csa, date, kif, pgn, read};
use rules::{
    Game, GameResult, MoveList, Notation, Outcome, Position, Rules, Shogi, Side, Termination, Variant, VariantId,
    dispatch,
};
use testkit::SplitMix64;

const PAGE: &str = include_str!("../../docs/reference/formats.md");
/// The line of the page above the table, with the formats.
const HEAD: &str = "| | PGN | KIF | CSA | HCPE | PSV |";
const FORMATS: [&str; 5] = ["pgn", "kif", "csa", "hcpe", "psv"];
const GAMES: usize = 1000;
const MOST_PLIES: usize = 120;

/// By format, what it has lost.
type Losses = BTreeMap<&'static str, BTreeSet<&'static str>>;

/// What a record says, by the rows of the table.
fn facts<V: Variant>(record: &TaggedGame<V>) -> Vec<(&'static str, String)> {
    let TaggedGame { tags, game, outcome, line: _ } = record;
    // How a result was put into words belongs to the file, not to the game.
    let Tags {
        event,
        site,
        date,
        round,
        first,
        second,
        opening,
        first_rating,
        second_rating,
        opening_plies,
        result: _,
    } = tags;
    let (moves, fen) = (game.moves_text(), game.start_position().fen());
    let moves: Vec<&str> = moves.split(' ').collect();
    let (unchosen, chosen) = moves.split_at(*opening_plies as usize);
    let mut fields = fen.rsplitn(3, ' ');
    let counters = [fields.next(), fields.next()];
    let by_rules = outcome.is_some_and(|outcome| ended(game).is_some_and(|end| end.termination == outcome.termination));
    let points = |wanted: bool| outcome.filter(|_| by_rules == wanted).and_then(|outcome| outcome.points);
    vec![
        ("moves that players chose", chosen.join(" ")),
        ("moves at the beginning that no player chose", unchosen.join(" ")),
        ("start position", fields.collect()),
        ("counters of moves in the start position", format!("{counters:?}")),
        ("rule set", game.rules().to_string()),
        ("who won", format!("{:?}", outcome.map(|outcome| outcome.result))),
        ("why", format!("{:?} {:?}", outcome.map(|outcome| outcome.termination), points(true))),
        ("points, where the rules did not end the game", format!("{:?}", points(false))),
        ("event, site", format!("{event:?} {site:?}")),
        ("round", format!("{round:?}")),
        ("day and time", format!("{:?}", date.as_deref().and_then(date::seconds))),
        ("players", format!("{first:?} {second:?}")),
        ("ratings", format!("{first_rating:?} {second_rating:?}")),
        ("name of the opening", format!("{opening:?}")),
    ]
}

/// How a game ended by the rules, if it did.
fn ended<V: Variant>(game: &Game<V>) -> Option<Outcome> {
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    game.outcome(&legal)
}

/// Random games, the same in each run.
struct Numbers(SplitMix64);

impl Numbers {
    fn below(&mut self, count: usize) -> usize {
        self.0.below(count as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// In three of four cases.
    fn maybe<T>(&mut self, make: impl FnOnce(&mut Numbers) -> T) -> Option<T> {
        (self.below(4) > 0).then(|| make(self))
    }

    /// A text with the signs that formats use.
    fn text(&mut self) -> String {
        let word =
            self.one_of(&["先手の人", "O\"Neill \\ Sons", "A, B: c；d：e", "#5 *x* 'y'", "0123456789abcdef", "{(;)}"]);
        format!("{word} {}", self.below(1000))
    }

    fn start<V: Variant>(&mut self) -> Position<V> {
        let mut position = match V::SETUPS {
            [] => Position::start(),
            setups => {
                let names = [self.one_of(setups).name, self.one_of(setups).name];
                Position::start_with(names).expect("setups of the variant")
            }
        };
        if self.below(3) == 0 {
            let mut legal = MoveList::new();
            for _ in 0..self.below(40) {
                position.legal_moves(&mut legal);
                if legal.is_empty() {
                    break;
                }
                position.play(self.one_of(&legal));
            }
        }
        position
    }

    fn game<V: Variant>(&mut self) -> Game<V> {
        let presets: Vec<&str> = V::PRESETS.iter().map(|(name, _)| *name).collect();
        let mut rules = Rules::<V>::named(self.one_of(&presets)).expect("a preset of the variant");
        if self.below(2) == 0 {
            rules = rules.with_max_plies(40 + self.below(200) as u32);
        }
        if self.below(4) == 0 {
            rules = rules.with_max_quiet_plies(20 + self.below(60) as u32);
        }
        loop {
            let choices: Vec<usize> = (0..=self.below(MOST_PLIES)).map(|_| self.below(u32::MAX as usize)).collect();
            let game = played(self.start(), rules, &choices);
            if game.ply() > 0 {
                return game;
            }
        }
    }

    /// A finished game as an export has it.
    fn record<V: Variant>(&mut self) -> TaggedGame<V> {
        let game = self.game::<V>();
        let otherwise = Outcome {
            result: self.one_of(&GameResult::ALL),
            termination: self.one_of(Termination::ALL),
            // Of the variants, only Janggi counts points.
            points: (V::ID == "janggi").then(|| [self.below(72) as f32, self.below(72) as f32 + 1.5]),
        };
        let outcome = Some(ended(&game).unwrap_or(otherwise));
        let begun = self.maybe(|numbers| numbers.below(9)).unwrap_or_default() as u32;
        let tags = Tags {
            event: self.maybe(Numbers::text),
            site: self.maybe(Numbers::text),
            date: self.maybe(|numbers| date::text_with_time(numbers.below(4_000_000_000) as i64 - 1_000_000_000)),
            round: self.maybe(|numbers| format!("{}.{}", numbers.below(30), numbers.below(9))),
            first: self.maybe(Numbers::text),
            second: self.maybe(Numbers::text),
            result: None,
            opening: self.maybe(Numbers::text),
            first_rating: self.maybe(|numbers| numbers.below(12_000) as f32 / 4.0),
            second_rating: self.maybe(|numbers| numbers.below(12_000) as f32 / -4.0),
            opening_plies: begun.min(game.ply() - 1),
        };
        TaggedGame { line: 1, tags, game, outcome }
    }
}

/// The games in a format; `notation` is that of moves in PGN.
fn written<V: Variant>(format: &str, notation: &'static Notation<V>, records: &[TaggedGame<V>]) -> Vec<u8> {
    let (mut text, mut bytes) = (String::new(), Vec::new());
    for record in records {
        match format {
            "kif" => kif::write(&mut text, record).expect("a variant with KIF"),
            "csa" => csa::write(&mut text, record).expect("a variant with CSA"),
            "hcpe" => HCPE.write(&mut bytes, record, |_| None).expect("a variant with USI"),
            "psv" => PSV.write(&mut bytes, record, |_| None).expect("a variant with USI"),
            _ => pgn::write_annotated(&mut text, record, notation, &[]),
        }
    }
    let named = if format == "pgn" && notation.name != "uci" { records.len() } else { 0 };
    assert_eq!(text.matches("\n[Format \"").count(), named, "{} {}: games in UCI instead", V::ID, notation.name);
    if text.is_empty() { bytes } else { text.into_bytes() }
}

/// Writes and reads random games in each format that the variant has, and in PGN in each notation.
fn losses<V: Variant>() -> Losses {
    let mut numbers = Numbers(SplitMix64(1));
    let records: Vec<TaggedGame<V>> = (0..GAMES).map(|_| numbers.record()).collect();
    let firsts = records.iter().filter(|record| record.game.start_position().side() == Side::First).count();
    assert!(firsts < GAMES, "some games begin with the second player");
    let is_shogi = Notation::<V>::named("usi").is_ok();
    let others = FORMATS.iter().filter(|format| **format != "pgn" && is_shogi).map(|format| (*format, &Notation::UCI));
    let of_pgn = V::NOTATIONS.iter().filter(|notation| pgn::notation_named::<V>(notation.name).is_ok());
    let mut losses = Losses::new();
    for (format, notation) in of_pgn.map(|notation| ("pgn", notation)).chain(others) {
        let case = format!("{} {format} {}", V::ID, notation.name);
        let bytes = written(format, notation, &records);
        let contents = read::<V>(&format!("games.{format}"), &bytes, &ReadOptions::default()).expect("a record");
        assert_eq!((contents.format.name, contents.problems), (format, vec![]), "{case}");
        assert_eq!(contents.records.len(), GAMES, "{case}");
        let lost = losses.entry(format).or_default();
        for (read, written) in contents.records.iter().zip(&records) {
            let pairs = facts(read).into_iter().zip(facts(written));
            lost.extend(pairs.filter(|(read, written)| read != written).map(|(_, (name, _))| name));
        }
        let mut again = written::<V>(format, notation, &contents.records);
        let mut bytes = bytes;
        if format == "psv" {
            // The number of the ply counts from the first position that was written.
            for record in again.chunks_mut(40).chain(bytes.chunks_mut(40)) {
                record[36..38].fill(0);
            }
        }
        assert!(again == bytes, "{case}: written again, the file has other bytes");
    }
    losses
}

#[test]
fn no_format_loses_more_than_the_page_says() {
    let mut measured = Losses::new();
    thread::scope(|scope| {
        let threads = VariantId::ALL.iter().map(|&id| scope.spawn(move || dispatch!(id, V => losses::<V>())));
        let threads: Vec<_> = threads.collect();
        for thread in threads {
            for (format, lost) in thread.join().expect("no panic") {
                measured.entry(format).or_default().extend(lost);
            }
        }
    });
    let table = PAGE.split_once(HEAD).expect("the page has the table").1;
    let (mut listed, mut rows) = (Losses::new(), Vec::new());
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, cells @ ..] = cells.as_slice() else { panic!("{row}") };
        assert_eq!(cells.len(), FORMATS.len(), "{row}");
        rows.push(*name);
        for (cell, format) in cells.iter().zip(FORMATS) {
            listed.entry(format).or_default().extend(cell.starts_with("no").then_some(*name));
        }
    }
    let facts = facts(&Numbers(SplitMix64(1)).record::<Shogi>());
    assert_eq!(rows, facts.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), "the rows of the table");
    for format in FORMATS {
        let (lost, listed) = (&measured[format], &listed[format]);
        assert!(
            lost == listed,
            "{format} loses {:?}, which the page does not say, and does not lose {:?}, which it marks with `no`",
            lost - listed,
            listed - lost
        );
    }
}
