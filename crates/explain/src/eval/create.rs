//! Creation functions: `arange`, `zeros`, `array` … No memory is allocated for the elements.

use super::args::{CallArg, SHAPE, count, counts, wrong_type};
use super::call::{Call, Outcome};
use super::dialect::Fact;
use super::error::{AtSpan, EvalError, EvalResult, Span};
use super::memory::{MAX_LISTED, cast_scalars};
use super::names::Op;
use super::value::{Array, Module, Value};
use super::{OpResult, Session};
use crate::step::{Kind, Scalar, Values};
use belvedere::DType;
use belvedere::plan::output_layout;
use belvedere_layout::{Chain, Layout, broadcast_shapes};

impl Session<'_> {
    /// Executes a call whose first argument is not a tensor.
    pub(super) fn create(&mut self, call: &mut Call) -> EvalResult<Outcome> {
        Ok(match call.spelling.op {
            Op::Arange => self.arange(call)?.into(),
            Op::Array => self.array(call)?.into(),
            Op::Eye => self.eye(call)?.into(),
            Op::Full => self.full(call)?.into(),
            Op::Linspace => self.linspace(call)?.into(),
            Op::Tensor => self.tensor(call)?.into(),
            Op::Zeros | Op::Ones | Op::Empty | Op::Random => self.filled(call)?.into(),
            Op::BroadcastShapes => broadcast_shapes_of(call)?.into(),
            Op::BroadcastAll => self.broadcast_all(call)?.into(),
            Op::Len => self.length(call)?.into(),
            _ => printed(call)?.into(),
        })
    }

    /// Returns a tensor in new memory, as long as the layout requires.
    pub(super) fn new_tensor(
        &mut self,
        dtype: DType,
        layout: Layout,
        values: Values,
        span: &Span,
    ) -> EvalResult<OpResult> {
        let len = layout.span().end;
        if len as u128 * dtype.size() as u128 > isize::MAX as u128 {
            let message =
                format!("{len} elements of {} bytes each exceed isize::MAX bytes", dtype.size());
            return Err(EvalError::new(message, span));
        }
        let memory = self.memories.add(dtype, len, values);
        Ok(OpResult {
            dtype,
            chain: Chain::new(layout),
            is_lens: false,
            memory,
            kind: Kind::New,
            bytes_copied: 0,
            why: None,
            plan: None,
            fact: None,
        })
    }

    /// `arange(stop)`, `arange(start, stop, step)`
    fn arange(&mut self, call: &mut Call) -> EvalResult<OpResult> {
        let mut given: Vec<CallArg> = call.args.rest();
        let span = call.args.span.clone();
        given.extend(call.args.named(&["stop", "end"]));
        if let Some(start) = call.args.named(&["start"]) {
            given.insert(0, start);
        }
        given.extend(call.args.named(&["step"]));
        let dtype = call.args.dtype()?;
        let zero = CallArg { name: None, value: Value::Int(0), span: span.clone() };
        if given.len() == 1 {
            given.insert(0, zero);
        }
        if given.len() < 2 || given.len() > 3 {
            return Err(EvalError::new("arange takes stop, or start, stop and step", &span));
        }
        let ints: Vec<i128> = given
            .iter()
            .filter_map(|it| if let Value::Int(value) = it.value { Some(value) } else { None })
            .collect();
        match ints.len() == given.len() {
            true => {
                self.integer_range([ints[0], ints[1], *ints.get(2).unwrap_or(&1)], dtype, &span)
            }
            false => self.float_range(&given, dtype, &span),
        }
    }

    /// `arange` of integers.
    fn integer_range(
        &mut self,
        [start, stop, step]: [i128; 3],
        dtype: Option<DType>,
        span: &Span,
    ) -> EvalResult<OpResult> {
        let bound = i128::from(i64::MAX);
        if [start, stop, step].iter().any(|it| it.abs() > bound) {
            return Err(EvalError::new("the arguments of arange must fit in 64 bits", span));
        }
        if step == 0 {
            return Err(EvalError::new("the step of arange must not be 0", span));
        }
        let distance = if step > 0 { stop - start } else { start - stop };
        let len = distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs());
        let layout = Layout::row_major(&[usize::try_from(len).unwrap_or(usize::MAX)]).at(span)?;
        let dtype = dtype.unwrap_or(DType::Int64);
        let values = Values::Arange { start, step, dtype };
        let last = start + (len as i128 - 1).max(0) * step;
        let values = match layout.len() <= MAX_LISTED {
            // Values wrap around in small dtypes.
            true => listed(&values, layout.len(), dtype, span)?,
            false if fits(start, dtype) && fits(last, dtype) => values,
            false => Values::Unknown,
        };
        self.new_tensor(dtype, layout, values, span)
    }

    /// `arange` of floats: `arange(0, 1, 0.25)`.
    fn float_range(
        &mut self,
        given: &[CallArg],
        dtype: Option<DType>,
        span: &Span,
    ) -> EvalResult<OpResult> {
        let numbers = given.iter().map(float).collect::<EvalResult<Vec<f64>>>()?;
        let (start, stop, step) = (numbers[0], numbers[1], *numbers.get(2).unwrap_or(&1.0));
        let len = ((stop - start) / step).ceil().max(0.0);
        if step == 0.0 || !len.is_finite() || len >= isize::MAX as f64 {
            return Err(EvalError::new("arange needs a nonzero step and a finite length", span));
        }
        let len = len as usize;
        let layout = Layout::row_major(&[len]).at(span)?;
        let fact = dtype.is_none();
        let dtype = dtype.unwrap_or(DType::Float64);
        let values = match len <= MAX_LISTED {
            true => {
                let values: Vec<Scalar> =
                    (0..len).map(|i| Scalar::Float(start + i as f64 * step)).collect();
                Values::List(cast_scalars(&values, dtype, span)?.into())
            }
            false => Values::Unknown,
        };
        let made = self.new_tensor(dtype, layout, values, span)?;
        Ok(if fact { made.fact(Fact::DefaultFloat) } else { made })
    }

    /// `linspace(start, stop, n)`
    fn linspace(&mut self, call: &mut Call) -> EvalResult<OpResult> {
        let span = call.args.span.clone();
        let missing = || EvalError::new("linspace takes (start, stop, num)", &span);
        let start = float(&call.args.next(&["start"]).ok_or_else(missing)?)?;
        let stop = float(&call.args.next(&["stop", "end"]).ok_or_else(missing)?)?;
        let n = call.args.int(&["num", "steps"])?.map_or(50, |it| it.0);
        let n = count(n, "a number of elements", &span)?;
        let dtype = call.args.dtype()?.unwrap_or(DType::Float64);
        let layout = Layout::row_major(&[n]).at(&span)?;
        let values = match n <= MAX_LISTED {
            true => {
                let step = (stop - start) / (n.max(2) - 1) as f64;
                let values: Vec<Scalar> =
                    (0..n).map(|i| Scalar::Float(start + i as f64 * step)).collect();
                Values::List(cast_scalars(&values, dtype, &span)?.into())
            }
            false => Values::Unknown,
        };
        self.new_tensor(dtype, layout, values, &span)
    }

    /// `zeros(shape)`, `ones(shape)`, `empty(shape)`, `rand(shape)`
    fn filled(&mut self, call: &mut Call) -> EvalResult<OpResult> {
        let is_col_major = call.args.is_col_major()?;
        let given = call.args.dtype()?;
        let dtype = match (given, call.args.last_dtype()) {
            (Some(dtype), _) => Some(dtype),
            (None, last) => last,
        };
        let (shape, span) = match call.spelling.op {
            Op::Random => call.args.all(SHAPE)?.unwrap_or((Vec::new(), call.args.span.clone())),
            _ => call.args.need_all(SHAPE)?,
        };
        let layout = layout_in_order(&counts(&shape, "a length", &span)?, is_col_major, &span)?;
        let is_default = dtype.is_none();
        let dtype = dtype.unwrap_or(DType::Float64);
        let values = match call.spelling.op {
            Op::Zeros => Values::Constant(Scalar::zero(dtype)),
            Op::Ones => Values::Constant(Scalar::of_integer(1, dtype)),
            _ => Values::Unknown,
        };
        let made = self.new_tensor(dtype, layout, values, &span)?;
        Ok(if is_default { made.fact(Fact::DefaultFloat) } else { made })
    }

    /// `full(shape, value)`
    fn full(&mut self, call: &mut Call) -> EvalResult<OpResult> {
        let (shape, span) = call.args.need_list(SHAPE)?;
        let missing = EvalError::new("missing argument: fill_value", &call.args.span);
        let value = call.args.next(&["fill_value"]).ok_or(missing)?;
        let layout =
            layout_in_order(&counts(&shape, "a length", &span)?, call.args.is_col_major()?, &span)?;
        let (scalar, own) = number(&value.value, &value.span)?;
        let dtype = call.args.dtype()?.unwrap_or(own);
        let value = cast_scalars(&[scalar], dtype, &value.span)?[0];
        self.new_tensor(dtype, layout, Values::Constant(value), &span)
    }

    /// `eye(n)`, `eye(rows, columns)`
    fn eye(&mut self, call: &mut Call) -> EvalResult<OpResult> {
        let (rows, span) = call.args.need_count(&["N", "n", "n_rows"])?;
        let columns = call.args.int(&["M", "m", "n_cols"])?;
        let columns = columns.map_or(Ok(rows), |(it, span)| count(it, "a length", &span))?;
        let dtype = call.args.dtype()?.unwrap_or(DType::Float64);
        let layout = Layout::row_major(&[rows, columns]).at(&span)?;
        let values = match layout.len() <= MAX_LISTED && columns > 0 {
            true => {
                let one = |i: usize| Scalar::of_integer((i / columns == i % columns).into(), dtype);
                Values::List((0..layout.len()).map(one).collect())
            }
            false => Values::Unknown,
        };
        self.new_tensor(dtype, layout, values, &span)
    }

    /// `tensor(shape, strides=…, offset=…)`: a strided view of memory that holds 0, 1, 2, …; or `tensor(data)`, as in
    /// PyTorch.
    fn tensor(&mut self, call: &mut Call) -> EvalResult<OpResult> {
        let is_data = match call.args.peek() {
            Some(Value::Tuple(items)) => items.iter().any(|it| !matches!(it, Value::Int(_))),
            Some(Value::Int(_)) | None => false,
            Some(_) => true,
        };
        if is_data || matches!(call.module, Module::PyTorch | Module::NumPy) {
            return self.array(call);
        }
        let dtype = call.args.dtype()?.unwrap_or(DType::Int64);
        let strides = call.args.named(&["strides", "stride"]);
        let offset = call.args.named(&["offset", "storage_offset"]);
        let (shape, span) = call.args.need_all(SHAPE)?;
        let shape = counts(&shape, "a length", &span)?;
        let start = match &offset {
            Some(it) => count(super::args::int(&it.value, &it.span)?, "an offset", &it.span)?,
            None => 0,
        };
        let (layout, span) = match &strides {
            Some(it) => {
                let strides = super::args::ints(&it.value, &it.span)?;
                let made = Layout::from_strides(start, &shape, &strides).at(&it.span);
                (
                    made.map_err(|it| it.help("offset=… sets the offset of the first element"))?,
                    it.span.clone(),
                )
            }
            None => {
                let strides = Layout::row_major(&shape).at(&span)?.strides();
                (Layout::from_strides(start, &shape, &strides).at(&span)?, span)
            }
        };
        self.new_tensor(dtype, layout, Values::Arange { start: 0, step: 1, dtype }, &span)
    }

    /// `array([[1, 2], [3, 4]])`
    fn array(&mut self, call: &mut Call) -> EvalResult<OpResult> {
        let missing = EvalError::new("missing argument: data", &call.args.span);
        let given = call.args.next(&["data", "object", "obj"]).ok_or(missing)?;
        let dtype = call.args.dtype()?;
        let is_col_major = call.args.is_col_major()?;
        let span = &given.span;
        if let Value::Array(x) = given.value {
            call.context.inputs.push(x.step);
            return match (call.spelling.name, dtype) {
                (_, Some(dtype)) if dtype != x.dtype => self.cast(&x, dtype, span),
                ("array" | "tensor", _) => self.copied(&x, &x.chain, None, span),
                _ => Ok(OpResult::view(&x, x.chain.clone())),
            };
        }
        let mut shape = Vec::new();
        let mut values = Vec::new();
        let own = nested(&given.value, span, 0, &mut shape, &mut values)?;
        let fact = dtype.is_none() && own.is_floating();
        let dtype = dtype.unwrap_or(own);
        let values = cast_scalars(&values, dtype, span)?;
        let layout = layout_in_order(&shape, is_col_major, span)?;
        let values = super::copies::in_layout_order(&layout, values);
        let made = self.new_tensor(dtype, layout, values, span)?;
        Ok(if fact { made.fact(Fact::DefaultFloat) } else { made })
    }

    /// `zeros_like(x)`, `ones_like(x)`, `empty_like(x)`
    pub(super) fn like(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let dtype = call.args.dtype()?.unwrap_or(x.dtype);
        let span = call.context.span.clone();
        let layout = match x.layout() {
            Some(layout) => output_layout(x.shape(), &[&layout]).at(&span)?,
            None => Layout::row_major(x.shape()).at(&span)?,
        };
        let values = match call.spelling.name {
            "zeros_like" => Values::Constant(Scalar::zero(dtype)),
            "ones_like" => Values::Constant(Scalar::of_integer(1, dtype)),
            _ => Values::Unknown,
        };
        self.new_tensor(dtype, layout, values, &span)
    }

    /// `broadcast_arrays(x, y)`: one step for each operand.
    fn broadcast_all(&mut self, call: &mut Call) -> EvalResult<Value> {
        let mut arrays = Vec::new();
        while call.args.n_positional() > 0 {
            arrays.push(call.args.array(&[])?.0);
        }
        let shapes: Vec<&[usize]> = arrays.iter().map(Array::shape).collect();
        let shape = broadcast_shapes(&shapes).at(&call.args.span)?;
        let mut made = Vec::new();
        for array in &arrays {
            let mut context = call.context.clone();
            context.inputs.push(array.step);
            let chain = array.chain.broadcast_to(&shape).at(&call.args.span)?;
            let view = self.push(&context, Some(call.spelling), OpResult::view(array, chain))?;
            made.push(Value::Array(view));
        }
        Value::tuple(made, &call.args.span)
    }

    fn length(&mut self, call: &mut Call) -> EvalResult<Value> {
        let missing = EvalError::new("missing argument: x", &call.args.span);
        let given = call.args.next(&["x"]).ok_or(missing)?;
        let len = match &given.value {
            Value::Array(x) => x.shape().first().copied(),
            Value::Tuple(items) => Some(items.len()),
            Value::Parts(parts) => Some(parts.split.count()),
            _ => None,
        };
        let len = len.ok_or_else(|| EvalError::new("this value has no length", &given.span))?;
        Ok(Value::Int(len as i128))
    }
}

