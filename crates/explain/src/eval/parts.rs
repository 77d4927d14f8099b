//! An axis cut into parts: `split(size)[i]`, `chunk(n)[i]`, `unbind()[i]`.

use super::args::{AXIS, counts};
use super::call::Call;
use super::dialect::Fact;
use super::names::Op;
use super::trouble::{At, Context, Fallible, Span, Trouble};
use super::value::{Array, Cut, Parts, Value};
use super::{Made, Session};

/// How many parts are shown when none is picked.
const MAX_PARTS: usize = 32;

impl Session<'_> {
    /// Cuts an axis. The steps come when parts are picked.
    pub(super) fn cut(&mut self, call: &mut Call, x: &Array) -> Fallible<Value> {
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
        let cut = match how {
            None => Cut::Single { count: len },
            Some((numbers, span)) => {
                let numbers = counts(&numbers, "a part", &span)?;
                match (op, &numbers[..]) {
                    (Op::Split, &[size]) => {
                        let count = frame.split(k as isize, size).at(&span)?.len();
                        Cut::Every { size, count }
                    }
                    (Op::Chunk, &[n]) => {
                        let parts = frame.chunk(k as isize, n).at(&span)?;
                        Cut::Every { size: len.div_ceil(n.max(1)), count: parts.len() }
                    }
                    (Op::EqualParts, &[n]) => equal_parts(len, n, &span)?,
                    (Op::Split, sizes) => these_sizes(sizes, len, &span)?,
                    _ => return Err(Trouble::new("one number is needed here", &span)),
                }
            }
        };
        Ok(Value::Parts(Parts { of: x.clone(), axis: k, cut, spelling: call.spelling }))
    }

    /// `split_at(axis, at)`: what lies before a position, and the rest.
    fn cut_at(&mut self, call: &mut Call, x: &Array) -> Fallible<Value> {
        let (axis, axis_span) = call.args.need_int(AXIS)?;
        let (at, span) = call.args.need_count(&["at"])?;
        let axis = x.frame(&axis_span)?.resolve_axis(axis).at(&axis_span)?;
        let len = x.shape()[axis];
        let Some(rest) = len.checked_sub(at) else {
            let message = format!("{at} lies behind axis {axis} of length {len}");
            return Err(Trouble::new(message, &span));
        };
        let cut = Cut::Sizes(vec![at, rest]);
        Ok(Value::Parts(Parts { of: x.clone(), axis, cut, spelling: call.spelling }))
    }

    /// Part `i`, as a step.
    pub(super) fn part(
        &mut self,
        parts: &Parts,
        i: usize,
        mut context: Context,
    ) -> Fallible<Array> {
        let Parts { of, axis, cut, spelling } = parts;
        context.op = spelling.op.name();
        context.inputs = vec![of.step];
        let len = of.shape()[*axis];
        let (start, size) = cut.part(i, len);
        let picked = match cut {
            Cut::Single { .. } => of.chain.select(*axis as isize, start as isize),
            _ => of.chain.narrow(*axis as isize, start, size),
        };
        let mut made = Made::view(of, picked.at(&context.span)?);
        if let (Op::Split, Cut::Every { size, .. }) = (spelling.op, cut) {
            made = made.fact(Fact::PartsOf { size: *size, len });
        }
        self.push(&context, Some(spelling), made)
    }

    /// Every part, a step each.
    pub(super) fn all_parts(&mut self, parts: &Parts, span: &Span) -> Fallible<Vec<Value>> {
        let count = parts.cut.count();
        if count > MAX_PARTS {
            let message = format!("{count} parts are too many to show, at most {MAX_PARTS}");
            return Err(Trouble::new(message, span).help("pick one: […]"));
        }
        let context = self.context("split", span.clone(), span);
        (0..count).map(|i| self.part(parts, i, context.clone()).map(Value::Array)).collect()
    }
}

/// NumPy's `array_split` and PyTorch's `tensor_split`: the first parts are longer by one.
fn equal_parts(len: usize, n: usize, span: &Span) -> Fallible<Cut> {
    if n == 0 || n > super::value::MAX_ITEMS {
        return Err(Trouble::new(format!("{n} parts cannot be made here"), span));
    }
    Ok(Cut::Sizes((0..n).map(|i| len / n + usize::from(i < len % n)).collect()))
}

fn these_sizes(sizes: &[usize], len: usize, span: &Span) -> Fallible<Cut> {
    let sum = sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size));
    match sum {
        Some(sum) if sum == len => Ok(Cut::Sizes(sizes.to_vec())),
        Some(sum) => {
            let message = format!("the parts make {sum} positions, and the axis has {len}");
            Err(Trouble::new(message, span))
        }
        None => Err(Trouble::new(format!("the parts are longer than the axis of {len}"), span)),
    }
}
