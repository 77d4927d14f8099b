//! Copies, casts, and the operations that return a lens instead of a copy: `pad`, `tile`, `repeat`.

use super::args::{AXIS, counts, wrong_type};
use super::call::Call;
use super::dialect::Fact;
use super::error::{AtSpan, EvalError, EvalResult, Span};
use super::memory::cast_scalars;
use super::value::{Array, Module, Value};
use super::{OpResult, Session};
use crate::step::{Kind, Scalar, SeamCrossing, Values};
use belvedere::DType;
use belvedere::plan::output_layout;
use belvedere_layout::{Chain, Layout};

impl Session<'_> {
    /// Returns a row-major copy of the elements of `chain`.
    pub(super) fn copied(
        &mut self,
        x: &Array,
        chain: &Chain,
        why: Option<SeamCrossing>,
        span: &Span,
    ) -> EvalResult<OpResult> {
        let layout = Layout::row_major(chain.shape()).at(span)?;
        let values = self.memories.copied(x, chain);
        let memory = self.memories.add(x.dtype, layout.len(), values);
        let plan = chain.as_layout().and_then(|from| super::plan::copy(&layout, &from, x.dtype));
        Ok(OpResult {
            chain: Chain::new(layout),
            is_lens: false,
            memory,
            bytes_copied: x.dtype.size() as u128 * chain.len() as u128,
            why,
            plan,
            ..OpResult::unchanged(x, Kind::Copy)
        })
    }

    /// `copy()`, `clone()`
    pub(super) fn copy(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        call.args.is_col_major()?;
        self.copied(x, &x.chain, None, &call.context.span)
    }

    /// `contiguous()`, `ascontiguousarray(x)`
    pub(super) fn contiguous(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        match x.layout() {
            Some(layout) if layout.is_contiguous() => {
                Ok(OpResult { is_lens: false, ..OpResult::strided(x, layout) })
            }
            _ => self.copied(x, &x.chain, None, &call.context.span),
        }
    }

    /// `asfortranarray(x)`: column-major order.
    pub(super) fn col_major(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let span = &call.context.span;
        if let Some(layout) = x.layout().filter(Layout::is_col_major) {
            return Ok(OpResult::strided(x, layout));
        }
        let order: Vec<isize> = (0..x.rank() as isize).rev().collect();
        let turned = x.chain.permute(&order).at(span)?;
        let made = self.copied(x, &turned, None, span)?;
        let chain = made.chain.permute(&order).at(span)?;
        Ok(OpResult { chain, ..made })
    }

    /// `astype(dtype)`, `to(dtype)`
    pub(super) fn astype(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let Some(given) = call.args.next(&["dtype"]) else {
            return Err(EvalError::new("missing argument: a dtype", &call.args.span));
        };
        call.args.flag(&["copy"])?;
        let dtype = super::names::dtype(&given.value, &given.span)?;
        self.cast(x, dtype, &given.span)
    }

    pub(super) fn cast(&mut self, x: &Array, dtype: DType, span: &Span) -> EvalResult<OpResult> {
        if dtype == x.dtype {
            return Ok(OpResult::view(x, x.chain.clone()));
        }
        if x.dtype.is_complex() && !dtype.is_complex() && !dtype.is_bool() {
            return Err(EvalError::new(format!("cannot cast {} to {dtype}", x.dtype), span)
                .help("take `real` or `imag` first"));
        }
        let from = x.layout();
        let layout = match &from {
            Some(from) => output_layout(x.shape(), &[from]).at(span)?,
            None => Layout::row_major(x.shape()).at(span)?,
        };
        let values = match self.memories.elements(x) {
            Some(values) => in_layout_order(&layout, cast_scalars(&values, dtype, span)?),
            None => Values::Unknown,
        };
        let memory = self.memories.add(dtype, layout.len(), values);
        let bytes_copied = layout.len() as u128 * dtype.size() as u128;
        let chain = Chain::new(layout);
        Ok(OpResult {
            dtype,
            chain,
            is_lens: false,
            memory,
            bytes_copied,
            ..OpResult::unchanged(x, Kind::Copy)
        })
    }

    /// `lens()`: returns a lens, on which view operations never copy.
    pub(super) fn lens(&mut self, _: &mut Call, x: &Array) -> OpResult {
        OpResult { is_lens: true, ..OpResult::view(x, x.chain.clone()) }
    }

    /// `pad(width)`: widths in NumPy's form, or in PyTorch's, last axis first.
    pub(super) fn pad(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let Some(given) = call.args.next(&["pad_width", "pad"]) else {
            return Err(EvalError::new("missing argument: pad_width", &call.args.span));
        };
        let span = &given.span;
        let padding = match call.module {
            Module::Functional => torch_padding(&given.value, x.rank(), span)?,
            _ => numpy_padding(&given.value, x.rank(), span)?,
        };
        for names in [&["mode"], &["value"], &["constant_values"]] {
            match call.args.next(names).map(|it| (it.value, it.span)) {
                None | Some((Value::Int(0) | Value::None, _)) => {}
                Some((Value::Float(0.0), _)) => {}
                Some((Value::Str(mode, _), _)) if mode == "constant" => {}
                Some((_, span)) => {
                    return Err(EvalError::new("only constant padding with 0 is supported", &span));
                }
            }
        }
        Ok(OpResult::view(x, x.chain.pad(&padding).at(span)?))
    }

    /// `tile(times)`
    pub(super) fn tile(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (times, span) = call.args.need_all(&["reps", "repetitions", "dims"])?;
        let times = counts(&times, "a repeat count", &span)?;
        Ok(OpResult::view(x, x.chain.tile(&times).at(&span)?))
    }

    /// `repeat(n, axis)`: each element `n` times; of the flattened tensor without an axis.
    pub(super) fn repeat(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let times: Vec<isize> = {
            let mut all = call.args.clone();
            let given =
                all.rest().into_iter().filter_map(|it| super::args::ints(&it.value, &it.span).ok());
            given.flatten().collect()
        };
        let fact = Fact::Repeated { times };
        let is_torch = call.spelling.name == "repeat" && call.args.n_positional() > 1;
        let repeated = self.repeat_elements(call, x).map(|made| made.fact(fact.clone()));
        repeated.map_err(|error| {
            let help = "PyTorch's `repeat` with a count for each axis is `tile` here";
            let error = error.with_fact(fact);
            if is_torch { error.help(help) } else { error }
        })
    }

    fn repeat_elements(&mut self, call: &mut Call, x: &Array) -> EvalResult<OpResult> {
        let (times, span) = call.args.need_list(&["repeats"])?;
        let times = counts(&times, "a repeat count", &span)?;
        let &[n] = &times[..] else {
            return Err(EvalError::new("expected one repeat count for all elements", &span));
        };
        let chain = match call.args.int(AXIS)? {
            Some((axis, at)) => x.chain.repeat(axis, n).at(&at)?,
            None => {
                let flat = x.chain.reshape([x.chain.len()]).at(&span)?;
                flat.repeat(0, n).at(&span)?
            }
        };
        // Checked here, so that the caller adds the help about PyTorch's `repeat` to this error too.
        call.args.finish()?;
        Ok(OpResult::view(x, chain))
    }
}

