//! Recording: the result of a call as a step of the report.

use super::call::Call;
use super::dialect::Effect;
use super::error::{Context, EvalError, EvalResult};
use super::execute::Outcome;
use super::table::Operation;
use super::value::{Array, Library, TracedArray, Value};
use super::{MAX_DEPTH, MAX_STEPS, Session, dialect, reasons};
use crate::step::{Kind, Scalar, Step, TensorSnapshot, Values};
use crate::tree::Expr;
use belvedere::{Complex, DType, Device, Error, Layout, Tensor};
use std::sync::Arc;

/// The maximum number of parts that are recorded when none is selected.
const MAX_PARTS: usize = 32;

/// The maximum number of elements of a memory whose values are kept.
const MAX_VALUES: usize = 1 << 16;

impl Session<'_> {
    pub(super) fn check_room(&self, context: &Context) -> EvalResult<()> {
        match self.steps.steps.len() >= MAX_STEPS {
            true => {
                let message = format!("the source has more than {MAX_STEPS} steps");
                Err(EvalError::new(message, &context.span))
            }
            false => Ok(()),
        }
    }

    /// Records a step for a variable that is evaluated without a call.
    pub(super) fn record_name(
        &mut self,
        array: &TracedArray,
        expr: &Expr,
    ) -> EvalResult<TracedArray> {
        let mut context = Context::new("name", expr.span.clone(), &expr.span);
        context.inputs.extend(array.step);
        let step = self.step(&context, Kind::View);
        self.push(&context, (&array.array, array.library), step)
    }

    /// Records a step for a value that is not a tensor.
    pub(super) fn record_value(&mut self, value: &Value, expr: &Expr) -> EvalResult<()> {
        let mut text = value.to_string();
        if text.len() > 2000 {
            let cut = (0..=2000).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            text.truncate(cut);
            text.push('…');
        }
        let op = self.last_operation(expr).map_or("value", Operation::title);
        let context = Context::new(op, expr.span.clone(), &expr.span);
        self.check_room(&context)?;
        let step = self.step(&context, Kind::Value);
        self.steps.push(Step { value: Some(text), ..step });
        Ok(())
    }

    /// Records the result of a call: a step for each tensor, none for a value. `selected` is the index of the part
    /// that the source takes of a tuple.
    pub(super) fn record(&mut self, call: &Call<'_>, outcome: Outcome) -> EvalResult<Value> {
        let kind = outcome.kind();
        let peak_bytes = self.live.follow(&outcome.trace);
        let target = call.arrays().next();
        if let (Kind::InPlace, Some(target)) = (kind, target) {
            let step = self.step_of(call, &outcome, kind, peak_bytes);
            let target = self.push(&call.context, (&target.array, target.library), step)?;
            return Ok(Value::Array(target));
        }
        // The methods of the result are those of the library that was called, else those of the operand.
        let library = match (call.library, target) {
            (Library::Belvedere, Some(target)) => target.library,
            (library, _) => library,
        };
        let is_array = |it: &Value| matches!(it, Value::Array(_));
        let mut items = match outcome.value.clone() {
            Value::Array(array) => {
                let step = self.step_of(call, &outcome, kind, peak_bytes);
                return self.push(&call.context, (&array.array, library), step).map(Value::Array);
            }
            Value::Tuple(items) if items.iter().any(is_array) => items,
            value => return Ok(value),
        };
        if let Some((at, span)) = &call.selected {
            let item = items.swap_remove(super::index::position(*at, items.len(), span)?);
            let outcome = Outcome { value: item, ..outcome };
            let Value::Array(array) = &outcome.value else { return Ok(outcome.value) };
            let step = self.step_of(call, &outcome, kind, peak_bytes);
            return self.push(&call.context, (&array.array, library), step).map(Value::Array);
        }
        if items.len() > MAX_PARTS {
            let message = format!("cannot show {} parts, the limit is {MAX_PARTS}", items.len());
            return Err(EvalError::new(message, &call.context.span).help("select one: […]"));
        }
        let mut step = self.step_of(call, &outcome, kind, peak_bytes);
        for item in &mut items {
            if let Value::Array(array) = item {
                *array = self.push(&call.context, (&array.array, library), step.clone())?;
            }
            step.bytes_copied = 0;
        }
        Ok(Value::Tuple(items))
    }

    /// Returns the step of a call without its result.
    fn step_of(&self, call: &Call<'_>, outcome: &Outcome, kind: Kind, peak_bytes: u128) -> Step {
        let mut remarks = outcome.note.iter().cloned().collect::<Vec<_>>();
        if let Some(dialect) = self.dialect {
            remarks.extend(dialect::remarks(dialect, call, &Effect::Result(&outcome.value, kind)));
        }
        Step {
            bytes_copied: outcome.bytes_copied(),
            why: if kind == Kind::Copy { reasons::of_copy(call, &outcome.value) } else { None },
            plan: outcome.plan.clone(),
            remarks,
            peak_bytes,
            ..self.step(&call.context, kind)
        }
    }

    /// Adds a step whose result is a tensor or a lens.
    pub(super) fn push(
        &mut self,
        context: &Context,
        (array, library): (&Array, Library),
        step: Step,
    ) -> EvalResult<TracedArray> {
        self.check_room(context)?;
        let chain = array.chain();
        if chain.depth() > MAX_DEPTH {
            let message = format!("a lens cannot have more than {MAX_DEPTH} stages here");
            return Err(EvalError::new(message, &context.span)
                .help("`contiguous()` copies it to a single stage"));
        }
        let storage = array.tensor().storage();
        let snapshot = TensorSnapshot {
            dtype: array.dtype(),
            chain,
            memory: self.steps.memory(storage.id()),
            memory_len: storage.len() / array.dtype().size(),
            values: self.values_of(array.tensor()).map_or(Values::Unknown, Values::List),
        };
        let number = self.steps.steps.len();
        self.steps.push(Step { result: Some(snapshot), ..step });
        Ok(TracedArray { array: array.clone(), step: Some(number), library })
    }

    /// Returns the contents of the memory of a tensor as elements of its dtype, if they are known and few.
    fn values_of(&mut self, tensor: &Tensor) -> Option<Arc<[Scalar]>> {
        let storage = tensor.storage();
        let (key, dtype) = ((storage.id(), tensor.dtype()), tensor.dtype());
        if tensor.device() == Device::Meta || self.unknown.contains(&storage.id()) {
            return None;
        }
        if let Some(values) = self.values.get(&key) {
            return Some(values.clone());
        }
        let len = storage.len() / dtype.size();
        let layout = Layout::row_major(&[len]).ok().filter(|_| len <= MAX_VALUES)?;
        let whole = Tensor::from_storage(storage.clone(), layout, dtype).ok()?;
        let values: Arc<[Scalar]> = scalars(&whole).ok()?.into();
        self.values.insert(key, values.clone());
        Some(values)
    }
}

/// Returns the elements of a tensor in row-major order.
pub(super) fn scalars(tensor: &Tensor) -> Result<Vec<Scalar>, Error> {
    let dtype = tensor.dtype();
    Ok(if dtype.is_complex() {
        let values = tensor.astype(DType::Complex128)?.to_vec::<Complex<f64>>()?;
        values.iter().map(|it| Scalar::Complex(it.re, it.im)).collect()
    } else if dtype.is_floating() {
        let values = tensor.astype(DType::Float64)?.to_vec::<f64>()?;
        values.iter().map(|&it| Scalar::Float(it)).collect()
    } else if dtype == DType::UInt64 {
        tensor.to_vec::<u64>()?.iter().map(|&it| Scalar::Int(it.into())).collect()
    } else {
        let values = tensor.astype(DType::Int64)?.to_vec::<i64>()?;
        values.iter().map(|&it| Scalar::of_integer(it.into(), dtype)).collect()
    })
}
