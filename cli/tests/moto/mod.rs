//! An S3 on this machine: PyPI's `moto`.

#![allow(dead_code, reason = "each test program uses a part of it")]

use crate::lab::wait_until;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The bucket.
pub const BUCKET: &str = "runs";

/// An S3 with an empty bucket; it ends with the test.
pub struct S3 {
    server: Child,
    /// Where it listens.
    pub port: u16,
}

impl S3 {
    /// `None` if moto is missing.
    pub fn start() -> Option<S3> {
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from);
        let there = cache.join("kirin/oracles/moto");
        if !there.join("moto").is_dir() {
            let required = std::env::var("KIRIN_ORACLES").is_ok_and(|value| value == "required");
            assert!(!required, "KIRIN_ORACLES=required, but moto is missing (scripts/oracles)");
            // Not `eprintln!`, which the test harness keeps to itself.
            let _ = writeln!(std::io::stderr(), "SKIPPED: moto is missing (scripts/oracles)");
            return None;
        }
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let server = Command::new("python3")
            .args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port.to_string()])
            .env("PYTHONPATH", there)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 starts");
        let s3 = S3 { server, port };
        wait_until("moto answers", || s3.put("", &[]));
        Some(s3)
    }

    /// Puts an object into the bucket, or makes the bucket if the key is empty. Whether that worked.
    pub fn put(&self, key: &str, bytes: &[u8]) -> bool {
        let path = if key.is_empty() { BUCKET.to_owned() } else { format!("{BUCKET}/{key}") };
        let head =
            format!("PUT /{path} HTTP/1.1\r\nHost: s3\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", bytes.len());
        let asked = || -> std::io::Result<Vec<u8>> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.write_all(head.as_bytes())?;
            stream.write_all(bytes)?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer)?;
            Ok(answer)
        };
        asked().is_ok_and(|answer| answer.starts_with(b"HTTP/1.1 200"))
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Lets a command find this S3, which takes any credentials.
pub fn credentials(command: &mut Command, port: u16) {
    command
        .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"))
        .envs([("AWS_ALLOW_HTTP", "true"), ("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test")])
        .env("AWS_REGION", "us-east-1");
}
