//! The page of a made-up run: every section there, nothing raw, nothing that is no number.

mod fixture;
mod matches;

use super::{FILE, Facts, page_in, write};
use std::fs;
use std::path::Path;

const SECTIONS: [&str; 9] =
    ["strength", "matches", "learning", "health", "games", "openings", "speed", "files", "configuration"];

fn page(folder: &Path) -> String {
    written(folder, &Facts::read(folder).unwrap())
}

/// The page of these facts.
fn written(folder: &Path, facts: &Facts) -> String {
    write(&page_in(folder).unwrap(), facts).unwrap();
    fs::read_to_string(folder.join(FILE)).unwrap()
}

/// What holds of every page of a run.
fn check(html: &str) {
    for id in SECTIONS {
        assert!(html.contains(&format!("<section id=\"{id}\">")), "no section {id}");
    }
    check_page(html);
}

/// The scripts of the explorer: data, and the module that draws them.
const SCRIPTS: [&str; 2] = [r#"<script type="application/json" id="explorer-data">"#, r#"<script type="module">"#];

/// The script of every page.
const TABLES: &str = "<script>{";

/// What holds of every page.
fn check_page(html: &str) {
    for word in ["NaN", "inf ", ">inf", "http://", "https://", "src=", "@import", "import("] {
        assert!(!html.replace("http://www.w3.org/2000/svg", "").contains(word), "{word:?} in the page");
    }
    let mut rest = html.to_owned();
    for script in SCRIPTS.into_iter().chain([TABLES]) {
        if let Some((before, after)) = rest.split_once(script) {
            let (_, after) = after.split_once("</script>").expect("the script ends");
            rest = format!("{before}{after}");
        }
    }
    for word in ["null", "<script", "</script"] {
        assert!(!rest.contains(word), "{word:?} in the page");
    }
    assert!(html.contains("content=\"default-src 'none'; "));
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>"));
}

#[test]
fn a_run_has_all_sections_filled() {
    let folder = tempfile::tempdir().unwrap();
    fixture::run_folder(folder.path(), 3, 12);
    let html = page(folder.path());
    check(&html);
    assert!(!html.contains("class=\"absent\""), "{html}");
    assert!(html.contains("87.5 %") && html.contains("83.2 % to 91.8 %"));
    assert!(html.contains("Wangqi 王棋"));
    assert_eq!(html.matches("<svg").count(), 7);
    assert!(html.contains("Moving first is worth"));
    assert!(SCRIPTS.iter().all(|script| html.contains(script)));
    // 36 games of 60 and more plies; most of the page is its script.
    assert!(html.len() < 700_000, "{} bytes", html.len());
}

#[test]
fn health_is_told_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    fixture::run_folder(folder.path(), 3, 60);
    let html = page(folder.path());
    check(&html);
    // In the made-up run every game of generation 3 reached the limit.
    let row = html.split("<tr>").find(|row| row.contains("games cut off at the ply limit</td>")).expect("a row");
    assert!(row.contains("100.0 % !") && row.contains("up to 15.0 %") && row.contains("<td>3</td>"), "{row}");
    assert!(row.contains("in the next run, give games more room with <code>selfplay.max_plies</code>"), "{row}");
    let sound = html.split("<tr>").find(|row| row.contains("games resigned</td>")).expect("a row");
    assert!(sound.contains("0.0 %</td>") && !sound.contains("selfplay."), "{sound}");
}

#[test]
fn what_is_read_is_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("a<b>&\"c\"");
    fixture::run_folder(&run, 1, 2);
    let html = page(&run);
    check(&html);
    assert!(html.contains("a&lt;b&gt;&amp;&quot;c&quot;"));
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(html.contains("# a &lt; b &amp; &quot;c&quot;"));
}

#[test]
fn a_run_that_has_only_begun_has_a_page_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.toml"), fixture::CONFIG).unwrap();
    let html = page(folder.path());
    check(&html);
    assert!(!html.contains("<svg") && SCRIPTS.iter().all(|script| !html.contains(script)));
    assert!(html.matches("class=\"absent\"").count() >= SECTIONS.len());
}

#[test]
fn a_generation_without_games_divides_by_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fixture::run_folder(folder.path(), 2, 0);
    check(&page(folder.path()));
}

#[test]
fn damaged_data_is_said_and_the_rest_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    fixture::run_folder(folder.path(), 2, 5);
    let games = folder.path().join("data/games/variant=wangqi/gen=0001/local.parquet");
    let mut bytes = fs::read(&games).unwrap();
    bytes[40] ^= 1;
    fs::write(&games, bytes).unwrap();
    let html = page(folder.path());
    check(&html);
    assert!(html.contains("blake3") && html.contains("Policy loss"));
}

#[test]
fn a_damaged_match_log_is_named_and_the_matches_are_still_listed() {
    let folder = tempfile::tempdir().unwrap();
    fixture::run_folder(folder.path(), 2, 1);
    fs::write(folder.path().join("matches/gen-0001-vs-gen-0000.jsonl"), "{}\n").unwrap();
    let html = page(folder.path());
    check(&html);
    assert!(html.contains("gen-0001-vs-gen-0000.jsonl") && html.contains("All matches"));
}

