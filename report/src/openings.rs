//! Section: which openings players prefer, as an opening explorer shows them.

use super::bar::bar;
use super::explorer::{self, Explorer};
use super::lines::{continuations, counted_games, last_move, most_played, move_number, results, written};
use super::pieces::absent;
use crate::number::{count, fixed, percent};
use data::{OpeningRow, OpeningTable};
use maud::{Markup, html};
use rules::VariantId;

/// First moves shown before the rest is folded away.
const FIRST_MOVES: usize = 14;
/// Lines shown.
const LINES: usize = 18;

/// The explorer, first moves and the most played lines of a variant.
pub fn section(
    openings: &Result<OpeningTable, String>,
    explorer: Option<&Result<Explorer, String>>,
    variant: Option<VariantId>,
) -> Markup {
    let table = match openings {
        Ok(table) if table.games > 0 => table,
        Ok(table) if table.other_starts > 0 => {
            return html! {
                (absent(&format!("{}.", counted_games(table, "").join(". "))))
                @if let Some(explorer) = explorer { (explorer::markup(explorer)) }
            };
        }
        Ok(_) => return absent("No game is stored yet."),
        Err(problem) => return absent(problem),
    };
    html! {
        p.lead {
            (counted_games(table, "the small numbers beside the moves, on pointing at them").join(". "))
            @if table.doubled > 0 { "; " (count(table.doubled)) " that are there twice count once" }
            ". "
            span.key { i.first {} "first player won" } span.key { i.draws {} "drawn" } span.key { i.second {} "second player won" }
        }
        @if let Some(explorer) = explorer { (explorer::markup(explorer)) }
        details {
            summary { "First moves and most played lines as tables" }
            @if let Some(text) = setups(table) { p.note { (text) } }
            div.columns {
                (first_moves(table, variant))
                (lines(table, variant))
            }
        }
        p.note {
            "Score: of the player who makes the move, in per cent, a draw counting one half; after it its 95\u{a0}% interval. "
            "Any position can be looked up with " code { "kirin openings" } "."
        }
    }
}

/// From which setups the lines of a table began, where there is a choice.
fn setups(table: &OpeningTable) -> Option<String> {
    match table.starts.as_slice() {
        [] => None,
        [start] => Some(format!("Setups: {} – {}.", start.setup_first.as_ref()?, start.setup_second.as_ref()?)),
        _ => Some("Lines are summed over the setups of both players.".to_owned()),
    }
}

fn first_moves(table: &OpeningTable, variant: Option<VariantId>) -> Markup {
    let moves = continuations(table, "");
    let (shown, rest) = moves.split_at(moves.len().min(FIRST_MOVES));
    html! {
        div {
            h3 { "First moves" }
            (moves_table(table, shown, variant))
            @if !rest.is_empty() {
                details {
                    summary { (rest.len()) " more" }
                    (moves_table(table, rest, variant))
                }
            }
        }
    }
}

fn moves_table(of: &OpeningTable, rows: &[&OpeningRow], variant: Option<VariantId>) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "Move" } th.n { "Games" } th.n { "Share" } th.wide { "Results" } th.n { "Score" } th.n {} } }
                tbody {
                    @for row in rows {
                        tr {
                            td title=(last_move(row)) { (move_text(of, row, variant)) }
                            td.n { (count(row.games)) }
                            td.n { (percent(row.share, 1)) }
                            td.wide { (bar(results(row))) }
                            td.n { (fixed(100.0 * row.score, 1)) }
                            td.n.soft { (fixed(100.0 * row.score_low, 0)) "–" (fixed(100.0 * row.score_high, 0)) }
                        }
                    }
                }
            }
        }
    }
}

/// The last move of a line as people of the variant write it, and in UCI for where no font has these characters.
fn move_text(table: &OpeningTable, row: &OpeningRow, variant: Option<VariantId>) -> Markup {
    let (uci, native) = (last_move(row), written(variant, table, row).pop().unwrap_or_default());
    html! {
        @if native == uci { (uci) } @else { span.native { (native) } " " code.uci { (uci) } }
    }
}

fn lines(table: &OpeningTable, variant: Option<VariantId>) -> Markup {
    html! {
        div {
            h3 { "Most played lines" }
            div.scroll {
                table.lines {
                    thead { tr { th { "Line" } th.n { "Games" } th.wide { "Results" } th.n { "Score" } } }
                    tbody {
                        @for row in most_played(table, "", LINES) {
                            tr {
                                td title=(row.moves) style=(format!("padding-left:{:.1}em", 1.1 * f64::from(row.ply - 1))) {
                                    span.soft { (move_number(row.ply)) " " } (move_text(table, row, variant))
                                }
                                td.n { (count(row.games)) }
                                td.wide { (bar(results(row))) }
                                td.n { (fixed(100.0 * row.score, 1)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
