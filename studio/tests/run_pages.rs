//! The page of a run while it changes, of several runs laid over one another, and its charts.

use crate::runs::{append, configure, events, plan, run_folder};
use crate::server::Server;
use data::LineLog;
use lab::Plan;
use testkit::browser::Browser;

#[test]
fn the_page_of_a_run_changes_with_it_and_says_when_it_is_gone() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 2);
    let lock = run.lock().unwrap();
    let server = Server::start(&[run.root().to_owned()]);
    browser.go(&server.page("/"), 1000, "!!document.querySelector('.run-card .badge.running')");
    browser.click("document.querySelector('.run-card a')");
    browser.wait_until("!!document.querySelector('.run .replay .piece')");
    // Parts of the page come with messages of their own, in any order.
    let shows = |browser: &mut Browser, selector: &str, text: &str| {
        browser.wait_until(&format!("!!document.querySelector({selector:?})?.textContent.includes({text:?})"));
    };
    shows(&mut browser, ".alarm", "games cut off at the ply limit: 100.0 %");
    shows(&mut browser, ".alarms", "selfplay.max_plies");
    shows(&mut browser, ".tiles", "1,100 ± 60");
    browser.wait_until("document.querySelectorAll('.chart .curve').length === 6");
    browser.wait_until("document.querySelectorAll('.chart .whisk').length === 1");
    // The newest game plays by itself.
    browser.wait_until("/^After [1-9]/.test(document.querySelector('.viewer .status').textContent)");
    browser.click("document.querySelector('.replay [aria-label^=\"To the end\"]')");
    browser.wait_until("document.querySelector('.viewer .status').textContent === 'After 12 plies: the end.'");
    browser.press("ArrowLeft");
    browser.wait_until("document.querySelector('.viewer .status').textContent.startsWith('After 11 plies')");

    LineLog::<Plan>::open(&run.plan()).unwrap().0.append(&plan(4)).unwrap();
    events(3).iter().chain(&events(4)).for_each(|event| append(&run, event));
    browser.wait_until("document.querySelectorAll('.chart .whisk').length === 2");
    shows(&mut browser, ".tiles", "games800");
    drop(lock);
    browser.wait_until("document.querySelector('.badge').textContent === 'interrupted'");
    std::fs::remove_dir_all(run.root()).unwrap();
    browser.wait_until("document.querySelector('.badge').textContent === 'gone'");
    shows(&mut browser, "#page", "This run is gone");
    // It comes back, as a backup does.
    run_folder(run.root(), 1);
    browser.wait_until("document.querySelector('.badge').textContent === 'interrupted'");
    browser.wait_until("!document.querySelector('#page').textContent.includes('This run is gone')");
    // Questions for what is gone are refused, which the browser notes.
    browser.complaints.retain(|text| !text.contains("404") && !text.contains("500"));
    assert_eq!(browser.complaints, [""; 0]);
}

