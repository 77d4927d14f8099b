//! The view operations, one family for each file. Each returns a new layout of the same memory.

mod broadcast;
mod explain;
mod flip;
mod permute;
mod reinterpret;
mod reshape;
mod slice;
mod slicer;
mod split;
mod squeeze;
mod window;

pub use broadcast::{broadcast, broadcast_shapes};
pub use explain::{Boundary, Explanation, MatchedAxis, explain_view};
pub use reshape::{Refusal, Reshape, Seam};
pub use slice::{Index, Slice};
pub use slicer::Slicer;
pub use split::Parts;
