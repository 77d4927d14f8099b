//! What can be wrong with a request, as values.

mod message;

use crate::DType;
use crate::copies::CopyReason;
use crate::io::{DlpackError, NpyError};
use crate::op::{EinsumError, EinsumProblem};
use belvedere_layout::LayoutError;

/// Why an operation was refused. Nothing was changed when one is returned.
///
/// Each variant holds the numbers; the message is a sentence that names them. Match on
/// [`Error::kind`] to sort errors into a few groups.
///
/// ```
/// use belvedere::{ErrorKind, Tensor};
///
/// let x = Tensor::arange(0..6)?;
/// let error = x.reshape([4, 2]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Shape);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A layout could not be made: axes, indices, shapes, views.
    Layout(LayoutError),
    /// A view was refused; the message says what a copy would cost.
    View {
        /// The seam and the shapes.
        error: LayoutError,
        /// Bytes of an element.
        size: usize,
    },
    /// Two shapes should be the same.
    ShapeMismatch {
        /// The operation's name.
        op: &'static str,
        /// The shape that is needed.
        needed: Box<[usize]>,
        /// The shape that was given.
        given: Box<[usize]>,
    },
    /// Matrices whose inner lengths differ, or that are no matrices.
    Matmul {
        /// The shape on the left.
        left: Box<[usize]>,
        /// The shape on the right.
        right: Box<[usize]>,
    },
    /// Two axes that should be summed over together have different lengths.
    Contraction {
        /// The operation's name.
        op: &'static str,
        /// The axis of the left tensor, and that of the right one.
        axes: (usize, usize),
        /// The shape on the left.
        left: Box<[usize]>,
        /// The shape on the right.
        right: Box<[usize]>,
    },
    /// A tensor that is not what the operation is about: no vector, no square matrix.
    Form {
        /// The operation's name.
        op: &'static str,
        /// What is needed.
        needs: &'static str,
        /// The shape that was given.
        given: Box<[usize]>,
    },
    /// A matrix for which there is no result.
    Matrix {
        /// The operation's name.
        op: &'static str,
        /// Where it is in the stack of matrices.
        matrix: Box<[usize]>,
        /// What is wrong with it.
        problem: MatrixProblem,
    },
    /// Subscripts that cannot be read, or do not fit to the operands.
    Einsum(Box<EinsumError>),
    /// Exactly one element is needed.
    NotOneElement {
        /// The shape of the tensor.
        shape: Box<[usize]>,
    },
    /// The elements are of another type than the one asked for.
    WrongDType {
        /// The type that was asked for.
        asked: DType,
        /// The type of the tensor.
        found: DType,
    },
    /// The operation does not exist for elements of this type.
    Unsupported {
        /// The operation's name.
        op: &'static str,
        /// The type of the operands, after promotion.
        dtype: DType,
    },
    /// Values of one type are not stored as another without being asked.
    Cast {
        /// The type they have.
        from: DType,
        /// The type they would get.
        to: DType,
    },
    /// An index among others that leads to no position.
    IndexOutOfRange {
        /// The index.
        value: i128,
        /// Where it stands in the tensor of indices.
        position: Box<[usize]>,
        /// The axis that has no such position.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// A mask that does not fit the axes it is for.
    MaskMismatch {
        /// The first axis that it does not fit.
        axis: usize,
        /// Its length.
        len: usize,
        /// The length of the mask there.
        given: usize,
    },
    /// A scalar that the tensor's type cannot hold.
    ScalarRange {
        /// The scalar.
        value: i128,
        /// The type it should have.
        dtype: DType,
    },
    /// An argument that makes no sense: a step of zero, an infinite range.
    Argument {
        /// The operation's name.
        op: &'static str,
        /// What is needed.
        needs: &'static str,
        /// What was given.
        given: f64,
    },
    /// Integers have no negative powers among the integers.
    NegativePower {
        /// The least exponent.
        exponent: i64,
    },
    /// A reduction that has no value for no elements.
    Empty {
        /// The operation's name.
        op: &'static str,
        /// The shape that has no elements along the axes that are reduced.
        shape: Box<[usize]>,
    },
    /// The shape does not broadcast to the other one, so nothing can be summed back.
    NotABroadcast {
        /// The shape that was asked for.
        from: Box<[usize]>,
        /// The shape of the tensor.
        to: Box<[usize]>,
    },
    /// A window that is larger than what it should slide over.
    Window {
        /// The operation's name.
        op: &'static str,
        /// The shape of the window, with what it leaves out.
        window: Box<[usize]>,
        /// The shape that it slides over, with padding.
        over: Box<[usize]>,
    },
    /// The same memory is borrowed by a guard.
    Borrowed {
        /// Whether it was wanted for writing.
        write: bool,
        /// The shape of the tensor that wanted it.
        wanted: Box<[usize]>,
        /// Whether the guard writes.
        held_for_writing: bool,
        /// The shape that the guard sees.
        held: Box<[usize]>,
    },
    /// Another operation uses the same memory, and this one must not wait
    /// ([`without_waiting`](crate::without_waiting)).
    Busy {
        /// Whether it was wanted for writing.
        write: bool,
        /// The shape of the tensor that wanted it.
        wanted: Box<[usize]>,
    },
    /// The memory cannot be written to.
    ReadOnly,
    /// Several indices lead to one element, or it could not be decided that none do: such a view
    /// cannot be written through.
    Overlapping {
        /// The shape of the view.
        shape: Box<[usize]>,
        /// Its strides.
        strides: Box<[isize]>,
    },
    /// Two parts that should be disjoint share an element.
    PartsMeet {
        /// The positions of the two in the list.
        parts: (usize, usize),
    },
    /// The output of a matrix product shares memory with an operand.
    OutputAliases {
        /// The operation's name.
        op: &'static str,
    },
    /// There is not enough memory.
    OutOfMemory {
        /// The bytes that were asked for.
        bytes: usize,
    },
    /// A mark of one arena, and another arena that should be rewound to it.
    ForeignMark {
        /// The number of the arena that made the mark.
        mark: u64,
        /// The number of the arena that was given it.
        arena: u64,
    },
    /// A scope that forbids copies, and an operation that would have made one.
    CopyForbidden {
        /// The operation's name.
        op: &'static str,
        /// Why it copies.
        reason: CopyReason,
        /// The bytes it would have copied.
        bytes: usize,
    },
    /// Memory whose first element is not where elements of its type can be.
    Unaligned {
        /// The address.
        address: usize,
        /// The type.
        dtype: DType,
    },
    /// Padding of a lens has no place in memory.
    Padding {
        /// The index that was written to.
        index: Box<[usize]>,
    },
    /// A lens is padded with one value, and should be padded with another one too.
    SecondPadding {
        /// The shape of the lens.
        shape: Box<[usize]>,
    },
    /// A tensor of another library cannot be imported, or ours not be exported.
    Dlpack(DlpackError),
    /// A file is not what it should be.
    Npy(NpyError),
    /// Reading or writing failed.
    Io(std::io::Error),
}

