//! Inspection of the library: the Array API's `__array_namespace_info__`.

use crate::Device;
use crate::{DType, DTypeKind, isdtype};
use belvedere_layout::MAX_RANK;

/// The capabilities of the library, as returned by [`capabilities`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Whether boolean masks can be used as indices.
    pub boolean_indexing: bool,
    /// Whether there are operations whose output shape depends on values, such as `nonzero`.
    pub data_dependent_shapes: bool,
    /// The maximal number of axes.
    pub max_dimensions: usize,
}

/// The default dtypes, as returned by [`default_dtypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefaultDTypes {
    /// The dtype of real floating-point results.
    pub real_floating: DType,
    /// The dtype of complex results.
    pub complex_floating: DType,
    /// The dtype of integer results.
    pub integral: DType,
    /// The dtype of indices.
    pub indexing: DType,
}

/// Returns the capabilities of the library.
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

/// Returns the device of new tensors: the CPU.
///
/// ```
/// use belvedere::{Device, info};
///
/// assert_eq!(info::default_device(), Device::Cpu);
/// ```
pub fn default_device() -> Device {
    Device::Cpu
}

/// Returns the devices that tensors can be on: only the CPU.
///
/// ```
/// use belvedere::info;
///
/// assert_eq!(info::devices(), [info::default_device()]);
/// ```
pub fn devices() -> [Device; 1] {
    [default_device()]
}

/// Returns the default dtypes: of the mean of integers, of their sum, and of the result of `argsort`.
///
/// No values are cast to them implicitly. A literal has the type that Rust infers: `tensor![1, 2]` is `int32`;
/// and functions that create tensors take the dtype as an argument.
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

/// Returns the dtypes of a kind; all dtypes for `None`.
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
