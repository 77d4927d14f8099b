//! Sorting and searching: `sort`, `topk`, `searchsorted`, quantiles, set operations, histograms.

mod histogram;
mod quantile;
mod searchsorted;
mod sets;
mod sort;

pub use histogram::{Bins, Histogram};
pub use quantile::{Interpolation, median_into, quantile_into};
pub use searchsorted::Side;
pub use sets::*;
pub use sort::*;
