#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod canvas;
mod grid;
mod html;
mod palette;
mod picture;
mod sketch;
mod svg;
mod text;

pub use palette::{Rgb, colour_of};
pub use picture::{Album, Picture, Text, View};
pub use sketch::{Cell, Limits, Look, Place, Sketch, Visits, places, sum};
