//! Recording: the result of a call as a step of the report.

use super::call::Call;
use super::dialect::Effect;
use super::error::{Context, EvalResult, error};
use super::execute::Outcome;
use super::table::Operation;
use super::value::{Array, Library, TracedArray, Value};
use super::{MAX_DEPTH, MAX_STEPS, Session, dialect, reasons};
use crate::report::style::cut;
use crate::step::{Kind, Scalar, Step, TensorSnapshot, Values};
use crate::tree::Expr;
use belvedere::{Complex, DType, Device, Error, Layout, Tensor};
use std::sync::Arc;

/// The maximum number of parts that are recorded when none is selected.
const MAX_PARTS: usize = 32;

/// The maximum number of characters of a value that is not a tensor.
const MAX_VALUE_CHARS: usize = 2000;

/// The maximum number of elements of a memory whose values are kept.
const MAX_VALUES: usize = 1 << 16;

impl Session<'_> {
    fn check_room(&self, context: &Context) -> EvalResult<()> {
        if self.steps.steps.len() >= MAX_STEPS {
            return Err(error!(&context.span, "the source has more than {MAX_STEPS} steps"));
        }
        Ok(())
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
        let text = cut(&value.to_string(), MAX_VALUE_CHARS);
        let op = self.last_operation(expr).map_or("value", Operation::title);
        let context = Context::new(op, expr.span.clone(), &expr.span);
        self.check_room(&context)?;
        let step = self.step(&context, Kind::Value);
        self.steps.push(Step { value: Some(text), ..step });
        Ok(())
    }

    /// Records the result of a call: a step for each tensor, or for the part of a tuple that the source selects.
    pub(super) fn record(&mut self, call: &Call<'_>, mut outcome: Outcome) -> EvalResult<Value> {
        let kind = outcome.kind();
        let peak_bytes = self.live.follow(&outcome.trace);
        let target = call.arrays().next();
        // The methods of the result are those of the library that was called, else those of the operand.
        let library = match (call.library, target) {
            (Library::Belvedere, Some(target)) => target.library,
            (library, _) => library,
        };
        if let (Kind::InPlace, Some(target)) = (kind, target) {
            let step = self.step_of(call, &outcome, kind, peak_bytes);
            let array = self.push(&call.context, (&target.array, target.library), step)?;
            return Ok(Value::Array(array));
        }
        if let (Some((at, span)), Value::Tuple(items)) = (&call.selected, &outcome.value) {
            outcome.value = items[super::index::position(*at, items.len(), span)?].clone();
        }
        let is_tuple = outcome.value.has_parts();
        let mut items = match &outcome.value {
            Value::Tuple(items) if is_tuple => items.clone(),
            Value::Array(_) => vec![outcome.value.clone()],
            other => return Ok(other.clone()),
        };
        if items.len() > MAX_PARTS {
            let n = items.len();
            let error =
                error!(&call.context.span, "cannot show {n} parts, the limit is {MAX_PARTS}");
            return Err(error.help("select one: […]"));
        }
        let mut step = self.step_of(call, &outcome, kind, peak_bytes);
        for item in &mut items {
            if let Value::Array(array) = item {
                *array = self.push(&call.context, (&array.array, library), step.clone())?;
            }
            step.bytes_copied = 0;
        }
        Ok(if is_tuple { Value::Tuple(items) } else { items.remove(0) })
    }

    /// Returns the step of a call without its result.
    fn step_of(&self, call: &Call<'_>, outcome: &Outcome, kind: Kind, peak_bytes: u128) -> Step {
        let mut remarks = outcome.note.iter().cloned().collect::<Vec<_>>();
        if let Some(dialect) = self.dialect {
            let output = outcome.value.array().map(|it| &it.array);
            let effect = Effect { output, kind, is_refusal: false };
            remarks.extend(dialect::remarks(dialect, call, &effect));
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
    fn push(
        &mut self,
        context: &Context,
        (array, library): (&Array, Library),
        step: Step,
    ) -> EvalResult<TracedArray> {
        self.check_room(context)?;
        let chain = array.chain();
        if chain.depth() > MAX_DEPTH {
            let error =
                error!(&context.span, "a lens cannot have more than {MAX_DEPTH} stages here");
            return Err(error.help("`contiguous()` copies it to a single stage"));
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
