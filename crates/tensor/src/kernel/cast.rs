//! Casts: the bodies that convert elements of one type to another.

use super::body::Body;
use super::function::UnaryFunction;
use crate::dtype::{AnyTask, MulAdd, PairTask};
use crate::{DType, Element};

/// Returns the body that casts elements. From complex to real the imaginary part is dropped: operations refuse
/// such a cast before, except where the real part is asked for.
pub(crate) fn cast(from: DType, to: DType) -> Body<'static, 2> {
    struct CastTask;

    impl PairTask for CastTask {
        type Output = Body<'static, 2>;

        fn run<A: Element, B: Element>(self) -> Body<'static, 2> {
            if const { !is_own_loop(A::DTYPE, B::DTYPE) || is_saturating(A::DTYPE, B::DTYPE) } {
                unreachable!("another pair of dtypes has the loop of this one");
            } else if const { A::DTYPE.is_complex() || B::DTYPE.is_complex() } {
                // Bound by memory also without wide vectors.
                Body::unary_calls(|x: A| x.cast::<B>())
            } else if const { is_wide_integer(A::DTYPE, B::DTYPE) } {
                Body::unary_fused_to::<A, B, Cast>()
            } else {
                Body::unary(|x: A| x.cast::<B>())
            }
        }
    }

    /// A cast as a function, which is compiled for AVX-512 as well.
    struct Cast;

    impl<A: Element, B: Element> UnaryFunction<A, B> for Cast {
        #[inline(always)]
        fn call<M: MulAdd>(x: A) -> B {
            x.cast()
        }
    }

    struct IdentityTask;

    impl AnyTask for IdentityTask {
        type Output = Body<'static, 2>;

        /// Copies the bits: signalling NaNs are kept, and so is every nonzero byte of a `bool`.
        fn run<T: Element>(self) -> Body<'static, 2> {
            if const { !is_own_loop(T::DTYPE, T::DTYPE) } {
                unreachable!("another dtype has the loop of this one");
            } else {
                Body::unary(|x: T| x)
            }
        }
    }

    if let Some(body) = saturating_cast(from, to) {
        return body;
    }
    let (read, written) = loop_types(from, to);
    let body = match read == written {
        true => read.with_any(IdentityTask),
        false => read.with_pair(written, CastTask),
    };
    body.with_bits_of([to, from])
}

/// Returns the dtypes for which the loop of a cast is compiled: casts that do the same with the bits of their elements
/// share it. Whether an integer is signed matters only if it is widened or becomes a floating-point number.
const fn loop_types(from: DType, to: DType) -> (DType, DType) {
    let is_integer = from.is_integer() && (to.is_integer() || to.is_bool());
    if from as u8 == to as u8 {
        return (from.bits(), to.bits());
    }
    let read = if is_integer && to.size() <= from.size() { from.bits() } else { from };
    let written = if to.is_integer() && (is_integer || from.is_bool()) { to.bits() } else { to };
    (read, written)
}

/// Whether a cast has a loop of its own.
const fn is_own_loop(from: DType, to: DType) -> bool {
    let (read, written) = loop_types(from, to);
    read as u8 == from as u8 && written as u8 == to as u8
}

/// Whether [`saturating_cast`] has a body.
const fn is_saturating(from: DType, to: DType) -> bool {
    to.is_integer()
        && !matches!(to, DType::UInt32)
        && matches!(from, DType::Float32 | DType::Float64)
}

/// Whether a cast is from 64-bit integers to floats, for which only AVX-512 has vector instructions.
const fn is_wide_integer(from: DType, to: DType) -> bool {
    from.is_integer() && from.size() == 8 && to.is_floating()
}

