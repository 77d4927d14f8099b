#![doc = include_str!("README.md")]

pub(crate) mod body;
pub(crate) mod cast;
pub(crate) mod copy;
mod cpu;
pub(crate) mod factor;
pub(crate) mod fold;
pub(crate) mod folds;
pub(crate) mod gather;
pub(crate) mod lanes;
pub(crate) mod map;
pub(crate) mod mask;
pub(crate) mod matmul;
mod nest;
pub(crate) mod normalize;
pub(crate) mod picks;
pub(crate) mod reduce;
pub(crate) mod reduce_lens;
pub(crate) mod reducer;
pub(crate) mod scan;
pub(crate) mod softmax;
pub(crate) mod stream;
mod transpose;
