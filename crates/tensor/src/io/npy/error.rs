//! `NpyError`: why a `.npy` file cannot be read.

use crate::DType;
use std::error::Error;
use std::fmt;

/// Why a `.npy` file cannot be read.
///
/// Offsets are in bytes from the beginning of the file.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NpyError {
    /// The file does not begin with the bytes `\x93NUMPY`.
    NotNpy,
    /// A version of the format that is none of 1.0, 2.0 and 3.0.
    UnknownVersion {
        /// The part before the dot.
        major: u8,
        /// The part after the dot.
        minor: u8,
    },
    /// The header claims to be longer than any that is accepted.
    HeaderTooLong {
        /// The length of the text of the header, in bytes.
        len: u64,
        /// The maximum length.
        limit: usize,
    },
    /// The file ends before the end of its header or of the data.
    Truncated {
        /// The length that the header requires.
        needed: usize,
        /// The actual length.
        found: usize,
    },
    /// The file continues after the data.
    TrailingBytes {
        /// The length that the header requires.
        needed: usize,
        /// The actual length.
        found: usize,
    },
    /// The header is not the expected Python dictionary.
    Syntax {
        /// The offset at which parsing failed.
        offset: usize,
        /// The expected token.
        expected: &'static str,
    },
    /// The header has a key that the format does not have.
    UnknownKey {
        /// The offset of the key.
        offset: usize,
        /// The key, truncated if it is long.
        key: Box<str>,
    },
    /// The header has a key twice.
    DuplicateKey {
        /// The offset of the second one.
        offset: usize,
        /// The key.
        key: &'static str,
    },
    /// The header lacks a key.
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// The dtype is not supported.
    UnsupportedDescr {
        /// NumPy's description of the dtype, truncated if it is long.
        descr: Box<str>,
    },
    /// The shape has more axes than a tensor may have.
    TooManyAxes {
        /// The maximum number of axes.
        limit: usize,
    },
    /// A length in the shape is negative, or exceeds the address space.
    BadLength {
        /// The offset of the length.
        offset: usize,
    },
    /// The array exceeds the address space.
    ///
    /// As in NumPy, the product of the lengths other than zero counts.
    TooLarge {
        /// The dtype of the elements.
        dtype: DType,
        /// The shape.
        shape: Box<[usize]>,
    },
    /// The elements cannot be mapped, because of their byte order or alignment.
    NotMappable {
        /// The dtype of the elements.
        dtype: DType,
        /// Whether they are not in native byte order.
        swapped: bool,
        /// The offset of the first element, which is a multiple of its size if the byte order is the reason.
        offset: usize,
    },
}

impl fmt::Display for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NpyError::NotNpy => f.write_str("not a .npy file: it does not begin with \\x93NUMPY"),
            NpyError::UnknownVersion { major, minor } => {
                write!(
                    f,
                    "version {major}.{minor} of the .npy format is not supported, expected 1.0, 2.0 or 3.0"
                )
            }
            NpyError::HeaderTooLong { len, limit } => {
                write!(f, "the .npy header takes {len} bytes, more than the limit of {limit}")
            }
            NpyError::Truncated { needed, found } => {
                write!(f, "the .npy file must have {needed} bytes, but ends after {found}")
            }
            NpyError::TrailingBytes { needed, found } => {
                write!(f, "the .npy file must have {needed} bytes, but has {found}")
            }
            NpyError::Syntax { offset, expected } => {
                write!(f, "expected {expected} at byte {offset} of the .npy header")
            }
            NpyError::UnknownKey { offset, key } => {
                write!(f, "unknown key {key:?} at byte {offset} of the .npy header")
            }
            NpyError::DuplicateKey { offset, key } => {
                write!(f, "repeated key {key:?} at byte {offset} of the .npy header")
            }
            NpyError::MissingKey { key } => write!(f, "the .npy header has no key {key:?}"),
            NpyError::UnsupportedDescr { descr } => {
                write!(f, "the NumPy dtype {descr:?} is not supported")
            }
            NpyError::TooManyAxes { limit } => {
                write!(f, "the shape in the .npy header has more than {limit} axes")
            }
            NpyError::BadLength { offset } => {
                write!(f, "the length at byte {offset} of the .npy header is negative or too large")
            }
            NpyError::TooLarge { dtype, shape } => {
                write!(f, "shape {shape:?} of {dtype} exceeds the address space")
            }
            NpyError::NotMappable { dtype, swapped: true, .. } => {
                write!(
                    f,
                    "the .npy file holds {dtype} in the other byte order and cannot be mapped; use read"
                )
            }
            NpyError::NotMappable { dtype, offset, .. } => write!(
                f,
                "the .npy file holds {dtype} at byte {offset}, which is not a multiple of {}, \
                 and cannot be mapped; use read",
                dtype.size()
            ),
        }
    }
}

/// The text of `Display`, which `unwrap` and a `main` that returns the error print.
impl fmt::Debug for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for NpyError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_contain_the_values() {
        let table = [
            (NpyError::NotNpy, "not a .npy file: it does not begin with \\x93NUMPY"),
            (
                NpyError::UnknownVersion { major: 4, minor: 1 },
                "version 4.1 of the .npy format is not supported, expected 1.0, 2.0 or 3.0",
            ),
            (
                NpyError::HeaderTooLong { len: 70_000, limit: 65_536 },
                "the .npy header takes 70000 bytes, more than the limit of 65536",
            ),
            (
                NpyError::Truncated { needed: 152, found: 130 },
                "the .npy file must have 152 bytes, but ends after 130",
            ),
            (
                NpyError::TrailingBytes { needed: 152, found: 153 },
                "the .npy file must have 152 bytes, but has 153",
            ),
            (
                NpyError::Syntax { offset: 12, expected: "a colon" },
                "expected a colon at byte 12 of the .npy header",
            ),
            (
                NpyError::UnknownKey { offset: 11, key: "order".into() },
                "unknown key \"order\" at byte 11 of the .npy header",
            ),
            (
                NpyError::DuplicateKey { offset: 70, key: "shape" },
                "repeated key \"shape\" at byte 70 of the .npy header",
            ),
            (NpyError::MissingKey { key: "descr" }, "the .npy header has no key \"descr\""),
            (
                NpyError::UnsupportedDescr { descr: "|O".into() },
                "the NumPy dtype \"|O\" is not supported",
            ),
            (
                NpyError::TooManyAxes { limit: 64 },
                "the shape in the .npy header has more than 64 axes",
            ),
            (
                NpyError::BadLength { offset: 61 },
                "the length at byte 61 of the .npy header is negative or too large",
            ),
            (
                NpyError::TooLarge { dtype: DType::Float64, shape: [1 << 40, 1 << 30].into() },
                "shape [1099511627776, 1073741824] of float64 exceeds the address space",
            ),
            (
                NpyError::NotMappable { dtype: DType::Int16, swapped: true, offset: 128 },
                "the .npy file holds int16 in the other byte order and cannot be mapped; use read",
            ),
            (
                NpyError::NotMappable { dtype: DType::Int16, swapped: false, offset: 77 },
                "the .npy file holds int16 at byte 77, which is not a multiple of 2, and cannot be \
                 mapped; use read",
            ),
        ];
        for (error, message) in table {
            assert_eq!(error.to_string(), message);
        }
    }
}
