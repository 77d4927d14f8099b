//! Creation functions that are longer than one expression of the library.

use super::adapters::{Called, as_tensor, copy_in_order, read};
use super::arguments::{Counts, FloatDType, Ints, OperandValue};
use super::value::Value;
use crate::step::Scalar;
use belvedere::{Complex, DType, Error, Layout, Tensor, bf16, f16};

/// Returns evenly spaced numbers; complex ones if an end is complex.
pub(super) fn linspace(
    start: Complex<f64>,
    stop: Complex<f64>,
    num: usize,
    dtype: DType,
    endpoint: bool,
) -> Called<Tensor> {
    let is_complex = start.im != 0.0 || stop.im != 0.0;
    let dtype = if is_complex { belvedere::result_type(dtype, DType::Complex64) } else { dtype };
    let create = if endpoint { Tensor::linspace } else { Tensor::linspace_open };
    Ok(create(start, stop, num, dtype)?)
}

pub(super) fn is_col_major(order: &str) -> Called<bool> {
    match order {
        "F" => Ok(true),
        "C" | "A" | "K" => Ok(false),
        _ => Err("order must be \"C\" or \"F\"".into()),
    }
}

/// Calls `arange` with 2 or 3 numbers, or with `stop` alone; the result has integers if all of them are.
pub(super) fn arange(given: [Value; 3], dtype: Option<DType>, float: DType) -> Called<Tensor> {
    let given = match given {
        [Value::None, Value::None, _] => return Err("missing argument: stop".into()),
        [stop, Value::None, step] | [Value::None, stop, step] => [Value::Int(0), stop, step],
        all => all,
    };
    if let [Value::Int(start), Value::Int(stop), Value::Int(step)] = given {
        if [start, stop, step].iter().any(|it| i64::try_from(*it).is_err()) {
            return Err("the arguments of arange must fit in 64 bits".into());
        }
        return Ok(Tensor::arange_integers(start, stop, step, dtype.unwrap_or(DType::Int64))?);
    }
    let [start, stop, step] = [read(&given[0])?, read(&given[1])?, read(&given[2])?];
    Ok(Tensor::arange_step(start, stop, step, dtype.unwrap_or(float))?)
}

/// Creates a tensor of a shape in row-major or column-major order.
pub(super) fn filled(
    mut shape: Ints,
    order: String,
    make: impl Fn(&[isize]) -> Result<Tensor, Error>,
) -> Called<Tensor> {
    if !is_col_major(&order)? {
        return Ok(make(&shape)?);
    }
    shape.reverse();
    Ok(make(&shape)?.reverse_dims())
}

/// Returns the default dtype for a number, or the dtype of a tensor; `float` is the default floating-point dtype.
pub(super) fn kind_of(value: &OperandValue, float: DType) -> DType {
    let own = belvedere::result_type_with(&[], &[value.operand()]);
    own.filter(|it| *it != DType::Float64).unwrap_or(float)
}

/// Converts a number or nested lists to a tensor; `float` is the default floating-point dtype.
pub(super) fn to_tensor(
    value: &Value,
    dtype: Option<DType>,
    order: &str,
    float: DType,
) -> Called<Tensor> {
    let items = value.items().unwrap_or_default();
    if items.iter().any(|it| matches!(it, Value::Array(_))) {
        let stacked = belvedere::stack(&read::<Vec<Tensor>>(value)?, 0)?;
        return Ok(stacked.astype(dtype.unwrap_or(stacked.dtype()))?);
    }
    let (mut shape, mut found) = (Vec::new(), Vec::new());
    gather(value, 0, &mut shape, &mut found)?;
    let kind = |it: &Scalar| match it {
        Scalar::Bool(_) => 0,
        Scalar::Int(_) => 1,
        Scalar::Float(_) => 2,
        Scalar::Complex(..) => 3,
    };
    let complex = if float == DType::Float32 { DType::Complex64 } else { DType::Complex128 };
    let kinds = [DType::Bool, DType::Int64, float, complex];
    let dtype = dtype.unwrap_or(kinds[found.iter().map(kind).max().unwrap_or(2)]);
    if !is_col_major(order)? {
        return from_scalars(&found, &shape, dtype);
    }
    let mut placed = found.clone();
    for (offset, value) in Layout::col_major(&shape)?.offsets().zip(found) {
        placed[offset] = value;
    }
    shape.reverse();
    Ok(from_scalars(&placed, &shape, dtype)?.reverse_dims())
}

