//! Requests to a server of this machine, also with headers that no browser would send.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, in lower case.
    pub headers: String,
    /// The content.
    pub body: String,
}

/// Asks the server at an address (`127.0.0.1:PORT`) with these further headers (`Name: value`); a body makes it a POST of
/// JSON.
pub fn ask(address: &str, path: &str, headers: &[&str], body: Option<&Value>) -> Answer {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let method = if body.is_some() { "POST" } else { "GET" };
    let mut lines = vec![format!("{method} {path} HTTP/1.1"), "Connection: close".to_owned()];
    if !headers.iter().any(|line| line.starts_with("Host:")) {
        lines.push(format!("Host: {address}"));
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
