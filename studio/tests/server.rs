//! A studio in this process, for one test.

use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use studio::{Studio, StudioConfig};
use testkit::http::{self, Answer};

/// A running studio. It ends when dropped.
pub struct Server {
    /// `127.0.0.1:PORT`.
    pub host: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// A studio of these folders.
    pub fn start(sources: &[PathBuf]) -> Server {
        Server::start_with(sources, 2)
    }

    /// A studio of these folders with so many searches at once.
    pub fn start_with(sources: &[PathBuf], searches: usize) -> Server {
        let config = StudioConfig { sources: sources.to_vec(), listen: ([127, 0, 0, 1], 0).into(), searches };
        let studio = Studio::open(&config).expect("a free port");
        let host = studio.address().trim_start_matches("http://").trim_end_matches('/').to_owned();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = std::thread::spawn(move || studio.serve(&flag).expect("it serves until it is stopped"));
        Server { host, stop, thread: Some(thread) }
    }

    /// The address of a page.
    pub fn page(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// Asks with these further headers (`Name: value` lines); a body makes it a POST.
    pub fn ask_with(&self, path: &str, headers: &[&str], body: Option<&Value>) -> Answer {
        http::ask(&self.host, path, headers, body)
    }

    /// The JSON of an answer to a GET.
    pub fn get(&self, path: &str) -> Value {
        let answer = self.ask_with(path, &[], None);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        serde_json::from_str(&answer.body).expect("JSON")
    }

    /// The status and the JSON of an answer to a POST.
    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.ask_with(path, &[], Some(body));
        (answer.status, serde_json::from_str(&answer.body).unwrap_or(Value::String(answer.body)))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking());
        }
    }
}
