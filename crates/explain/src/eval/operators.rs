//! Operators: on numbers and tuples here, on tensors by the operations of the library, also in place.

use super::Session;
use super::arguments::wrong_type;
use super::bind::CallArg;
use super::call::CallSource;
use super::error::{EvalError, EvalResult, Span};
use super::table;
use super::value::{Library, Value};
use crate::tree::{Expr, Node, Operator, Trailer, TrailerKind};

impl Session<'_> {
    /// `-x`, `+x`, `~x` of a tensor.
    pub(super) fn unary(&mut self, sign: &str, x: Value, span: &Span) -> EvalResult<Value> {
        let name = match sign {
            "-" => "negative",
            "+" => "positive",
            _ => "bitwise_invert",
        };
        let given = vec![CallArg { name: None, value: x, span: span.clone() }];
        self.operator(name, given, span)
    }

    /// `a + b`, `a @ b`, `a < b` …
    pub(super) fn binary(
        &mut self,
        operator: &Operator,
        [(left, from), (right, to)]: [(Value, &Span); 2],
        whole: &Span,
    ) -> EvalResult<Value> {
        let is_array = |it: &Value| matches!(it, Value::Array(_));
        if !is_array(&left) && !is_array(&right) {
            return binary(operator, left, right);
        }
        for (value, span) in [(&left, from), (&right, to)] {
            if matches!(value, Value::Str(..) | Value::None | Value::DType(_) | Value::Function(..))
            {
                return Err(wrong_type("a number or a tensor", value, span));
            }
        }
        if operator.sign == "@" && !(is_array(&left) && is_array(&right)) {
            let error = EvalError::new("`@` is for two tensors", whole);
            return Err(error.help("`*` multiplies by a number"));
        }
        let given = [(left, from), (right, to)];
        let given = given.map(|(value, span)| CallArg { name: None, value, span: span.clone() });
        self.operator(function_name(operator.sign), given.into(), whole)
    }

    /// Calls the operation of an operator.
    fn operator(&mut self, name: &str, given: Vec<CallArg>, whole: &Span) -> EvalResult<Value> {
        let operation =
            table::find(name, Library::Belvedere).expect("the operators are in the table");
        let source = CallSource::operator(whole);
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
        let sign = operator.sign.trim_end_matches('=');
        let name = format!("{}_", function_name(sign));
        let Some(operation) = table::find(&name, Library::Belvedere) else {
            let error =
                EvalError::new(format!("`{}` is not supported", operator.sign), &operator.span);
            return Err(error.help("`@` cannot write to its operand: write x[...] = x @ y"));
        };
        let (held, is_view) = match &target.node {
            Node::Postfix(base, trailers)
                if matches!(trailers.last(), Some(Trailer { kind: TrailerKind::Index(_), .. })) =>
            {
                self.indexed(base, trailers)?
            }
            _ => (self.value(target)?, true),
        };
        let right = self.value(value)?;
        let is_array = matches!(held, Value::Array(_));
        let given = vec![
            CallArg { name: None, value: held.clone(), span: target.span.clone() },
            CallArg { name: None, value: right.clone(), span: value.span.clone() },
        ];
        if is_array && is_view {
            let source = CallSource::operator(&whole);
            return self.call(operation, (&name, Library::Belvedere), given, source).map(|_| ());
        }
        let sign = SIGNS.iter().find(|it| **it == sign).unwrap_or(&"+");
        let plain = Operator { sign, span: operator.span.clone() };
        let result = self.binary(&plain, [(held, &target.span), (right, &value.span)], &whole)?;
        match &target.node {
            Node::Name(name) => self.bind(name, result, &value.span),
            _ => self.write_value(target, result, &value.span),
        }
    }
}

/// The operators that have a form in place.
const SIGNS: &[&str] = &["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"];

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

/// `-a`, `+a`, `~a` of a number.
pub(super) fn unary(sign: &str, value: Value, span: &Span) -> EvalResult<Value> {
    match (sign, value) {
        ("-", Value::Int(value)) => value
            .checked_neg()
            .map(Value::Int)
            .ok_or_else(|| EvalError::new("this number is too large", span)),
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
        ("+", Value::Tuple(a), Value::Tuple(b)) => {
            return Value::Tuple([&a[..], b].concat()).bounded(span);
        }
        ("+", Value::List(a), Value::List(b)) => {
            return Value::List([&a[..], b].concat()).bounded(span);
        }
        ("*", Value::Tuple(items), Value::Int(n)) | ("*", Value::Int(n), Value::Tuple(items)) => {
            return Value::repeated(items, *n, span).map(Value::Tuple);
        }
        ("*", Value::List(items), Value::Int(n)) | ("*", Value::Int(n), Value::List(items)) => {
            return Value::repeated(items, *n, span).map(Value::List);
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
            _ => Err(EvalError::new(format!("`{sign}` of complex numbers is for tensors"), span)),
        },
        _ => {
            let message =
                format!("`{sign}` between {} and {} means nothing", left.kind(), right.kind());
            Err(EvalError::new(message, span))
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
        "//" | "%" if b == 0 => return Err(EvalError::new("a division by 0", span)),
        "//" => remainder(a, b).and_then(|rest| a.checked_sub(rest)?.checked_div(b)),
        "%" => remainder(a, b),
        "**" if b >= 0 => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        "**" => return floats(sign, a as f64, b as f64, span),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "<<" => shift.and_then(|it| a.checked_mul(1 << it)),
        ">>" => shift.map(|it| a >> it),
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
    if let Some(answer) = compared(sign, a, b) {
        return Ok(answer);
    }
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
