//! Calls of functions and methods, and attributes.

use super::arguments::{FromValue, Reader, wrong_type};
use super::bind::{CallArg, bind};
use super::error::{CallError, Context, EvalError, EvalResult, Span, error};
use super::execute::Outcome;
use super::table::{self, Operation, Use};
use super::value::{Library, MAX_ITEMS, Module, TracedArray, Value};
use super::{Session, index, reasons};
use crate::suggest::closest;
use crate::tree::Argument;
use belvedere::{DType, Error};

/// A call with its arguments, one for each parameter.
pub(super) struct Call<'a> {
    pub operation: &'static Operation,
    /// Its name in the source.
    pub name: &'a str,
    pub library: Library,
    pub context: Context,
    pub arguments: Vec<(Value, Span)>,
    /// The position of the arguments in the source.
    pub span: Span,
    /// The positions of the entries of an index.
    pub entries: Vec<Span>,
    /// The index of the part that the source takes of the result, a tuple.
    pub selected: Option<(isize, Span)>,
}

impl Call<'_> {
    /// Returns the tensors among the arguments, without those in lists.
    pub(super) fn arrays(&self) -> impl Iterator<Item = &TracedArray> {
        self.arguments.iter().filter_map(|(value, _)| value.array())
    }
}

/// Where a call is in the source, and what is selected of its result.
pub(super) struct CallSource {
    /// The expression up to and including the call.
    pub whole: Span,
    /// The call itself.
    pub span: Span,
    pub selected: Option<(isize, Span)>,
    /// The positions of the entries of an index.
    pub entries: Vec<Span>,
}

impl CallSource {
    pub(super) fn new(whole: Span, span: Span) -> CallSource {
        CallSource { whole, span, selected: None, entries: Vec::new() }
    }
}

impl Session<'_> {
    fn arguments(&mut self, arguments: &[Argument], span: &Span) -> EvalResult<Vec<CallArg>> {
        let (mut given, mut weight) = (Vec::new(), 0);
        for Argument { name, value: expr } in arguments {
            for value in self.unpacked(expr)? {
                weight += value.weight();
                given.push(CallArg { name: name.clone(), value, span: expr.span.clone() });
            }
            if weight > MAX_ITEMS {
                let limit = "4096 items are allowed, nested ones included";
                return Err(error!(span, "too many arguments: {limit}"));
            }
        }
        Ok(given)
    }

    /// Matches arguments with parameters, calls the operation and records its steps. Also returns whether a part of
    /// a tuple was selected.
    pub(super) fn call(
        &mut self,
        operation: &'static Operation,
        meaning: (&str, Library),
        given: Vec<CallArg>,
        source: CallSource,
    ) -> EvalResult<(Value, bool)> {
        let mut call = matched(operation, meaning, given, source)?;
        let outcome = self.outcome(&call)?;
        if !outcome.value.has_parts()
            && let Some((_, span)) = call.selected.take()
        {
            // The index selects elements, not a part.
            call.context.expr.end = span.start - 1;
            call.context.span.end = call.context.span.end.min(call.context.expr.end);
        }
        let is_used = call.selected.is_some();
        let value = self.record(&call, outcome).map_err(|it| it.in_call(&call.context))?;
        Ok((value, is_used))
    }

    /// Calls the operation and records no step. An error has its position and its reason.
    pub(super) fn outcome(&mut self, call: &Call<'_>) -> EvalResult<Outcome> {
        self.execute(call).map_err(|error| {
            let is_forbidden = matches!(error, CallError::Library(Error::CopyForbidden { .. }));
            let mut error = reasons::of_error(call, error, self.dialect);
            if is_forbidden && let Some(result) = self.with_copies(call) {
                error.why = reasons::of_copy(call, &result);
            }
            error.in_call(&call.context)
        })
    }

    /// Evaluates `x.name(…)`.
    pub(super) fn method(
        &mut self,
        value: Value,
        (name, at): (&str, &Span),
        arguments: &[Argument],
        source: CallSource,
    ) -> EvalResult<(Value, bool)> {
        let Value::Array(TracedArray { library, .. }) = value else {
            let error = error!(at, "{} has no method `{name}`", value.kind());
            return Err(match value {
                Value::Tuple(_) => error.help("select one of the parts first: […]"),
                _ => error,
            });
        };
        let mut given = vec![CallArg::new(value, source.whole.start..at.start.saturating_sub(1))];
        let (known, meaning) = match (name, library) {
            // As a method, `size` is PyTorch's: the shape.
            ("size", _) => (name, Library::PyTorch),
            // The function takes the number of parts, as NumPy's; only PyTorch has the method, which takes their length.
            ("split", _) => (name, Library::PyTorch),
            // `np.sort` returns a copy, the method sorts in place.
            ("sort", Library::NumPy) => ("sort_", library),
            _ => (name, library),
        };
        let found = table::find(known, meaning).filter(|it| takes_array(it));
        let (operation, library) = match (found, table::type_named(name, Library::PyTorch)) {
            (Some(operation), _) => (operation, library),
            // `x.float()`, `x.long()`: the name of a dtype as a method.
            (None, Some(dtype)) => {
                given.push(CallArg::new(Value::DType(dtype), at.clone()));
                (table::known("to", Library::PyTorch), Library::PyTorch)
            }
            (None, None) => return Err(unknown_method(name, at)),
        };
        if operation.is_attribute(name) {
            return Err(error!(at, "`{name}` is an attribute, not a method")
                .help(format!("without parentheses: {name}")));
        }
        given.extend(self.arguments(arguments, &(at.end..source.span.end))?);
        self.call(operation, (name, library), given, source)
    }

    /// Evaluates `name(…)` and `np.name(…)`.
    pub(super) fn function(
        &mut self,
        value: Value,
        name: &str,
        arguments: &[Argument],
        (source, span, base): (CallSource, &Span, &Span),
    ) -> EvalResult<(Value, bool)> {
        match value {
            Value::Function(operation, library) => {
                let given = self.arguments(arguments, span)?;
                self.call(operation, (name, library), given, source)
            }
            Value::DType(dtype) => Ok((self.scalar(dtype, arguments, span)?, false)),
            other => Err(error!(base, "{} is not callable", other.kind())),
        }
    }

    /// Evaluates `np.float32(3)` to a number.
    fn scalar(&mut self, dtype: DType, arguments: &[Argument], span: &Span) -> EvalResult<Value> {
        let given = self.arguments(arguments, span)?;
        let [CallArg { value, span, .. }] = &given[..] else {
            return Err(error!(span, "missing argument: a number"));
        };
        match value {
            Value::Int(value) if dtype.is_integer() => Ok(Value::Int(*value)),
            Value::Float(value) if dtype.is_integer() => Ok(Value::Int(*value as i128)),
            Value::Array(_) => Err(wrong_type("a number", value, span)),
            value => {
                let reader = Reader { operation: dtype.name(), library: Library::Belvedere, span };
                f64::from_value(value, &reader).map(Value::Float)
            }
        }
    }

    /// Evaluates `x.name` without a call.
    pub(super) fn attribute(
        &mut self,
        value: Value,
        name: &str,
        at: &Span,
        source: CallSource,
    ) -> EvalResult<Value> {
        let library = match &value {
            Value::Module(module) => return self.member(module, name, at),
            Value::Flags(array) => return index::flag(array, name, at),
            Value::Array(array) if name == "flags" => return Ok(Value::Flags(array.clone())),
            Value::Array(array) => array.library,
            other => return Err(error!(at, "{} has no attribute `{name}`", other.kind())),
        };
        let Some(operation) = table::find(name, library).filter(|it| takes_array(it)) else {
            return Err(unknown_method(name, at));
        };
        if !operation.is_attribute(name) {
            return Err(error!(at, "`{name}` is a method, not an attribute")
                .help(format!("call it: {name}(…)")));
        }
        let given = vec![CallArg::new(value, source.whole.start..at.start.saturating_sub(1))];
        self.call(operation, (name, library), given, source).map(|it| it.0)
    }

    /// Returns the function, dtype or namespace `name` of a library.
    fn member(&self, module: &Module, name: &str, at: &Span) -> EvalResult<Value> {
        let operation = table::find(&format!("{}{name}", module.namespace), module.library);
        // `np.fft` is a namespace, and `np.fft.fft` a function.
        if let Some(inner) = table::namespace(module, name)
            && (module.namespace.is_empty() || operation.is_none())
        {
            return Ok(Value::Module(inner));
        }
        if ["newaxis", "pi", "nan", "inf"].contains(&name) {
            return self.lookup(name, at);
        }
        if let Some(dtype) = table::type_named(name, module.library) {
            return Ok(Value::DType(dtype));
        }
        match operation {
            Some(operation) => Ok(Value::Function(operation, module.library)),
            None => Err(suggested(error!(at, "unknown function `{name}`"), name)),
        }
    }
}

