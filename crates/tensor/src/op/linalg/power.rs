//! Matrix powers.

use super::product::no_matrices;
use super::solve::inv;
use crate::trace::{Call, Param, composite};
use crate::{Error, Tensor};

/// Raises square matrices to an integer power by repeated squaring; a negative power is that of the inverse.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let fibonacci = tensor![[1i64, 1], [1, 0]];
/// assert_eq!(linalg::matrix_power(&fibonacci, 10)?.to_vec::<i64>()?, [89, 55, 55, 34]);
/// assert_eq!(linalg::matrix_power(&fibonacci, 0)?.to_vec::<i64>()?, [1, 0, 0, 1]);
/// let backwards = linalg::matrix_power(&fibonacci, -1)?;
/// assert!(backwards.allclose_with(&tensor![[0.0, 1.0], [1.0, -1.0]], 1e-12, 1e-12)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the matrices are not square, the dtype is `bool`, or the power is negative and one of them is singular.
///
/// # Memory
/// Allocates new tensors, two at a time. The first power is a view.
#[track_caller]
pub fn matrix_power(x: &Tensor, power: i64) -> Result<Tensor, Error> {
    let params = [("n", Param::Int(power.into()))];
    let call = Call::new("matrix_power").with(&params);
    let op = call.op;
    composite(call, &[x.into()], || {
        let [.., rows, cols] = x.shape()[..] else { return Err(no_matrices(op, x)) };
        if rows != cols {
            return Err(Error::Form { op, needs: "square matrices", given: x.shape().into() });
        }
        if x.dtype().is_bool() {
            return Err(Error::Unsupported { op, dtype: x.dtype() });
        }
        if power == 0 {
            let one = Tensor::zeros(x.shape(), x.dtype())?;
            one.diagonal(0, -2, -1)?.fill(1)?;
            return Ok(one);
        }
        let mut square = if power < 0 { inv(x)? } else { x.clone() };
        let mut rest = power.unsigned_abs();
        let mut result: Option<Tensor> = None;
        loop {
            if rest % 2 == 1 {
                result = Some(match result {
                    Some(result) => result.matmul(&square)?,
                    None => square.clone(),
                });
            }
            rest /= 2;
            match result {
                Some(result) if rest == 0 => return Ok(result),
                _ => square = square.matmul(&square)?,
            }
        }
    })
}
