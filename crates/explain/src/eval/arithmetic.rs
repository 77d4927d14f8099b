//! Arithmetic on scalars and tensors, with broadcasting, and reductions.

use super::args::CallArg;
use super::call::Call;
use super::dialect::Fact;
use super::error::{AtSpan, EvalError, EvalResult, Span};
use super::memory::{MAX_LISTED, scalars, tensor};
use super::names::{BinaryFunction, Op, Spelling, UnaryFunction};
use super::value::{Array, Value};
use super::{OpResult, Session};
use crate::step::{Scalar, Values};
use crate::tree::Operator;
use belvedere::plan::output_layout;
use belvedere::{Complex, DType, Error, Operand, Tensor, result_type};
use belvedere_layout::{Layout, Shape, broadcast_shapes};

/// One side of an operator.
enum Side {
    Array(Array),
    Number(Scalar),
}

impl Side {
    fn shape(&self) -> &[usize] {
        match self {
            Side::Array(array) => array.shape(),
            Side::Number(_) => &[],
        }
    }

    fn dtype(&self) -> Option<DType> {
        match self {
            Side::Array(array) => Some(array.dtype),
            Side::Number(_) => None,
        }
    }

    fn layout(&self) -> Option<Layout> {
        match self {
            Side::Array(array) => array.layout(),
            Side::Number(_) => Layout::scalar(0).ok(),
        }
    }

    fn is_lens(&self) -> bool {
        matches!(self, Side::Array(array) if array.layout().is_none())
    }

    fn new(value: Value, span: &Span) -> EvalResult<Side> {
        match value {
            Value::Array(array) => Ok(Side::Array(array)),
            other => Ok(Side::Number(super::create::number(&other, span)?.0)),
        }
    }
}

