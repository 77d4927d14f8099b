#![doc = include_str!("README.md")]

pub(crate) mod body;
pub(crate) mod cast;
pub(crate) mod conv;
pub(crate) mod copy;
mod cpu;
pub(crate) mod factor;
pub(crate) mod fft;
mod function;
pub(crate) mod gather;
pub(crate) mod gather_offsets;
pub(crate) mod histogram;
pub(crate) mod lanes;
pub(crate) mod map;
pub(crate) mod map_lens;
pub(crate) mod mask;
pub(crate) mod matmul;
pub(crate) mod normalize;
mod parallel;
mod prefetch;
pub(crate) mod program;
pub(crate) mod quantile;
mod radix;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod reduce_lens;
pub(crate) mod reducer;
pub(crate) mod reduction;
pub(crate) mod reductions;
pub(crate) mod scan;
pub(crate) mod search;
#[cfg(feature = "random")]
pub(crate) mod sequence;
pub(crate) mod small;
pub(crate) mod softmax;
pub(crate) mod sort;
mod staged_copy;
mod streaming_store;
mod strided_copy;
mod transpose;
pub(crate) mod unique;

pub(crate) use gather_offsets as picks;
