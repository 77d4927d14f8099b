//! The view operations, one family a file. Each makes a layout from a layout and moves nothing.

mod broadcast;
mod cut;
mod explain;
mod flip;
mod permute;
mod reinterpret;
mod reshape;
mod slice;
mod split;
mod unit;
mod window;

pub use broadcast::{broadcast, broadcast_shapes};
pub use cut::Cut;
pub use explain::{Boundary, Explanation, Matched, explain_view};
pub use reshape::{Refusal, Reshape, Seam};
pub use slice::{Index, Slice};
pub use split::Parts;
