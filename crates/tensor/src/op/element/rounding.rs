//! Rounding to integers: `floor`, `ceil`, `trunc` and `round`.

use crate::kernel::body::Body;
use crate::kernel::cast::cast;
use crate::trace::{Call, composite};
use crate::{DType, Error, Tensor, assign_into};

unary! {
    /// Rounds towards negative infinity; integers stay unchanged.
    example(tensor![1.5, -1.5] => f64 [1.0, -2.0])
    FLOOR: floor, floor_into =
        Real by |dtype| integers_unchanged(dtype, body!(Float vectors |x| x.floor()))
}

unary! {
    /// Rounds towards positive infinity; integers stay unchanged.
    example(tensor![1.5, -1.5] => f64 [2.0, -1.0])
    CEIL: ceil, ceil_into =
        Real by |dtype| integers_unchanged(dtype, body!(Float vectors |x| x.ceil()))
}

unary! {
    /// Rounds towards zero; integers stay unchanged.
    example(tensor![1.5, -1.5] => f64 [1.0, -1.0])
    TRUNC: trunc, trunc_into =
        Real by |dtype| integers_unchanged(dtype, body!(Float vectors |x| x.trunc()))
}

unary! {
    /// Rounds to the nearest integer, halfway cases to even; of complex numbers both parts. Integers stay unchanged.
    example(tensor![0.5, 1.5, -2.7] => f64 [0.0, 2.0, -3.0])
    ROUND: round, round_into =
        Number by |dtype| integers_unchanged(dtype, body!(Field vectors |x| x.round()))
}

/// Returns a body that copies integers, and `otherwise` for the other dtypes.
fn integers_unchanged(
    dtype: DType,
    otherwise: fn(DType) -> Option<Body<'static, 2>>,
) -> Option<Body<'static, 2>> {
    if dtype.is_integer() { Some(cast(dtype, dtype)) } else { otherwise(dtype) }
}

impl Tensor {
    /// Rounds to a number of decimals, halfway cases to even; negative ones round in front of the point.
    ///
    /// As in NumPy, the elements are multiplied by a power of ten, rounded and divided by it.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1.25, 2.678].round_decimals(2)?.to_vec::<f64>()?, [1.25, 2.68]);
    /// assert_eq!(tensor![1250, 1350].round_decimals(-2)?.to_vec::<i32>()?, [1200, 1400]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype is bool, a guard holds elements for writing, or there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn round_decimals(&self, decimals: i32) -> Result<Tensor, Error> {
        let params = [("decimals", (decimals as isize).into())];
        composite(Call::new("round").with(&params), &[self.into()], || {
            let dtype = self.dtype();
            if decimals == 0 || (decimals > 0 && dtype.is_integer()) || dtype.is_bool() {
                return self.round();
            }
            if dtype.is_complex() {
                let rounded = Tensor::zeros(&*self.shape(), dtype)?;
                assign_into(&self.real()?.round_decimals(decimals)?, &rounded.real()?)?;
                assign_into(&self.imag()?.round_decimals(decimals)?, &rounded.imag()?)?;
                return Ok(rounded);
            }
            let scale = 10_f64.powi(decimals.saturating_abs());
            if decimals > 0 {
                let rounded = self.mul(scale)?;
                round_into(&rounded, &rounded)?;
                rounded.div_assign(scale)?;
                return Ok(rounded);
            }
            let rounded = self.div(scale)?;
            round_into(&rounded, &rounded)?;
            rounded.mul_assign(scale)?;
            if dtype.is_integer() { rounded.astype(dtype) } else { Ok(rounded) }
        })
    }
}
