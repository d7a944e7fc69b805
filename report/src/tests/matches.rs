//! The page of a folder of matches.

use super::{check_page, fixture};
use crate::{FILE, Sources, page_in, write_sources};
use data::OpeningTable;
use std::path::Path;

fn page(folder: &Path) -> String {
    let standings = eval::standings(folder, None).unwrap();
    let sources = Sources {
        variant: standings.ladder.variant.parse().unwrap(),
        names: vec!["cup".to_owned()],
        summary: Vec::new(),
        openings: Ok(OpeningTable::default()),
        explorer: None,
        standings: vec![("cup".to_owned(), standings)],
    };
    write_sources(&page_in(folder).unwrap(), &sources).unwrap();
    std::fs::read_to_string(folder.join(FILE)).unwrap()
}

#[test]
fn one_pair_of_players_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    fixture::match_log(folder.path(), ["<b>bold</b> & co", "other"], [3, 1, 4], 1);
    let html = page(folder.path());
    check_page(&html);
    assert!(html.contains("&lt;b&gt;bold&lt;/b&gt; &amp; co") && !html.contains("<b>bold"));
    assert!(html.contains("1 match."), "{html}");
    assert!(html.contains("<small>3/1/4</small>") && html.contains("<small>4/1/3</small>"), "{html}");
    assert!(!html.contains("Not rated"));
    assert_eq!(html.matches("class=\"whisker\"").count(), 2);
}

#[test]
fn groups_without_games_between_them_are_named() {
    let folder = tempfile::tempdir().unwrap();
    fixture::match_log(folder.path(), ["a", "b"], [5, 0, 3], 1);
    fixture::match_log(folder.path(), ["b", "c"], [4, 2, 2], 1);
    fixture::match_log(folder.path(), ["x", "y"], [4, 0, 4], 1);
    let html = page(folder.path());
    check_page(&html);
    assert!(html.contains("<b>Not rated: </b>x, y. No chain of games connects these players with a."), "{html}");
    // a and c never met; neither met x or y.
    assert_eq!(html.matches(">·</td>").count(), 2 + 2 * 2 * 3);
}

#[test]
fn only_the_most_played_openings_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    fixture::match_log(folder.path(), ["a", "b"], [20, 0, 20], 15);
    let html = page(folder.path());
    check_page(&html);
    assert!(html.contains("3 more openings"), "{html}");
    assert_eq!(html.matches("<td class=\"line\"").count(), 12);
}

#[test]
fn all_games_won_is_marked_and_finite() {
    let folder = tempfile::tempdir().unwrap();
    fixture::match_log(folder.path(), ["a", "b"], [8, 0, 0], 1);
    let html = page(folder.path());
    check_page(&html);
    assert!(html.contains("a cautious estimate") && html.contains("--part:45%"), "{html}");
}
