//! Composite operations: those that are made of others, which they announce as their parts.

use super::announce::{Announcement, Call, EventMemory, Touched};
use super::announce_view::MAX_VIEWS;
use super::event::{EventKind, EventOperand};
use super::observe::{ObservedMemory, ObservedParts};
use super::scope::is_listening;
use super::site::Site;
use crate::op::{Operand, Target};
use crate::storage::creates_meta;
use crate::{Device, Error, Tensor, with_device};
use std::cell::RefCell;
use std::panic::Location;

/// The composite operations that a thread is inside of.
struct Composites {
    /// How many they are.
    depth: usize,
    /// The name of the innermost one.
    op: &'static str,
    /// The line that called the outermost one. Its parts have the same: their own lines are in this library.
    caller: &'static Location<'static>,
    site: Site,
}

thread_local! {
    static COMPOSITES: RefCell<Option<Composites>> = const { RefCell::new(None) };
}

/// Returns the depth, the caller and the call site of an operation inside of a composite one.
pub(super) fn part_of_current(
    call: &Call<'_>,
) -> Option<(usize, &'static Location<'static>, Site)> {
    // Fails if the thread-local values of this thread are being dropped.
    let current = COMPOSITES.try_with(|outer| {
        let outer = outer.borrow();
        let Composites { depth, op, caller, site } = outer.as_ref()?;
        // A part of the innermost operation is at its depth already.
        let depth = depth + usize::from(call.is_part && *op != call.op);
        Some((depth, *caller, site.clone()))
    });
    current.ok().flatten()
}

/// Runs an operation that is made of others, and announces it after them.
#[inline(always)]
pub(crate) fn composite<R: Results>(
    call: Call<'_>,
    inputs: &[Operand<'_>],
    operation: impl FnOnce() -> Result<R, Error>,
) -> Result<R, Error> {
    let run = || match is_listening() {
        false => operation(),
        true => run_composite(call, inputs, operation),
    };
    let result = match device_of(inputs) {
        Some(device) => with_device(device, run),
        None => run(),
    };
    result.map_err(|error| name_operation(error, call, inputs))
}

/// Returns an error of a part of an operation as one of the operation that the user called.
#[cold]
fn name_operation(error: Error, call: Call<'_>, inputs: &[Operand<'_>]) -> Error {
    match error {
        Error::NoValues { op, shape } if op != call.op => {
            let operand = inputs.iter().find(|it| it.is_meta());
            let shape = operand.map_or(shape, |it| it.shape().into());
            Error::NoValues { op: call.op, shape }
        }
        error => error,
    }
}

