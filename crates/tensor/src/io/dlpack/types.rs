//! The structs of the protocol, as the C language lays them out.

use crate::DType;
use std::ffi::c_void;

/// The version of the protocol that is written.
pub const VERSION: Version = Version { major: 1, minor: 1 };

/// The flag of memory that must not be written to.
pub const FLAG_READ_ONLY: u64 = 1;

/// The flag of elements that were copied for the export.
pub const FLAG_COPIED: u64 = 2;

/// The version of the protocol that a struct is laid out by.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Another one is another layout of the structs.
    pub major: u32,
    /// Another one has more values for some fields.
    pub minor: u32,
}

/// Where memory is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// The kind: 1 is the memory of the process.
    pub kind: i32,
    /// Which one of that kind.
    pub id: i32,
}

impl Device {
    /// The memory of the process, where all our tensors are.
    pub const CPU: Device = Device { kind: 1, id: 0 };
}

/// The type of elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawType {
    /// The kind of number.
    pub code: u8,
    /// The bits of an element.
    pub bits: u8,
    /// How many of them make an element; 1 but for vector types.
    pub lanes: u16,
}

/// The element types, and what the protocol calls them: signed integers are 0, unsigned ones 1, floats 2, the
/// short float 4, complex numbers 5, truth values 6.
const TYPES: [(DType, u8, u8); 15] = [
    (DType::Int8, 0, 8),
    (DType::Int16, 0, 16),
    (DType::Int32, 0, 32),
    (DType::Int64, 0, 64),
    (DType::UInt8, 1, 8),
    (DType::UInt16, 1, 16),
    (DType::UInt32, 1, 32),
    (DType::UInt64, 1, 64),
    (DType::Float16, 2, 16),
    (DType::Float32, 2, 32),
    (DType::Float64, 2, 64),
    (DType::BFloat16, 4, 16),
    (DType::Complex64, 5, 64),
    (DType::Complex128, 5, 128),
    (DType::Bool, 6, 8),
];

impl RawType {
    /// What the protocol calls a type.
    pub fn of(dtype: DType) -> RawType {
        let (_, code, bits) = TYPES.into_iter().find(|it| it.0 == dtype).expect("all are listed");
        RawType { code, bits, lanes: 1 }
    }

    /// The type that is called so, if we have it.
    pub fn dtype(self) -> Option<DType> {
        let found = TYPES.into_iter().find(|it| (it.1, it.2) == (self.code, self.bits));
        found.filter(|_| self.lanes == 1).map(|it| it.0)
    }
}

/// Elements somewhere, and how they are walked.
#[repr(C)]
#[derive(Debug)]
pub struct RawTensor {
    /// Where offset 0 is, but for `byte_offset`.
    pub data: *mut c_void,
    /// Where the memory is.
    pub device: Device,
    /// The number of axes.
    pub rank: i32,
    /// The type of the elements.
    pub dtype: RawType,
    /// The lengths of the axes.
    pub shape: *mut i64,
    /// Their strides in elements, or null if the elements lie one behind the other.
    pub strides: *mut i64,
    /// Where the first element is, from `data` on.
    pub byte_offset: u64,
}

/// Elements with somebody who is told when they are no longer needed.
#[repr(C)]
#[derive(Debug)]
pub struct ManagedTensor {
    /// How the rest is laid out.
    pub version: Version,
    /// The owner's own.
    pub context: *mut c_void,
    /// What is called once, with this struct, when it is no longer needed.
    pub deleter: Option<unsafe extern "C" fn(*mut ManagedTensor)>,
    /// What else is to be known: see [`FLAG_READ_ONLY`] and [`FLAG_COPIED`].
    pub flags: u64,
    /// The elements.
    pub tensor: RawTensor,
}

/// The same in the older generation, which has no version and no flags.
#[repr(C)]
#[derive(Debug)]
pub struct LegacyManagedTensor {
    /// The elements.
    pub tensor: RawTensor,
    /// The owner's own.
    pub context: *mut c_void,
    /// What is called once, with this struct, when it is no longer needed.
    pub deleter: Option<unsafe extern "C" fn(*mut LegacyManagedTensor)>,
}
