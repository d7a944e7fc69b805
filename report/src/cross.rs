//! The cross-table: each player's score against each other one.

use crate::number::{count, fixed};
use eval::Ladder;
use maud::{Markup, html};

/// Most players in a cross-table. More columns are not readable.
const PLAYERS: usize = 24;

/// The cross-table of the best players, strongest first. Players without a rating come last.
pub fn cross_table(ladder: &Ladder) -> Markup {
    let rated = ladder.ratings.rows.iter().map(|row| row.player.as_str());
    let players: Vec<&str> = rated.chain(ladder.ratings.unrated.iter().flatten().map(String::as_str)).collect();
    let (shown, left_out) = players.split_at(players.len().min(PLAYERS));
    html! {
        h3 { "Cross-table" }
        div.scroll {
            table.cross {
                thead {
                    tr {
                        th.who { "Player" }
                        @for (place, _) in shown.iter().enumerate() { th.cell { (place + 1) } }
                    }
                }
                tbody {
                    @for (place, &player) in shown.iter().enumerate() {
                        tr {
                            td.who title=(player) { span.soft { (place + 1) } " " (player) }
                            @for &opponent in shown { (cell(ladder, player, opponent)) }
                        }
                    }
                }
            }
        }
        p.note {
            "Strongest first. Per cent of the points of the player in the row against the one whose number is above the "
            "column; below it games won, drawn, lost."
            @match left_out.len() {
                0 => {}
                1 => { " 1 more player is left out." }
                others => { " " (count(others as u64)) " more players are left out." }
            }
        }
    }
}

fn cell(ladder: &Ladder, player: &str, opponent: &str) -> Markup {
    let games = ladder.between(player, opponent);
    match games.score() {
        _ if player == opponent => html! { td.cell.self {} },
        None => html! { td.cell.none { "·" } },
        Some(score) => {
            // Half of the points has the colour of the page. All of them or none is as strong a colour as keeps text readable.
            let strength = format!("--part:{:.0}%", 90.0 * (score - 0.5).abs());
            html! {
                td.cell.above[score > 0.5].below[score < 0.5] style=(strength) {
                    b { (fixed(100.0 * score, 0)) }
                    small { (games.wins) "/" (games.draws) "/" (games.losses) }
                }
            }
        }
    }
}
