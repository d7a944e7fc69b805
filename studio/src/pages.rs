//! The pages: what is the same in all of them. The script fills in the rest.

use axum::response::{Html, IntoResponse};
use maud::{DOCTYPE, html};

/// A page: its path, its name for scripts, its title.
struct Page {
    path: &'static str,
    name: &'static str,
    title: &'static str,
}

const PAGES: &[Page] = &[
    Page { path: "/", name: "runs", title: "Runs" },
    Page { path: "/explorer", name: "explorer", title: "Openings" },
    Page { path: "/play", name: "play", title: "Play" },
    Page { path: "/analyse", name: "analyse", title: "Analyse" },
    Page { path: "/matches", name: "matches", title: "Matches" },
];

/// The paths of all pages.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|page| page.path)
}

/// The page at a path.
pub(crate) fn page(path: &'static str) -> impl IntoResponse {
    let here = PAGES.iter().find(|page| page.path == path).unwrap_or(&PAGES[0]);
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (here.title) " · Kirin Studio" }
                link rel="stylesheet" href="/studio.css";
                script type="module" src="/studio.js" {}
            }
            body data-page=(here.name) {
                header.bar {
                    a.brand href="/" { span.seal { "麒" } "Kirin Studio" }
                    nav aria-label="Pages" {
                        @for page in PAGES {
                            a href=(page.path) aria-current=[(page.path == path).then_some("page")] { (page.title) }
                        }
                    }
                }
                main id="page" { noscript { p.note { "The studio needs JavaScript." } } }
            }
        }
    };
    Html(text.into_string())
}
