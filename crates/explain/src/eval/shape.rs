//! Reshapes and reinterpretations: views whenever one exists, otherwise copies.

use super::args::SHAPE;
use super::call::Call;
use super::dialect::{Fact, bytes};
use super::error::{AtSpan, EvalError, EvalResult, Span};
use super::names::Op;
use super::value::{Array, Value};
use super::{OpResult, Session};
use crate::step::SeamCrossing;
use belvedere_layout::{
    Chain, Layout, LayoutError, Rearranged, Refusal, Reshape, Seam, Shape, unravel_index,
};

impl Session<'_> {
    /// `reshape(shape)`, `view(shape)` and `view(dtype)`.
    pub(super) fn reshape(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let is_view = call.spelling.op == Op::View;
        if is_view && matches!(call.args.peek(), None | Some(Value::DType(_) | Value::Str(..))) {
            return self.bitcast(call, x);
        }
        let copy = call.args.flag(&["copy"])?;
        let (shape, span) = call.args.need_all(&["shape", "newshape", "size"])?;
        if copy == Some(true) {
            let chain = x.chain.reshape(&shape).at(&span)?;
            return self.copied(x, &chain, None, &span);
        }
        let made = self.reshaped(call, x, &shape, &span, is_view || copy == Some(false))?;
        Ok(if is_view { made.fact(Fact::ShapeView) } else { made })
    }

    /// Reshapes; `strict` makes a copy an error.
    fn reshaped(
        &mut self,
        call: &Call,
        x: &Array,
        shape: &[isize],
        span: &Span,
        strict: bool,
    ) -> EvalResult<OpResult> {
        let layout = match x.layout() {
            Some(layout) if !x.is_lens => layout,
            _ => return Ok(OpResult::view(x, x.chain.reshape(shape).at(span)?)),
        };
        match layout.reshape(shape).at(span)? {
            Reshape::View(view) => Ok(OpResult::strided(x, view)),
            Reshape::Copy { why } => {
                let to = layout.resolve_shape(shape).at(span)?;
                let why = seam_crossing(&layout, &to, why);
                if strict {
                    return Err(refused(call, x, why));
                }
                let chain = x.chain.reshape(&to).at(span)?;
                self.copied(x, &chain, Some(why), span)
            }
        }
    }

    /// `view_as(y)`, `reshape_as(y)`, `expand_as(y)`
    pub(super) fn shape_of_other(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (other, span) = call.args.array(&["other"])?;
        call.context.inputs.push(other.step);
        if call.spelling.op == Op::BroadcastLike {
            return Ok(OpResult::view(x, x.chain.broadcast_to(other.shape()).at(&span)?));
        }
        let shape: Vec<isize> = other.shape().iter().map(|&len| len as isize).collect();
        self.reshaped(call, x, &shape, &span, call.spelling.op == Op::ViewLike)
    }

    /// `flatten()`, `flatten(start, end)`, `ravel()`
    pub(super) fn flatten(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let start = call.args.int(&["start_dim"])?;
        let end = call.args.int(&["end_dim"])?;
        let span = call.args.span.clone();
        let is_some = start.is_some() || end.is_some();
        let (start, end) = (start.map_or(0, |it| it.0), end.map_or(-1, |it| it.0));
        // The resulting shape depends on lengths only.
        let layout_of_shape = x.shape_layout(&span)?.flatten(start, end).at(&span)?.into_view();
        let shape = layout_of_shape.map_or_else(Shape::default, |it| it.shape());
        let lengths: Vec<isize> = shape.iter().map(|&len| len as isize).collect();
        let made = self.reshaped(call, x, &lengths, &span, false)?;
        Ok(if is_some { made.fact(Fact::PartialFlatten) } else { made })
    }

    /// `unflatten(axis, sizes)`
    pub(super) fn unflatten(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (axis, at) = call.args.need_int(&["dim", "axis"])?;
        let (sizes, span) = call.args.need_all(&["sizes", "shape"])?;
        let whole = at.start..span.end.max(at.end);
        let layout_of_shape = x.shape_layout(&whole)?.unflatten(axis, &sizes).at(&whole)?;
        match x.layout() {
            Some(layout) if !x.is_lens => {
                Ok(OpResult::strided(x, layout.unflatten(axis, &sizes).at(&whole)?))
            }
            _ => Ok(OpResult::view(x, x.chain.reshape(layout_of_shape.shape()).at(&whole)?)),
        }
    }

    /// `merge(start, end)`, which never copies, and `split_axis(axis, size)`.
    pub(super) fn merge_or_split_axis(
        &mut self,
        call: &mut Call,
        x: &Array,
    ) -> EvalResult<OpResult> {
        let (first, from) = call.args.need_int(&["start", "axis"])?;
        let (second, to) = call.args.need_int(&["end", "size"])?;
        let span = from.start.min(to.start)..from.end.max(to.end);
        let layout_of_shape = x.shape_layout(&span)?;
        let shape = match call.spelling.op {
            Op::Merge => layout_of_shape.merge(first, second).at(&span)?.shape(),
            _ => layout_of_shape
                .split_axis(first, super::args::count(second, "a size", &to)?)
                .at(&span)?
                .shape(),
        };
        let lengths: Vec<isize> = shape.iter().map(|&len| len as isize).collect();
        self.reshaped(call, x, &lengths, &span, true)
    }

    /// `broadcast_to(shape)`, `expand(shape)`
    pub(super) fn broadcast_to(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (shape, span) = call.args.need_all(SHAPE)?;
        Ok(OpResult::view(x, x.chain.broadcast_to(&shape).at(&span)?))
    }

    /// `rearrange("b (h w) c -> b c h w", h=2)`
    pub(super) fn rearrange(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (pattern, first, span) = call.args.text(&["pattern"])?;
        let lengths = call.args.lengths()?;
        let pairs: Vec<(&str, usize)> =
            lengths.iter().map(|(name, len, _)| (&**name, *len)).collect();
        let layout = self.require_layout(call, x)?;
        let outcome = layout.rearrange(&pattern, &pairs).map_err(|error| match error {
            LayoutError::Pattern(error) => EvalError::pattern(&error, first),
            other => EvalError::layout(other, &span),
        })?;
        match outcome {
            Rearranged::View(view) => Ok(OpResult::strided(x, view)),
            Rearranged::Copy { ordered, shape, why } => {
                let why = seam_crossing(&ordered, &shape, why);
                let chain = Chain::new(ordered).reshape(&shape).at(&span)?;
                self.copied(x, &chain, Some(why), &span)
            }
        }
    }

    /// `view(dtype)`, `bitcast(dtype)`: reinterprets the bytes.
    pub(super) fn bitcast(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let Some(given) = call.args.next(&["dtype"]) else {
            return Err(EvalError::new("missing argument: a shape or a dtype", &call.args.span));
        };
        let dtype = super::names::dtype(&given.value, &given.span)?;
        let layout = self.require_layout(call, x)?;
        let view = layout.reinterpret(x.dtype.size(), dtype.size()).at(&given.span)?;
        Ok(OpResult { dtype, ..OpResult::strided(x, view) })
    }

    /// `real`, `imag`, `view_as_real`: views of the parts of complex numbers.
    pub(super) fn real_or_imag(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let span = &call.context.span;
        if !x.dtype.is_complex() {
            return match call.spelling.op {
                Op::Real => Ok(OpResult::view(x, x.chain.clone())),
                _ => Err(EvalError::new(format!("{} has no imaginary part", x.dtype), span)),
            };
        }
        let halves = self.require_layout(call, x)?.split_elements(2).at(span)?;
        let view = match call.spelling.op {
            Op::ViewAsReal => halves,
            Op::Real => halves.select(-1, 0).at(span)?,
            _ => halves.select(-1, 1).at(span)?,
        };
        Ok(OpResult { dtype: x.dtype.real(), ..OpResult::strided(x, view) })
    }
}

