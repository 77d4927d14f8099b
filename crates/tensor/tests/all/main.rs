//! The integration tests of the tensor crate, one module for each property; `../README.md` lists them.
//!
//! All modules are one program, so that the library is linked once. Tests that need a process of their own
//! (a counting global allocator, `fork`, process-wide settings and counters) are separate programs in the
//! parent folder.

#[path = "../guides/page.rs"]
mod page;
#[path = "../zoo/mod.rs"]
mod zoo;

mod advanced_indexing;
mod aliasing;
mod arguments;
mod array_api;
mod block_boundaries;
mod borrows;
mod byte_order;
mod candle_guide;
mod concurrent_writes;
mod conversions;
mod copies;
mod creation;
mod dlpack;
mod einsum;
mod element_sums;
mod elementwise;
mod elementwise_large;
mod equality;
mod errors;
mod examples;
mod fft;
mod guide;
mod half_functions;
mod huge_sizes;
mod in_place;
mod in_place_lanes;
mod indexing;
mod iteration;
mod joining;
mod lazy;
mod lens;
mod linalg;
mod linalg_values;
mod mapped_files;
mod math_functions;
mod matmul;
mod meta;
mod mixed_types;
mod nn_conv;
mod npy;
mod numpy;
mod operand_copies;
mod operations;
mod option_names;
mod plan;
mod quantile;
mod random;
mod reduce;
mod reduce_short_cuts;
mod requirements;
mod scalars;
mod scan;
mod sets;
mod shifted_overlap;
mod softmax_norms;
mod sort;
mod statistics;
mod tensor_products;
mod threads;
mod trace;
mod transposed_copies;
mod ulp;
mod vector_loops;
mod views;
mod zero_copy;
mod zip;
mod zip_outputs;
