//! Execution: calls an operation on small tensors, or on tensors without memory.
//!
//! Each call is made on tensors without memory first, which costs nothing and gives the size of the result and the
//! number of bytes that would be read and written. If the operands are small and the rest of the budget allows it, the
//! call is made again on the operands themselves; views always are.

use super::Session;
use super::arguments::Arguments;
use super::call::Call;
use super::error::{CallError, Span};
use super::value::{Array, TracedArray, Value};
use crate::plan;
use crate::step::Kind;
use crate::traced::kind_of;
use belvedere::copies::Allowed;
use belvedere::trace::{Event, Trace};
use belvedere::{DType, Device, Error, Storage, StorageId, Tensor, with_device};
use std::cell::RefCell;
use std::collections::HashMap;

/// The maximum number of elements of a tensor whose values are computed.
pub(super) const MAX_ELEMENTS: usize = 4096;

/// The remaining budget of a program: memory and work.
pub(super) struct Budget {
    /// Bytes that may be allocated.
    bytes: usize,
    /// Bytes that may be read and written.
    work: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { bytes: 16 << 20, work: 100_000_000 }
    }
}

/// The result of a call, and what it did.
pub(super) struct Outcome {
    pub value: Value,
    pub trace: Trace,
    /// The loops of the operation.
    pub plan: Option<String>,
    /// Why its values are unknown although there are few of them.
    pub note: Option<String>,
}

impl Outcome {
    /// Returns the strongest effect on memory of the outermost operations.
    pub(super) fn kind(&self) -> Kind {
        let effects = [Kind::InPlace, Kind::Copy, Kind::New, Kind::Import, Kind::Value];
        let is_there = |kind: &Kind| {
            self.trace.events().iter().any(|it| it.depth == 0 && kind_of(it.kind) == *kind)
        };
        match effects.into_iter().find(is_there) {
            // A tensor made of numbers in the source is imported from a vector; to the reader it is new.
            Some(Kind::Import) => Kind::New,
            Some(kind) => kind,
            None => Kind::View,
        }
    }

    /// Returns the number of bytes copied, including copies inside of operations. A copy that both an operation and
    /// its part announce counts once.
    pub(super) fn bytes_copied(&self) -> u128 {
        let (mut total, mut inside) = (0, 0);
        for event in self.trace.events() {
            match event.depth {
                0 => total += (event.bytes_copied() as u128).max(std::mem::take(&mut inside)),
                _ => inside += event.bytes_copied() as u128,
            }
        }
        total
    }

    fn bytes_allocated(&self) -> usize {
        let events = self.trace.events().iter();
        events.fold(0, |sum, it| it.bytes_allocated.saturating_add(sum))
    }

    fn work(&self) -> usize {
        let bytes = |it: &Event| it.bytes_read.saturating_add(it.bytes_written);
        self.trace.events().iter().fold(0, |sum, it| bytes(it).saturating_add(sum))
    }
}

