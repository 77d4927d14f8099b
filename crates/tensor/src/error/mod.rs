//! The error type of the crate: one variant per mistake, with the numbers as fields.

mod message;

use crate::DType;
use crate::copies::CopyReason;
use crate::io::{DlpackError, NpyError};
use crate::op::{EinsumError, EinsumProblem};
use belvedere_layout::LayoutError;

/// The error of every operation. An operation that returns one has changed nothing.
///
/// Each variant holds the shapes, dtypes and numbers that its message names. [`Error::kind`] sorts errors
/// into a few categories.
///
/// ```
/// use belvedere::{ErrorKind, Tensor};
///
/// let x = Tensor::arange(0..6)?;
/// let error = x.reshape([4, 2]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Shape);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[non_exhaustive]
pub enum Error {
    /// An axis, index, shape or view is invalid.
    Layout(LayoutError),
    /// The operation has no strided view; the message says what a copy would cost.
    View {
        /// The seam between axes that prevents the view, and the shapes.
        error: LayoutError,
        /// The size of an element in bytes.
        size: usize,
    },
    /// A tensor does not have the shape that the operation requires.
    ShapeMismatch {
        /// The name of the operation.
        op: &'static str,
        /// The required shape.
        needed: Box<[usize]>,
        /// The given shape.
        given: Box<[usize]>,
    },
    /// The operands of a matrix product have different inner lengths or are 0-d.
    Matmul {
        /// The shape on the left.
        left: Box<[usize]>,
        /// The shape on the right.
        right: Box<[usize]>,
    },
    /// Two axes that are contracted with each other have different lengths.
    Contraction {
        /// The name of the operation.
        op: &'static str,
        /// The axis of the left tensor, and that of the right one.
        axes: (usize, usize),
        /// The shape on the left.
        left: Box<[usize]>,
        /// The shape on the right.
        right: Box<[usize]>,
    },
    /// A tensor does not have the form that the operation requires, such as a vector or a square matrix.
    Form {
        /// The name of the operation.
        op: &'static str,
        /// What is required.
        needs: &'static str,
        /// The given shape.
        given: Box<[usize]>,
    },
    /// A matrix has no result, for example because it is singular.
    Matrix {
        /// The name of the operation.
        op: &'static str,
        /// Its index in the stack of matrices.
        matrix: Box<[usize]>,
        /// What is wrong with it.
        problem: MatrixProblem,
    },
    /// The subscripts of `einsum` are invalid or do not match the operands.
    Einsum(Box<EinsumError>),
    /// The tensor does not have exactly one element.
    NotOneElement {
        /// The shape of the tensor.
        shape: Box<[usize]>,
    },
    /// The tensor has another dtype than the one requested.
    WrongDType {
        /// The requested dtype.
        asked: DType,
        /// The dtype of the tensor.
        found: DType,
    },
    /// The operation is not supported for this dtype.
    Unsupported {
        /// The name of the operation.
        op: &'static str,
        /// The dtype of the operands, after promotion.
        dtype: DType,
    },
    /// The operation needs a Cargo feature that is off in this build.
    FeatureDisabled {
        /// The name of the operation.
        op: &'static str,
        /// The feature of the crate `belvedere`.
        feature: &'static str,
    },
    /// An implicit cast is not allowed.
    Cast {
        /// The dtype of the values.
        from: DType,
        /// The dtype they would be cast to.
        to: DType,
    },
    /// An element of an index array is out of range.
    IndexOutOfRange {
        /// The index.
        value: i128,
        /// Its position in the index array.
        position: Box<[usize]>,
        /// The indexed axis.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// A boolean mask has another length than the axis it indexes.
    MaskMismatch {
        /// The first axis whose length differs.
        axis: usize,
        /// Its length.
        len: usize,
        /// The length of the mask along it.
        given: usize,
    },
    /// A scalar is out of the range of the dtype.
    ScalarRange {
        /// The scalar.
        value: i128,
        /// The dtype.
        dtype: DType,
    },
    /// An argument has an invalid value, such as a step of zero or an infinite range.
    Argument {
        /// The name of the operation.
        op: &'static str,
        /// What is required.
        needs: &'static str,
        /// The given value.
        given: ArgumentValue,
    },
    /// An option has no such name: `Norm`, `Side`, `PadMode` and others implement `FromStr`.
    UnknownName {
        /// The parameter that takes the option.
        parameter: &'static str,
        /// The names of the options.
        known: &'static [&'static str],
        /// The given name.
        given: Box<str>,
    },
    /// Integers cannot be raised to a negative power.
    NegativePower {
        /// The smallest exponent.
        exponent: i64,
    },
    /// The reduction is undefined for zero elements.
    Empty {
        /// The name of the operation.
        op: &'static str,
        /// The shape, which has a length of 0 along a reduced axis.
        shape: Box<[usize]>,
    },
    /// A tensor cannot be summed to a shape that does not broadcast to its own.
    NotABroadcast {
        /// The requested shape.
        from: Box<[usize]>,
        /// The shape of the tensor.
        to: Box<[usize]>,
    },
    /// A window is larger than the input it slides over.
    Window {
        /// The name of the operation.
        op: &'static str,
        /// The shape of the window, including its dilation.
        window: Box<[usize]>,
        /// The shape of the input, including its padding.
        over: Box<[usize]>,
    },
    /// A guard holds some of the same elements.
    Borrowed {
        /// Whether the refused access is a write.
        write: bool,
        /// The shape of the tensor that was accessed.
        wanted: Box<[usize]>,
        /// Whether the guard writes.
        held_for_writing: bool,
        /// The shape of the guard; `None` if it holds all elements of the memory.
        held: Option<Box<[usize]>>,
    },
    /// Another operation uses the same memory, inside of [`without_waiting`](crate::without_waiting).
    Busy {
        /// Whether the refused access is a write.
        write: bool,
        /// The shape of the tensor that was accessed.
        wanted: Box<[usize]>,
    },
    /// The operation needs the values of a tensor that has no memory ([`Device::Meta`](crate::Device)).
    NoValues {
        /// The name of the operation.
        op: &'static str,
        /// The shape of the tensor.
        shape: Box<[usize]>,
    },
    /// The memory is read-only.
    ReadOnly,
    /// A view cannot be written through: its layout is not injective (several indices refer to the same
    /// element), or whether it is could not be decided.
    Overlapping {
        /// The shape of the view.
        shape: Box<[usize]>,
        /// Its strides.
        strides: Box<[isize]>,
    },
    /// Two parts that have to be disjoint share an element.
    PartsMeet {
        /// The positions of the two parts in the list.
        parts: (usize, usize),
    },
    /// Two outputs of one operation share an element, or whether they do could not be decided.
    OutputsOverlap {
        /// The name of the operation.
        op: &'static str,
        /// The positions of the two outputs.
        outputs: (usize, usize),
    },
    /// The output of a matrix product shares memory with an operand.
    OutputAliases {
        /// The name of the operation.
        op: &'static str,
    },
    /// There is not enough memory.
    OutOfMemory {
        /// The requested number of bytes.
        bytes: usize,
    },
    /// The operation was stopped before its end ([`interruptible`](crate::interruptible)).
    Interrupted,
    /// An arena cannot be rewound to a mark of another arena.
    ForeignMark {
        /// The number of the arena that made the mark.
        mark: u64,
        /// The number of the arena to be rewound.
        arena: u64,
    },
    /// The operation would copy where copies are forbidden ([`copies::forbid`](crate::copies::forbid)).
    CopyForbidden {
        /// The name of the operation.
        op: &'static str,
        /// Why it would copy.
        reason: CopyReason,
        /// The number of bytes it would copy.
        bytes: usize,
    },
    /// The memory is unaligned for the dtype.
    Unaligned {
        /// The address of the first element.
        address: usize,
        /// The dtype.
        dtype: DType,
    },
    /// An index is in the padding of a lens, which cannot be written.
    Padding {
        /// The index.
        index: Box<[usize]>,
    },
    /// A lens cannot be padded with two different values.
    SecondPadding {
        /// The shape of the lens.
        shape: Box<[usize]>,
    },
    /// A tensor cannot be imported from or exported to another library.
    Dlpack(DlpackError),
    /// A `.npy` or `.npz` file is invalid or not supported.
    Npy(NpyError),
    /// Reading or writing failed.
    Io(std::io::Error),
    /// An [`Observer`](crate::trace::Observer) refused the operation.
    Refused {
        /// The category of the error.
        kind: ErrorKind,
        /// The reason.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Why an operation has no result for a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixProblem {
    /// It is singular: it has no inverse.
    Singular {
        /// The index of the first pivot that is 0.
        pivot: usize,
    },
    /// It is not positive definite: it has no Cholesky factor.
    NotPositiveDefinite {
        /// The index of the first pivot that is not greater than 0.
        pivot: usize,
    },
    /// It has infinite or NaN elements.
    NotFinite,
    /// The iteration did not converge.
    NoConvergence,
}

/// The value of an argument in [`Error::Argument`]. Integers are exact.
///
/// ```
/// use belvedere::prelude::*;
///
/// let error = Tensor::zeros([3], DType::Float64)?.topk(1 << 62, 0).unwrap_err();
/// let message = "topk needs k to be at most the length of the axis, got 4611686018427387904";
/// assert_eq!(error.to_string(), message);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgumentValue {
    /// An integer, such as a length or a count.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
}

