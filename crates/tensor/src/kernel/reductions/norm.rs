//! Vector norms `(Σ |x|ᵖ)^(1/p)`.
//!
//! The orders 0, 1 and ±∞ (the number of nonzero elements, the sum, the maximum and the minimum of `|x|`) are
//! one-pass reductions. For any other `p` the sum of powers would overflow long before the norm does: magnitudes are
//! divided by the maximum of their block first (by the minimum if `p` is negative). For `p = 2` they are scaled by a
//! power of two, and only in blocks whose squares would overflow or underflow; those of dtypes narrower than `float64`
//! never do, so that their norm is a one-pass reduction, too. The setting's number is `p`.

use super::sum::CompensatedSum;
use crate::dtype::{Comparable, Float, MulAdd, WideFloatTask};
use crate::kernel::reducer::Reducer;
use crate::kernel::reduction::{OnePassReduction, Setting, TwoPassReduction};
use crate::{Complex, DType, Element};
use std::marker::PhantomData;

/// Returns the reducer for the number of nonzero elements, as a float.
pub(crate) fn l0_norm(dtype: DType) -> Option<Reducer> {
    norm(dtype, NormKind::L0)
}

/// Returns the reducer for `Σ |x|`.
pub(crate) fn l1_norm(dtype: DType) -> Option<Reducer> {
    norm(dtype, NormKind::L1)
}

/// Returns the reducer for the maximum of `|x|`, which is 0 of no elements.
pub(crate) fn max_abs(dtype: DType) -> Option<Reducer> {
    norm(dtype, NormKind::MaxAbs)
}

/// Returns the reducer for the minimum of `|x|`.
pub(crate) fn min_abs(dtype: DType) -> Option<Reducer> {
    norm(dtype, NormKind::MinAbs)
}

/// Returns the reducer for `√(Σ |x|²)`.
pub(crate) fn l2_norm(dtype: DType) -> Option<Reducer> {
    norm(dtype, NormKind::L2)
}

/// Returns the reducer for `(Σ |x|ᵖ)^(1/p)`.
pub(crate) fn p_norm(dtype: DType) -> Option<Reducer> {
    norm(dtype, NormKind::P)
}

/// The order of a norm.
#[derive(Clone, Copy)]
enum NormKind {
    L0,
    L1,
    MaxAbs,
    MinAbs,
    L2,
    P,
}

/// Returns the reducer for a norm. Integers are cast to `float64`.
fn norm(dtype: DType, kind: NormKind) -> Option<Reducer> {
    match dtype {
        DType::Complex64 => Some(kind.reducer::<ComplexMagnitude<f32>, ComplexMagnitude<f32>>()),
        DType::Complex128 => Some(kind.reducer::<ComplexMagnitude<f64>, ComplexMagnitude<f64>>()),
        _ if dtype.is_floating() => dtype.with_wide_float(kind),
        _ => DType::Float64.with_wide_float(kind),
    }
}

impl WideFloatTask for NormKind {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>, W: Element<Wide: Float>>(self) -> Reducer {
        self.reducer::<RealMagnitude<T>, RealMagnitude<W>>()
    }
}

impl NormKind {
    /// Returns the reducer for elements of `S`, with the loops of `L`.
    fn reducer<S: Magnitude, L: Magnitude>(self) -> Reducer {
        match self {
            NormKind::L0 => Reducer::one_pass_in::<MagnitudeSum<S, true>, MagnitudeSum<L, true>>(),
            NormKind::L1 => {
                Reducer::one_pass_in::<MagnitudeSum<S, false>, MagnitudeSum<L, false>>()
            }
            NormKind::MaxAbs => {
                Reducer::one_pass_in::<MagnitudeMinMax<S, true>, MagnitudeMinMax<L, true>>()
            }
            NormKind::MinAbs => {
                Reducer::one_pass_in::<MagnitudeMinMax<S, false>, MagnitudeMinMax<L, false>>()
            }
            NormKind::L2 if const { S::HAS_SAFE_SQUARES && L::HAS_SAFE_SQUARES } => {
                Reducer::one_pass_in::<SquareSum<S>, SquareSum<L>>()
            }
            NormKind::L2 => Reducer::two_pass_in::<ScaledSquareSum<S>, ScaledSquareSum<L>>(),
            NormKind::P => Reducer::two_pass_in::<PowerSum<S>, PowerSum<L>>(),
        }
    }
}