/// `print(…)`: the arguments that are not strings.
fn printed(call: &mut Call) -> EvalResult<Value> {
    let span = call.args.span.clone();
    let values = call.args.rest().into_iter().map(|it| it.value);
    let mut values: Vec<Value> = values.filter(|it| !matches!(it, Value::Str(..))).collect();
    match values.len() {
        0 => Ok(Value::None),
        1 => Ok(values.remove(0)),
        _ => Value::tuple(values, &span),
    }
}

fn broadcast_shapes_of(call: &mut Call) -> EvalResult<Value> {
    let given = call.args.rest();
    let shape =
        |it: &CallArg| counts(&super::args::ints(&it.value, &it.span)?, "a length", &it.span);
    let shapes = given.iter().map(shape).collect::<EvalResult<Vec<_>>>()?;
    let slices: Vec<&[usize]> = shapes.iter().map(|it| &it[..]).collect();
    Ok(Value::lengths(&broadcast_shapes(&slices).at(&call.args.span)?))
}

fn layout_in_order(shape: &[usize], is_col_major: bool, span: &Span) -> EvalResult<Layout> {
    match is_col_major {
        true => Layout::col_major(shape).at(span),
        false => Layout::row_major(shape).at(span),
    }
}

fn listed(values: &Values, len: usize, dtype: DType, span: &Span) -> EvalResult<Values> {
    let wide: Vec<Scalar> = match *values {
        Values::Arange { start, step, .. } => {
            (0..len as i128).map(|i| Scalar::Int(start + i * step)).collect()
        }
        _ => return Ok(values.clone()),
    };
    Ok(Values::List(cast_scalars(&wide, dtype, span)?.into()))
}

