#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod arena;
mod arrays;
mod borrow;
mod cancel;
pub mod copies;
mod dtype;
mod error;
mod feature;
#[allow(unsafe_code)]
mod fork;
pub mod info;
pub mod interop;
pub mod io;
#[allow(unsafe_code)]
mod kernel;
mod lens;
mod op;
pub mod plan;
#[allow(unsafe_code)]
mod pool;
#[allow(unsafe_code)]
mod storage;
mod sync;
#[allow(unsafe_code)]
mod sync_ptr;
mod tensor;
pub mod trace;
#[allow(unsafe_code)]
mod view;

pub use arena::{Arena, Mark, Scope};
pub use borrow::without_waiting;
pub use cancel::interruptible;
pub use dtype::{
    Bool, DType, DTypeKind, Element, FloatInfo, IntegerInfo, Value, can_assign, can_cast, finfo,
    iinfo, isdtype, result_type, result_type_of,
};
pub use error::{ArgumentValue, Error, ErrorKind, MatrixProblem};
pub use lens::Lens;
pub use op::linalg::namespace as linalg;
pub use op::*;
pub use pool::{num_threads, set_num_threads, with_num_threads};
pub use storage::{Device, Storage, StorageId, with_device};
pub use tensor::{Nested, Span, Tensor};
#[cfg(feature = "rayon")]
pub use view::ParIter;
pub use view::{
    Chunks, ChunksMut, ElementIndex, Elements, FixedIndex, FixedView, FixedViewMut, FixedWindows,
    IndexedIter, Iter, IterMut, Lanes, LanesMut, ReadGuard, RunValues, Runs, Strided, SubViews,
    SubViewsMut, View, ViewMut, WriteGuard,
};

// Re-exported because they occur in public signatures: element types and layouts of these versions.
pub use belvedere_layout::{
    Answer, Axis, Chain, ChainRun, Explanation, Index, Integers, Layout, LayoutError, Rearranged,
    Refusal, Reshape, Seam, Shape, Slice, Slicer, Strides, broadcast_shapes, explain_view, s,
};
pub use half::{bf16, f16};
pub use num_complex::Complex;

/// Memory usage of tensors, and the free list of large allocations.
pub mod memory {
    pub use crate::storage::{MemoryStats, stats, trim};
}

/// The names that most programs need: `use belvedere::prelude::*`.
pub mod prelude {
    pub use crate::{
        Arena, Bool, Complex, DType, Element, Error, ErrorKind, Index, Layout, Lens, Strided,
        Tensor, Value, View, ViewMut, assert_close, at, bf16, concat, descending, einsum, f16, fft,
        keep, lazy, linalg, nn, random, s, stack, tensor, where_, zip,
    };
}

/// Guides: which type to use, programs, the names that users of other libraries know, and all operations.
pub mod guide {
    #[doc = include_str!("../docs/types.md")]
    pub mod types {}

    #[doc = include_str!("../docs/cookbook.md")]
    pub mod cookbook {}

    #[doc = include_str!("../docs/numpy.md")]
    pub mod numpy {}

    #[doc = include_str!("../docs/pytorch.md")]
    pub mod pytorch {}

    #[doc = include_str!("../docs/ndarray.md")]
    pub mod ndarray {}

    #[doc = include_str!("../docs/candle.md")]
    pub mod candle {}

    #[doc = include_str!("../docs/array_api.md")]
    pub mod array_api {}

    #[doc = include_str!("../docs/programs.md")]
    pub mod programs {}

    #[doc = include_str!("../docs/operations.md")]
    pub mod operations {}
}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

#[cfg(doctest)]
#[doc = include_str!("../../../ARCHITECTURE.md")]
mod architecture {}

#[cfg(doctest)]
#[doc = include_str!("../../../DESIGN.md")]
mod design {}
