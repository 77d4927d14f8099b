//! Loops that divide integers: by other elements, or all by one divisor, which takes no division for an element.

use super::body::{BlockCall, Body};
use super::cpu::{self, BlockLoop};
use crate::dtype::{MulAdd, Real, Reciprocal};
use crate::{DType, Element};
use std::marker::PhantomData;

/// The elements from which on a reciprocal of the divisor is computed, which takes as long as 10 divisions.
const MIN_RECIPROCAL_LEN: usize = 16;

/// Returns the body of `floor_divide`, or of `remainder` if `IS_REMAINDER`, for the integer dtypes whose values are in the
/// range of `int64`.
pub(crate) fn division<const IS_REMAINDER: bool>(dtype: DType) -> Option<Body<'static, 3>> {
    fn body<T: Integral, const IS_REMAINDER: bool>() -> Option<Body<'static, 3>> {
        Some(Body::direct([T::DTYPE; 3], &(), cpu::baseline::<DivisionLoop<T, IS_REMAINDER>>))
    }
    match dtype {
        DType::Int8 => body::<i8, IS_REMAINDER>(),
        DType::Int16 => body::<i16, IS_REMAINDER>(),
        DType::Int32 => body::<i32, IS_REMAINDER>(),
        DType::Int64 => body::<i64, IS_REMAINDER>(),
        DType::UInt8 => body::<u8, IS_REMAINDER>(),
        DType::UInt16 => body::<u16, IS_REMAINDER>(),
        DType::UInt32 => body::<u32, IS_REMAINDER>(),
        _ => None,
    }
}

/// An integer that `i64` has.
trait Integral: Element<Wide: Real> + Into<i64> {}

impl<T: Element<Wide: Real> + Into<i64>> Integral for T {}

/// The loop of `floor_divide` or `remainder`. Either input may be broadcast, and be the output.
struct DivisionLoop<T, const IS_REMAINDER: bool>(PhantomData<T>);

impl<T: Integral, const IS_REMAINDER: bool> DivisionLoop<T, IS_REMAINDER> {
    /// Divides one element by another.
    #[inline(always)]
    fn divide(x: T, y: T) -> T {
        let (x, y) = (x.widen(), y.widen());
        T::narrow(if IS_REMAINDER { x.remainder(y) } else { x.floor_divide(y) })
    }

    /// Writes the result of a function of each dividend.
    ///
    /// # Safety
    /// That of [`Body::call`] for the output and the first input, which is not broadcast.
    #[inline(always)]
    unsafe fn map(call: BlockCall<3>, f: impl Fn(T) -> T) {
        let (out, x) = (call.blocks[0].cast::<T>(), call.blocks[1].cast::<T>());
        for i in 0..call.len {
            // SAFETY: both blocks have `len` elements, by this function's contract.
            unsafe { out.add(i).write(f(x.add(i).read())) };
        }
    }

    /// Divides all elements by one.
    ///
    /// # Safety
    /// That of [`DivisionLoop::map`].
    #[inline(always)]
    unsafe fn divide_by<const IS_NEGATIVE: bool>(call: BlockCall<3>, by: Reciprocal) {
        // SAFETY: forwarded: same contract as this function.
        unsafe {
            Self::map(call, |x| {
                let x = x.into();
                T::from_i64(match IS_REMAINDER {
                    true => by.remainder::<IS_NEGATIVE>(x),
                    false => by.floor_divide::<IS_NEGATIVE>(x),
                })
            });
        }
    }
}

impl<T: Integral, const IS_REMAINDER: bool> BlockLoop for DivisionLoop<T, IS_REMAINDER> {
    type Args<'a> = BlockCall<3>;

    #[inline(always)]
    unsafe fn run<M: MulAdd>(call: BlockCall<3>) {
        let [out, x, y] = call.blocks.map(<*mut u8>::cast::<T>);
        let [is_x_broadcast, is_y_broadcast] = [1, 2].map(|n| call.broadcast >> n & 1 == 1);
        // SAFETY: blocks have `len` elements, or one if they are broadcast, which is then read at position 0 (`Body::call`).
        unsafe {
            if is_y_broadcast && !is_x_broadcast && call.len >= MIN_RECIPROCAL_LEN {
                let divisor = y.read();
                return match Reciprocal::new(divisor.into()) {
                    Some(by) if divisor.into() < 0 => Self::divide_by::<true>(call, by),
                    Some(by) => Self::divide_by::<false>(call, by),
                    None => Self::map(call, |x| Self::divide(x, divisor)),
                };
            }
            for i in 0..call.len {
                let x = x.add(if is_x_broadcast { 0 } else { i }).read();
                let y = y.add(if is_y_broadcast { 0 } else { i }).read();
                out.add(i).write(Self::divide(x, y));
            }
        }
    }
}
