//! Dispatch on the dtype: the only matches with an arm for every element type.
//!
//! A task is a function that is generic over the element type. There is one trait for each family of types,
//! because a task for numbers needs the bound that its type is a number.

use super::{Bool, Comparable, DType, Element, Field, Float, Integer, Keyed, Number, Real};
use half::{bf16, f16};
use num_complex::Complex;

/// A task for elements of any type.
pub(crate) trait AnyTask {
    type Output;
    fn run<T: Element>(self) -> Self::Output;
}

/// A task for numbers: all types but `bool`.
pub(crate) trait NumberTask {
    type Output;
    fn run<T: Element<Wide: Number>>(self) -> Self::Output;
}

/// A task for ordered types: all but the complex ones.
pub(crate) trait OrderedTask {
    type Output;
    fn run<T: Element<Wide: Comparable>>(self) -> Self::Output;
}

/// A task for real numbers: integers and real floating-point numbers.
pub(crate) trait RealTask {
    type Output;
    fn run<T: Element<Wide: Real>>(self) -> Self::Output;
}

/// A task for integers, and for `bool` if it is run by `with_bits`.
pub(crate) trait IntegerTask {
    type Output;
    fn run<T: Element<Wide: Integer>>(self) -> Self::Output;
}

/// A task for real floating-point numbers.
pub(crate) trait FloatTask {
    type Output;
    fn run<T: Element<Wide: Float>>(self) -> Self::Output;
}

/// A task for real floating-point numbers that has its loops for elements of type `W`: `f32` for half-precision
/// floats, which are cast to it first, and `T` itself for the others.
pub(crate) trait WideFloatTask {
    type Output;
    fn run<T: Element<Wide: Float>, W: Element<Wide: Float>>(self) -> Self::Output;
}

/// A task for floating-point numbers, real and complex.
pub(crate) trait FieldTask {
    type Output;
    fn run<T: Element<Wide: Field>>(self) -> Self::Output;
}

/// A task for elements of any type by their sort keys.
pub(crate) trait KeyedTask {
    type Output;
    fn run<T: Keyed>(self) -> Self::Output;
}

/// A task for elements of two types.
pub(crate) trait PairTask {
    type Output;
    fn run<A: Element, B: Element>(self) -> Self::Output;
}

impl DType {
    /// Runs a task for this element type.
    pub(crate) fn with_any<K: AnyTask>(self, task: K) -> K::Output {
        match self {
            DType::Bool => task.run::<Bool>(),
            DType::Int8 => task.run::<i8>(),
            DType::Int16 => task.run::<i16>(),
            DType::Int32 => task.run::<i32>(),
            DType::Int64 => task.run::<i64>(),
            DType::UInt8 => task.run::<u8>(),
            DType::UInt16 => task.run::<u16>(),
            DType::UInt32 => task.run::<u32>(),
            DType::UInt64 => task.run::<u64>(),
            DType::Float16 => task.run::<f16>(),
            DType::BFloat16 => task.run::<bf16>(),
            DType::Float32 => task.run::<f32>(),
            DType::Float64 => task.run::<f64>(),
            DType::Complex64 => task.run::<Complex<f32>>(),
            DType::Complex128 => task.run::<Complex<f64>>(),
        }
    }

    /// Runs a task for this element type if it is a number.
    pub(crate) fn with_number<K: NumberTask>(self, task: K) -> Option<K::Output> {
        Some(match self {
            DType::Bool => return None,
            DType::Int8 => task.run::<i8>(),
            DType::Int16 => task.run::<i16>(),
            DType::Int32 => task.run::<i32>(),
            DType::Int64 => task.run::<i64>(),
            DType::UInt8 => task.run::<u8>(),
            DType::UInt16 => task.run::<u16>(),
            DType::UInt32 => task.run::<u32>(),
            DType::UInt64 => task.run::<u64>(),
            DType::Float16 => task.run::<f16>(),
            DType::BFloat16 => task.run::<bf16>(),
            DType::Float32 => task.run::<f32>(),
            DType::Float64 => task.run::<f64>(),
            DType::Complex64 => task.run::<Complex<f32>>(),
            DType::Complex128 => task.run::<Complex<f64>>(),
        })
    }

    /// Runs a task for this element type if it is ordered.
    pub(crate) fn with_ordered<K: OrderedTask>(self, task: K) -> Option<K::Output> {
        Some(match self {
            DType::Bool => task.run::<Bool>(),
            DType::Int8 => task.run::<i8>(),
            DType::Int16 => task.run::<i16>(),
            DType::Int32 => task.run::<i32>(),
            DType::Int64 => task.run::<i64>(),
            DType::UInt8 => task.run::<u8>(),
            DType::UInt16 => task.run::<u16>(),
            DType::UInt32 => task.run::<u32>(),
            DType::UInt64 => task.run::<u64>(),
            DType::Float16 => task.run::<f16>(),
            DType::BFloat16 => task.run::<bf16>(),
            DType::Float32 => task.run::<f32>(),
            DType::Float64 => task.run::<f64>(),
            DType::Complex64 | DType::Complex128 => return None,
        })
    }