impl From<f64> for ArgumentValue {
    fn from(value: f64) -> ArgumentValue {
        ArgumentValue::Float(value)
    }
}

/// Makes argument values of integers, which all fit in an `i128`.
macro_rules! integer_arguments {
    ($($integer:ty),*) => {$(
        impl From<$integer> for ArgumentValue {
            fn from(value: $integer) -> ArgumentValue {
                ArgumentValue::Integer(value as i128)
            }
        }
    )*};
}

integer_arguments!(i32, i64, i128, isize, usize);

/// The category of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// An axis does not exist.
    Axis,
    /// An index is out of range.
    Index,
    /// Shapes do not match.
    Shape,
    /// An argument has an invalid value.
    Value,
    /// The operation has no strided view.
    View,
    /// A size exceeds what can be addressed.
    Limit,
    /// A rearrange pattern or the subscripts of `einsum` are invalid.
    Pattern,
    /// The dtype is wrong.
    DType,
    /// The operation is not supported for the dtype, or in this build.
    Unsupported,
    /// The memory is borrowed, read-only, or reached by several indices of an output.
    Borrow,
    /// There is not enough memory.
    Memory,
    /// The operation was stopped before its end.
    Interrupted,
    /// A copy is forbidden.
    Copy,
    /// A file or a tensor of another library is invalid or could not be read or written.
    Io,
}

