//! What singular values are good for: ranks, pseudoinverses, least squares.

use super::contract::conjugated_matmul;
use super::factor::{Svd, svd, svdvals};
use super::matrices::{Matrices, factor_dtype};
use super::solve::right_side;
use crate::op::settled::as_type;
use crate::view::Call;
use crate::{DType, Error, Operand, Tensor, broadcast_shapes, result_type, where_};
use std::panic::Location;

/// The solution of a least squares problem: what [`lstsq`] gives.
#[derive(Clone, Debug)]
pub struct LeastSquares {
    /// The shortest of the best solutions.
    pub x: Tensor,
    /// The ranks of the matrices.
    pub rank: Tensor,
    /// The singular values of the matrices, the greatest first.
    pub singular_values: Tensor,
}

/// The pseudoinverse of matrices. Singular values below `rtol` times the greatest count as zero; if nothing is
/// given, that is the greater number of rows and columns times the precision of the type.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]];
/// let inverse = linalg::pinv(&x, None)?;
/// assert!(inverse.allclose(&tensor![[0.5, 0.0, 0.0], [0.0, 0.0, 0.0]], 1e-12, 1e-12)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`svd`].
///
/// # Memory
/// Always makes new tensors.
#[track_caller]
pub fn pinv(x: &Tensor, rtol: Option<f64>) -> Result<Tensor, Error> {
    inverted(x, rtol.map(Operand::from), Location::caller())
}

/// [`pinv`] with a tolerance for each matrix: one without axes of its own, or one that broadcasts with the stack.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[4.0, 0.0], [0.0, 1.0]];
/// let inverses = linalg::pinv_by(&x, &tensor![0.1, 0.5])?;
/// assert_eq!(inverses.diagonal(0, -2, -1)?.contiguous()?.to_vec::<f64>()?, [0.25, 1.0, 0.25, 0.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for that; and if the tolerances do not broadcast, or are complex.
///
/// # Memory
/// Always makes new tensors.
#[track_caller]
pub fn pinv_by(x: &Tensor, rtol: &Tensor) -> Result<Tensor, Error> {
    inverted(x, Some(rtol.unsqueeze(-1)?.into()), Location::caller())
}

fn inverted(
    x: &Tensor,
    rtol: Option<Operand<'_>>,
    caller: &'static Location<'static>,
) -> Result<Tensor, Error> {
    let x = Matrices::new(x, Call { op: "pinv", caller })?;
    let (m, n) = (x.rows(), x.cols());
    let mut stack = stack_with(&x, &rtol)?;
    if m == 0 || n == 0 {
        stack.extend([n, m]);
        return Tensor::zeros(stack, x.dtype());
    }
    let Svd { u, s, vh } = svd(&x.tensor, false)?;
    let (inverse, _) = inverses(&s, rtol, [m, n])?;
    // It is the adjoint of the matrix with inverted singular values.
    let adjoint = u.mul(&inverse.unsqueeze(-2)?)?.matmul(&vh)?;
    if adjoint.dtype().is_complex() {
        adjoint.imag()?.scale(-1)?;
    }
    adjoint.mt()
}

/// The ranks of matrices: how many singular values are greater than `rtol` times the greatest. If nothing is
/// given, that is the greater number of rows and columns times the precision of the type.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// assert_eq!(linalg::matrix_rank(&tensor![[1.0, 2.0], [2.0, 4.0]], None)?.item::<i64>()?, 1);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`svdvals`].
///
/// # Memory
/// Always makes new tensors.
#[track_caller]
pub fn matrix_rank(x: &Tensor, rtol: Option<f64>) -> Result<Tensor, Error> {
    counted(x, rtol.map(Operand::from), Location::caller())
}

/// [`matrix_rank`] with a tolerance for each matrix: one without axes of its own, or one that broadcasts with the
/// stack.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let ranks = linalg::matrix_rank_by(&tensor![[4.0, 0.0], [0.0, 1.0]], &tensor![0.1, 0.5])?;
/// assert_eq!(ranks.to_vec::<i64>()?, [2, 1]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for that; and if the tolerances do not broadcast, or are complex.
///
/// # Memory
/// Always makes new tensors.
#[track_caller]
pub fn matrix_rank_by(x: &Tensor, rtol: &Tensor) -> Result<Tensor, Error> {
    counted(x, Some(rtol.unsqueeze(-1)?.into()), Location::caller())
}

