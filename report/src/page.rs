//! The page as a whole: head, headline, the sections in order.

use super::facts::Facts;
use super::pieces::{absent, tile};
use super::sources::Sources;
use super::{explorer, games, health, losses, openings, sizes, speed, standings, strength};
use crate::error::ReportError;
use crate::explorer::Explorer;
use crate::number::{count, counted, duration, fixed, percent, plus_minus};
use lab::events::Match;
use lab::health::Health;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeSet;

/// The style sheet, inlined into the page.
pub const STYLE: &str = include_str!("style.css");
/// The script that fits tables to narrow windows.
const TABLES: &str = include_str!("tables.js");

/// The whole page of a run.
///
/// # Errors
/// The drawing library refuses.
pub fn page(facts: &Facts) -> Result<Markup, ReportError> {
    let selfplays: Vec<_> = facts.selfplays().collect();
    let trainings: Vec<_> = facts.trainings().collect();
    let matches: Vec<_> = facts.matches().collect();
    // The matches are listed once.
    let listed = if facts.standings.is_ok() { &[][..] } else { &matches };
    let sections = [
        ("strength", "Strength", strength::section(&facts.ratings, listed)?),
        ("matches", "Matches", standings::section(&facts.standings, &facts.ratings)),
        ("learning", "Learning", losses::section(&trainings)?),
        ("health", "Health", health::section(&Health::of(&facts.events))),
        ("games", "Games", games::section(&selfplays, &facts.summary)?),
        ("openings", "Openings", openings::section(&facts.openings, facts.explorer.as_ref(), facts.variant)),
        ("speed", "Speed", speed::section(&facts.times())?),
        ("files", "Files", sizes::section(&facts.files)),
        ("configuration", "Configuration", configuration(facts)),
    ];
    let script = script(facts.explorer.as_ref());
    Ok(document(&format!("{} · {}", facts.title, facts.name), "the run folder", &headline(facts), &sections, script))
}

/// The whole page of games that are not one run.
pub fn sources_page(sources: &Sources) -> Markup {
    let title = sources.variant.title();
    let names = sources.names.join(", ");
    let matches: usize = sources.standings.iter().map(|(_, standings)| standings.matches.len()).sum();
    let head = html! {
        header {
            (brand())
            h1 { (title) }
            p.subtitle {
                (counted(sources.games(), "game", "games")) " of " b { (names) }
                @if matches > 0 { ": " (counted(matches as u64, "match", "matches")) }
                "."
            }
            (sources.tiles())
        }
    };
    let openings = openings::section(&sources.openings, sources.explorer.as_ref(), Some(sources.variant));
    let mut sections = vec![("openings".to_owned(), "Openings".to_owned(), openings)];
    for (place, (name, standings)) in sources.standings.iter().enumerate() {
        let (id, title) = match sources.standings.len() {
            1 => ("players".to_owned(), "Players and games".to_owned()),
            _ => (format!("players-{place}"), format!("Players and games of {name}")),
        };
        sections.push((id, title, standings::tables(standings, &BTreeSet::new())));
    }
    if sources.standings.is_empty() || sources.names.len() > 1 {
        sections.push(("games".to_owned(), "Games".to_owned(), sources.section()));
    }
    document(&format!("{title} · {names}"), "the games", &head, &sections, script(sources.explorer.as_ref()))
}

/// The script of the explorer, if the page has one.
fn script(explorer: Option<&Result<Explorer, String>>) -> Option<&'static str> {
    explorer.filter(|explorer| explorer.is_ok()).map(|_| explorer::SCRIPT)
}

/// What a page may load: nothing. Its own styles and its own script, which stand in it, may run.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// A page with this title, made from `source`: its head, its sections with their ids and titles, and its script, if it
/// has one.
fn document<T: AsRef<str>>(
    title: &str,
    source: &str,
    head: &Markup,
    sections: &[(T, T, Markup)],
    script: Option<&str>,
) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // An empty icon, so that no browser asks a server for one.
                link rel="icon" href="data:,";
                title { (title) " · Kirin" }
                style { (PreEscaped(STYLE)) @if script.is_some() { (PreEscaped(explorer::STYLE)) } }
            }
            body {
                (head)
                nav.contents aria-label="Contents" {
                    @for (id, title, _) in sections { a href={ "#" (id.as_ref()) } { (title.as_ref()) } }
                }
                main { @for (id, title, body) in sections { (section(id.as_ref(), title.as_ref(), body)) } }
                footer { "Written by kirin " (env!("CARGO_PKG_VERSION")) ". Every figure is computed from " (source) "." }
                script { "{" (PreEscaped(TABLES)) "}" }
                // Last, so that everything that it looks for is there.
                @if let Some(script) = script { script type="module" { (PreEscaped(script)) } }
            }
        }
    }
}

fn brand() -> Markup {
    html! { p.brand { span.seal { "麒" } "Kirin" } }
}

fn section(id: &str, title: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) {
            h2 { (title) }
            (body)
        }
    }
}

fn headline(facts: &Facts) -> Markup {
    let networks = facts.trainings().map(|(generation, _)| generation).max();
    let (games, positions) =
        facts.selfplays().fold((0, 0), |sum, (_, stage)| (sum.0 + stage.games, sum.1 + stage.positions));
    let seconds: f64 = facts.events.iter().map(|event| event.seconds).sum();
    html! {
        header {
            (brand())
            h1 { (facts.title) }
            p.subtitle {
                "Run " b { (facts.name) } ". "
                @match networks {
                    Some(last) => { "Network 0 (" (facts.first_network()) ") to " (last) "." }
                    None => { "No network is trained yet." }
                }
            }
            @match facts.last_match() {
                Some((played, opponent)) => { (verdict(played, &opponent)) }
                None => { (absent("No network has played a match yet.")) }
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

/// Width of a 95 % interval, as a share, beyond which a score is a hint and no result.
const WIDE: f64 = 0.25;

/// Whether a match has too few games for its score to be a result.
pub fn is_uncertain(played: &Match) -> bool {
    let width = played.score_high - played.score_low;
    width.is_nan() || width > WIDE
}

/// The score of a match in large type; where its interval is wide, the interval in small type.
fn verdict(played: &Match, opponent: &str) -> Markup {
    let games = counted(2 * played.pairs, "game", "games");
    html! {
        div.verdict.uncertain[is_uncertain(played)] {
            @if is_uncertain(played) {
                p.figure { (fixed(100.0 * played.score_low, 0)) "–" (percent(played.score_high, 0)) }
            } @else {
                p.figure { (percent(played.score, 1)) }
            }
            div {
                p.claim {
                    "Score of network " (played.network) " against " (opponent) " in " (games)
                    @if is_uncertain(played) { ", too few to say more" }
                }
                p.detail {
                    (percent(played.score, 1)) ", 95 % interval " (percent(played.score_low, 1)) " to "
                    (percent(played.score_high, 1)) " · "
                    (counted(played.pairs, "pair", "pairs")) " of games, sides exchanged · "
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
