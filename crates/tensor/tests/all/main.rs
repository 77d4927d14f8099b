//! The integration tests of the tensor crate, one module a promise; `README.md` in the folder above lists them.
//!
//! One program, so that the library is linked once. Tests that need a process of their own (a global
//! allocator that counts, `fork`, process-wide settings and counters) are programs beside this folder.

#[path = "../zoo/mod.rs"]
mod zoo;

mod absurd;
mod aliasing;
mod array_api;
mod assemble;
mod blocks;
mod borrows;
mod copies;
mod creation;
mod dlpack;
mod einsum;
mod elementwise;
mod elementwise_large;
mod errors;
mod examples;
mod fft;
mod functions;
mod guide;
mod in_place;
mod in_place_lanes;
mod index_lists;
mod indexing;
mod joining;
mod lazy;
mod lens;
mod linalg;
mod mapping;
mod matmul;
mod mixed_types;
mod nn_conv;
mod normalize;
mod npy;
mod numpy;
mod plan;
mod products;
mod quantile;
mod random;
mod reduce;
mod requirements;
mod reuse;
mod scalars;
mod scan;
mod scribblers;
mod sets;
mod shifted;
mod sort;
mod statistics;
mod threads;
mod transposed_copies;
mod ulp;
mod views;
mod zero_copy;
