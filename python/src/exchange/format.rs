//! Format strings of the buffer protocol.

use belvedere::DType;

/// The formats of 64-bit integers: NumPy's type for them is C's `long` where that has 64 bits, and `long long` elsewhere. C code
/// that compares type numbers accepts only NumPy's.
const INT64: &std::ffi::CStr = if size_of::<std::ffi::c_long>() == 8 { c"l" } else { c"q" };
const UINT64: &std::ffi::CStr = if size_of::<std::ffi::c_long>() == 8 { c"L" } else { c"Q" };

/// The dtypes that have a format, and their formats. `bfloat16` has none.
const NAMES: [(DType, &std::ffi::CStr); 14] = [
    (DType::Bool, c"?"),
    (DType::Int8, c"b"),
    (DType::Int16, c"h"),
    (DType::Int32, c"i"),
    (DType::Int64, INT64),
    (DType::UInt8, c"B"),
    (DType::UInt16, c"H"),
    (DType::UInt32, c"I"),
    (DType::UInt64, UINT64),
    (DType::Float16, c"e"),
    (DType::Float32, c"f"),
    (DType::Float64, c"d"),
    (DType::Complex64, c"Zf"),
    (DType::Complex128, c"Zd"),
];

/// The format of a dtype, if there is one.
pub(super) fn name(dtype: DType) -> Option<&'static std::ffi::CStr> {
    NAMES.into_iter().find(|it| it.0 == dtype).map(|it| it.1)
}

/// A parsed format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    pub dtype: DType,
    /// Whether the elements are byte-swapped.
    pub is_swapped: bool,
}

/// Parses a format. The size of an integer is the item size: a letter may have several.
pub(super) fn read(name: &[u8], size: usize) -> Option<Format> {
    let name = name.trim_ascii();
    let (order, code) = match name {
        [order @ (b'@' | b'=' | b'<' | b'>' | b'!' | b'|'), code @ ..] => (*order, code),
        code => (b'@', code),
    };
    let is_other = match order {
        b'<' => cfg!(target_endian = "big"),
        b'>' | b'!' => cfg!(target_endian = "little"),
        _ => false,
    };
    let dtype = match (code, size) {
        (b"?", 1) => DType::Bool,
        (b"b", 1) => DType::Int8,
        (b"B", 1) => DType::UInt8,
        (b"h" | b"i" | b"l" | b"q" | b"n", 2) => DType::Int16,
        (b"h" | b"i" | b"l" | b"q" | b"n", 4) => DType::Int32,
        (b"h" | b"i" | b"l" | b"q" | b"n", 8) => DType::Int64,
        (b"H" | b"I" | b"L" | b"Q" | b"N", 2) => DType::UInt16,
        (b"H" | b"I" | b"L" | b"Q" | b"N", 4) => DType::UInt32,
        (b"H" | b"I" | b"L" | b"Q" | b"N", 8) => DType::UInt64,
        (b"e", 2) => DType::Float16,
        (b"f", 4) => DType::Float32,
        (b"d", 8) => DType::Float64,
        (b"Zf" | b"F", 8) => DType::Complex64,
        (b"Zd" | b"D", 16) => DType::Complex128,
        _ => return None,
    };
    Some(Format { dtype, is_swapped: is_other && size > 1 })
}
