//! The beginnings of games, and the positions that were searched in them.

use std::collections::BTreeSet;

use rayon::prelude::*;
use rules::{GameResult, Move};

use super::ragged::Ragged;
use crate::column::{Codes, Columns, Key, Maybe, Text, Unsigned, Unsigned64};
use crate::error::{FileFault, Result};
use crate::filter::{Criterion, Excluded, GameFilter};
use crate::folders::{FolderShard, GameFolders};
use crate::game::OPENING_PLIES;
use crate::identity::{GameIdentity, SeenGames};
use crate::position::PositionKey;

/// What openings are counted from.
pub(in crate::statistics) struct Games {
    /// Those of each shard.
    pub shards: Vec<ShardGames>,
    /// The start positions of the games that count, in their order.
    pub starts: Vec<Setups>,
    /// Games that began elsewhere or with moves that nobody chose.
    pub other_starts: u64,
    /// Those of them that began with moves that nobody chose.
    pub unchosen: u64,
    /// Games that the filter left out.
    pub left_out: Excluded,
    /// Games that an earlier shard has, too.
    pub doubled: u64,
}

/// The setups of the first and the second player, where the variant has the choice.
pub(in crate::statistics) type Setups = [Option<String>; 2];

/// The first 64 of the 96 bits of a position's key, which are as good as random: among a thousand million positions it
/// happens about once in forty times that two have the same. Never 0.
pub(super) type ShortKey = u64;

/// A game among some shards: the place of its shard in their list, and its row there. Rows are in the order of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::statistics) struct Member {
    pub shard: u32,
    pub row: u32,
}

/// What becomes of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::statistics) enum Fate {
    /// It began from the variant's own start position or a chosen setup, and its first move was chosen.
    Counted,
    /// It began elsewhere. It counts where it reached a position.
    OtherStart,
    /// It began with moves that nobody chose: random ones, or those of an earlier game. It counts where it reached a position.
    Unchosen,
    /// The filter leaves it out.
    Excluded(Criterion),
    /// It is there twice.
    Doubled,
}

/// The games of a shard, a row each, in the order of their ids.
#[derive(Default)]
pub(in crate::statistics) struct ShardGames {
    pub id: Vec<u64>,
    pub fate: Vec<Fate>,
    pub result: Vec<GameResult>,
    /// The start position, as its place in [`Games::starts`].
    pub start: Vec<u32>,
    /// The first moves.
    pub(super) moves: Ragged<Move>,
    /// The same moves in UCI, separated by spaces.
    pub(super) texts: Ragged<u8>,
    /// The key after 1, 2, … plies as far as lines go; 0 where nobody searched that position.
    pub(super) early: Ragged<ShortKey>,
    /// Keys of the other positions that were searched.
    pub(super) late: Ragged<ShortKey>,
    /// Start positions, before those of all shards are known.
    starts: Vec<Setups>,
    identity: Vec<GameIdentity>,
}

const COLUMNS: &[&str] = &["start_fen", "setup_first", "setup_second", "moves_text", "result", OPENING_PLIES];

impl Games {
    /// Reads the games in these shards: of their moves the first `depth`, and of their keys all, if `depth` is not 0.
    ///
    /// # Errors
    /// A file cannot be read, is not what was written, comes from a newer schema version, or lacks a column or a
    /// sensible value.
    pub fn read(folders: &GameFolders, shards: &[FolderShard], depth: u32, filter: &GameFilter) -> Result<Games> {
        let mut names = [COLUMNS, GameIdentity::COLUMNS].concat();
        names.extend(filter.columns());
        names.sort_unstable();
        names.dedup();
        let of_shard = |shard: &FolderShard| {
            let (store, depth) = (folders.store_of(shard), depth as usize);
            let mut games = ShardGames::default();
            store.read_columns(&shard.entry.games, &names, |columns| games.extend(columns, filter, depth))?;
            let names: &[&str] = if depth == 0 { &SEARCHED[..2] } else { &SEARCHED };
            let mut at = Place::default();
            store.read_columns(&shard.entry.positions, names, |columns| games.search(columns, depth, &mut at))?;
            games.finish();
            Ok(games)
        };
        let read = shards.par_iter().map(of_shard).collect::<Result<Vec<ShardGames>>>()?;
        Ok(Games::together(shards, read))
    }

