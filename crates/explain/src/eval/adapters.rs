//! Adapters: the calls of the table that are longer than one expression of the library.

use super::arguments::{Counts, FromValue, Ints, OperandValue, Reader};
use super::creation::is_col_major;
use super::error::CallError;
use super::record::scalars;
use super::value::{Array, Library, MAX_ITEMS, Value, each};
use crate::step::Scalar;
use belvedere::linalg::matrix_norm_with;
use belvedere::nn::Padding;
use belvedere::{Axes, DType, Error, Index, Layout, Pairs, ScanOptions, Shape, SortAxis, Tensor};

pub(super) type Called<T> = Result<T, CallError>;
type Reduction = fn(&Tensor, Axes) -> Result<Tensor, Error>;

/// Returns a value as the result of a call that cannot fail.
pub(super) fn ok<T>(value: T) -> Called<T> {
    Ok(value)
}

/// Calls a closure, in which `?` converts errors of several types.
pub(super) fn attempt<T>(call: impl FnOnce() -> Called<T>) -> Called<T> {
    call()
}

/// Reads a value whose type depends on other arguments.
pub(super) fn read<T: FromValue>(value: &Value) -> Called<T> {
    let reader = Reader { operation: "call", library: Library::Belvedere, span: &(0..0) };
    T::from_value(value, &reader).map_err(|error| error.failure.message.into())
}

/// Returns an error if a number is greater than its limit.
pub(super) fn check(n: usize, what: &str, limit: usize) -> Called<()> {
    if n > limit {
        return Err(format!("{n} {what} are too many: the limit is {limit}").into());
    }
    Ok(())
}

/// Returns the axes of a reduction, which stay in the result with `keepdims`.
pub(super) fn kept(axes: Axes, keepdims: bool) -> Axes {
    if keepdims { belvedere::keep(axes) } else { axes }
}

/// Returns the last `n` axes.
pub(super) fn last_axes(n: usize) -> Axes {
    Axes::from(&(-(n as isize)..0).collect::<Ints>())
}

/// Returns the axis of a sort.
pub(super) fn sort_axis(axis: isize, descending: bool) -> SortAxis {
    if descending { belvedere::descending(axis) } else { axis.into() }
}

/// Returns the tensor, or the lens converted to one, which may copy.
pub(super) fn as_tensor(x: Array) -> Called<Tensor> {
    match x {
        Array::Tensor(x) => Ok(x),
        Array::Lens(x) => Ok(x.to_tensor()?),
    }
}

/// Returns the position of an axis, which may be negative.
pub(super) fn resolved(axis: isize, rank: usize) -> Called<usize> {
    Ok(Layout::row_major(&vec![1; rank])?.resolve_axis(axis)?)
}

/// Returns the item of one axis, or the items of all axes.
pub(super) fn of_axis<T: Copy + Into<Value>>(items: &[T], axis: Option<isize>) -> Called<Value> {
    match axis {
        Some(axis) => Ok(items[resolved(axis, items.len())?].into()),
        None => Ok(items.to_vec().into()),
    }
}

/// Returns the length of an axis.
pub(super) fn length(x: &Tensor, axis: isize) -> Called<usize> {
    Ok(x.shape()[x.layout().resolve_axis(axis)?])
}

/// Copies to row-major order (`C`) or to column-major order (`F`).
pub(super) fn copy_in_order(x: Array, order: String) -> Called<Array> {
    match is_col_major(&order)? {
        false => each!(x, x => x.copy()),
        true => Ok(as_tensor(x)?.reverse_dims().copy()?.reverse_dims().into()),
    }
}

/// Returns the only element, or the one at an index.
pub(super) fn item(x: Array, at: Option<Ints>) -> Called<Value> {
    let mut x = as_tensor(x)?;
    if let Some(at) = at {
        x = x.slice(at.into_iter().map(Index::At).collect::<Vec<_>>())?;
    }
    match x.len() {
        1 => Ok(scalars(&x)?[0].into()),
        _ => Err(Error::NotOneElement { shape: x.shape().into() }.into()),
    }
}

/// Returns the elements as nested lists.
pub(super) fn tolist(x: Array) -> Called<Value> {
    fn nest(shape: &[usize], values: &mut dyn Iterator<Item = Scalar>) -> Value {
        match shape {
            [] => values.next().map_or(Value::None, Value::from),
            [len, rest @ ..] => Value::List((0..*len).map(|_| nest(rest, values)).collect()),
        }
    }
    let shape = x.shape();
    // Empty lists count as items as well.
    let n = shape.iter().fold(1, |n: usize, &len| n.saturating_mul(len.max(1)));
    check(n, "elements", MAX_ITEMS)?;
    Ok(nest(&shape, &mut scalars(&as_tensor(x)?)?.into_iter()))
}

/// Returns a dtype, or the dtype of a tensor.
pub(super) fn dtype_of(value: &Value) -> Called<DType> {
    if let Value::Array(it) = value { Ok(it.array.dtype()) } else { read(value) }
}

/// Returns the promoted dtype of dtypes, tensors and numbers.
pub(super) fn result_type(values: Value) -> Called<DType> {
    let (mut types, mut numbers) = (Vec::new(), Vec::new());
    for value in values.items().unwrap_or_default() {
        match value.number() {
            Some(number) => numbers.push(OperandValue::Number(number)),
            None => types.push(dtype_of(value)?),
        }
    }
    let numbers: Vec<_> = numbers.iter().map(OperandValue::operand).collect();
    let found = belvedere::result_type_with(&types, &numbers);
    found.ok_or_else(|| "result_type needs at least one tensor or dtype".into())
}

