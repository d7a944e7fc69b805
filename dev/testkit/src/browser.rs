//! Chromium without a window, spoken to in the DevTools protocol over a pipe: a page is opened, clicked and read as by a
//! user.
//!
//! `scripts/oracles` installs it. Where it is missing, [`Browser::find`] says so and gives `None`; with
//! `KIRIN_ORACLES=required` that is a failure.

use crate::oracle;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A browser that says nothing for so long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Chromium with `--remote-debugging-pipe` reads from descriptor 3 and writes to descriptor 4. The shell makes these from
/// its input and output.
const ON_A_PIPE: &str = r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#;

/// A running browser with one page. It ends when dropped.
pub struct Browser {
    process: Child,
    messages: Receiver<Value>,
    last_id: u64,
    session: Option<String>,
    /// Errors of the page's scripts and violations of its policy.
    pub complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Starts the browser: `KIRIN_CHROMIUM`, one on the path, or the installed one. `None`, loudly, if there is none.
    pub fn find() -> Option<Browser> {
        Browser::find_with(&[])
    }

    /// Like [`find`](Self::find), with further arguments of Chromium.
    pub fn find_with(arguments: &[&str]) -> Option<Browser> {
        if let Some(program) = programs().into_iter().find(|program| answers(program)) {
            return Some(Browser::start(&program, arguments));
        }
        oracle::missing("Chromium is missing (scripts/oracles, or set KIRIN_CHROMIUM)")
    }

