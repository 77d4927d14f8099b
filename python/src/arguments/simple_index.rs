//! Index expressions of integers, slices, `None` and an ellipsis, evaluated without a list of entries.

use super::index::position;
use crate::array::ArrayObject;
use belvedere::{Axis, DType, Layout, Slicer, without_waiting};
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PyInt, PySlice, PyTuple};

/// Returns the offset of a position along an axis; a negative position counts from the end. `None` if it is out of range.
#[inline(always)]
pub(super) fn offset_along(axis: &Axis, at: isize) -> Option<isize> {
    let position = if at < 0 { at.wrapping_add_unsigned(axis.len) } else { at } as usize;
    (position < axis.len).then_some(position as isize * axis.stride)
}

/// Returns the offset of the element that a tuple with an integer for each axis selects. `None` for any other tuple, and if
/// an integer is out of range.
#[inline(always)]
pub(super) fn offset_of_tuple(layout: &Layout, tuple: &Bound<'_, PyTuple>) -> Option<usize> {
    if tuple.len() != layout.rank() || tuple.is_empty() {
        return None;
    }
    let mut offset = layout.start() as isize;
    for (item, axis) in tuple.iter_borrowed().zip(layout.axes()) {
        let at = match item.is_exact_instance_of::<PyInt>() {
            true => item.extract().ok()?,
            false => position_of_array(&item)?,
        };
        offset += offset_along(axis, at)?;
    }
    Some(offset as usize)
}

/// Reads a 0-d array of `int64`, as loops over integers have it. `None` for anything else.
fn position_of_array(item: &Bound<'_, PyAny>) -> Option<isize> {
    let array = item.cast_exact::<ArrayObject>().ok()?;
    let tensor = array.get().tensor();
    let is_integer = tensor.rank() == 0 && tensor.dtype() == DType::Int64;
    // An error, as that of an array without memory, is reported where all entries are read.
    if is_integer {
        without_waiting(|| tensor.item::<i64>()).ok().map(|it| it as isize)
    } else {
        None
    }
}

/// Which items of a tuple were applied one by one.
pub(super) enum TakenItems {
    All,
    AllWithEllipsis,
    /// Not all: they need a list of all entries.
    Some,
}

/// Applies the items of a tuple one by one.
#[inline(always)]
pub(super) fn take_all(
    slicer: &mut Slicer<'_>,
    tuple: &Bound<'_, PyTuple>,
) -> PyResult<TakenItems> {
    let mut taken = TakenItems::All;
    for (place, item) in tuple.iter_borrowed().enumerate() {
        if take(slicer, &item)? {
            continue;
        }
        if !take_ellipsis(slicer, &item, tuple, place + 1) {
            return Ok(TakenItems::Some);
        }
        taken = TakenItems::AllWithEllipsis;
    }
    Ok(taken)
}

/// Applies an integer or a slice to the next axis, or inserts an axis. Returns false for anything else, and for errors,
/// which the list of all entries reports.
#[inline(always)]
fn take(slicer: &mut Slicer<'_>, item: &Bound<'_, PyAny>) -> PyResult<bool> {
    if item.is_none() {
        slicer.new_axis();
        return Ok(true);
    }
    let Some(axis) = slicer.remaining().first() else { return Ok(false) };
    if let Ok(slice) = item.cast_exact::<PySlice>() {
        let it = slice.indices(axis.len as isize)?;
        return Ok(slicer.stepped(it.start as usize, it.slicelength, it.step).is_ok());
    }
    if item.is_exact_instance_of::<PyInt>() {
        return Ok(slicer.at(position(item)?).is_ok());
    }
    Ok(false)
}

/// Applies an ellipsis, which covers the axes that the items after it do not index. Returns false if the item is not an
/// ellipsis, or an item after it is neither an integer, a slice nor `None`.
#[cold]
fn take_ellipsis(
    slicer: &mut Slicer<'_>,
    item: &Bound<'_, PyAny>,
    tuple: &Bound<'_, PyTuple>,
    behind: usize,
) -> bool {
    let mut n_behind = 0;
    for other in tuple.iter_borrowed().skip(behind) {
        match other.is_exact_instance_of::<PySlice>() || other.is_exact_instance_of::<PyInt>() {
            true => n_behind += 1,
            false if other.is_none() => {}
            false => return false,
        }
    }
    match slicer.remaining().len().checked_sub(n_behind) {
        Some(n_whole) if item.is_exact_instance_of::<PyEllipsis>() => {
            slicer.full_axes(n_whole);
            true
        }
        _ => false,
    }
}
