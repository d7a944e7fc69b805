//! A studio in this process, for one test.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use studio::{Studio, StudioConfig};

/// A running studio. It ends when dropped.
pub struct Server {
    /// `127.0.0.1:PORT`.
    pub host: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, as they came.
    pub headers: String,
    /// The content.
    pub body: String,
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
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        let method = if body.is_some() { "POST" } else { "GET" };
        let mut lines = vec![format!("{method} {path} HTTP/1.1"), "Connection: close".to_owned()];
        if !headers.iter().any(|line| line.starts_with("Host:")) {
            lines.push(format!("Host: {}", self.host));
        }
        lines.extend(headers.iter().map(|&line| line.to_owned()));
        let body = body.map(Value::to_string).unwrap_or_default();
        if method == "POST" {
            lines.push("Content-Type: application/json".to_owned());
            lines.push(format!("Content-Length: {}", body.len()));
        }
        write!(stream, "{}\r\n\r\n{body}", lines.join("\r\n")).expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers");
        let (headers, body) = text.split_once("\r\n\r\n").expect("headers and a body");
        let status = headers.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Answer { status, headers: headers.to_ascii_lowercase(), body: body.to_owned() }
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
