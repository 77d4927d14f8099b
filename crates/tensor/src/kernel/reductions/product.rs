//! Products.
//!
//! Products of integers are 64-bit and wrap around. Those of floats are computed in `f64`, with the exponent in a
//! separate integer: lane accumulators multiply elements in another order than that of the indices, and must not
//! overflow where the product does not.

use super::sum::is_nan;
use crate::dtype::{Float, Integer, Number, NumberKind, WideFloatTask};
use crate::kernel::reducer::Reducer;
use crate::kernel::reduction::{OnePassReduction, Setting};
use crate::{Complex, DType, Element};
use std::marker::PhantomData;

/// Returns the reducer for `prod`: 64-bit for integers, the dtype itself for floats.
pub(crate) fn prod(dtype: DType) -> Option<Reducer> {
    prod_of::<false>(dtype)
}

/// Returns the reducer for `nanprod`, which skips NaNs.
pub(crate) fn nanprod(dtype: DType) -> Option<Reducer> {
    prod_of::<true>(dtype)
}

fn prod_of<const SKIP: bool>(dtype: DType) -> Option<Reducer> {
    match dtype.kind() {
        NumberKind::Bool | NumberKind::Signed(_) => {
            Some(Reducer::one_pass::<IntegerProduct<i64>>())
        }
        NumberKind::Unsigned(_) => Some(Reducer::one_pass::<IntegerProduct<u64>>()),
        NumberKind::Complex(8) => Some(Reducer::one_pass::<ComplexProduct<f32, SKIP>>()),
        NumberKind::Complex(_) => Some(Reducer::one_pass::<ComplexProduct<f64, SKIP>>()),
        NumberKind::Float(_) | NumberKind::Brain(_) => dtype.with_wide_float(ProductTask::<SKIP>),
    }
}

/// The product of 64-bit integers, which all others are cast to.
struct IntegerProduct<L>(PhantomData<L>);

impl<L: Element<Wide = L> + Integer> OnePassReduction for IntegerProduct<L> {
    type In = L;
    type Lane = L;
    type Total = L;
    type Out = L;

    const LANE: L = L::ONE;
    const TOTAL: L = L::ONE;

    #[inline(always)]
    fn step(lane: L, x: L) -> L {
        lane.times(x)
    }

    #[inline(always)]
    fn join(a: L, b: L) -> L {
        a.times(b)
    }

    #[inline(always)]
    fn add(total: L, lane: L) -> L {
        total.times(lane)
    }

    fn merge(a: L, b: L) -> L {
        a.times(b)
    }

    fn finish(total: L, _: usize, _: Setting) -> L {
        total
    }
}

struct ProductTask<const SKIP: bool>;

impl<const SKIP: bool> WideFloatTask for ProductTask<SKIP> {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>, W: Element<Wide: Float>>(self) -> Reducer {
        Reducer::one_pass_in::<FloatProduct<T, SKIP>, FloatProduct<W, SKIP>>()
    }
}

/// A number from 1 to 2 (or zero, subnormal, infinite or a NaN) times a power of two.
#[derive(Clone, Copy)]
struct ScaledProduct {
    digits: f64,
    exponent: i64,
}

impl ScaledProduct {
    const ONE: ScaledProduct = ScaledProduct { digits: 1.0, exponent: 0 };

    #[inline(always)]
    fn times(self, x: f64) -> ScaledProduct {
        const BITS: u64 = 0x7ff;
        let product = self.digits * x;
        let bits = product.to_bits();
        let exponent = bits >> 52 & BITS;
        // Zeros, subnormal numbers, infinities and NaNs stay as they are.
        if exponent == 0 || exponent == BITS {
            return ScaledProduct { digits: product, ..self };
        }
        let digits = f64::from_bits(bits & !(BITS << 52) | 1023 << 52);
        ScaledProduct { digits, exponent: self.exponent + exponent as i64 - 1023 }
    }

    #[inline(always)]
    fn merge(self, other: ScaledProduct) -> ScaledProduct {
        let both = self.times(other.digits);
        ScaledProduct { exponent: both.exponent + other.exponent, ..both }
    }

    fn value(self) -> f64 {
        libm::ldexp(self.digits, self.exponent.clamp(-5000, 5000) as i32)
    }
}

/// The product of real elements; NaNs are skipped if `SKIP`.
struct FloatProduct<T, const SKIP: bool>(PhantomData<T>);

impl<T: Element<Wide: Float>, const SKIP: bool> OnePassReduction for FloatProduct<T, SKIP> {
    type In = T;
    type Lane = ScaledProduct;
    type Total = ScaledProduct;
    type Out = T;

    const LANE: ScaledProduct = ScaledProduct::ONE;
    const TOTAL: ScaledProduct = ScaledProduct::ONE;

    #[inline(always)]
    fn step(lane: ScaledProduct, x: T) -> ScaledProduct {
        let x = x.widen().double();
        lane.times(if SKIP && x.is_nan() { 1.0 } else { x })
    }

    #[inline(always)]
    fn join(a: ScaledProduct, b: ScaledProduct) -> ScaledProduct {
        a.merge(b)
    }

    #[inline(always)]
    fn add(total: ScaledProduct, lane: ScaledProduct) -> ScaledProduct {
        total.merge(lane)
    }

    fn merge(a: ScaledProduct, b: ScaledProduct) -> ScaledProduct {
        a.merge(b)
    }

    fn finish(total: ScaledProduct, _: usize, _: Setting) -> T {
        T::from_f64(total.value())
    }
}

/// The product of complex elements; NaNs are skipped if `SKIP`.
struct ComplexProduct<R, const SKIP: bool>(PhantomData<R>);

impl<R: Float, const SKIP: bool> OnePassReduction for ComplexProduct<R, SKIP>
where
    Complex<R>: Element,
{
    type In = Complex<R>;
    type Lane = Complex<f64>;
    type Total = Complex<f64>;
    type Out = Complex<R>;

    /// A chain of multiplications, whose latency vectors do not hide.
    const HAS_AVX2: bool = false;
    const LANE: Complex<f64> = <Complex<f64> as Number>::ONE;
    const TOTAL: Complex<f64> = <Complex<f64> as Number>::ONE;

    #[inline(always)]
    fn step(lane: Complex<f64>, x: Complex<R>) -> Complex<f64> {
        if SKIP && is_nan(x) { lane } else { lane * x.cast::<Complex<f64>>() }
    }

    #[inline(always)]
    fn join(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
        a * b
    }

    #[inline(always)]
    fn add(total: Complex<f64>, lane: Complex<f64>) -> Complex<f64> {
        total * lane
    }

    fn merge(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
        a * b
    }

    fn finish(total: Complex<f64>, _: usize, _: Setting) -> Complex<R> {
        Complex::<R>::from_complex(total.re, total.im)
    }
}
