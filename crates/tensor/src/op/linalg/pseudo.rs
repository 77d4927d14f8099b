//! Ranks, pseudoinverses and least squares, by singular values.

use super::contract::conjugated_matmul;
use super::factor::{Svd, svd_with, svdvals};
use super::matrices::{Matrices, factor_dtype};
use super::solve::right_hand_side;
use crate::op::convert::as_type;
use crate::trace::{Call, composite};
use crate::{DType, Error, Operand, Tensor, broadcast_shapes, result_type, where_};

/// The result of [`lstsq`].
#[derive(Clone, Debug)]
pub struct LeastSquares {
    /// The least-squares solution of minimum norm.
    pub x: Tensor,
    /// The ranks of the matrices.
    pub rank: Tensor,
    /// The singular values of the matrices, in descending order.
    pub singular_values: Tensor,
}

/// Computes the Moore–Penrose pseudoinverse of matrices.
///
/// Singular values of at most `rtol` times the largest count as zero; `rtol` is `max(m, n)` times the machine epsilon of
/// the dtype.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]];
/// let inverse = linalg::pinv(&x)?;
/// assert!(inverse.allclose_with(&tensor![[0.5, 0.0, 0.0], [0.0, 0.0, 0.0]], 1e-12, 1e-12)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`svd`](crate::linalg::svd).
///
/// # Memory
/// Always allocates new tensors.
#[track_caller]
pub fn pinv(x: &Tensor) -> Result<Tensor, Error> {
    pinv_with(x, None)
}

/// Computes [`pinv`] with a tolerance; `None` is that of [`pinv`].
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let inverse = linalg::pinv_with(&tensor![[4.0, 0.0], [0.0, 1.0]], 0.5)?.contiguous()?;
/// assert_eq!(inverse.to_vec::<f64>()?, [0.25, 0.0, 0.0, 0.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`pinv`].
///
/// # Memory
/// Always allocates new tensors.
#[track_caller]
pub fn pinv_with(x: &Tensor, rtol: impl Into<Option<f64>>) -> Result<Tensor, Error> {
    let rtol = rtol.into();
    let params = [("rtol", rtol.into())];
    let call = Call::new("pinv").with(&params);
    composite(call, &[x.into()], || pseudoinverse(call, x, rtol.map(Operand::from)))
}

/// Computes [`pinv`] with a tolerance for each matrix, which broadcasts with the batch axes.
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
/// As for [`pinv`]; and if the tolerances do not broadcast, or are complex.
///
/// # Memory
/// Always allocates new tensors.
#[track_caller]
pub fn pinv_by(x: &Tensor, rtol: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("pinv");
    composite(call, &[x.into(), rtol.into()], || {
        pseudoinverse(call, x, Some(rtol.unsqueeze(-1)?.into()))
    })
}

fn pseudoinverse(call: Call<'_>, x: &Tensor, rtol: Option<Operand<'_>>) -> Result<Tensor, Error> {
    let x = Matrices::new(x, call)?;
    let (m, n) = (x.rows(), x.cols());
    let mut stack = batch_shape(&x, &rtol)?;
    if m == 0 || n == 0 {
        stack.extend([n, m]);
        return Tensor::zeros(stack, x.dtype());
    }
    let Svd { u, s, vh } = svd_with(&x.tensor, false)?;
    let (inverse, _) = reciprocals(&s, rtol, [m, n])?;
    // The pseudoinverse is the adjoint of the matrix with reciprocal singular values.
    let adjoint = u.mul(&inverse.unsqueeze(-2)?)?.matmul(&vh)?;
    if adjoint.dtype().is_complex() {
        adjoint.imag()?.scale(-1)?;
    }
    adjoint.mt()
}

/// Computes the ranks of matrices: the number of singular values greater than `rtol` times the largest.
///
/// `rtol` is `max(m, n)` times the machine epsilon of the dtype.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// assert_eq!(linalg::matrix_rank(&tensor![[1.0, 2.0], [2.0, 4.0]])?.item::<i64>()?, 1);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`svdvals`].
///
/// # Memory
/// Always allocates new tensors.
#[track_caller]
pub fn matrix_rank(x: &Tensor) -> Result<Tensor, Error> {
    matrix_rank_with(x, None)
}

/// Computes [`matrix_rank`] with a tolerance; `None` is that of [`matrix_rank`].
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[4.0, 0.0], [0.0, 1.0]];
/// assert_eq!(linalg::matrix_rank_with(&x, 0.5)?.item::<i64>()?, 1);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`matrix_rank`].
///
/// # Memory
/// Always allocates new tensors.
#[track_caller]
pub fn matrix_rank_with(x: &Tensor, rtol: impl Into<Option<f64>>) -> Result<Tensor, Error> {
    let rtol = rtol.into();
    let params = [("rtol", rtol.into())];
    let call = Call::new("matrix_rank").with(&params);
    composite(call, &[x.into()], || numerical_rank(call, x, rtol.map(Operand::from)))
}

/// Computes [`matrix_rank`] with a tolerance for each matrix, which broadcasts with the batch axes.
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
/// As for [`matrix_rank`]; and if the tolerances do not broadcast, or are complex.
///
/// # Memory
/// Always allocates new tensors.
#[track_caller]
pub fn matrix_rank_by(x: &Tensor, rtol: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("matrix_rank");
    composite(call, &[x.into(), rtol.into()], || {
        numerical_rank(call, x, Some(rtol.unsqueeze(-1)?.into()))
    })
}

