//! Functions of real numbers that the compiler vectorizes.
//!
//! **The problem.** The standard library's functions are calls, and a loop of calls uses one lane of a vector unit. These
//! are branch-free: no call, no table, no branch. Cases are selected at the end, from results that are all
//! computed. Inlined into a loop, each becomes vector code for the instruction set that the loop is compiled for.
//!
//! **The same bits everywhere.** A result must not depend on the position of the element, so the remainder of a
//! block, and an older processor, must round as vectors do. Additions and multiplications do. FMA shortens the dependency
//! chains by a third, but not every processor has it; so it is a type parameter ([`MulAdd`]): an
//! instruction where there is one and [`EmulatedFma`] elsewhere, which is slow and has the same bits. For `f64` it is used only
//! for the rounding errors of products, which are exact either way.
//!
//! **Two methods for `f32` results.** In single precision with FMA, where every operation counts: `exp` and the
//! functions built on it, at an error of one to two ULP. With double-precision intermediates and without FMA, where
//! cancellation would need double-`f32` arithmetic anyway: logarithms, trigonometric and hyperbolic functions, powers.
//! That has half the vector lanes, is fast on every processor, and about one result in a few hundred is not the nearest
//! `f32`.
//!
//! Polynomials are minimax approximations, found by the Remez algorithm for the interval and the weight in
//! the comment next to them. `tests/all/ulp.rs` measures the errors: over every `f32` with `--full`.

pub(crate) mod double;
mod error;
mod exponential;
mod hyperbolic;
mod intermediate;
mod logarithm;
mod power;
pub(crate) mod single;
#[cfg(test)]
mod tests;
mod trigonometric;

/// A fused multiply-add.
pub trait MulAdd: Copy + 'static {
    /// Whether it is an instruction of the processor.
    const IS_INSTRUCTION: bool;

    /// Returns `a · b + c`, rounded once.
    fn mul_add(a: f32, b: f32, c: f32) -> f32;

    /// Returns `a · b - product`, where `product` is `a · b` rounded: the rounding error, which is exact.
    fn product_error(a: f64, b: f64, product: f64) -> f64;
}

/// FMA by an instruction. Compiled for a target without it, it is a call of the C library's `fmaf`.
#[derive(Clone, Copy)]
pub(crate) struct HardwareFma;

impl MulAdd for HardwareFma {
    const IS_INSTRUCTION: bool = true;

    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn product_error(a: f64, b: f64, product: f64) -> f64 {
        a.mul_add(b, -product)
    }
}

/// FMA by double-precision arithmetic, without branches.
#[derive(Clone, Copy)]
pub(crate) struct EmulatedFma;

impl MulAdd for EmulatedFma {
    const IS_INSTRUCTION: bool = false;

    /// The product is exact in double precision; the sum is rounded to odd: if it is inexact and its last bit is even, it
    /// is moved by one ULP towards the exact sum. A number with an odd last bit lies between the same two `f32` as
    /// the exact sum, and is never their midpoint, so that rounding it to `f32` is correct.
    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        let (product, c) = (a as f64 * b as f64, c as f64);
        let sum = product + c;
        let second = sum - product;
        let lost = (product - (sum - second)) + (c - second);
        let bits = sum.to_bits();
        let is_away = (lost > 0.0) == (sum > 0.0);
        let moved = if is_away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
        let is_kept = bits & 1 == 1 || lost == 0.0 || lost.is_nan();
        f64::from_bits(if is_kept { bits } else { moved }) as f32
    }

    /// The factors are split in halves of 26 bits, whose products are exact (Dekker). So the result has the same bits as
    /// that of an instruction.
    #[inline(always)]
    fn product_error(a: f64, b: f64, product: f64) -> f64 {
        let upper = |x: f64| f64::from_bits(x.to_bits().wrapping_add(1 << 26) & !((1 << 27) - 1));
        let (a_upper, b_upper) = (upper(a), upper(b));
        let (a_lower, b_lower) = (a - a_upper, b - b_upper);
        let rest = ((a_upper * b_upper - product) + a_upper * b_lower) + a_lower * b_upper;
        rest + a_lower * b_lower
    }
}

// The FMA of the instruction set that the crate is compiled for.
#[cfg(not(any(target_arch = "aarch64", target_feature = "fma")))]
pub(crate) use self::EmulatedFma as BaselineFma;
#[cfg(any(target_arch = "aarch64", target_feature = "fma"))]
pub(crate) use self::HardwareFma as BaselineFma;

/// Returns the smaller of a bound and a number; a NaN stays one.
#[inline(always)]
fn at_most(x: f32, bound: f32) -> f32 {
    if bound < x { bound } else { x }
}

/// Returns the greater of a bound and a number; a NaN stays one.
#[inline(always)]
fn at_least(x: f32, bound: f32) -> f32 {
    if bound > x { bound } else { x }
}
