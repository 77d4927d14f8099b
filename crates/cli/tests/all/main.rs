//! The tests of the program and of its output formats. `play.rs` and `browser.rs` are programs of their own.

mod command;
mod never_panics;
