//! The pages of the studio, clicked through in Chromium, and its routes, asked as by a program.

mod analyse;
mod ends;
mod explorer;
mod guard;
mod matches;
mod measure;
mod play;
mod play_routes;
mod run_pages;
mod runs;
mod screens;
mod server;
