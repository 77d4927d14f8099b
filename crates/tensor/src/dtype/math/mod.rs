//! Functions of real numbers that the compiler vectorizes.
//!
//! **The problem.** The standard library's functions are calls, and a loop of calls uses one lane of a vector unit. These
//! are branch-free: no call, no table, no branch. Cases are selected at the end, from results that are all
//! computed. Inlined into a loop, each becomes vector code for the instruction set that the loop is compiled for.
//!
//! **The same bits everywhere.** A result must not depend on the position of the element, so the remainder of a
//! block, and an older processor, must round as vectors do. FMA halves the operations of a polynomial, but not every processor has
//! it; so it is a type parameter ([`MulAdd`]): an instruction where there is one and [`EmulatedFma`] elsewhere, which takes 40 instructions and
//! has the same bits.
//!
//! **`f32` results** are computed in single precision, at an error below one ULP (activations: two): a leading sum, quotient or root has two parts where it
//! would lose more. Sine and cosine have double-precision intermediates: that has half the vector lanes, and takes fewer
//! instructions than a remainder in two parts. Results that are rounded to half precision have shorter functions (`half.rs`).
//!
//! **`f64` results** have 53 bits, and nothing wider to compute in: leading terms, roots and quotients are sums of two numbers
//! (`double/extended.rs`), so that nearly the only rounding error is that of the last addition.
//!
//! **Vector code by inspection.** Two patterns cost most. Comparisons with zero and infinity that select one result are merged into a classification of the
//! argument, with an instruction for every class: compare bits instead. Several selections by one condition become a branch, whose sides
//! are both evaluated, with their divisions and polynomials: use minima, maxima, signs and masks.
//!
//! Polynomials are minimax approximations, found by the Remez algorithm for the interval and the weight in
//! the comment next to them. `tests/all/ulp.rs` measures the errors: over every `f32` with `--full`.

/// Evaluates a polynomial by the Horner scheme, with an FMA function; the constant coefficient is the first.
///
/// A macro, because a loop over coefficients is not unrolled where FMA is emulated, and loops around it are not vectorized then.
macro_rules! horner {
    ($mul_add:path, $x:ident; $last:expr $(,)?) => { $last };
    ($mul_add:path, $x:ident; $first:expr, $($rest:expr),+ $(,)?) => {
        $mul_add(horner!($mul_add, $x; $($rest),+), $x, $first)
    };
}

/// Evaluates a polynomial as [`horner`] does, the even and the odd terms apart, which halves the chain of dependent operations. Not for
/// polynomials whose two halves cancel.
macro_rules! polynomial {
    (@apart $mul_add:path, $x:ident, $square:ident; [$($even:expr),+] [$($odd:expr),+]) => {
        $mul_add(horner!($mul_add, $square; $($odd),+), $x, horner!($mul_add, $square; $($even),+))
    };
    (@apart $mul_add:path, $x:ident, $square:ident; [$($even:expr),*] [$($odd:expr),*] $last:expr) => {
        polynomial!(@apart $mul_add, $x, $square; [$($even,)* $last] [$($odd),*])
    };
    (@apart $mul_add:path, $x:ident, $square:ident; [$($even:expr),*] [$($odd:expr),*]
     $first:expr, $second:expr $(, $rest:expr)*) => {
        polynomial!(@apart $mul_add, $x, $square; [$($even,)* $first] [$($odd,)* $second] $($rest),*)
    };
    ($mul_add:path, $x:ident; $($coefficient:expr),+ $(,)?) => {{
        let square = $x * $x;
        polynomial!(@apart $mul_add, $x, square; [] [] $($coefficient),+)
    }};
}

mod cube_root;
pub(crate) mod double;
mod error;
mod exponential;
mod half;
mod hyperbolic;
mod intermediate;
mod inverse_trigonometric;
mod logarithm;
mod power;
#[cfg(test)]
mod recorded_bits;
pub(crate) mod single;
#[cfg(test)]
mod tests;
mod trigonometric;

use std::marker::PhantomData;

