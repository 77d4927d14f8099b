//! The tests of the program and of its output formats. `play.rs` and `browser.rs` are separate test programs.

mod command;
mod never_panics;