/// Appends the numbers of nested lists in row-major order, and finds their shape.
fn gather(value: &Value, depth: usize, shape: &mut Counts, found: &mut Vec<Scalar>) -> Called<()> {
    let ragged = || Err("nested lists must have equal lengths".into());
    let Some(items) = value.items() else {
        let wrong = || format!("expected a number, got {}", value.kind());
        found.push(value.number().ok_or_else(wrong)?);
        return if depth == shape.len() { Ok(()) } else { ragged() };
    };
    if found.is_empty() && depth == shape.len() {
        shape.push(items.len());
    }
    if shape.get(depth) != Some(&items.len()) {
        return ragged();
    }
    items.iter().try_for_each(|it| gather(it, depth + 1, shape, found))
}

/// Returns the real and the imaginary part of a number.
fn parts(value: &Scalar) -> (f64, f64) {
    match *value {
        Scalar::Bool(value) => (f64::from(u8::from(value)), 0.0),
        Scalar::Int(value) => (value as f64, 0.0),
        Scalar::Float(value) => (value, 0.0),
        Scalar::Complex(re, im) => (re, im),
    }
}

/// Creates a tensor from numbers in row-major order. A cast would be recorded as a copy.
fn from_scalars(values: &[Scalar], shape: &[usize], dtype: DType) -> Called<Tensor> {
    let whole = |it: &Scalar| if let Scalar::Int(n) = *it { n } else { parts(it).0 as i128 };
    if let Ok(limits) = belvedere::iinfo(dtype) {
        let fits = |it: &i128| *it >= limits.min.into() && *it <= limits.max.into();
        if let Some(value) = values.iter().map(whole).find(|it| !fits(it)) {
            return Err(Error::ScalarRange { value, dtype }.into());
        }
    }
    if !dtype.is_complex() && !dtype.is_bool() && values.iter().any(|it| parts(it).1 != 0.0) {
        return Err(Error::Cast { from: DType::Complex128, to: dtype }.into());
    }
    macro_rules! collect {
        ($($name:ident: $cast:expr,)+; $($integer:ident $type:ty,)+) => {
            match dtype {
                $(DType::$name => Tensor::from_vec(values.iter().map($cast).collect::<Vec<_>>(), shape),)+
                $(DType::$integer => {
                    Tensor::from_vec(values.iter().map(|it| whole(it) as $type).collect::<Vec<_>>(), shape)
                })+
            }
        };
    }
    Ok(collect! {
        Bool: |it| parts(it) != (0.0, 0.0),
        Float16: |it| f16::from_f64(parts(it).0),
        BFloat16: |it| bf16::from_f64(parts(it).0),
        Float32: |it| parts(it).0 as f32,
        Float64: |it| parts(it).0,
        Complex64: |it| Complex::new(parts(it).0 as f32, parts(it).1 as f32),
        Complex128: |it| Complex::new(parts(it).0, parts(it).1),;
        Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64,
    }?)
}

/// Converts a number, nested lists or a tensor; a tensor is returned as it is unless a copy or a cast is needed.
pub(super) fn create_from(
    value: Value,
    dtype: Option<DType>,
    copy: Option<bool>,
    order: String,
    float: FloatDType,
) -> Called<Tensor> {
    let Value::Array(it) = value else { return to_tensor(&value, dtype, &order, float.0) };
    let x = as_tensor(it.array)?;
    let dtype = dtype.unwrap_or(x.dtype());
    match is_col_major(&order)? {
        true => as_tensor(copy_in_order(x.astype(dtype)?.into(), order)?),
        false if copy == Some(true) && x.dtype() == dtype => Ok(x.copy()?),
        false => Ok(x.astype(dtype)?),
    }
}

/// Returns 0, 1, 2, … through a shape and strides; converts arguments that are not a shape.
pub(super) fn tensor(
    shape: Value,
    strides: Option<Ints>,
    offset: usize,
    dtype: Option<DType>,
    float: FloatDType,
) -> Called<Tensor> {
    let is_int = |it: &Value| matches!(it, Value::Int(_));
    if !shape.items().is_some_and(|items| items.iter().all(is_int)) {
        let data = match shape {
            Value::Tuple(mut items) if items.len() == 1 => items.remove(0),
            other => other,
        };
        return create_from(data, dtype, Some(true), "C".into(), float);
    }
    let shape: Counts = read(&shape)?;
    let row_major = Layout::row_major(&shape)?.strides();
    let strides = strides.unwrap_or_else(|| row_major.to_vec());
    let end = Layout::from_strides(offset, &shape, &strides)?.span().end;
    let memory = Tensor::arange_integers(0, end as i128, 1, dtype.unwrap_or(DType::Int64))?;
    Ok(memory.as_strided(shape, strides, offset)?)
}
