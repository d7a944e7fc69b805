//! The part of S3 that these tests need: creating new objects, and reading.

use super::proxy::{DATED, request};
use std::collections::HashMap;
use std::io::{self, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Objects by the path of their URL.
type Objects = Arc<Mutex<HashMap<String, Vec<u8>>>>;

/// The fake. It serves until the process ends.
pub struct Fake;

impl Fake {
    /// Starts it; returns its address: `127.0.0.1:PORT`.
    pub fn start() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let objects = Objects::default();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let objects = Arc::clone(&objects);
                // Broken connections are the subject of the tests.
                std::thread::spawn(move || drop(serve(client, &objects)));
            }
        });
        address
    }
}

fn serve(mut client: TcpStream, objects: &Objects) -> io::Result<()> {
    let message = request(&mut BufReader::new(client.try_clone()?))?;
    let head = String::from_utf8_lossy(&message.head);
    let mut words = head.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().to_owned());
    let mut objects = objects.lock().expect("no panic");
    let (status, body) = match (method, objects.get(&path)) {
        ("PUT", Some(_)) => ("412 Precondition Failed", error("PreconditionFailed")),
        ("PUT", None) => {
            objects.insert(path, message.body);
            ("200 OK", Vec::new())
        }
        ("GET", Some(object)) => ("200 OK", object.clone()),
        ("GET", None) => ("404 Not Found", error("NoSuchKey")),
        _ => ("501 Not Implemented", error("NotImplemented")),
    };
    let length = body.len();
    write!(client, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{DATED}Connection: close\r\n\r\n")?;
    client.write_all(&body)
}

fn error(code: &str) -> Vec<u8> {
    format!("<Error><Code>{code}</Code></Error>").into_bytes()
}
