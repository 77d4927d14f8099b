//! `DType`: the element types as run-time tags, with size, alignment, name and kind.

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
    /// Booleans of one byte; every byte except zero is read as true.
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

    /// Returns the size of an element in bytes.
    ///
    /// ```
    /// # use belvedere::DType;
    /// assert_eq!(DType::Complex128.size(), 16);
    /// ```
    #[inline]
    pub const fn size(self) -> usize {
        SIZES[self as usize] as usize
    }

    /// Returns the number of whole elements in a number of bytes.
    #[inline]
    pub(crate) const fn count_in(self, bytes: usize) -> usize {
        // A shift, since sizes are powers of two: a division takes longer than a view operation.
        bytes >> self.size().trailing_zeros()
    }

    /// Returns the alignment of an element in bytes.
    ///
    /// ```
    /// # use belvedere::DType;
    /// assert_eq!((DType::Float64.align(), DType::Complex128.align()), (8, 8));
    /// ```
    #[inline]
    pub const fn align(self) -> usize {
        match self.kind() {
            NumberKind::Complex(bytes) => bytes / 2,
            _ => self.size(),
        }
    }

    /// Returns the name in the Array API: `float32`, `uint8`, `bool`.
    ///
    /// ```
    /// # use belvedere::DType;
    /// assert_eq!(DType::UInt8.name(), "uint8");
    /// ```
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Returns the dtype with this name in the Array API.
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

    /// Returns whether it is `bool`.
    ///
    /// ```
    /// # use belvedere::DType;
    /// assert!(DType::Bool.is_bool() && !DType::UInt8.is_bool());
    /// ```
    pub const fn is_bool(self) -> bool {
        matches!(self.kind(), NumberKind::Bool)
    }

    /// Returns whether the elements are signed or unsigned integers.
    ///
    /// ```
    /// # use belvedere::DType;
    /// assert!(DType::UInt8.is_integer() && !DType::Bool.is_integer());
    /// ```
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), NumberKind::Signed(_) | NumberKind::Unsigned(_))
    }

    /// Returns whether the elements are unsigned integers.
    ///
    /// ```
    /// # use belvedere::DType;
    /// assert!(DType::UInt8.is_unsigned() && !DType::Int8.is_unsigned());
    /// ```
    pub const fn is_unsigned(self) -> bool {
        matches!(self.kind(), NumberKind::Unsigned(_))
    }

    /// Returns whether the elements are real floating-point numbers.
    ///
    /// ```
    /// # use belvedere::DType;
    /// assert!(DType::Float16.is_floating() && !DType::Complex64.is_floating());
    /// ```
    pub const fn is_floating(self) -> bool {
        matches!(self.kind(), NumberKind::Float(_) | NumberKind::Brain(_))
    }

    /// Returns whether the elements are complex numbers.
    ///
    /// ```
    /// # use belvedere::DType;
    /// assert!(DType::Complex64.is_complex());
    /// ```
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), NumberKind::Complex(_))
    }

    /// Returns the dtype of the real part of an element: itself unless it is complex.
    ///
    /// ```
    /// # use belvedere::DType;
    /// assert_eq!(DType::Complex64.real(), DType::Float32);
    /// assert_eq!(DType::Int8.real(), DType::Int8);
    /// ```
    pub const fn real(self) -> DType {
        match self {
            DType::Complex64 => DType::Float32,
            DType::Complex128 => DType::Float64,
            other => other,
        }
    }

    /// Returns the unsigned integer dtype with the size and the alignment of this one; complex dtypes, which have none,
    /// are returned as they are.
    pub(crate) const fn bits(self) -> DType {
        match (self.is_complex(), self.size()) {
            (true, _) => self,
            (false, 1) => DType::UInt8,
            (false, 2) => DType::UInt16,
            (false, 4) => DType::UInt32,
            (false, _) => DType::UInt64,
        }
    }

    /// Returns the kind of number and its size in bytes.
    #[inline]
    pub(crate) const fn kind(self) -> NumberKind {
        KINDS[self as usize]
    }
}

/// A kind of number with its size in bytes; `Brain` is bfloat16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberKind {
    Bool,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
    Brain(usize),
    Complex(usize),
}

// Tables instead of matches: the only `match` with an arm for every dtype is in task.rs.
const SIZES: [u8; 15] = {
    let mut sizes = [1; 15];
    let mut at = 0;
    while at < sizes.len() {
        sizes[at] = match KINDS[at] {
            NumberKind::Bool => 1,
            NumberKind::Signed(bytes)
            | NumberKind::Unsigned(bytes)
            | NumberKind::Float(bytes)
            | NumberKind::Brain(bytes)
            | NumberKind::Complex(bytes) => bytes as u8,
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

const KINDS: [NumberKind; 15] = [
    NumberKind::Bool,
    NumberKind::Signed(1),
    NumberKind::Signed(2),
    NumberKind::Signed(4),
    NumberKind::Signed(8),
    NumberKind::Unsigned(1),
    NumberKind::Unsigned(2),
    NumberKind::Unsigned(4),
    NumberKind::Unsigned(8),
    NumberKind::Float(2),
    NumberKind::Brain(2),
    NumberKind::Float(4),
    NumberKind::Float(8),
    NumberKind::Complex(8),
    NumberKind::Complex(16),
];

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
