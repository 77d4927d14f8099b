//! The reductions, one family per file.
//!
//! Each function returns the reducer for a dtype. The reducer's input dtype may be another one: elements are then cast
//! on the way. So there are reductions of integers only where a cast would cost as much as the reduction.

mod any_all;
mod arg_extremum;
mod first_byte;
mod integer_lane;
mod logsumexp;
mod min_max;
mod norm;
mod product;
mod sum;
mod variance;

pub(crate) use any_all::*;
pub(crate) use arg_extremum::{argmax, argmin};
pub(crate) use logsumexp::logsumexp;
pub(crate) use min_max::{max, min, nanmax, nanmin};
pub(crate) use norm::*;
pub(crate) use product::{nanprod, prod};
pub(crate) use sum::{CompensatedSum, mean, nanmean, nansum, sum};
pub(crate) use variance::{nan_variance, variance};
