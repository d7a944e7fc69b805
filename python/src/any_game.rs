//! A game of a variant that is chosen at run time.

use crate::refusal::Refusal;
use crate::search_order::{Order, SearchResult};
use crate::svg;
use records::{TaggedGame, Tags, csa, kif, pgn};
use rules::encode::{self, Features, MoveTokens, Shape};
use rules::{
    Actions, Game, Move, MoveList, Notation, Outcome, Position, PositionFormat, Replay, Rules, Side, Square, Variant,
    VariantId, dispatch,
};
use search::{AnalysisError, Evaluator, LeafBatch};
use std::any::Any;
use std::sync::OnceLock;

/// What Python does with a game, for every variant. [`Game`] implements it.
pub(crate) trait AnyGame: Send + Sync {
    fn variant(&self) -> VariantId;
    fn rules(&self) -> String;
    fn copied(&self) -> Box<dyn AnyGame>;

    fn side(&self) -> Side;
    fn ply(&self) -> u32;
    fn halfmove_clock(&self) -> u32;
    fn repetitions(&self) -> u32;
    fn is_check(&self) -> bool;
    fn key(&self) -> [u8; 12];
    fn outcome(&self) -> Option<Outcome>;

    fn start_fen(&self) -> String;
    fn fen(&self) -> String;
    fn text(&self, format: &str) -> Result<String, Refusal>;
    fn draw(&self, notation: &str) -> Result<String, Refusal>;
    fn svg(&self) -> String;
    /// The game with this header, in a format of game records.
    fn record(&self, format: &str, tags: Tags, outcome: Option<Outcome>) -> Result<String, Refusal>;

    fn legal(&self, notation: &str) -> Result<Vec<String>, Refusal>;
    fn played(&self, notation: &str) -> Result<Vec<String>, Refusal>;
    fn codes(&self) -> Vec<u32>;
    fn push(&mut self, text: &str, notation: &str) -> Result<(), Refusal>;
    fn undo(&mut self) -> Option<String>;
    fn perft(&self, depth: u32) -> u64;
    fn divide(&self, depth: u32) -> Vec<(String, u64)>;

    fn planes(&self, features: Features, out: &mut [f32]);
    fn mask(&self, out: &mut [bool]) -> Result<(), Refusal>;
    fn action(&self, text: &str, notation: &str) -> Result<usize, Refusal>;
    fn move_of(&self, action: usize, notation: &str) -> Result<String, Refusal>;

    /// Appends the position to a batch for a network.
    fn leaf(&self, batch: &mut LeafBatch);
    /// Searches the position. `look` is called now and then, and may end the search by the order's flag.
    fn search(
        &self,
        order: &Order,
        evaluator: &mut dyn Evaluator,
        look: &mut dyn FnMut(),
    ) -> Result<SearchResult, AnalysisError>;
}

/// A new game: from the variant's start position, or one written in any of its formats.
pub(crate) fn new(
    variant: VariantId,
    position: Option<&str>,
    rules: Option<&str>,
) -> Result<Box<dyn AnyGame>, Refusal> {
    dispatch!(variant, V => Ok(Box::new(Game::from_position(self::rules::<V>(rules)?, start::<V>(position)?))))
}

/// A rule set, or the variant's default.
pub(crate) fn rules<V: Variant>(text: Option<&str>) -> Result<Rules<V>, Refusal> {
    Ok(text.map_or_else(|| Ok(Rules::default()), str::parse::<Rules<V>>)?)
}

/// A position written in any of the variant's formats, or its start position.
pub(crate) fn start<V: Variant>(text: Option<&str>) -> Result<Position<V>, Refusal> {
    Ok(text.map_or_else(|| Ok(Position::start()), Position::<V>::from_text)?)
}

/// The start position in which the players have chosen these setups.
pub(crate) fn setup_fen(variant: VariantId, setups: [&str; 2]) -> Result<String, Refusal> {
    dispatch!(variant, V => Ok(Position::<V>::start_with(setups)?.fen()))
}

