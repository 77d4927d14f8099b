//! Operations that copy, and their counterparts on a lens, which do not.

use super::args::{AXIS, counts, wanted};
use super::call::Call;
use super::dialect::Fact;
use super::error::{AtSpan, EvalError, EvalResult, Span};
use super::memory::converted;
use super::value::{Array, Module, Value};
use super::{Made, Session};
use crate::step::{Kind, Scalar, Values, Why};
use belvedere::DType;
use belvedere::plan::output_layout;
use belvedere_layout::{Chain, Layout};

impl Session<'_> {
    /// New memory with the elements that `chain` visits, in row-major order.
    pub(super) fn copied(
        &mut self,
        x: &Array,
        chain: &Chain,
        why: Option<Why>,
        span: &Span,
    ) -> EvalResult<Made> {
        let layout = Layout::row_major(chain.shape()).at(span)?;
        let values = self.memories.copied(x, chain);
        let memory = self.memories.add(x.dtype, layout.len(), values);
        let plan = chain.as_layout().and_then(|from| super::plan::copy(&layout, &from, x.dtype));
        Ok(Made {
            chain: Chain::new(layout),
            is_lens: false,
            memory,
            bytes_copied: x.dtype.size() as u128 * chain.len() as u128,
            why,
            plan,
            ..Made::of(x, Kind::Copy)
        })
    }

    /// `copy()`, `clone()`
    pub(super) fn copy(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        call.args.is_col_major()?;
        self.copied(x, &x.chain, None, &call.context.span)
    }

    /// `contiguous()`, `ascontiguousarray(x)`
    pub(super) fn contiguous(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        match x.layout() {
            Some(layout) if layout.is_contiguous() => {
                Ok(Made { is_lens: false, ..Made::strided(x, layout) })
            }
            _ => self.copied(x, &x.chain, None, &call.context.span),
        }
    }

    /// `asfortranarray(x)`: columns lie together.
    pub(super) fn col_major(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let span = &call.context.span;
        if let Some(layout) = x.layout().filter(Layout::is_col_major) {
            return Ok(Made::strided(x, layout));
        }
        let order: Vec<isize> = (0..x.rank() as isize).rev().collect();
        let turned = x.chain.permute(&order).at(span)?;
        let made = self.copied(x, &turned, None, span)?;
        let chain = made.chain.permute(&order).at(span)?;
        Ok(Made { chain, ..made })
    }

    /// `astype(dtype)`, `to(dtype)`
    pub(super) fn astype(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let Some(given) = call.args.next(&["dtype"]) else {
            return Err(EvalError::new("a type of elements is missing", &call.args.span));
        };
        call.args.flag(&["copy"])?;
        let dtype = super::names::dtype(&given.value, &given.span)?;
        self.cast(x, dtype, &given.span)
    }

    pub(super) fn cast(&mut self, x: &Array, dtype: DType, span: &Span) -> EvalResult<Made> {
        if dtype == x.dtype {
            return Ok(Made::view(x, x.chain.clone()));
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
            Some(values) => in_memory(&layout, converted(&values, dtype, span)?),
            None => Values::Unknown,
        };
        let memory = self.memories.add(dtype, layout.len(), values);
        let bytes_copied = layout.len() as u128 * dtype.size() as u128;
        let chain = Chain::new(layout);
        Ok(Made { dtype, chain, is_lens: false, memory, bytes_copied, ..Made::of(x, Kind::Copy) })
    }

    /// `lens()`: from here on every movement is free.
    pub(super) fn lens(&mut self, _: &mut Call, x: &Array) -> Made {
        Made { is_lens: true, ..Made::view(x, x.chain.clone()) }
    }

    /// `pad(width)`: NumPy's widths, or PyTorch's list from the last axis on.
    pub(super) fn pad(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let Some(given) = call.args.next(&["pad_width", "pad"]) else {
            return Err(EvalError::new("pad_width is missing", &call.args.span));
        };
        let span = &given.span;
        let padding = match call.module {
            Module::Functional => from_the_end(&given.value, x.rank(), span)?,
            _ => for_each_axis(&given.value, x.rank(), span)?,
        };
        for names in [&["mode"], &["value"], &["constant_values"]] {
            match call.args.next(names).map(|it| (it.value, it.span)) {
                None | Some((Value::Int(0) | Value::None, _)) => {}
                Some((Value::Float(0.0), _)) => {}
                Some((Value::Text(mode, _), _)) if mode == "constant" => {}
                Some((_, span)) => {
                    return Err(EvalError::new("only padding with 0 is shown here", &span));
                }
            }
        }
        Ok(Made::view(x, x.chain.pad(&padding).at(span)?))
    }

    /// `tile(times)`
    pub(super) fn tile(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let (times, span) = call.args.need_all(&["reps", "repetitions", "dims"])?;
        let times = counts(&times, "a number of repetitions", &span)?;
        Ok(Made::view(x, x.chain.tile(&times).at(&span)?))
    }

    /// `repeat(n, axis)`: each element `n` times; without an axis, of all elements in a row.
    pub(super) fn repeat(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let times: Vec<isize> = {
            let mut all = call.args.clone();
            let given =
                all.rest().into_iter().filter_map(|it| super::args::ints(&it.value, &it.span).ok());
            given.flatten().collect()
        };
        let fact = Fact::Repeated { times };
        let is_torch = call.spelling.name == "repeat" && call.args.n_plain() > 1;
        let repeated = self.repeat_elements(call, x).map(|made| made.fact(fact.clone()));
        repeated.map_err(|trouble| {
            let help = "PyTorch's `repeat`, a number for each axis, is `tile` here";
            let trouble = trouble.because(fact);
            if is_torch { trouble.help(help) } else { trouble }
        })
    }

    fn repeat_elements(&mut self, call: &mut Call, x: &Array) -> EvalResult<Made> {
        let (times, span) = call.args.need_list(&["repeats"])?;
        let times = counts(&times, "a number of repetitions", &span)?;
        let &[n] = &times[..] else {
            return Err(EvalError::new(
                "one number of repetitions for all elements is needed here",
                &span,
            ));
        };
        let chain = match call.args.int(AXIS)? {
            Some((axis, at)) => x.chain.repeat(axis, n).at(&at)?,
            None => {
                let flat = x.chain.reshape([x.chain.len()]).at(&span)?;
                flat.repeat(0, n).at(&span)?
            }
        };
        // Nothing is left to be said once there are too many arguments.
        call.args.finish()?;
        Ok(Made::view(x, chain))
    }
}