/// The magnitude `|x|` of elements.
trait Magnitude: 'static {
    type In: Element;
    type Out: Element;

    /// Whether the magnitude is a call.
    const IS_CALL: bool;

    /// Whether the square of no finite magnitude but 0 overflows or underflows.
    const HAS_SAFE_SQUARES: bool;

    fn magnitude(x: Self::In) -> f64;
}

/// The magnitude of real elements.
struct RealMagnitude<T>(PhantomData<T>);

impl<T: Element<Wide: Float>> Magnitude for RealMagnitude<T> {
    type In = T;
    type Out = T;

    const IS_CALL: bool = false;
    /// The squares of `float32` and `bfloat16`, whose exponents are the widest, are from 2⁻²⁹⁸ to 2²⁵⁶.
    const HAS_SAFE_SQUARES: bool = T::DTYPE as u8 != DType::Float64 as u8;

    #[inline(always)]
    fn magnitude(x: T) -> f64 {
        x.widen().double().abs()
    }
}

/// The magnitude of complex elements.
struct ComplexMagnitude<R>(PhantomData<R>);

impl<R: Float + Element> Magnitude for ComplexMagnitude<R>
where
    Complex<R>: Element,
{
    type In = Complex<R>;
    type Out = R;

    const IS_CALL: bool = true;
    const HAS_SAFE_SQUARES: bool = false;

    #[inline(always)]
    fn magnitude(x: Complex<R>) -> f64 {
        x.cast::<Complex<f64>>().norm()
    }
}

/// The sum of magnitudes, or the number of those that are not zero.
struct MagnitudeSum<S, const COUNT: bool>(PhantomData<S>);

impl<S: Magnitude, const COUNT: bool> OnePassReduction for MagnitudeSum<S, COUNT> {
    type In = S::In;
    type Lane = f64;
    type Total = CompensatedSum;
    type Out = S::Out;

    const HAS_AVX2: bool = !S::IS_CALL;
    const LANE: f64 = 0.0;
    const TOTAL: CompensatedSum = CompensatedSum::ZERO;

    #[inline(always)]
    fn step(lane: f64, x: S::In) -> f64 {
        let magnitude = S::magnitude(x);
        lane + if COUNT { f64::from(magnitude != 0.0) } else { magnitude }
    }

    #[inline(always)]
    fn join(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn add(total: CompensatedSum, lane: f64) -> CompensatedSum {
        total.plus(lane)
    }

    fn merge(a: CompensatedSum, b: CompensatedSum) -> CompensatedSum {
        a.merge(b)
    }

    fn finish(total: CompensatedSum, _: usize, _: Setting) -> S::Out {
        S::Out::from_f64(total.value())
    }
}

/// The minimum or the maximum magnitude.
struct MagnitudeMinMax<S, const MAX: bool>(PhantomData<S>);

impl<S: Magnitude, const MAX: bool> OnePassReduction for MagnitudeMinMax<S, MAX> {
    type In = S::In;
    type Lane = f64;
    type Total = f64;
    type Out = S::Out;

    const HAS_AVX2: bool = !S::IS_CALL;
    const LANE: f64 = if MAX { 0.0 } else { f64::INFINITY };
    const TOTAL: f64 = Self::LANE;

    #[inline(always)]
    fn step(lane: f64, x: S::In) -> f64 {
        Self::join(lane, S::magnitude(x))
    }

