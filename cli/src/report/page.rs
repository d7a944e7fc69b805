//! The page as a whole: head, headline, the sections in order.

use super::facts::Facts;
use super::number::{count, duration, percent, plus_minus};
use super::{games, losses, openings, sizes, speed, standings, strength};
use crate::run::events::Match;
use eval::Standings;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style sheet, inlined into the page.
pub const STYLE: &str = include_str!("style.css");

/// The whole page of a run.
pub fn page(facts: &Facts) -> anyhow::Result<Markup> {
    let body = html! {
        (headline(facts))
        main {
            (section("strength", "Strength", strength::section(facts)?))
            (section("matches", "Matches", standings::section(&facts.standings)))
            (section("learning", "Learning", losses::section(facts)?))
            (section("games", "Games", games::section(facts)?))
            (section("openings", "Openings", openings::section(facts)))
            (section("speed", "Speed", speed::section(facts)?))
            (section("files", "Files", sizes::section(facts)))
            (section("configuration", "Configuration", configuration(facts)))
        }
    };
    Ok(document(&format!("{} · {}", facts.title, facts.name), "the run folder", &body))
}

/// The whole page of a folder of matches.
pub fn matches_page(name: &str, standings: Standings) -> Markup {
    let variant = super::facts::title_of(&standings.ladder.variant);
    let matches = standings.matches.len();
    let body = html! {
        header {
            (brand())
            h1 { (variant) }
            p.subtitle {
                "Matches in " b { (name) } ": " (count(matches as u64)) (if matches == 1 { " match." } else { " matches." })
            }
        }
        main { (section("matches", "Players and games", standings::section(&Ok(standings)))) }
    };
    document(&format!("{variant} · {name}"), "the match logs", &body)
}

/// A page with this title, made from `source`.
fn document(title: &str, source: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // An empty icon, so that no browser asks a server for one.
                link rel="icon" href="data:,";
                title { (title) " · Kirin" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                footer { "Written by kirin " (env!("CARGO_PKG_VERSION")) ". Every figure is computed from " (source) "." }
            }
        }
    }
}

fn brand() -> Markup {
    html! { p.brand { span.seal { "麒" } "Kirin" } }
}

fn section(id: &str, title: &str, body: Markup) -> Markup {
    html! {
        section id=(id) {
            h2 { (title) }
            (body)
        }
    }
}

/// Says that a section has nothing to show, and why.
pub fn absent(why: &str) -> Markup {
    html! { p.absent { (why) } }
}

/// A chart with its title and legend, or nothing where it has no points.
pub fn figure(chart: &super::chart::Chart) -> anyhow::Result<Markup> {
    let Some(svg) = chart.svg()? else { return Ok(html! {}) };
    let several = chart.series.iter().filter(|series| !series.points.is_empty()).count() > 1;
    Ok(html! {
        figure {
            figcaption {
                b { (chart.title) }
                @if several {
                    span.legend {
                        @for (at, series) in chart.series.iter().enumerate().filter(|(_, series)| !series.points.is_empty()) {
                            span { i class={ "swatch s" (at) } {} (series.name) }
                        }
                    }
                }
            }
            (PreEscaped(svg))
        }
    })
}

fn headline(facts: &Facts) -> Markup {
    let networks = facts.trainings().map(|(generation, _)| generation).max();
    let (games, positions) =
        facts.selfplays().fold((0, 0), |sum, (_, _, stage)| (sum.0 + stage.games, sum.1 + stage.positions));
    let seconds: f64 = facts.events.iter().map(|event| event.seconds).sum();
    html! {
        header {
            (brand())
            h1 { (facts.title) }
            p.subtitle {
                "Run " b { (facts.name) } ". "
                @match networks {
                    Some(last) => { "Networks 0 (untrained) to " (last) "." }
                    None => { "No network is trained yet." }
                }
            }
            @match facts.against_untrained() {
                Some(played) => { (verdict(played)) }
                None => { (absent("The last network has not played against the untrained one yet.")) }
            }
            dl.tiles {
                (tile("self-play games", &count(games)))
                (tile("searched positions", &count(positions)))
                (tile("networks trained", &count(facts.trainings().count() as u64)))
                (tile("time of all stages", &duration(seconds)))
            }
        }
    }
}

/// A figure with its name.
pub fn tile(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

fn verdict(played: &Match) -> Markup {
    html! {
        div.verdict {
            p.figure { (percent(played.score, 1)) }
            div {
                p.claim { "Score of network " (played.network) " against the untrained network" }
                p.detail {
                    "95 % interval " (percent(played.score_low, 1)) " to " (percent(played.score_high, 1)) " · "
                    (count(played.pairs)) " pairs of games, sides exchanged · "
                    (count(played.wins)) " won, " (count(played.draws)) " drawn, " (count(played.losses)) " lost"
                    @if let Some(elo) = played.elo { " · Elo " (plus_minus(Some(elo), played.elo_error)) }
                }
                (scale(played))
            }
        }
    }
}

/// The score and its interval on a line from 0 to 100 %, with a mark at one half.
fn scale(played: &Match) -> Markup {
    let part = |share: f64| format!("{:.2}%", 100.0 * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 });
    let width = (played.score_high - played.score_low).max(0.0);
    html! {
        div.scale role="img" aria-label="score with its interval" {
            div.interval style={ "left:" (part(played.score_low)) ";width:" (part(width)) } {}
            div.mark style={ "left:" (part(played.score)) } {}
            div.half {}
        }
        div.ends { span { "0 %" } span { "50 %" } span { "100 %" } }
    }
}

fn configuration(facts: &Facts) -> Markup {
    html! {
        @if facts.about.is_empty() {
            (absent("The run has no run.json, so machine and program version are not known."))
        } @else {
            dl.about {
                @for (name, value) in &facts.about { div { dt { (name) } dd { (value) } } }
            }
        }
        @match &facts.config {
            Some(config) => { details { summary { "The resolved configuration, every key" } pre { (config) } } }
            None => { (absent("The run has no config.toml.")) }
        }
    }
}