fn numerical_rank(call: Call<'_>, x: &Tensor, rtol: Option<Operand<'_>>) -> Result<Tensor, Error> {
    let x = Matrices::new(x, call)?;
    let (m, n) = (x.rows(), x.cols());
    let stack = batch_shape(&x, &rtol)?;
    if m == 0 || n == 0 {
        return Tensor::zeros(stack, DType::Int64);
    }
    let (_, is_counted) = reciprocals(&svdvals(&x.tensor)?, rtol, [m, n])?;
    is_counted.sum(-1)
}

/// Solves the linear least-squares problem: the `x` of minimum norm that minimizes `‖a x − b‖`, by the SVD of
/// `a`.
///
/// `b` is as for [`solve`](super::solve::solve). Singular values count as zero as for [`pinv`].
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// // The line through (0, 1), (1, 3) and (2, 5).
/// let a = tensor![[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]];
/// let found = linalg::lstsq(&a, &tensor![1.0, 3.0, 5.0])?;
/// assert!(found.x.allclose_with(&tensor![2.0, 1.0], 1e-12, 1e-12)?.holds());
/// assert_eq!(found.rank.item::<i64>()?, 2);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`svd`](crate::linalg::svd); and if the shape of `b` does not match.
///
/// # Memory
/// Always allocates new tensors. An operand of another dtype is copied to cast it.
#[track_caller]
pub fn lstsq(a: &Tensor, b: &Tensor) -> Result<LeastSquares, Error> {
    lstsq_with(a, b, None)
}

/// Solves the linear least-squares problem as [`lstsq`] does, with a tolerance as for [`pinv_with`].
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let a = tensor![[4.0, 0.0], [0.0, 1.0]];
/// let found = linalg::lstsq_with(&a, &tensor![8.0, 3.0], 0.5)?;
/// assert_eq!((found.x.to_vec::<f64>()?, found.rank.item::<i64>()?), (vec![2.0, 0.0], 1));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`lstsq`].
///
/// # Memory
/// As for [`lstsq`].
#[track_caller]
pub fn lstsq_with(
    a: &Tensor,
    b: &Tensor,
    rtol: impl Into<Option<f64>>,
) -> Result<LeastSquares, Error> {
    let rtol = rtol.into();
    let params = [("rtol", rtol.into())];
    let call = Call::new("lstsq").with(&params);
    let [x, rank, singular_values] = composite(call, &[a.into(), b.into()], || {
        let [left, right] = [a, b].map(|x| factor_dtype(call.op, x.dtype()));
        let dtype = result_type(left?, right?);
        let a = Matrices::new(&as_type(a, dtype, call)?, call)?;
        let b = as_type(b, dtype, call)?;
        let is_vector = b.rank() == 1;
        let (m, n) = (a.rows(), a.cols());
        let b = right_hand_side(&b, m, call)?;
        let (left, right) = (a.tensor.shape(), b.shape());
        // Before anything is computed.
        broadcast_shapes(&[&left[..left.len() - 2], &right[..right.len() - 2]])?;
        let Svd { u, s, vh } = svd_with(&a.tensor, false)?;
        let (inverse, is_counted) = match m == 0 || n == 0 {
            true => (s.clone(), s.astype(DType::Bool)?),
            false => reciprocals(&s, rtol.map(Operand::from), [m, n])?,
        };
        let y = conjugated_matmul(&u.mt()?, &b)?;
        let x = conjugated_matmul(&vh.mt()?, &y.mul(&inverse.unsqueeze(-1)?)?)?;
        let x = if is_vector { x.squeeze(&[-1])? } else { x };
        Ok([x, is_counted.sum(-1)?, s])
    })?;
    Ok(LeastSquares { x, rank, singular_values })
}

/// Returns the batch shape of matrices and tolerances, which have one axis more.
fn batch_shape(x: &Matrices<'_>, rtol: &Option<Operand<'_>>) -> Result<Vec<usize>, Error> {
    let (own, given) = (x.stack([1, 1]), rtol.as_ref().map(Operand::shape).unwrap_or_default());
    let given = given.split_last().map_or(&[][..], |(_, given)| given);
    Ok(broadcast_shapes(&[&own[..own.len() - 2], given])?.to_vec())
}

/// Returns the reciprocals of singular values, of which there is at least one, with 0 for those that count as
/// zero; and a mask of those that do not.
fn reciprocals(
    s: &Tensor,
    rtol: Option<Operand<'_>>,
    [m, n]: [usize; 2],
) -> Result<(Tensor, Tensor), Error> {
    let precision = if s.dtype() == DType::Float32 { f32::EPSILON as f64 } else { f64::EPSILON };
    let rtol = rtol.unwrap_or_else(|| (m.max(n) as f64 * precision).into());
    let least = s.max(crate::keep(-1))?.mul(rtol)?;
    let is_counted = s.greater(&least)?;
    // 1 replaces values that count as zero, so that nothing is divided by 0.
    let inverse = where_(&is_counted, &s.ones_like()?.div(&where_(&is_counted, s, 1)?)?, 0)?;
    Ok((inverse, is_counted))
}