/// Why there is no result for a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixProblem {
    /// It has no inverse.
    Singular {
        /// The first pivot that is 0.
        pivot: usize,
    },
    /// It has no Cholesky factor.
    NotPositiveDefinite {
        /// The first pivot that is not greater than 0.
        pivot: usize,
    },
    /// It has elements that are infinite or no numbers.
    NotFinite,
    /// The iteration came to no end.
    NoConvergence,
}

/// What sort of mistake an [`Error`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// There is no such axis.
    Axis,
    /// There is no such position.
    Index,
    /// Shapes do not fit.
    Shape,
    /// An argument has a value that makes no sense.
    Value,
    /// There is no strided view.
    View,
    /// A number exceeds what can be addressed.
    Limit,
    /// A rearrange pattern is wrong, or the subscripts of `einsum` are.
    Pattern,
    /// The element type is wrong.
    DType,
    /// The operation does not exist for this type.
    Unsupported,
    /// The memory is in use, read-only, or shared by several indices.
    Borrow,
    /// There is not enough memory.
    Memory,
    /// A copy was forbidden.
    Copy,
    /// A file, or a tensor of another library, is wrong or could not be read or written.
    Io,
}

impl Error {
    /// What sort of mistake it is.
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
            Error::Unsupported { .. } => ErrorKind::Unsupported,
            Error::ScalarRange { .. }
            | Error::Argument { .. }
            | Error::NegativePower { .. }
            | Error::Matrix { .. }
            | Error::Padding { .. }
            | Error::SecondPadding { .. }
            | Error::PartsMeet { .. }
            | Error::ForeignMark { .. }
            | Error::Unaligned { .. } => ErrorKind::Value,
            Error::Borrowed { .. }
            | Error::Busy { .. }
            | Error::ReadOnly
            | Error::Overlapping { .. }
            | Error::OutputAliases { .. } => ErrorKind::Borrow,
            Error::OutOfMemory { .. } => ErrorKind::Memory,
            Error::CopyForbidden { .. } => ErrorKind::Copy,
            Error::Dlpack(_) | Error::Npy(_) | Error::Io(_) => ErrorKind::Io,
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
            _ => None,
        }
    }
}
