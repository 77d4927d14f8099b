//! Element types: run-time tags (`DType`), Rust types (`Element`), and the dispatch from one to the other.

mod complex;
pub(crate) mod complex_functions;
mod complex_math;
mod element;
mod float;
mod half_floats;
mod info;
mod integer;
mod key;
mod math;
mod promote;
mod reciprocal;
mod scalar;
mod tag;
mod task;
mod truth;

pub use element::{Element, Value};
pub use info::{DTypeKind, FloatInfo, IntegerInfo, finfo, iinfo, isdtype};
pub use promote::{can_assign, can_cast, result_type, result_type_of};
pub use tag::DType;
pub use truth::Bool;

pub(crate) use complex::complex_power;
pub(crate) use complex_functions::ComplexFunction;
pub(crate) use half_floats::{f64_to_bf16, f64_to_f16};
#[cfg(any(target_arch = "x86_64", test))]
pub(crate) use key::PackedEntry;
pub(crate) use key::{Digits, Keyed, SortEntry, SortKey};
#[cfg(target_arch = "x86_64")]
pub(crate) use math::VectorFma;
pub(crate) use math::{BaselineFma, ForHalf, MulAdd, double, single};
pub(crate) use reciprocal::Reciprocal;
pub(crate) use scalar::{Comparable, Field, Float, Integer, Number, Real, Scalar};
pub(crate) use tag::NumberKind;
pub(crate) use task::{
    AnyTask, FieldTask, FloatTask, IntegerTask, KeyedTask, NumberTask, OrderedTask, PairTask,
    RealTask, WideFloatTask,
};
