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
use super::step::{Failure, Kind, Report, Step, Why};
use super::tree::{Action, Expr, Statement};
use belvedere::DType;
use belvedere_layout::{Chain, Layout};
use dialect::{Dialect, Event, Fact};
use error::{Context, EvalError, EvalResult, Span};
use memory::Memories;
use names::{Op, Spelling};
use std::collections::HashMap;
use value::{Array, Module, Value};

/// The longest text that is explained.
pub const MAX_SOURCE: usize = 16 * 1024;

/// How many steps an expression may have.
pub const MAX_STEPS: usize = 128;

/// How many stages a lens may have: each one multiplies the work of the next.
pub const MAX_DEPTH: usize = 12;

/// Explains a text: every call in it becomes a step, up to the first that fails.
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
/// Any text is fine, and so is any size: nothing is allocated for the tensors.
pub fn explain(source: &str, dialect: Option<Dialect>) -> Report {
    let mut session = Session::new(source, dialect);
    session.run();
    Report { source: source.into(), steps: session.steps }
}

/// What has been said and done so far.
struct Session<'a> {
    source: &'a str,
    dialect: Option<Dialect>,
    memories: Memories,
    steps: Vec<Step>,
    /// The result of each step, for those that have one.
    results: Vec<Option<Array>>,
    variables: HashMap<String, Value>,
    libraries: HashMap<String, Module>,
    /// How much may still be searched for common elements.
    questions: usize,
}

/// A tensor that an operation made, before it is a step.
struct Made {
    dtype: DType,
    chain: Chain,
    is_lens: bool,
    memory: usize,
    kind: Kind,
    bytes_copied: u128,
    why: Option<Why>,
    plan: Option<String>,
    fact: Option<Fact>,
}

impl Made {
    /// Another walk over the same memory.
    fn view(of: &Array, chain: Chain) -> Made {
        let is_lens = of.is_lens || chain.as_layout().is_none();
        Made { chain, is_lens, ..Made::of(of, Kind::View) }
    }

    /// A strided walk over the same memory.
    fn strided(of: &Array, layout: Layout) -> Made {
        Made::view(of, Chain::new(layout))
    }

    fn of(array: &Array, kind: Kind) -> Made {
        Made {
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

    fn fact(self, fact: Fact) -> Made {
        Made { fact: Some(fact), ..self }
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
            questions: sharing::QUESTIONS,
        }
    }

    fn run(&mut self) {
        if self.source.len() > MAX_SOURCE {
            let message = format!("a text of more than {MAX_SOURCE} bytes is not explained");
            return self.fail(EvalError::new(message, &(0..0)), &(0..0));
        }
        let (statements, failure) = parse(self.source);
        for statement in &statements {
            if let Err(trouble) = self.statement(statement) {
                return self.fail(trouble, &statement.span);
            }
        }
        if let Some(failure) = failure {
            let span = failure.span.clone();
            return self.syntax(failure, &span);
        }
        if self.steps.is_empty() {
            let trouble = EvalError::new("there is nothing to explain", &(0..self.source.len()));
            self.fail(trouble.help("try arange(12).reshape(3, 4).T"), &(0..self.source.len()));
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

    /// An expression that stands alone: what it does are its steps; a plain value is one.
    fn show(&mut self, expr: &Expr) -> EvalResult<()> {
        let n_before = self.steps.len();
        let value = self.value(expr)?;
        match value {
            Value::Array(array) if self.steps.len() == n_before => {
                self.again(&array, expr).map(|_| ())
            }
            Value::Array(_) if self.steps.len() > n_before => Ok(()),
            Value::None => Ok(()),
            Value::Tuple(items) if items.iter().any(|it| matches!(it, Value::Array(_))) => Ok(()),
            Value::Parts(parts) => self.all_parts(&parts, &expr.span).map(|_| ()),
            value => self.plain(&value, expr),
        }
    }

    /// A step for a name that stands alone.
    fn again(&mut self, array: &Array, expr: &Expr) -> EvalResult<Array> {
        let context = Context {
            op: "name",
            expr: expr.span.clone(),
            span: expr.span.clone(),
            inputs: vec![array.step],
        };
        self.push(&context, None, Made::of(array, Kind::View))
    }

    /// A step for something that is no tensor.
    fn plain(&mut self, value: &Value, expr: &Expr) -> EvalResult<()> {
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
                    Value::Array(self.again(&array, value)?)
                }
                other => other,
            };
            self.name(name, held);
            return Ok(());
        }
        let items = match held {
            Value::Tuple(items) => items,
            Value::Parts(parts) => self.all_parts(&parts, &value.span)?,
            other => return Err(args::wanted("something with parts", &other, &value.span)),
        };
        if items.len() != names.len() {
            let message = format!("{} names for {} parts", names.len(), items.len());
            let span = names[0].1.start..names[names.len() - 1].1.end;
            return Err(EvalError::new(message, &span));
        }
        for ((name, _), item) in names.iter().zip(items) {
            self.name(name, item);
        }
        Ok(())
    }

    fn name(&mut self, name: &str, value: Value) {
        if let Value::Array(array) = &value {
            self.steps[array.step].name = Some(name.into());
        }
        self.variables.insert(name.into(), value);
    }

    fn check_room(&self, span: &Span) -> EvalResult<()> {
        if self.steps.len() >= MAX_STEPS {
            return Err(EvalError::new(
                format!("more than {MAX_STEPS} steps are not explained"),
                span,
            ));
        }
        Ok(())
    }

    /// Records what an operation made.
    fn push(
        &mut self,
        context: &Context,
        spelling: Option<&'static Spelling>,
        made: Made,
    ) -> EvalResult<Array> {
        self.check_room(&context.span)?;
        if made.chain.depth() > MAX_DEPTH {
            let message = format!("a lens of more than {MAX_DEPTH} stages is not explained");
            return Err(EvalError::new(message, &context.span)
                .help("`contiguous()` makes it one again, by a copy"));
        }
        let array = Array {
            dtype: made.dtype,
            chain: made.chain,
            is_lens: made.is_lens,
            memory: made.memory,
            step: self.steps.len(),
        };
        let (shares_with, may_share_with) = self.sharing(&array);
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
            result: Some(self.memories.seen(&array)),
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

    /// A step that says nothing yet.
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

    /// A piece of the source on one line.
    fn text(&self, span: &Span) -> String {
        let text = self.source.get(span.clone()).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The last step: what went wrong.
    fn fail(&mut self, trouble: Box<EvalError>, statement: &Span) {
        let EvalError { failure, why, fact, context } = *trouble;
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
