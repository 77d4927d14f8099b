//! `Element` and `Value`: the Rust types of elements, and their conversions.

use super::half_floats::{
    bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, f64_to_bf16, f64_to_f16,
};
use super::{Bool, DType, Scalar};
use half::{bf16, f16};
use num_complex::Complex;
use std::fmt::Debug;

mod sealed {
    /// Prevents implementations outside of this crate.
    pub trait SealedValue {}
}

/// The Rust type of a tensor's elements: one type for each [`DType`].
///
/// It is implemented for [`Bool`], the integers from `i8` to `u64`, `f16` and `bf16` of the `half`
/// crate, `f32`, `f64`, and `Complex<f32>` and `Complex<f64>` of `num-complex`. Every bit pattern is a valid
/// value of each of them. Kernels rely on that, so the trait is sealed.
pub trait Element: Value<Element = Self> + PartialEq + Default + Debug {
    /// The type to compute in: `f32` for half-precision floats, else the type itself.
    #[doc(hidden)]
    type Wide: Scalar;

    #[doc(hidden)]
    fn widen(self) -> Self::Wide;

    #[doc(hidden)]
    fn narrow(wide: Self::Wide) -> Self;

    #[doc(hidden)]
    fn from_i64(value: i64) -> Self;

    #[doc(hidden)]
    fn from_u64(value: u64) -> Self;

    #[doc(hidden)]
    fn from_f32(value: f32) -> Self;

    #[doc(hidden)]
    fn from_f64(value: f64) -> Self;

    #[doc(hidden)]
    fn from_complex(re: f64, im: f64) -> Self;

    /// Casts to another element type, by the rules of [`Tensor::astype`](crate::Tensor::astype).
    ///
    /// ```
    /// use belvedere::Element;
    ///
    /// assert_eq!(2.9_f64.cast::<i8>(), 2);
    /// assert_eq!(300_i32.cast::<f32>(), 300.0);
    /// ```
    fn cast<T: Element>(self) -> T;
}

/// A Rust value that can be written to and read from a tensor: every [`Element`], and `bool`.
///
/// It is not the same trait as [`Element`], because a `bool` in memory must be 0 or 1, while memory of other libraries
/// may hold any byte. Elements are viewed in place as [`Bool`], for which every byte is valid; a `bool` is converted
/// when it is read or written. Bound by `Value` what is converted, by `Element` what is viewed.
pub trait Value: Copy + Send + Sync + 'static + sealed::SealedValue {
    /// The element type that represents it in memory, with the same size and the same bits.
    type Element: Element;

    /// The dtype.
    const DTYPE: DType;

    /// Converts to an element.
    ///
    /// ```
    /// use belvedere::{Bool, Value};
    ///
    /// assert_eq!(true.into_element(), Bool::from(true));
    /// assert_eq!(1.5_f32.into_element(), 1.5);
    /// ```
    fn into_element(self) -> Self::Element;

    /// Converts from an element.
    ///
    /// ```
    /// use belvedere::{Bool, Value};
    ///
    /// assert!(bool::from_element(Bool::from(true)));
    /// ```
    fn from_element(element: Self::Element) -> Self;
}

impl sealed::SealedValue for bool {}

impl Value for bool {
    type Element = Bool;
    const DTYPE: DType = DType::Bool;

    fn into_element(self) -> Bool {
        Bool::from(self)
    }

    fn from_element(element: Bool) -> bool {
        element.is_true()
    }
}

/// Implements [`Element`] for a type: its dtype, how it is widened and narrowed, the conversions from other
/// numbers, and which of those conversions `cast` uses.
macro_rules! element {
    ($type:ty, $dtype:ident, $wide:ty, $widen:expr, $narrow:expr,
     from($i64:expr, $u64:expr, $f32:expr, $f64:expr, $complex:expr), cast($cast:expr, $($maker:tt)+)) => {
        impl sealed::SealedValue for $type {}

        impl Value for $type {
            type Element = $type;
            const DTYPE: DType = DType::$dtype;

            #[inline(always)]
            fn into_element(self) -> $type {
                self
            }

            #[inline(always)]
            fn from_element(element: $type) -> $type {
                element
            }
        }

        impl Element for $type {
            type Wide = $wide;

            #[inline(always)]
            fn widen(self) -> $wide {
                $widen(self)
            }

            #[inline(always)]
            fn narrow(wide: $wide) -> $type {
                $narrow(wide)
            }

            #[inline(always)]
            fn from_i64(value: i64) -> $type {
                $i64(value)
            }

            #[inline(always)]
            fn from_u64(value: u64) -> $type {
                $u64(value)
            }

            #[inline(always)]
            fn from_f32(value: f32) -> $type {
                $f32(value)
            }

            #[inline(always)]
            fn from_f64(value: f64) -> $type {
                $f64(value)
            }

            #[inline(always)]
            fn from_complex(re: f64, im: f64) -> $type {
                $complex(re, im)
            }

            #[inline(always)]
            fn cast<T: Element>(self) -> T {
                let value = $cast(self);
                element!(@make T, value, $($maker)+)
            }
        }
    };
    (@make $target:ident, $value:ident, complex) => { $target::from_complex($value.0, $value.1) };
    (@make $target:ident, $value:ident, $maker:ident) => { $target::$maker($value) };
}