    #[inline(always)]
    fn join(a: f64, b: f64) -> f64 {
        if MAX { a.greater(b) } else { a.smaller(b) }
    }

    #[inline(always)]
    fn add(total: f64, lane: f64) -> f64 {
        Self::join(total, lane)
    }

    fn merge(a: f64, b: f64) -> f64 {
        Self::join(a, b)
    }

    fn finish(total: f64, _: usize, _: Setting) -> S::Out {
        S::Out::from_f64(total)
    }
}

/// A sum of powers of magnitudes, each divided by a unit.
#[derive(Clone, Copy)]
struct ScaledSum {
    unit: f64,
    sum: f64,
}

/// `√(Σ |x|²)`, if no square overflows or underflows.
struct SquareSum<S>(PhantomData<S>);

impl<S: Magnitude> OnePassReduction for SquareSum<S> {
    type In = S::In;
    type Lane = f64;
    type Total = CompensatedSum;
    type Out = S::Out;

    const HAS_AVX2: bool = !S::IS_CALL;
    /// The lane accumulators are 16 registers of AVX2, all there are.
    const RUNS_HAVE_AVX512: bool = !S::IS_CALL;
    const LANE: f64 = 0.0;
    const TOTAL: CompensatedSum = CompensatedSum::ZERO;

    #[inline(always)]
    fn step(lane: f64, x: S::In) -> f64 {
        let magnitude = S::magnitude(x);
        lane + magnitude * magnitude
    }

    #[inline(always)]
    fn join(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn add(total: CompensatedSum, lane: f64) -> CompensatedSum {
        total.plus(lane)
    }

    fn merge(a: CompensatedSum, b: CompensatedSum) -> CompensatedSum {
        a.merge(b)
    }

    fn finish(total: CompensatedSum, _: usize, _: Setting) -> S::Out {
        S::Out::from_f64(total.value().sqrt())
    }
}

/// `√(Σ |x|²)` of magnitudes that are scaled, block by block.
struct ScaledSquareSum<S>(PhantomData<S>);

/// Blocks whose maximum is outside of these are scaled: squares might overflow or underflow.
const SAFE_MAGNITUDES: [f64; 2] = [1e-140, 1e140];

/// The unit of such blocks: 2⁶⁰⁰ or its inverse.
const FAR_UNIT: f64 = f64::from_bits((1023 + 600) << 52);

impl<S: Magnitude> TwoPassReduction for ScaledSquareSum<S> {
    type In = S::In;
    /// The maximum, then the unit; and its inverse.
    type Base = [f64; 2];
    type Sum = f64;
    type Total = ScaledSum;
    type Out = S::Out;

    const HAS_AVX2: bool = !S::IS_CALL;
    const BASE: [f64; 2] = [0.0; 2];
    const SUM: f64 = 0.0;
    const TOTAL: ScaledSum = ScaledSum { unit: 1.0, sum: 0.0 };

    #[inline(always)]
    fn step_base([greatest, _]: [f64; 2], x: S::In, _: Setting) -> [f64; 2] {
        [greatest.greater(S::magnitude(x)), 0.0]
    }

    #[inline(always)]
    fn join(a: [f64; 2], b: [f64; 2], _: Setting) -> [f64; 2] {
        [a[0].greater(b[0]), 0.0]
    }

    #[inline(always)]
    fn finish_base([greatest, _]: [f64; 2], _: usize, _: Setting) -> [f64; 2] {
        match greatest {
            it if it > SAFE_MAGNITUDES[1] => [FAR_UNIT, 1.0 / FAR_UNIT],
            it if it < SAFE_MAGNITUDES[0] && it > 0.0 => [1.0 / FAR_UNIT, FAR_UNIT],
            _ => [1.0, 1.0],
        }
    }

    #[inline(always)]
    fn step<M: MulAdd>(sum: f64, x: S::In, [_, factor]: [f64; 2], _: Setting) -> f64 {
        let magnitude = S::magnitude(x) * factor;
        sum + magnitude * magnitude
    }