/// Values in row-major order, put where a layout that fills its memory has them.
pub(super) fn in_memory(layout: &Layout, values: Vec<Scalar>) -> Values {
    if layout.is_contiguous() {
        return Values::Listed(values.into());
    }
    let mut placed = values.clone();
    for (offset, value) in layout.offsets().zip(values) {
        if let Some(place) = placed.get_mut(offset) {
            *place = value;
        }
    }
    Values::Listed(placed.into())
}

/// `1`, `(1, 2)` or `((1, 2), (0, 0))`.
fn for_each_axis(value: &Value, rank: usize, span: &Span) -> EvalResult<Vec<(usize, usize)>> {
    let pair = |value: &Value| -> EvalResult<(usize, usize)> {
        let widths = counts(&super::args::ints(value, span)?, "padding", span)?;
        match widths[..] {
            [both] => Ok((both, both)),
            [before, after] => Ok((before, after)),
            _ => Err(EvalError::new("padding is one number or two for an axis", span)),
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
        other => Err(wanted("a number or pairs of numbers", other, span)),
    }
}

/// `(left, right, top, bottom)`: the last axis first.
fn from_the_end(value: &Value, rank: usize, span: &Span) -> EvalResult<Vec<(usize, usize)>> {
    let widths = counts(&super::args::ints(value, span)?, "padding", span)?;
    if widths.len() % 2 == 1 || widths.len() / 2 > rank {
        let message = format!("{} numbers are no pairs for {rank} axes", widths.len());
        return Err(EvalError::new(message, span));
    }
    let mut padding = vec![(0, 0); rank];
    for (place, pair) in padding.iter_mut().rev().zip(widths.chunks_exact(2)) {
        *place = (pair[0], pair[1]);
    }
    Ok(padding)
}
