//! Products.
//!
//! Products of integers are 64-bit and wrap around. Those of floats are computed in `f64`, with the exponent in a
//! separate integer: lane accumulators multiply elements in another order than that of the indices, and must not
//! overflow where the product does not.

use super::sum::is_nan;
use crate::dtype::{Float, Integer, Number, NumberKind, WideFloatTask};
use crate::kernel::reducer::{Reducer, TypedTotals};
use crate::kernel::reduction::{MAX_COLS, OnePassReduction, Setting, step_each};
use crate::kernel::row_block::{Columns, TypedRows};
use crate::kernel::row_loops::{CHUNK_COLS, reduce_rows_to_pairs};
use crate::{Complex, DType, Element};
use std::marker::PhantomData;
use std::ops::Range;

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

    // Products of 64-bit integers are one instruction there, and eight with AVX2.
    const RUNS_HAVE_AVX512: bool = true;
    const ROWS_HAVE_AVX512: bool = true;
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

/// A number (from ½ to 1, zero, infinite or a NaN, if it is normalized) times a power of two.
#[derive(Clone, Copy)]
struct ScaledProduct {
    digits: f64,
    exponent: i64,
}

impl ScaledProduct {
    const ONE: ScaledProduct = ScaledProduct { digits: 1.0, exponent: 0 };

    #[inline(always)]
    fn times(self, x: f64) -> ScaledProduct {
        // A product of digits and a number of this size could be subnormal, which rounds to fewer digits.
        let is_small = x.abs() < f64::MIN_POSITIVE * 2.0;
        let x = if is_small { x * SMALL_SCALE } else { x };
        let exponent = self.exponent - if is_small { SMALL_EXPONENT } else { 0 };
        ScaledProduct { exponent, ..self }.times_normal(x)
    }

    /// The same for a number that is not near the subnormal ones.
    #[inline(always)]
    fn times_normal(self, x: f64) -> ScaledProduct {
        ScaledProduct { digits: self.digits * x, ..self }.normalized()
    }

    /// Moves the exponent of the digits to the exponent.
    #[inline(always)]
    fn normalized(self) -> ScaledProduct {
        const BITS: u64 = 0x7ff;
        let bits = self.digits.to_bits();
        let exponent = bits >> 52 & BITS;
        // Zeros, infinities and NaNs stay as they are.
        if exponent == 0 || exponent == BITS {
            return self;
        }
        let digits = f64::from_bits(bits & !(BITS << 52) | 1022 << 52);
        ScaledProduct { digits, exponent: self.exponent + exponent as i64 - 1022 }
    }

    #[inline(always)]
    fn merge(self, other: ScaledProduct) -> ScaledProduct {
        let both = self.times_normal(other.digits);
        ScaledProduct { exponent: both.exponent + other.exponent, ..both }
    }

    fn value(self) -> f64 {
        libm::ldexp(self.digits, self.exponent.clamp(-5000, 5000) as i32)
    }
}

/// Makes subnormal numbers normal.
const SMALL_SCALE: f64 = (1u128 << SMALL_EXPONENT) as f64;
const SMALL_EXPONENT: i64 = 64;

/// The product of real elements; NaNs are skipped if `SKIP`.
struct FloatProduct<T, const SKIP: bool>(PhantomData<T>);

impl<T: Element<Wide: Float>, const SKIP: bool> OnePassReduction for FloatProduct<T, SKIP> {
    type In = T;
    type Lane = ScaledProduct;
    type Total = ScaledProduct;
    type Out = T;

    const ROWS_HAVE_AVX512: bool = true;
    const LANE: ScaledProduct = ScaledProduct::ONE;
    const TOTAL: ScaledProduct = ScaledProduct::ONE;

    #[inline(always)]
    fn step(lane: ScaledProduct, x: T) -> ScaledProduct {
        // No `f32` is near the subnormal `f64`.
        match const { size_of::<T>() <= 4 } {
            true => lane.times_normal(Self::factor(x)),
            false => lane.times(Self::factor(x)),
        }
    }

