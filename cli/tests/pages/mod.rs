//! The documentation: its links, words, spelling, figures, commands, and the files that it names.

pub mod commands;
mod figures;
mod links;
mod names;
mod words;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().expect("the repository")
}

/// The files of the repository whose names end so, by their paths from its root; build results and runs are left out.
fn files(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap_or_default());
            if path.is_dir() {
                let is_ours = !["target", "runs", "node_modules"].contains(&name.as_str());
                folders.extend((is_ours && (!name.starts_with('.') || name == ".github")).then_some(path));
            } else if name.ends_with(ending) {
                found.push(path.strip_prefix(root()).expect("below the root").to_owned());
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no files end in {ending}");
    found
}

/// What a Markdown page consists of.
#[derive(Debug, Default)]
struct Page {
    /// Targets of its links and images.
    links: Vec<String>,
    /// Images without an alternative text.
    unnamed: Vec<String>,
    /// Anchors of its headings.
    anchors: Vec<String>,
    /// Its title: the first heading of level 1.
    title: Option<String>,
    /// Its text without code, each part with its line, and parts of one block joined.
    text: Vec<(usize, String)>,
    /// The code in its sentences, each with its line.
    code: Vec<(usize, String)>,
    /// The lines of its blocks in `sh` and `console`.
    commands: Vec<(usize, String)>,
    /// Rows of its tables, as the texts of their cells; the first row of a table is its header.
    tables: Vec<Vec<Vec<String>>>,
    /// While a page is read: whether it is within a cell.
    in_cell: bool,
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

impl Page {
    /// Reads a page of the repository.
    fn read(path: &Path) -> Page {
        let source = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        Page::parse(&source)
    }

    fn parse(source: &str) -> Page {
        let mut page = Page::default();
        let mut heading: Option<(HeadingLevel, String)> = None;
        let mut image: Option<(String, String)> = None;
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let (mut in_code, mut in_shell, mut is_new) = (false, false, true);
        let line_at = |at: usize| source[..at].matches('\n').count() + 1;
        for (event, range) in Parser::new_ext(source, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => heading = Some((level, String::new())),
                Event::End(TagEnd::Heading(_)) => {
                    let (level, text) = heading.take().expect("a heading");
                    let mut name = anchor(&text);
                    let earlier = seen.entry(name.clone()).or_default();
                    if *earlier > 0 {
                        name = format!("{name}-{earlier}");
                    }
                    *earlier += 1;
                    page.anchors.push(name);
                    if level == HeadingLevel::H1 {
                        page.title.get_or_insert(text);
                    }
                    is_new = true;
                }
                Event::Start(Tag::Link { dest_url, .. }) => page.links.push(dest_url.to_string()),
                Event::Start(Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                    image = Some((dest_url.to_string(), String::new()));
                }
                Event::End(TagEnd::Image) => {
                    let (target, alternative) = image.take().expect("an image");
                    page.unnamed.extend(alternative.trim().is_empty().then_some(target));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    in_code = true;
                    in_shell =
                        matches!(kind, CodeBlockKind::Fenced(name) if ["sh", "console"].contains(&name.as_ref()));
                }
                Event::End(TagEnd::CodeBlock) => (in_code, in_shell, is_new) = (false, false, true),
                Event::Text(text) if in_shell => {
                    let first = line_at(range.start);
                    page.commands.extend(text.lines().enumerate().map(|(i, text)| (first + i, text.to_owned())));
                }
                Event::Start(Tag::Table(_)) => page.tables.push(Vec::new()),
                Event::Start(Tag::TableHead | Tag::TableRow) => {
                    page.tables.last_mut().expect("a table").push(Vec::new())
                }
                Event::Start(Tag::TableCell) => {
                    page.tables.last_mut().and_then(|table| table.last_mut()).expect("a row").push(String::new());
                    (page.in_cell, is_new) = (true, true);
                }
                Event::End(TagEnd::TableCell) => (page.in_cell, is_new) = (false, true),
                Event::End(TagEnd::Paragraph | TagEnd::Item) => is_new = true,
                Event::Text(text) if !in_code => {
                    page.say(&text, range.start, source, &mut heading, &mut image, &mut is_new)
                }
                Event::SoftBreak | Event::HardBreak => {
                    page.text.last_mut().into_iter().for_each(|(_, text)| text.push(' '))
                }
                Event::Code(code) => {
                    page.code.push((line_at(range.start), code.to_string()));
                    // A stop of its own, so that no phrase is found across code.
                    page.text.last_mut().into_iter().for_each(|(_, text)| text.push('`'));
                    heading.iter_mut().for_each(|(_, text)| text.push_str(&code));
                    page.cell().into_iter().for_each(|cell| cell.push_str(&code));
                }
                _ => {}
            }
        }
        page
    }

    /// The cell that is being read.
    fn cell(&mut self) -> Option<&mut String> {
        self.tables.last_mut().filter(|_| self.in_cell)?.last_mut()?.last_mut()
    }

    fn say(
        &mut self,
        text: &str,
        at: usize,
        source: &str,
        heading: &mut Option<(HeadingLevel, String)>,
        image: &mut Option<(String, String)>,
        is_new: &mut bool,
    ) {
        heading.iter_mut().for_each(|(_, heading)| heading.push_str(text));
        image.iter_mut().for_each(|(_, alternative)| alternative.push_str(text));
        self.cell().into_iter().for_each(|cell| cell.push_str(text));
        match self.text.last_mut().filter(|_| !*is_new) {
            Some((_, block)) => block.push_str(text),
            None => self.text.push((source[..at].matches('\n').count() + 1, text.to_owned())),
        }
        *is_new = false;
    }
}

#[test]
fn pages_are_taken_apart() {
    let page = Page::parse(
        "# A `b` page\n\nSome *old*\ntext, [there](x.md#y) ![](p.png)\n\n## Two\n\n```sh\nkirin run\n```\n\n## Two\n\n\
         | a | b |\n|---|---|\n| `c` d | 5 % |\n\nMore\n",
    );
    assert_eq!(
        (page.title.as_deref(), page.anchors),
        (Some("A b page"), ["a-b-page", "two", "two-1"].map(String::from).into())
    );
    assert_eq!((page.links, page.unnamed), (["x.md#y", "p.png"].map(String::from).into(), vec!["p.png".to_owned()]));
    assert_eq!(page.text[1], (3, "Some old text, there ".to_owned()));
    assert_eq!(page.tables, [[["a", "b"], ["c d", "5 %"]]]);
    assert!(page.text.iter().all(|(_, text)| !text.contains("kirin run")), "{:?}", page.text);
    let code: Vec<(usize, &str)> = page.code.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(code, [(1, "b"), (16, "c")]);
    assert_eq!(page.commands, [(9, "kirin run".to_owned())]);
}