fn counted(
    x: &Tensor,
    rtol: Option<Operand<'_>>,
    caller: &'static Location<'static>,
) -> Result<Tensor, Error> {
    let x = Matrices::new(x, Call { op: "matrix_rank", caller })?;
    let (m, n) = (x.rows(), x.cols());
    let stack = stack_with(&x, &rtol)?;
    if m == 0 || n == 0 {
        return Tensor::zeros(stack, DType::Int64);
    }
    let (_, is_counted) = inverses(&svdvals(&x.tensor)?, rtol, [m, n])?;
    is_counted.sum(-1)
}

/// The solutions `x` for which `a x` is nearest to `b`, by the singular values of `a`; of those that are as near
/// it is the shortest. `b` is as for [`solve`](super::solve::solve), and `rtol` as for [`pinv`].
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// // The straight line through (0, 1), (1, 3) and (2, 5).
/// let a = tensor![[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]];
/// let found = linalg::lstsq(&a, &tensor![1.0, 3.0, 5.0], None)?;
/// assert!(found.x.allclose(&tensor![2.0, 1.0], 1e-12, 1e-12)?.holds());
/// assert_eq!(found.rank.item::<i64>()?, 2);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`svd`]; and if `b` does not fit.
///
/// # Memory
/// Always makes new tensors. An operand of another type is copied.
#[track_caller]
pub fn lstsq(a: &Tensor, b: &Tensor, rtol: Option<f64>) -> Result<LeastSquares, Error> {
    let call = Call { op: "lstsq", caller: Location::caller() };
    let [left, right] = [a, b].map(|x| factor_dtype(call.op, x.dtype()));
    let dtype = result_type(left?, right?);
    let a = Matrices::new(&as_type(a, dtype, call)?, call)?;
    let b = as_type(b, dtype, call)?;
    let is_vector = b.rank() == 1;
    let (m, n) = (a.rows(), a.cols());
    let b = right_side(&b, m, call)?;
    let (left, right) = (a.tensor.shape(), b.shape());
    // Before anything is calculated.
    broadcast_shapes(&[&left[..left.len() - 2], &right[..right.len() - 2]])?;
    let Svd { u, s, vh } = svd(&a.tensor, false)?;
    let (inverse, is_counted) = match m == 0 || n == 0 {
        true => (s.clone(), s.astype(DType::Bool)?),
        false => inverses(&s, rtol.map(Operand::from), [m, n])?,
    };
    let y = conjugated_matmul(&u.mt()?, &b)?;
    let x = conjugated_matmul(&vh.mt()?, &y.mul(&inverse.unsqueeze(-1)?)?)?;
    let x = if is_vector { x.squeeze(&[-1])? } else { x };
    Ok(LeastSquares { x, rank: is_counted.sum(-1)?, singular_values: s })
}

/// The shape of a stack of matrices beside tolerances, which have one axis more.
fn stack_with(x: &Matrices, rtol: &Option<Operand<'_>>) -> Result<Vec<usize>, Error> {
    let (own, given) = (x.stack([1, 1]), rtol.as_ref().map(Operand::shape).unwrap_or_default());
    let given = given.split_last().map_or(&[][..], |(_, given)| given);
    Ok(broadcast_shapes(&[&own[..own.len() - 2], given])?.to_vec())
}

/// The inverses of singular values, of which there is at least one, or 0 for those that count as zero; and
/// which of them do not.
fn inverses(
    s: &Tensor,
    rtol: Option<Operand<'_>>,
    [m, n]: [usize; 2],
) -> Result<(Tensor, Tensor), Error> {
    let precision = if s.dtype() == DType::Float32 { f32::EPSILON as f64 } else { f64::EPSILON };
    let rtol = rtol.unwrap_or_else(|| (m.max(n) as f64 * precision).into());
    let least = s.max(crate::keep(-1))?.mul(rtol)?;
    let is_counted = s.greater(&least)?;
    // 1 stands in for what is not counted, so that nothing is divided by 0.
    let inverse = where_(&is_counted, &s.ones_like()?.div(&where_(&is_counted, s, 1)?)?, 0)?;
    Ok((inverse, is_counted))
}