impl Session<'_> {
    /// Calls an operation.
    pub(super) fn execute(&mut self, call: &Call<'_>) -> Result<Outcome, CallError> {
        let arguments = &call.arguments[..];
        let mut has_values = true;
        for (value, _) in arguments {
            value.for_each_array(&mut |it| has_values &= self.has_values(it));
        }
        let mut probe = self.attempt(call, &without_memory(arguments, &|_| true)?, Device::Meta);
        let needs_values = |it: &Result<Outcome, CallError>| {
            matches!(it, Err(CallError::Library(Error::NoValues { .. })))
        };
        if needs_values(&probe) && !has_values {
            // Some operands may have the values that are needed, such as a mask.
            let some = without_memory(arguments, &|it| !self.has_values(it))?;
            probe = self.attempt(call, &some, Device::Meta);
            if needs_values(&probe) {
                let what = match call.operation.title() {
                    "getitem" | "setitem" => "an index with a mask".to_string(),
                    name => format!("`{name}`"),
                };
                return Err(format!(
                    "{what} needs values, and only tensors of at most {MAX_ELEMENTS} elements have values here"
                )
                .into());
            }
        }
        let is_calculated = match &probe {
            Ok(probe) if probe.kind() == Kind::View => {
                return self.attempt(call, arguments, Device::Cpu);
            }
            Ok(probe) => has_values && self.budget_allows(call, probe),
            Err(_) => needs_values(&probe),
        };
        if !is_calculated {
            let outcome = probe?;
            self.note_write(arguments, &outcome, false);
            return Ok(outcome);
        }
        match (self.attempt(call, arguments, Device::Cpu), probe) {
            (Err(CallError::Library(Error::FeatureDisabled { feature, .. })), Ok(probe)) => {
                let note = format!("values need a build with the feature `{feature}`");
                Ok(Outcome { note: Some(note), ..probe })
            }
            (Err(error), _) => Err(error),
            (Ok(mut outcome), probe) => {
                self.note_write(arguments, &outcome, true);
                outcome.plan = outcome.plan.or(probe.ok().and_then(|it| it.plan));
                Ok(outcome)
            }
        }
    }

    /// Returns the result that a call would have if copies were allowed, without memory.
    pub(super) fn with_copies(&mut self, call: &Call<'_>) -> Option<Value> {
        let _allowed = Allowed::start();
        let operands = without_memory(&call.arguments, &|_| true).ok()?;
        self.attempt(call, &operands, Device::Meta).ok().map(|it| it.value)
    }

    /// Calls an operation on a device, and keeps its events.
    fn attempt(
        &mut self,
        call: &Call<'_>,
        values: &[(Value, Span)],
        device: Device,
    ) -> Result<Outcome, CallError> {
        let (name, library, recorder) = (call.operation.title(), call.library, &self.recorder);
        let arguments = Arguments { name, values, library, recorder, traces: RefCell::default() };
        let result = with_device(device, || (call.operation.call)(&arguments));
        let traces = arguments.traces.take();
        let (before, trace) = traces.unwrap_or_else(|| (recorder.take(), recorder.take()));
        before.freed().iter().for_each(|(_, id)| self.live.free(*id));
        let plan = trace.events().iter().rev().find_map(plan::describe);
        Ok(Outcome { value: result?, trace, plan, note: None })
    }

    /// Whether the values of a tensor are known, and are at most [`MAX_ELEMENTS`].
    fn has_values(&self, TracedArray { array, .. }: &TracedArray) -> bool {
        let tensor = array.tensor();
        array.len() <= MAX_ELEMENTS
            && tensor.device() == Device::Cpu
            && !self.unknown.contains(&tensor.storage().id())
    }

    /// Whether the results of a call are small and its cost is within the budget, which is reduced by it.
    fn budget_allows(&mut self, call: &Call<'_>, probe: &Outcome) -> bool {
        let mut is_small = true;
        probe.value.for_each_array(&mut |it| is_small &= it.array.len() <= MAX_ELEMENTS);
        let mut work = probe.work();
        if call.operation.name.starts_with("conv") {
            // Each element of the result is a sum over the elements of the kernel.
            for (value, _) in call.arguments.iter().take(2) {
                value.for_each_array(&mut |it| work = work.saturating_mul(it.array.len().max(1)));
            }
        }
        let bytes = self.budget.bytes.checked_sub(probe.bytes_allocated());
        let (Some(bytes), Some(work), true) = (bytes, self.budget.work.checked_sub(work), is_small)
        else {
            return false;
        };
        self.budget = Budget { bytes, work };
        true
    }

    /// Notes that the memory of the first operand was written, and whether its new values are known.
    fn note_write(&mut self, arguments: &[(Value, Span)], outcome: &Outcome, is_known: bool) {
        if outcome.kind() != Kind::InPlace {
            return;
        }
        if let Some((Value::Array(target), _)) = arguments.first() {
            let id = target.array.tensor().storage().id();
            self.values.retain(|key, _| key.0 != id);
            if !is_known {
                self.unknown.insert(id);
            }
        }
    }
}

/// Returns the arguments, in which tensors without memory replace those for which `is_replaced` holds. Tensors that
/// share a storage share one in the result.
fn without_memory(
    arguments: &[(Value, Span)],
    is_replaced: &dyn Fn(&TracedArray) -> bool,
) -> Result<Vec<(Value, Span)>, CallError> {
    let mut storages: HashMap<StorageId, Storage> = HashMap::new();
    let mut replace = |it: &TracedArray| match &it.array {
        _ if !is_replaced(it) => Ok(Value::Array(it.clone())),
        Array::Lens(lens) => lens.to_device(Device::Meta).map(Value::from),
        Array::Tensor(tensor) => tensor_without_memory(tensor, &mut storages).map(Value::from),
    };
    let replaced =
        |(value, span): &(Value, Span)| Ok((value.map_arrays(&mut replace)?, span.clone()));
    arguments.iter().map(replaced).collect()
}

fn tensor_without_memory(
    tensor: &Tensor,
    storages: &mut HashMap<StorageId, Storage>,
) -> Result<Tensor, Error> {
    if tensor.device() == Device::Meta {
        return Ok(tensor.clone());
    }
    let own = tensor.storage();
    let storage = match storages.get(&own.id()) {
        Some(storage) => storage.clone(),
        None => {
            let bytes = Tensor::empty_on([own.len()], DType::UInt8, Device::Meta)?;
            storages.entry(own.id()).or_insert(bytes.storage().clone()).clone()
        }
    };
    Tensor::from_storage(storage, tensor.layout().clone(), tensor.dtype())
}
