//! `diff` and `trapezoid`.
//!
//! A difference is a subtraction of two overlapping views of the same tensor.

use crate::op::join::check_other_axes;
use crate::op::operand::Operand;
use crate::trace::{Call, composite};
use crate::{DType, Error, Tensor, assign_into, not_equal_into, result_type_of, sub_into};

impl Tensor {
    /// Returns the discrete difference along `axis`: `x[i + 1] - x[i]`.
    ///
    /// The axis becomes shorter by one element. For `bool` the difference is `x[i + 1] != x[i]`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 4, 9, 16].diff(0)?.to_vec::<i32>()?, [3, 5, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn diff(&self, axis: isize) -> Result<Tensor, Error> {
        self.diff_with(axis, 1, None, None)
    }

    /// Returns the `n`-th discrete difference along `axis`, [`Tensor::diff`] applied `n` times, with the elements of
    /// other tensors prepended and appended first.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (x, zero) = (tensor![1, 4, 9], tensor![0]);
    /// assert_eq!(x.diff_with(0, 2, None, None)?.to_vec::<i32>()?, [2]);
    /// assert_eq!(x.diff_with(0, 1, Some(&zero), None)?.to_vec::<i32>()?, [1, 3, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range, or the shapes differ in another axis.
    ///
    /// # Memory
    /// As for [`Tensor::diff`]: the tensors are not concatenated first. The result is this tensor itself if `n` is 0.
    #[track_caller]
    pub fn diff_with(
        &self,
        axis: isize,
        n: usize,
        prepend: Option<&Tensor>,
        append: Option<&Tensor>,
    ) -> Result<Tensor, Error> {
        let params = [("axis", axis.into()), ("n", n.into())];
        let call = Call::new("diff").with(&params);
        let parts: Vec<&Tensor> = prepend.into_iter().chain([self]).chain(append).collect();
        let inputs: Vec<Operand<'_>> = parts.iter().map(|it| Operand::from(*it)).collect();
        composite(call, &inputs, || {
            let k = self.layout().resolve_axis(axis)?;
            for part in &parts {
                check_other_axes(call.op, self, part, k)?;
            }
            if n == 0 {
                return Ok(self.clone());
            }
            let mut result = first_difference(&parts, k)?;
            for _ in 1..n {
                if result.shape()[k] == 0 {
                    break;
                }
                result = first_difference(&[&result], k)?;
            }
            Ok(result)
        })
    }
}

impl Tensor {
    /// Returns the integral along `axis` by the trapezoidal rule, for samples `dx` apart.
    ///
    /// This is `dx` times the sum of the elements, with the first and the last weighted by one half. Integers
    /// are cast to `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].trapezoid(0, 0.5)?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `axis` is out of range.
    ///
    /// # Memory
    /// Copies nothing; the result is a new tensor.
    #[track_caller]
    pub fn trapezoid(&self, axis: isize, dx: f64) -> Result<Tensor, Error> {
        let params = [("axis", axis.into()), ("dx", dx.into())];
        composite(Call::new("trapezoid").with(&params), &[self.into()], || {
            let is_exact = !self.dtype().is_floating() && !self.dtype().is_complex();
            let dtype = if is_exact { DType::Float64 } else { self.dtype() };
            let mut area = self.sum_as(axis, dtype)?;
            if self.shape()[self.layout().resolve_axis(axis)?] > 0 {
                for end in [0, -1] {
                    area = area.sub(&self.select(axis, end)?.mul(0.5)?)?;
                }
            }
            area.mul(dx)
        })
    }
}

/// Returns the first difference along axis `k` of the concatenation of `parts`, without concatenating them.
fn first_difference(parts: &[&Tensor], k: usize) -> Result<Tensor, Error> {
    let axis = k as isize;
    if let [only] = parts
        && let Some(rest) = only.shape()[k].checked_sub(1)
    {
        let (later, earlier) = (only.narrow(axis, 1, rest)?, only.narrow(axis, 0, rest)?);
        return if only.dtype().is_bool() {
            later.not_equal(&earlier)
        } else {
            later.sub(&earlier)
        };
    }
    let dtype = result_type_of(parts.iter().map(|it| it.dtype())).unwrap_or(DType::Float64);
    let mut shape = parts[0].shape().to_vec();
    let len = parts.iter().fold(0usize, |len, it| len.saturating_add(it.shape()[k]));
    shape[k] = len.saturating_sub(1);
    let result = Tensor::zeros(&shape[..], dtype)?;
    let mut start = 0;
    let mut subtract = |later: &Tensor, earlier: &Tensor| -> Result<(), Error> {
        let out = result.narrow(axis, start, later.shape()[k])?;
        start += later.shape()[k];
        match later.dtype() == dtype {
            _ if dtype.is_bool() => not_equal_into(later, earlier, &out),
            true => sub_into(later, earlier, &out),
            // Subtracting in a narrower dtype could overflow: cast one operand first.
            false => assign_into(later, &out).and_then(|()| sub_into(&out, earlier, &out)),
        }
    };
    let mut last: Option<Tensor> = None;
    for part in parts {
        let Some(rest) = part.shape()[k].checked_sub(1) else { continue };
        if let Some(last) = &last {
            subtract(&part.narrow(axis, 0, 1)?, last)?;
        }
        subtract(&part.narrow(axis, 1, rest)?, &part.narrow(axis, 0, rest)?)?;
        last = Some(part.narrow(axis, rest, 1)?);
    }
    Ok(result)
}
