//! The C structs of the protocol.

use crate::DType;
use std::ffi::c_void;

/// The version of exported tensors.
pub const VERSION: Version = Version { major: 1, minor: 1 };

/// The flag of read-only memory.
pub const FLAG_READ_ONLY: u64 = 1;

/// The flag of elements that were copied for the export.
pub const FLAG_COPIED: u64 = 2;

/// The version of a struct of the protocol.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Structs of another major version have another layout.
    pub major: u32,
    /// A higher minor version has more values for some fields.
    pub minor: u32,
}

/// The device that memory belongs to.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DlpackDevice {
    /// The kind of device: 1 is the CPU.
    pub kind: i32,
    /// The number of the device among devices of the same kind.
    pub id: i32,
}

impl DlpackDevice {
    /// The CPU, whose memory all tensors of this library use.
    pub const CPU: DlpackDevice = DlpackDevice { kind: 1, id: 0 };
}

/// The dtype of elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawType {
    /// The kind: integer, float, complex and so on.
    pub code: u8,
    /// The bits of an element.
    pub bits: u8,
    /// The number of lanes of a vector type; otherwise 1.
    pub lanes: u16,
}

/// The code and the bits of each dtype. The codes are 0 for signed and 1 for unsigned integers, 2 for floats, 4
/// for bfloat, 5 for complex numbers and 6 for bool.
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
    /// Returns the raw type of a dtype.
    ///
    /// ```
    /// use belvedere::{DType, io::dlpack::RawType};
    ///
    /// assert_eq!(RawType::of(DType::Float32), RawType { code: 2, bits: 32, lanes: 1 });
    /// ```
    pub fn of(dtype: DType) -> RawType {
        let (_, code, bits) = TYPES.into_iter().find(|it| it.0 == dtype).expect("all are listed");
        RawType { code, bits, lanes: 1 }
    }

    /// Returns the dtype of a raw type, if it is supported.
    ///
    /// ```
    /// use belvedere::{DType, io::dlpack::RawType};
    ///
    /// assert_eq!(RawType { code: 0, bits: 64, lanes: 1 }.dtype(), Some(DType::Int64));
    /// assert_eq!(RawType { code: 0, bits: 64, lanes: 4 }.dtype(), None);
    /// ```
    pub fn dtype(self) -> Option<DType> {
        let found = TYPES.into_iter().find(|it| (it.1, it.2) == (self.code, self.bits));
        found.filter(|_| self.lanes == 1).map(|it| it.0)
    }
}

/// A strided tensor: `DLTensor`.
#[repr(C)]
#[derive(Debug)]
pub struct RawTensor {
    /// The base pointer; the first element is at `data + byte_offset`.
    pub data: *mut c_void,
    /// The device of the memory.
    pub device: DlpackDevice,
    /// The number of axes.
    pub rank: i32,
    /// The type of the elements.
    pub dtype: RawType,
    /// The lengths of the axes.
    pub shape: *mut i64,
    /// The strides of the axes in elements, or null if the tensor is row-major and contiguous.
    pub strides: *mut i64,
    /// The offset of the first element from `data`, in bytes.
    pub byte_offset: u64,
}

/// A tensor with its owner: `DLManagedTensorVersioned`.
#[repr(C)]
#[derive(Debug)]
pub struct ManagedTensor {
    /// The version, which determines the layout of the other fields.
    pub version: Version,
    /// Data of the owner.
    pub context: *mut c_void,
    /// A function that is called once, with this struct, when the tensor is no longer needed.
    pub deleter: Option<unsafe extern "C" fn(*mut ManagedTensor)>,
    /// Flags: see [`FLAG_READ_ONLY`] and [`FLAG_COPIED`].
    pub flags: u64,
    /// The tensor.
    pub tensor: RawTensor,
}

/// The unversioned struct, without flags: `DLManagedTensor`.
#[repr(C)]
#[derive(Debug)]
pub struct LegacyManagedTensor {
    /// The tensor.
    pub tensor: RawTensor,
    /// Data of the owner.
    pub context: *mut c_void,
    /// A function that is called once, with this struct, when the tensor is no longer needed.
    pub deleter: Option<unsafe extern "C" fn(*mut LegacyManagedTensor)>,
}
