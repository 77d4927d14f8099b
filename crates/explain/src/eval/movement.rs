//! View operations, joins and splits whose calls are longer than one expression of the library.

use super::adapters::{Called, check, length, ok, read, resolved};
use super::arguments::{Counts, Ints, OperandValue};
use super::creation::is_col_major;
use super::value::{Array, MAX_ITEMS, Value, each};
use crate::step::Scalar;
use belvedere::{DType, Error, Tensor};

/// The maximum number of elements of a result whose length depends on values.
const MAX_LENGTH: usize = 1 << 16;

/// Calls `narrow`; a negative start counts from the end.
pub(super) fn narrow(x: Array, axis: isize, start: isize, length: usize) -> Called<Array> {
    let len = x.shape()[resolved(axis, x.shape().len())?];
    let from_front = if start < 0 { start.saturating_add(len as isize) } else { start };
    let first: usize = from_front
        .try_into()
        .map_err(|_| format!("start {start} is out of range for an axis of length {len}"))?;
    each!(x, x => x.narrow(axis, first, length))
}

/// Permutes the axes; without a permutation, reverses them.
pub(super) fn permute(x: Array, axes: Option<Ints>) -> Called<Array> {
    match axes {
        Some(axes) => each!(x, x => x.permute_dims(&axes)),
        None => each!(x, x => ok(x.reverse_dims())),
    }
}

/// Reverses the axes without arguments, swaps two axes, or permutes all.
pub(super) fn transpose(
    x: Array,
    dims: (Value, Option<isize>),
    rest: Option<Ints>,
) -> Called<Array> {
    match (dims, rest) {
        ((Value::None, _), _) => permute(x, None),
        ((a @ Value::Int(_), Some(b)), None) => {
            let a: isize = read(&a)?;
            each!(x, x => x.transpose(a, b))
        }
        ((first, second), rest) => {
            let order = read::<Ints>(&first)?.into_iter().chain(second);
            permute(x, Some(order.chain(rest.into_iter().flatten()).collect()))
        }
    }
}

/// Views the elements in another shape, or the bytes as another dtype.
pub(super) fn view(x: Array, shape: Option<Ints>, dtype: Option<DType>) -> Called<Array> {
    match (x, shape, dtype) {
        (Array::Tensor(x), Some(shape), None) => Ok(x.view(&shape)?.into()),
        (Array::Lens(x), Some(shape), None) => Ok(x.reshape(&shape)?.into()),
        (Array::Tensor(x), None, Some(dtype)) => Ok(x.bitcast(dtype)?.into()),
        (_, None, None) => Err("missing argument: a shape or a dtype".into()),
        _ => Err("view takes a shape, or the dtype of a strided tensor".into()),
    }
}

/// Reshapes in row-major or column-major order; `copy` is whether a copy is required or an error.
pub(super) fn reshape(x: Array, shape: Ints, copy: Option<bool>, order: String) -> Called<Array> {
    if is_col_major(&order)? {
        let reversed = shape.into_iter().rev().collect();
        return permute(reshape(permute(x, None)?, reversed, copy, "C".into())?, None);
    }
    Ok(match (x, copy) {
        (Array::Tensor(x), Some(false)) => x.view(&shape)?.into(),
        (Array::Tensor(x), None) => x.reshape(&shape)?.into(),
        (Array::Tensor(x), Some(true)) => x.copy()?.reshape(&shape)?.into(),
        (Array::Lens(x), Some(true)) => x.copy()?.reshape(&shape)?.into(),
        (Array::Lens(x), _) => x.reshape(&shape)?.into(),
    })
}

/// Removes axes of length 1, by default all; PyTorch ignores longer ones.
pub(super) fn squeeze(x: Array, axes: Option<Ints>, ignores_long: bool) -> Called<Array> {
    let (Some(mut axes), shape) = (axes, x.shape()) else {
        return each!(x, x => ok(x.squeeze_all()));
    };
    // An axis that does not exist stays, so that the library refuses it.
    let is_long = |axis: isize| resolved(axis, shape.len()).is_ok_and(|k| shape[k] != 1);
    axes.retain(|&axis| !ignores_long || !is_long(axis));
    each!(x, x => x.squeeze(&axes))
}

