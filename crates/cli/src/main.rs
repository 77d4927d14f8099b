//! The program `belvedere`.

#![forbid(unsafe_code)]

fn main() {}
