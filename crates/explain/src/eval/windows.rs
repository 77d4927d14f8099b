//! Windows, diagonals, `as_strided`, and slices of single axes.

use super::args::{AXIS, count, counts};
use super::call::Call;
use super::error::{AtSpan, EvalError, EvalResult};
use super::value::Array;
use super::{Made, Session};
use belvedere_layout::{Index, Layout, Slice};

impl Session<'_> {
    /// `unfold(axis, size, step)`
    pub(super) fn unfold(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let (axis, at) = call.args.need_int(&["dimension", "dim", "axis"])?;
        let (size, _) = call.args.need_count(&["size"])?;
        let step = call.args.int(&["step"])?;
        let step =
            step.map_or(Ok(1), |(step, span)| count(step, "a step between windows", &span))?;
        let span = at.start..call.context.span.end;
        let layout = self.strides_of(call, x)?;
        Ok(Made::strided(x, layout.windows(axis, size, step).at(&span)?))
    }

    /// `sliding_window_view(sizes, axes)`
    pub(super) fn sliding_window(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let (sizes, span) = call.args.need_list(&["window_shape"])?;
        let sizes = counts(&sizes, "a window", &span)?;
        let axes = match call.args.list(&["axis", "axes"])? {
            Some((axes, _)) => axes,
            None => (0..x.rank() as isize).collect(),
        };
        let layout = self.strides_of(call, x)?;
        Ok(Made::strided(x, layout.sliding_window(&axes, &sizes).at(&span)?))
    }

    /// `diagonal(offset, axis1, axis2)`
    pub(super) fn diagonal(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let shift = call.args.int(&["offset"])?.map_or(0, |it| it.0);
        let first = call.args.int(&["axis1", "dim1"])?.map_or(0, |it| it.0);
        let second = call.args.int(&["axis2", "dim2"])?.map_or(1, |it| it.0);
        let layout = self.strides_of(call, x)?;
        Ok(Made::strided(x, layout.diagonal(shift, first, second).at(&call.context.span)?))
    }

    /// `as_strided(shape, strides, offset)`, in elements and within the memory.
    pub(super) fn as_strided(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let (shape, from) = call.args.need_list(&["shape", "size"])?;
        let (strides, to) = call.args.need_list(&["strides", "stride"])?;
        let shape = counts(&shape, "a length", &from)?;
        let layout = self.strides_of(call, x)?;
        let offset = call.args.int(&["storage_offset", "offset"])?;
        let start = match offset {
            Some((offset, span)) => count(offset, "an offset", &span)?,
            None => layout.start(),
        };
        let span = from.start.min(to.start)..from.end.max(to.end);
        let memory = self.memories.len_for(x);
        let made = Layout::as_strided(memory, start, &shape, &strides).map_err(|error| {
            let trouble = EvalError::layout(error, &span);
            trouble.help("strides count elements here, not bytes")
        })?;
        Ok(Made::strided(x, made))
    }

    /// `narrow(axis, start, length)`
    pub(super) fn narrow(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let (axis, at) = call.args.need_int(AXIS)?;
        let (start, from) = call.args.need_int(&["start"])?;
        let (length, to) = call.args.need_count(&["length"])?;
        let k = x.frame(&at)?.resolve_axis(axis).at(&at)?;
        // PyTorch counts a negative start from the end.
        let from_front =
            if start < 0 { start.saturating_add(x.shape()[k] as isize) } else { start };
        let Ok(first) = usize::try_from(from_front) else {
            let message = format!("{start} lies in front of axis {k} of length {}", x.shape()[k]);
            return Err(EvalError::new(message, &from));
        };
        let span = from.start..to.end.max(from.end);
        Ok(Made::view(x, x.chain.narrow(k as isize, first, length).at(&span)?))
    }

    /// `step(axis, n)`: every `n`th position, backwards if it is negative.
    pub(super) fn stepped(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let (axis, at) = call.args.need_int(AXIS)?;
        let (step, span) = call.args.need_int(&["step"])?;
        let k = x.frame(&at)?.resolve_axis(axis).at(&at)?;
        let mut index = vec![Index::Slice(Slice::ALL); k];
        index.push(Index::Slice(Slice::ALL.by(step)));
        Ok(Made::view(x, x.chain.slice(&index).at(&span)?))
    }

    /// `select(axis, index)`
    pub(super) fn select(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let (axis, at) = call.args.need_int(AXIS)?;
        let (index, span) = call.args.need_int(&["index"])?;
        let k = x.frame(&at)?.resolve_axis(axis).at(&at)?;
        Ok(Made::view(x, x.chain.select(k as isize, index).at(&span)?))
    }
}
