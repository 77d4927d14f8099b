//! The element types, as run-time tags.

use std::fmt;

/// The type of a tensor's elements.
///
/// ```
/// use belvedere::DType;
///
/// assert_eq!(DType::Float32.size(), 4);
/// assert_eq!(DType::Complex64.to_string(), "complex64");
/// assert!(DType::BFloat16.is_floating() && !DType::BFloat16.is_complex());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DType {
    /// True or false, one byte each; every byte but zero reads as true.
    Bool,
    /// 8-bit signed integers.
    Int8,
    /// 16-bit signed integers.
    Int16,
    /// 32-bit signed integers.
    Int32,
    /// 64-bit signed integers.
    Int64,
    /// 8-bit unsigned integers.
    UInt8,
    /// 16-bit unsigned integers.
    UInt16,
    /// 32-bit unsigned integers.
    UInt32,
    /// 64-bit unsigned integers.
    UInt64,
    /// IEEE half precision: 5 bits of exponent, 11 of precision.
    Float16,
    /// The upper half of a `float32`: 8 bits of exponent, 8 of precision.
    BFloat16,
    /// IEEE single precision.
    Float32,
    /// IEEE double precision.
    Float64,
    /// Two `float32`: a real and an imaginary part.
    Complex64,
    /// Two `float64`: a real and an imaginary part.
    Complex128,
}

impl DType {
    /// Every element type, in the order of the enum.
    pub const ALL: [DType; 15] = [
        DType::Bool,
        DType::Int8,
        DType::Int16,
        DType::Int32,
        DType::Int64,
        DType::UInt8,
        DType::UInt16,
        DType::UInt32,
        DType::UInt64,
        DType::Float16,
        DType::BFloat16,
        DType::Float32,
        DType::Float64,
        DType::Complex64,
        DType::Complex128,
    ];

    /// Bytes of one element.
    #[inline]
    pub const fn size(self) -> usize {
        SIZES[self as usize] as usize
    }

    /// How many elements so many bytes have room for.
    #[inline]
    pub(crate) const fn count_in(self, bytes: usize) -> usize {
        // Sizes are powers of two, and a division takes longer than a view operation.
        bytes >> self.size().trailing_zeros()
    }

    /// The alignment that an element needs in memory.
    #[inline]
    pub const fn align(self) -> usize {
        match self.kind() {
            Kind::Complex(bytes) => bytes / 2,
            _ => self.size(),
        }
    }

    /// The name, as the Array API spells it: `float32`, `uint8`, `bool`.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The type of a name.
    ///
    /// ```
    /// use belvedere::DType;
    ///
    /// assert_eq!(DType::from_name("float64"), Some(DType::Float64));
    /// assert_eq!(DType::from_name("double"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Whether the elements are true or false.
    pub const fn is_bool(self) -> bool {
        matches!(self.kind(), Kind::Bool)
    }

    /// Whether the elements are signed or unsigned integers.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed(_) | Kind::Unsigned(_))
    }

    /// Whether the elements are unsigned integers.
    pub const fn is_unsigned(self) -> bool {
        matches!(self.kind(), Kind::Unsigned(_))
    }

    /// Whether the elements are real floating-point numbers.
    pub const fn is_floating(self) -> bool {
        matches!(self.kind(), Kind::Float(_) | Kind::Brain(_))
    }

    /// Whether the elements are complex numbers.
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), Kind::Complex(_))
    }

    /// The type of the real part of an element: itself unless it is complex.
    pub const fn real(self) -> DType {
        match self {
            DType::Complex64 => DType::Float32,
            DType::Complex128 => DType::Float64,
            other => other,
        }
    }

    /// What sort of number it is, and how many bytes it takes.
    #[inline]
    pub(crate) const fn kind(self) -> Kind {
        KINDS[self as usize]
    }
}

/// A sort of number with its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
    Brain(usize),
    Complex(usize),
}

// Tables and not matches: the one `match` with an arm for every type is in task.rs.
const SIZES: [u8; 15] = {
    let mut sizes = [1; 15];
    let mut at = 0;
    while at < sizes.len() {
        sizes[at] = match KINDS[at] {
            Kind::Bool => 1,
            Kind::Signed(bytes)
            | Kind::Unsigned(bytes)
            | Kind::Float(bytes)
            | Kind::Brain(bytes)
            | Kind::Complex(bytes) => bytes as u8,
        };
        at += 1;
    }
    sizes
};

const NAMES: [&str; 15] = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
];

const KINDS: [Kind; 15] = [
    Kind::Bool,
    Kind::Signed(1),
    Kind::Signed(2),
    Kind::Signed(4),
    Kind::Signed(8),
    Kind::Unsigned(1),
    Kind::Unsigned(2),
    Kind::Unsigned(4),
    Kind::Unsigned(8),
    Kind::Float(2),
    Kind::Brain(2),
    Kind::Float(4),
    Kind::Float(8),
    Kind::Complex(8),
    Kind::Complex(16),
];

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
