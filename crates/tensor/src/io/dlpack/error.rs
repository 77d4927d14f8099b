//! `DlpackError`: why a tensor cannot be imported or exported.

use super::types::{DlpackDevice, RawType, Version};
use std::error::Error;
use std::fmt;

/// Why a tensor cannot be imported or exported.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DlpackError {
    /// A version of the protocol with another layout of the structs.
    UnknownVersion {
        /// The version.
        version: Version,
    },
    /// The memory is not that of the CPU.
    Elsewhere {
        /// The device.
        device: DlpackDevice,
    },
    /// The dtype is not supported.
    UnknownType {
        /// The type.
        dtype: RawType,
    },
    /// A negative number of axes, or a length that is negative or cannot be addressed.
    Shape {
        /// The number of axes, or the length.
        given: i64,
    },
    /// The strides exceed the address space.
    OutOfReach {
        /// The lengths of the axes.
        shape: Box<[usize]>,
        /// Their strides.
        strides: Box<[i64]>,
    },
    /// The data pointer of a tensor that has elements is null.
    NoMemory {
        /// The number of elements.
        len: usize,
    },
    /// The unversioned struct cannot mark memory as read-only.
    ReadOnly,
}

impl fmt::Display for DlpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DlpackError::UnknownVersion { version: Version { major, minor } } => {
                write!(f, "version {major}.{minor} of DLPack is not supported, expected 1.x")
            }
            DlpackError::Elsewhere { device: DlpackDevice { kind, id } } => {
                write!(f, "the memory is on device {id} of kind {kind}, expected the CPU (kind 1)")
            }
            DlpackError::UnknownType { dtype: RawType { code, bits, lanes } } => {
                write!(
                    f,
                    "the dtype of code {code}, {bits} bits and {lanes} lanes is not supported"
                )
            }
            DlpackError::Shape { given } => {
                write!(f, "the number of axes or a length is negative or too large: {given}")
            }
            DlpackError::OutOfReach { shape, strides } => {
                write!(f, "shape {shape:?} with strides {strides:?} exceeds the address space")
            }
            DlpackError::NoMemory { len } => {
                write!(f, "the data pointer of a tensor of {len} elements is null")
            }
            DlpackError::ReadOnly => f.write_str(
                "a read-only tensor cannot be exported as an unversioned DLPack struct, \
                 which has no read-only flag; copy it first",
            ),
        }
    }
}

/// The text of `Display`, which `unwrap` and a `main` that returns the error print.
impl fmt::Debug for DlpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for DlpackError {}