impl Error {
    /// Returns the category of the error.
    ///
    /// ```
    /// use belvedere::{DType, ErrorKind, Tensor};
    ///
    /// let x = Tensor::zeros([2, 3], DType::Float64)?;
    /// assert_eq!(x.select(5, 0).unwrap_err().kind(), ErrorKind::Axis);
    /// assert_eq!(x.to_vec::<i32>().unwrap_err().kind(), ErrorKind::DType);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Layout(error) | Error::View { error, .. } => kind_of_layout(error),
            Error::ShapeMismatch { .. }
            | Error::Matmul { .. }
            | Error::Contraction { .. }
            | Error::Form { .. }
            | Error::NotOneElement { .. }
            | Error::Empty { .. }
            | Error::NotABroadcast { .. }
            | Error::Window { .. } => ErrorKind::Shape,
            Error::Einsum(error) => match error.problem {
                EinsumProblem::Rank { .. }
                | EinsumProblem::Lengths { .. }
                | EinsumProblem::Diagonal { .. }
                | EinsumProblem::Operands { .. } => ErrorKind::Shape,
                _ => ErrorKind::Pattern,
            },
            Error::IndexOutOfRange { .. } | Error::MaskMismatch { .. } => ErrorKind::Index,
            Error::WrongDType { .. } | Error::Cast { .. } => ErrorKind::DType,
            Error::Unsupported { .. } | Error::FeatureDisabled { .. } => ErrorKind::Unsupported,
            Error::ScalarRange { .. }
            | Error::Argument { .. }
            | Error::UnknownName { .. }
            | Error::NegativePower { .. }
            | Error::Matrix { .. }
            | Error::Padding { .. }
            | Error::SecondPadding { .. }
            | Error::PartsMeet { .. }
            | Error::ForeignMark { .. }
            | Error::NoValues { .. }
            | Error::Unaligned { .. } => ErrorKind::Value,
            Error::Borrowed { .. }
            | Error::Busy { .. }
            | Error::ReadOnly
            | Error::Overlapping { .. }
            | Error::OutputsOverlap { .. }
            | Error::OutputAliases { .. } => ErrorKind::Borrow,
            Error::OutOfMemory { .. } => ErrorKind::Memory,
            Error::Interrupted => ErrorKind::Interrupted,
            Error::CopyForbidden { .. } => ErrorKind::Copy,
            Error::Dlpack(_) | Error::Npy(_) | Error::Io(_) => ErrorKind::Io,
            Error::Refused { kind, .. } => *kind,
        }
    }
}

fn kind_of_layout(error: &LayoutError) -> ErrorKind {
    use belvedere_layout::ErrorKind as Layout;
    match error.kind() {
        Layout::Axis => ErrorKind::Axis,
        Layout::Index => ErrorKind::Index,
        Layout::Shape => ErrorKind::Shape,
        Layout::Value => ErrorKind::Value,
        Layout::View => ErrorKind::View,
        Layout::Limit => ErrorKind::Limit,
        Layout::Pattern => ErrorKind::Pattern,
    }
}

impl From<LayoutError> for Error {
    #[inline]
    fn from(error: LayoutError) -> Error {
        Error::Layout(error)
    }
}

impl From<DlpackError> for Error {
    fn from(error: DlpackError) -> Error {
        Error::Dlpack(error)
    }
}

impl From<NpyError> for Error {
    fn from(error: NpyError) -> Error {
        Error::Npy(error)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::Io(error)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Layout(error) | Error::View { error, .. } => Some(error),
            Error::Dlpack(error) => Some(error),
            Error::Einsum(error) => Some(error),
            Error::Npy(error) => Some(error),
            Error::Io(error) => Some(error),
            Error::Refused { reason, .. } => Some(&**reason),
            _ => None,
        }
    }
}
