//! The evaluator: executes statements by calling the operations of the library, and records a step for each call.

mod adapters;
mod arguments;
mod bind;
mod call;
mod creation;
pub(crate) mod dialect;
mod error;
mod execute;
mod expression;
mod index;
mod movement;
#[path = "generated/operations.rs"]
mod operations;
mod operators;
mod reasons;
mod record;
pub(crate) mod table;
mod value;

use super::parse::parse;
use super::step::{Kind, Report, Step};
use super::traced::Steps;
use super::tree::{Action, Expr, Statement};
use arguments::wrong_type;
use belvedere::copies::{Allowed, Forbidden};
use belvedere::trace::{LiveMemory, Recorder, isolate};
use belvedere::{DType, StorageId};
use dialect::Dialect;
use error::{Context, EvalError, EvalResult, Span, error};
use execute::Budget;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use value::{Library, Module, TracedArray, Value};

/// The maximum length of a source text in bytes.
pub const MAX_SOURCE: usize = 16 * 1024;

/// The maximum number of steps.
pub const MAX_STEPS: usize = 128;

/// The maximum number of items of all variables, including those of nested tuples.
const MAX_VARIABLE_ITEMS: usize = 1 << 14;

/// The maximum number of stages of a lens. The cost of an operation grows with the product of the stages.
pub const MAX_DEPTH: usize = 12;

/// Executes a source text and reports every call as a step, up to the first that fails.
///
/// ```
/// use belvedere_explain::{explain, Kind};
///
/// let report = explain("x = arange(6).reshape(2, 3); x.T.view(6)", None);
/// let kinds: Vec<Kind> = report.steps.iter().map(|step| step.kind).collect();
/// assert_eq!(kinds, [Kind::New, Kind::View, Kind::View, Kind::Error]);
/// assert_eq!(report.steps[1].name.as_deref(), Some("x"));
/// ```
///
/// Accepts any text: a syntax error becomes the last step. Tensors of any size are accepted: those of more than
/// 4096 elements have no memory, so their shapes, strides and costs are known and their values are not.
///
/// The operations of the source are not those of the caller: recordings and rules for copies that are open around this
/// call do not apply to them ([`isolate`]).
pub fn explain(source: &str, dialect: Option<Dialect>) -> Report {
    isolate(|| {
        let mut session = Session {
            source,
            dialect,
            steps: Steps::default(),
            variables: HashMap::new(),
            libraries: HashMap::new(),
            recorder: Recorder::start(),
            live: LiveMemory::default(),
            budget: Budget::default(),
            unknown: HashSet::new(),
            values: HashMap::new(),
        };
        session.run();
        Report { source: source.into(), steps: session.steps.steps }
    })
}

/// The state of the evaluator.
struct Session<'a> {
    source: &'a str,
    dialect: Option<Dialect>,
    steps: Steps,
    variables: HashMap<String, Value>,
    libraries: HashMap<String, Module>,
    recorder: Recorder,
    live: LiveMemory,
    budget: Budget,
    /// Storages that were written with values that are not computed.
    unknown: HashSet<StorageId>,
    /// The values of storages as elements of a dtype, until they are written.
    values: HashMap<(StorageId, DType), Arc<[crate::step::Scalar]>>,
}

