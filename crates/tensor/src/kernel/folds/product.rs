//! Products.
//!
//! Products of integers are 64-bit and wrap around. Those of floats are made in `f64`, with the
//! exponents beside: lanes take up elements in another order than a reader would, and must not overflow
//! where the product does not.

use super::sum::is_nan;
use crate::dtype::{Float, FloatTask, Integer, Number, NumberKind};
use crate::kernel::fold::{Fold, Setting};
use crate::kernel::reducer::Reducer;
use crate::{Complex, DType, Element};
use std::marker::PhantomData;

/// The product: 64-bit for integers, the type itself for floats.
pub(crate) fn product(dtype: DType) -> Option<Reducer> {
    of::<false>(dtype)
}

/// The product of all that is no NaN.
pub(crate) fn product_of_numbers(dtype: DType) -> Option<Reducer> {
    of::<true>(dtype)
}

fn of<const SKIP: bool>(dtype: DType) -> Option<Reducer> {
    match dtype.kind() {
        NumberKind::Bool | NumberKind::Signed(_) => Some(Reducer::of::<IntegerProduct<i64>>()),
        NumberKind::Unsigned(_) => Some(Reducer::of::<IntegerProduct<u64>>()),
        NumberKind::Complex(8) => Some(Reducer::of::<ComplexProduct<f32, SKIP>>()),
        NumberKind::Complex(_) => Some(Reducer::of::<ComplexProduct<f64, SKIP>>()),
        NumberKind::Float(_) | NumberKind::Brain(_) => dtype.with_float(Floats::<SKIP>),
    }
}

/// Of 64-bit integers, which all others are converted to.
struct IntegerProduct<L>(PhantomData<L>);

impl<L: Element<Wide = L> + Integer> Fold for IntegerProduct<L> {
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

struct Floats<const SKIP: bool>;

impl<const SKIP: bool> FloatTask for Floats<SKIP> {
    type Output = Reducer;

    fn run<T: Element<Wide: Float>>(self) -> Reducer {
        Reducer::of::<FloatProduct<T, SKIP>>()
    }
}

/// A number from 1 to 2 (or zero, an infinity, a NaN) times a power of two.
#[derive(Clone, Copy)]
struct Scaled {
    digits: f64,
    exponent: i64,
}

impl Scaled {
    const ONE: Scaled = Scaled { digits: 1.0, exponent: 0 };

    #[inline(always)]
    fn times(self, x: f64) -> Scaled {
        const BITS: u64 = 0x7ff;
        let product = self.digits * x;
        let bits = product.to_bits();
        let exponent = bits >> 52 & BITS;
        // Zeros and what is nearly zero, infinities and NaNs stay as they are.
        if exponent == 0 || exponent == BITS {
            return Scaled { digits: product, ..self };
        }
        let digits = f64::from_bits(bits & !(BITS << 52) | 1023 << 52);
        Scaled { digits, exponent: self.exponent + exponent as i64 - 1023 }
    }

    #[inline(always)]
    fn merge(self, other: Scaled) -> Scaled {
        let both = self.times(other.digits);
        Scaled { exponent: both.exponent + other.exponent, ..both }
    }

    fn value(self) -> f64 {
        libm::ldexp(self.digits, self.exponent.clamp(-5000, 5000) as i32)
    }
}

struct FloatProduct<T, const SKIP: bool>(PhantomData<T>);

impl<T: Element<Wide: Float>, const SKIP: bool> Fold for FloatProduct<T, SKIP> {
    type In = T;
    type Lane = Scaled;
    type Total = Scaled;
    type Out = T;

    const LANE: Scaled = Scaled::ONE;
    const TOTAL: Scaled = Scaled::ONE;

    #[inline(always)]
    fn step(lane: Scaled, x: T) -> Scaled {
        let x = x.widen().double();
        lane.times(if SKIP && x.is_nan() { 1.0 } else { x })
    }

    #[inline(always)]
    fn join(a: Scaled, b: Scaled) -> Scaled {
        a.merge(b)
    }

    #[inline(always)]
    fn add(total: Scaled, lane: Scaled) -> Scaled {
        total.merge(lane)
    }

    fn merge(a: Scaled, b: Scaled) -> Scaled {
        a.merge(b)
    }

    fn finish(total: Scaled, _: usize, _: Setting) -> T {
        T::from_f64(total.value())
    }
}

struct ComplexProduct<R, const SKIP: bool>(PhantomData<R>);

impl<R: Float, const SKIP: bool> Fold for ComplexProduct<R, SKIP>
where
    Complex<R>: Element,
{
    type In = Complex<R>;
    type Lane = Complex<f64>;
    type Total = Complex<f64>;
    type Out = Complex<R>;

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
