//! Game records of other programs: every format, every notation, and junk.

mod binary;
mod books;
mod formats;
mod junk;
mod losses;
mod notations;
mod round_trips;
mod training;
