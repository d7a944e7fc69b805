//! Section: the players of matches, whom they played, and how the games went.

use super::bar::{Results, bar};
use super::cross::cross_table;
use super::endings;
use super::pieces::{absent, tile};
use super::whiskers::Whiskers;
use crate::lines::WrittenOpening;
use crate::number::{ABSENT, count, counted, fixed, optional, percent, plus_minus, share, signed};
use crate::ratings::Ratings;
use eval::ratings::{RatingRow, RatingTable, Wdl};
use eval::{MatchReport, OpeningResults, Standings};
use maud::{Markup, html};
use rules::VariantId;
use std::collections::BTreeSet;

/// Openings shown; there may be one for each pair.
const OPENINGS: usize = 12;
/// Rated players shown before the rest is folded away.
const PLAYERS: usize = 30;

/// Everything about the matches of a run, or a sentence that says why there is nothing. The ratings of its networks
/// stand elsewhere on the page.
pub fn section(standings: &Result<Standings, String>, networks: &Result<Ratings, String>) -> Markup {
    match standings {
        Ok(standings) => {
            let networks = networks.iter().flat_map(|ratings| &ratings.networks);
            tables(standings, &networks.map(|rating| rating.name.as_str()).collect())
        }
        Err(problem) => absent(problem),
    }
}

/// Everything about some matches. The ratings of the players in `rated` are left out.
pub fn tables(standings: &Standings, rated: &BTreeSet<&str>) -> Markup {
    let others = standings.ladder.ratings.rows.iter().any(|row| !rated.contains(row.player.as_str()));
    html! {
        (tiles(standings))
        @if rated.is_empty() { (ratings(standings)) } @else if others { (other_players(standings, rated)) }
        (cross_table(&standings.ladder))
        div.columns {
            (sides(standings))
            div {
                h3 { "Ends of the games" }
                (endings::table(standings.terminations.iter().map(|(name, &games)| (name.as_str(), games))))
            }
        }
        (openings(&standings.openings, &standings.ladder.variant))
        (matches(&standings.matches))
    }
}

/// The players whose ratings stand nowhere else on the page.
fn other_players(standings: &Standings, rated: &BTreeSet<&str>) -> Markup {
    let table = &standings.ladder.ratings;
    html! {
        h3 { "Ratings of the other players" }
        div.scroll.ratings {
            table {
                thead { tr { th.name { "Player" } th.n { "Elo" } th.n { "Games" } th.n { "Score" } } }
                tbody {
                    @for row in table.rows.iter().filter(|row| !rated.contains(row.player.as_str())) {
                        tr {
                            td.name { (row.player) }
                            td.n { (signed(row.elo)) @if row.prior { "*" } }
                            td.n { (count(row.games)) }
                            td.n { (percent(row.score, 1)) }
                        }
                    }
                }
            }
        }
        (unrated(table, rated))
        p.note {
            @if table.rows.iter().any(|row| row.prior && !rated.contains(row.player.as_str())) {
                "* Won or lost every game against one opponent: a cautious estimate. "
            }
            "The ratings of the networks are above, with the same zero."
        }
    }
}

fn tiles(standings: &Standings) -> Markup {
    let (games, pairs) = (standings.first.games(), standings.pairs.pairs());
    html! {
        dl.tiles {
            (tile("games", &count(games)))
            (tile("games drawn", &share(standings.first.draws, games)))
            (tile("complete pairs", &count(pairs)))
            (tile("pairs drawn", &share(standings.pairs.0[2], pairs)))
        }
    }
}

fn ratings(standings: &Standings) -> Markup {
    let table = &standings.ladder.ratings;
    let (shown, folded) = table.rows.split_at(table.rows.len().min(PLAYERS));
    // The last one has the interval of the one above it, which is that of the same difference.
    let from_next = table.rows.iter().rev().find_map(|row| row.over_next).map_or(0.0, |over| over.error);
    let error = |row: &RatingRow| row.over_next.map_or(from_next, |over| over.error);
    let whiskers = Whiskers::new(table.rows.iter().map(|row| (row.elo, error(row))));
    let rows = |from: usize, rows: &[RatingRow]| {
        html! {
            @for (place, row) in (from..).zip(rows) {
                tr {
                    td.n.soft { (place) }
                    td.name { (row.player) }
                    td.n { (signed(row.elo)) @if row.prior { "*" } }
                    td.n { (plus_minus(row.over_next.map(|over| over.value), row.over_next.map(|over| over.error))) }
                    td.wide { (whiskers.row(row.elo, error(row))) }
                    td.n { (count(row.games)) }
                    td.n { (percent(row.score, 1)) }
                    td.n { (row.los_next.map_or_else(|| ABSENT.to_owned(), |los| percent(los, 1))) }
                }
            }
        }
    };
    let head = html! {
        thead {
            tr {
                th.n {} th.name { "Player" } th.n { "Elo" } th.n { "Above the next (95\u{a0}%)" } th.wide { (whiskers.axis()) } th.n { "Games" } th.n { "Score" }
                th.n { "LOS" }
            }
        }
    };
    html! {
        h3 { "Ratings" }
        div.scroll.ratings {
            table { (head) tbody { (rows(1, shown)) } }
        }
        @if !folded.is_empty() {
            details {
                summary { (counted(folded.len() as u64, "more player", "more players")) }
                div.scroll.ratings { table { (head) tbody { (rows(PLAYERS + 1, folded)) } } }
            }
        }
        (unrated(table, &BTreeSet::new()))
        p.note {
            @if table.rows.iter().any(|row| row.prior) {
                "* Won or lost every game against one opponent: a cautious estimate. "
            }
            "Fitted to all games together (Bradley–Terry); 400 Elo are odds of ten to one. " b { (table.anchor) } " is 0 by "
            "definition. ± and whiskers: the 95\u{a0}% interval of the difference from the next player in the table, for the "
            "last player from the one above. LOS: likelihood that the player is stronger than the next one."
        }
    }
}

