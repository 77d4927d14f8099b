#![doc = include_str!("../README.md")]
//!
//! # Names in other libraries
//!
//! The names of the same operations in other libraries. Those in parentheses are more restricted
//! there, or not quite the same.
//!
//! | here | NumPy | PyTorch |
//! |---|---|---|
//! | [`Layout::row_major`] | `empty(shape)` | `empty(shape)` |
//! | [`Layout::col_major`] | `order="F"` |  |
//! | [`Layout::strides`] | `strides` (bytes) | `stride()` |
//! | [`Layout::byte_strides`] | `strides` |  |
//! | [`Layout::start`] |  | `storage_offset()` |
//! | [`Layout::offset`] | `ravel_multi_index` |  |
//! | [`unravel_index`] | `unravel_index` | `unravel_index` |
//! | [`Layout::is_contiguous`] | `flags.c_contiguous` | `is_contiguous()` |
//! | [`Layout::is_dense`] |  | `is_non_overlapping_and_dense` |
//! | [`Layout::permute`] | `transpose(axes)` | `permute` |
//! | [`Layout::transpose`], [`Layout::swap_axes`] | `swapaxes` | `transpose`, `swapaxes` |
//! | [`Layout::t`], [`Layout::mt`], [`Layout::reverse`] | `.T` is `reverse` | `.t()`, `.mT` |
//! | [`Layout::move_axis`] | `moveaxis` | `movedim` |
//! | [`Layout::view`] | `reshape(copy=False)` | `view` |
//! | [`Layout::reshape`] | `reshape` | `reshape` |
//! | [`Layout::flatten`], [`Layout::merge`] | (`ravel` copies when it must) | `flatten` |
//! | [`Layout::unflatten`] |  | `unflatten` |
//! | [`Layout::slice`], [`s!`] | `x[1:3, ..., ::-1]` | `x[1:3]` (no negative steps) |
//! | [`Layout::select`] | `x[:, 1]` | `select` |
//! | [`Layout::narrow`] |  | `narrow` |
//! | [`Layout::split`], [`Layout::chunk`], [`Layout::split_at`] | (`split`: equal parts) | `split`, `chunk` |
//! | [`Layout::flip`], [`Layout::rot90`] | `flip`, `rot90` | (copies) |
//! | [`Layout::squeeze`], [`Layout::squeeze_all`] | `squeeze` | `squeeze` |
//! | [`Layout::unsqueeze`] | `expand_dims` | `unsqueeze` |
//! | [`Layout::broadcast_to`] | `broadcast_to` | `expand` |
//! | [`broadcast`], [`broadcast_shapes`] | `broadcast_arrays`, `broadcast_shapes` | `broadcast_tensors` |
//! | [`Layout::windows`] |  | `unfold` |
//! | [`Layout::sliding_window`] | `sliding_window_view` |  |
//! | [`Layout::diagonal`] | `diagonal` | `diagonal` |
//! | [`Layout::as_strided`] | `as_strided` (unchecked) | `as_strided` |
//! | [`Layout::reinterpret`] | `view(dtype)` | `view(dtype)` |
//! | [`Layout::split_elements`] | `.real`, `.imag` | `view_as_real` |
//! | [`Layout::overlaps`], [`Bytes::overlaps`] | `shares_memory` |  |
//! | [`Layout::injective`] |  | (`is_non_overlapping_and_dense`) |
//! | [`Layout::rearrange`] | `einops.rearrange` | `einops.rearrange` |
//! | [`Chain::pad`], [`Chain::repeat`], [`Chain::tile`] | `pad`, `repeat`, `tile` (copy) | `pad`, `repeat_interleave`, `tile` (copy) |
//!
//! | here | tinygrad | SKaiNET | GradCore-Tensor |
//! |---|---|---|---|
//! | [`Layout::row_major`] | `ShapeTracker.from_shape` | `Layout.contiguous` | `tensor_create` ([`gradcore::create`](compat::gradcore::create) has its limits) |
//! | [`Layout::strides`] | `View.strides`, `compute_strides` | `getStride` | `strides` |
//! | [`Layout::start`] | `View.offset` | `offset` | `offset` |
//! | [`Layout::offset`] | `manual_index`, `index` | `index` | `tensor_get_flat_index` (the start is included) |
//! | [`unravel_index`] |  | `mapToParent` ([`compat::FlattenMap`]) |  |
//! | [`Layout::is_contiguous`] | `contiguous` | `isContiguous` | `tensor_is_contiguous` |
//! | [`Layout::permute`] | `permute` |  |  |
//! | [`Layout::transpose`], [`Layout::swap_axes`] |  | `transpose` (last two) | `tensor_transpose` |
//! | [`Layout::reshape`] | `reshape` ([`Chain::reshape`]) | `reshape` |  |
//! | [`Layout::reshape_contiguous`] |  |  | `tensor_reshape` |
//! | [`Layout::flatten`], [`Layout::merge`] |  | `flatten`, `FlattenTensorView` |  |
//! | [`Layout::slice`], [`s!`] | `shrink`, `stride` | `sliceView`, `Slice.Range/At/Step/All` |  |
//! | [`Layout::select`] |  | `Slice.At` |  |
//! | [`Layout::narrow`] | `shrink` ([`Chain::shrink`]) | `narrow` |  |
//! | [`Layout::split`], [`Layout::chunk`], [`Layout::split_at`] |  | (`split`: equal parts) |  |
//! | [`Layout::flip`], [`Layout::rot90`] | `flip` |  |  |
//! | [`Layout::squeeze`], [`Layout::squeeze_all`] |  | `squeeze` |  |
//! | [`Layout::unsqueeze`] |  | `unsqueeze` |  |
//! | [`Layout::broadcast_to`] | `expand` |  |  |
//! | [`broadcast`], [`broadcast_shapes`] |  |  | `tensor_check_broadcastable` |
//! | [`Layout::sliding_window`] | `_pool` |  |  |
//! | [`Layout::reinterpret`] | `bitcast` |  |  |
//! | [`Layout::rearrange`] | `rearrange` |  |  |
//! | [`Chain`] | `ShapeTracker` ([`compat::ShapeTracker`] prints like it) | `IndexMapper` |  |
//! | [`Chain::pad`], [`Chain::repeat`], [`Chain::tile`] | `pad`, `expand` |  |  |
//! | `a.shape() == b.shape()` |  |  | `shape_match` |

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod chain;
pub mod compat;
mod error;
mod inline_vec;
mod integers;
mod layout;
mod offsets;
mod order;
mod overlap;
mod pattern;
mod runs;
#[cfg(feature = "serde")]
mod serde;
mod shape;
mod view;

pub use chain::{Chain, ChainRun, ChainRuns, Stage};
pub use error::{ErrorKind, LayoutError, ReinterpretError};
pub use inline_vec::InlineVec;
pub use integers::{Integer, Integers, Lengths};
pub use layout::{Axis, Layout};
pub use offsets::{Offsets, unravel_index};
pub use overlap::{Answer, Bytes, SEARCH_STEPS};
pub use pattern::{Pattern, PatternError, PatternProblem, Rearranged, Recipe};
pub use runs::Run;
pub use view::{
    Boundary, Explanation, Index, MatchedAxis, Parts, Refusal, Reshape, Seam, Slice, Slicer,
    broadcast, broadcast_shapes, explain_view,
};

/// The largest number of axes of a layout: NumPy's limit, and the number of bits in a `u64`.
pub const MAX_RANK: usize = 64;

/// The lengths of a layout's axes.
pub type Shape = InlineVec<usize>;

/// The strides of a layout's axes, in elements.
pub type Strides = InlineVec<isize>;
