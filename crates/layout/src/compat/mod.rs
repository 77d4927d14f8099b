//! Ideas from elsewhere under the names they have there, corrected where they were wrong.
//!
//! Everything here is a thin layer over [`Layout`](crate::Layout) and [`Chain`](crate::Chain), for people
//! who come from other projects. The table on the crate's front page says which of our names does
//! what theirs do.

mod flatten_map;
pub mod gradcore;
mod shape_tracker;

pub use flatten_map::FlattenMap;
pub use shape_tracker::ShapeTracker;
