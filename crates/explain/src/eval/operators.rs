//! Operators: on numbers and tuples here, on tensors by the operations of the library, also in place.

use super::Session;
use super::arguments::wrong_type;
use super::bind::CallArg;
use super::call::CallSource;
use super::error::{EvalResult, Span, error};
use super::table;
use super::value::{Library, Value};
use crate::tree::{Expr, Node, Operator};

/// Operators and the operations that they call.
#[rustfmt::skip]
const OPERATIONS: [(&str, &str); 19] = [
    ("+", "add"), ("-", "subtract"), ("*", "multiply"), ("/", "divide"), ("//", "floor_divide"), ("%", "remainder"),
    ("**", "pow"), ("@", "matmul"), ("<", "less"), ("<=", "less_equal"), (">", "greater"), (">=", "greater_equal"),
    ("==", "equal"), ("!=", "not_equal"), ("&", "bitwise_and"), ("|", "bitwise_or"), ("^", "bitwise_xor"),
    ("<<", "bitwise_left_shift"), (">>", "bitwise_right_shift"),
];

/// Returns an operator as in the table, and the name of its operation.
fn operation_of(sign: &str) -> (&'static str, &'static str) {
    *OPERATIONS.iter().find(|it| it.0 == sign).expect("the parser knows these operators only")
}

impl Session<'_> {
    /// `-x`, `+x`, `~x` of a tensor.
    pub(super) fn unary(&mut self, sign: &str, x: Value, span: &Span) -> EvalResult<Value> {
        let name = match sign {
            "-" => "negative",
            "+" => "positive",
            _ => "bitwise_invert",
        };
        self.operator(name, vec![CallArg::new(x, span.clone())], span)
    }

    /// `a + b`, `a @ b`, `a < b` …
    pub(super) fn binary(
        &mut self,
        operator: &Operator,
        operands: [(Value, &Span); 2],
        whole: &Span,
    ) -> EvalResult<Value> {
        let n_arrays = operands.iter().filter(|it| it.0.is_array()).count();
        if n_arrays == 0 {
            let [(left, _), (right, _)] = operands;
            return binary(operator, left, right);
        }
        for (value, span) in &operands {
            if matches!(value, Value::Str(..) | Value::None | Value::DType(_) | Value::Function(..))
            {
                return Err(wrong_type("a number or a tensor", value, span));
            }
        }
        if operator.sign == "@" && n_arrays == 1 {
            return Err(error!(whole, "`@` is for two tensors").help("`*` multiplies by a number"));
        }
        let given = operands.map(|(value, span)| CallArg::new(value, span.clone()));
        self.operator(operation_of(operator.sign).1, given.into(), whole)
    }

    /// Calls the operation of an operator.
    fn operator(&mut self, name: &str, given: Vec<CallArg>, whole: &Span) -> EvalResult<Value> {
        let operation = table::known(name, Library::Belvedere);
        let source = CallSource::new(whole.clone(), whole.clone());
        self.call(operation, (name, Library::Belvedere), given, source).map(|it| it.0)
    }

    /// `x += …`, `x[…] += …`: in place on a tensor, as in Python.
    pub(super) fn update(
        &mut self,
        target: &Expr,
        operator: &Operator,
        value: &Expr,
    ) -> EvalResult<()> {
        let whole = target.span.start..value.span.end;
        let (sign, name) = operation_of(operator.sign.trim_end_matches('='));
        if sign == "@" {
            return Err(error!(&operator.span, "`@=` is not supported")
                .help("`@` cannot write to its operand: write x[...] = x @ y"));
        }
        let (held, is_view) = match &target.node {
            Node::Postfix(base, trailers) => self.indexed(base, trailers)?,
            _ => (self.value(target)?, true),
        };
        let right = self.value(value)?;
        let operands = [(held, &target.span), (right, &value.span)];
        if is_view && operands[0].0.is_array() {
            let given = operands.map(|(value, span)| CallArg::new(value, span.clone()));
            return self.operator(&format!("{name}_"), given.into(), &whole).map(|_| ());
        }
        let plain = Operator { sign, span: operator.span.clone() };
        let result = self.binary(&plain, operands, &whole)?;
        match &target.node {
            Node::Name(name) => self.bind(name, result, &value.span),
            _ => self.write_value(target, result, &value.span),
        }
    }
}