    #[inline(always)]
    fn plus(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn total([unit, _]: [f64; 2], sum: f64) -> ScaledSum {
        ScaledSum { unit, sum }
    }

    #[inline(always)]
    fn merge(a: ScaledSum, b: ScaledSum, _: Setting) -> ScaledSum {
        let (large, small) = if a.unit >= b.unit { (a, b) } else { (b, a) };
        if large.sum == 0.0 {
            return small;
        }
        let ratio = small.unit / large.unit;
        // In two steps: the square of the ratio may underflow.
        ScaledSum { unit: large.unit, sum: large.sum + small.sum * ratio * ratio }
    }

    fn finish(total: ScaledSum, _: Setting) -> S::Out {
        S::Out::from_f64(total.unit * total.sum.sqrt())
    }
}

/// `(Σ |x|ᵖ)^(1/p)`.
struct PowerSum<S>(PhantomData<S>);

impl<S: Magnitude> PowerSum<S> {
    /// Adds two sums in the unit of the dominant one.
    #[inline(always)]
    fn plus(a: ScaledSum, b: ScaledSum, p: f64) -> ScaledSum {
        if a.unit == b.unit {
            return ScaledSum { unit: a.unit, sum: a.sum + b.sum };
        }
        let first = if p > 0.0 { a.unit > b.unit } else { a.unit < b.unit };
        let (large, small) = if first { (a, b) } else { (b, a) };
        if small.sum == 0.0 {
            return large;
        }
        ScaledSum {
            unit: large.unit,
            sum: large.sum + small.sum * (small.unit / large.unit).powf(p),
        }
    }
}

impl<S: Magnitude> TwoPassReduction for PowerSum<S> {
    type In = S::In;
    /// The dominant magnitude; of no elements, one that is never dominant.
    type Base = f64;
    type Sum = f64;
    type Total = ScaledSum;
    type Out = S::Out;

    /// Each power is a call.
    const HAS_AVX2: bool = false;
    const BASE: f64 = f64::NEG_INFINITY;
    const SUM: f64 = 0.0;
    const TOTAL: ScaledSum = ScaledSum { unit: f64::NEG_INFINITY, sum: 0.0 };

    #[inline(always)]
    fn step_base(unit: f64, x: S::In, setting: Setting) -> f64 {
        Self::join(unit, S::magnitude(x), setting)
    }

    #[inline(always)]
    fn join(a: f64, b: f64, setting: Setting) -> f64 {
        let is_first = if setting.number > 0.0 { a > b } else { a < b };
        if b < 0.0 || is_first && a >= 0.0 || a.is_nan() { a } else { b }
    }

    #[inline(always)]
    fn finish_base(unit: f64, _: usize, _: Setting) -> f64 {
        unit
    }

    #[inline(always)]
    fn step<M: MulAdd>(sum: f64, x: S::In, unit: f64, setting: Setting) -> f64 {
        let magnitude = S::magnitude(x);
        // Not a division for zeros and infinities, which would be a NaN.
        sum + if magnitude == unit { 1.0 } else { (magnitude / unit).powf(setting.number) }
    }

    #[inline(always)]
    fn plus(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn total(unit: f64, sum: f64) -> ScaledSum {
        ScaledSum { unit, sum }
    }

    fn merge(a: ScaledSum, b: ScaledSum, setting: Setting) -> ScaledSum {
        match (a.unit < 0.0, b.unit < 0.0) {
            (true, _) => b,
            (false, true) => a,
            (false, false) => Self::plus(a, b, setting.number),
        }
    }

    fn finish(total: ScaledSum, setting: Setting) -> S::Out {
        let p = setting.number;
        S::Out::from_f64(match total.unit < 0.0 {
            // No elements: the root of zero.
            true => 0f64.powf(1.0 / p),
            false => total.unit * total.sum.powf(1.0 / p),
        })
    }
}