/// Returns the device that the temporary tensors of an operation are created on, if it is not the current one: that
/// of its operands, if they are tensors or views.
#[inline]
fn device_of(inputs: &[Operand<'_>]) -> Option<Device> {
    match (inputs.iter().any(Operand::is_meta), creates_meta()) {
        (true, false) => Some(Device::Meta),
        (false, true) if inputs.iter().any(Operand::is_in_memory) => Some(Device::Cpu),
        _ => None,
    }
}

#[cold]
fn run_composite<R: Results>(
    call: Call<'_>,
    inputs: &[Operand<'_>],
    operation: impl FnOnce() -> Result<R, Error>,
) -> Result<R, Error> {
    let announcement = call.announce();
    let _observed = announcement.begin(inputs, None)?;
    let result = {
        let _inside = announcement.enter(call);
        operation()?
    };
    if let Some(it) = &announcement.0 {
        let tensors = result.tensors();
        let shares = |it: &&Tensor| {
            let storages = inputs.iter().filter_map(Operand::storage);
            storages.into_iter().any(|storage| storage.is_same(it.storage()))
        };
        let kind = match (tensors.is_empty(), call.copies) {
            (true, _) => EventKind::Read,
            (false, _) if tensors.iter().all(shares) => EventKind::View,
            (false, Some(reason)) => EventKind::Copy(reason),
            (false, None) => EventKind::New,
        };
        let n_outputs = if kind == EventKind::View { MAX_VIEWS } else { usize::MAX };
        let outputs = tensors.into_iter().take(n_outputs);
        let outputs: Vec<EventOperand> = outputs.map(|it| EventMemory::of(it).operand()).collect();
        let memory = ObservedMemory { is_composite: true, ..Default::default() };
        it.deliver(inputs, &outputs, kind, memory)?;
    }
    Ok(result)
}

/// Runs an operation that is made of others and writes to `out`, and announces it after them. It returns which elements
/// it touched, or `()`.
#[inline(always)]
pub(crate) fn composite_into<W: Into<Touched>>(
    call: Call<'_>,
    inputs: &[Operand<'_>],
    out: Target<'_>,
    operation: impl FnOnce(Target<'_>) -> Result<W, Error>,
) -> Result<(), Error> {
    let device = device_of(inputs);
    let run = || match is_listening() {
        false => operation(out).map(drop),
        true => run_composite_into(call, inputs, out, operation),
    };
    let result = match device {
        Some(device) => with_device(device, run),
        None => run(),
    };
    result.map_err(|error| name_operation(error, call, inputs))
}

#[cold]
fn run_composite_into<W: Into<Touched>>(
    call: Call<'_>,
    inputs: &[Operand<'_>],
    out: Target<'_>,
    operation: impl FnOnce(Target<'_>) -> Result<W, Error>,
) -> Result<(), Error> {
    let mut announcement = call.announce();
    let _observed = announcement.begin(inputs, Some(&out))?;
    let (written, target) = (out.event_operand(), out.tensor_to_observe());
    let touched = {
        let _inside = announcement.enter(call);
        operation(out)?.into()
    };
    if let Some(it) = &mut announcement.0 {
        if touched != Touched::All {
            it.call.touched = touched;
        }
        let memory = ObservedMemory { target, is_composite: true, ..Default::default() };
        it.deliver(inputs, &[written], EventKind::InPlace, memory)?;
    }
    Ok(())
}

/// Calls a function whose operations are parts of a call.
#[inline(always)]
pub(crate) fn inside<R>(call: Call<'_>, f: impl FnOnce() -> R) -> R {
    let _inside = is_listening().then(|| call.announce().enter(call));
    f()
}

impl Announcement<'_> {
    /// Tells the observers that a composite operation begins, and of its end when the value is dropped.
    fn begin(
        &self,
        inputs: &[Operand<'_>],
        out: Option<&Target<'_>>,
    ) -> Result<Option<ObservedParts>, Error> {
        self.0.as_ref().map_or(Ok(None), |it| it.tell_begin(inputs, out))
    }

    /// Counts this thread as inside of a composite operation, until the value is dropped.
    fn enter(&self, call: Call<'_>) -> Inside {
        let outer = COMPOSITES.try_with(RefCell::take).unwrap_or_default();
        let (depth, caller, site) = match &outer {
            Some(outer) => (outer.depth + 1, outer.caller, outer.site.clone()),
            None => {
                let own = self.0.as_ref();
                let depth = own.map_or(1, |it| it.depth + 1);
                (depth, call.caller, own.map_or(Site::NotLocated, |it| it.site.clone()))
            }
        };
        let inner = Composites { depth, op: call.op, caller, site };
        let _ = COMPOSITES.try_with(|it| it.replace(Some(inner)));
        Inside { outer }
    }
}

/// The time that a thread is inside of a composite operation.
struct Inside {
    /// The operations around it.
    outer: Option<Composites>,
}

impl Drop for Inside {
    fn drop(&mut self) {
        let _ = COMPOSITES.try_with(|it| it.replace(self.outer.take()));
    }
}

/// What a composite operation returns.
pub(crate) trait Results {
    /// Returns the tensors among the results.
    fn tensors(&self) -> Vec<&Tensor>;
}

impl Results for Tensor {
    fn tensors(&self) -> Vec<&Tensor> {
        vec![self]
    }
}

impl Results for Vec<Tensor> {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }
}

impl<const N: usize> Results for [Tensor; N] {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }
}

impl Results for (Tensor, Tensor) {
    fn tensors(&self) -> Vec<&Tensor> {
        vec![&self.0, &self.1]
    }
}

impl Results for (Tensor, Tensor, Tensor) {
    fn tensors(&self) -> Vec<&Tensor> {
        vec![&self.0, &self.1, &self.2]
    }
}

impl Results for () {
    fn tensors(&self) -> Vec<&Tensor> {
        Vec::new()
    }
}

impl Results for bool {
    fn tensors(&self) -> Vec<&Tensor> {
        Vec::new()
    }
}