/// Matches the arguments of a call with the parameters of the operation.
pub(super) fn matched<'a>(
    operation: &'static Operation,
    (name, library): (&'a str, Library),
    given: Vec<CallArg>,
    source: CallSource,
) -> EvalResult<Call<'a>> {
    let mut context = Context::new(operation.title(), source.whole, &source.span);
    let explicit = given.iter().filter(|it| it.span.start >= source.span.start);
    let explicit = explicit.map(|it| it.span.clone()).reduce(|a, b| a.start..b.end);
    let span = explicit.unwrap_or_else(|| source.span.clone());
    let arguments = bind(operation, given, &span).map_err(|error| match operation.name {
        "repeat" => error.help("PyTorch's `repeat` with a count for each axis is `tile` here"),
        _ => error,
    });
    let arguments = arguments.map_err(|it| it.in_call(&context))?;
    for (value, _) in &arguments {
        value.for_each_array(&mut |it| context.inputs.extend(it.step));
    }
    let CallSource { selected, entries, .. } = source;
    Ok(Call { operation, name, library, context, arguments, span, entries, selected })
}

/// Whether the first argument of an operation is a tensor, so that it can be a method.
fn takes_array(operation: &Operation) -> bool {
    let first = operation.parameters.split([',', '=']).next().unwrap_or_default().trim();
    operation.usage == Use::Attribute
        || ["x", "x1", "table", "condition", "start", "indices", "a"].contains(&first)
            && !["arange", "linspace"].contains(&operation.name)
}

#[cold]
fn unknown_method(name: &str, at: &Span) -> Box<EvalError> {
    suggested(error!(at, "tensors have no attribute `{name}` here"), name)
}

/// Adds the name of an operation that is similar to an unknown one.
fn suggested(error: Box<EvalError>, name: &str) -> Box<EvalError> {
    error.suggest(closest(name, table::spellings().chain(["flags"])))
}