/// Whether an integer is representable in a dtype.
fn fits(value: i128, dtype: DType) -> bool {
    let bits = 8 * dtype.size() as u32;
    if !dtype.is_integer() {
        return dtype.is_floating() || dtype.is_complex();
    }
    match dtype.is_unsigned() {
        true => value >= 0 && value >> bits == 0,
        false => value >> (bits - 1) == 0 || value >> (bits - 1) == -1,
    }
}

fn float(given: &CallArg) -> EvalResult<f64> {
    match given.value {
        Value::Int(value) => Ok(value as f64),
        Value::Float(value) => Ok(value),
        ref other => Err(wrong_type("a number", other, &given.span)),
    }
}

/// Returns a number as an element, and its default dtype.
pub(super) fn number(value: &Value, span: &Span) -> EvalResult<(Scalar, DType)> {
    match value {
        Value::Bool(value) => Ok((Scalar::Bool(*value), DType::Bool)),
        Value::Int(value) if i64::try_from(*value).is_ok() => {
            Ok((Scalar::Int(*value), DType::Int64))
        }
        Value::Int(value) => Err(EvalError::new(format!("{value} does not fit in 64 bits"), span)),
        Value::Float(value) => Ok((Scalar::Float(*value), DType::Float64)),
        Value::Complex(re, im) => Ok((Scalar::Complex(*re, *im), DType::Complex128)),
        other => Err(wrong_type("a number", other, span)),
    }
}

/// Flattens nested lists into their shape and their values.
fn nested(
    value: &Value,
    span: &Span,
    depth: usize,
    shape: &mut Vec<usize>,
    values: &mut Vec<Scalar>,
) -> EvalResult<DType> {
    let Value::Tuple(items) = value else {
        if depth != shape.len() {
            return Err(EvalError::new("nested lists must have equal lengths", span));
        }
        let (scalar, dtype) = number(value, span)?;
        values.push(scalar);
        return Ok(dtype);
    };
    let is_first = values.is_empty() && shape.len() == depth;
    if is_first {
        shape.push(items.len());
    }
    if shape.get(depth) != Some(&items.len()) {
        return Err(EvalError::new("nested lists must have equal lengths", span));
    }
    let mut dtype = None;
    for item in items {
        let own = nested(item, span, depth + 1, shape, values)?;
        dtype = Some(dtype.map_or(own, |dtype| belvedere::result_type(dtype, own)));
    }
    Ok(dtype.unwrap_or(DType::Float64))
}