impl Session<'_> {
    /// `-x`, `+x`, `~x`
    pub(super) fn signed(&mut self, sign: &str, value: Value, span: &Span) -> EvalResult<Value> {
        match value {
            Value::Int(value) if sign == "-" => value
                .checked_neg()
                .map(Value::Int)
                .ok_or_else(|| EvalError::new("this number is too large", span)),
            Value::Float(value) if sign == "-" => Ok(Value::Float(-value)),
            Value::Complex(re, im) if sign == "-" => Ok(Value::Complex(-re, -im)),
            Value::Int(value) if sign == "~" => Ok(Value::Int(!value)),
            Value::Int(_) | Value::Float(_) | Value::Complex(..) if sign == "+" => Ok(value),
            Value::Array(array) if sign != "+" => {
                let name = if sign == "-" { "negative" } else { "bitwise_invert" };
                let spelling = Spelling::find(name).expect("the operators are in the table");
                let mut context = self.context(spelling.op.name(), span.clone(), span);
                context.inputs.push(array.step);
                let args = super::args::Args::new(Vec::new(), span.clone());
                let module = super::value::Module::Bare;
                self.call(Call { spelling, module, is_method: true, context, args }, Some(array))
            }
            Value::Array(_) => Ok(value),
            other if sign == "~" => {
                Err(super::args::wrong_type("an integer or a tensor", &other, span))
            }
            other => Err(super::args::wrong_type("a number or a tensor", &other, span)),
        }
    }

    /// `a + b`, `a @ b`, `a < b` …
    pub(super) fn operate(
        &mut self,
        operator: &Operator,
        [(left, from), (right, to)]: [(Value, &Span); 2],
        whole: Span,
    ) -> EvalResult<Value> {
        let is_array = |it: &Value| matches!(it, Value::Array(_));
        if !is_array(&left) && !is_array(&right) {
            return plain(operator, left, right);
        }
        let (first, second) = (is_array(&left), is_array(&right));
        let ((left, from), (right, to), sign) = match mirrored(operator.sign) {
            // As Python does: `1 < x` is `x > 1`.
            Some(sign) if !first && second => ((right, to), (left, from), sign),
            _ => ((left, from), (right, to), operator.sign),
        };
        let spelling = Spelling::find(function_name(sign)).expect("the operators are in the table");
        let mut context = self.context(spelling.op.name(), whole.clone(), &whole);
        for value in [&left, &right] {
            if let Value::Array(array) = value {
                context.inputs.push(array.step);
            }
        }
        let sides = Side::new(left, from).and_then(|left| Ok([left, Side::new(right, to)?]));
        let made = sides.and_then(|sides| self.binary(spelling.op, &sides, &whole));
        let array = made.and_then(|made| self.push(&context, Some(spelling), made));
        array.map(Value::Array).map_err(|error| error.in_call(&context))
    }

    /// `add(x, y)`, `matmul(x, y)`, `negative(x)`
    pub(super) fn calculate(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let span = call.context.span.clone();
        if let Some(function) = call.spelling.op.unary() {
            return self.unary(function, x, &span);
        }
        let missing = EvalError::new("a second operand is missing", &call.args.span);
        let CallArg { value, span: at, .. } =
            call.args.next(&["other", "x2", "mat2"]).ok_or(missing)?;
        if let Value::Array(array) = &value {
            call.context.inputs.push(array.step);
        }
        let sides = [Side::Array(x.clone()), Side::new(value, &at)?];
        self.binary(call.spelling.op, &sides, &span)
    }

    fn unary(&mut self, function: UnaryFunction, x: &Array, span: &Span) -> EvalResult<OpResult> {
        let probe = Tensor::zeros([0usize], x.dtype).and_then(|it| function(&it)).at(span)?;
        let layout = match x.layout() {
            Some(layout) => output_layout(x.shape(), &[&layout]).at(span)?,
            None => Layout::row_major(x.shape()).at(span)?,
        };
        let plan = x
            .layout()
            .and_then(|from| super::plan::unary([&layout, &from], [probe.dtype(), x.dtype]));
        let values = self.memories.real(x).and_then(|it| scalars(&function(&it).ok()?));
        let values =
            values.map_or(Values::Unknown, |it| super::copies::in_layout_order(&layout, it));
        Ok(OpResult { plan, ..self.new_tensor(probe.dtype(), layout, values, span)? })
    }

    fn binary(&mut self, op: Op, sides: &[Side; 2], span: &Span) -> EvalResult<OpResult> {
        if op == Op::Matmul {
            return self.matmul(sides, span);
        }
        let shapes = sides.each_ref().map(Side::shape);
        let shape = broadcast_shapes(&shapes).map_err(|error| together(error, shapes, span))?;
        let function = op.binary().expect("an operation of two operands");
        let dtype = probed(function, sides).at(span)?;
        let layouts = sides.each_ref().map(Side::layout);
        let has_lens = sides.iter().any(Side::is_lens);
        let own: Vec<&Layout> = sides
            .iter()
            .zip(&layouts)
            .filter_map(|(side, layout)| layout.as_ref().filter(|_| side.dtype().is_some()))
            .collect();
        // Lenses are read in the order of the indices.
        let layout = match has_lens || own.iter().all(|it| it.is_contiguous()) {
            true => Layout::row_major(&shape).at(span)?,
            false => output_layout(&shape, &own).at(span)?,
        };
        let (plan, bytes_copied) = match &layouts {
            [Some(left), Some(right)] => {
                let told = loops(&layout, [left, right], sides, dtype);
                told.map_or((None, 0), |it| (Some(it.text), it.bytes_copied))
            }
            _ => {
                let text = "a lens has no strides: element by element, in the order of the indices";
                (Some(text.into()), 0)
            }
        };
        let values = self.calculated(function, sides, dtype, layout.len()).at(span)?;
        let values =
            values.map_or(Values::Unknown, |it| super::copies::in_layout_order(&layout, it));
        let made = OpResult { plan, bytes_copied, ..self.new_tensor(dtype, layout, values, span)? };
        Ok(match [sides[0].dtype(), sides[1].dtype()] {
            [Some(a), Some(b)] if a != b => {
                // The operands of a comparison are promoted, and its result is bool.
                let to = if dtype.is_bool() { result_type(a, b) } else { dtype };
                made.fact(Fact::Promoted { from: [a, b], to })
            }
            _ => made,
        })
    }

    /// The result's elements in row-major order, if they are few and known.
    fn calculated(
        &self,
        function: BinaryFunction,
        sides: &[Side; 2],
        dtype: DType,
        len: usize,
    ) -> Result<Option<Vec<Scalar>>, Error> {
        if len > MAX_LISTED {
            return Ok(None);
        }
        let real = |side: &Side| match side {
            Side::Array(array) => self.memories.real(array),
            Side::Number(number) => tensor(&[*number], dtype)?.reshape::<usize>([]).ok(),
        };
        let Some(left) = real(&sides[0]) else { return Ok(None) };
        let result = match &sides[1] {
            Side::Number(number) => function(&left, operand(number)),
            Side::Array(array) => match self.memories.real(array) {
                Some(right) => function(&left, (&right).into()),
                None => return Ok(None),
            },
        };
        Ok(scalars(&result?))
    }

    fn matmul(&mut self, sides: &[Side; 2], span: &Span) -> EvalResult<OpResult> {
        let [Side::Array(a), Side::Array(b)] = sides else {
            return Err(
                EvalError::new("`@` is for two tensors", span).help("`*` multiplies by a number")
            );
        };
        let shape = product_shape(a.shape(), b.shape(), span)?;
        let probe = |dtype| Tensor::zeros([1usize, 1], dtype);
        let dtype = probe(a.dtype).and_then(|left| left.matmul(&probe(b.dtype)?)).at(span)?.dtype();
        let layout = Layout::row_major(&shape).at(span)?;
        let values = match layout.len() <= MAX_LISTED {
            true => self.memories.real(a).zip(self.memories.real(b)),
            false => None,
        };
        let values = values.and_then(|(a, b)| scalars(&a.matmul(&b).ok()?));
        let values = values.map_or(Values::Unknown, |it| Values::List(it.into()));
        // What has no strides, or another type, is copied first.
        let is_copied = |it: &&Array| it.layout().is_none() || it.dtype != dtype;
        let copied = [a, b].into_iter().filter(is_copied);
        let bytes_copied = copied.map(|it| it.chain.len() as u128 * dtype.size() as u128).sum();
        let inner = a.shape().last().copied().unwrap_or(1);
        let plan = Some(format!("{} products of {inner} numbers each, by blocks", layout.len()));
        Ok(OpResult { bytes_copied, plan, ..self.new_tensor(dtype, layout, values, span)? })
    }

    /// Reductions: `sum(axes, keepdims=…)`, `mean`, `min`, `max`.
    pub(super) fn reduce(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (axes, span) = match call.args.list(super::args::AXIS)? {
            Some(given) => given,
            None => ((0..x.rank() as isize).collect(), call.context.span.clone()),
        };
        let keeps = call.args.flag(&["keepdims", "keepdim"])?.unwrap_or(false);
        let layout_of_shape = x.shape_layout(&span)?;
        let resolved = axes.iter().map(|&it| layout_of_shape.resolve_axis(it));
        let resolved = resolved.collect::<Result<Vec<usize>, _>>().at(&span)?;
        let lengths =
            x.shape().iter().enumerate().filter_map(|(k, &len)| match resolved.contains(&k) {
                true => keeps.then_some(1),
                false => Some(len),
            });
        let layout = Layout::row_major(&lengths.collect::<Shape>()).at(&span)?;
        let function = call.spelling.op.reduction().expect("a reduction");
        let probe = Tensor::zeros(vec![1usize; x.rank()], x.dtype);
        let dtype = probe.and_then(|it| function(&it, &axes)).at(&span)?.dtype();
        let values = match self.memories.real(x) {
            Some(real) => {
                let result = function(&real, &axes).at(&span)?;
                scalars(&result).map_or(Values::Unknown, |it| Values::List(it.into()))
            }
            None => Values::Unknown,
        };
        self.new_tensor(dtype, layout, values, &span)
    }
}

