//! A studio in this process, for one test.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
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

/// Events that a studio sends. The connection ends when dropped.
pub struct Events(BufReader<TcpStream>);

impl Events {
    /// Asks for a path with parameters.
    pub fn open(server: &Server, path: &str, parameters: &[(&str, &str)]) -> Events {
        let query: Vec<String> = parameters.iter().map(|(key, value)| format!("{key}={}", encoded(value))).collect();
        let mut stream = TcpStream::connect(&server.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
        // In HTTP/1.0 an answer comes in one piece.
        write!(stream, "GET {path}?{} HTTP/1.0\r\nHost: {}\r\n\r\n", query.join("&"), server.host).expect("it reads");
        Events(BufReader::new(stream))
    }

    /// The next event and its content; `None` at the end.
    pub fn next(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("it answers in time") == 0 {
                return None;
            }
            if let Some(event) = line.strip_prefix("event:") {
                event.trim().clone_into(&mut name);
            } else if let Some(data) = line.strip_prefix("data:") {
                return Some((name, serde_json::from_str(data).expect("JSON")));
            }
        }
    }

    /// All events to the end.
    pub fn all(mut self) -> Vec<(String, Value)> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

/// A text as a part of an address.
pub fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