#[test]
fn no_run_is_an_error_that_names_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let error = Facts::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("is no source of games"), "{error}");
}

#[test]
fn the_curves_have_every_group_and_no_point_twice() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    fixture::run_folder(&run, 3, 12);
    let facts = Facts::read(&run).unwrap();
    let curves = super::curves::scalars(&facts, &[]);
    for group in ["loss/", "rating/", "speed/", "selfplay/", "health/", "match/"] {
        assert!(curves.iter().any(|scalar| scalar.tag.starts_with(group)), "no {group}");
    }
    let mut points: Vec<_> = curves.iter().map(|scalar| (scalar.tag.as_str(), scalar.step)).collect();
    points.sort_unstable();
    let all = points.len();
    points.dedup();
    assert_eq!(points.len(), all);
    let capped: Vec<_> =
        curves.iter().filter(|scalar| scalar.tag == "health/capped").map(|at| (at.step, at.value)).collect();
    assert_eq!(capped, [(1, 0.0), (2, 0.0), (3, 1.0)]);

    let to = folder.path().join("curves");
    let file = super::write_curves(&to, &facts, &[]).unwrap();
    assert_eq!(super::write_curves(&to, &facts, &[]).unwrap(), file, "the same file again");
    assert_eq!(fs::read_dir(to.join("run")).unwrap().count(), 1);
}

#[test]
fn networks_are_known_by_their_digests_whatever_the_logs_call_them() {
    let folder = tempfile::tempdir().unwrap();
    fixture::run_folder(folder.path(), 3, 2);
    let facts = Facts::read(folder.path()).unwrap();
    let ratings = facts.ratings.as_ref().unwrap();
    let rated: Vec<(u32, &str)> =
        ratings.networks.iter().map(|rating| (rating.generation, rating.name.as_str())).collect();
    assert_eq!(rated, [(0, "gen-0000"), (1, "gen-0001"), (2, "gen-0002"), (3, "gen-0003")]);
    let ladder = ratings.ladder.as_ref().unwrap();
    assert_eq!((ladder.ratings.anchor.as_str(), ladder.ratings.unrated.len()), ("gen-0000", 0));
    // Errors are those of the difference from the network before, and smaller than those from the first one.
    let [first, .., last] = ratings.networks.as_slice() else { panic!("{ratings:?}") };
    assert!(first.gain.is_none() && first.error.is_none());
    let (gain, before) = (last.gain.unwrap(), &ratings.networks[2]);
    let expected = ladder.ratings.difference(&last.name, &before.name).unwrap();
    assert_eq!(gain, expected);
    assert!((gain.value - (last.elo - before.elo)).abs() < 1e-9);
    let curve: Vec<i64> = super::curves::scalars(&facts, &[])
        .iter()
        .filter(|scalar| scalar.tag == "rating/elo")
        .map(|scalar| scalar.step)
        .collect();
    assert_eq!(curve, [0, 1, 2, 3]);
    let html = page(folder.path());
    assert!(html.contains("Above the one before (95\u{a0}%)") && !html.contains("There are no ratings"), "{html}");
}

#[test]
fn the_headline_says_how_many_games_it_is_from_and_is_small_where_they_are_few() {
    let folder = tempfile::tempdir().unwrap();
    fixture::run_folder(folder.path(), 3, 2);
    let html = page(folder.path());
    assert!(html.contains("<p class=\"figure\">87.5 %</p>"), "{html}");
    assert!(html.contains("against the untrained network in 200 games</p>"), "{html}");
    assert!(!html.contains("class=\"verdict uncertain\""));

    let mut facts = Facts::read(folder.path()).unwrap();
    for event in &mut facts.events {
        if let lab::events::Stage::Match(played) = &mut event.stage {
            (played.pairs, played.wins, played.draws, played.losses) = (1, 2, 0, 0);
            (played.score, played.score_low, played.score_high) = (1.0, 0.342, 1.0);
        }
    }
    let html = written(folder.path(), &facts);
    assert!(
        html.contains("class=\"verdict uncertain\"") && html.contains("<p class=\"figure\">34–100 %</p>"),
        "{html}"
    );
    assert!(html.contains("in 2 games, too few to say more</p>"), "{html}");
}

#[test]
fn a_run_of_an_earlier_version_is_rated() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/tests/fixtures/run-of-cefdd92/match");
    let folder = lab::RunFolder::new(run);
    let events = lab::events::read(&folder.events()).unwrap();
    let ratings = super::ratings(&folder, &events).unwrap();
    let rated: Vec<u32> = ratings.networks.iter().map(|rating| rating.generation).collect();
    assert_eq!(rated, [0, 1]);
    assert_eq!(ratings.ladder.unwrap().ratings.anchor, "gen-0000");
}
