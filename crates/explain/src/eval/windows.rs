//! Sliding windows, diagonals, `as_strided`, `narrow`, `step` and `select`.

use super::args::{AXIS, count, counts};
use super::call::Call;
use super::error::{AtSpan, EvalError, EvalResult};
use super::value::Array;
use super::{OpResult, Session};
use belvedere_layout::{Index, Layout, Slice};

impl Session<'_> {
    /// `unfold(axis, size, step)`
    pub(super) fn unfold(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (axis, at) = call.args.need_int(&["dimension", "dim", "axis"])?;
        let (size, _) = call.args.need_count(&["size"])?;
        let step = call.args.int(&["step"])?;
        let step =
            step.map_or(Ok(1), |(step, span)| count(step, "the step between windows", &span))?;
        let span = at.start..call.context.span.end;
        let layout = self.require_layout(call, x)?;
        Ok(OpResult::strided(x, layout.windows(axis, size, step).at(&span)?))
    }

    /// `sliding_window_view(sizes, axes)`
    pub(super) fn sliding_window(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (sizes, span) = call.args.need_list(&["window_shape"])?;
        let sizes = counts(&sizes, "a window size", &span)?;
        let axes = match call.args.list(&["axis", "axes"])? {
            Some((axes, _)) => axes,
            None => (0..x.rank() as isize).collect(),
        };
        let layout = self.require_layout(call, x)?;
        Ok(OpResult::strided(x, layout.sliding_window(&axes, &sizes).at(&span)?))
    }

    /// `diagonal(offset, axis1, axis2)`
    pub(super) fn diagonal(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let shift = call.args.int(&["offset"])?.map_or(0, |it| it.0);
        let first = call.args.int(&["axis1", "dim1"])?.map_or(0, |it| it.0);
        let second = call.args.int(&["axis2", "dim2"])?.map_or(1, |it| it.0);
        let layout = self.require_layout(call, x)?;
        Ok(OpResult::strided(x, layout.diagonal(shift, first, second).at(&call.context.span)?))
    }

    /// `as_strided(shape, strides, offset)`, in elements and within the memory.
    pub(super) fn as_strided(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (shape, from) = call.args.need_list(&["shape", "size"])?;
        let (strides, to) = call.args.need_list(&["strides", "stride"])?;
        let shape = counts(&shape, "a length", &from)?;
        let layout = self.require_layout(call, x)?;
        let offset = call.args.int(&["storage_offset", "offset"])?;
        let start = match offset {
            Some((offset, span)) => count(offset, "an offset", &span)?,
            None => layout.start(),
        };
        let span = from.start.min(to.start)..from.end.max(to.end);
        let memory = self.memories.len_for(x);
        let made = Layout::as_strided(memory, start, &shape, &strides).map_err(|error| {
            let error = EvalError::layout(error, &span);
            error.help("strides are in elements here, not bytes")
        })?;
        Ok(OpResult::strided(x, made))
    }

    /// `narrow(axis, start, length)`
    pub(super) fn narrow(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (axis, at) = call.args.need_int(AXIS)?;
        let (start, from) = call.args.need_int(&["start"])?;
        let (length, to) = call.args.need_count(&["length"])?;
        let k = x.shape_layout(&at)?.resolve_axis(axis).at(&at)?;
        // PyTorch counts a negative start from the end.
        let from_front =
            if start < 0 { start.saturating_add(x.shape()[k] as isize) } else { start };
        let Ok(first) = usize::try_from(from_front) else {
            let message =
                format!("start {start} is out of range for axis {k} of length {}", x.shape()[k]);
            return Err(EvalError::new(message, &from));
        };
        let span = from.start..to.end.max(from.end);
        Ok(OpResult::view(x, x.chain.narrow(k as isize, first, length).at(&span)?))
    }

    /// `step(axis, n)`: every `n`th index, in reverse if `n` is negative.
    pub(super) fn stepped(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (axis, at) = call.args.need_int(AXIS)?;
        let (step, span) = call.args.need_int(&["step"])?;
        let k = x.shape_layout(&at)?.resolve_axis(axis).at(&at)?;
        let mut index = vec![Index::Slice(Slice::ALL); k];
        index.push(Index::Slice(Slice::ALL.by(step)));
        Ok(OpResult::view(x, x.chain.slice(&index).at(&span)?))
    }

    /// `select(axis, index)`
    pub(super) fn select(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (axis, at) = call.args.need_int(AXIS)?;
        let (index, span) = call.args.need_int(&["index"])?;
        let k = x.shape_layout(&at)?.resolve_axis(axis).at(&at)?;
        Ok(OpResult::view(x, x.chain.select(k as isize, index).at(&span)?))
    }
}