/// The game with these moves, each of which is checked.
pub(crate) fn replayed(
    variant: VariantId,
    start: &str,
    rules: &str,
    codes: &[u32],
) -> Result<Box<dyn AnyGame>, Refusal> {
    let moves: Vec<Move> = codes.iter().map(|&code| Move::from_raw(code)).collect();
    dispatch!(variant, V => {
        Ok(Box::new(Replay::<V>::new(rules.parse()?, Position::from_fen(start)?, &moves).finish()?))
    })
}

/// Planes, ranks and files of the input of a network.
pub(crate) fn shape(variant: VariantId, features: Features) -> [usize; 3] {
    let shape = dispatch!(variant, V => Shape::of::<V>(features));
    [shape.planes, shape.ranks, shape.files]
}

/// How many numbers the variant's table of actions has, if there is one.
pub(crate) fn action_count(variant: VariantId) -> Option<usize> {
    dispatch!(variant, V => table::<V>().map(Actions::count))
}

/// The tokens of every action but the last, in the order of the table: source, target, promotion.
pub(crate) fn action_tokens<V: Variant>(table: &Actions<V>) -> Vec<[usize; 3]> {
    let mut tokens = vec![[0; 3]; table.count() - 1];
    for source in 0..V::SQUARES + V::HAND_KINDS {
        for target in (0..V::SQUARES).filter(|&target| target != source) {
            let to = Square::new(target);
            let mv = match source.checked_sub(V::SQUARES) {
                None => Move::board(Square::new(source), to),
                Some(slot) => Move::drop(slot, to),
            };
            for mv in [mv, mv.promoting()] {
                // The table has a number only for moves that some piece may make.
                let number = table.number(Side::First, mv);
                if table.find(Side::First, number, &[mv]) == Some(mv) {
                    tokens[number] = [source, target, usize::from(mv.promotes())];
                }
            }
        }
    }
    tokens
}

/// The number of a move that is given by its tokens, in a variant that has a table.
pub(crate) fn number<V: Variant>(table: &Actions<V>, mv: &MoveTokens) -> usize {
    if mv.source == mv.target {
        return table.count() - 1; // the pass is last
    }
    let (source, target) = (usize::from(mv.source), Square::new(usize::from(mv.target)));
    let seen = match source.checked_sub(V::SQUARES) {
        None => Move::board(Square::new(source), target),
        Some(slot) => Move::drop(slot, target),
    };
    // Tokens are those of the side to move, as if it were the first player.
    table.number(Side::First, if mv.promotes { seen.promoting() } else { seen })
}

/// Why a variant has no numbers of actions.
pub(crate) fn no_table(variant: VariantId) -> Refusal {
    Refusal::new(format!(
        "{variant} has no fixed table of actions: source, destination and promotion do not tell its moves apart; \
         VectorEnv lists the legal moves of each game"
    ))
}

/// The variant's table of actions, made when it is first asked for.
pub(crate) fn table<V: Variant>() -> Option<&'static Actions<V>> {
    type Table = Box<dyn Any + Send + Sync>;
    static TABLES: [OnceLock<Option<Table>>; VariantId::ALL.len()] = [const { OnceLock::new() }; VariantId::ALL.len()];
    let variant: VariantId = V::ID.parse().expect("the name of a variant");
    let table = TABLES[variant as usize].get_or_init(|| Some(Box::new(Actions::<V>::table()?) as Table));
    table.as_ref()?.downcast_ref()
}

fn table_of<V: Variant>(game: &Game<V>) -> Result<&'static Actions<V>, Refusal> {
    table().ok_or_else(|| no_table(game.variant()))
}

fn legal<V: Variant>(game: &Game<V>) -> MoveList {
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    legal
}

impl<V: Variant> AnyGame for Game<V> {
    fn variant(&self) -> VariantId {
        V::ID.parse().expect("the name of a variant")
    }

    fn rules(&self) -> String {
        self.rules().to_string()
    }

    fn copied(&self) -> Box<dyn AnyGame> {
        Box::new(self.clone())
    }

    fn side(&self) -> Side {
        self.side()
    }

    fn ply(&self) -> u32 {
        self.ply()
    }

