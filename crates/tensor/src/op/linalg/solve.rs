//! Linear systems, inverses and determinants.

use super::matrices::{Matrices, factor_dtype};
use crate::feature::Feature;
use crate::kernel::factor::{Factorization, factorize};
use crate::op::convert::as_type;
use crate::op::execute::compute_several;
use crate::trace::{Call, composite};
use crate::{Error, Layout, Tensor, broadcast_shapes, result_type};

/// The result of [`slogdet`].
#[derive(Clone, Debug)]
pub struct Slogdet {
    /// The sign, of absolute value 1, or 0 for a singular matrix.
    pub sign: Tensor,
    /// The natural logarithm of the absolute value, real; -∞ for a singular matrix.
    pub logabsdet: Tensor,
}

/// Solves the linear system `a x = b`.
///
/// A `b` of one axis is a vector; otherwise the columns of its last two axes are the right-hand sides. Batch axes
/// are broadcast.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let a = tensor![[2.0, 1.0], [1.0, 3.0]];
/// let x = linalg::solve(&a, &tensor![3.0, 5.0])?;
/// assert!(x.allclose_with(&tensor![0.8, 1.4], 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `a` is not square, the shape of `b` does not match, or a matrix is singular: the error names the matrix and
/// the pivot that is 0.
///
/// # Memory
/// Always allocates a new tensor. Each matrix is copied while it is factorized; operands of any strides are read in
/// place, and one of another dtype is copied to cast it.
#[track_caller]
pub fn solve(a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("solve");
    composite(call, &[a.into(), b.into()], || {
        let [left, right] = [a, b].map(|x| factor_dtype(call.op, x.dtype()));
        let dtype = result_type(left?, right?);
        let a = Matrices::square(&as_type(a, dtype, call)?, call)?;
        let b = as_type(b, dtype, call)?;
        let is_vector = b.rank() == 1;
        let b = right_hand_side(&b, a.rows(), call)?;
        let (left, right) = (a.tensor.shape(), b.shape());
        let batch = broadcast_shapes(&[&left[..left.len() - 2], &right[..right.len() - 2]])?;
        let (n, cols) = (a.rows(), right[right.len() - 1]);
        let stack = |ends: [usize; 2]| batch.iter().copied().chain(ends).collect::<Vec<usize>>();
        let a = Matrices { tensor: a.tensor.broadcast_to(stack([n, n]))?, call };
        let b = b.broadcast_to(stack([n, cols]))?;
        let result = (Layout::row_major(&stack([n, cols]))?, dtype);
        let inputs = [(&a.tensor).into(), (&b).into()];
        Feature::FACTORIZATIONS.require(call.op)?;
        let [x] = compute_several(call.part(), [result], &inputs, |outs, inputs| {
            factorize(Factorization::Solve, outs, inputs).map_err(|failure| a.error(failure))
        })?;
        if is_vector { x.squeeze(&[-1]) } else { Ok(x) }
    })
}

/// Returns the right-hand sides of linear systems as matrices: a vector becomes a column.
///
/// # Errors
/// If there are not `rows` rows.
pub(super) fn right_hand_side(b: &Tensor, rows: usize, call: Call<'_>) -> Result<Tensor, Error> {
    let shape = b.shape();
    let mut needed = shape.to_vec();
    let axis = match needed[..] {
        [] => {
            let needs = "a vector or matrices on the right";
            return Err(Error::Form { op: call.op, needs, given: shape.into() });
        }
        [_] => 0,
        [..] => needed.len() - 2,
    };
    if std::mem::replace(&mut needed[axis], rows) != rows {
        let (needed, given) = (needed.into(), shape.into());
        return Err(Error::ShapeMismatch { op: call.op, needed, given });
    }
    if shape.len() == 1 { b.unsqueeze(-1) } else { Ok(b.clone()) }
}

/// Computes the inverses of square matrices.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let a = tensor![[1.0, 2.0], [3.0, 5.0]];
/// assert!(linalg::inv(&a)?.allclose_with(&tensor![[-5.0, 2.0], [3.0, -1.0]], 1e-12, 0.0)?.holds());
/// let error = linalg::inv(&tensor![[1.0, 2.0], [2.0, 4.0]]).unwrap_err();
/// assert_eq!(error.to_string(), "inv: the matrix is singular: pivot 1 is 0");
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the matrices are not square, or one of them is singular.
///
/// # Memory
/// As for [`solve`].
#[track_caller]
pub fn inv(x: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("inv");
    composite(call, &[x.into()], || {
        let x = Matrices::square(x, call)?;
        let [inverse] =
            x.factorize(Factorization::Inverse, [x.row_major(x.dtype(), [x.rows(), x.cols()])?])?;
        Ok(inverse)
    })
}

/// Computes the determinants of square matrices. That of an empty matrix is 1.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[[1.0, 0.0], [0.0, 3.0]], [[0.0, 1.0], [1.0, 0.0]]];
/// assert_eq!(linalg::det(&x)?.to_vec::<f64>()?, [3.0, -1.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the matrices are not square.
///
/// # Memory
/// As for [`solve`].
#[track_caller]
pub fn det(x: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("det");
    composite(call, &[x.into()], || {
        let x = Matrices::square(x, call)?;
        let [det] = x.factorize(Factorization::Det, [x.row_major(x.dtype(), [1, 1])?])?;
        det.squeeze(&[-2, -1])
    })
}

/// Computes the signs and the logarithms of determinants, which may overflow or underflow themselves.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let huge = Tensor::eye(300, DType::Float64)?.mul(-1e9)?;
/// assert_eq!(linalg::det(&huge)?.item::<f64>()?, f64::INFINITY);
/// let found = linalg::slogdet(&huge)?;
/// assert_eq!(found.sign.item::<f64>()?, 1.0);
/// assert!((found.logabsdet.item::<f64>()? - 300.0 * 1e9f64.ln()).abs() < 1e-8);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the matrices are not square.
///
/// # Memory
/// As for [`solve`].
#[track_caller]
pub fn slogdet(x: &Tensor) -> Result<Slogdet, Error> {
    let call = Call::new("slogdet");
    let [sign, logabsdet] = composite(call, &[x.into()], || {
        let x = Matrices::square(x, call)?;
        let results = [x.row_major(x.dtype(), [1, 1])?, x.row_major(x.real(), [1, 1])?];
        let [sign, logabsdet] = x.factorize(Factorization::Slogdet, results)?;
        Ok([sign.squeeze(&[-2, -1])?, logabsdet.squeeze(&[-2, -1])?])
    })?;
    Ok(Slogdet { sign, logabsdet })
}
