//! Interfaces of other projects under the names they have there, with their bugs fixed.
//!
//! - [`ShapeTracker`]: a record of movement operations, as tutorials about tinygrad build it.
//! - [`FlattenMap`]: SKaiNET's map from an index of a flattened view to an index of its parent.
//! - [`gradcore`]: the limits of GradCore-Tensor.
//!
//! Everything here is a thin layer over [`Layout`](crate::Layout) and [`Chain`](crate::Chain) for code
//! that is ported from these projects; nothing else in the crate uses it. The tables on the crate's
//! front page map the names of other libraries to the names of this one.

mod flatten_map;
pub mod gradcore;
mod shape_tracker;

pub use flatten_map::FlattenMap;
pub use shape_tracker::ShapeTracker;
