//! Small pieces that several sections are made of.

use maud::{Markup, html};

/// Says that a section has nothing to show, and why.
pub fn absent(why: &str) -> Markup {
    html! { p.absent { (why) } }
}

/// A figure with its name.
pub fn tile(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}
