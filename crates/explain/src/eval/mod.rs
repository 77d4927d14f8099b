//! The evaluator: executes statements on layouts and records a step for each call.

mod args;
mod arithmetic;
mod assign;
mod axes;
mod call;
mod copies;
mod create;
pub(crate) mod dialect;
mod error;
mod expression;
mod index;
mod memory;
pub(crate) mod names;
mod parts;
mod plan;
mod query;
mod shape;
mod sharing;
mod spellings;
mod value;
mod windows;

use super::parse::parse;
use super::step::{Failure, Kind, Report, SeamCrossing, Step};
use super::tree::{Action, Expr, Statement};
use belvedere::DType;
use belvedere_layout::{Chain, Layout};
use dialect::{Dialect, Event, Fact};
use error::{Context, EvalError, EvalResult, Span};
use memory::Memories;
use names::{Op, Spelling};
use std::collections::HashMap;
use value::{Array, Module, Value};

/// The maximum length of a source text in bytes.
pub const MAX_SOURCE: usize = 16 * 1024;

/// The maximum number of steps.
pub const MAX_STEPS: usize = 128;

/// The maximum number of items of all variables, including those of nested tuples.
const MAX_VARIABLE_ITEMS: usize = 1 << 14;

/// The maximum number of stages of a lens. The cost of an operation grows with the product of the stages.
pub const MAX_DEPTH: usize = 12;

/// Executes a source text on layouts and reports every call as a step, up to the first that fails.
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
/// Accepts any text: a syntax error becomes the last step. Tensors of any size are accepted, because no memory is
/// allocated for them.
pub fn explain(source: &str, dialect: Option<Dialect>) -> Report {
    let mut session = Session::new(source, dialect);
    session.run();
    Report { source: source.into(), steps: session.steps }
}

/// The state of the evaluator.
struct Session<'a> {
    source: &'a str,
    dialect: Option<Dialect>,
    memories: Memories,
    steps: Vec<Step>,
    /// The tensor of each step, if its result is a tensor.
    results: Vec<Option<Array>>,
    variables: HashMap<String, Value>,
    libraries: HashMap<String, Module>,
    /// What is left of the budget for overlap searches.
    overlap_budget: usize,
}

/// The result of an operation, before it is recorded as a step.
struct OpResult {
    dtype: DType,
    chain: Chain,
    is_lens: bool,
    memory: usize,
    kind: Kind,
    bytes_copied: u128,
    why: Option<SeamCrossing>,
    plan: Option<String>,
    fact: Option<Fact>,
}

impl OpResult {
    /// Returns a view of `of` with another chain.
    fn view(of: &Array, chain: Chain) -> OpResult {
        let is_lens = of.is_lens || chain.as_layout().is_none();
        OpResult { chain, is_lens, ..OpResult::unchanged(of, Kind::View) }
    }

    /// Returns a view of `of` with a strided layout.
    fn strided(of: &Array, layout: Layout) -> OpResult {
        OpResult::view(of, Chain::new(layout))
    }

    /// Returns a result with the dtype, chain and memory of `array`.
    fn unchanged(array: &Array, kind: Kind) -> OpResult {
        OpResult {
            dtype: array.dtype,
            chain: array.chain.clone(),
            is_lens: array.is_lens,
            memory: array.memory,
            kind,
            bytes_copied: 0,
            why: None,
            plan: None,
            fact: None,
        }
    }

    fn fact(self, fact: Fact) -> OpResult {
        OpResult { fact: Some(fact), ..self }
    }
}

