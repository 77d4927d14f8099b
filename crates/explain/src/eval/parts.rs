//! Splitting an axis: `split(size)[i]`, `chunk(n)[i]`, `unbind()[i]`.

use super::args::{AXIS, counts};
use super::call::Call;
use super::dialect::Fact;
use super::error::{AtSpan, Context, EvalError, EvalResult, Span};
use super::names::Op;
use super::value::{Array, AxisSplit, SplitParts, Value};
use super::{Made, Session};

/// How many parts are shown when none is picked.
const MAX_PARTS: usize = 32;

impl Session<'_> {
    /// Cuts an axis. The steps come when parts are picked.
    pub(super) fn split(&mut self, call: &mut Call, x: &Array) -> EvalResult<Value> {
        let op = call.spelling.op;
        let how = match op {
            Op::Unbind => None,
            Op::SplitAt => return self.cut_at(call, x),
            Op::Split => {
                Some(call.args.need_list(&["split_size_or_sections", "split_size", "size"])?)
            }
            _ => Some(call.args.need_list(&["chunks", "indices_or_sections", "n"])?),
        };
        let axis = call.args.int(AXIS)?;
        let (axis, axis_span) = axis.unwrap_or((0, call.args.span.clone()));
        let frame = x.frame(&axis_span)?;
        let k = frame.resolve_axis(axis).at(&axis_span)?;
        let len = x.shape()[k];
        let split = match how {
            None => AxisSplit::Single { count: len },
            Some((numbers, span)) => {
                let numbers = counts(&numbers, "a part", &span)?;
                match (op, &numbers[..]) {
                    (Op::Split, &[size]) => {
                        let count = frame.split(k as isize, size).at(&span)?.len();
                        AxisSplit::Every { size, count }
                    }
                    (Op::Chunk, &[n]) => {
                        let parts = frame.chunk(k as isize, n).at(&span)?;
                        AxisSplit::Every { size: len.div_ceil(n.max(1)), count: parts.len() }
                    }
                    (Op::EqualParts, &[n]) => equal_parts(len, n, &span)?,
                    (Op::Split, sizes) => these_sizes(sizes, len, &span)?,
                    _ => return Err(EvalError::new("one number is needed here", &span)),
                }
            }
        };
        Ok(Value::Parts(SplitParts { of: x.clone(), axis: k, split, spelling: call.spelling }))
    }

    /// `split_at(axis, at)`: what lies before a position, and the rest.
    fn cut_at(&mut self, call: &mut Call, x: &Array) -> EvalResult<Value> {
        let (axis, axis_span) = call.args.need_int(AXIS)?;
        let (at, span) = call.args.need_count(&["at"])?;
        let axis = x.frame(&axis_span)?.resolve_axis(axis).at(&axis_span)?;
        let len = x.shape()[axis];
        let Some(rest) = len.checked_sub(at) else {
            let message = format!("{at} lies behind axis {axis} of length {len}");
            return Err(EvalError::new(message, &span));
        };
        let split = AxisSplit::Sizes(vec![at, rest]);
        Ok(Value::Parts(SplitParts { of: x.clone(), axis, split, spelling: call.spelling }))
    }

    /// Part `i`, as a step.
    pub(super) fn part(
        &mut self,
        parts: &SplitParts,
        i: usize,
        mut context: Context,
    ) -> EvalResult<Array> {
        let SplitParts { of, axis, split, spelling } = parts;
        context.op = spelling.op.name();
        context.inputs = vec![of.step];
        let len = of.shape()[*axis];
        let (start, size) = split.part(i, len);
        let picked = match split {
            AxisSplit::Single { .. } => of.chain.select(*axis as isize, start as isize),
            _ => of.chain.narrow(*axis as isize, start, size),
        };
        let mut made = Made::view(of, picked.at(&context.span)?);
        if let (Op::Split, AxisSplit::Every { size, .. }) = (spelling.op, split) {
            made = made.fact(Fact::PartsOf { size: *size, len });
        }
        self.push(&context, Some(spelling), made)
    }

    /// Every part, a step each.
    pub(super) fn all_parts(&mut self, parts: &SplitParts, span: &Span) -> EvalResult<Vec<Value>> {
        let count = parts.split.count();
        if count > MAX_PARTS {
            let message = format!("{count} parts are too many to show, at most {MAX_PARTS}");
            return Err(EvalError::new(message, span).help("pick one: […]"));
        }
        let context = self.context("split", span.clone(), span);
        (0..count).map(|i| self.part(parts, i, context.clone()).map(Value::Array)).collect()
    }
}

/// NumPy's `array_split` and PyTorch's `tensor_split`: the first parts are longer by one.
fn equal_parts(len: usize, n: usize, span: &Span) -> EvalResult<AxisSplit> {
    if n == 0 || n > super::value::MAX_ITEMS {
        return Err(EvalError::new(format!("{n} parts cannot be made here"), span));
    }
    Ok(AxisSplit::Sizes((0..n).map(|i| len / n + usize::from(i < len % n)).collect()))
}

fn these_sizes(sizes: &[usize], len: usize, span: &Span) -> EvalResult<AxisSplit> {
    let sum = sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size));
    match sum {
        Some(sum) if sum == len => Ok(AxisSplit::Sizes(sizes.to_vec())),
        Some(sum) => {
            let message = format!("the parts make {sum} positions, and the axis has {len}");
            Err(EvalError::new(message, span))
        }
        None => Err(EvalError::new(format!("the parts are longer than the axis of {len}"), span)),
    }
}
