#![doc = include_str!("README.md")]

pub(crate) mod body;
pub(crate) mod cast;
pub(crate) mod conv;
pub(crate) mod copy;
mod cpu;
pub(crate) mod fft;
pub(crate) mod fold;
pub(crate) mod folds;
pub(crate) mod lanes;
pub(crate) mod map;
pub(crate) mod matmul;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod reduce_lens;
pub(crate) mod sequence;
pub(crate) mod stream;
mod transpose;