    fn start(program: &Path, arguments: &[&str]) -> Browser {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new("sh");
        // The only pages are our own files, so that no sandbox is needed; root could have none.
        command.args(["-c", ON_A_PIPE]).arg(program).args(["--headless", "--no-sandbox", "--disable-gpu"]);
        command.args(["--remote-debugging-pipe", "--no-first-run"]).args(arguments);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let mut output = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                let text = message.strip_suffix(&[0]).unwrap_or(&message);
                let Ok(value) = serde_json::from_slice(text) else { return };
                if sender.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let complaints = Vec::new();
        let mut browser = Browser { process, messages, last_id: 0, session: None, complaints, _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method and waits for its result.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let input = self.process.stdin.as_mut().expect("its input is a pipe");
        write!(input, "{message}\0").and_then(|()| input.flush()).expect("the browser listens");
        loop {
            let answer = self.messages.recv_timeout(PATIENCE).expect("the browser answers");
            if answer["id"] == self.last_id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            let event = answer["method"].as_str().unwrap_or_default();
            if ["Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"].contains(&event) {
                self.complaints.push(answer["params"].to_string());
            }
        }
    }

    /// Opens a file in a window of this width and waits until `ready` is true in it.
    pub fn open(&mut self, file: &Path, width: u32, ready: &str) {
        self.go(&format!("file://{}", file.display()), width, ready);
    }

    /// Pages that are opened from now on are shown in the dark, or in the light.
    pub fn darken(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.call("Emulation.setEmulatedMedia", features);
    }

    /// The address of the page.
    pub fn address(&mut self) -> String {
        self.value("location.href").as_str().unwrap_or_default().to_owned()
    }

    /// Goes to an address in a window of this width and waits until `ready` is true in it.
    pub fn go(&mut self, address: &str, width: u32, ready: &str) {
        let size = json!({ "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        // Going to another part of a page would not load it again.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.wait_until("location.href === 'about:blank'");
        self.call("Page.navigate", json!({ "url": address }));
        self.wait_until(&format!("location.href !== 'about:blank' && document.readyState === 'complete' && ({ready})"));
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Bytes that the scripts of the page hold, after a garbage collection.
    pub fn script_bytes(&mut self) -> f64 {
        self.call("HeapProfiler.collectGarbage", json!({}));
        self.call("Runtime.getHeapUsage", json!({}))["usedSize"].as_f64().expect("a number")
    }

    /// Waits until an expression is true.
    pub fn wait_until(&mut self, expression: &str) {
        let begin = Instant::now();
        while self.value(expression) != json!(true) {
            assert!(begin.elapsed() < PATIENCE, "waited in vain until {expression}; {:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Clicks with the mouse on the element that an expression gives, where it is seen.
    pub fn click(&mut self, element: &str) {
        let middle = self.middle_of(element);
        for kind in ["mousePressed", "mouseReleased"] {
            self.mouse(kind, middle);
        }
    }

    /// Drags the mouse, with its button pressed, from one element to another that is seen with it.
    pub fn drag(&mut self, from: &str, to: &str) {
        let (begin, end) = self.ends(from, to);
        self.mouse("mousePressed", begin);
        for point in between(begin, end) {
            self.mouse("mouseMoved", point);
        }
        self.mouse("mouseReleased", end);
    }

    /// Lets fingers touch pages that are opened from now on.
    pub fn enable_touch(&mut self) {
        self.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }));
    }

    /// Taps on an element with a finger.
    pub fn tap(&mut self, element: &str) {
        let middle = self.middle_of(element);
        self.touch("touchStart", Some(middle));
        self.touch("touchEnd", None);
    }

    /// Drags a finger from one element to another that is seen with it.
    pub fn touch_and_drag(&mut self, from: &str, to: &str) {
        let (begin, end) = self.ends(from, to);
        self.touch("touchStart", Some(begin));
        for point in between(begin, end) {
            self.touch("touchMove", Some(point));
        }
        self.touch("touchEnd", None);
    }

    /// Drops a file of this machine on an element.
    pub fn drop_file(&mut self, file: &Path, element: &str) {
        let [x, y] = self.middle_of(element);
        let data = json!({ "items": [], "files": [file], "dragOperationsMask": 1 });
        for kind in ["dragEnter", "dragOver", "drop"] {
            self.call("Input.dispatchDragEvent", json!({ "type": kind, "x": x, "y": y, "data": data }));
        }
    }

    fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event);
    }

    fn touch(&mut self, kind: &str, point: Option<[f64; 2]>) {
        let points: Vec<Value> = point.into_iter().map(|[x, y]| json!({ "x": x, "y": y })).collect();
        self.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
    }

    /// Scrolls an element into view, and gives its middle in pixels of the window.
    fn middle_of(&mut self, element: &str) -> [f64; 2] {
        self.value(&format!("({element}).scrollIntoView({{ block: 'center' }})"));
        self.place_of(element)
    }

    /// The middle of an element where it is now.
    fn place_of(&mut self, element: &str) -> [f64; 2] {
        let middle = self.value(&format!(
            "(() => {{ const box = ({element}).getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        [&middle[0], &middle[1]].map(|coordinate| coordinate.as_f64().expect("an element"))
    }

    /// The middle of an element that is scrolled into view, and that of another one.
    fn ends(&mut self, from: &str, to: &str) -> ([f64; 2], [f64; 2]) {
        let begin = self.middle_of(from);
        (begin, self.place_of(to))
    }

    /// Presses a key, by the name that scripts see.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
        }
    }
}

/// Points on the way from one to another, with both.
fn between(begin: [f64; 2], end: [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
    const STEPS: u32 = 6;
    (0..=STEPS).map(move |step| {
        let share = f64::from(step) / f64::from(STEPS);
        [0, 1].map(|axis| begin[axis] + share * (end[axis] - begin[axis]))
    })
}

/// Where Chromium may be.
fn programs() -> Vec<PathBuf> {
    if let Some(program) = std::env::var_os("KIRIN_CHROMIUM") {
        return vec![program.into()];
    }
    let cache = match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) if !cache.is_empty() => PathBuf::from(cache),
        _ => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache"),
    };
    let installed = cache.join("kirin/oracles/chromium-debian/chromium");
    let named = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
    named.into_iter().chain([installed]).collect()
}

fn answers(program: &Path) -> bool {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}
