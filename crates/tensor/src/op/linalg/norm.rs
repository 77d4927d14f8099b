//! Norms of matrices.

use super::factor::svdvals;
use super::product::no_matrices;
use crate::dtype::NumberKind;
use crate::op::settled::as_type;
use crate::view::Call;
use crate::{DType, Error, Tensor, keep};
use std::panic::Location;

/// How the size of a matrix is measured by [`matrix_norm`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatrixNorm {
    /// The root of the sum of all squares: `"fro"`.
    #[default]
    Frobenius,
    /// The sum of the singular values: `"nuc"`.
    Nuclear,
    /// The greatest sum of sizes in a column: `1`.
    One,
    /// The least sum of sizes in a column: `-1`.
    MinusOne,
    /// The greatest singular value: `2`.
    Two,
    /// The least singular value: `-2`.
    MinusTwo,
    /// The greatest sum of sizes in a row: `inf`.
    Infinity,
    /// The least sum of sizes in a row: `-inf`.
    MinusInfinity,
}

/// The sizes of matrices: real numbers. With `keepdims` the last two axes stay, with length 1.
///
/// Integers are measured as `float64`, and numbers of sixteen bits as `float32`, rounded at the end.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg::{MatrixNorm, matrix_norm};
///
/// let x = tensor![[3.0, 0.0], [0.0, -4.0]];
/// assert_eq!(matrix_norm(&x, MatrixNorm::Frobenius, false)?.item::<f64>()?, 5.0);
/// assert_eq!(matrix_norm(&x, MatrixNorm::One, false)?.item::<f64>()?, 4.0);
/// assert_eq!(matrix_norm(&x, MatrixNorm::Nuclear, true)?.shape(), [1, 1]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there are no matrices, or they have no elements and the norm is the greatest or the least of something;
/// for norms by singular values, as for [`svdvals`].
///
/// # Memory
/// Makes new tensors. For norms by singular values, a tensor of integers or of numbers of sixteen bits
/// is copied to convert it.
#[track_caller]
pub fn matrix_norm(x: &Tensor, norm: MatrixNorm, keepdims: bool) -> Result<Tensor, Error> {
    if x.rank() < 2 {
        return Err(no_matrices("matrix_norm", x));
    }
    let call = Call { op: "matrix_norm", caller: Location::caller() };
    let size = match norm {
        MatrixNorm::Frobenius => x.norm(keep([-2, -1]), 2.0)?,
        MatrixNorm::One => x.norm(keep(-2), 1.0)?.max(keep(-1))?,
        MatrixNorm::MinusOne => x.norm(keep(-2), 1.0)?.min(keep(-1))?,
        MatrixNorm::Infinity => x.norm(keep(-1), 1.0)?.max(keep(-2))?,
        MatrixNorm::MinusInfinity => x.norm(keep(-1), 1.0)?.min(keep(-2))?,
        MatrixNorm::Nuclear => spectrum(x, call)?.sum(keep(-1))?,
        MatrixNorm::Two => spectrum(x, call)?.max(keep(-1))?,
        MatrixNorm::MinusTwo => spectrum(x, call)?.min(keep(-1))?,
    };
    let size = if keepdims { size } else { size.squeeze(&[-2, -1])? };
    let is_short = x.dtype().is_floating() && x.dtype() != size.dtype();
    if is_short { size.astype(x.dtype()) } else { Ok(size) }
}

/// The singular values, with an axis in place of the rows.
#[track_caller]
fn spectrum(x: &Tensor, call: Call) -> Result<Tensor, Error> {
    let inside = match x.dtype().kind() {
        NumberKind::Bool | NumberKind::Signed(_) | NumberKind::Unsigned(_) => DType::Float64,
        NumberKind::Float(2) | NumberKind::Brain(_) => DType::Float32,
        NumberKind::Float(_) | NumberKind::Complex(_) => x.dtype(),
    };
    svdvals(&as_type(x, inside, call)?)?.unsqueeze(-2)
}

/// How much the solution of equations with these matrices may change beyond what changes in them: the
/// greatest singular value over the least.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[100.0, 0.0], [0.0, 0.5]];
/// assert!((linalg::cond(&x)?.item::<f64>()? - 200.0).abs() < 1e-9);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`svdvals`]; and if there are no elements.
///
/// # Memory
/// Always makes new tensors.
#[track_caller]
pub fn cond(x: &Tensor) -> Result<Tensor, Error> {
    if let [.., 0, _] | [.., 0] = x.shape()[..] {
        return Err(Error::Empty { op: "cond", shape: x.shape().into() });
    }
    let s = svdvals(x)?;
    s.max(-1)?.div(&s.min(-1)?)
}
