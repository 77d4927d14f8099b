//! Loops that divide integers: by other elements, or all by one divisor, which takes no division for an element.
//!
//! Integers are divided as floats, in vectors. The quotient of two integers below 2⁵³ rounds to an integer only if it is
//! one: the next integer is at least `1 / |y|` away, which is more than half a unit in the last place. So its floor is the
//! exact one (and below 2²⁴ that in `f32`), and the remainder `x - floor(x / y) · y` is exact as well.

use super::body::{BlockCall, Body};
use super::cpu::{BlockLoop, compiled};
use crate::arrays::array_of;
use crate::dtype::{MulAdd, Real, Reciprocal};
use crate::{DType, Element};
use std::marker::PhantomData;
use std::ops::{Add, Sub};

/// The elements from which on a reciprocal of the divisor is computed, which takes as long as 10 divisions.
const MIN_RECIPROCAL_LEN: usize = 16;

/// Returns the body of `floor_divide`, or of `remainder` if `IS_REMAINDER`, for the integer dtypes whose values are in the
/// range of `int64`.
pub(crate) fn division<const IS_REMAINDER: bool>(dtype: DType) -> Option<Body<'static, 3>> {
    fn body<T: Integral, const IS_REMAINDER: bool>() -> Option<Body<'static, 3>> {
        Some(Body::direct([T::DTYPE; 3], &(), compiled::<DivisionLoop<T, IS_REMAINDER>>()))
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

/// The elements that are divided together.
const GROUP: usize = 16;

/// An integer that `i64` has.
trait Integral: Element<Wide: Real> + Into<i64> {
    /// Divides elements as floats. Returns `None` if a quotient might be inexact.
    fn divide_group<const IS_REMAINDER: bool>(
        x: [Self; GROUP],
        y: [Self; GROUP],
    ) -> Option<[Self; GROUP]>;
}

/// Adding it rounds a number below 2⁵¹ to an integer, which is then in the lower bits.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;

/// The same for numbers below 2²².
const ROUND_F32: f32 = 12_582_912.0;

/// Implements [`Integral`] for integers that are divided in a float type, given the type that has both.
macro_rules! integral {
    ($($type:ty as $via:ty as $float:ty, $round:ident;)*) => {$(
        impl Integral for $type {
            #[inline(always)]
            fn divide_group<const IS_REMAINDER: bool>(
                x: [$type; GROUP],
                y: [$type; GROUP],
            ) -> Option<[$type; GROUP]> {
                let results: [$float; GROUP] = array_of(|k| {
                    let (x, y) = (x[k] as $via as $float, y[k] as $via as $float);
                    let quotient = floor(x / y, $round);
                    if IS_REMAINDER { x - quotient * y } else { quotient }
                });
                // Lower bits wrap around, as the quotient of the least integer and -1 does.
                Some(array_of(|k| match y[k] {
                    0 => 0,
                    _ => (results[k] + $round).to_bits() as $type,
                }))
            }
        }
    )*};
}

integral! {
    i8 as i32 as f32, ROUND_F32;
    u8 as i32 as f32, ROUND_F32;
    i16 as i32 as f32, ROUND_F32;
    u16 as i32 as f32, ROUND_F32;
    i32 as i32 as f64, ROUND_F64;
    u32 as i64 as f64, ROUND_F64;
}

impl Integral for i64 {
    /// In `f64` if all elements are between -2⁵⁰ and 2⁵⁰.
    #[inline(always)]
    fn divide_group<const IS_REMAINDER: bool>(
        x: [i64; GROUP],
        y: [i64; GROUP],
    ) -> Option<[i64; GROUP]> {
        const LIMIT: i64 = 1 << 50;
        let above: [i64; GROUP] = array_of(|k| x[k].wrapping_add(LIMIT) | y[k].wrapping_add(LIMIT));
        if above.into_iter().fold(0, |bits, it| bits | it) as u64 >> 51 != 0 {
            return None;
        }
        // What `as` does, in two instructions of AVX2 each.
        let bits = ROUND_F64.to_bits() as i64;
        let to_float = |x: i64| f64::from_bits((x + bits) as u64) - ROUND_F64;
        let results: [f64; GROUP] = array_of(|k| {
            let (x, y) = (to_float(x[k]), to_float(y[k]));
            let quotient = floor(x / y, ROUND_F64);
            if IS_REMAINDER { x - quotient * y } else { quotient }
        });
        let to_integer = |x: f64| ((x + ROUND_F64).to_bits() as i64).wrapping_sub(bits);
        Some(array_of(|k| if y[k] == 0 { 0 } else { to_integer(results[k]) }))
    }
}

/// Rounds down a number that adding `round` rounds to an integer.
#[inline(always)]
fn floor<F>(x: F, round: F) -> F
where
    F: Copy + PartialOrd + From<u8> + Add<Output = F> + Sub<Output = F>,
{
    let rounded = x + round - round;
    if rounded > x { rounded - F::from(1) } else { rounded }
}

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
        // An array is as aligned as its elements.
        unsafe {
            if is_y_broadcast && !is_x_broadcast && call.len >= MIN_RECIPROCAL_LEN {
                let divisor = y.read();
                return match Reciprocal::new(divisor.into()) {
                    Some(by) if divisor.into() < 0 => Self::divide_by::<true>(call, by),
                    Some(by) => Self::divide_by::<false>(call, by),
                    None => Self::map(call, |x| Self::divide(x, divisor)),
                };
            }
            let mut i = 0;
            while !is_y_broadcast && call.len - i >= GROUP {
                let xs = match is_x_broadcast {
                    true => [x.read(); GROUP],
                    false => x.add(i).cast::<[T; GROUP]>().read(),
                };
                let ys = y.add(i).cast::<[T; GROUP]>().read();
                let group = match T::divide_group::<IS_REMAINDER>(xs, ys) {
                    Some(group) => group,
                    None => array_of(|k| Self::divide(xs[k], ys[k])),
                };
                out.add(i).cast::<[T; GROUP]>().write(group);
                i += GROUP;
            }
            for i in i..call.len {
                let x = x.add(if is_x_broadcast { 0 } else { i }).read();
                let y = y.add(if is_y_broadcast { 0 } else { i }).read();
                out.add(i).write(Self::divide(x, y));
            }
        }
    }
}
