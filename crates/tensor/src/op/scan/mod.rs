//! Scans and other operations along one axis: cumulative sums, differences, softmax.

mod cumulative;
mod diff;
mod lane_operation;
mod softmax;

pub use cumulative::*;
pub use softmax::{log_softmax_into, softmax_into};