/// As `kirin run` does it with more generations: the configuration changes, the next generation is planned and played.
#[test]
fn the_page_of_a_finished_run_follows_it_when_it_is_extended() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 8);
    events(9).iter().for_each(|event| append(&run, event));
    let server = Server::start(&[run.root().to_owned()]);
    browser.go(&server.page("/?run=run"), 1000, "document.querySelector('.badge').textContent === 'finished'");
    let page = "document.querySelector('.run').textContent";
    let tile = |name: &str, text: &str| {
        format!("document.querySelector('.tiles').textContent.includes({:?})", format!("{name}{text}"))
    };
    browser.wait_until(&tile("generation", "9 of 9"));
    assert_eq!(browser.value(&tile("games", "1,800")), true);
    assert_eq!(browser.value(&format!("{page}.includes('generations = 9')")), true);

    let lock = run.lock().unwrap();
    configure(&run, 12);
    LineLog::<Plan>::open(&run.plan()).unwrap().0.append(&plan(10)).unwrap();
    browser.wait_until("document.querySelector('.badge').textContent === 'running'");
    browser.wait_until(&tile("generation", "10 of 12"));
    browser.wait_until(&format!("{page}.includes('generations = 12') && !{page}.includes('generations = 9')"));
    assert_eq!(browser.value("document.querySelector('.progress').getAttribute('aria-valuenow')"), "75");
    // Figures of the stage in progress, then of the stages that have ended.
    let at_ms = events(10)[0].at_ms - 1000;
    let progress = serde_json::json!({
        "generation": 10, "task": "training", "done": 5, "total": 10, "began_at_ms": at_ms, "at_ms": at_ms,
        "policy_loss": 1.25, "value_loss": 0.5,
    });
    std::fs::write(run.progress(), progress.to_string()).unwrap();
    browser.wait_until(&tile("policy loss", "1.250 nats"));
    let dots = "document.querySelectorAll('.chart .dot').length";
    let before = browser.value(dots).as_u64().unwrap();
    events(10).iter().for_each(|event| append(&run, event));
    browser.wait_until(&tile("games", "2,000"));
    browser.wait_until(&tile("Elo, fixed scale", "1,900 ± 60"));
    browser.wait_until(&tile("policy loss", "2.100 nats"));
    browser.wait_until(&format!("{dots} > {before}"));
    drop(lock);
    browser.wait_until("document.querySelector('.badge').textContent === 'interrupted'");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn two_runs_laid_over_one_another_have_two_curves() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    let hostile = "b <img src=x onerror=alert(1)>";
    run_folder(&runs.join("a"), 4);
    run_folder(&runs.join(hostile), 4);
    let server = Server::start(&[runs]);
    browser.go(&server.page("/"), 1000, "document.querySelectorAll('.run-card').length === 2");
    browser.click("document.querySelectorAll('.run-card input')[0]");
    browser.wait_until("document.querySelectorAll('.overlay .curve').length === 3");
    // A question without an answer is told, and takes nothing from the other run.
    browser.value(
        "(() => { const real = window.fetch; window.repair = () => { window.fetch = real; };
        window.fetch = (address, ...rest) => decodeURIComponent(address).includes('<img')
            ? Promise.reject(new TypeError('no answer')) : real(address, ...rest); })()",
    );
    let second = "document.querySelectorAll('.run-card input')[1]";
    browser.click(second);
    browser.wait_until("!!document.querySelector('.overlay .message.wrong:not([hidden])')");
    assert_eq!(browser.value("document.querySelectorAll('.overlay .curve').length"), 3);
    browser.value("window.repair()");
    browser.click(second);
    browser.click(second);
    browser.wait_until("document.querySelectorAll('.overlay .curve').length === 6");
    browser.complaints.retain(|text| !text.contains("no answer"));
    let colours = "new Set([...document.querySelectorAll('.overlay .chart')[0].querySelectorAll('.curve')]
        .map((curve) => getComputedStyle(curve).stroke)).size";
    assert_eq!(browser.value(colours), 2);
    let legend = browser.value("document.querySelector('.overlay .legend').textContent");
    assert_eq!(legend, format!("runs/aruns/{hostile}"));
    assert_eq!(browser.value("document.images.length"), 0);
    // Against hours the same curves lie elsewhere.
    let first = "document.querySelectorAll('.overlay .chart')[1].querySelector('.curve').getAttribute('points')";
    let before = browser.value(first);
    browser.value(
        "(() => { const select = document.querySelector('.overlay select'); select.value = 'hours';
        select.dispatchEvent(new Event('change')); })()",
    );
    assert_ne!(browser.value(first), before.clone());
    // The address holds the choice.
    let address = browser.address();
    browser.go(&address, 400, "document.querySelectorAll('.overlay .curve').length === 6");
    assert!(address.contains("across=hours"), "{address}");
    assert_ne!(browser.value(first), before);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 400"), true);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn the_labels_of_a_chart_with_one_point_differ() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 1);
    let server = Server::start(&[run.root().to_owned()]);
    let drawn = "document.querySelectorAll('.overlay .curve').length > 0";
    browser.go(&server.page("/?overlay=run#across=hours"), 1000, drawn);
    let labels = "[...document.querySelectorAll('.overlay .chart svg')].map((chart) =>
        [...chart.querySelectorAll('text.tick.middle')].map((label) => label.textContent))";
    for labels in browser.value(labels).as_array().unwrap() {
        let labels: Vec<&str> = labels.as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect();
        let different: std::collections::BTreeSet<&str> = labels.iter().copied().collect();
        assert!(labels.len() > 2 && different.len() == labels.len(), "{labels:?}");
    }
}

#[test]
fn the_page_of_a_run_does_not_grow() {
    let Some(mut browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = run_folder(&folder.path().join("run"), 4);
    let server = Server::start(&[run.root().to_owned()]);
    browser.go(&server.page("/?run=run"), 1000, "!!document.querySelector('.run .replay .piece')");
    // The page opens its stream again when it is seen again; this time the test has a hand on it.
    browser.value(
        "(() => {
            const hide = (hidden) => {
                Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
                document.dispatchEvent(new Event('visibilitychange'));
            };
            hide(true);
            const Original = window.EventSource;
            window.EventSource = class extends Original {
                constructor(path) { super(path); window.stream = this; window.told = {};
                    for (const name of ['state', 'history']) this.addEventListener(name, (event) => { window.told[name] = event.data; }); }
            };
            hide(false);
        })()",
    );
    browser.wait_until("!!window.told?.state && !!window.told?.history");
    let grown = browser.value(
        "(async () => {
            const tell = (name, data) => stream.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
            const state = JSON.parse(told.state), history = JSON.parse(told.history);
            const act = (number) => {
                state.done = number / 1000; state.state.games = number;
                tell('state', state);
                history.generations.at(-1).games = number;
                tell('history', history);
                tell('metrics', { from: 700 + number, rows: [[number, 4, 0, 2 + 1 / (number + 1), 0.7]] });
                tell('game', {});
            };
            const shown = () => new Promise(requestAnimationFrame).then(() => document.querySelectorAll('*').length);
            // The curves of the steps are averaged once they have enough points.
            const rows = Array.from({ length: 700 }, (_, step) => [step, 4, 0, 2 + 1 / (step + 1), 0.7]);
            tell('metrics', { from: 0, rows });
            const before = await shown();
            for (let number = 0; number < 500; number += 1) {
                act(number);
                if (number % 50 === 0) await shown();
            }
            return [before, await shown(), document.querySelector('.tiles').textContent.includes('games499')];
        })()",
    );
    assert_eq!(grown[2], true, "the events arrived: {grown}");
    assert_eq!(grown[0], grown[1], "{grown}");
    assert_eq!(browser.complaints, [""; 0]);
}