    #[inline(always)]
    fn join(a: ScaledProduct, b: ScaledProduct) -> ScaledProduct {
        a.merge(b)
    }

    #[inline(always)]
    fn add(total: ScaledProduct, lane: ScaledProduct) -> ScaledProduct {
        total.merge(lane)
    }

    #[inline(always)]
    fn add_rows(rows: TypedRows<'_, T>, mut totals: TypedTotals<'_, ScaledProduct>) {
        let cols = rows.block().cols;
        let (mut digits, mut exponents) =
            (Columns::<_, MAX_COLS>::new(), Columns::<_, MAX_COLS>::new());
        let (digits, exponents) = (digits.filled(1.0, cols), exponents.filled(0, cols));
        let mut r = 0;
        while r <= rows.block().rows_in_stream() {
            Self::multiply_streams(rows.streams(r), digits, exponents);
            r += 1;
        }
        let mut c = 0;
        while c < cols {
            let column = ScaledProduct { digits: digits[c], exponent: exponents[c] };
            totals.set(c, totals.get(c).merge(column));
            c += 1;
        }
    }

    fn merge(a: ScaledProduct, b: ScaledProduct) -> ScaledProduct {
        a.merge(b)
    }

    fn finish(total: ScaledProduct, _: usize, _: Setting) -> T {
        T::from_f64(total.value())
    }
}

impl<T: Element<Wide: Float>, const SKIP: bool> FloatProduct<T, SKIP> {
    /// Rows after which a product is normalized if it is large or small: it has the bits of one that is normalized after each
    /// row, unless it overflows or underflows in between. That of four `f32` and a number that is neither does not.
    const ROWS_AT_ONCE: usize = if size_of::<T>() <= 4 { 4 } else { 8 };

    /// Whether a product of [`ROWS_AT_ONCE`](Self::ROWS_AT_ONCE) elements might overflow or underflow.
    const IS_CHECKED: bool = size_of::<T>() > 4;

    #[inline(always)]
    fn factor(x: T) -> f64 {
        let x = x.widen().double();
        if SKIP && x.is_nan() { 1.0 } else { x }
    }

    /// Multiplies each column of few rows, which are read side by side, in the order of the rows.
    #[inline(always)]
    fn multiply_streams(rows: TypedRows<'_, T>, digits: &mut [f64], exponents: &mut [i64]) {
        let n_rows = rows.block().rows;
        let (digit_chunks, digit_rest) = digits.as_chunks_mut::<CHUNK_COLS>();
        let (exponent_chunks, exponent_rest) = exponents.as_chunks_mut::<CHUNK_COLS>();
        let mut i = 0;
        while i < digit_chunks.len() {
            let mut r = 0;
            while r < n_rows {
                let end = n_rows.min(r + Self::ROWS_AT_ONCE);
                let (digits, exponents) = (&mut digit_chunks[i], &mut exponent_chunks[i]);
                Self::multiply_chunk(rows, r..end, i, digits, exponents);
                r = end;
            }
            i += 1;
        }
        let first = i * CHUNK_COLS;
        Self::multiply_each(rows, 0..n_rows, first, digit_rest, exponent_rest);
    }

    /// Multiplies the columns of chunk `i`, in some of the rows.
    #[inline(always)]
    fn multiply_chunk(
        rows: TypedRows<'_, T>,
        part: Range<usize>,
        i: usize,
        digits: &mut [f64; CHUNK_COLS],
        exponents: &mut [i64; CHUNK_COLS],
    ) {
        let check = |bits: u64, x: T| bits | exponent_class(Self::factor(x));
        let (mut product, mut classes) = (*digits, [0; CHUNK_COLS]);
        let mut r = part.start;
        while r < part.end {
            let xs = rows.row(r).chunks::<CHUNK_COLS>().get(i);
            product = step_each(product, xs, &|product, x| product * Self::factor(x));
            if Self::IS_CHECKED {
                classes = step_each(classes, xs, &check);
            }
            r += 1;
        }
        if any_of(classes, UNSAFE_EXPONENT) {
            normalize_each(digits, exponents);
            return Self::multiply_each(rows, part, i * CHUNK_COLS, digits, exponents);
        }
        *digits = product;
        if any_of(product.map(product_class), UNSAFE_PRODUCT) {
            normalize_each(digits, exponents);
        }
    }