/// A fused multiply-add, and what else functions depend on at compile time.
pub trait MulAdd: Copy + 'static {
    /// Whether it is an instruction of the processor.
    const IS_INSTRUCTION: bool;

    /// How many `float16` numbers an instruction of the processor converts; zero if there is none, or none is known.
    const HALF_LANES: usize = 0;

    /// Whether `f32` results are rounded to half precision by the caller, so that functions need fewer bits.
    const IS_HALF: bool = false;

    /// Returns `a · b + c`, rounded once.
    fn mul_add(a: f32, b: f32, c: f32) -> f32;

    /// Returns `a · b + c` in double precision, rounded once. `a · b` must be finite, and the result is a NaN if an
    /// argument is.
    fn mul_add_f64(a: f64, b: f64, c: f64) -> f64;

    /// Returns `a · b - product`, where `product` is `a · b` rounded: the rounding error, which is exact.
    fn product_error(a: f64, b: f64, product: f64) -> f64;
}

/// FMA by an instruction, where another one converts this many `float16` numbers. Compiled for a target without it, it is a call of
/// the C library's `fmaf`.
#[derive(Clone, Copy)]
pub(crate) struct VectorFma<const HALF_LANES: usize>;

/// FMA by an instruction.
#[cfg(any(test, target_arch = "aarch64", target_feature = "fma"))]
pub(crate) type HardwareFma = VectorFma<0>;

impl<const HALF_LANES: usize> MulAdd for VectorFma<HALF_LANES> {
    const IS_INSTRUCTION: bool = true;
    const HALF_LANES: usize = HALF_LANES;

    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn mul_add_f64(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn product_error(a: f64, b: f64, product: f64) -> f64 {
        a.mul_add(b, -product)
    }
}

/// A fused multiply-add for results that are rounded to half precision.
#[derive(Clone, Copy)]
pub(crate) struct ForHalf<M>(PhantomData<M>);

impl<M: MulAdd> MulAdd for ForHalf<M> {
    const IS_INSTRUCTION: bool = M::IS_INSTRUCTION;
    const HALF_LANES: usize = M::HALF_LANES;
    const IS_HALF: bool = true;

    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        M::mul_add(a, b, c)
    }

    #[inline(always)]
    fn mul_add_f64(a: f64, b: f64, c: f64) -> f64 {
        M::mul_add_f64(a, b, c)
    }

    #[inline(always)]
    fn product_error(a: f64, b: f64, product: f64) -> f64 {
        M::product_error(a, b, product)
    }
}

/// FMA by double-precision arithmetic, without branches.
#[derive(Clone, Copy)]
#[cfg_attr(
    any(target_arch = "aarch64", target_feature = "fma"),
    allow(dead_code, reason = "compared with the instruction by the tests")
)]
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

    /// The exact result is the sum of three numbers: the rounded sum of the rounded product and `c`, the rounding error of that sum, and that
    /// of the product. The sum of the errors is rounded to odd, as above, and added to the first.
    #[inline(always)]
    fn mul_add_f64(a: f64, b: f64, c: f64) -> f64 {
        let product = a * b;
        let product_error = Self::product_error(a, b, product);
        let (sum, sum_error) = two_sum(product, c);
        let (errors, lost) = two_sum(sum_error, product_error);
        // Masks and integer arithmetic only: SSE2 has no other selection.
        let bits = errors.to_bits();
        let is_inexact = if lost == 0.0 { 0 } else { u64::MAX };
        let is_even = (bits & 1).wrapping_sub(1);
        let is_towards_zero = (lost.to_bits() ^ bits) >> 63;
        let step = 1u64.wrapping_sub(is_towards_zero << 1) & is_inexact & is_even;
        let odd = f64::from_bits(bits.wrapping_add(step));
        // The sign of a sum that is zero is kept.
        if odd == 0.0 { sum } else { sum + odd }
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

/// Returns the rounded sum of two numbers, and its rounding error, which is exact (Knuth).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let second = sum - a;
    (sum, (a - (sum - second)) + (b - second))
}

// The FMA of the instruction set that the crate is compiled for.
#[cfg(not(any(target_arch = "aarch64", target_feature = "fma")))]
pub(crate) use self::EmulatedFma as BaselineFma;
#[cfg(any(target_arch = "aarch64", target_feature = "fma"))]
pub(crate) use self::HardwareFma as BaselineFma;

/// Subtracted from it, the bits of a number are nearly those of its reciprocal, with a relative error of 1/8.
const RECIPROCAL_BITS: u32 = 0x7ef3_11c7;

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
