//! Operations on whole lanes along an axis that give as many elements as they are given, or nearly.

mod along;
mod diff;
mod scan;
mod softmax;

pub use scan::*;
pub use softmax::{log_softmax_into, softmax_into};