/// Players whom no chain of games connects with the rated ones, without those in `rated`, which are rated by further games.
fn unrated(table: &RatingTable, rated: &BTreeSet<&str>) -> Markup {
    let groups = table.unrated.iter().map(|group| -> Vec<&str> {
        group.iter().map(String::as_str).filter(|player| !rated.contains(player)).collect()
    });
    html! {
        @for group in groups.filter(|group| !group.is_empty()) {
            p.apart {
                b { "Not rated: " }
                (group.join(", ")) ". No chain of games connects "
                (if group.len() == 1 { "this player" } else { "these players" }) " with " (table.anchor) "."
            }
        }
    }
}

/// Results as a bar shows them.
fn results(first: Wdl) -> Results {
    Results { first: first.wins, draws: first.draws, second: first.losses }
}

/// Score of the player who moved first, in per cent.
fn score(first: Wdl) -> String {
    optional(first.score().map(|score| 100.0 * score), 1)
}

fn sides(standings: &Standings) -> Markup {
    let table = &standings.ladder.ratings;
    let draws = table.draws;
    html! {
        div {
            h3 { "By side" }
            (bar(results(standings.first)))
            p.lead.keys {
                span.key { i.first {} "first player won" } span.key { i.draws {} "drawn" }
                span.key { i.second {} "second player won" }
            }
            p {
                "Who moved first scored " (score(standings.first)) "\u{a0}% of " (count(standings.first.games()))
                " games. " (table.first_advantage_text()) " "
                @if table.games < standings.first.games() {
                    "(By the " (counted(table.games, "game", "games")) " between different players.) "
                }
                "Between equals " (fixed(100.0 * draws.value, 0)) " ± " (fixed(100.0 * draws.error, 0)) "\u{a0}% of the games "
                "are drawn."
            }
        }
    }
}

fn openings(all: &[OpeningResults], variant: &str) -> Markup {
    let (shown, rest) = all.split_at(all.len().min(OPENINGS));
    let others = rest.iter().fold(Wdl::default(), |sum, opening| sum + opening.results);
    html! {
        h3 { "By opening" }
        p.note { "Score: of the player who moved first, in per cent, over all matches. Pointing at an opening shows it in UCI." }
        div.scroll {
            table {
                thead { tr { th { "Opening" } th.n { "Games" } th.n { "Score" } th.wide { "First won, drawn, second won" } } }
                tbody {
                    @for opening in shown {
                        tr {
                            td.line title=(code(opening)) { (line(opening, variant)) }
                            td.n { (count(opening.results.games())) }
                            td.n { (score(opening.results)) }
                            td.wide { (bar(results(opening.results))) }
                        }
                    }
                    @if !rest.is_empty() {
                        tr {
                            td.soft { (counted(rest.len() as u64, "more opening", "more openings")) }
                            td.n { (count(others.games())) }
                            td.n { (score(others)) }
                            td.wide { (bar(results(others))) }
                        }
                    }
                }
            }
        }
    }
}

/// An opening in FEN and UCI.
fn code(opening: &OpeningResults) -> String {
    [opening.fen.as_str(), opening.moves.as_str()].join(" ").trim().to_owned()
}

/// An opening as people of the variant write it.
fn line(opening: &OpeningResults, variant: &str) -> Markup {
    let written = variant.parse().ok().and_then(
        |variant: VariantId| rules::dispatch!(variant, V => WrittenOpening::of::<V>(&opening.fen, &opening.moves)),
    );
    html! {
        @match written {
            Some(WrittenOpening { start, moves }) => {
                @if let Some(start) = &start { (start) @if !moves.is_empty() { ": " } }
                @if start.is_none() && moves.is_empty() { "start position" }
                (moves.join(" "))
            }
            // A line that cannot be read again is shown as it is stored.
            None => code { (code(opening)) },
        }
    }
}

/// Every match by itself: its pairs, and how strong they show the two players to be.
fn matches(all: &[(String, MatchReport)]) -> Markup {
    html! {
        details {
            summary { "Each match by itself (" (count(all.len() as u64)) ")" }
            div.scroll {
                table {
                    thead {
                        tr {
                            th { "Match" } th.n { "Games" } th.n { "Won" } th.n { "Drawn" } th.n { "Lost" } th.n { "Score" }
                            th.n { "Elo difference" } th.n { "LOS" } th.n { "Pairs: 0, ½, 1, 1½, 2 points" }
                            th.n { "Pairs won ÷ lost" }
                        }
                    }
                    tbody {
                        @for (name, report) in all {
                            @let strength = &report.strength;
                            tr {
                                td.name title=(name) { (report.players[0]) " – " (report.players[1]) }
                                td.n { (count(report.results.games())) }
                                td.n { (count(report.results.wins)) }
                                td.n { (count(report.results.draws)) }
                                td.n { (count(report.results.losses)) }
                                td.n { (optional(report.results.score().map(|score| 100.0 * score), 1)) "\u{a0}%" }
                                td.n { (plus_minus(strength.elo, strength.elo_error)) }
                                td.n { (optional(strength.los.map(|los| 100.0 * los), 1)) "\u{a0}%" }
                                td.n { (report.pairs.0.map(count).join(" · ")) }
                                td.n { (optional(report.pairs.pairs_ratio(), 2)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