    /// Multiplies the columns from `first` on, in some of the rows, and normalizes after each row.
    #[inline(always)]
    fn multiply_each(
        rows: TypedRows<'_, T>,
        part: Range<usize>,
        first: usize,
        digits: &mut [f64],
        exponents: &mut [i64],
    ) {
        let mut r = part.start;
        while r < part.end {
            let row = rows.row(r).part(first, digits.len());
            let mut k = 0;
            while k < row.len() {
                let column = ScaledProduct { digits: digits[k], exponent: exponents[k] };
                let column = Self::step(column, row.get(k));
                (digits[k], exponents[k]) = (column.digits, column.exponent);
                k += 1;
            }
            r += 1;
        }
    }
}

/// Normalizes each product.
#[inline(always)]
fn normalize_each(digits: &mut [f64; CHUNK_COLS], exponents: &mut [i64; CHUNK_COLS]) {
    let mut k = 0;
    while k < CHUNK_COLS {
        let column = ScaledProduct { digits: digits[k], exponent: exponents[k] }.normalized();
        (digits[k], exponents[k]) = (column.digits, column.exponent);
        k += 1;
    }
}

/// The bits of an exponent class that are zero if the magnitude is from 2⁻⁶³ to 2⁶⁵: a product of eight such numbers and one
/// that is safe neither overflows nor underflows.
const UNSAFE_EXPONENT: u64 = 0b1111 << 59;

/// Returns a class of exponents, of which [`UNSAFE_EXPONENT`] are the significant bits.
#[inline(always)]
fn exponent_class(x: f64) -> u64 {
    // Exponents from -63 to 64 become 1024 to 1151, which share their four upper bits.
    x.to_bits().wrapping_add(64 << 52) ^ 1024 << 52
}

/// The bits of a product's class that are zero if the magnitude is from 2⁻²⁵⁵ to 2²⁵⁷: four `f32`, or eight numbers with a safe
/// exponent, can be multiplied to it.
const UNSAFE_PRODUCT: u64 = 0b11 << 61;

/// Returns a class of products, of which [`UNSAFE_PRODUCT`] are the significant bits. Zeros, infinities and NaNs count as unsafe.
#[inline(always)]
fn product_class(x: f64) -> u64 {
    // Exponents from -255 to 256 become 1024 to 1535, which share their two upper bits.
    x.to_bits().wrapping_add(256 << 52) ^ 1024 << 52
}

/// Whether one of the classes has one of some bits.
#[inline(always)]
fn any_of(classes: [u64; CHUNK_COLS], bits: u64) -> bool {
    let (mut class, mut k) = (0, 0);
    while k < CHUNK_COLS {
        class |= classes[k];
        k += 1;
    }
    class & bits != 0
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

    const ROWS_HAVE_AVX512: bool = true;
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

    #[inline(always)]
    fn add_rows(rows: TypedRows<'_, Complex<R>>, mut totals: TypedTotals<'_, Complex<f64>>) {
        let cols = rows.block().cols;
        let (mut re, mut im) = (Columns::<_, MAX_COLS>::new(), Columns::<_, MAX_COLS>::new());
        let (re, im) = (re.filled(1.0, cols), im.filled(0.0, cols));
        let no_bases = &[(); MAX_COLS][..cols];
        reduce_rows_to_pairs(rows, (re, im), no_bases, |(re, im), x, ()| {
            let product = Self::step(Complex::new(re, im), x);
            (product.re, product.im)
        });
        let mut c = 0;
        while c < cols {
            totals.set(c, totals.get(c) * Complex::new(re[c], im[c]));
            c += 1;
        }
    }

    fn merge(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
        a * b
    }

    fn finish(total: Complex<f64>, _: usize, _: Setting) -> Complex<R> {
        Complex::<R>::from_complex(total.re, total.im)
    }
}
