//! The program `belvedere` as a library: expressions in, steps and pictures out.

#![forbid(unsafe_code)]

pub mod explain;