/// The name of an operator as a function.
fn function_name(sign: &str) -> &'static str {
    match sign {
        "+" => "add",
        "-" => "subtract",
        "*" => "multiply",
        "/" => "divide",
        "//" => "floor_divide",
        "%" => "remainder",
        "**" => "pow",
        "<" => "less",
        "<=" => "less_equal",
        ">" => "greater",
        ">=" => "greater_equal",
        "==" => "equal",
        "!=" => "not_equal",
        "&" => "bitwise_and",
        "|" => "bitwise_or",
        "^" => "bitwise_xor",
        "<<" => "bitwise_left_shift",
        ">>" => "bitwise_right_shift",
        _ => "matmul",
    }
}

/// The comparison of the operands in reverse order.
fn mirrored(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        "==" => "==",
        "!=" => "!=",
        _ => return None,
    })
}

/// A weakly typed scalar.
fn operand(number: &Scalar) -> Operand<'static> {
    match *number {
        Scalar::Bool(value) => Operand::from(value),
        Scalar::Int(value) => Operand::from(value as i64),
        Scalar::Float(value) => Operand::from(value),
        Scalar::Complex(re, im) => Operand::from(Complex::new(re, im)),
    }
}

/// The type of a result, found by calculating nothing.
fn probed(function: BinaryFunction, sides: &[Side; 2]) -> Result<DType, Error> {
    let none = |dtype| Tensor::zeros([0usize], dtype);
    let result = match sides {
        [Side::Array(a), Side::Array(b)] => function(&none(a.dtype)?, (&none(b.dtype)?).into()),
        [Side::Array(a), Side::Number(n)] | [Side::Number(n), Side::Array(a)] => {
            function(&none(a.dtype)?, operand(n))
        }
        [Side::Number(_), Side::Number(_)] => none(DType::Float64),
    };
    result.map(|it| it.dtype())
}

