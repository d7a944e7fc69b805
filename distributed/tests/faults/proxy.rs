//! An HTTP proxy in front of a store that simulates network and server faults.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The fault of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// No fault: request and answer are forwarded.
    None,
    /// The server answers with this status and this code of S3, and does nothing.
    Status(u16, &'static str),
    /// The connection ends before the request is forwarded.
    Reset,
    /// The request is forwarded and done, and the connection ends before its answer.
    LostAnswer,
    /// The connection ends in the middle of the answer's body, whose whole length was announced.
    HalfBody,
    /// The answer claims a body of so many bytes, and has none.
    Claims(u64),
    /// The second half of the answer comes after this time.
    Slow(Duration),
}

/// The proxy. It serves until the process ends.
pub struct Proxy {
    faults: Arc<Mutex<VecDeque<Fault>>>,
    seen: Arc<AtomicUsize>,
}

impl Proxy {
    /// Listens at an address and passes on to another; both are `127.0.0.1:PORT`.
    pub fn start(address: &str, upstream: &str) -> Proxy {
        let listener = TcpListener::bind(address).expect("a free port");
        let (faults, seen) = (Arc::<Mutex<VecDeque<Fault>>>::default(), Arc::<AtomicUsize>::default());
        let proxy = Proxy { faults: Arc::clone(&faults), seen: Arc::clone(&seen) };
        let upstream = upstream.to_owned();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (faults, seen, upstream) = (Arc::clone(&faults), Arc::clone(&seen), upstream.clone());
                // Broken connections are the subject of the tests.
                std::thread::spawn(move || drop(serve(client, &upstream, &faults, &seen)));
            }
        });
        proxy
    }

    /// The faults of the next requests, one after the other; later requests have none.
    pub fn next(&self, faults: &[Fault]) {
        *self.faults.lock().expect("no panic") = faults.iter().copied().collect();
    }

    /// Requests so far.
    pub fn seen(&self) -> usize {
        self.seen.load(Ordering::SeqCst)
    }
}

/// What a client wants to know of an object.
pub const DATED: &str = "ETag: \"1\"\r\nLast-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\n";

/// A message of HTTP: its first line and headers, and its body.
pub struct Message {
    pub head: Vec<u8>,
    pub body: Vec<u8>,
}

/// Serves one request; the connection ends with it.
fn serve(client: TcpStream, upstream: &str, faults: &Mutex<VecDeque<Fault>>, seen: &AtomicUsize) -> io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let request = request(&mut reader)?;
    seen.fetch_add(1, Ordering::SeqCst);
    let fault = faults.lock().expect("no panic").pop_front().unwrap_or(Fault::None);
    let mut client = client;
    match fault {
        Fault::Reset => return Ok(()),
        Fault::Status(status, code) => {
            let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{code}</Message></Error>");
            let length = body.len();
            let head = format!("HTTP/1.1 {status} Fault\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            return client.write_all((head + &body).as_bytes());
        }
        Fault::Claims(length) => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{DATED}Connection: close\r\n\r\n");
            return client.write_all(head.as_bytes());
        }
        Fault::None | Fault::LostAnswer | Fault::HalfBody | Fault::Slow(_) => {}
    }
    let answer = pass_on(&request, upstream)?;
    let (first, second) = answer.body.split_at(answer.body.len() / 2);
    match fault {
        Fault::LostAnswer => Ok(()),
        Fault::HalfBody => client.write_all(&[&answer.head, first].concat()),
        Fault::Slow(pause) => {
            client.write_all(&[&answer.head, first].concat())?;
            client.flush()?;
            std::thread::sleep(pause);
            client.write_all(second)
        }
        _ => client.write_all(&[answer.head, answer.body].concat()),
    }
}

/// Reads the lines up to the empty one. A connection serves one request, so that a fault hits one request.
fn head(reader: &mut impl BufRead) -> io::Result<(Vec<u8>, Option<usize>)> {
    let (mut head, mut length) = (Vec::new(), None);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok();
        }
        if line == "\r\n" {
            head.extend(b"Connection: close\r\n\r\n");
            return Ok((head, length));
        }
        if !lower.starts_with("connection:") {
            head.extend(line.as_bytes());
        }
    }
}

pub fn request(reader: &mut impl BufRead) -> io::Result<Message> {
    let (head, length) = head(reader)?;
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Message { head, body })
}

fn pass_on(request: &Message, upstream: &str) -> io::Result<Message> {
    let mut server = TcpStream::connect(upstream)?;
    server.write_all(&[&request.head[..], &request.body].concat())?;
    let mut reader = BufReader::new(server);
    let (head, length) = head(&mut reader)?;
    let mut body = Vec::new();
    // The answer to HEAD announces a length and has no body.
    let is_head = request.head.starts_with(b"HEAD ");
    match length {
        _ if is_head => {}
        Some(length) => {
            body.resize(length, 0);
            reader.read_exact(&mut body)?;
        }
        None => drop(reader.read_to_end(&mut body)?),
    }
    Ok(Message { head, body })
}
