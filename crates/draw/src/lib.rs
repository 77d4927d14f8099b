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
pub use picture::{Album, Picture, TextOptions, View};
pub use sketch::{
    Cell, CellStyle, Limits, MemoryCell, Sketch, Visits, memory_cells, offset_formula,
};
