//! The folds that there are, one family a file.
//!
//! Each is found by the type of the elements. A fold may be of another type than they are: they are
//! converted on the way. So there are folds of integers where a conversion would cost what the fold does,
//! and of floats only where it does not.

mod extreme;
mod logsumexp;
mod moments;
mod norm;
mod place;
mod product;
mod sum;
mod truth;

pub(crate) use extreme::{greatest, greatest_number, least, least_number};
pub(crate) use logsumexp::logsumexp;
pub(crate) use moments::{moments, moments_of_numbers};
pub(crate) use norm::*;
pub(crate) use place::{greatest_at, least_at};
pub(crate) use product::{product, product_of_numbers};
pub(crate) use sum::{Exact, mean, mean_of_numbers, sum, sum_of_numbers};
pub(crate) use truth::*;