    /// Counts each game once, and puts the start positions of all shards in one order.
    fn together(shards: &[FolderShard], read: Vec<ShardGames>) -> Games {
        let starts: BTreeSet<Setups> = read.iter().flat_map(|games| games.starts.iter().cloned()).collect();
        let starts: Vec<Setups> = starts.into_iter().collect();
        let mut all =
            Games { shards: read, starts, other_starts: 0, unchosen: 0, left_out: Excluded::new(), doubled: 0 };
        let mut seen = SeenGames::default();
        for (games, shard) in all.shards.iter_mut().zip(shards) {
            let place = |own: &Setups| all.starts.binary_search(own).unwrap_or_default() as u32;
            let places: Vec<u32> = games.starts.iter().map(place).collect();
            games.start.iter_mut().for_each(|start| *start = places[*start as usize]);
            for (fate, &identity) in games.fate.iter_mut().zip(&games.identity) {
                if !seen.is_new(shard.folder, identity) {
                    *fate = Fate::Doubled;
                }
                match *fate {
                    Fate::Counted => {}
                    Fate::OtherStart => all.other_starts += 1,
                    Fate::Unchosen => {
                        all.other_starts += 1;
                        all.unchosen += 1;
                    }
                    Fate::Excluded(criterion) => *all.left_out.entry(criterion).or_default() += 1,
                    Fate::Doubled => all.doubled += 1,
                }
            }
            games.identity = Vec::new();
        }
        all
    }

    /// The games that count, in the order of their shards.
    pub fn counted(&self) -> impl Iterator<Item = Member> + '_ {
        (0..).zip(&self.shards).flat_map(|(shard, games)| {
            let counted = (0..).zip(&games.fate).filter(|(_, fate)| **fate == Fate::Counted);
            counted.map(move |(row, _)| Member { shard, row })
        })
    }

    /// The games that the filter lets pass and that do not count, in the order of their shards.
    pub(super) fn elsewhere(&self) -> impl Iterator<Item = Member> + '_ {
        (0..).zip(&self.shards).flat_map(|(shard, games)| {
            let others = (0..).zip(&games.fate).filter(|(_, fate)| matches!(fate, Fate::OtherStart | Fate::Unchosen));
            others.map(move |(row, _)| Member { shard, row })
        })
    }

    /// The first moves of a game.
    pub(super) fn moves(&self, game: Member) -> &[Move] {
        self.shards[game.shard as usize].moves.get(game.row as usize)
    }

    /// The same moves in UCI, separated by spaces.
    pub(super) fn text(&self, game: Member) -> &str {
        let text = self.shards[game.shard as usize].texts.get(game.row as usize);
        // It was a text when it was read.
        std::str::from_utf8(text).unwrap_or_default()
    }

    /// The start position of a game.
    pub(super) fn start(&self, game: Member) -> u32 {
        self.shards[game.shard as usize].start[game.row as usize]
    }
}

const SEARCHED: [&str; 4] = ["game_id", "ply", "pos_key", "parent_key"];

/// How far the positions of a shard have been read.
#[derive(Default)]
struct Place {
    /// The game of the last position, or the first game.
    row: usize,
    /// Moves before that position.
    ply: Option<u32>,
}

