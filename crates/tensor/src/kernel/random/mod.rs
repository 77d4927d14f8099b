//! Random numbers that do not depend on machines, threads or strides.
//!
//! **The problem.** A generator yields one number after the other. If threads share it, or each take a part
//! of its numbers, results depend on the number of threads; and some distributions consume more numbers
//! for one element than for another.
//!
//! **The solution** is a counter-based generator: the ChaCha cipher with eight rounds, of the `rand` crate,
//! is a function of a key and a position. Elements are counted in blocks of [`BLOCK_ELEMENTS`], in index order, and
//! each block starts at a position of its own, which is followed by more numbers than a block consumes.
//!
//! Distributions that accept a random number of candidates (rejection) need no stream for each element: a part of the stream has
//! 128 words for each element of its block, and the samplers take fewer than 10 on average.
//!
//! Elementary functions are those of the `libm` crate, because the system's differ in their last bits between
//! machines.

#[cfg(feature = "random")]
mod counts;
#[cfg(not(feature = "random"))]
mod disabled;
#[cfg(feature = "random")]
mod draw;
#[cfg(feature = "random")]
mod draw_each;
#[cfg_attr(not(feature = "random"), expect(dead_code, reason = "the back-end is off"))]
mod family;
#[cfg(feature = "random")]
mod log_mass;
#[cfg(feature = "random")]
mod order;
#[cfg(feature = "random")]
mod sampler;
#[cfg(feature = "random")]
mod ziggurat;

#[cfg(not(feature = "random"))]
pub(crate) use disabled::{
    choose, choose_weighted, draw, draw_each, draw_rows, draw_weighted, find_violation, order,
    permute, shuffle, stream_len_of_rows,
};
#[cfg(feature = "random")]
pub(crate) use draw::draw;
#[cfg(feature = "random")]
pub(crate) use draw_each::{draw_each, draw_rows, find_violation, stream_len_of_rows};
pub(crate) use family::Family;
#[cfg(feature = "random")]
pub(crate) use order::{choose, choose_weighted, draw_weighted, order, permute, shuffle};

#[cfg(feature = "random")]
use std::sync::LazyLock;

/// Computes the tables that are otherwise computed on first use.
#[cfg(feature = "random")]
pub(crate) fn initialize_statics() {
    LazyLock::force(&ziggurat::TABLES);
    LazyLock::force(&log_mass::STIRLING_ERRORS);
}

/// The number of elements drawn from one part of the stream.
pub(crate) const BLOCK_ELEMENTS: usize = 4096;

/// A position in the stream of numbers of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RandomStream {
    pub key: [u8; 32],
    pub number: u64,
    /// The part of the stream, counted in blocks of elements.
    pub part: u64,
}

/// A distribution. The arguments have been checked.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "random"), expect(dead_code, reason = "the back-end is off"))]
pub(crate) enum Distribution {
    /// Uniform in `[low, high)`.
    Uniform { low: f64, high: f64 },
    /// Normal with a mean and a standard deviation.
    Normal { mean: f64, std: f64 },
    /// Exponential with a scale, the reciprocal of the rate.
    Exponential { scale: f64 },
    /// `count` integers, from 1 to 2⁶⁴, starting from the one whose lower bits are `low`.
    Integers { low: u64, count: u128 },
    /// True with a probability.
    Bernoulli { chance: f64 },
}

impl Distribution {
    /// Returns the name of the operation that draws from it.
    pub(crate) fn op(&self) -> &'static str {
        match self {
            Distribution::Uniform { .. } => "uniform",
            Distribution::Normal { .. } => "normal",
            Distribution::Exponential { .. } => "exponential",
            Distribution::Integers { .. } => "integers",
            Distribution::Bernoulli { .. } => "bernoulli",
        }
    }
}

/// A distribution of rows, which are drawn together.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "random"), expect(dead_code, reason = "the back-end is off"))]
pub(crate) enum RowFamily<'a> {
    /// Proportions; the parameter is the concentration of each.
    Dirichlet,
    /// Counts; the parameters are the number of trials, and the probability of each.
    Multinomial,
    /// Counts; the parameters are the number of items drawn, and how many there are of each colour.
    MultivariateHypergeometric,
    /// Normal numbers: the mean, and the columns of a factor of the covariance, one after the other.
    MultivariateNormal { mean: &'a [f64], columns: &'a [f64] },
    /// Permutations of the positions of a row.
    Order,
}
