//! The seven kinds of piece, which Xiangqi and Janggi have in common, and their FEN letters.

use crate::piece::Kind;

/// 帥 / 將, in Janggi 楚 / 漢: the general.
pub(crate) const GENERAL: Kind = 0;
/// 仕 / 士: the guard.
pub(crate) const GUARD: Kind = 1;
/// 相 / 象: the elephant.
pub(crate) const ELEPHANT: Kind = 2;
/// 傌 / 馬: the horse.
pub(crate) const HORSES: Kind = 3;
/// 俥 / 車: the chariot.
pub(crate) const CHARIOT: Kind = 4;
/// 炮 / 砲, in Janggi 包: the cannon.
pub(crate) const CANNON: Kind = 5;
/// 兵 / 卒: the soldier.
pub(crate) const SOLDIER: Kind = 6;

/// FEN letters, as Fairy-Stockfish writes them.
pub(crate) const CODES: &[&str] = &["K", "A", "B", "N", "R", "C", "P"];
/// Other letters for the elephant and the horse, read and not written.
pub(crate) const ALIASES: &[(&str, &str)] = &[("E", "B"), ("H", "N")];
