//! Values that make trouble, of every type.

use belvedere::{Bool, Complex, DType, Element, bf16, f16};

/// An element type with values to test with.
pub trait Specimen: Element {
    /// Values that make trouble: extremes, infinities, NaNs, both zeros.
    fn odd() -> Vec<Self>;

    /// A small whole number.
    fn small(n: usize) -> Self;

    /// Whether two values are the same bits, where all NaNs are one.
    fn same(self, other: Self) -> bool;

    /// What the value is worth, whatever its type.
    fn worth(self) -> Worth;

    /// The value that is worth so much: conversion as plain code.
    fn of(worth: Worth) -> Self;

    /// So many values, most of them odd, in no simple order.
    fn line(n: usize, seed: usize) -> Vec<Self> {
        let odd = Self::odd();
        let value = |i: usize| match (i.wrapping_mul(0x9E37_79B9) >> 7) % (odd.len() + 5) {
            k if k < odd.len() => odd[k],
            k => Self::small((i + k) % 11),
        };
        (seed..seed + n).map(value).collect()
    }
}

/// A number of any type.
#[derive(Clone, Copy, Debug)]
pub enum Worth {
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

impl Worth {
    /// The number as a real float, which complex ones never become by themselves.
    fn real(self) -> f64 {
        match self {
            Worth::Int(x) => x as f64,
            Worth::Float(x) => x,
            Worth::Complex(..) => panic!("nobody makes complex numbers real"),
        }
    }
}

/// Work for every type.
pub trait ForEach {
    fn visit<T: Specimen>(&mut self);
}

/// Runs work for all fifteen types.
pub fn for_each_type(work: &mut impl ForEach) {
    DType::ALL.iter().for_each(|&dtype| with_type(dtype, work));
}

/// Runs work for one type.
pub fn with_type(dtype: DType, work: &mut impl ForEach) {
    match dtype {
        DType::Bool => work.visit::<Bool>(),
        DType::Int8 => work.visit::<i8>(),
        DType::Int16 => work.visit::<i16>(),
        DType::Int32 => work.visit::<i32>(),
        DType::Int64 => work.visit::<i64>(),
        DType::UInt8 => work.visit::<u8>(),
        DType::UInt16 => work.visit::<u16>(),
        DType::UInt32 => work.visit::<u32>(),
        DType::UInt64 => work.visit::<u64>(),
        DType::Float16 => work.visit::<f16>(),
        DType::BFloat16 => work.visit::<bf16>(),
        DType::Float32 => work.visit::<f32>(),
        DType::Float64 => work.visit::<f64>(),
        DType::Complex64 => work.visit::<Complex<f32>>(),
        DType::Complex128 => work.visit::<Complex<f64>>(),
    }
}

impl Specimen for Bool {
    fn odd() -> Vec<Bool> {
        vec![false.into(), true.into()]
    }

    fn small(n: usize) -> Bool {
        (n != 0).into()
    }

    fn same(self, other: Bool) -> bool {
        self == other
    }

    fn worth(self) -> Worth {
        Worth::Int(self.is_true() as i128)
    }

    fn of(worth: Worth) -> Bool {
        Bool::from(match worth {
            Worth::Int(x) => x != 0,
            Worth::Float(x) => x != 0.0,
            Worth::Complex(re, im) => re != 0.0 || im != 0.0,
        })
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Specimen for $type {
            fn odd() -> Vec<$type> {
                let (low, high) = (<$type>::MIN, <$type>::MAX);
                vec![0, 1, 2, 3, low, high, high - 1, low + 1, high / 2, (0 as $type).wrapping_sub(1)]
            }

            fn small(n: usize) -> $type {
                n as $type
            }

            fn same(self, other: $type) -> bool {
                self == other
            }

            fn worth(self) -> Worth {
                Worth::Int(self as i128)
            }

            fn of(worth: Worth) -> $type {
                match worth {
                    Worth::Int(x) => x as $type,
                    other => other.real() as $type,
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($type:ty: $of:expr, $of_int:expr;)*) => {$(
        impl Specimen for $type {
            fn odd() -> Vec<$type> {
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

            fn small(n: usize) -> $type {
                let of = $of;
                of(n as f64)
            }

            fn same(self, other: $type) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }

            fn worth(self) -> Worth {
                Worth::Float(f64::from(self))
            }

            fn of(worth: Worth) -> $type {
                let (of, of_int) = ($of, $of_int);
                match worth {
                    Worth::Int(x) => of_int(x),
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
        impl Specimen for Complex<$type> {
            fn odd() -> Vec<Complex<$type>> {
                let parts = <$type>::odd();
                let n = parts.len();
                (0..n).map(|i| Complex::new(parts[i], parts[(7 * i + 3) % n])).collect()
            }

            fn small(n: usize) -> Complex<$type> {
                Complex::new(n as $type, -(n as $type) / 2.0)
            }

            fn same(self, other: Complex<$type>) -> bool {
                self.re.same(other.re) && self.im.same(other.im)
            }

            fn worth(self) -> Worth {
                Worth::Complex(self.re as f64, self.im as f64)
            }

            fn of(worth: Worth) -> Complex<$type> {
                match worth {
                    Worth::Int(x) => Complex::new(x as $type, 0.0),
                    Worth::Float(x) => Complex::new(x as $type, 0.0),
                    Worth::Complex(re, im) => Complex::new(re as $type, im as $type),
                }
            }
        }
    )*};
}

complexes!(f32 f64);
