//! Splitting an axis: `split(size)[i]`, `chunk(n)[i]`, `unbind()[i]`.

use super::args::{AXIS, counts};
use super::call::Call;
use super::dialect::Fact;
use super::error::{AtSpan, Context, EvalError, EvalResult, Span};
use super::names::Op;
use super::value::{Array, AxisSplit, SplitParts, Value};
use super::{OpResult, Session};

/// The maximum number of parts that are recorded when none is selected.
const MAX_PARTS: usize = 32;

impl Session<'_> {
    /// Splits an axis. The steps are recorded when parts are selected.
    pub(super) fn split(&mut self, call: &mut Call, x: &Array) -> EvalResult<Value> {
        let op = call.spelling.op;
        let how = match op {
            Op::Unbind => None,
            Op::SplitAt => return self.split_at(call, x),
            Op::Split => {
                Some(call.args.need_list(&["split_size_or_sections", "split_size", "size"])?)
            }
            _ => Some(call.args.need_list(&["chunks", "indices_or_sections", "n"])?),
        };
        let axis = call.args.int(AXIS)?;
        let (axis, axis_span) = axis.unwrap_or((0, call.args.span.clone()));
        let layout_of_shape = x.shape_layout(&axis_span)?;
        let k = layout_of_shape.resolve_axis(axis).at(&axis_span)?;
        let len = x.shape()[k];
        let split = match how {
            None => AxisSplit::Single { count: len },
            Some((numbers, span)) => {
                let numbers = counts(&numbers, "a part size", &span)?;
                match (op, &numbers[..]) {
                    (Op::Split, &[size]) => {
                        let count = layout_of_shape.split(k as isize, size).at(&span)?.len();
                        AxisSplit::Every { size, count }
                    }
                    (Op::Chunk, &[n]) => {
                        let parts = layout_of_shape.chunk(k as isize, n).at(&span)?;
                        AxisSplit::Every { size: len.div_ceil(n.max(1)), count: parts.len() }
                    }
                    (Op::EqualParts, &[n]) => equal_parts(len, n, &span)?,
                    (Op::Split, sizes) => parts_of_sizes(sizes, len, &span)?,
                    _ => return Err(EvalError::new("expected one integer", &span)),
                }
            }
        };
        Ok(Value::Parts(SplitParts { of: x.clone(), axis: k, split, spelling: call.spelling }))
    }

    /// `split_at(axis, at)`: the part before `at` and the part from `at` on.
    fn split_at(&mut self, call: &mut Call, x: &Array) -> EvalResult<Value> {
        let (axis, axis_span) = call.args.need_int(AXIS)?;
        let (at, span) = call.args.need_count(&["at"])?;
        let axis = x.shape_layout(&axis_span)?.resolve_axis(axis).at(&axis_span)?;
        let len = x.shape()[axis];
        let Some(rest) = len.checked_sub(at) else {
            let message =
                format!("split position {at} is out of range for axis {axis} of length {len}");
            return Err(EvalError::new(message, &span));
        };
        let split = AxisSplit::Sizes(vec![at, rest]);
        Ok(Value::Parts(SplitParts { of: x.clone(), axis, split, spelling: call.spelling }))
    }

    /// Records part `i` as a step.
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
        let selected = match split {
            AxisSplit::Single { .. } => of.chain.select(*axis as isize, start as isize),
            _ => of.chain.narrow(*axis as isize, start, size),
        };
        let mut made = OpResult::view(of, selected.at(&context.span)?);
        if let (Op::Split, AxisSplit::Every { size, .. }) = (spelling.op, split) {
            made = made.fact(Fact::PartSize { size: *size, len });
        }
        self.push(&context, Some(spelling), made)
    }

    /// Records every part as a step.
    pub(super) fn all_parts(&mut self, parts: &SplitParts, span: &Span) -> EvalResult<Vec<Value>> {
        let count = parts.split.count();
        if count > MAX_PARTS {
            let message = format!("cannot show {count} parts, the limit is {MAX_PARTS}");
            return Err(EvalError::new(message, span).help("select one: […]"));
        }
        let context = self.context("split", span.clone(), span);
        (0..count).map(|i| self.part(parts, i, context.clone()).map(Value::Array)).collect()
    }
}

/// NumPy's `array_split` and PyTorch's `tensor_split`: the first parts are longer by one.
fn equal_parts(len: usize, n: usize, span: &Span) -> EvalResult<AxisSplit> {
    if n == 0 || n > super::value::MAX_ITEMS {
        return Err(EvalError::new(
            format!("the number of parts must be in 1..=4096, got {n}"),
            span,
        ));
    }
    Ok(AxisSplit::Sizes((0..n).map(|i| len / n + usize::from(i < len % n)).collect()))
}

fn parts_of_sizes(sizes: &[usize], len: usize, span: &Span) -> EvalResult<AxisSplit> {
    let sum = sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size));
    match sum {
        Some(sum) if sum == len => Ok(AxisSplit::Sizes(sizes.to_vec())),
        Some(sum) => {
            let message = format!("the part sizes sum to {sum}, but the axis has length {len}");
            Err(EvalError::new(message, span))
        }
        None => Err(EvalError::new(
            format!("the sum of the part sizes overflows; the axis has length {len}"),
            span,
        )),
    }
}