/// Moves axes of a tensor, or one axis of a lens, to new positions.
pub(super) fn moveaxis(x: Array, source: Ints, destination: Ints) -> Called<Array> {
    match (x, &source[..], &destination[..]) {
        (Array::Tensor(x), from, to) => Ok(x.moveaxis(from, to)?.into()),
        (Array::Lens(x), &[from], &[to]) => Ok(x.move_axis(from, to)?.into()),
        _ => Err("moveaxis moves one axis of a lens; use permute for several".into()),
    }
}

/// Repeats each element along an axis: by one count, or by a tensor of counts.
pub(super) fn repeat(x: Array, repeats: OperandValue, axis: Option<isize>) -> Called<Array> {
    match (x, &repeats) {
        (Array::Lens(x), OperandValue::Number(Scalar::Int(n))) => {
            let x = if axis.is_some() { *x } else { x.reshape([-1_isize])? };
            Ok(x.repeat(axis.unwrap_or(0), read(&Value::Int(*n))?)?.into())
        }
        (Array::Lens(_), _) => Err("a lens repeats all elements equally: expected an int".into()),
        (Array::Tensor(x), repeats) => {
            if let OperandValue::Array(Array::Tensor(counts)) = repeats {
                let len = axis.map_or(Ok(x.len()), |axis| length(&x, axis))?;
                let others = x.len() / len.max(1) * if counts.len() == 1 { len } else { 1 };
                check(total(counts)?.saturating_mul(others), "elements", MAX_LENGTH)?;
            }
            Ok(x.repeat(repeats.operand(), axis)?.into())
        }
    }
}

/// Returns the sum of integers. It is cast by the sum, because a cast is recorded as a copy.
fn total(x: &Tensor) -> Called<usize> {
    let sum = x.sum_as((), DType::Int64)?.item::<i64>()?;
    // Negative numbers are errors of the library, unless they are large unsigned ones.
    Ok(if sum < 0 && !x.dtype().is_unsigned() { 0 } else { sum as usize })
}

/// Calls `bincount` if the result is short.
pub(super) fn bincount(x: Tensor, weights: Option<Tensor>, minlength: usize) -> Called<Tensor> {
    let is_counted = !x.is_empty() && (x.dtype().is_integer() || x.dtype().is_bool());
    let max = if is_counted { total(&x.max(())?)? } else { 0 };
    check(minlength.max(max.saturating_add(1)), "elements", MAX_LENGTH)?;
    Ok(x.bincount(weights.as_ref(), minlength)?)
}

/// Calls `tril_indices` or `triu_indices` if the matrix is small: both look at every element of its mask.
pub(super) fn triangle_indices(
    indices: fn(usize, usize, isize) -> Result<[Tensor; 2], Error>,
    rows: usize,
    cols: usize,
    diagonal: isize,
) -> Called<[Tensor; 2]> {
    let n_elements = rows.saturating_mul(cols).max(rows).max(cols);
    check(n_elements, "elements", MAX_LENGTH)?;
    Ok(indices(rows, cols, diagonal)?)
}

/// Returns NumPy's pad widths: `1`, `(1, 2)` or `((1, 2), (0, 0))`.
pub(super) fn pad_widths(widths: &Value, rank: usize) -> Called<Vec<(usize, usize)>> {
    let pair = |it: &Value| match read::<Counts>(it)?[..] {
        [both] => Ok((both, both)),
        [before, after] => Ok((before, after)),
        _ => Err("the padding of an axis is one width or a pair (before, after)".into()),
    };
    match widths.items() {
        Some([one]) => Ok(vec![pair(one)?; rank]),
        Some(items) if items.iter().any(|it| it.items().is_some()) => {
            items.iter().map(pair).collect()
        }
        _ => Ok(vec![pair(widths)?; rank]),
    }
}

/// Returns PyTorch's pad widths: `(left, right, top, bottom)`, the last axis first.
pub(super) fn last_pad_widths(widths: &[usize], rank: usize) -> Called<Vec<(usize, usize)>> {
    let n = widths.len();
    if n % 2 == 1 || n / 2 > rank {
        return Err(format!("expected pairs of widths for at most {rank} axes, got {n}").into());
    }
    let mut pairs = vec![(0, 0); rank - n / 2];
    pairs.extend(widths.chunks_exact(2).rev().map(|it| (it[0], it[1])));
    Ok(pairs)
}

