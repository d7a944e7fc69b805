//! An S3 on this machine: PyPI's `moto`.

use std::io::{Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testkit::oracle;

/// A server with one bucket, which ends when it is dropped.
pub struct S3 {
    server: Child,
    /// Its address: `127.0.0.1:PORT`.
    pub address: String,
}

/// The bucket.
pub const BUCKET: &str = "kirin";

/// The environment that a program needs for a store at this address. moto accepts any credentials.
pub fn environment(address: &str) -> [(&'static str, String); 5] {
    [
        ("AWS_ENDPOINT_URL", format!("http://{address}")),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_ACCESS_KEY_ID", "test".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
    ]
}

/// Where `scripts/oracles` installs it.
fn moto() -> Option<PathBuf> {
    oracle::packages(
        "moto",
        include_str!("../../../scripts/moto-requirements.txt"),
        "moto is missing (scripts/oracles)",
    )
}

/// An address with a free port.
pub fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").to_string()
}

impl S3 {
    /// Starts it. `None` if it is not installed, which is printed.
    pub fn start() -> Option<S3> {
        let packages = moto()?;
        let address = free_address();
        let port = address.rsplit(':').next().expect("a port");
        let server = Command::new("python3")
            .args(["-m", "moto.server", "-H", "127.0.0.1", "-p", port])
            .env("PYTHONPATH", packages)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 starts");
        let s3 = S3 { server, address };
        let begin = Instant::now();
        while !s3.put("", &[]) {
            assert!(begin.elapsed() < Duration::from_secs(120), "moto does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(s3)
    }

    /// Uploads an object, or creates the bucket if the key is empty. Returns whether that worked.
    pub fn put(&self, key: &str, bytes: &[u8]) -> bool {
        let path = if key.is_empty() { BUCKET.to_owned() } else { format!("{BUCKET}/{key}") };
        let Self { address, .. } = self;
        let head = format!(
            "PUT /{path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            bytes.len()
        );
        let asked = || -> std::io::Result<Vec<u8>> {
            let mut connection = TcpStream::connect(address)?;
            connection.write_all(head.as_bytes())?;
            connection.write_all(bytes)?;
            let mut answer = Vec::new();
            connection.read_to_end(&mut answer)?;
            Ok(answer)
        };
        asked().is_ok_and(|answer| answer.starts_with(b"HTTP/1.1 200 "))
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
