//! Errors of DLPack.

use super::types::{Device, RawType, Version};
use std::error::Error;
use std::fmt;

/// Why a tensor cannot be imported or exported.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        device: Device,
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
                write!(f, "a tensor by version {major}.{minor} of DLPack; 1.x is understood")
            }
            DlpackError::Elsewhere { device: Device { kind, id } } => {
                write!(f, "the memory is on device {id} of kind {kind}, not in this process (kind 1)")
            }
            DlpackError::UnknownType { dtype: RawType { code, bits, lanes } } => {
                write!(f, "no element type has code {code}, {bits} bits and {lanes} lanes")
            }
            DlpackError::Shape { given } => {
                write!(f, "{given} is neither a number of axes nor a length")
            }
            DlpackError::OutOfReach { shape, strides } => {
                write!(f, "shape {shape:?} with strides {strides:?} leads beyond the address space")
            }
            DlpackError::NoMemory { len } => {
                write!(f, "a tensor of {len} elements has a null pointer for them")
            }
            DlpackError::ReadOnly => f.write_str(
                "a tensor that cannot be written to cannot be exported by the older DLPack protocol, \
                 which has no word for it; copy it first",
            ),
        }
    }
}

impl Error for DlpackError {}