/// Returns the reason for a copy, with the numbers that its drawing needs.
fn seam_crossing(from: &Layout, to: &Shape, seam: Seam) -> SeamCrossing {
    let offset = |position| {
        let index = unravel_index(&from.shape(), position);
        index.and_then(|index| from.offset(&index)).unwrap_or_default()
    };
    SeamCrossing {
        from: from.clone(),
        to: to.clone(),
        seam,
        // A seam has elements on both sides.
        jump: (offset(seam.mark.saturating_sub(1)), offset(seam.mark)),
        expected: from.start() as i128 + seam.needed,
        nearby: Refusal { from: from.clone(), to: to.clone(), why: seam }.nearby(),
    }
}

/// Returns the error of a refused view, with the alternatives.
fn refused(call: &Call, x: &Array, why: SeamCrossing) -> Box<EvalError> {
    let (from, to) = (&why.from, list(&why.to));
    let message = format!(
        "cannot view {:?} (strides {:?}) as {:?} without a copy",
        from.shape(),
        from.strides(),
        why.to
    );
    let copies = bytes(x.n_bytes());
    let mut error = EvalError::new(message, &call.context.span)
        .help(format!("reshape({to}) copies {copies}"))
        .help(format!("contiguous().view({to}) copies {copies} explicitly"))
        .help(format!("lens().reshape({to}) copies nothing: it returns a lens"));
    if let Some(shape) = why.nearby.first() {
        let others = why.nearby[1..].iter().map(|it| format!(", view({})", list(it)));
        let others: String = others.collect();
        error = error.help(format!("view({}){others} do not cross the seam: no copy", list(shape)));
    }
    error.why = Some(why);
    error.with_fact(Fact::Refused)
}

/// Formats lengths as arguments of a call.
fn list(lengths: &[usize]) -> String {
    let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
    lengths.join(", ")
}
