//! Functions of real numbers that the compiler vectorises.
//!
//! **The problem.** The standard library's functions are calls, and a loop of calls uses one lane of a
//! vector unit. These are straight lines of arithmetic: no call, no table, no branch. What differs
//! between arguments is chosen at the end, from results that all exist. Inlined into a loop, each
//! becomes vector code for whatever the loop is compiled for.
//!
//! **The same bits everywhere.** An element must not depend on where it lies, so what remains at the end
//! of a block, or runs on an older processor, must round as vectors do. Sums and products do so by
//! themselves. Fused multiplications shorten the chains that vector units wait for by a third, but not
//! every processor has them; so they are asked for by name ([`MulAdd`]), and are an instruction where
//! there is one and [`Emulation`] elsewhere, which is slow and has the same digits.
//!
//! **Two ways to an `f32`.** In single precision, with fused multiplications, where every operation
//! counts: `exp` and what is built on it, at an error of one to two units in the last place. By way of
//! double precision, without fused multiplications, where cancellation would need doubled numbers
//! anyway: logarithms, circular and hyperbolic functions, powers. That has half the lanes, is fast
//! on every processor, and the results are the nearest `f32` but for one in some hundred.
//!
//! Coefficients are minimax polynomials, found by Remez's exchange for the interval and the weight that
//! stands with them. `tests/ulp.rs` measures the errors: over every `f32` with `--full`.

mod circle;
pub(crate) mod double;
mod error;
mod exponential;
mod hyperbolic;
mod logarithm;
mod power;
pub(crate) mod single;
#[cfg(test)]
mod tests;
mod wide;

/// A way to multiply and add with one rounding.
pub trait MulAdd: Copy + 'static {
    /// Whether it is an instruction of the processor.
    const IS_INSTRUCTION: bool;

    /// `a · b + c`, rounded once.
    fn mul_add(a: f32, b: f32, c: f32) -> f32;
}

/// By an instruction. Where there is none it becomes a call of the platform's function.
#[derive(Clone, Copy)]
pub struct Instruction;

impl MulAdd for Instruction {
    const IS_INSTRUCTION: bool = true;

    #[inline(always)]
    fn mul_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

/// By double precision, in a straight line.
#[derive(Clone, Copy)]
pub struct Emulation;

impl MulAdd for Emulation {
    const IS_INSTRUCTION: bool = false;

    /// The product is exact in double precision; the sum is not. If it was rounded, and its last digit
    /// is even, it is moved by one towards what was lost: a number with an odd last digit lies between
    /// the same two `f32` as the exact sum, and is never mistaken for their middle.
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
}

/// What functions use where the instruction set is not chosen when the program runs.
#[cfg(any(target_arch = "aarch64", target_feature = "fma"))]
pub(crate) type Plain = Instruction;
/// What functions use where the instruction set is not chosen when the program runs.
#[cfg(not(any(target_arch = "aarch64", target_feature = "fma")))]
pub(crate) type Plain = Emulation;

/// The smaller of a bound and a number; a NaN stays one.
#[inline(always)]
fn at_most(x: f32, bound: f32) -> f32 {
    if bound < x { bound } else { x }
}

/// The greater of a bound and a number; a NaN stays one.
#[inline(always)]
fn at_least(x: f32, bound: f32) -> f32 {
    if bound > x { bound } else { x }
}