/// Pads with a constant, or in a mode.
pub(super) fn pad(
    x: Array,
    widths: &[(usize, usize)],
    mode: &str,
    value: Option<OperandValue>,
) -> Called<Array> {
    match (x, &value) {
        (x, None) if mode == "constant" => each!(x, x => x.pad(widths)),
        (x, Some(it)) if mode == "constant" => each!(x, x => x.pad_with(widths, it.operand())),
        (Array::Tensor(x), _) => Ok(x.pad_mode(widths, mode.parse()?)?.into()),
        (Array::Lens(_), _) => Err("a lens is padded with a constant only".into()),
    }
}

/// Splits an axis into parts of one length, or of the given lengths.
pub(super) fn split(x: Tensor, sizes: Counts, axis: isize) -> Called<Vec<Tensor>> {
    let len = length(&x, axis)?;
    if let [size] = sizes[..] {
        check(len.div_ceil(size.max(1)), "parts", MAX_ITEMS)?;
        return Ok(x.split(axis, size)?.collect());
    }
    let sum = sizes.iter().fold(0_usize, |sum, &size| sum.saturating_add(size));
    if sum != len {
        return Err(format!("the part sizes sum to {sum}, but the axis has length {len}").into());
    }
    // The end of the last part is the length.
    let ends = (1..sizes.len()).map(|n| sizes[..n].iter().sum());
    split_at(&x, axis, ends.collect())
}

/// Splits an axis into a number of parts, or at indices.
pub(super) fn split_sections(
    x: Tensor,
    sections: Value,
    axis: isize,
    must_be_equal: bool,
) -> Called<Vec<Tensor>> {
    let len = length(&x, axis)?;
    let Value::Int(_) = sections else {
        let from_end = |it: isize| it.saturating_add(len as isize).max(0);
        let index = |it: isize| if it < 0 { from_end(it) } else { it } as usize;
        return split_at(&x, axis, read::<Ints>(&sections)?.into_iter().map(index).collect());
    };
    let n: usize = read(&sections)?;
    check(n, "parts", MAX_ITEMS)?;
    if n == 0 || (must_be_equal && len % n != 0) {
        return Err(format!("an axis of length {len} has no {n} equal parts").into());
    }
    split_at(&x, axis, (1..n).map(|i| i * (len / n) + i.min(len % n)).collect())
}

/// Splits an axis at indices; indices beyond its end are the end.
fn split_at(x: &Tensor, axis: isize, mut ends: Counts) -> Called<Vec<Tensor>> {
    let (len, mut start) = (length(x, axis)?, 0);
    ends.push(len);
    check(ends.len(), "parts", MAX_ITEMS)?;
    let part = |end: usize| {
        let first = std::mem::replace(&mut start, end.min(len));
        Ok(x.narrow(axis, first, start.saturating_sub(first))?)
    };
    ends.into_iter().map(part).collect()
}

/// Calls `as_strided` with strides in bytes.
pub(super) fn as_strided_bytes(x: Tensor, shape: Counts, strides: Ints) -> Called<Tensor> {
    let size = x.dtype().size() as isize;
    if let Some(bytes) = strides.iter().find(|&it| it % size != 0) {
        return Err(format!("a stride of {bytes} bytes is not a multiple of {size} bytes").into());
    }
    let strides: Ints = strides.iter().map(|it| it / size).collect();
    Ok(x.as_strided(shape, strides, x.offset())?)
}

/// Returns the lengths of axes, given as pairs of a name and a number.
pub(super) fn named_lengths(pairs: &Value) -> Called<Vec<(&str, usize)>> {
    let named = pairs.items().unwrap_or_default().iter().filter_map(|pair| match pair.items() {
        Some([Value::Str(name, _), len]) => Some((name.as_str(), len)),
        _ => None,
    });
    named.map(|(name, len)| Ok((name, read(len)?))).collect()
}

/// Views complex numbers as pairs of real numbers along a new last axis.
pub(super) fn view_as_real(x: Tensor) -> Called<Tensor> {
    if !x.dtype().is_complex() {
        return Err(format!("expected a complex dtype, got {}", x.dtype()).into());
    }
    let layout = x.layout().split_elements(2)?;
    Ok(Tensor::from_storage(x.storage().clone(), layout, x.dtype().real())?)
}