impl Session<'_> {
    fn run(&mut self) {
        if self.source.len() > MAX_SOURCE {
            let error = error!(&(0..0), "the source has more than {MAX_SOURCE} bytes");
            return self.fail(error, &(0..0));
        }
        let (statements, failure) = parse(self.source);
        if let Err((error, span)) = self.block(&statements) {
            return self.fail(error, &span);
        }
        if let Some(failure) = failure {
            let before = self.source.get(..failure.span.start).unwrap_or_default();
            let line = before.rfind(['\n', ';']).map_or(0, |it| it + 1);
            let context = Context::new("syntax", line..failure.span.end, &failure.span);
            let step = self.step(&context, Kind::Error);
            return self.steps.push(Step { error: Some(failure), ..step });
        }
        if self.steps.steps.is_empty() {
            let whole = 0..self.source.len();
            let error = error!(&whole, "the source has no expression");
            self.fail(error.help("try arange(12).reshape(3, 4).T"), &whole);
        }
    }

    /// Executes statements up to the first error, which is returned with the position of its statement.
    fn block(&mut self, statements: &[Statement]) -> Result<(), (Box<EvalError>, Span)> {
        for Statement { action, span } in statements {
            let Action::With((name, at), body) = action else {
                self.statement(action).map_err(|error| (error, span.clone()))?;
                continue;
            };
            // The scope ends with the block.
            let (_forbidden, _allowed) = match name.as_str() {
                "no_copies" => (Some(Forbidden::start()), None),
                "allow_copies" => (None, Some(Allowed::start())),
                other => {
                    let error = error!(at, "unknown context manager `{other}`");
                    let help = "`with no_copies():` makes implicit copies an error";
                    return Err((error.help(help), span.clone()));
                }
            };
            self.block(body)?;
        }
        Ok(())
    }

    fn statement(&mut self, action: &Action) -> EvalResult<()> {
        match action {
            Action::Import { module, alias } => {
                if let Some(module) = table::module_named(module) {
                    self.libraries.insert(alias.clone(), module);
                } else if let Some(function) = table::find(module, Library::Belvedere) {
                    let function = Value::Function(function, Library::Belvedere);
                    self.variables.insert(alias.clone(), function);
                }
                Ok(())
            }
            Action::Assign(names, value) => self.assign(names, value),
            Action::Write(target, value) => self.write(target, value),
            Action::Update(target, operator, value) => self.update(target, operator, value),
            Action::Show(expr) => self.show(expr),
            Action::With(..) => Ok(()),
        }
    }

    /// Executes an expression statement. Its calls are its steps; a value that is not a tensor is a step of its own.
    fn show(&mut self, expr: &Expr) -> EvalResult<()> {
        let n_before = self.steps.steps.len();
        match self.value(expr)? {
            Value::Array(array) if self.steps.steps.len() == n_before => {
                self.record_name(&array, expr).map(|_| ())
            }
            Value::Array(_) | Value::None => Ok(()),
            value if value.has_parts() => Ok(()),
            value => self.record_value(&value, expr),
        }
    }

    fn assign(&mut self, names: &[(String, Span)], value: &Expr) -> EvalResult<()> {
        let n_before = self.steps.steps.len();
        let held = self.value(value)?;
        let items = match (held, names) {
            (Value::Array(array), [_]) if self.steps.steps.len() == n_before => {
                vec![Value::Array(self.record_name(&array, value)?)]
            }
            (held, [_]) => vec![held],
            (Value::Tuple(items) | Value::List(items), _) => items,
            (other, _) => return Err(wrong_type("a tuple or a list", &other, &value.span)),
        };
        if items.len() != names.len() {
            let span = names[0].1.start..names[names.len() - 1].1.end;
            let (n, n_names) = (items.len(), names.len());
            return Err(error!(&span, "cannot unpack {n} values into {n_names} names"));
        }
        names.iter().zip(items).try_for_each(|((name, _), item)| self.bind(name, item, &value.span))
    }

    /// Assigns a value to a variable.
    fn bind(&mut self, name: &str, value: Value, span: &Span) -> EvalResult<()> {
        if let Value::Array(TracedArray { step: Some(step), .. }) = &value {
            self.steps.steps[*step].name = Some(name.into());
        }
        self.variables.insert(name.into(), value);
        let weight: usize = self.variables.values().map(Value::weight).sum();
        if weight > MAX_VARIABLE_ITEMS {
            return Err(error!(span, "the variables have more than {MAX_VARIABLE_ITEMS} items"));
        }
        Ok(())
    }

    /// Returns a step without a result.
    fn step(&self, context: &Context, kind: Kind) -> Step {
        let text = self.source.get(context.expr.clone()).unwrap_or_default();
        let expr = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let Context { op, span, inputs, .. } = context.clone();
        let bytes = self.live.bytes();
        Step {
            op,
            expr,
            span,
            kind,
            inputs,
            live_bytes: bytes,
            peak_bytes: bytes,
            ..Step::default()
        }
    }

    /// Records an error as the last step.
    fn fail(&mut self, error: Box<EvalError>, statement: &Span) {
        let EvalError { failure, why, remarks, context } = *error;
        let context =
            context.unwrap_or_else(|| Context::new("statement", statement.clone(), statement));
        let step = Step { why, remarks, ..self.step(&context, Kind::Error) };
        self.steps.push(Step { error: Some(failure), ..step });
    }
}