fn loops(
    out: &Layout,
    [left, right]: [&Layout; 2],
    sides: &[Side; 2],
    dtype: DType,
) -> Option<super::plan::PlanText> {
    let (left, right) =
        (left.broadcast_to(out.shape()).ok()?, right.broadcast_to(out.shape()).ok()?);
    let types = [dtype, sides[0].dtype().unwrap_or(dtype), sides[1].dtype().unwrap_or(dtype)];
    super::plan::binary([out, &left, &right], types)
}

#[cold]
fn together(
    error: belvedere_layout::LayoutError,
    [a, b]: [&[usize]; 2],
    span: &Span,
) -> Box<EvalError> {
    EvalError::layout(error, span).help(format!(
        "{a:?} and {b:?} are compared from the last axis on: equal, or one of them 1"
    ))
}

/// The shape of a matrix product, stacks of matrices and single vectors included.
fn product_shape(a: &[usize], b: &[usize], span: &Span) -> EvalResult<Shape> {
    let (Some((&k, rows)), false) = (a.split_last(), b.is_empty()) else {
        return Err(EvalError::new("`@` takes at least one axis on each side", span));
    };
    let (inner, columns) = match b {
        [only] => (*only, None),
        [.., inner, columns] => (*inner, Some(*columns)),
        [] => unreachable!("checked above"),
    };
    if k != inner {
        let message = format!("{a:?} @ {b:?}: {k} columns do not meet {inner} rows");
        return Err(EvalError::new(message, span));
    }
    let (stacks_a, row) = match rows.split_last() {
        Some((&row, stacks)) => (stacks, Some(row)),
        None => (rows, None),
    };
    let stacks_b = &b[..b.len().saturating_sub(2)];
    let stacks = broadcast_shapes(&[stacks_a, stacks_b]).at(span)?;
    Ok(stacks.iter().copied().chain(row).chain(columns).collect())
}

/// Numbers with numbers, and tuples put together.
fn plain(operator: &Operator, left: Value, right: Value) -> EvalResult<Value> {
    let span = &operator.span;
    match (operator.sign, left, right) {
        (sign, Value::Int(a), Value::Int(b)) => whole_numbers(sign, a, b, span),
        (sign, Value::Int(a), Value::Float(b)) => floats(sign, a as f64, b, span),
        (sign, Value::Float(a), Value::Int(b)) => floats(sign, a, b as f64, span),
        (sign, Value::Float(a), Value::Float(b)) => floats(sign, a, b, span),
        ("+", Value::Int(a), Value::Complex(re, im)) => Ok(Value::Complex(a as f64 + re, im)),
        ("+", Value::Float(a), Value::Complex(re, im)) => Ok(Value::Complex(a + re, im)),
        ("-", Value::Int(a), Value::Complex(re, im)) => Ok(Value::Complex(a as f64 - re, -im)),
        ("-", Value::Float(a), Value::Complex(re, im)) => Ok(Value::Complex(a - re, -im)),
        ("+", Value::Tuple(mut a), Value::Tuple(b)) => {
            a.extend(b);
            Value::tuple(a, span)
        }
        ("*", Value::Tuple(items), Value::Int(n)) | ("*", Value::Int(n), Value::Tuple(items)) => {
            Value::repeated_tuple(items, n, span)
        }
        (sign, left, right) => {
            let message =
                format!("`{sign}` between {} and {} means nothing", left.kind(), right.kind());
            Err(EvalError::new(message, span))
        }
    }
}

fn whole_numbers(sign: &str, a: i128, b: i128, span: &Span) -> EvalResult<Value> {
    let result = match sign {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => return floats(sign, a as f64, b as f64, span),
        "//" | "%" if b == 0 => return Err(EvalError::new("a division by 0", span)),
        "//" => remainder(a, b).and_then(|rest| a.checked_sub(rest)?.checked_div(b)),
        "%" => remainder(a, b),
        "**" if b >= 0 => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        "**" => return floats(sign, a as f64, b as f64, span),
        _ => return Err(EvalError::new(format!("`{sign}` is for tensors"), span)),
    };
    result.map(Value::Int).ok_or_else(|| EvalError::new("the result is too large", span))
}

/// The remainder of a division rounded down: it has the sign of the divisor.
fn remainder(a: i128, b: i128) -> Option<i128> {
    let rest = a.checked_rem(b)?;
    Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
}

fn floats(sign: &str, a: f64, b: f64, span: &Span) -> EvalResult<Value> {
    Ok(Value::Float(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" | "//" | "%" if b == 0.0 => return Err(EvalError::new("a division by 0", span)),
        "/" => a / b,
        "//" => (a / b).floor(),
        "%" => a - b * (a / b).floor(),
        "**" => a.powf(b),
        _ => return Err(EvalError::new(format!("`{sign}` is for tensors"), span)),
    }))
}
