//! The view operations, one family a file. Each makes a layout from a layout and moves nothing.

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
