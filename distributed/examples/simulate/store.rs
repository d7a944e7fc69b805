//! The store: how long a request takes, and how many there were.

use super::Measurements;
use super::outcome::PerSecond;

/// A kind of request, with a limit of its own.
#[derive(Clone, Copy, PartialEq)]
pub enum Request {
    /// An upload or a listing.
    Put,
    /// A get.
    Get,
}

/// A store that accepts this many requests of each kind in a second, one after the other, and answers each after its
/// latency.
pub struct Store<'a> {
    measured: &'a Measurements,
    /// When the store can accept the next request of each kind, in seconds.
    free: [f64; 2],
    /// When counting begins and ends.
    counted_in: std::ops::Range<f64>,
    /// Requests and bytes counted so far.
    pub counted: PerSecond,
}

impl<'a> Store<'a> {
    /// A store that counts within a span.
    pub fn new(measured: &'a Measurements, counted_in: std::ops::Range<f64>) -> Store<'a> {
        Store { measured, free: [0.0; 2], counted_in, counted: PerSecond::default() }
    }

    /// A request now, in its turn; returns the moment of its answer.
    pub fn ask(&mut self, request: Request, at: f64, bytes: f64) -> f64 {
        let (kind, most) = match request {
            Request::Put => (0, self.measured.most_puts_per_second),
            Request::Get => (1, self.measured.most_gets_per_second),
        };
        let taken = at.max(self.free[kind]);
        self.free[kind] = taken + 1.0 / most;
        self.ask_later(request, taken, bytes)
    }

    /// A request that follows another one, at a later moment: it does not delay requests made before that moment.
    pub fn ask_later(&mut self, request: Request, at: f64, bytes: f64) -> f64 {
        self.count(request, at, 1.0, bytes);
        let latency = match request {
            Request::Put => self.measured.put_ms,
            Request::Get => self.measured.get_ms,
        };
        at + latency / 1000.0 + self.measured.transfer(bytes)
    }

    /// Counts requests that are made at the same time.
    pub fn count(&mut self, request: Request, at: f64, requests: f64, bytes: f64) {
        if !self.counted_in.contains(&at) {
            return;
        }
        match request {
            Request::Put => {
                self.counted.puts += requests;
                self.counted.bytes_put += bytes;
            }
            Request::Get => {
                self.counted.gets += requests;
                self.counted.bytes_got += bytes;
            }
        }
    }
}