/// Returns values given in row-major order in the memory order of a dense layout.
pub(super) fn in_layout_order(layout: &Layout, values: Vec<Scalar>) -> Values {
    if layout.is_contiguous() {
        return Values::List(values.into());
    }
    let mut placed = values.clone();
    for (offset, value) in layout.offsets().zip(values) {
        if let Some(place) = placed.get_mut(offset) {
            *place = value;
        }
    }
    Values::List(placed.into())
}

/// Parses NumPy's pad widths: `1`, `(1, 2)` or `((1, 2), (0, 0))`.
fn numpy_padding(value: &Value, rank: usize, span: &Span) -> EvalResult<Vec<(usize, usize)>> {
    let pair = |value: &Value| -> EvalResult<(usize, usize)> {
        let widths = counts(&super::args::ints(value, span)?, "a pad width", span)?;
        match widths[..] {
            [both] => Ok((both, both)),
            [before, after] => Ok((before, after)),
            _ => Err(EvalError::new(
                "the padding of an axis is one width or a pair (before, after)",
                span,
            )),
        }
    };
    match value {
        Value::Tuple(items) if items.iter().all(|it| matches!(it, Value::Tuple(_))) => {
            let pairs = items.iter().map(pair).collect::<EvalResult<Vec<_>>>()?;
            match (pairs.len(), pairs.first()) {
                (1, Some(&only)) => Ok(vec![only; rank]),
                _ => Ok(pairs),
            }
        }
        Value::Tuple(_) | Value::Int(_) => Ok(vec![pair(value)?; rank]),
        other => Err(wrong_type("a width or pairs of widths", other, span)),
    }
}

/// Parses PyTorch's pad widths: `(left, right, top, bottom)`, last axis first.
fn torch_padding(value: &Value, rank: usize, span: &Span) -> EvalResult<Vec<(usize, usize)>> {
    let widths = counts(&super::args::ints(value, span)?, "a pad width", span)?;
    if widths.len() % 2 == 1 || widths.len() / 2 > rank {
        let message = format!(
            "expected pairs of pad widths for at most {rank} axes, got {} widths",
            widths.len()
        );
        return Err(EvalError::new(message, span));
    }
    let mut padding = vec![(0, 0); rank];
    for (place, pair) in padding.iter_mut().rev().zip(widths.chunks_exact(2)) {
        *place = (pair[0], pair[1]);
    }
    Ok(padding)
}
