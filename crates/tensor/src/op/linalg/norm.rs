//! Matrix norms and condition numbers.

use super::factor::svdvals;
use super::product::no_matrices;
use crate::dtype::NumberKind;
use crate::op::convert::as_type;
use crate::trace::{Call, Param, composite};
use crate::{DType, Error, Tensor, keep};

/// A matrix norm, computed by [`matrix_norm_with`].
///
/// ```
/// use belvedere::linalg::MatrixNorm;
///
/// assert_eq!("nuc".parse::<MatrixNorm>()?, MatrixNorm::Nuclear);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatrixNorm {
    /// The Frobenius norm, `sqrt(Σ |xᵢⱼ|²)`: `"fro"`.
    #[default]
    Frobenius,
    /// The nuclear norm, the sum of the singular values: `"nuc"`.
    Nuclear,
    /// The maximum absolute column sum: `1`.
    One,
    /// The minimum absolute column sum: `-1`.
    MinusOne,
    /// The spectral norm, the largest singular value: `2`.
    Two,
    /// The smallest singular value: `-2`.
    MinusTwo,
    /// The maximum absolute row sum: `inf`.
    Infinity,
    /// The minimum absolute row sum: `-inf`.
    MinusInfinity,
}

impl MatrixNorm {
    /// Returns the `ord` of the Array API.
    fn ord(self) -> Param<'static> {
        match self {
            MatrixNorm::Frobenius => "fro".into(),
            MatrixNorm::Nuclear => "nuc".into(),
            MatrixNorm::One => Param::Float(1.0),
            MatrixNorm::MinusOne => Param::Float(-1.0),
            MatrixNorm::Two => Param::Float(2.0),
            MatrixNorm::MinusTwo => Param::Float(-2.0),
            MatrixNorm::Infinity => Param::Float(f64::INFINITY),
            MatrixNorm::MinusInfinity => Param::Float(f64::NEG_INFINITY),
        }
    }
}

/// Computes the Frobenius norm of each matrix, a real number.
///
/// Integers are cast to `float64`.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[3.0, 0.0], [0.0, -4.0]];
/// assert_eq!(linalg::matrix_norm(&x)?.item::<f64>()?, 5.0);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there are fewer than two axes, or there is not enough memory.
///
/// # Memory
/// Copies nothing; the result is a new tensor.
#[track_caller]
pub fn matrix_norm(x: &Tensor) -> Result<Tensor, Error> {
    matrix_norm_with(x, MatrixNorm::Frobenius, false)
}

/// Computes a norm of each matrix, a real number. With `keepdims` the last two axes are kept, with length 1.
///
/// Integers are cast to `float64`. Half-precision norms are computed in `float32` and rounded at the end.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg::{MatrixNorm, matrix_norm_with};
///
/// let x = tensor![[3.0, 0.0], [0.0, -4.0]];
/// assert_eq!(matrix_norm_with(&x, MatrixNorm::Infinity, false)?.item::<f64>()?, 4.0);
/// assert_eq!(matrix_norm_with(&x, MatrixNorm::One, false)?.item::<f64>()?, 4.0);
/// assert_eq!(matrix_norm_with(&x, MatrixNorm::Nuclear, true)?.shape(), [1, 1]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there are fewer than two axes, or the matrices are empty and the norm is a maximum or minimum; for norms of
/// singular values, as for [`svdvals`].
///
/// # Memory
/// Allocates new tensors. For norms of singular values, integers and half-precision numbers are copied to cast
/// them.
#[track_caller]
pub fn matrix_norm_with(x: &Tensor, norm: MatrixNorm, keepdims: bool) -> Result<Tensor, Error> {
    let params = [("ord", norm.ord()), ("keepdims", keepdims.into())];
    let call = Call::new("matrix_norm").with(&params);
    composite(call, &[x.into()], || {
        if x.rank() < 2 {
            return Err(no_matrices(call.op, x));
        }
        let size = match norm {
            MatrixNorm::Frobenius => x.norm(keep([-2, -1]))?,
            MatrixNorm::One => x.norm_with(keep(-2), 1.0)?.max(keep(-1))?,
            MatrixNorm::MinusOne => x.norm_with(keep(-2), 1.0)?.min(keep(-1))?,
            MatrixNorm::Infinity => x.norm_with(keep(-1), 1.0)?.max(keep(-2))?,
            MatrixNorm::MinusInfinity => x.norm_with(keep(-1), 1.0)?.min(keep(-2))?,
            MatrixNorm::Nuclear => singular_values(x, call)?.sum(keep(-1))?,
            MatrixNorm::Two => singular_values(x, call)?.max(keep(-1))?,
            MatrixNorm::MinusTwo => singular_values(x, call)?.min(keep(-1))?,
        };
        let size = if keepdims { size } else { size.squeeze(&[-2, -1])? };
        let is_short = x.dtype().is_floating() && x.dtype() != size.dtype();
        if is_short { size.astype(x.dtype()) } else { Ok(size) }
    })
}

/// Returns the singular values, with an axis of length 1 in place of the rows.
#[track_caller]
fn singular_values(x: &Tensor, call: Call<'_>) -> Result<Tensor, Error> {
    let inside = match x.dtype().kind() {
        NumberKind::Bool | NumberKind::Signed(_) | NumberKind::Unsigned(_) => DType::Float64,
        NumberKind::Float(2) | NumberKind::Brain(_) => DType::Float32,
        NumberKind::Float(_) | NumberKind::Complex(_) => x.dtype(),
    };
    svdvals(&as_type(x, inside, call)?)?.unsqueeze(-2)
}

/// Computes the condition number of each matrix: the largest singular value divided by the smallest.
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
/// Always allocates new tensors.
#[track_caller]
pub fn cond(x: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("cond");
    composite(call, &[x.into()], || {
        if let [.., 0, _] | [.., 0] = x.shape()[..] {
            return Err(Error::Empty { op: call.op, shape: x.shape().into() });
        }
        let s = svdvals(x)?;
        s.max(-1)?.div(&s.min(-1)?)
    })
}
