//! Operations that ask which elements are smaller: sorts, quantiles, places, sets and histograms.

mod histogram;
mod quantile;
mod search;
mod set;
mod sort;

pub use histogram::{Bins, Histogram};
pub use quantile::{Interpolation, median_into, quantile_into};
pub use search::Side;
pub use set::*;
pub use sort::*;