/// Returns the shape that shapes broadcast to.
pub(super) fn broadcast_shapes(shapes: Value) -> Called<Shape> {
    let shapes = shapes.items().unwrap_or_default().iter().map(read::<Counts>);
    let shapes = shapes.collect::<Called<Vec<_>>>()?;
    Ok(belvedere::broadcast_shapes(&shapes.iter().map(Vec::as_slice).collect::<Vec<_>>())?)
}

/// Returns the length of the first axis, or of a tuple.
pub(super) fn len(value: &Value) -> Called<usize> {
    let first = match value {
        Value::Array(it) => it.array.shape().first().copied(),
        other => other.items().map(<[Value]>::len),
    };
    first.ok_or_else(|| "this value has no length".into())
}

/// Returns the arguments that are not strings.
pub(super) fn print(values: &Value) -> Called<Value> {
    let items = values.items().unwrap_or_default().iter();
    let mut items: Vec<Value> = items.filter(|it| !matches!(it, Value::Str(..))).cloned().collect();
    Ok(match items.len() {
        0 => Value::None,
        1 => items.remove(0),
        _ => Value::Tuple(items),
    })
}

/// Calls a cumulative function along an axis, or on the flattened tensor.
pub(super) fn cumulative(
    x: Tensor,
    axis: Option<isize>,
    options: ScanOptions,
    function: fn(&Tensor, isize, ScanOptions) -> Result<Tensor, Error>,
) -> Called<Tensor> {
    let x = if axis.is_some() { x } else { x.atleast_1d()?.flatten(0, -1)? };
    Ok(function(&x, axis.unwrap_or(0), options)?)
}

/// Computes NumPy's `linalg.norm`: a vector norm of one axis or of all elements, or a matrix norm of two axes.
pub(super) fn norm(x: Tensor, ord: Value, axis: Option<Ints>, keepdims: bool) -> Called<Tensor> {
    let all: Ints = (0..x.rank() as isize).collect();
    let axes = axis.unwrap_or(all);
    match (&ord, &axes[..]) {
        (Value::None, axes) => Ok(x.norm(kept(axes.into(), keepdims))?),
        (ord, &[axis]) => Ok(x.norm_with(kept(axis.into(), keepdims), read(ord)?)?),
        (ord, axes) => {
            let norms = matrix_norm_with(&x.moveaxis(axes, [-2, -1])?, read(ord)?, keepdims)?;
            Ok(if keepdims { norms.moveaxis([-2, -1], axes)? } else { norms })
        }
    }
}

/// Returns the axes of a contraction: their number, or those of both operands.
pub(super) fn pairs(axes: &Value) -> Called<Pairs> {
    match axes.items() {
        Some([left, right]) => Ok((&read::<Ints>(left)?[..], &read::<Ints>(right)?[..]).into()),
        Some(_) => Err("axes must be an int or a pair of axes for each operand".into()),
        None => Ok(read::<usize>(axes)?.into()),
    }
}

/// Returns a number for each of `N` axes; a single number is used for all of them.
pub(super) fn per_axis<const N: usize>(numbers: &[usize]) -> Called<[usize; N]> {
    let n = numbers.len();
    match numbers {
        [one] => Ok([*one; N]),
        _ => numbers.try_into().map_err(|_| format!("expected 1 or {N} numbers, got {n}").into()),
    }
}

/// Returns the padding of a convolution: a name, or widths.
pub(super) fn conv_padding<const N: usize>(value: &Value) -> Called<Padding<N>> {
    match value {
        Value::Str(name, _) if name == "valid" => Ok(Padding::Valid),
        Value::Str(name, _) if name == "same" => Ok(Padding::Same),
        Value::Str(name, _) => Err(format!("padding must be valid or same, got {name}").into()),
        widths => Ok(Padding::Zeros(per_axis(&read::<Counts>(widths)?)?)),
    }
}

/// Returns the distinct elements, and on request their first indices, the inverse indices and the counts.
pub(super) fn unique(x: Tensor, index: bool, inverse: bool, counts: bool) -> Called<Value> {
    if !index && !inverse && !counts {
        return Ok(x.unique_values()?.into());
    }
    let all = x.unique_all()?;
    let others = [(index, all.indices), (inverse, all.inverse_indices), (counts, all.counts)];
    let others = others.into_iter().filter(|it| it.0).map(|it| it.1);
    Ok([all.values].into_iter().chain(others).collect::<Vec<_>>().into())
}

/// Computes PyTorch's `max` or `min`: of all elements, along an axis with the indices, or of two tensors.
pub(super) fn extremum(x: Tensor, axis: Value, keepdims: bool, is_max: bool) -> Called<Value> {
    let (reduce, index): (Reduction, Reduction) =
        if is_max { (Tensor::max, Tensor::argmax) } else { (Tensor::min, Tensor::argmin) };
    match &axis {
        Value::None => Ok(reduce(&x, ().into())?.into()),
        Value::Array(it) if is_max => Ok(x.maximum(it.array.operand())?.into()),
        Value::Array(it) => Ok(x.minimum(it.array.operand())?.into()),
        axis => {
            let axes = kept(read::<isize>(axis)?.into(), keepdims);
            Ok([reduce(&x, axes.clone())?, index(&x, axes)?].into())
        }
    }
}
