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
fn every_page_of_docs_begins_with_a_title_and_what_it_is_for() {
    for path in files(".md").into_iter().filter(|path| path.starts_with("docs")) {
        let page = Page::read(&path);
        assert!(page.title.is_some(), "{} has no title", path.display());
        let first = page.text.get(1).map_or(0, |(_, text)| text.len());
        assert!(first > 40, "{} does not say what it is for", path.display());
    }
}