    fn halfmove_clock(&self) -> u32 {
        self.position().quiet_plies()
    }

    fn repetitions(&self) -> u32 {
        self.repetitions()
    }

    fn is_check(&self) -> bool {
        self.position().is_check()
    }

    fn key(&self) -> [u8; 12] {
        self.position().key().to_bytes()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome(&legal(self))
    }

    fn start_fen(&self) -> String {
        self.start_position().fen()
    }

    fn fen(&self) -> String {
        self.position().fen()
    }

    fn text(&self, format: &str) -> Result<String, Refusal> {
        Ok(PositionFormat::named(format)?.write(self.position()))
    }

    fn draw(&self, notation: &str) -> Result<String, Refusal> {
        Ok(Notation::named(notation)?.draw(self.position()))
    }

    fn svg(&self) -> String {
        svg::board(self.position(), self.moves().last().copied())
    }

    fn record(&self, format: &str, tags: Tags, outcome: Option<Outcome>) -> Result<String, Refusal> {
        let (mut text, record) = (String::new(), TaggedGame { line: 1, tags, game: self.clone(), outcome });
        match format {
            "pgn" => pgn::write(&mut text, &record),
            "kif" => kif::write(&mut text, &record)?,
            "csa" => csa::write(&mut text, &record)?,
            _ => return Err(Refusal::new(format!("games are not written as {format:?}; there are: pgn, kif, csa"))),
        }
        Ok(text)
    }

    fn legal(&self, notation: &str) -> Result<Vec<String>, Refusal> {
        let notation = Notation::named(notation)?;
        Ok(legal(self).iter().map(|&mv| notation.write(self.position(), mv)).collect())
    }

    fn played(&self, notation: &str) -> Result<Vec<String>, Refusal> {
        let notation = Notation::named(notation)?;
        Ok(self.positions().iter().zip(self.moves()).map(|(position, &mv)| notation.write(position, mv)).collect())
    }

    fn codes(&self) -> Vec<u32> {
        self.moves().iter().map(|mv| mv.raw()).collect()
    }

    fn push(&mut self, text: &str, notation: &str) -> Result<(), Refusal> {
        let mv = Notation::named(notation)?.read(self.position(), text)?;
        self.play(mv);
        Ok(())
    }

    fn undo(&mut self) -> Option<String> {
        let mv = self.undo()?;
        Some(self.position().format_move(mv))
    }

    fn perft(&self, depth: u32) -> u64 {
        self.position().perft(depth)
    }

    fn divide(&self, depth: u32) -> Vec<(String, u64)> {
        let counts = self.position().perft_divide(depth);
        counts.into_iter().map(|(mv, nodes)| (self.position().format_move(mv), nodes)).collect()
    }

    fn planes(&self, features: Features, out: &mut [f32]) {
        encode::planes(self, features, out);
    }

    fn mask(&self, out: &mut [bool]) -> Result<(), Refusal> {
        let table = table_of(self)?;
        out.fill(false);
        legal(self).iter().for_each(|&mv| out[table.number(self.side(), mv)] = true);
        Ok(())
    }

    fn action(&self, text: &str, notation: &str) -> Result<usize, Refusal> {
        let mv = Notation::named(notation)?.read(self.position(), text)?;
        Ok(table_of(self)?.number(self.side(), mv))
    }

    fn move_of(&self, action: usize, notation: &str) -> Result<String, Refusal> {
        let notation = Notation::named(notation)?;
        let mv = table_of(self)?.find(self.side(), action, &legal(self));
        let mv =
            mv.ok_or_else(|| Refusal::new(format!("action {action} is not legal in {}", self.position().fen())))?;
        Ok(notation.write(self.position(), mv))
    }

    fn leaf(&self, batch: &mut LeafBatch) {
        batch.push(self, &legal(self));
    }

    fn search(
        &self,
        order: &Order,
        evaluator: &mut dyn Evaluator,
        look: &mut dyn FnMut(),
    ) -> Result<SearchResult, AnalysisError> {
        order.run(self, evaluator, look)
    }
}