/// `-a`, `+a`, `~a` of a number.
pub(super) fn unary(sign: &str, value: Value, span: &Span) -> EvalResult<Value> {
    match (sign, value) {
        ("-", Value::Int(value)) => value
            .checked_neg()
            .map(Value::Int)
            .ok_or_else(|| error!(span, "this number is too large")),
        ("-", Value::Float(value)) => Ok(Value::Float(-value)),
        ("-", Value::Complex(re, im)) => Ok(Value::Complex(-re, -im)),
        ("~", Value::Int(value)) => Ok(Value::Int(!value)),
        ("+", value @ (Value::Int(_) | Value::Float(_) | Value::Complex(..))) => Ok(value),
        ("~", other) => Err(wrong_type("an integer or a tensor", &other, span)),
        (_, other) => Err(wrong_type("a number or a tensor", &other, span)),
    }
}

/// `a + b` of numbers and tuples.
fn binary(operator: &Operator, left: Value, right: Value) -> EvalResult<Value> {
    let (sign, span) = (operator.sign, &operator.span);
    match (sign, &left, &right) {
        ("+", Value::Tuple(a), Value::Tuple(b)) | ("+", Value::List(a), Value::List(b)) => {
            return left.with_items([&a[..], b].concat()).bounded(span);
        }
        ("*", Value::Int(n), items) | ("*", items, Value::Int(n)) if items.items().is_some() => {
            return items.repeated(*n, span);
        }
        _ => {}
    }
    let whole = |value: &Value| match value {
        Value::Int(value) => Some(*value),
        Value::Bool(value) => Some(i128::from(*value)),
        _ => None,
    };
    let complex = |value: &Value| match value {
        Value::Float(value) => Some((*value, 0.0)),
        Value::Complex(re, im) => Some((*re, *im)),
        other => whole(other).map(|it| (it as f64, 0.0)),
    };
    let is_complex = [&left, &right].iter().any(|it| matches!(it, Value::Complex(..)));
    match (whole(&left).zip(whole(&right)), complex(&left).zip(complex(&right))) {
        (Some((a, b)), _) => whole_numbers(sign, a, b, span),
        (_, Some(((a, _), (b, _)))) if !is_complex => floats(sign, a, b, span),
        (_, Some(((a, b), (c, d)))) => match sign {
            "+" => Ok(Value::Complex(a + c, b + d)),
            "-" => Ok(Value::Complex(a - c, b - d)),
            "*" => Ok(Value::Complex(a * c - b * d, a * d + b * c)),
            _ => Err(error!(span, "`{sign}` of complex numbers is for tensors")),
        },
        _ => {
            Err(error!(span, "`{sign}` between {} and {} means nothing", left.kind(), right.kind()))
        }
    }
}

/// Returns the result of a comparison.
fn compared<T: PartialOrd>(sign: &str, a: T, b: T) -> Option<Value> {
    Some(Value::Bool(match sign {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        "!=" => a != b,
        _ => return None,
    }))
}

fn whole_numbers(sign: &str, a: i128, b: i128, span: &Span) -> EvalResult<Value> {
    if let Some(answer) = compared(sign, a, b) {
        return Ok(answer);
    }
    let shift = u32::try_from(b).ok().filter(|&it| it < 127);
    let result = match sign {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => return floats(sign, a as f64, b as f64, span),
        "//" | "%" if b == 0 => return Err(error!(span, "a division by 0")),
        "//" => remainder(a, b).and_then(|rest| a.checked_sub(rest)?.checked_div(b)),
        "%" => remainder(a, b),
        "**" if b >= 0 => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        "**" => return floats(sign, a as f64, b as f64, span),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "<<" => shift.and_then(|it| a.checked_mul(1 << it)),
        ">>" => shift.map(|it| a >> it),
        _ => return Err(error!(span, "`{sign}` is for tensors")),
    };
    result.map(Value::Int).ok_or_else(|| error!(span, "the result is too large"))
}

/// The remainder of a division rounded down: it has the sign of the divisor.
fn remainder(a: i128, b: i128) -> Option<i128> {
    let rest = a.checked_rem(b)?;
    Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
}

fn floats(sign: &str, a: f64, b: f64, span: &Span) -> EvalResult<Value> {
    if let Some(answer) = compared(sign, a, b) {
        return Ok(answer);
    }
    Ok(Value::Float(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" | "//" | "%" if b == 0.0 => return Err(error!(span, "a division by 0")),
        "/" => a / b,
        "//" => (a / b).floor(),
        "%" => a - b * (a / b).floor(),
        "**" => a.powf(b),
        _ => return Err(error!(span, "`{sign}` is for tensors")),
    }))
}