/// Implements [`Element`] for an integer type.
macro_rules! integer {
    ($type:ty, $dtype:ident, $via:ty, $maker:ident) => {
        element!(
            $type,
            $dtype,
            $type,
            (|x: $type| x),
            (|x: $type| x),
            from(
                (|x: i64| x as $type),
                (|x: u64| x as $type),
                (|x: f32| x as $type),
                (|x: f64| x as $type),
                (|re: f64, _: f64| re as $type)
            ),
            cast((|x: $type| x as $via), $maker)
        );
    };
}

integer!(i8, Int8, i64, from_i64);
integer!(i16, Int16, i64, from_i64);
integer!(i32, Int32, i64, from_i64);
integer!(i64, Int64, i64, from_i64);
integer!(u8, UInt8, u64, from_u64);
integer!(u16, UInt16, u64, from_u64);
integer!(u32, UInt32, u64, from_u64);
integer!(u64, UInt64, u64, from_u64);

element!(
    Bool,
    Bool,
    u8,
    (|x: Bool| x.is_true() as u8),
    (|x: u8| Bool::from(x != 0)),
    from(
        (|x: i64| Bool::from(x != 0)),
        (|x: u64| Bool::from(x != 0)),
        (|x: f32| Bool::from(x != 0.0)),
        (|x: f64| Bool::from(x != 0.0)),
        (|re: f64, im: f64| Bool::from(re != 0.0 || im != 0.0))
    ),
    cast((|x: Bool| x.is_true() as u64), from_u64)
);

// Rounded directly from 64 bits to half precision: through `f32` some values would be rounded twice.
element!(
    f16,
    Float16,
    f32,
    f16_to_f32,
    f32_to_f16,
    from(
        (|x: i64| f64_to_f16(x as f64)),
        (|x: u64| f64_to_f16(x as f64)),
        f32_to_f16,
        f64_to_f16,
        (|re: f64, _: f64| f64_to_f16(re))
    ),
    cast(f16_to_f32, from_f32)
);

element!(
    bf16,
    BFloat16,
    f32,
    bf16_to_f32,
    f32_to_bf16,
    from(
        (|x: i64| f64_to_bf16(x as f64)),
        (|x: u64| f64_to_bf16(x as f64)),
        f32_to_bf16,
        f64_to_bf16,
        (|re: f64, _: f64| f64_to_bf16(re))
    ),
    cast(bf16_to_f32, from_f32)
);

element!(
    f32,
    Float32,
    f32,
    (|x: f32| x),
    (|x: f32| x),
    from(
        (|x: i64| x as f32),
        (|x: u64| x as f32),
        (|x: f32| x),
        (|x: f64| x as f32),
        (|re: f64, _: f64| re as f32)
    ),
    cast((|x: f32| x), from_f32)
);

element!(
    f64,
    Float64,
    f64,
    (|x: f64| x),
    (|x: f64| x),
    from(
        (|x: i64| x as f64),
        (|x: u64| x as f64),
        (|x: f32| x as f64),
        (|x: f64| x),
        (|re: f64, _: f64| re)
    ),
    cast((|x: f64| x), from_f64)
);

element!(
    Complex<f32>,
    Complex64,
    Complex<f32>,
    (|x: Complex<f32>| x),
    (|x: Complex<f32>| x),
    from(
        (|x: i64| Complex::new(x as f32, 0.0)),
        (|x: u64| Complex::new(x as f32, 0.0)),
        (|x: f32| Complex::new(x, 0.0)),
        (|x: f64| Complex::new(x as f32, 0.0)),
        (|re: f64, im: f64| Complex::new(re as f32, im as f32))
    ),
    cast((|x: Complex<f32>| (x.re as f64, x.im as f64)), complex)
);

element!(
    Complex<f64>,
    Complex128,
    Complex<f64>,
    (|x: Complex<f64>| x),
    (|x: Complex<f64>| x),
    from(
        (|x: i64| Complex::new(x as f64, 0.0)),
        (|x: u64| Complex::new(x as f64, 0.0)),
        (|x: f32| Complex::new(x as f64, 0.0)),
        (|x: f64| Complex::new(x, 0.0)),
        (|re: f64, im: f64| Complex::new(re, im))
    ),
    cast((|x: Complex<f64>| (x.re, x.im)), complex)
);
