//! Evaluation of expressions: names, literals, operators, attribute access and calls.

use super::Session;
use super::args::{Args, CallArg};
use super::call::Call;
use super::error::{Context, EvalError, EvalResult, Span};
use super::names::{self, Op, SPELLINGS, Spelling};
use super::value::{Module, Value};
use crate::suggest::closest;
use crate::tree::{Argument, Expr, Node, Trailer, TrailerKind};

impl Session<'_> {
    pub(super) fn value(&mut self, expr: &Expr) -> EvalResult<Value> {
        let span = &expr.span;
        match &expr.node {
            Node::Int(value) => Ok(Value::Int(*value)),
            Node::Float(value) => Ok(Value::Float(*value)),
            Node::Imaginary(value) => Ok(Value::Complex(0.0, *value)),
            Node::Str(text, first) => Ok(Value::Str(text.clone(), *first)),
            Node::Ellipsis => Ok(Value::Ellipsis),
            Node::Name(name) => self.lookup(name, span),
            Node::Tuple(items) | Node::List(items) => self.items(items, span),
            Node::Star(_) => {
                Err(EvalError::new("`*` is only valid in calls, tuples and lists", span))
            }
            Node::Postfix(base, trailers) => self.postfix(base, trailers),
            Node::Unary(sign, inside) => {
                let value = self.value(inside)?;
                self.signed(sign, value, span)
            }
            Node::Binary(first, rest) => {
                let mut value = self.value(first)?;
                for (operator, right) in rest {
                    let right_value = self.value(right)?;
                    let whole = first.span.start..right.span.end;
                    let operands = [(value, &first.span), (right_value, &right.span)];
                    value = self.operate(operator, operands, whole)?;
                }
                Ok(value)
            }
        }
    }

    fn lookup(&self, name: &str, span: &Span) -> EvalResult<Value> {
        if let Some(value) = self.variables.get(name) {
            return Ok(value.clone());
        }
        match name {
            "None" | "newaxis" => return Ok(Value::None),
            "True" => return Ok(Value::Bool(true)),
            "False" => return Ok(Value::Bool(false)),
            _ => {}
        }
        if let Some(&module) = self.libraries.get(name) {
            return Ok(Value::Module(module));
        }
        if let Some(spelling) = Spelling::find(name) {
            return Ok(Value::Function(spelling, Module::Bare));
        }
        if let Some(dtype) = names::type_named(name, Module::Bare) {
            return Ok(Value::DType(dtype));
        }
        if let Some(module) = names::module_named(name) {
            return Ok(Value::Module(module));
        }
        // Suggest a variable before a function.
        let known = closest(name, self.variables.keys().map(String::as_str));
        let known = known.or_else(|| closest(name, SPELLINGS.iter().map(|it| it.name)));
        Err(EvalError::new(format!("name `{name}` is not defined"), span).suggest(known))
    }

    fn items(&mut self, exprs: &[Expr], span: &Span) -> EvalResult<Value> {
        let (mut items, mut weight) = (Vec::new(), 0);
        for expr in exprs {
            let n_before = items.len();
            match &expr.node {
                Node::Star(inside) => items.extend(self.unpacked(inside)?),
                _ => items.push(self.value(expr)?),
            }
            weight += items[n_before..].iter().map(Value::weight).sum::<usize>();
            if weight > super::value::MAX_ITEMS {
                break;
            }
        }
        Value::tuple(items, span)
    }

    /// Returns the items of the operand of `*`.
    fn unpacked(&mut self, expr: &Expr) -> EvalResult<Vec<Value>> {
        match self.value(expr)? {
            Value::Tuple(items) => Ok(items),
            other => Err(super::args::wrong_type("a tuple or a list", &other, &expr.span)),
        }
    }

    /// Returns the last operation of an expression.
    pub(super) fn last_name(&self, expr: &Expr) -> Option<Op> {
        let Node::Postfix(base, trailers) = &expr.node else { return None };
        let named = trailers.iter().rev().find_map(|trailer| match &trailer.kind {
            TrailerKind::Attribute(name, _) => Spelling::find(name),
            _ => None,
        });
        let function = || match &base.node {
            Node::Name(name) => Spelling::find(name),
            _ => None,
        };
        named.or_else(function).map(|it| it.op)
    }

    fn postfix(&mut self, base: &Expr, trailers: &[Trailer]) -> EvalResult<Value> {
        let start = base.span.start;
        let mut value = self.value(base)?;
        let mut trailers = trailers.iter().peekable();
        while let Some(trailer) = trailers.next() {
            let is_library = matches!(value, Value::Module(_));
            let call = match trailers.peek().map(|it| &it.kind) {
                Some(TrailerKind::Call(arguments)) if !is_library => Some(arguments),
                _ => None,
            };
            value = match (&trailer.kind, call) {
                (TrailerKind::Attribute(name, at), Some(arguments)) => {
                    let end = trailers.next().map_or(at.end, |it| it.span.end);
                    let (whole, span) = (start..end, trailer.span.start..end);
                    self.method(value, (name, at), arguments, (whole, span))?
                }
                (TrailerKind::Attribute(name, at), None) => {
                    let context = self.context("attribute", start..trailer.span.end, &trailer.span);
                    self.attribute(value, name, at, context)?
                }
                (TrailerKind::Call(arguments), _) => {
                    let whole = start..trailer.span.end;
                    self.function(value, arguments, (whole, &trailer.span, &base.span))?
                }
                (TrailerKind::Index(entries), _) => {
                    let context = self.context("getitem", start..trailer.span.end, &trailer.span);
                    self.index(value, entries, context)?
                }
            };
        }
        Ok(value)
    }

    pub(super) fn context(&self, op: &'static str, expr: Span, span: &Span) -> Context {
        Context { op, expr, span: span.clone(), inputs: Vec::new() }
    }

    fn arguments(&mut self, arguments: &[Argument], span: Span) -> EvalResult<Args> {
        let (mut given, mut weight) = (Vec::<CallArg>::new(), 0);
        for Argument { name, value: expr } in arguments {
            let n_before = given.len();
            if let Node::Star(inside) = &expr.node {
                let span = expr.span.clone();
                let items = self.unpacked(inside)?.into_iter();
                given.extend(items.map(|value| CallArg { name: None, value, span: span.clone() }));
            } else {
                let value = self.value(expr)?;
                given.push(CallArg { name: name.clone(), value, span: expr.span.clone() });
            }
            weight += given[n_before..].iter().map(|it| it.value.weight()).sum::<usize>();
            if weight > super::value::MAX_ITEMS {
                let message = "too many arguments: 4096 items are allowed, nested ones included";
                return Err(EvalError::new(message, &span));
            }
        }
        Ok(Args::new(given, span))
    }

    /// Evaluates `x.name(…)`.
    fn method(
        &mut self,
        value: Value,
        (name, at): (&str, &Span),
        arguments: &[Argument],
        (whole, span): (Span, Span),
    ) -> EvalResult<Value> {
        let Value::Array(array) = value else {
            let message = format!("{} has no method `{name}`", value.kind());
            let error = EvalError::new(message, at);
            return Err(match value {
                Value::Parts(_) => error.help("select one of the parts first: […]"),
                _ => error,
            });
        };
        let spelling = match Spelling::find(name) {
            Some(spelling) if !spelling.op.is_creation() => spelling,
            _ => match names::type_named(name, Module::PyTorch) {
                Some(dtype) => return self.cast_method(array, dtype, (whole, span)),
                None => return Err(unknown_method(name, at)),
            },
        };
        let args = self.arguments(arguments, at.end..span.end)?;
        let mut context = self.context(spelling.op.name(), whole, &span);
        context.inputs.push(array.step);
        let module = Module::Bare;
        self.call(Call { spelling, module, is_method: true, context, args }, Some(array))
    }

    /// Evaluates `x.float()`, `x.long()`: the name of a dtype as a method.
    fn cast_method(
        &mut self,
        array: super::value::Array,
        dtype: belvedere::DType,
        (whole, span): (Span, Span),
    ) -> EvalResult<Value> {
        let spelling = Spelling::find("to").expect("`to` is in the table");
        let given = CallArg { name: None, value: Value::DType(dtype), span: span.clone() };
        let mut context = self.context("astype", whole, &span);
        context.inputs.push(array.step);
        let args = Args::new(vec![given], span);
        let module = Module::PyTorch;
        self.call(Call { spelling, module, is_method: true, context, args }, Some(array))
    }

    /// Evaluates `name(…)` and `np.name(…)`.
    fn function(
        &mut self,
        value: Value,
        arguments: &[Argument],
        (whole, span, base): (Span, &Span, &Span),
    ) -> EvalResult<Value> {
        let (spelling, module) = match value {
            Value::Function(spelling, module) => (spelling, module),
            Value::DType(dtype) => return self.scalar(dtype, arguments, span),
            other => {
                return Err(EvalError::new(format!("{} is not callable", other.kind()), base));
            }
        };
        let mut args = self.arguments(arguments, span.clone())?;
        let mut context = self.context(spelling.op.name(), whole.clone(), &whole);
        if spelling.op.is_creation() || spelling.op.takes_several() {
            return self.call(Call { spelling, module, is_method: false, context, args }, None);
        }
        let names: &[&str] = match spelling.op {
            // All other keyword arguments are lengths of axes.
            Op::Rearrange => &["tensor"],
            _ => &["x", "a", "input", "tensor", "arr", "m", "array", "self", "x1"],
        };
        let (array, _) = args.array(names).map_err(|error| error.in_call(&context))?;
        context.inputs.push(array.step);
        self.call(Call { spelling, module, is_method: false, context, args }, Some(array))
    }

    /// Evaluates `np.float32(3)` to a number.
    fn scalar(
        &mut self,
        dtype: belvedere::DType,
        arguments: &[Argument],
        span: &Span,
    ) -> EvalResult<Value> {
        let mut args = self.arguments(arguments, span.clone())?;
        let given =
            args.next(&["x"]).ok_or_else(|| EvalError::new("missing argument: a number", span))?;
        args.finish()?;
        match given.value {
            Value::Int(value) if dtype.is_integer() => Ok(Value::Int(value)),
            Value::Int(value) => Ok(Value::Float(value as f64)),
            Value::Float(value) if dtype.is_integer() => Ok(Value::Int(value as i128)),
            Value::Float(value) => Ok(Value::Float(value)),
            other => Err(super::args::wrong_type("a number", &other, &given.span)),
        }
    }

    /// Evaluates `x.name` without a call.
    fn attribute(
        &mut self,
        value: Value,
        name: &str,
        at: &Span,
        mut context: Context,
    ) -> EvalResult<Value> {
        let array = match value {
            Value::Module(module) => return self.member(module, name, at),
            Value::Flags(array) => return super::query::flag(&array, name, at),
            Value::Array(array) => array,
            other => {
                return Err(EvalError::new(
                    format!("{} has no attribute `{name}`", other.kind()),
                    at,
                ));
            }
        };
        if name == "flags" {
            return Ok(Value::Flags(array));
        }
        let Some(spelling) = Spelling::find(name).filter(|it| !it.op.is_creation()) else {
            return Err(unknown_method(name, at));
        };
        if !spelling.is_attribute() {
            let error = EvalError::new(format!("`{name}` is a method, not an attribute"), at);
            return Err(error.help(format!("call it: {name}(…)")));
        }
        context.op = spelling.op.name();
        context.inputs.push(array.step);
        let args = Args::new(Vec::new(), at.clone());
        let module = Module::Bare;
        self.call(Call { spelling, module, is_method: false, context, args }, Some(array))
    }

    /// Returns the function, dtype or submodule `name` of a library.
    fn member(&self, module: Module, name: &str, at: &Span) -> EvalResult<Value> {
        if let Some(module) = names::submodule(module, name) {
            return Ok(Value::Module(module));
        }
        if name == "newaxis" {
            return Ok(Value::None);
        }
        if let Some(dtype) = names::type_named(name, module) {
            return Ok(Value::DType(dtype));
        }
        match Spelling::find(name) {
            Some(spelling) => Ok(Value::Function(spelling, module)),
            None => Err(unknown(format!("unknown function `{name}`"), name, at)),
        }
    }
}

#[cold]
fn unknown_method(name: &str, at: &Span) -> Box<EvalError> {
    unknown(format!("tensors have no attribute `{name}` here"), name, at)
}

fn unknown(message: String, name: &str, at: &Span) -> Box<EvalError> {
    let known = SPELLINGS.iter().map(|it| it.name).chain(["flags"]);
    EvalError::new(message, at).suggest(closest(name, known))
}
