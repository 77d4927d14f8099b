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
//! Elementary functions are those of the `libm` crate, because the system's differ in their last bits between
//! machines.

#[cfg(not(feature = "random"))]
mod disabled;
#[cfg(feature = "random")]
mod draw;
#[cfg(feature = "random")]
mod order;
#[cfg(feature = "random")]
mod ziggurat;

#[cfg(not(feature = "random"))]
pub(crate) use disabled::{choose, choose_weighted, draw, draw_weighted, order, permute, shuffle};
#[cfg(feature = "random")]
pub(crate) use draw::draw;
#[cfg(feature = "random")]
pub(crate) use order::{choose, choose_weighted, draw_weighted, order, permute, shuffle};

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
