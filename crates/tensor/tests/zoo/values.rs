//! Test values of every dtype: extremes, infinities, NaNs, zeros of both signs.

use belvedere::{Bool, Complex, DType, Element, bf16, f16};

/// An element type with values to test with.
pub(crate) trait TestElement: Element {
    /// Returns edge cases: extremes, infinities, NaNs, zeros of both signs.
    fn edge_values() -> Vec<Self>;

    /// Converts a small integer.
    fn from_small(n: usize) -> Self;

    /// Returns whether two values have the same bits; all NaNs are considered equal.
    fn same_bits(self, other: Self) -> bool;

    /// Returns the value as a number independent of the dtype.
    fn numeric_value(self) -> NumericValue;

    /// Casts a number to this dtype, in plain code.
    fn from_numeric(value: NumericValue) -> Self;

    /// Returns `n` values, most of them edge cases, in a scrambled order.
    fn sequence(n: usize, seed: usize) -> Vec<Self> {
        let edges = Self::edge_values();
        let value = |i: usize| match (i.wrapping_mul(0x9E37_79B9) >> 7) % (edges.len() + 5) {
            k if k < edges.len() => edges[k],
            k => Self::from_small((i + k) % 11),
        };
        (seed..seed + n).map(value).collect()
    }
}

/// A number of any dtype.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumericValue {
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

impl NumericValue {
    /// Returns the number as a real float; there is no implicit cast from complex to real.
    fn real(self) -> f64 {
        match self {
            NumericValue::Int(x) => x as f64,
            NumericValue::Float(x) => x,
            NumericValue::Complex(..) => panic!("complex numbers are not cast to real ones"),
        }
    }
}

/// A computation that is generic over the element type.
pub(crate) trait DTypeVisitor {
    fn visit<T: TestElement>(&mut self);
}

/// Runs a visitor for all fifteen dtypes.
pub(crate) fn for_each_dtype(visitor: &mut impl DTypeVisitor) {
    DType::ALL.iter().for_each(|&dtype| with_dtype(dtype, visitor));
}

/// Runs a visitor for one dtype.
pub(crate) fn with_dtype(dtype: DType, visitor: &mut impl DTypeVisitor) {
    match dtype {
        DType::Bool => visitor.visit::<Bool>(),
        DType::Int8 => visitor.visit::<i8>(),
        DType::Int16 => visitor.visit::<i16>(),
        DType::Int32 => visitor.visit::<i32>(),
        DType::Int64 => visitor.visit::<i64>(),
        DType::UInt8 => visitor.visit::<u8>(),
        DType::UInt16 => visitor.visit::<u16>(),
        DType::UInt32 => visitor.visit::<u32>(),
        DType::UInt64 => visitor.visit::<u64>(),
        DType::Float16 => visitor.visit::<f16>(),
        DType::BFloat16 => visitor.visit::<bf16>(),
        DType::Float32 => visitor.visit::<f32>(),
        DType::Float64 => visitor.visit::<f64>(),
        DType::Complex64 => visitor.visit::<Complex<f32>>(),
        DType::Complex128 => visitor.visit::<Complex<f64>>(),
    }
}

impl TestElement for Bool {
    fn edge_values() -> Vec<Bool> {
        vec![false.into(), true.into()]
    }

    fn from_small(n: usize) -> Bool {
        (n != 0).into()
    }

    fn same_bits(self, other: Bool) -> bool {
        self == other
    }

    fn numeric_value(self) -> NumericValue {
        NumericValue::Int(self.is_true() as i128)
    }

    fn from_numeric(value: NumericValue) -> Bool {
        Bool::from(match value {
            NumericValue::Int(x) => x != 0,
            NumericValue::Float(x) => x != 0.0,
            NumericValue::Complex(re, im) => re != 0.0 || im != 0.0,
        })
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl TestElement for $type {
            fn edge_values() -> Vec<$type> {
                let (low, high) = (<$type>::MIN, <$type>::MAX);
                vec![0, 1, 2, 3, low, high, high - 1, low + 1, high / 2, (0 as $type).wrapping_sub(1)]
            }

            fn from_small(n: usize) -> $type {
                n as $type
            }

            fn same_bits(self, other: $type) -> bool {
                self == other
            }

            fn numeric_value(self) -> NumericValue {
                NumericValue::Int(self as i128)
            }

            fn from_numeric(value: NumericValue) -> $type {
                match value {
                    NumericValue::Int(x) => x as $type,
                    other => other.real() as $type,
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($type:ty: $of:expr, $of_int:expr;)*) => {$(
        impl TestElement for $type {
            fn edge_values() -> Vec<$type> {
                let of = $of;
                let smallest = <$type>::from_bits(1);
                let mut values = vec![
                    <$type>::NAN, <$type>::INFINITY, <$type>::NEG_INFINITY, <$type>::MAX,
                    <$type>::MIN, <$type>::MIN_POSITIVE, <$type>::EPSILON, smallest, -smallest,
                ];
                let plain = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, -3.0, 6.0, 1e3, 0.1, -7.75];
                values.extend(plain.map(of));
                values
            }

            fn from_small(n: usize) -> $type {
                let of = $of;
                of(n as f64)
            }

            fn same_bits(self, other: $type) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }

            fn numeric_value(self) -> NumericValue {
                NumericValue::Float(f64::from(self))
            }

            fn from_numeric(value: NumericValue) -> $type {
                let (of, of_int) = ($of, $of_int);
                match value {
                    NumericValue::Int(x) => of_int(x),
                    other => of(other.real()),
                }
            }
        }

    )*};
}

floats!(
    f16: |x: f64| f16::from_f64(x), |x: i128| f16::from_f64(x as f64);
    bf16: |x: f64| bf16::from_f64(x), |x: i128| bf16::from_f64(x as f64);
    f32: |x: f64| x as f32, |x: i128| x as f32;
    f64: |x: f64| x, |x: i128| x as f64;
);

macro_rules! complexes {
    ($($type:ty)*) => {$(
        impl TestElement for Complex<$type> {
            fn edge_values() -> Vec<Complex<$type>> {
                let parts = <$type>::edge_values();
                let n = parts.len();
                (0..n).map(|i| Complex::new(parts[i], parts[(7 * i + 3) % n])).collect()
            }

            fn from_small(n: usize) -> Complex<$type> {
                Complex::new(n as $type, -(n as $type) / 2.0)
            }

            fn same_bits(self, other: Complex<$type>) -> bool {
                self.re.same_bits(other.re) && self.im.same_bits(other.im)
            }

            fn numeric_value(self) -> NumericValue {
                NumericValue::Complex(self.re as f64, self.im as f64)
            }

            fn from_numeric(value: NumericValue) -> Complex<$type> {
                match value {
                    NumericValue::Int(x) => Complex::new(x as $type, 0.0),
                    NumericValue::Float(x) => Complex::new(x as $type, 0.0),
                    NumericValue::Complex(re, im) => Complex::new(re as $type, im as $type),
                }
            }
        }
    )*};
}

complexes!(f32 f64);
