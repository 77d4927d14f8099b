//! Integers in steps, which are counted and not calculated: no float holds all of them.

use super::{Tensor, reserve};
use crate::dtype::{Number, NumberTask, iinfo};
use crate::{DType, Element, Error};

impl Tensor {
    /// The integers from `start` on, `step` apart, up to `stop` and without it, as elements of a type.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::arange_int(1 << 60, (1 << 60) + 5, 2, DType::Int64)?;
    /// assert_eq!(x.sub(1_i64 << 60)?.to_vec::<i64>()?, [0, 2, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the step is zero, a number is not in the type, the type is `bool`, or there is not enough
    /// memory.
    ///
    /// # Memory
    /// Always makes a new tensor.
    pub fn arange_int(
        start: i128,
        stop: i128,
        step: i128,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let op = "arange";
        if step == 0 {
            return Err(Error::Argument { op, needs: "a step that is not 0", given: 0.0 });
        }
        let count = count(start, stop, step);
        let Some(last) = count.checked_sub(1) else {
            return match dtype.is_bool() {
                true => Err(Error::Unsupported { op, dtype }),
                false => Tensor::zeros([0_usize], dtype),
            };
        };
        // Between the two bounds, so that it is in range.
        let last = start.wrapping_add(step.wrapping_mul(last as i128));
        if let Ok(info) = iinfo(dtype) {
            let is_outside = |it: &i128| *it < info.min.into() || *it > info.max.into();
            if let Some(value) = [start, last].into_iter().find(is_outside) {
                return Err(Error::ScalarRange { value, dtype });
            }
        }
        let steps = Steps { start, last, step, count };
        dtype.with_number(steps).unwrap_or(Err(Error::Unsupported { op, dtype }))
    }
}

/// How many steps it takes; as many as there are numbers of that kind, if there are more.
fn count(start: i128, stop: i128, step: i128) -> usize {
    let is_forward = step > 0;
    if (is_forward && start >= stop) || (!is_forward && start <= stop) {
        return 0;
    }
    let count = start.abs_diff(stop).div_ceil(step.unsigned_abs());
    usize::try_from(count).unwrap_or(usize::MAX)
}

struct Steps {
    start: i128,
    last: i128,
    step: i128,
    count: usize,
}

impl NumberTask for Steps {
    type Output = Result<Tensor, Error>;

    fn run<T: Element<Wide: Number>>(self) -> Result<Tensor, Error> {
        let Steps { start, last, step, count } = self;
        let mut values = reserve::<T>(count)?;
        let is_signed = [start, last].into_iter().all(|it| i64::try_from(it).is_ok());
        let is_unsigned = [start, last].into_iter().all(|it| u64::try_from(it).is_ok());
        // Nothing between the first and the last number leaves a type that has both.
        if is_signed {
            let at = |i: usize| (start as i64).wrapping_add((step as i64).wrapping_mul(i as i64));
            values.extend((0..count).map(|i| T::from_i64(at(i))));
        } else if is_unsigned {
            let at = |i: usize| (start as u64).wrapping_add((step as u64).wrapping_mul(i as u64));
            values.extend((0..count).map(|i| T::from_u64(at(i))));
        } else {
            let at = |i: usize| start.wrapping_add(step.wrapping_mul(i as i128));
            values.extend((0..count).map(|i| T::from_f64(at(i) as f64)));
        }
        Tensor::from_vec(values, [count])
    }
}