impl ShardGames {
    /// Adds some rows of the table `games`.
    fn extend(&mut self, columns: &Columns<'_>, filter: &GameFilter, depth: usize) -> Result<(), FileFault> {
        let failures = filter.failures(columns)?;
        let id = columns.values::<Unsigned64>("game_id")?;
        let start_fen = columns.values::<Maybe<Text>>("start_fen")?;
        let setup_first = columns.values::<Maybe<Text>>("setup_first")?;
        let setup_second = columns.values::<Maybe<Text>>("setup_second")?;
        let moves = columns.values::<Codes>("moves")?;
        let texts = columns.values::<Text>("moves_text")?;
        // Files of earlier versions do not say it of any game.
        let opening = columns.has(OPENING_PLIES).then(|| columns.values::<Unsigned>(OPENING_PLIES)).transpose()?;
        self.identity.extend(GameIdentity::of_rows(columns)?);
        self.result.extend(columns.results("result")?);
        for (row, failure) in failures.into_iter().enumerate() {
            let setups = [setup_first(row), setup_second(row)];
            let fate = match failure {
                Some(criterion) => Fate::Excluded(criterion),
                None if start_fen(row).is_some() && setups[0].is_none() => Fate::OtherStart,
                None if opening.as_ref().is_some_and(|plies| plies(row) > 0) => Fate::Unchosen,
                None => Fate::Counted,
            };
            let start = self.starts.iter().position(|known| *known == setups).unwrap_or_else(|| {
                self.starts.push(setups);
                self.starts.len() - 1
            });
            self.id.push(id(row));
            self.fate.push(fate);
            self.start.push(start as u32);
            if fate == Fate::Counted {
                self.moves.extend(moves(row).into_iter().take(depth));
                for (at, word) in texts(row).split_ascii_whitespace().take(depth).enumerate() {
                    self.texts.extend((at > 0).then_some(b' '));
                    self.texts.extend(word.bytes());
                }
            }
            self.moves.finish();
            self.texts.finish();
        }
        Ok(())
    }

    /// Adds some rows of the table `positions`. They come game by game, but a game may go on in the next rows.
    ///
    /// The first moves of a game were drawn by chance, or copied from an earlier game, if its first searched position is not
    /// the start. A position that was not searched itself is known from its successor's `parent_key`.
    fn search(&mut self, columns: &Columns<'_>, depth: usize, place: &mut Place) -> Result<(), FileFault> {
        let (game_id, ply) = (columns.values::<Unsigned64>("game_id")?, columns.values::<Unsigned>("ply")?);
        let keys = match depth {
            0 => None,
            _ => Some((columns.values::<Key>("pos_key")?, columns.values::<Maybe<Key>>("parent_key")?)),
        };
        for row in 0..columns.rows() {
            let (game_id, ply) = (game_id(row), ply(row));
            while self.id.get(place.row).is_some_and(|&id| id < game_id) {
                self.finish_keys();
                *place = Place { row: place.row + 1, ply: None };
            }
            if self.id.get(place.row) != Some(&game_id) {
                return Err(FileFault::NoGame { game_id });
            }
            let before = place.ply.replace(ply);
            let fate = &mut self.fate[place.row];
            if before.is_none() && ply > 0 && *fate == Fate::Counted {
                *fate = Fate::Unchosen;
            }
            let passes = matches!(fate, Fate::Counted | Fate::OtherStart | Fate::Unchosen);
            let Some((pos_key, parent_key)) = keys.as_ref().filter(|_| passes) else { continue };
            if let Some(parent) = ply.checked_sub(1).filter(|&parent| before != Some(parent)) {
                parent_key(row).into_iter().for_each(|key| self.visit(parent, key, depth));
            }
            self.visit(ply, pos_key(row), depth);
        }
        Ok(())
    }

    /// Notes that the game whose positions are being read was in a position after so many plies.
    fn visit(&mut self, ply: u32, key: PositionKey, depth: usize) {
        let [a, b, c, d, e, f, g, h, ..] = key;
        let key = ShortKey::from_be_bytes([a, b, c, d, e, f, g, h]).max(1);
        match (ply as usize).checked_sub(1).filter(|&at| at < depth) {
            Some(at) => {
                let known = self.early.unfinished();
                // Rows are in the order of plies, so this comes behind what is known.
                self.early.extend(std::iter::repeat_n(0, at.saturating_sub(known)));
                self.early.extend((known <= at).then_some(key));
            }
            None => self.late.extend([key]),
        }
    }

    fn finish_keys(&mut self) {
        self.early.finish();
        self.late.finish();
    }

    /// There are no more positions.
    fn finish(&mut self) {
        while self.early.len() < self.id.len() {
            self.finish_keys();
        }
        self.moves.shrink();
        self.texts.shrink();
        self.early.shrink();
        self.late.shrink();
    }
}
