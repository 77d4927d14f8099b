//! Differences of neighbours, which are subtractions of a tensor and itself, one element further; and
//! the area below them.

use crate::{DType, Error, Tensor, assign_into, not_equal_into, result_type_of, sub_into};

impl Tensor {
    /// The differences of neighbours along an axis, `n` times over. Each time the axis has one element
    /// less, until it has none. Of `bool` it is whether neighbours differ.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 4, 9, 16];
    /// assert_eq!(x.diff(0, 1)?.to_vec::<i32>()?, [3, 5, 7]);
    /// assert_eq!(x.diff(0, 2)?.to_vec::<i32>()?, [2, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// The result is new, but for `n` of 0, when it is the tensor itself.
    pub fn diff(&self, axis: isize, n: usize) -> Result<Tensor, Error> {
        self.diff_with(axis, n, None, None)
    }

    /// [`Tensor::diff`] with other elements before and behind the tensor's, along the axis.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (x, zero) = (tensor![1, 4, 9], tensor![0]);
    /// assert_eq!(x.diff_with(0, 1, Some(&zero), None)?.to_vec::<i32>()?, [1, 3, 5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis, or the shapes differ in another one.
    ///
    /// # Memory
    /// As there; nothing is put together before it is subtracted.
    pub fn diff_with(
        &self,
        axis: isize,
        n: usize,
        prepend: Option<&Tensor>,
        append: Option<&Tensor>,
    ) -> Result<Tensor, Error> {
        let k = self.layout().resolve_axis(axis)?;
        let parts: Vec<&Tensor> = prepend.into_iter().chain([self]).chain(append).collect();
        for part in &parts {
            check_shape(part, self, k)?;
        }
        if n == 0 {
            return Ok(self.clone());
        }
        let mut result = differences(&parts, k)?;
        for _ in 1..n {
            if result.shape()[k] == 0 {
                break;
            }
            result = differences(&[&result], k)?;
        }
        Ok(result)
    }
}

impl Tensor {
    /// The area below the elements along an axis, taken as the corners of a line with steps of `dx`:
    /// their sum, with half of the first and of the last. Integers become `float64`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2, 3].trapezoid(0, 0.5)?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    ///
    /// # Memory
    /// Copies nothing; the result is new.
    pub fn trapezoid(&self, axis: isize, dx: f64) -> Result<Tensor, Error> {
        let is_exact = !self.dtype().is_floating() && !self.dtype().is_complex();
        let dtype = if is_exact { DType::Float64 } else { self.dtype() };
        let mut area = self.sum_as(axis, dtype)?;
        if self.shape()[self.layout().resolve_axis(axis)?] > 0 {
            for end in [0, -1] {
                area = area.sub(&self.select(axis, end)?.mul(0.5)?)?;
            }
        }
        area.mul(dx)
    }
}

/// Refuses a part that differs in another axis than one.
fn check_shape(part: &Tensor, whole: &Tensor, axis: usize) -> Result<(), Error> {
    let mut needed = whole.shape().to_vec();
    if part.rank() == needed.len() {
        needed[axis] = part.shape()[axis];
    }
    if part.shape()[..] != needed[..] {
        let (needed, given) = (needed.into(), part.shape().into());
        return Err(Error::ShapeMismatch { op: "diff", needed, given });
    }
    Ok(())
}

/// The differences of neighbours, as if the parts were one tensor.
fn differences(parts: &[&Tensor], k: usize) -> Result<Tensor, Error> {
    let axis = k as isize;
    let dtype = result_type_of(parts.iter().map(|it| it.dtype())).unwrap_or(DType::Float64);
    let mut shape = parts[0].shape().to_vec();
    let len = parts.iter().fold(0usize, |len, it| len.saturating_add(it.shape()[k]));
    shape[k] = len.saturating_sub(1);
    let result = Tensor::zeros(&shape[..], dtype)?;
    let mut at = 0;
    let mut subtract = |later: &Tensor, earlier: &Tensor| -> Result<(), Error> {
        let out = result.narrow(axis, at, later.shape()[k])?;
        at += later.shape()[k];
        match later.dtype() == dtype {
            _ if dtype.is_bool() => not_equal_into(later, earlier, &out),
            true => sub_into(later, earlier, &out),
            // The difference of two of a lesser type could wrap around.
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