/// Returns the body that casts floats to integers, but `uint32`: as `as` does, saturating and with 0 for NaN, but in
/// vectors. The compiler makes a loop of `as` one of single elements: 5 times as slow.
fn saturating_cast(from: DType, to: DType) -> Option<Body<'static, 2>> {
    macro_rules! casts {
        ($($dtype:ident $type:ty)*) => {
            match (from, to) {
                (DType::Float32, DType::Int32) => Some(Body::unary(f32_to_i32)),
                (DType::Float64, DType::Int32) => {
                    Some(Body::unary(|x: f64| f64_to_i32(x, i32::MIN as f64, i32::MAX as f64)))
                }
                (DType::Float32, DType::Int64) => {
                    Some(Body::unary_fused_to::<f32, i64, SaturatingCast>())
                }
                (DType::Float32, DType::UInt64) => {
                    Some(Body::unary_fused_to::<f32, u64, SaturatingCast>())
                }
                (DType::Float64, DType::Int64) => {
                    Some(Body::unary_fused_to::<f64, i64, SaturatingCast>())
                }
                (DType::Float64, DType::UInt64) => {
                    Some(Body::unary_fused_to::<f64, u64, SaturatingCast>())
                }
                $((DType::Float32, DType::$dtype) => Some(Body::unary(|x: f32| {
                    f32_to_small_i32(x, <$type>::MIN as f32, <$type>::MAX as f32) as $type
                })),
                (DType::Float64, DType::$dtype) => Some(Body::unary(|x: f64| {
                    f64_to_i32(x, <$type>::MIN as f64, <$type>::MAX as f64) as $type
                })),)*
                _ => None,
            }
        };
    }
    casts! { Int8 i8 Int16 i16 UInt8 u8 UInt16 u16 }
}

/// Casts of floats to 64-bit integers.
struct SaturatingCast;

macro_rules! saturating_casts {
    ($($float:ident $integer:ident)*) => {$(
        impl UnaryFunction<$float, $integer> for SaturatingCast {
            #[inline(always)]
            fn call<M: MulAdd>(x: $float) -> $integer {
                const LOWEST: $float = $integer::MIN as $float;
                /// The first number that the integers do not have: the conversion rounds up.
                const LIMIT: $float = $integer::MAX as $float;
                let is_above = x >= LIMIT;
                let above_low = if x < LOWEST { LOWEST } else { x };
                let in_range = if is_above || x.is_nan() { 0.0 } else { above_low };
                // SAFETY: it is no NaN, and from `LOWEST` to the number before `LIMIT`.
                let value = unsafe { in_range.to_int_unchecked::<$integer>() };
                if is_above { $integer::MAX } else { value }
            }
        }
    )*};
}

saturating_casts! { f32 i64 f32 u64 f64 i64 f64 u64 }

#[inline(always)]
fn f32_to_i32(x: f32) -> i32 {
    const LIMIT: f32 = 2_147_483_648.0;
    let is_above = x >= LIMIT;
    let above_low = if x < -LIMIT { -LIMIT } else { x };
    let in_range = if is_above || x.is_nan() { 0.0 } else { above_low };
    // SAFETY: it is no NaN, and from -2³¹ to the number before 2³¹.
    let value = unsafe { in_range.to_int_unchecked::<i32>() };
    if is_above { i32::MAX } else { value }
}

/// Casts to an integer from `low` to `high`, which have at most 16 bits.
#[inline(always)]
fn f32_to_small_i32(x: f32, low: f32, high: f32) -> i32 {
    let above_low = if x < low { low } else { x };
    let below_high = if above_low > high { high } else { above_low };
    let in_range = if x.is_nan() { 0.0 } else { below_high };
    // SAFETY: it is no NaN, and from `low` to `high`, which `i32` has.
    unsafe { in_range.to_int_unchecked() }
}

/// Casts to an integer from `low` to `high`, which `i32` has.
#[inline(always)]
fn f64_to_i32(x: f64, low: f64, high: f64) -> i32 {
    let above_low = if x < low { low } else { x };
    let below_high = if above_low > high { high } else { above_low };
    let in_range = if x.is_nan() { 0.0 } else { below_high };
    // SAFETY: it is no NaN, and from `low` to `high`, which `i32` has.
    unsafe { in_range.to_int_unchecked() }
}