impl<'a> Session<'a> {
    fn new(source: &'a str, dialect: Option<Dialect>) -> Session<'a> {
        Session {
            source,
            dialect,
            memories: Memories::default(),
            steps: Vec::new(),
            results: Vec::new(),
            variables: HashMap::new(),
            libraries: HashMap::new(),
            overlap_budget: sharing::OVERLAP_BUDGET,
        }
    }

    fn run(&mut self) {
        if self.source.len() > MAX_SOURCE {
            let message = format!("the source has more than {MAX_SOURCE} bytes");
            return self.fail(EvalError::new(message, &(0..0)), &(0..0));
        }
        let (statements, failure) = parse(self.source);
        for statement in &statements {
            if let Err(error) = self.statement(statement) {
                return self.fail(error, &statement.span);
            }
        }
        if let Some(failure) = failure {
            let span = failure.span.clone();
            return self.syntax(failure, &span);
        }
        if self.steps.is_empty() {
            let error = EvalError::new("the source has no expression", &(0..self.source.len()));
            self.fail(error.help("try arange(12).reshape(3, 4).T"), &(0..self.source.len()));
        }
    }

    fn statement(&mut self, statement: &Statement) -> EvalResult<()> {
        match &statement.action {
            Action::Import(alias) => {
                let module = names::module_named(alias).unwrap_or(match alias.as_str() {
                    "functional" => Module::Functional,
                    _ => Module::Bare,
                });
                self.libraries.insert(alias.clone(), module);
                Ok(())
            }
            Action::Assign(names, value) => self.assign(names, value),
            Action::Write(target, value) => self.write(target, value),
            Action::Show(expr) => self.show(expr),
        }
    }

    /// Executes an expression statement. Its calls are its steps; a value that is not a tensor is a step of its own.
    fn show(&mut self, expr: &Expr) -> EvalResult<()> {
        let n_before = self.steps.len();
        let value = self.value(expr)?;
        match value {
            Value::Array(array) if self.steps.len() == n_before => {
                self.record_name(&array, expr).map(|_| ())
            }
            Value::Array(_) if self.steps.len() > n_before => Ok(()),
            Value::None => Ok(()),
            Value::Tuple(items) if items.iter().any(|it| matches!(it, Value::Array(_))) => Ok(()),
            Value::Parts(parts) => self.all_parts(&parts, &expr.span).map(|_| ()),
            value => self.record_value(&value, expr),
        }
    }

    /// Records a step for a variable that is evaluated without a call.
    fn record_name(&mut self, array: &Array, expr: &Expr) -> EvalResult<Array> {
        let context = Context {
            op: "name",
            expr: expr.span.clone(),
            span: expr.span.clone(),
            inputs: vec![array.step],
        };
        self.push(&context, None, OpResult::unchanged(array, Kind::View))
    }

    /// Records a step for a value that is not a tensor.
    fn record_value(&mut self, value: &Value, expr: &Expr) -> EvalResult<()> {
        let mut text = value.to_string();
        if text.len() > 2000 {
            let cut = (0..=2000).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            text.truncate(cut);
            text.push('…');
        }
        let op = self.last_name(expr).map_or("value", Op::name);
        self.check_room(&expr.span)?;
        let span = expr.span.clone();
        let context = Context { op, expr: span.clone(), span, inputs: Vec::new() };
        self.steps.push(Step { value: Some(text), ..self.step(&context, Kind::Value) });
        self.results.push(None);
        Ok(())
    }

    fn assign(&mut self, names: &[(String, Span)], value: &Expr) -> EvalResult<()> {
        let n_before = self.steps.len();
        let held = self.value(value)?;
        if let [(name, _)] = names {
            let held = match held {
                Value::Array(array) if self.steps.len() == n_before => {
                    Value::Array(self.record_name(&array, value)?)
                }
                other => other,
            };
            return self.bind(name, held, &value.span);
        }
        let items = match held {
            Value::Tuple(items) => items,
            Value::Parts(parts) => self.all_parts(&parts, &value.span)?,
            other => return Err(args::wrong_type("a tuple or a list", &other, &value.span)),
        };
        if items.len() != names.len() {
            let message =
                format!("cannot unpack {} values into {} names", items.len(), names.len());
            let span = names[0].1.start..names[names.len() - 1].1.end;
            return Err(EvalError::new(message, &span));
        }
        for ((name, _), item) in names.iter().zip(items) {
            self.bind(name, item, &value.span)?;
        }
        Ok(())
    }

    /// Assigns a value to a variable.
    fn bind(&mut self, name: &str, value: Value, span: &Span) -> EvalResult<()> {
        if let Value::Array(array) = &value {
            self.steps[array.step].name = Some(name.into());
        }
        self.variables.insert(name.into(), value);
        let weight: usize = self.variables.values().map(Value::weight).sum();
        match weight > MAX_VARIABLE_ITEMS {
            true => {
                let message = format!("the variables have more than {MAX_VARIABLE_ITEMS} items");
                Err(EvalError::new(message, span))
            }
            false => Ok(()),
        }
    }

    fn check_room(&self, span: &Span) -> EvalResult<()> {
        if self.steps.len() >= MAX_STEPS {
            return Err(EvalError::new(
                format!("the source has more than {MAX_STEPS} steps"),
                span,
            ));
        }
        Ok(())
    }

    /// Records the result of an operation as a step.
    fn push(
        &mut self,
        context: &Context,
        spelling: Option<&'static Spelling>,
        made: OpResult,
    ) -> EvalResult<Array> {
        self.check_room(&context.span)?;
        if made.chain.depth() > MAX_DEPTH {
            let message = format!("a lens cannot have more than {MAX_DEPTH} stages here");
            return Err(EvalError::new(message, &context.span)
                .help("`contiguous()` copies it to a single stage"));
        }
        let array = Array {
            dtype: made.dtype,
            chain: made.chain,
            is_lens: made.is_lens,
            memory: made.memory,
            step: self.steps.len(),
        };
        let (shares_with, may_share_with) = self.overlapping_steps(&array);
        let input = context.inputs.first().and_then(|&step| self.results[step].as_ref());
        let event = Event {
            spelling,
            op: spelling.map(|it| it.op),
            input,
            output: Some(&array),
            kind: made.kind,
            fact: made.fact.as_ref(),
        };
        let remarks = self.dialect.map_or(Vec::new(), |it| dialect::remarks(it, &event));
        let step = Step {
            result: Some(self.memories.snapshot(&array)),
            bytes_copied: made.bytes_copied,
            shares_with,
            may_share_with,
            why: made.why,
            plan: made.plan,
            remarks,
            ..self.step(context, made.kind)
        };
        self.steps.push(step);
        self.results.push(Some(array.clone()));
        Ok(array)
    }

    /// Returns a step without a result.
    fn step(&self, context: &Context, kind: Kind) -> Step {
        Step {
            name: None,
            expr: self.text(&context.expr),
            span: context.span.clone(),
            op: context.op,
            kind,
            result: None,
            value: None,
            inputs: context.inputs.clone(),
            bytes_copied: 0,
            shares_with: Vec::new(),
            may_share_with: Vec::new(),
            error: None,
            why: None,
            plan: None,
            remarks: Vec::new(),
        }
    }

    /// Returns a part of the source with its white space collapsed.
    fn text(&self, span: &Span) -> String {
        let text = self.source.get(span.clone()).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Records an error as the last step.
    fn fail(&mut self, error: Box<EvalError>, statement: &Span) {
        let EvalError { failure, why, fact, context } = *error;
        let context = context.unwrap_or_else(|| Context {
            op: "statement",
            expr: statement.clone(),
            span: statement.clone(),
            inputs: Vec::new(),
        });
        let spelling = Spelling::find(context.op);
        let event = Event {
            spelling: None,
            op: spelling.map(|it| it.op),
            input: context.inputs.first().and_then(|&step| self.results[step].as_ref()),
            output: None,
            kind: Kind::Error,
            fact: fact.as_ref(),
        };
        let remarks = self.dialect.map_or(Vec::new(), |it| dialect::remarks(it, &event));
        let step = Step { why, remarks, ..self.step(&context, Kind::Error) };
        self.steps.push(Step { error: Some(failure), ..step });
        self.results.push(None);
    }

    fn syntax(&mut self, failure: Failure, span: &Span) {
        let before = self.source.get(..span.start).unwrap_or_default();
        let line = before.rfind(['\n', ';']).map_or(0, |it| it + 1);
        let context = self.context("syntax", line..span.end, span);
        self.steps.push(Step { error: Some(failure), ..self.step(&context, Kind::Error) });
        self.results.push(None);
    }
}
