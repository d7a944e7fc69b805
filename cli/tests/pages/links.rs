//! Links, anchors and images of all pages.

use super::{Page, files, root};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`; `None` if it leaves the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => normal.pop().then_some(())?,
            part => normal.push(part),
        }
    }
    Some(normal)
}

#[test]
fn every_link_leads_somewhere_and_every_image_has_an_alternative_text() {
    let pages: BTreeMap<PathBuf, Page> =
        files(".md").into_iter().map(|path| (path.clone(), Page::read(&path))).collect();
    let (mut wrong, mut links) = (Vec::new(), 0);
    for (path, page) in &pages {
        let mut say = |problem: String| wrong.push(format!("{}: {problem}", path.display()));
        page.unnamed.iter().for_each(|image| say(format!("{image} has no alternative text")));
        for link in page.links.iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            links += 1;
            let (target, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(path, name)| (path, Some(name)));
            let folder = path.parent().unwrap_or(Path::new(""));
            let target = if target.is_empty() { Some(path.clone()) } else { normal(&folder.join(target)) };
            let Some(target) = target.filter(|target| root().join(target).exists()) else {
                say(format!("{link} leads nowhere"));
                continue;
            };
            if let Some(anchor) = anchor {
                let has = pages.get(&target).is_some_and(|page| page.anchors.iter().any(|name| name == anchor));
                if !has {
                    say(format!("{link}: there is no such heading"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} links are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(links > 50, "only {links} links");
}

#[test]
fn every_page_of_docs_is_in_the_list_of_its_folder() {
    let (map, notes) = (Path::new("docs/README.md"), Path::new("docs/research/README.md"));
    let linked = |list: &Path| -> Vec<PathBuf> {
        let folder = list.parent().expect("a folder");
        Page::read(list).links.iter().filter_map(|link| normal(&folder.join(link))).collect()
    };
    let (in_map, in_notes) = (linked(map), linked(notes));
    for path in files(".md").into_iter().filter(|path| path.starts_with("docs") && path != map) {
        let (list, listed) = if month(&path).is_some() { (notes, &in_notes) } else { (map, &in_map) };
        assert!(listed.contains(&path), "{} is not in {}", path.display(), list.display());
    }
}

/// How the opening of a page names its readers.
const READERS: &[&str] =
    &["for people", "for those who", "for players", "for newcomers", "for readers", "for all readers"];

/// The month in the name of a note, such as 2026-11-26-levels.md, as the note has it: "November 2026".
fn month(path: &Path) -> Option<String> {
    let months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October"];
    let name = path.file_name()?.to_str()?;
    let [year, month, _, _] = name.splitn(4, '-').collect::<Vec<_>>()[..] else { return None };
    let month = months.into_iter().chain(["November", "December"]).nth(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    Some(format!("{month} {year}"))
}

#[test]
fn every_page_of_docs_begins_with_a_title_what_it_is_for_and_who_reads_it() {
    let mut wrong = Vec::new();
    for path in files(".md").into_iter().filter(|path| path.starts_with("docs")) {
        let page = Page::read(&path);
        let mut say = |problem: &str| wrong.push(format!("{}: {problem}", path.display()));
        if page.title.is_none() {
            say("has no title");
        }
        let first = page.text.get(1).map_or("", |(_, text)| text.as_str());
        if first.len() <= 40 || !READERS.iter().any(|readers| first.to_lowercase().contains(readers)) {
            say("does not say what it is for and who reads it");
        }
        // `22 to 25 November 2026`.
        let is_dated = |month: String| first.split_once(&month).is_some_and(|(days, _)| days.len() < 20);
        if month(&path).is_some_and(|month| !is_dated(month)) {
            say("does not begin with its date");
        }
    }
    assert!(wrong.is_empty(), "{} pages:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(month(Path::new("docs/research/2026-02-03-a-b.md")), Some("February 2026".to_owned()));
    assert_eq!(month(Path::new("docs/README.md")), None);
}