    /// Runs a task for this element type if it is a real number.
    pub(crate) fn with_real<K: RealTask>(self, task: K) -> Option<K::Output> {
        Some(match self {
            DType::Int8 => task.run::<i8>(),
            DType::Int16 => task.run::<i16>(),
            DType::Int32 => task.run::<i32>(),
            DType::Int64 => task.run::<i64>(),
            DType::UInt8 => task.run::<u8>(),
            DType::UInt16 => task.run::<u16>(),
            DType::UInt32 => task.run::<u32>(),
            DType::UInt64 => task.run::<u64>(),
            DType::Float16 => task.run::<f16>(),
            DType::BFloat16 => task.run::<bf16>(),
            DType::Float32 => task.run::<f32>(),
            DType::Float64 => task.run::<f64>(),
            _ => return None,
        })
    }

    /// Runs a task for this element type if it is an integer or `bool`. The latter is computed as 0 or 1, and every
    /// result but 0 is true.
    pub(crate) fn with_bits<K: IntegerTask>(self, task: K) -> Option<K::Output> {
        match self {
            DType::Bool => Some(task.run::<Bool>()),
            other => other.with_integer(task),
        }
    }

    /// Runs a task for this element type if it is an integer.
    pub(crate) fn with_integer<K: IntegerTask>(self, task: K) -> Option<K::Output> {
        Some(match self {
            DType::Int8 => task.run::<i8>(),
            DType::Int16 => task.run::<i16>(),
            DType::Int32 => task.run::<i32>(),
            DType::Int64 => task.run::<i64>(),
            DType::UInt8 => task.run::<u8>(),
            DType::UInt16 => task.run::<u16>(),
            DType::UInt32 => task.run::<u32>(),
            DType::UInt64 => task.run::<u64>(),
            _ => return None,
        })
    }

    /// Runs a task for this element type if it is a real floating-point number.
    pub(crate) fn with_float<K: FloatTask>(self, task: K) -> Option<K::Output> {
        Some(match self {
            DType::Float16 => task.run::<f16>(),
            DType::BFloat16 => task.run::<bf16>(),
            DType::Float32 => task.run::<f32>(),
            DType::Float64 => task.run::<f64>(),
            _ => return None,
        })
    }

    /// Runs a task for this element type if it is a real floating-point number, with loops that take half-precision
    /// floats as `f32`.
    pub(crate) fn with_wide_float<K: WideFloatTask>(self, task: K) -> Option<K::Output> {
        Some(match self {
            DType::Float16 => task.run::<f16, f32>(),
            DType::BFloat16 => task.run::<bf16, f32>(),
            DType::Float32 => task.run::<f32, f32>(),
            DType::Float64 => task.run::<f64, f64>(),
            _ => return None,
        })
    }

    /// Runs a task for this element type if it is a floating-point number, real or complex.
    pub(crate) fn with_field<K: FieldTask>(self, task: K) -> Option<K::Output> {
        Some(match self {
            DType::Float16 => task.run::<f16>(),
            DType::BFloat16 => task.run::<bf16>(),
            DType::Float32 => task.run::<f32>(),
            DType::Float64 => task.run::<f64>(),
            DType::Complex64 => task.run::<Complex<f32>>(),
            DType::Complex128 => task.run::<Complex<f64>>(),
            _ => return None,
        })
    }

    /// Runs a task for this element type by its sort keys.
    pub(crate) fn with_keyed<K: KeyedTask>(self, task: K) -> K::Output {
        match self {
            DType::Bool => task.run::<Bool>(),
            DType::Int8 => task.run::<i8>(),
            DType::Int16 => task.run::<i16>(),
            DType::Int32 => task.run::<i32>(),
            DType::Int64 => task.run::<i64>(),
            DType::UInt8 => task.run::<u8>(),
            DType::UInt16 => task.run::<u16>(),
            DType::UInt32 => task.run::<u32>(),
            DType::UInt64 => task.run::<u64>(),
            DType::Float16 => task.run::<f16>(),
            DType::BFloat16 => task.run::<bf16>(),
            DType::Float32 => task.run::<f32>(),
            DType::Float64 => task.run::<f64>(),
            DType::Complex64 => task.run::<Complex<f32>>(),
            DType::Complex128 => task.run::<Complex<f64>>(),
        }
    }

    /// Runs a task for this element type and another.
    pub(crate) fn with_pair<K: PairTask>(self, other: DType, task: K) -> K::Output {
        struct FirstOfPair<K>(DType, K);
        struct SecondOfPair<A, K>(K, std::marker::PhantomData<A>);

        impl<K: PairTask> AnyTask for FirstOfPair<K> {
            type Output = K::Output;
            fn run<A: Element>(self) -> K::Output {
                self.0.with_any(SecondOfPair::<A, K>(self.1, std::marker::PhantomData))
            }
        }

        impl<A: Element, K: PairTask> AnyTask for SecondOfPair<A, K> {
            type Output = K::Output;
            fn run<B: Element>(self) -> K::Output {
                self.0.run::<A, B>()
            }
        }

        self.with_any(FirstOfPair(other, task))
    }
}
