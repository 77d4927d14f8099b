//! What the library can do, as the Array API asks it: `__array_namespace_info__`.

use crate::io::dlpack::Device;
use crate::{DType, DTypeKind, isdtype};
use belvedere_layout::MAX_RANK;

/// What can be done with tensors, as [`capabilities`] gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Whether a tensor can be indexed by truth values.
    pub boolean_indexing: bool,
    /// Whether the shape of a result may depend on values, as with `nonzero`.
    pub data_dependent_shapes: bool,
    /// The most axes that a tensor can have.
    pub max_dimensions: usize,
}

/// The element types for who names none, as [`default_dtypes`] gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefaultDTypes {
    /// Of numbers with fractions.
    pub real_floating: DType,
    /// Of complex numbers.
    pub complex_floating: DType,
    /// Of integers.
    pub integral: DType,
    /// Of positions.
    pub indexing: DType,
}

/// What can be done with tensors.
///
/// ```
/// use belvedere::info;
///
/// assert!(info::capabilities().boolean_indexing);
/// assert_eq!(info::capabilities().max_dimensions, 64);
/// ```
pub fn capabilities() -> Capabilities {
    Capabilities { boolean_indexing: true, data_dependent_shapes: true, max_dimensions: MAX_RANK }
}

/// Where a new tensor is: in the memory of the process.
///
/// ```
/// use belvedere::{info, io::dlpack::Device};
///
/// assert_eq!(info::default_device(), Device::CPU);
/// ```
pub fn default_device() -> Device {
    Device::CPU
}

/// Where tensors can be: in the memory of the process, and nowhere else.
///
/// ```
/// use belvedere::info;
///
/// assert_eq!(info::devices(), [info::default_device()]);
/// ```
pub fn devices() -> [Device; 1] {
    [default_device()]
}

/// The types that results have where nothing says otherwise: the mean of integers is of the first, their
/// sum of the third, and what `argsort` gives of the last.
///
/// Nobody's values are converted to them. A literal has the type that Rust gives it: `tensor![1, 2]` is of
/// `int32`, and functions that make tensors of nothing are told the type.
///
/// ```
/// use belvedere::{info, prelude::*};
///
/// let x = tensor![3, 1, 2];
/// let default = info::default_dtypes();
/// assert_eq!(x.mean(())?.dtype(), default.real_floating);
/// assert_eq!(x.sum(())?.dtype(), default.integral);
/// assert_eq!(x.argsort(0)?.dtype(), default.indexing);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn default_dtypes() -> DefaultDTypes {
    DefaultDTypes {
        real_floating: DType::Float64,
        complex_floating: DType::Complex128,
        integral: DType::Int64,
        indexing: DType::Int64,
    }
}

/// The element types of a sort; all there are for `None`.
///
/// ```
/// use belvedere::{DType, DTypeKind, info};
///
/// assert_eq!(info::dtypes(DTypeKind::Bool), [DType::Bool]);
/// assert_eq!(info::dtypes(DTypeKind::RealFloating).len(), 4);
/// assert_eq!(info::dtypes(None), DType::ALL);
/// ```
pub fn dtypes(kind: impl Into<Option<DTypeKind>>) -> Vec<DType> {
    let kind = kind.into();
    DType::ALL.into_iter().filter(|&dtype| kind.is_none_or(|kind| isdtype(dtype, kind))).collect()
}
